"""Strict access to the values of a record: what is of another type counts as missing.

Only a number may be written as text: clients and their versions differ in that.
"""

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, tzinfo
from typing import TypeVar, cast

Fields = Mapping[str, object]

AROUND_RECORD = b"\x00 \t\r\x1e,"
"""Bytes around the record on a line: a comma of a list, the mark of a JSON sequence."""

_NOTHING: Fields = {}


def fields_of(value: object) -> Fields:
    """The value when it is an object, else an empty one."""
    return cast("Fields", value) if isinstance(value, dict) else _NOTHING


def items_of(value: object) -> list[object]:
    """The value when it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def parts_of(content: object) -> list[object]:
    """The parts of a content; a text by itself is one part, as in APIs that have both forms."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return items_of(content)


def said_in(content: object) -> str | None:
    """The text of a content that is one text, or a list of nothing but texts; else None."""
    if isinstance(content, str):
        return content
    texts = [fields_of(part).get("text") for part in items_of(content)]
    words = [text for text in texts if isinstance(text, str)]
    return "\n".join(words) if words and len(words) == len(texts) else None


Default = TypeVar("Default")


def text_of(value: object) -> str | None:
    """The value when it is a text with something in it."""
    return value if isinstance(value, str) and value else None


def call_id_of(value: object, default: Default) -> str | Default:
    """The id of a call as it is recorded, also an empty one; `default` where there is none."""
    return value if isinstance(value, str) else default


def changed(fields: Fields, values: Fields) -> Fields:
    """A copy of an object with other values for some keys, or more keys.

    Unlike one made with `**` it still notes which keys are read, where the object does.
    """
    made = cast("dict[str, object]", fields).copy()
    made.update(values)
    return made


def without(fields: Fields, keys: Collection[str]) -> Fields:
    """A copy of an object without some keys; see `changed`."""
    made = cast("dict[str, object]", fields).copy()
    for key in keys:
        made.pop(key, None)
    return made


_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?")


_ENDLESS = 2**63


def _number(value: object) -> int | float | None:
    """A number, also one written as text; a truth value is none."""
    if isinstance(value, str) and _NUMBER.fullmatch(value) is not None:
        value = float(value) if "." in value else int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def whole_of(value: object) -> int | None:
    """The value when it is a number, also one written as text, without its fraction."""
    if type(value) is int and -_ENDLESS < value < _ENDLESS:
        # Nearly all are.
        return value
    number = _number(value)
    return int(number) if number is not None and abs(number) < _ENDLESS else None


def real_of(value: object) -> float | None:
    """The value when it is a number, also one written as text."""
    number = _number(value)
    return float(number) if number is not None and abs(number) < 1e18 else None


def seconds_of(milliseconds: object) -> float | None:
    """Milliseconds as seconds, None when it is not a number."""
    number = real_of(milliseconds)
    return number / 1000 if number is not None else None


def text_time_of(value: object) -> float | None:
    """Epoch seconds of an ISO 8601 text, without a zone taken as UTC; None for anything else."""
    return _moment(value, UTC)


def time_of(value: object) -> float | None:
    """Epoch seconds of a time in any form that clients write; None for anything else.

    An ISO 8601 text without a zone is taken as UTC. A number, which may be written as text, counts
    seconds, or milliseconds, microseconds or nanoseconds: its size says which, since no log is from
    before 1973.
    """
    if type(value) is int and _LATEST <= value < _LATEST * 1000:
        # Nearly all whole numbers count milliseconds,
        return value / 1000
    if type(value) is float and _EARLIEST <= value < _LATEST:
        # nearly all others seconds,
        return value
    try:
        # and nearly all texts say their zone.
        moment = _of_text(cast("str", value))
        if moment.tzinfo is not None:
            return moment.timestamp()
    except (TypeError, ValueError, OverflowError):
        pass
    return _time(value, UTC)


_of_text = datetime.fromisoformat


def local_time_of(value: object) -> float | None:
    """Like `time_of`, for clients that write the time of their machine without its zone.

    It is taken as that of this machine.
    """
    return _time(value, None)


def _time(value: object, zone: tzinfo | None) -> float | None:
    moment = _moment(value, zone)
    number = _number(value) if moment is None else None
    if number is None or not _EARLIEST <= number < _MOST:
        return moment
    while number >= _LATEST:
        number /= 1000
    return float(number)


_EARLIEST, _LATEST = 1e8, 1e11
"""The range of numbers that count seconds: from 1973 to the year 5138."""
_MOST = _LATEST * 1e9


def _moment(value: object, zone: tzinfo | None) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None and zone is not None:
            moment = moment.replace(tzinfo=zone)
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):
        return None
