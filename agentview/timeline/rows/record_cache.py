"""Decoded records of one log, read again at their places; as many as were used last."""

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from agentview.domain.events import Event, Unparsed
from agentview.domain.index_entry import LightEvent, event_of
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers.base import Light, Provider
from agentview.sources.line_splitter import DEFAULT_LIMIT, Line
from agentview.sources.open_file import read_at, read_block
from agentview.timeline.rows.reading import oversize_event

CACHED_RECORDS = 2000
CACHED_BYTES = 16 * 1024 * 1024
"""Bytes of the records as they are written; decoded they take more."""

_FIRST_RECORDS = 8_000
"""Records that are kept as they were read first: 2 kB each with what they are made of."""

FRESH_LINES = 256
FRESH_BYTES = 256 * 1024
"""How much is kept as read of what was appended last: most of it is shown, if at all, soon."""

_BLOCK = 64 * 1024
"""Bytes that are read at a time: most records are shown next to others."""
_BLOCKS = 2


class RecordCache:
    """Events of records by their places, whose bodies are made when somebody asks for them.

    What cannot be read is an event that says so.
    """

    def __init__(self, provider: Provider, session: SessionRef) -> None:
        self._provider = provider
        self._session = session.log
        # Made once: making it takes longer than opening the file.
        self._path = Path(self._session.path)
        self._records: OrderedDict[int, tuple[int, Sequence[LightEvent]]] = OrderedDict()
        self._bytes = 0
        self._first: dict[int, Sequence[LightEvent]] = {}
        """Events of the first records, until they are asked for."""
        self._first_bytes = 0
        self._fresh: OrderedDict[int, bytes] = OrderedDict()
        self._fresh_bytes = 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        """The blocks of the log that were read last, by their numbers."""
        self.decoded = 0
        """How many records were decoded so far."""

    @cached_property
    def _light(self) -> Light:
        # What reads records is imported with the first one.
        return self._provider.light

    def event(self, offset: int, length: int, sub: int) -> Event:
        """Event number `sub` of the record at a place."""
        events = self.record(offset, length)
        if sub < len(events):
            return event_of(events[sub])
        return self._gone(offset, length, "the file has changed since it was read")

    def keep_first(self, line: Line, events: Sequence[LightEvent]) -> bool:
        """Keep the events of a line, as it was read first, until they are asked for once.

        False if there are enough: who reads a log goes through it from its start.
        """
        if self._first_bytes >= CACHED_BYTES or len(self._first) >= _FIRST_RECORDS:
            return False
        self._first[line.offset] = events
        self._first_bytes += line.length
        return True

    def keep_fresh(self, line: Line) -> None:
        """Keep the bytes of a line that was just read, until it is shown or others came."""
        if line.data is None:
            return
        self._drop_fresh(line.offset)
        self._fresh[line.offset] = line.data
        self._fresh_bytes += line.length
        while len(self._fresh) > FRESH_LINES or self._fresh_bytes > FRESH_BYTES:
            self._drop_fresh(next(iter(self._fresh)))

    def remember(self, offset: int, length: int, events: Sequence[LightEvent]) -> None:
        """Keep the events of a record that was decoded already, for when it is shown."""
        if offset in self._records:
            self._forget(offset)
        self._records[offset] = (length, events)
        self._bytes += length
        while len(self._records) > CACHED_RECORDS or self._bytes > CACHED_BYTES:
            self._forget(next(iter(self._records)))

    def move(self, session: SessionRef) -> None:
        """Read from the log of `session` from now on: the same bytes at another path."""
        self._session = session.log
        self._path = Path(self._session.path)
        self.clear()

    def clear(self) -> None:
        """Forget everything: the file is another one."""
        self._records.clear()
        self._first.clear()
        self._fresh.clear()
        self._blocks.clear()
        self._bytes = self._first_bytes = self._fresh_bytes = 0

    def record(self, offset: int, length: int) -> Sequence[LightEvent]:
        """All events of the record at a place, at least one."""
        known = self._records.get(offset)
        if known is not None:
            self._records.move_to_end(offset)
            return known[1]
        first = self._first.pop(offset, None)
        if first is not None:
            self.remember(offset, length, first)
            return first
        source = SourceRef(self._session.path, offset, length)
        try:
            if length > DEFAULT_LIMIT:
                head = read_at(self._path, offset, 256)
                return [oversize_event(self._session, source, head)]
            record = self._drop_fresh(offset) or self._read(offset, length)
        except AgentViewError as error:
            return [self._gone(offset, length, str(error))]
        events = self._light(record, source, self._session)
        self.decoded += 1
        self.remember(offset, length, events)
        return events

    def _read(self, offset: int, length: int) -> bytes:
        """The bytes of a record. Raises NotFound and Unreadable."""
        number, at = divmod(offset, _BLOCK)
        if length > _BLOCK:
            return read_at(self._path, offset, length)
        data = self._block(number, at + length)[at : at + length]
        left = at + length - _BLOCK
        if left > 0:
            data += self._block(number + 1, left)[:left]
        return data if len(data) == length else read_at(self._path, offset, length)

    def _block(self, number: int, length: int) -> bytes:
        """A block of the log, with its first `length` bytes where the log has them."""
        block = self._blocks.get(number, b"")
        if len(block) < min(length, _BLOCK):
            # It was not read, or the log has grown.
            block = self._blocks[number] = read_block(self._path, number * _BLOCK, _BLOCK)
            if len(self._blocks) > _BLOCKS:
                self._blocks.popitem(last=False)
        return block

    def _drop_fresh(self, offset: int) -> bytes | None:
        data = self._fresh.pop(offset, None)
        self._fresh_bytes -= len(data or b"")
        return data

    def _forget(self, offset: int) -> None:
        length, _ = self._records.pop(offset)
        self._bytes -= length

    def _gone(self, offset: int, length: int, reason: str) -> Event:
        return Event(
            suffix="gone",
            session_id=self._session.session_id,
            source=SourceRef(self._session.path, offset, length),
            body=Unparsed(reason, excerpt=""),
            stream=self._session.stream,
        )
