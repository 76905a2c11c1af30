"""When a limit of a service is reset, by the words of the error that reports it."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from agentview.normalize.json_values import text_time_of

_CHARS = 1000
"""Characters of an error that are looked at."""
_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_LONGEST = 60 * 86_400.0
"""Seconds ahead after which a time is none of a limit."""

_AMOUNT = (
    r"(\d{1,6}(?:\.\d{1,6})?)\s*"
    r"(ms|d(?=\b|\d)|days?|h(?=\b|\d)|hours?|hrs?|m(?=\b|\d)|min(?:ute)?s?|s(?=\b|\d)|sec(?:ond)?s?)"
)
_EPOCH = re.compile(r"limit reached\|(\d{10})\b")
_IN = re.compile(
    rf"(?:resets?|try again|retry|available)[^\n\d]{{0,40}}?\b(?:in|after)\s+((?:{_AMOUNT}"
    r"[\s,]*(?:and\s+)?){1,5})",
    re.IGNORECASE,
)
_ISO = re.compile(
    r"(?:resets?|try again|retry)[^\n\d]{0,24}(\d{4}-\d\d-\d\dT[\d:.]{5,16}(?:Z|[+-]\d\d:?\d\d)?)",
    re.IGNORECASE,
)
_DAY = re.compile(r"\buntil (\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC")
_CLOCK = re.compile(
    r"(?:resets?|try again)(?:\s+at|\s+on)?\s+"
    r"(?:([A-Z][a-z]{2})[a-z]*\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:\d{4},?\s+)?(?:at\s+)?)?"
    r"(\d{1,2})(?::(\d\d))?\s*([ap])\.?m\b\.?(?:\s*\(([A-Za-z]+(?:/[A-Za-z_+-]+){0,2})\))?",
    re.IGNORECASE,
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def reset_time(words: str, at: float | None) -> float | None:
    """When the limit ends that an error reports, epoch seconds; None where its words do not say.

    `at` is the time of the error: the services say how long it takes, or a time of the day, in a
    zone that they name or in that of the client, which is taken to be ours.
    """
    words = words[:_CHARS]
    known = _EPOCH.search(words)
    if known is not None:
        return float(known[1])
    stated = _ISO.search(words)
    if stated is not None:
        return text_time_of(stated[1])
    day = _DAY.search(words)
    if day is not None:
        return text_time_of(f"{day[1]}T{day[2]}:00Z")
    if at is None:
        return None
    span = _IN.search(words)
    if span is not None:
        seconds = sum(
            float(amount) * _UNITS[unit.lower() if unit.lower() == "ms" else unit[0].lower()]
            for amount, unit in re.findall(_AMOUNT, span[1], re.IGNORECASE)
        )
        return at + seconds if seconds < _LONGEST else None
    clock = _CLOCK.search(words)
    return _next(clock, at) if clock is not None else None


def _next(clock: re.Match[str], at: float) -> float | None:
    """The first time after `at` at which a clock shows what the words say."""
    month, day, hour, minute, half, zone = clock.groups()
    try:
        now = datetime.fromtimestamp(at, ZoneInfo(zone) if zone else UTC)
        now = now if zone else now.astimezone()
        then = now.replace(
            hour=int(hour) % 12 + (12 if half.lower() == "p" else 0),
            minute=int(minute or 0),
            second=0,
            microsecond=0,
        )
        if month:
            then = then.replace(month=_MONTHS.index(month.lower()) + 1, day=int(day))
            then = then if then > now - timedelta(days=1) else then.replace(year=then.year + 1)
        elif then <= now:
            then += timedelta(days=1)
        moment = then.timestamp()
    except (ValueError, OverflowError, OSError, KeyError):
        # ZoneInfoNotFoundError is a KeyError.
        return None
    return moment if moment - at < _LONGEST else None
