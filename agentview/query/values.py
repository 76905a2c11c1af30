"""Moments and amounts as a query has them: `3d`, `2026-11-20`, `>100k`."""

import re
from datetime import UTC, datetime, time, timedelta

from agentview.domain.value import Value

_SINCE = re.compile(r"(\d{1,5})([hdwy])")
_AMOUNT = re.compile(r"(>=|<=|>|<|=)?\s*\$?(\d+(?:\.\d+)?|\.\d+)([kmg])?")
_UNITS = {"h": 3_600.0, "d": 86_400.0, "w": 7 * 86_400.0, "y": 365.25 * 86_400.0}
_SIZES = {"k": 1e3, "m": 1e6, "g": 1e9}


def moment(text: str, now: float) -> float | None:
    """Epoch seconds of a moment in the time zone of this machine; None for anything else.

    Forms: `today`, `yesterday`, `3d`, `2w`, `12h`, `1y`, `2026-11`, `2026-11-20`,
    `2026-11-20T14:00`. A day is its beginning; `3d` is so long before `now`.
    """
    text = text.lower()
    since = _SINCE.fullmatch(text)
    try:
        if since is not None:
            return now - int(since[1]) * _UNITS[since[2]]
        if text in ("today", "yesterday"):
            back = timedelta(days=text == "yesterday")
            day = datetime.fromtimestamp(now, UTC).astimezone().date() - back
            return datetime.combine(day, time()).timestamp()
        if re.fullmatch(r"\d{4}-\d{2}", text):
            text += "-01"
        if re.match(r"\d{4}-\d{2}-\d{2}", text):
            return datetime.fromisoformat(text.upper()).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return None


class Comparison(Value):
    """A comparison with a number: `3`, `>3`, `<=100k`, `>$1.50`."""

    sign: str
    value: float

    def holds(self, number: float) -> bool:
        """Return True if the comparison holds for a number."""
        match self.sign:
            case ">":
                return number > self.value
            case ">=":
                return number >= self.value
            case "<":
                return number < self.value
            case "<=":
                return number <= self.value
            case _:
                return number == self.value


def amount(text: str) -> Comparison | None:
    """The comparison that a text stands for; nothing, or a sign alone, is anything above 0."""
    if text in ("", ">", "<", "=", ">=", "<="):
        return Comparison(">", 0.0)
    found = _AMOUNT.fullmatch(text.lower())
    if found is None:
        return None
    return Comparison(found[1] or "=", float(found[2]) * _SIZES.get(found[3] or "", 1.0))
