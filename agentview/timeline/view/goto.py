"""The line of a jump: a time, a line of the log, a byte of it, a turn."""

import re
import time
from enum import Enum

from agentview.domain.value import Value

_DATE = r"(?P<year>\d{4})-(?P<month>\d\d?)-(?P<day>\d\d?)"
_CLOCK = r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
_TIME = re.compile(rf"(?:{_DATE}(?:[ T]+{_CLOCK})?|{_CLOCK.replace('P<', 'P<of_')})")
_NUMBER = re.compile(r"(?P<what>turn|t|line|byte|b|@)?\s*(?P<number>\d[\d,_]*)", re.IGNORECASE)
_STEP = re.compile(r"(?P<sign>[-+])(?P<count>\d{1,6})(?P<unit>[smhd])", re.IGNORECASE)
_DAY = 86_400
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": _DAY}


class Target(Enum):
    """Target of a jump."""

    TIME = "time"
    """The first activity at or after epoch second `number`."""
    LINE = "line"
    """Line of the log, from 1."""
    BYTE = "byte"
    """The record that holds this byte, from 0."""
    TURN = "turn"
    """Turn of the session, from 1."""


class Jump(Value):
    """Where to go, and how it was asked for; `daily` when no date was given with the time."""

    target: Target
    number: int
    text: str
    daily: bool = False

    def day_before(self) -> "Jump":
        return Jump(self.target, self.number - _DAY, self.text, self.daily)


_WORDS = {
    "": Target.LINE,
    "line": Target.LINE,
    "t": Target.TURN,
    "turn": Target.TURN,
    "b": Target.BYTE,
    "@": Target.BYTE,
    "byte": Target.BYTE,
}


def parse_jump(text: str, today: float) -> Jump | None:
    """The jump that a line asks for; None when it is none.

    A time without a date is of the local day of `today`, epoch seconds; `-5m` is so long before it.
    """
    text = text.strip().removeprefix(":").strip()
    if (step := _STEP.fullmatch(text)) is not None:
        seconds = int(step["count"]) * _UNITS[step["unit"].lower()]
        moment = today - seconds if step["sign"] == "-" else today + seconds
        return Jump(Target.TIME, int(moment), text)
    number = _NUMBER.fullmatch(text)
    if number is not None:
        target = _WORDS[(number["what"] or "").lower()]
        value = int(re.sub("[,_]", "", number["number"]))
        if value == 0 and target is not Target.BYTE:
            return None
        return Jump(target, value, text)
    found = _TIME.fullmatch(text)
    return _time_jump(found, text, today) if found is not None else None


def _time_jump(found: re.Match[str], text: str, today: float) -> Jump | None:
    parts = {name: int(value) for name, value in found.groupdict().items() if value}
    daily = "year" not in parts
    day = time.localtime(today)
    clock = [parts.get(f"of_{name}" if daily else name, 0) for name in ("hour", "minute", "second")]
    if clock[0] > 23 or clock[1] > 59 or clock[2] > 59:
        return None
    date = [day.tm_year, day.tm_mon, day.tm_mday]
    if not daily:
        date = [parts[name] for name in ("year", "month", "day")]
    if not (1 <= date[1] <= 12 and 1 <= date[2] <= 31):
        return None
    try:
        moment = time.mktime((date[0], date[1], date[2], clock[0], clock[1], clock[2], 0, 0, -1))
    except (OverflowError, ValueError):
        return None
    return Jump(Target.TIME, int(moment), text, daily)
