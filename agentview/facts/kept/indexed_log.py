"""The facts of a log in file order: those that were kept first, the others as they are read."""

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Protocol, Self

from msgspec.structs import astuple

from agentview.domain.events import Event
from agentview.domain.index_entry import RecordFacts
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.kept.encoding import pack_records
from agentview.facts.kept.index_file import (
    Block,
    IndexFile,
    LogKey,
    NewBlock,
    create,
)
from agentview.facts.kept.rules import rules_of
from agentview.providers import load_provider
from agentview.sources.file_stamp import is_recent, stamp_of
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Chunk, LineReader, LogReader
from agentview.sources.member import is_member
from agentview.sources.open_file import open_file
from agentview.sources.resume_point import take_mark
from agentview.sources.reverse_lines import blocks_backward
from agentview.sources.seek import line_start
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.reducing import Keep, reduce_decoded, reduce_lines

LEAST = 1024 * 1024
"""Bytes from which records of a log are kept: a smaller one is read in 4 to 35 ms."""
_BLOCK_BYTES = 8 * 1024 * 1024
"""Bytes of a log whose facts are one block."""
_BLOCK_RECORDS = 8192
FIRST_BLOCK = 128 * 1024
"""Bytes of a log whose facts are given first, backwards; each next block is twice as large."""
_LEAST_ADDED = 64 * 1024
"""Bytes that a log must have grown by before its new facts are added while it is written."""
QUIET = 60.0
"""Seconds without a write after which all new facts of a log are added."""


class FactsChunk(Value):
    """The facts that one look at a log gave.

    `reset`: all that was given before is void. `more`: there is more to be had at once.
    """

    records: list[RecordFacts]
    reset: bool = False
    more: bool = False


class Collector(Protocol):
    """Takes the events of the records that are read, so that nobody has to read them again."""

    def begin(self, at: int | None) -> None:
        """Records from byte `at` on follow, in file order; what comes before is not read again.

        None: none follow, all are kept. Called again when the log turns out to be another one.
        """
        ...

    def take(self, line: Line, events: Sequence[Event]) -> None: ...

    def take_torn(self, line: Line, events: Sequence[Event]) -> None:
        """Take those of a last line without its end, whatever it holds."""
        ...

    def reached(self, at: int | None) -> None:
        """All records up to byte `at` were given; None: all of a log that is read as a whole."""
        ...


class IndexedLog:
    """The records of one log, each once. What was read is kept by `keep` and `close`.

    Only files of lines are kept while they grow. The facts of a database, a directory, a document
    or a packed file hold as long as it does not change. A `collector` gets the events of what is
    read: one scan serves all. With `for_rows` the facts are for rows, which are decoded again at
    their places: what is not kept is read as quickly as can be, and not kept then. Those of a
    database or directory are not used for it: its records are at other places each time.
    """

    def __init__(
        self,
        ref: SessionRef,
        collector: Collector | None = None,
        *,
        for_rows: bool = False,
        keep: Keep | None = None,
    ) -> None:
        """`keep` gets the light events of the lines that are read for rows, the first ones."""
        self._ref = ref
        self._for_rows = for_rows
        self._keep_light = keep
        # Of a stream in a shared log the events are not its own alone.
        self._collector = None if ref.shared else collector
        self._path = Path(ref.path)
        self._provider = load_provider(ref.provider)
        self._kept: IndexFile | None = None
        self._blocks: list[Block] = []
        """Those that were not given yet, the next one last."""
        self._reader: LogReader | None = None
        self._key: LogKey | None = None
        """Under which new facts are kept; None when none are."""
        self._whole: tuple[int, ...] = ()
        """The stamp of a log of which all facts are kept, as long as it is not opened."""
        self._fresh: list[RecordFacts] = []
        """Facts that were read and are in no block yet."""
        self._ready: list[NewBlock] = []
        self._end = 0
        """The byte up to which facts were kept, or are in `_ready`."""
        self._given = self._complete = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def skip_kept(self) -> None:
        """Read on behind what is kept. Raises Unreadable."""
        if self._reader is None and not self._blocks:
            self._open()
        if self._blocks:
            self._blocks, self._given = [], True

    def poll(self) -> FactsChunk:
        """The next facts. Raises Unreadable when the log is there but cannot be read."""
        if self._reader is None and not self._blocks and not self._given:
            self._open()
        if self._kept is not None and self._blocks:
            return self._poll_kept(self._kept)
        reader = self._reader
        if reader is None:
            if _stamp(self._ref.path) == self._whole:
                return FactsChunk([])
            reader = self._reader_of_grown()
            if reader is None:
                reader = self._reader = log_reader(self._provider, self._path)
                self._begin_again()
                return self._take(reader.poll(), reset=True)
        return self._take(reader.poll())

    def finish(self) -> list[RecordFacts]:
        """The last record, where it is whole though its line has no end; it is not kept."""
        lines = [] if self._reader is None else self._reader.finish()
        return self._last(lines, torn=False)

    def finish_torn(self) -> list[RecordFacts]:
        """The last record without the end of its line, whatever it holds; it is not kept."""
        lines = [] if self._reader is None else self._reader.finish_torn()
        return self._last(lines, torn=True)

    def _last(self, lines: Sequence[Line], *, torn: bool) -> list[RecordFacts]:
        if lines:
            # The reader does not give it again when its line ends: what follows is not kept.
            self.close()
        return self._reduced(lines, torn=torn)

    def _reduced(self, lines: Sequence[Line], *, torn: bool = False) -> list[RecordFacts]:
        collector = self._collector
        if collector is None:
            # Records of other sources may be at other places the next time.
            keep = self._keep_light if isinstance(self._reader, LineReader) else None
            return reduce_lines(self._ref, lines, calls=not self._for_rows, keep=keep)
        take = collector.take_torn if torn else collector.take
        return reduce_decoded(self._ref, lines, take)

    def keep(self) -> None:
        """Keep what was read, if it is enough, or complete; reading may continue."""
        if self._for_rows:
            return
        try:
            self._keep()
        except (OSError, AgentViewError):
            self._key = None

    def close(self) -> None:
        """Keep what was read; nothing that is read from now on."""
        self.keep()
        self._key = None

    def _open(self) -> None:
        """Find what is kept of the log, else begin to read it. Raises Unreadable."""
        self._open_kept()
        if self._collector is not None:
            self._collector.begin(None if self._reader is None else self._end)

    def _open_kept(self) -> None:
        stamp = stamp_of(self._ref.path)
        if stamp is not None and stamp.size < LEAST:
            self._reader = log_reader(self._provider, self._path)
            return
        if not self._for_rows and self._is_kept_whole():
            return
        self._open_log()

    def _open_log(self) -> None:
        reader = log_reader(self._provider, self._path)
        if self._for_rows and is_member(self._path):
            self._reader = reader
            return
        try:
            fd, status = open_file(self._path)
        except AgentViewError:
            self._reader = reader
            return
        try:
            self._key = key_of(self._ref, status, lines=isinstance(reader, LineReader))
            self._kept = None if self._key is None else IndexFile.open(self._key, fd)
            if self._key is None or self._kept is None:
                self._reader = reader
                return
            self._blocks = [*reversed(self._kept.blocks)]
            self._end = self._kept.end
            if not self._key.stamp:
                self._reader = LineReader(self._path, mark=take_mark(fd, status, self._end))
            else:
                self._whole = self._key.stamp
        finally:
            os.close(fd)

    def _is_kept_whole(self) -> bool:
        """Use the facts of a log of which all are kept and whose stamp is the same, unopened."""
        key = key_of(self._ref, None, lines=True)
        if key is None or is_recent(key.modified):
            return False
        self._kept = IndexFile.open_whole(key)
        if self._kept is None:
            return False
        self._key, self._whole = self._kept.key, key.stamp
        self._blocks = [*reversed(self._kept.blocks)]
        self._end = self._kept.end
        return True

    def _reader_of_grown(self) -> LogReader | None:
        """Return a reader of a log of lines behind its kept facts; None if it is another log.

        Raises Unreadable.
        """
        if self._key is None or self._key.stamp:
            return None
        end, self._whole = self._end, ()
        self._open_log()
        if self._kept is None or self._end != end:
            return None
        self._blocks = []
        return self._reader

    def _poll_kept(self, kept: IndexFile) -> FactsChunk:
        try:
            records = kept.read(self._blocks.pop())
        except ValueError:
            self._reader = log_reader(self._provider, self._path)
            self._begin_again()
            return FactsChunk([], reset=self._given, more=True)
        self._given = True
        return FactsChunk(records, more=bool(self._blocks) or self._reader is not None)

    def _begin_again(self) -> None:
        self._kept, self._key = None, None
        self._blocks, self._fresh, self._ready = [], [], []
        self._end, self._whole = 0, ()
        if self._collector is not None:
            self._collector.begin(0)

    def _take(self, chunk: Chunk, *, reset: bool = False) -> FactsChunk:
        lines: list[Line] = []
        for item in chunk.items:
            if isinstance(item, Line):
                lines.append(item)
            else:
                lines.clear()
                reset = reset or self._given
                self._begin_again()
        records = self._reduced(lines)
        self._given = self._given or bool(records)
        self._complete = not chunk.more
        self._report_reached(records)
        if self._key is not None and not self._for_rows:
            self._fresh += records
            if len(self._fresh) >= _BLOCK_RECORDS or _span(self._fresh) >= _BLOCK_BYTES:
                self._pack(records[-1].offset + records[-1].length if self._key.stamp else None)
        return FactsChunk(records, reset, chunk.more)

    def _report_reached(self, records: Sequence[RecordFacts]) -> None:
        if self._collector is None:
            return
        if isinstance(self._reader, LineReader):
            if records:
                self._collector.reached(records[-1].offset + records[-1].length)
        elif self._complete:
            self._collector.reached(None)

    def _pack(self, end: int | None) -> None:
        """Make a block of the fresh facts, which end at a byte, else where the last line begins.

        The last record waits for the next one: where that begins is known then.
        """
        held = [] if end is not None else self._fresh[-1:]
        facts = self._fresh[: len(self._fresh) - len(held)]
        if not facts:
            return
        at = held[0].offset if end is None else end
        try:
            self._ready.append(NewBlock(self._end, at, pack_records(facts)))
        except ValueError:
            self._key = None
            return
        self._fresh, self._end = held, at

    def _keep(self) -> None:
        """Write what was read. Raises OSError and AgentViewError."""
        key = self._key
        if key is None or not self._is_enough(key):
            return
        fd, status = open_file(self._path)
        try:
            lines = isinstance(self._reader, LineReader)
            if key_of(self._ref, status, lines=lines) != key:
                return
            if key.stamp and self._fresh:
                self._pack(max(record.offset + record.length for record in self._fresh))
            elif self._fresh:
                self._pack_rest(line_start(fd, _position(self._reader)))
            if not self._ready or self._key is None:
                return
            if self._kept is None:
                create(key, self._ready, fd)
            else:
                self._kept.add(self._ready, fd)
            self._kept, self._ready = IndexFile.open(key, fd), []
            if self._kept is None or self._kept.end != self._end:
                self._key = None
        finally:
            os.close(fd)

    def _is_enough(self, key: LogKey) -> bool:
        """True if something was read that is worth a write. A log is not opened to find out."""
        if not self._fresh and not self._ready:
            return False
        if not self._ready and self._fresh[-1].offset + self._fresh[-1].length < LEAST:
            return False
        if key.stamp:
            return self._complete
        return (
            self._kept is None
            or _position(self._reader) - self._kept.end >= _LEAST_ADDED
            or self._is_quiet()
        )

    def _is_quiet(self) -> bool:
        stamp = stamp_of(self._ref.path)
        return stamp is not None and not is_recent(stamp.modified, QUIET)

    def _pack_rest(self, end: int) -> None:
        """Make a block of the facts of all lines that end before a byte."""
        self._fresh = [record for record in self._fresh if record.offset < end]
        if self._fresh:
            self._pack(end)


def facts_backward(
    ref: SessionRef, end: int, block_size: int
) -> Iterator[tuple[int, list[RecordFacts]]]:
    """Facts of all records of a file of lines that begin before byte `end`, the newest block first.

    Each block is in file order and comes with the byte at which it begins; what is kept is not
    read again. Raises NotFound, and Unreadable when the log is cut meanwhile.
    """
    fd, status = open_file(Path(ref.path))
    try:
        key = key_of(ref, status, lines=True)
        kept = None if key is None or key.stamp else IndexFile.open(key, fd)
        blocks = [] if kept is None else [block for block in kept.blocks if block.start < end]
        if kept is None or not blocks:
            yield from _read_backward(ref, fd, 0, end, block_size)
            return
        yield from _read_backward(ref, fd, blocks[-1].end, end, block_size)
        for block in reversed(blocks):
            try:
                records = kept.read(block)
            except ValueError:
                yield from _read_backward(ref, fd, 0, min(block.end, end), block_size)
                return
            yield block.start, [record for record in records if record.offset < end]
    finally:
        os.close(fd)


def _read_backward(
    ref: SessionRef, fd: int, start: int, end: int, block_size: int
) -> Iterator[tuple[int, list[RecordFacts]]]:
    for block in blocks_backward(fd, end, block_size, start=start, first=FIRST_BLOCK):
        yield block.start, _reduced(ref, block.lines)


def _reduced(ref: SessionRef, lines: list[Line]) -> list[RecordFacts]:
    """Facts of lines, which are forgotten: nobody holds their bytes while others are read."""
    records = reduce_lines(ref, lines)
    lines.clear()
    return records


def _position(reader: LogReader | None) -> int:
    return reader.position if isinstance(reader, LineReader) else 0


def _span(records: Sequence[RecordFacts]) -> int:
    return records[-1].offset + records[-1].length - records[0].offset if records else 0


def _stamp(path: str) -> tuple[int, ...]:
    stamp = stamp_of(path)
    return () if stamp is None else astuple(stamp)


def key_of(
    ref: SessionRef, status: os.stat_result | None, *, lines: bool, holds: str = ""
) -> LogKey | None:
    """The key of the facts of a log, which is read as `lines`; None where none are kept.

    `status` is that of the open log; None for one that is not a file. `holds` says what is kept
    instead of facts.
    """
    stamp, rules = stamp_of(ref.path), rules_of(ref.provider)
    if stamp is None or rules is None or ref.shared:
        return None
    session = (
        ref.provider, ref.session_id, ref.stream.kind, ref.stream.id, ref.parent_id,
        ref.own_from, ref.spent_before, ref.parts, ref.run, sorted(ref.records),
    )  # fmt: skip
    grows = lines and status is not None and stamp.file == (status.st_dev, status.st_ino)
    whole = () if grows else astuple(stamp)
    return LogKey(ref.path, _digest(session), rules, *stamp.file, holds=holds, stamp=whole)


def _digest(of: object) -> str:
    text = repr(of).encode("utf-8", "backslashreplace")
    return blake2b(text, digest_size=16).hexdigest()
