"""Reads one log into a store: its end at once, what is before it, then what is appended."""

import asyncio
import ctypes
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.index_entry import RecordFacts
from agentview.domain.session import SessionInfo, SessionRef
from agentview.errors import AgentViewError, NotFound, NotRegular, Unreadable
from agentview.providers.base import Provider
from agentview.sessions.following.background_index import (
    SLICE,
    SMALL,
    facts_backward,
    packets_backward,
)
from agentview.sources.file_stamp import Stamp, stamp_of
from agentview.sources.files import END_BYTES
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Chunk, Item, LineReader, LogReader, Reset
from agentview.sources.member import is_member, log_stat
from agentview.sources.open_file import open_file
from agentview.sources.reverse_lines import Tail, tail_lines
from agentview.timeline.rows.packets import Packet
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.record_cache import FRESH_LINES
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_refresh import SessionRefresher
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.rows.session_summary import Summary
from agentview.timeline.view.header import ABSENT, LogPresence


def give_back() -> None:
    """Give back what is free; nothing where the C library has no call for it.

    What a child hands over comes in messages between which arrays are made that stay: without this
    the room of the messages stays too.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)


BATCH_LINES = 32
BATCH_BYTES = 64 * 1024
"""Bytes read between two looks at the clock."""


def batches(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines in their order, as many at a time as take a millisecond or so."""
    batch: list[Line] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += line.length
        if len(batch) == BATCH_LINES or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


TAIL_LINES = 120
TAIL_BYTES = 1024 * 1024
"""Bytes read before the first frame."""

QUIET = 5.0
"""Seconds without a write after which a last line without its newline is taken as torn."""

PROGRESS = 0.2
"""Seconds between frames that show how far a log has been read, at least."""

SETTLE = 0.05
"""Seconds between two looks at a document that is being written."""

PREPEND_ROWS = 512
"""Records put in front at a time, so that the event loop is not held."""


class MetadataRefresher:
    """Reads the metadata again until it is complete."""

    def __init__(self, provider: Provider, ref: SessionRef) -> None:
        self._provider = provider
        self._growing = SessionRefresher(provider, ref)
        self._asked: SessionRef | None = None
        self._prompted = False
        self._looked = 0

    async def again(self) -> SessionRef | None:
        """Return the session if the log now identifies it differently, else None."""
        return await asyncio.to_thread(self._growing.again) if self._growing.asks else None

    async def look(
        self, known: SessionInfo | None, ref: SessionRef, reader: LogReader, summary: Summary
    ) -> SessionInfo:
        """Facts about the session of a log that was read so far, and came to so much.

        What is `known` stays while the log cannot be read.
        """
        self._asked, self._looked, self._prompted = ref, _position(reader), summary.turns > 0
        found = await asyncio.to_thread(self._provider.info, ref)
        if found.ref.fault is None:
            return found
        return known or replace(found, title=None)

    def forget(self) -> None:
        """Ask for the facts again: another log may be there."""
        self._asked = None

    async def look_again(
        self, info: SessionInfo | None, ref: SessionRef, reader: LogReader, summary: Summary
    ) -> SessionInfo | None:
        """The facts, again where they may have changed; None where nobody wanted any.

        Their title comes with the head of the log, if at all; until the first prompt, an answer may
        be used as the title.
        """
        before, self._looked = self._looked, _position(reader)
        if info is None:
            return None
        untitled = info.title in (None, info.ref.label) or not self._prompted
        unread = info.ref.fault is not None
        outdated = unread or ref is not self._asked or (untitled and before < END_BYTES)
        return await self.look(info, ref, reader, summary) if outdated else info


def _position(reader: LogReader) -> int:
    """How much of a log of lines was read; 0 of a document, which is always read whole."""
    return reader.position if isinstance(reader, LineReader) else 0


class LogIngest:
    """One log and how far it has been read; the rows go to `store`."""

    def __init__(
        self, store: SessionStore, reader: Callable[[Provider, Path], LogReader] = log_reader
    ) -> None:
        """`reader` makes what gives the records of the log."""
        self.store = store
        self._reader_of = reader
        self.path = Path(store.session.path)
        self.presence = LogPresence.PRESENT
        self.info: SessionInfo | None = None
        """Facts of the session, once they were asked for."""
        self.resumed = False
        """Another process reads on in the background, since one died."""
        self._reader: LogReader = LineReader(self.path)
        self._metadata = MetadataRefresher(store.provider, store.session)
        self._start = 0
        self._end = 0
        self._unread = 0
        self._generation = 0
        self._restarting = False
        """True once rows are to be dropped when the log is read from its start."""
        self._earlier: list[Line] = []
        """Records of a document that were not read yet: those before its last ones."""
        self._stamp: Stamp = None
        """That of a document before it was read."""
        self._loading = asyncio.Lock()
        self._loaded = True
        """False while only the last rows of a database were read."""

    @property
    def ref(self) -> SessionRef:
        return self.store.session

    @property
    def progress(self) -> float:
        """Part of the log that has been read, 0 to 1."""
        return 1.0 - self._unread / self._start if self._start else 1.0

    def read_end(self, lines: int = TAIL_LINES) -> None:
        """Read the end of the log, enough for the first frame. Raises nothing: see `presence`."""
        reader = self._reader_of(self.store.provider, self.path)
        if not isinstance(reader, LineReader):
            self._open_document(reader, lines)
            return
        try:
            newest = self._newest_rows(lines)
            if newest is not None:
                # How much comes before them is known when it was read.
                self._start = self._unread = 1
                self._loaded = False
                self.take(newest)
            else:
                self.take(self._open_tail(lines).lines)
                self._read_rest()
            self.presence = LogPresence.PRESENT
        except AgentViewError as error:
            gone = isinstance(error, NotFound)
            self.presence = LogPresence.AWAITED if gone else LogPresence.UNREADABLE
            self._reader = LineReader(self.path)

    def _newest_rows(self, lines: int) -> list[Line] | None:
        """The last records of a session that is not a file, while the others were not read."""
        if not self.is_member:
            return None
        # Imported here: most logs are files.
        from agentview.sources.open_member import newest_lines

        return newest_lines(self.path, lines, TAIL_BYTES)

    def _open_tail(self, lines: int) -> Tail:
        """Read the last lines, and go on behind them from now on. Raises NotFound, Unreadable."""
        start = self._start_of_last(lines)
        fd, _ = open_file(self.path, start=max(0, start - 1), again=True)
        try:
            tail = tail_lines(fd, lines, TAIL_BYTES, start=start)
        finally:
            os.close(fd)
        self._start = self._unread = tail.start
        self._end = tail.mark.position
        self._reader = LineReader(self.path, mark=tail.mark)
        return tail

    def _start_of_last(self, lines: int) -> int:
        """A byte before which nothing need be read for the last lines."""
        if not self.is_member:
            return 0
        # Imported here: most logs are files.
        from agentview.sources.open_member import start_of_last

        return start_of_last(self.path, lines, TAIL_BYTES)

    async def _load(self) -> None:
        async with self._loading:
            if self._loaded:
                return
            await asyncio.to_thread(self._open_lines)
            self._loaded = True
            facts: list[RecordFacts] = []
            for batch in batches(self._open_tail(max(TAIL_LINES, self.store.end)).lines):
                facts += reduce_lines(self.ref, batch)
                await asyncio.sleep(0)
            self.store.rewrite(facts)

    def _open_lines(self) -> None:
        """Have the rows of a database at hand. Raises NotFound and Unreadable."""
        # Imported here: most logs are files.
        from agentview.facts.kept.kept_rows import KeptRows

        KeptRows.restore(self.ref)
        fd, _ = open_file(self.path, length=0)
        os.close(fd)

    @property
    def is_member(self) -> bool:
        return is_member(self.path)

    def _open_document(self, reader: LogReader, most: int) -> None:
        """Divide a document into its records, and read the last of them."""
        self._reader, self._stamp = reader, stamp_of(str(self.path))
        with suppress(AgentViewError):
            lines = [item for item in reader.poll().items if isinstance(item, Line)]
            self._earlier, last = lines[:-most], lines[-most:]
            self._start = self._unread = last[0].offset if self._earlier else 0
            self._end = last[-1].offset + last[-1].length if last else 0
            self.take(last)

    async def read_back(self) -> None:
        """Take what lies before the tail: the rows that are kept of it, else read it."""
        if not await self.read_kept():
            await self.read_history()

    async def read_kept(self) -> bool:
        """Take the rows that are kept of what lies before the tail; False if it is to be read."""
        generation = self._generation
        try:
            await self._load()
            taken = self._start > SMALL and await self._take_kept(generation)
        except AgentViewError:
            # The file was cut or taken away meanwhile: the watcher reports what became of it.
            return True
        if taken:
            self._finish_history()
        return taken or generation != self._generation

    async def read_history(self) -> None:
        """Read what lies before the tail, newest block first."""
        generation = self._generation
        try:
            if self._start > SMALL:
                done = await self._absorb_history(generation)
            elif self._earlier:
                done = await self._prepend_earlier(generation)
            else:
                done = await self._prepend_history(generation)
        except AgentViewError:
            return
        if generation != self._generation:
            return
        if done:
            self._finish_history()
        else:
            await self._reread()

    def _finish_history(self) -> None:
        self._unread, self._earlier = 0, []
        self.store.finish_indexing()
        give_back()

    async def _prepend_history(self, generation: int) -> bool:
        async for begin, facts in facts_backward(self.ref, self._start):
            for end in range(len(facts), 0, -PREPEND_ROWS):
                if generation != self._generation:
                    return False
                self.store.prepend(facts[max(0, end - PREPEND_ROWS) : end])
                await asyncio.sleep(0)
            self._unread = begin
        return True

    async def _prepend_earlier(self, generation: int) -> bool:
        """Put the records of a document in front of its last ones, the newest first."""
        while self._earlier:
            lines = self._earlier[-BATCH_LINES:]
            facts: list[RecordFacts] = []
            for batch in batches(lines):
                facts += reduce_lines(self.ref, batch)
                await asyncio.sleep(0)
            if generation != self._generation:
                return False
            del self._earlier[-len(lines) :]
            self.store.prepend(facts)
            self._unread = lines[0].offset if self._earlier else 0
        return True

    def _first_record(self) -> int | None:
        """The byte of the first record of a log whose records may be written again; else None."""
        if not self.is_member and isinstance(self._reader, LineReader):
            return None
        return self._earlier[0].offset if self._earlier else 0

    async def _take_kept(self, generation: int) -> bool:
        """Join the rows that were kept of the log with what was written since, if there are any."""
        # Imported here: most logs are small.
        from agentview.sessions.following.kept_history import joined_with_kept

        read = self._earlier or None
        first = self._first_record()
        place = (self._start, self._end, first)
        joined = await joined_with_kept(self.store, *place, read, self._stamp)
        if joined is None or generation != self._generation:
            return False
        self.store.take_over(*joined)
        return True

    async def _absorb_history(self, generation: int) -> bool:
        # Imported here: most logs are small.
        from agentview.sessions.following.kept_history import whole_of

        whole = await whole_of(self.path, self._first_record(), self._end)
        if generation != self._generation:
            return False
        self.store.begin_absorbing()
        announced_at = time.monotonic()
        place = (self.ref, self._start, self._end)
        async for message in packets_backward(*place, self._resume, whole):
            if generation != self._generation:
                return False
            announce = time.monotonic() - announced_at > PROGRESS
            self.store.absorb(message, announce=announce)
            announced_at = time.monotonic() if announce else announced_at
            if isinstance(message, Packet):
                self._unread = message.start
            elif message.last:
                return True
        return False

    def _resume(self) -> None:
        """Say that another child continues where one died."""
        self.resumed = True
        self.store.announce_state()

    async def _reread(self) -> None:
        """Read the log from its start here, since no child came to an end with it."""
        self._restart()
        await self.read_on()

    def _restart(self) -> None:
        """Read the log from its start the next time; what was read stays until it can be read."""
        self._generation += 1
        self._restarting = True
        self._reader = self._reader_of(self.store.provider, self.path)

    def _drop_all(self) -> None:
        self._restarting = False
        self._start = self._unread = 0
        self._earlier = []
        self._metadata.forget()
        self.store.reset()

    def move(self, ref: SessionRef) -> None:
        """Continue where the log is now; what was not read to its start yet is read again."""
        self.store.relocate(ref)
        self.path = Path(ref.path)
        self._reader.move(self.path)
        self._set_presence(LogPresence.MOVED)
        if self._start and not self.store.indexed:
            self._restart()

    def _set_presence(self, presence: LogPresence) -> None:
        if presence is not self.presence:
            self.presence = presence
            self.store.announce_state()

    async def look(self) -> None:
        """Ask for the facts of the session, for the first time."""
        await self._identity_changed()
        self.info = await self._metadata.look(self.info, self.ref, self._reader, self.store.summary)
        self.store.announce_state()

    async def _identity_changed(self) -> bool:
        """Read the log again, and return True, if it now identifies its session differently."""
        found = await self._metadata.again() if isinstance(self._reader, LineReader) else None
        if found is not None:
            self.store.session = found
            await self._reread()
        return found is not None

    async def _look_again(self) -> None:
        info = await self._metadata.look_again(
            self.info, self.ref, self._reader, self.store.summary
        )
        if info != self.info:
            self.info = info
            self.store.announce_state()

    async def read_on(self) -> None:
        """Read what was appended, and notice what else happened to the file."""
        more = True
        while more:
            try:
                chunk = await self._poll()
            except Unreadable:
                self._set_presence(LogPresence.UNREADABLE)
                return
            self._note_presence(chunk)
            if chunk.missing:
                return
            if self._restarting:
                self._drop_all()
            if await self._identity_changed():
                return
            # All of a chunk may be taken in one slice, and there may be many of them.
            await asyncio.sleep(SETTLE if chunk.unsettled else 0)
            if _has_longer(chunk.items):
                self._restart()
                continue
            if self._is_rewritten(chunk):
                chunk = await self._take_rewritten(chunk)
            else:
                await self.take_slowly(chunk.items)
            more = chunk.more or chunk.unsettled
        last = self._reader.finish()
        if _has_longer(last):
            await self._reread()
            return
        await self.take_slowly(last)
        await self._look_again()
        if self._start == 0 and not self.store.indexed:
            self.store.finish_indexing()

    def _note_presence(self, chunk: Chunk) -> None:
        if not chunk.missing:
            if self.presence in ABSENT:
                self._set_presence(LogPresence.PRESENT)
        elif self.store.end > self.store.first or self.presence is LogPresence.REPLACED:
            self._set_presence(LogPresence.REMOVED)

    async def _poll(self) -> Chunk:
        """Return the new records of the log. Raises Unreadable."""
        try:
            if not self.is_member:
                return self._reader.poll()
            await self._load()
            async with self._loading:
                return await asyncio.to_thread(self._reader.poll)
        except (NotFound, NotRegular):
            # What is there in place of the log is not the log.
            return Chunk([], missing=True)

    async def take_slowly(self, items: Sequence[Item]) -> None:
        """Take lines in slices, so that a burst does not hold the event loop."""
        lines: list[Line] = []
        for item in items:
            if isinstance(item, Reset):
                lines.clear()
                self._begin_again()
            if isinstance(item, Line):
                lines.append(item)
        facts: list[RecordFacts] = []
        began = time.perf_counter()
        for batch in batches(lines):
            if time.perf_counter() - began > SLICE:
                self.store.append(facts)
                facts = []
                await asyncio.sleep(0)
                began = time.perf_counter()
            facts += reduce_lines(self.ref, batch)
        for line in lines[-FRESH_LINES:]:
            self.store.keep_fresh(line)
        if facts:
            self.store.append(facts)

    def _is_rewritten(self, chunk: Chunk) -> bool:
        """Return True if these are the records of the same log again: some moved, or are gone."""
        if isinstance(self._reader, LineReader) and not self.is_member:
            return False
        return any(isinstance(item, Reset) for item in chunk.items)

    async def _take_rewritten(self, chunk: Chunk) -> Chunk:
        """Take all records of a log that was written again; what it has still keeps its row.

        Give the last chunk of it.
        """
        self._generation += 1
        unread, self._earlier = len(self._earlier), []
        facts: list[RecordFacts] = []
        while True:
            if self._is_rewritten(chunk):
                facts.clear()
            for batch in batches([item for item in chunk.items if isinstance(item, Line)]):
                facts += reduce_lines(self.ref, batch)
                await asyncio.sleep(0)
            if not chunk.more:
                break
            chunk = await self._poll()
        self._start = self._unread = 0
        self.store.rewrite(facts, unread)
        return chunk

    def take(self, lines: Sequence[Line]) -> None:
        if lines:
            for line in lines[-FRESH_LINES:]:
                self.store.keep_fresh(line)
            self.store.append(reduce_lines(self.ref, lines))

    def _read_rest(self) -> None:
        try:
            chunk = self._reader.poll()
            self.take([item for item in chunk.items if isinstance(item, Line)])
            if chunk.more:
                return
            self.take(self._reader.finish())
            if time.time() - log_stat(self.path).st_mtime > QUIET:
                self.take(self._reader.finish_torn())
        except (AgentViewError, OSError):
            return

    def _begin_again(self) -> None:
        """Forget everything: the lines that follow are those of the file from its start."""
        self._generation += 1
        self._start = self._unread = 0
        if self.store.end > self.store.first:
            self.presence = LogPresence.REPLACED
        self._metadata.forget()
        self.store.reset()

    def read_further(self, lines: int, size: int) -> bool:
        """Begin again with more of the end: at most so many lines and bytes.

        Return False if everything has been read. Of a document, all that is left is read.
        """
        if self._earlier:
            self.store.prepend(reduce_lines(self.ref, self._earlier))
            self._earlier = []
            self._start = self._unread = 0
            return True
        if self._start == 0 or not isinstance(self._reader, LineReader):
            return False
        try:
            tail = tail_lines(self.path, lines, size)
        except AgentViewError:
            return False
        self.store.reset()
        self._start = tail.start
        self._reader = LineReader(self.path, mark=tail.mark)
        self.take(tail.lines)
        self._read_rest()
        return True


def _has_longer(items: Sequence[Item]) -> bool:
    return any(isinstance(item, Line) and item.replaces for item in items)
