"""Facts of records as bytes: a block of records, with a column for each field of an event."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice, repeat
from typing import Any, cast

import msgspec
from msgspec.structs import astuple, fields

from agentview.domain.events import Facts, Rewind, Title, TitleSource, TokenUsage
from agentview.domain.index_entry import (
    FACTS,
    CallFact,
    EventFact,
    EventLinks,
    RecordFacts,
    facts_of,
)
from agentview.domain.session import Stream, StreamKind
from agentview.domain.usage import Usage
from agentview.domain.usage_limit import UsageLimit
from agentview.system import zstd
from agentview.timeline.rows.token_totals import PriceTier

_LEVEL = 1
"""Of compression: a block is written once and takes no longer to read at higher levels."""
_MOST_UNPACKED = 256 * 1024 * 1024
_SPARSE = 0.5
"""A column with fewer values than this part of its rows keeps their places."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode

_DEFAULTS: tuple[object, ...] = tuple(
    0 if field.required else field.default for field in fields(EventFact)[: len(FACTS)]
)

_CLASSES: tuple[type, ...] = (
    Stream, TokenUsage, Usage, Title, Facts, EventLinks, Rewind, CallFact, UsageLimit, StreamKind,
    TitleSource, PriceTier,
)  # fmt: skip
"""Classes in facts and rows besides plain values, by number."""
_NUMBERS = {each: number for number, each in enumerate(_CLASSES)}
_TUPLE = len(_CLASSES)
_OBJECTS = frozenset({"stream", "child", "usage", "title", "facts", "tie", "call"})
"""Fields of an event whose values are such objects."""


def _plain(value: Any) -> object:
    """An object as a list: the number of its class, then its fields; other values as they are.

    Raises KeyError for an object of another class.
    """
    if value is None or type(value) in (str, int, float, bool, bytes):
        return value
    if type(value) is tuple:
        return [_TUPLE, *map(_plain, cast("tuple[object, ...]", value))]
    number = _NUMBERS[type(value)]
    if isinstance(value, StrEnum):
        return [number, value.value]
    return [number, *map(_plain, astuple(value))]


def _object(plain: Any) -> Any:
    """Return the object of a list that `_plain` made. Raises IndexError and TypeError else."""
    if type(plain) is not list:
        return plain
    number, *fields = cast("list[Any]", plain)
    if number == _TUPLE:
        return (*map(_object, fields),)
    make = cast("Callable[..., Any]", _CLASSES[number])
    return make(*map(_object, fields))


def pack_records(records: Sequence[RecordFacts]) -> bytes:
    """The records as bytes. Raises ValueError for a value that the form cannot hold.

    Such are halves of characters, which UTF-8 does not have, and numbers above 64 bits.
    """
    events = [event for record in records for event in record.events]
    values = zip(*map(facts_of, events), strict=True)
    places = (
        [record.offset for record in records],
        [record.length for record in records],
        [len(record.events) for record in records],
    )
    try:
        columns = [
            _column(name, default, column)
            for name, default, column in zip(FACTS, _DEFAULTS, values, strict=False)
        ]
        packed = _encode((places, columns))
    except (UnicodeEncodeError, OverflowError, TypeError, KeyError) as error:
        raise ValueError(str(error)) from error
    return zstd.packed(packed, _LEVEL)


def pack_value(value: object) -> bytes:
    """A tuple of values as bytes. Raises ValueError for a value that the form cannot hold."""
    try:
        packed = _encode(_plain(value))
    except (UnicodeEncodeError, OverflowError, TypeError, KeyError) as error:
        raise ValueError(str(error)) from error
    return zstd.packed(packed, _LEVEL)


def unpack_value(data: bytes) -> object:
    """Return the value from the bytes of `pack_value`. Raises ValueError for any other bytes."""
    try:
        return _object(_decode(_unpacked(data)))
    except (zstd.ZstdError, TypeError, IndexError, KeyError) as error:
        raise ValueError(str(error)) from error


def _unpacked(data: bytes) -> bytes:
    return zstd.unpacked(data, _MOST_UNPACKED)


def unpack_records(data: bytes) -> list[RecordFacts]:
    """Return the records from bytes of `pack_records`. Raises ValueError for any other bytes."""
    try:
        (offsets, lengths, counts), columns = _decode(_unpacked(data))
        events = _events(columns, sum(counts))
        return [
            RecordFacts(offset, length, tuple(islice(events, count)))
            for offset, length, count in zip(offsets, lengths, counts, strict=True)
        ]
    except (zstd.ZstdError, TypeError, IndexError, KeyError, OverflowError) as error:
        raise ValueError(str(error)) from error


def _events(columns: Sequence[Any], count: int) -> Iterator[EventFact]:
    if not count:
        return iter(())
    if len(columns) != len(FACTS):
        raise ValueError("another form")
    values = [
        _values(name, default, column, count)
        for name, default, column in zip(FACTS, _DEFAULTS, columns, strict=True)
    ]
    return map(EventFact, *values)


def _column(name: str, default: object, values: Sequence[Any]) -> object:
    """A column: None where all have the default, else values, or places with their values.

    Objects are numbered from 1 in the order of their first use; 0 is none of them.
    """
    table: list[object] = []
    if name in _OBJECTS:
        values, table = _numbered(values)
        default = 0
    same = sum(value == default for value in values)
    if same == len(values):
        return None
    if same < len(values) * _SPARSE:
        return (None, values, table)
    places = [at for at, value in enumerate(values) if value != default]
    return (places, [values[at] for at in places], table)


def _numbered(values: Sequence[Hashable | None]) -> tuple[list[int], list[object]]:
    numbers: dict[Hashable, int] = {}
    found = [
        0 if value is None else numbers.setdefault(value, len(numbers) + 1) for value in values
    ]
    return found, [_plain(value) for value in numbers]


def _values(name: str, default: object, column: Any, count: int) -> Iterable[object]:
    """A value for each of `count` events. Raises ValueError, TypeError and IndexError."""
    if column is None:
        return repeat(default, count)
    places, values, table = column
    if name in _OBJECTS:
        made = [None, *map(_object, table)]
        values = [made[number] for number in values]
        default = None
    if places is None:
        if len(values) != count:
            raise ValueError("another number of events")
        return values
    found = [default] * count
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return found
