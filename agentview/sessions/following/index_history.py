"""Reads a log backwards and joins it, in packets that another process takes over."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from agentview.domain.index_entry import RecordFacts
from agentview.errors import AgentViewError, Unreadable
from agentview.facts.kept.eviction import evict
from agentview.facts.kept.indexed_log import FIRST_BLOCK, facts_backward
from agentview.facts.kept.kept_rows import KeptRows, keep_rows
from agentview.providers import load_provider
from agentview.sessions.following.history_request import Request
from agentview.sources.file_stamp import Stamp, stamp_of
from agentview.sources.line_splitter import Line, cut_lines
from agentview.sources.lines import LineReader
from agentview.sources.member import is_member
from agentview.sources.open_file import read_at, read_span
from agentview.sources.resume_point import digest_of_log
from agentview.sources.reverse_lines import blocks_backward, growing_sizes
from agentview.system.workers.connection import Connection
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.packets import Keys, Packet
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.reducing import reduce_lines

BLOCK = 8 * 1024 * 1024
_LINES = 1024
"""Lines that are joined at a time."""


def read_history(request: Request, block_size: int = BLOCK) -> Iterator[Packet | Keys]:
    """Packets from the newest to the oldest, then the keys. Raises NotFound and Unreadable."""
    source = _Source(request)
    provider = load_provider(request.session.provider)
    assembler = Assembler.of(provider)
    last_lines = source.lines(request.tail)
    assembler.append(reduce_lines(request.session, last_lines))
    for start, records in source.facts_before(request.tail, block_size):
        known = [record for record in records if record.offset >= request.before]
        if known:
            # Another child has sent these, though its blocks may have begun elsewhere.
            assembler.prepend(known)
        change = assembler.prepend(records[: len(records) - len(known)])
        if start < request.before:
            yield assembler.packet(start, change)
        assembler.pack()
        # This block is not in memory while the next one is read.
        del records, known
    *keys, last = assembler.keys()
    yield from keys
    # Before the last message: whoever has it ends this process.
    if source.still_has(last_lines, request.tail):
        keys = [*keys, last]
        keep_rows(request.session, assembler, keys, request.end, request.whole, source.stamp)
    yield last


class _Source:
    """The records of a log up to the end of a request. Raises NotFound and Unreadable."""

    def __init__(self, request: Request) -> None:
        self._ref, self._end = request.session, request.end
        self._path = Path(request.session.path)
        self._document: list[Line] | None = None
        """All records, where the log is a document."""
        self._lines = request.lines
        self._whole = request.whole
        self.stamp: Stamp = None
        """The one that a document had before it was compared as a whole."""
        if request.whole is not None and request.lines is None:
            if not is_member(self._path):
                self.stamp = stamp_of(request.session.path)
            self._divide(*request.whole)

    def _divide(self, first: int, digest: bytes) -> None:
        if digest_of_log(self._path, first, self._end) != digest:
            raise Unreadable(f"{self._path} has changed.")
        reader = log_reader(load_provider(self._ref.provider), self._path)
        if not isinstance(reader, LineReader):
            found = [item for item in reader.poll().items if isinstance(item, Line)]
            self._document = [line for line in found if line.offset < self._end]

    def lines(self, start: int) -> Sequence[Line]:
        """Those from a byte on."""
        if self._document is not None:
            return [line for line in self._document if line.offset >= start]
        length = self._end - start
        if self._lines is not None:
            return cut_lines(read_span(self._lines, start, length), 0, start)
        return cut_lines(read_at(self._path, start, length), 0, start)

    def facts_before(self, end: int, block_size: int) -> Iterator[tuple[int, list[RecordFacts]]]:
        """Facts of those before a byte, the newest block first, with where each block begins."""
        if self._lines is not None:
            for part in blocks_backward(self._lines, end, block_size, first=FIRST_BLOCK):
                yield part.start, reduce_lines(self._ref, part.lines)
            return
        if self._document is None:
            yield from facts_backward(self._ref, end, block_size)
            return
        block: list[Line] = []
        sizes = growing_sizes(FIRST_BLOCK, block_size)
        size, wanted = 0, next(sizes)
        for line in reversed(self._document):
            if line.offset >= end:
                continue
            block.append(line)
            size += line.length
            if size >= wanted or line is self._document[0]:
                yield line.offset, reduce_lines(self._ref, block[::-1])
                block, size, wanted = [], 0, next(sizes)

    def still_has(self, lines: Sequence[Line], start: int) -> bool:
        try:
            if self._lines is not None and self._whole is not None:
                first, digest = self._whole
                return digest_of_log(self._path, first, self._end) == digest
            # One that was compared as a whole is no longer looked at.
            return self._whole is not None or self.lines(start) == lines
        except AgentViewError:
            return False


def extend_rows(request: Request) -> None:
    """Join what was written up to byte `end` since rows of the log were kept, and keep all.

    Raises NotFound and Unreadable.
    """
    first = None if request.whole is None else request.whole[0]
    source = _Source(request)
    kept = KeptRows.open(request.session, first)
    if kept is None:
        return
    assembler = Assembler.of(load_provider(request.session.provider))
    assembler.begin_absorbing(kept.rows_end)
    lines = source.lines(kept.end)
    for at in range(0, len(lines), _LINES):
        assembler.append(reduce_lines(request.session, lines[at : at + _LINES]))
    assembler.absorb(kept.packet(0))
    for part in kept.keys(0):
        assembler.absorb_keys(part)
    if KeptRows.open(request.session, first) is not None:
        # It is still the log that was read.
        keys = list(assembler.keys())
        keep_rows(request.session, assembler, keys, request.end, request.whole, source.stamp)


def serve(connection: Connection) -> None:
    """Answer one request with packets and keys.

    The last message of a log that cannot be read on is the sentence of the error.
    """
    # What is made here goes with its last reference; looking for cycles takes as long as the work.
    gc.disable()
    try:
        for message in read_history(connection.receive()):
            connection.send(message)
    except AgentViewError as error:
        connection.send(error.message)


def extend(connection: Connection) -> None:
    """Extend the kept rows of the log of one request, and answer when that is done."""
    gc.disable()
    with suppress(AgentViewError, ValueError):
        extend_rows(connection.receive())
    evict()
    connection.send(None)
