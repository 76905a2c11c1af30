"""Moments, periods and amounts as a query has them: `3d`, `2026-11-20`, `>100k`."""

import re
from datetime import UTC, date, datetime, time, timedelta

from agentview.domain.period import ALL_TIME, Period
from agentview.domain.value import Value
from agentview.errors import UsageError

_AGE = re.compile(r"(\d{1,5}) ?([a-z]+)(?: ago)?")
_AMOUNT = re.compile(r"(>=|<=|>|<|=)?\s*\$?(\d+(?:\.\d+)?|\.\d+)([kmg])?")
_UNITS = {
    name: seconds
    for names, seconds in (
        ("m min mins minute minutes", 60.0),
        ("h hr hrs hour hours", 3_600.0),
        ("d day days", 86_400.0),
        ("w week weeks", 7 * 86_400.0),
        ("month months", 365.25 / 12 * 86_400.0),
        ("y year years", 365.25 * 86_400.0),
    )
    for name in names.split()
}
_SIZES = {"k": 1e3, "m": 1e6, "g": 1e9}
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CALENDAR = re.compile(r"(this|last)[ -](week|month|year)")
_ISO_WEEK = re.compile(r"\d{4}-w\d{2}")

MOMENTS = (
    "today, yesterday, monday, last week, 14:00, 30m, 2h, 3 days, 2026-11-20 or 2026-11-20T14:00"
)
"""Examples of what `moment` takes."""


def moment(text: str, now: float) -> float | None:
    """Epoch seconds of a moment in the time zone of this machine; None for anything else.

    Forms: `30m`, `12h`, `3d`, `2 weeks`, `1 year ago` before `now`; `today`, `yesterday`, a
    weekday (the last one, today included), `this week`, `last month`, `last-year`; `14:00` of
    today; `2026`, `2026-11`, `2026-W47`, `2026-11-20`, `2026-11-20T14:00` with or without an
    offset or Z.
    What is longer than a moment is its beginning.
    """
    text = " ".join(text.lower().split())
    since = age(text)
    if since is not None:
        return now - since
    try:
        today = datetime.fromtimestamp(now, UTC).astimezone().date()
        day = _day_named(text, today)
        if day is not None:
            return datetime.combine(day, time()).timestamp()
        clock = _CLOCK.fullmatch(text)
        if clock is not None:
            of_day = time(int(clock[1]), int(clock[2]), int(clock[3] or 0))
            return datetime.combine(today, of_day).timestamp()
        if re.match(r"\d{4}-\d{2}-\d{2}", text):
            return datetime.fromisoformat(text.upper()).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return None


PERIODS = "today, 7d, this month, 2026-11, 2026-W47 or 2026-11-01..2026-11-08"
"""Examples of what `stretch` takes."""

_UNITS_OF_DAYS = (
    (re.compile(r"(this|last)[ -]week|\d{4}-w\d{2}"), "week"),
    (re.compile(r"(this|last)[ -]month|\d{4}-\d{2}"), "month"),
    (re.compile(r"(this|last)[ -]year|\d{4}"), "year"),
    (re.compile(rf"today|yesterday|{'|'.join(_WEEKDAYS)}|\d{{4}}-\d{{2}}-\d{{2}}"), "day"),
)


def stretch(text: str, now: float) -> Period | None:
    """The period that a text names, in the time zone of this machine; None for anything else.

    A day, week, month or year as `moment` takes it is all of it, another moment the time since
    then; `A..B` is from one moment until just before another, each of which may be left out.
    `all` is all of time.
    """
    text = " ".join(text.lower().split())
    if text == "all":
        return ALL_TIME
    first, dots, last = (part.strip() for part in text.partition(".."))
    if dots:
        start, end = moment(first, now), moment(last, now)
        missing = (first and start is None) or (last and end is None) or not (first or last)
        empty = start is not None and end is not None and end <= start
        return None if missing or empty else Period(start, end)
    start = moment(text, now)
    unit = next((unit for form, unit in _UNITS_OF_DAYS if form.fullmatch(text)), None)
    if start is None or unit is None:
        return None if start is None else Period(start, None)
    try:
        return Period(start, _end_of(start, unit))
    except (ValueError, OverflowError, OSError):
        return Period(start, None)


def _end_of(start: float, unit: str) -> float:
    """When the `day`, `week`, `month` or `year` ends that begins at a moment."""
    day = datetime.fromtimestamp(start, UTC).astimezone().date()
    days = {"day": 1, "week": 7, "month": 31, "year": 366}[unit]
    after = day + timedelta(days=days)
    after = first_day(after, unit) if unit in ("month", "year") else after
    return datetime.combine(after, time()).timestamp()


def age(text: str) -> float | None:
    """Seconds of a length of time: `30m`, `12h`, `3d`, `2 weeks`, `1y`; None for anything else."""
    found = _AGE.fullmatch(" ".join(text.lower().split()))
    seconds = None if found is None else _UNITS.get(found[2])
    return None if found is None or seconds is None else int(found[1]) * seconds


def _day_named(text: str, today: date) -> date | None:
    """The day, or the first day of the week, month or year, that a text names."""
    if text in ("today", "yesterday"):
        return today - timedelta(days=text == "yesterday")
    if text in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(text)) % 7)
    calendar = _CALENDAR.fullmatch(text)
    if calendar is not None:
        first = first_day(today, calendar[2])
        return first if calendar[1] == "this" else first_day(first - timedelta(days=1), calendar[2])
    if _ISO_WEEK.fullmatch(text):
        return date.fromisoformat(f"{text.upper()}-1")
    if re.fullmatch(r"\d{4}(-\d{2})?", text):
        return date.fromisoformat(f"{text}-01-01"[:10])
    return None


def first_day(day: date, unit: str) -> date:
    """The first day of the `week`, `month` or `year` of a day."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def period(after: str | None, before: str | None, now: float) -> Period:
    """The period between two moments, each of which may be left out. Raises UsageError."""
    found = Period(bound("--after", after, now), bound("--before", before, now))
    if found.after is not None and found.before is not None and found.before <= found.after:
        raise UsageError(
            f"There is no time between --after {after} and --before {before}.",
            "--before must be later than --after.",
        )
    return found


def bound(option: str, text: str | None, now: float) -> float | None:
    """The moment that an option names, None where it is not given. Raises UsageError."""
    if text is None:
        return None
    found = moment(text, now)
    if found is None:
        raise UsageError(f"{option} cannot be {text!r}.", f"Give a time, such as {MOMENTS}.")
    return found


class Comparison(Value):
    """A comparison with a number: `3`, `>3`, `<=100k`, `>$1.50`."""

    sign: str
    value: float

    def holds(self, number: float) -> bool:
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
