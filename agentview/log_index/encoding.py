"""Facts of records as bytes: a block of records, with a column for each field of an event."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any, cast

import msgspec
import zstandard

from agentview.domain.events import Facts, Rewind, Title, TitleSource, TokenUsage
from agentview.domain.index_entry import CallFact, EventFact, EventLinks, RecordFacts
from agentview.domain.session import Stream, StreamKind
from agentview.domain.usage import Usage

_LEVEL = 1
"""Of compression: a block is written once and takes no longer to read at higher levels."""
_MOST_UNPACKED = 256 * 1024 * 1024
_SPARSE = 0.5
"""A column with fewer values than this part of its rows keeps their places."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode
_new = cast("Callable[..., Any]", tuple[object, ...].__new__)

_DEFAULTS: tuple[object, ...] = tuple(
    EventFact._field_defaults.get(name, 0) for name in EventFact._fields
)

Fields = Sequence[Any]


def _usage_fields(value: TokenUsage) -> object:
    usage = value.usage
    counts = tuple(getattr(usage, name) for name in Usage.field_names)
    return (value.response_id, counts, value.model, value.total, value.cost)


def _usage_of(fields: Fields) -> TokenUsage:
    response, counts, model, total, cost = fields
    return TokenUsage(response, Usage(*counts), model, total, cost)


def _links_fields(value: EventLinks) -> object:
    rewinds = value.rewinds
    back = None if rewinds is None else tuple(getattr(rewinds, n) for n in Rewind.field_names)
    return (value.run, value.whole, value.amends, back)


def _links_of(fields: Fields) -> EventLinks:
    run, whole, amends, back = fields
    return EventLinks(run, whole, amends, None if back is None else Rewind(*back))


def _title_of(fields: Fields) -> Title:
    text, source, target = fields
    return Title(text, TitleSource(source), target)


def _stream_of(fields: Fields) -> Stream:
    kind, name = fields
    return Stream(StreamKind(kind), name)


def _facts_fields(value: Facts) -> object:
    return tuple(getattr(value, name) for name in Facts.field_names)


_OBJECTS: dict[str, tuple[Callable[[Any], object], Callable[[Fields], object]]] = {
    "stream": (lambda value: (value.kind, value.id), _stream_of),
    "child": (lambda value: (value.kind, value.id), _stream_of),
    "usage": (_usage_fields, _usage_of),
    "title": (lambda value: (value.text, value.source, value.target), _title_of),
    "facts": (_facts_fields, lambda fields: Facts(*fields)),
    "tie": (_links_fields, _links_of),
    "call": (tuple, lambda fields: CallFact(fields[0], tuple(fields[1]))),
}
"""Fields that are no plain values: to what is encoded, and back."""


def pack_records(records: Sequence[RecordFacts]) -> bytes:
    """The records as bytes. Raises ValueError for a value that the form cannot hold.

    Such are halves of characters, which UTF-8 does not have, and numbers above 64 bits.
    """
    events = [event for record in records for event in record.events]
    columns = [
        _column(name, default, values)
        for name, default, values in zip(
            EventFact._fields, _DEFAULTS, zip(*events, strict=True) if events else (), strict=False
        )
    ]
    places = (
        [record.offset for record in records],
        [record.length for record in records],
        [len(record.events) for record in records],
    )
    try:
        packed = _encode((places, columns))
    except (UnicodeEncodeError, OverflowError, TypeError) as error:
        raise ValueError(str(error)) from error
    return zstandard.ZstdCompressor(level=_LEVEL).compress(packed)


def unpack_records(data: bytes) -> list[RecordFacts]:
    """What `pack_records` made bytes of. Raises ValueError when they are anything else."""
    try:
        unpacked = zstandard.ZstdDecompressor().decompress(data, max_output_size=_MOST_UNPACKED)
        (offsets, lengths, counts), columns = _decode(unpacked)
        events = _events(columns, sum(counts))
        return [
            _new(RecordFacts, (offset, length, tuple(islice(events, count))))
            for offset, length, count in zip(offsets, lengths, counts, strict=True)
        ]
    except (zstandard.ZstdError, TypeError, IndexError, KeyError, OverflowError) as error:
        raise ValueError(str(error)) from error


def _events(columns: Sequence[Any], count: int) -> Iterator[EventFact]:
    if not count:
        return iter(())
    if len(columns) != len(EventFact._fields):
        raise ValueError("another form")
    values = [
        _values(name, default, column, count)
        for name, default, column in zip(EventFact._fields, _DEFAULTS, columns, strict=True)
    ]
    return map(_new, repeat(EventFact), zip(*values, strict=True))


def _column(name: str, default: object, values: Sequence[Any]) -> object:
    """A column: None where all have the default, else values, or places with their values.

    Objects are numbered from 1 in the order of their first use; 0 is none of them.
    """
    table: list[object] = []
    if name in _OBJECTS:
        values, table = _numbered(name, values)
        default = 0
    same = sum(value == default for value in values)
    if same == len(values):
        return None
    if same < len(values) * _SPARSE:
        return (None, values, table)
    places = [at for at, value in enumerate(values) if value != default]
    return (places, [values[at] for at in places], table)


def _numbered(name: str, values: Sequence[Hashable | None]) -> tuple[list[int], list[object]]:
    to_fields, _ = _OBJECTS[name]
    numbers: dict[Hashable, int] = {}
    found = [
        0 if value is None else numbers.setdefault(value, len(numbers) + 1) for value in values
    ]
    return found, [to_fields(value) for value in numbers]


def _values(name: str, default: object, column: Any, count: int) -> Iterable[object]:
    """A value for each of `count` events. Raises ValueError, TypeError and IndexError."""
    if column is None:
        return repeat(default, count)
    places, values, table = column
    if name in _OBJECTS:
        _, of_fields = _OBJECTS[name]
        made = [None, *map(of_fields, table)]
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
