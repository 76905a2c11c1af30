"""Limits of an account in words: how much is left, and when it is reset."""

from collections.abc import Mapping

from agentview.domain.usage_limit import UsageLimit, UsageLimits
from agentview.domain.value import Value
from agentview.timeline.format_numbers import UNKNOWN, moment, share, span
from agentview.timeline.sanitize import one_line

_NEARLY_USED = 0.85
"""Used part of a limit from which it is shown before other facts."""
_NAME = 24


def limit_text(limit: UsageLimit, now: float) -> str:
    """One limit: `5h 58% left until 14:02`, `opus 7d 3% left until Nov 28`."""
    until = "" if limit.resets is None else f" until {moment(limit.resets, now)}"
    return f"{short_text(limit)} left{until}"


def short_text(limit: UsageLimit) -> str:
    """One limit in few cells: `5h 58%`."""
    window = None if limit.window is None else span(limit.window)
    name = one_line(limit.name, _NAME) if limit.name else None
    left = UNKNOWN if limit.left is None else share(limit.left)
    return " ".join(filter(None, (name, window or (None if name else "limit"), left)))


class LimitWords(Value):
    """Limits in a bar: texts from the longest to the shortest, and whether one is nearly used."""

    texts: tuple[str, ...] = ()
    near: bool = False


def limit_words(by_name: Mapping[str, UsageLimits], now: float) -> LimitWords:
    """The limits of accounts, each with its name in front; the one with the least left is kept."""
    named = [(name, limit) for name, limits in by_name.items() for limit in limits]
    if not named:
        return LimitWords()
    every = " · ".join(f"{name} {limit_text(limit, now)}".strip() for name, limit in named)
    name, tightest = max(named, key=lambda item: item[1].used or 0.0)
    one = (limit_text(tightest, now), short_text(tightest))
    texts = every, *(f"{name} {text}".strip() for text in one)
    return LimitWords(tuple(dict.fromkeys(texts)), (tightest.used or 0.0) >= _NEARLY_USED)
