"""Strict access to the values of a record: what is of another type counts as missing."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, tzinfo
from typing import cast

Fields = Mapping[str, object]

_NOTHING: Fields = {}


def fields_of(value: object) -> Fields:
    """The value when it is an object, else an empty one."""
    return cast("Fields", value) if isinstance(value, dict) else _NOTHING


def items_of(value: object) -> list[object]:
    """The value when it is a list, else an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []


def text_of(value: object) -> str | None:
    """The value when it is a text with something in it."""
    return value if isinstance(value, str) and value else None


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


def whole_of(value: object) -> int | None:
    """The value when it is a whole number; a truth value is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) < 2**63 else None


def real_of(value: object) -> float | None:
    """The value when it is a number; a truth value is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e18 else None


def seconds_of(milliseconds: object) -> float | None:
    """Milliseconds as seconds, None when it is not a number."""
    number = real_of(milliseconds)
    return number / 1000 if number is not None else None


def text_time_of(value: object) -> float | None:
    """Epoch seconds of an ISO 8601 text, without a zone taken as UTC; None for anything else."""
    return _moment(value, UTC)


def local_time_of(value: object) -> float | None:
    """Like `text_time_of`, for clients that write the time of their machine without its zone.

    It is taken as that of this machine.
    """
    return _moment(value, None)


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


def time_of(value: object) -> float | None:
    """Epoch seconds of an ISO 8601 text or of epoch milliseconds; None for anything else."""
    if isinstance(value, str):
        return text_time_of(value)
    number = seconds_of(value)
    return number if number is not None and 0 < number < 1e11 else None
