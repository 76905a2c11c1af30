"""Names of record types: the values of the keys that name it, else the names of all keys."""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import orjson

from agentview.facts.accounting.map_keys import is_dynamic
from agentview.normalize.json_document import outer_members
from agentview.normalize.json_values import Fields, fields_of
from agentview.providers.base import RecordTypeKeys

_SHOWN_KEYS = 8
TEXT = "(text)"
"""Type of a record that is not JSON."""


def parse(record: bytes) -> object:
    """The JSON value of a record, also where it has words in front; None where it is none.

    Of what surrounds the list in a document it is the object without the list.
    """
    try:
        return orjson.loads(record)
    except ValueError:
        pass
    members = outer_members(record)
    if members is not None:
        return dict(members)
    start = record.find(b"{")
    try:
        return orjson.loads(record[start:]) if start > 0 else None
    except ValueError:
        return None


def record_type(value: object, record_type_keys: RecordTypeKeys) -> str:
    """Name of a record's type, such as `event_msg/token_count`; deterministic, never raises."""
    if not isinstance(value, dict):
        return TEXT if value is None else f"({type(value).__name__})"
    fields = cast("Fields", value)
    found = [
        name
        for steps in _steps(tuple(record_type_keys.types))
        if (name := _at(fields, steps)) is not None
    ]
    return "/".join(found) if found else _by_keys(fields, record_type_keys)


@lru_cache
def _steps(places: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(place.split("/")) for place in places)


@lru_cache(maxsize=4096)
def _is_name(name: str) -> bool:
    return not is_dynamic(name.replace("/", "_"))


def _at(fields: Fields, keys: Sequence[str]) -> str | None:
    name = _holder(fields, keys).get(keys[-1]) if len(keys) > 1 else fields.get(keys[0])
    return name if isinstance(name, str) and _is_name(name) else None


def _holder(fields: Fields, keys: Sequence[str]) -> Fields:
    for key in keys[:-1]:
        fields = fields_of(fields.get(key))
    return fields


def _by_keys(fields: Fields, record_type_keys: RecordTypeKeys) -> str:
    for place in record_type_keys.keys:
        keys = place.split("/")
        if keys[-1] in _holder(fields, keys):
            return f"{{{keys[-1]}}}"
    names = list(dict.fromkeys(sorted("*" if is_dynamic(key) else key for key in fields)))
    more = ", …" if len(names) > _SHOWN_KEYS else ""
    return f"{{{', '.join(names[:_SHOWN_KEYS])}{more}}}"
