"""Limits of an account in words: how much is left, and when it is reset."""

from collections.abc import Mapping

from agentview.domain.usage_limit import UsageLimit, UsageLimits
from agentview.domain.value import Value
from agentview.timeline.view.format_numbers import UNKNOWN, moment, share, span
from agentview.timeline.view.sanitize import one_line

_NEARLY_USED = 0.85
"""Used part of a limit from which it is shown before other facts."""
_NAME = 24


def limit_text(limit: UsageLimit, now: float) -> str:
    """One limit: `5h 58% left until 14:02, full at 13:40?`, `opus 7d 3% left until Nov 28`."""
    until = "" if limit.resets is None else f" until {moment(limit.resets, now)}"
    full = limit.full_at
    forecast = "" if full is None else f", full at {moment(full, now)}?"
    return f"{short_text(limit)} left{until}{forecast}"


def short_text(limit: UsageLimit) -> str:
    """One limit in few cells: `5h 58%`."""
    window = None if limit.window is None else span(limit.window)
    name = one_line(limit.name, _NAME) if limit.name else None
    left = UNKNOWN if limit.left is None else share(limit.left)
    return " ".join(filter(None, (name, window or (None if name else "limit"), left)))


class LimitWords(Value):
    """Limits in a bar, from the longest form to the shortest, and whether one is nearly used.

    A form has pieces of text, each with True if it is of a limit that is nearly used.
    """

    forms: tuple[tuple[tuple[str, bool], ...], ...] = ()
    near: bool = False


class Meter(Value):
    """A part of a whole that was used, which may be more than all of it."""

    label: str
    text: str
    used: float
    near: bool


def limit_words(by_name: Mapping[str, UsageLimits], now: float) -> LimitWords:
    """The limits of accounts, each with its name in front; the one with the least left is kept."""
    named = [(name, limit) for name, limits in by_name.items() for limit in limits]
    if not named:
        return LimitWords()
    every: list[tuple[str, bool]] = []
    for name, limit in named:
        every += [(" · ", False)] if every else []
        every.append((f"{name} {limit_text(limit, now)}".strip(), _is_near(limit)))
    name, tightest = max(named, key=lambda item: item[1].used or 0.0)
    near = _is_near(tightest)
    one = (limit_text(tightest, now), short_text(tightest))
    forms = tuple(every), *(((f"{name} {text}".strip(), near),) for text in one)
    return LimitWords(tuple(dict.fromkeys(forms)), near)


def _is_near(limit: UsageLimit) -> bool:
    return (limit.used or 0.0) >= _NEARLY_USED
