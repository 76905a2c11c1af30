"""A session that is being read: bytes to lines to facts; first the end, then the rest."""

import asyncio
import ctypes
import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import cast

from agentview.clients.running import (
    SessionFacts,
    client_of,
    look_at_processes,
    report_directories,
)
from agentview.domain.activity import Activity, RowKind
from agentview.domain.events import Facts
from agentview.domain.index_entry import RecordFacts
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import ClientFacts, SessionStatus, is_followed
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.errors import AgentViewError, NotFound, Unreadable
from agentview.ingest.background_index import SLICE, SMALL, facts_backward, packets_backward
from agentview.ingest.metadata_refresh import MetadataRefresher, written
from agentview.ingest.moved_log import changes, take_moved
from agentview.providers.base import Provider
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Chunk, Item, LineReader, LogReader, Reset
from agentview.sources.member import is_member, log_stat
from agentview.sources.open_file import open_file
from agentview.sources.reverse_lines import Tail, tail_lines
from agentview.store.packets import Packet
from agentview.store.reading import log_reader
from agentview.store.record_cache import FRESH_LINES
from agentview.store.reducing import reduce_lines
from agentview.store.session_store import SessionStore
from agentview.timeline.header import HeaderFacts, LogPresence
from agentview.watch.watcher import Watcher


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


def words_of(error: BaseException) -> str:
    """What the first error of a group of tasks says, which is more than the group does."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return str(error) or type(error).__name__


BATCH_LINES = 32
BATCH_BYTES = 64 * 1024
"""What is read between two looks at the clock."""


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
"""What is read before the first frame."""

_AGENT_SUFFIXES = (".jsonl", ".json")

QUIET = 5.0
"""Seconds without a write after which a last line without its newline is taken as torn."""

PROGRESS = 0.2
"""Seconds between frames that show how far a log has been read, at least."""

SETTLE = 0.05
"""Seconds between two looks at a document that is being written."""

CLIENT_LOOK = 2.0
"""Seconds between two looks at what may change without a write: processes, and the time."""

PREPEND_ROWS = 512
"""Records put in front at a time, so that the event loop is not held."""


class LiveSession(SessionStore):
    """A session that is being read: its end at once, the rest behind it, then what is appended."""

    LISTS_AT_ONCE = 16

    def __init__(
        self,
        provider: Provider,
        ref: SessionRef,
        *,
        live: bool = False,
        pipe: AsyncIterator[list[Line]] | None = None,
    ) -> None:
        super().__init__(provider, ref, live=live, folding=True)
        self.presence = LogPresence.PRESENT
        self._path = Path(ref.path)
        self._reader: LogReader = LineReader(self._path)
        self._lists: asyncio.Task[None] | None = None
        """Puts long todo lists together."""
        self._pipe = pipe
        self.info: SessionInfo | None = None
        self.resumed = False
        """Another process reads on in the background, since one died."""
        self.trouble: str | None = None
        """Why reading stopped, when it did."""
        self._announced_status: SessionStatus | None = None
        """The status that the header last had."""
        self._start = 0
        self._end = 0
        self._unread = 0
        self._generation = 0
        self._regard = MetadataRefresher(provider, ref)
        self._task: asyncio.Task[None] | None = None
        self._earlier: list[Line] = []
        """Records of a document that were not read yet: those before its last ones."""
        self._loading = asyncio.Lock()
        self._loaded = True
        """False while only the last rows of a database were read."""
        self._agents: dict[str, LiveSession] = {}
        self._embedded: list[LiveSession] = []
        """Agents whose records are in the same log."""

    @property
    def ref(self) -> SessionRef:
        """The log that is read."""
        return self.session

    def open(self, lines: int = TAIL_LINES) -> None:
        """Read the end of the log, enough for the first frame. Raises nothing: see `presence`."""
        reader = log_reader(self.provider, self._path)
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
        except AgentViewError:
            self.presence = LogPresence.AWAITED
            self._reader = LineReader(self._path)

    def _newest_rows(self, lines: int) -> list[Line] | None:
        """The last records of a session that is not a file, while the others were not read."""
        if not self._is_member:
            return None
        # Imported here: most logs are files.
        from agentview.sources.open_member import newest_lines

        return newest_lines(self._path, lines, TAIL_BYTES)

    def _open_tail(self, lines: int) -> Tail:
        """Read the last lines, and go on behind them from now on. Raises NotFound, Unreadable."""
        fd, _ = open_file(self._path, at=0)
        try:
            tail = tail_lines(fd, lines, TAIL_BYTES)
        finally:
            os.close(fd)
        self._start = self._unread = tail.start
        self._end = tail.mark.position
        self._reader = LineReader(self._path, mark=tail.mark)
        return tail

    async def _load(self) -> None:
        """Read the rows of a database that come before the last ones, outside the event loop."""
        async with self._loading:
            if self._loaded:
                return
            fd, _ = await asyncio.to_thread(open_file, self._path)
            os.close(fd)
            self._loaded = True
            facts: list[RecordFacts] = []
            for batch in batches(self._open_tail(max(TAIL_LINES, self.end)).lines):
                facts += reduce_lines(self.session, batch)
                await asyncio.sleep(0)
            self.rewrite(facts)

    @property
    def _is_member(self) -> bool:
        return is_member(self._path)

    def _open_document(self, reader: LogReader, most: int) -> None:
        """Divide a document into its records, and read the last of them."""
        self._reader = reader
        with suppress(AgentViewError):
            lines = [item for item in reader.poll().items if isinstance(item, Line)]
            self._earlier, last = lines[:-most], lines[-most:]
            self._start = self._unread = last[0].offset if self._earlier else 0
            self.take(last)

    def start(self) -> None:
        """Go on in the background: read the rest, find other agents' logs, follow all of them."""
        if self._task is None:
            self._task = asyncio.create_task(self._run())
            self._task.add_done_callback(self._stopped)

    def _stopped(self, task: asyncio.Task[None]) -> None:
        """Say why reading ended, when nobody asked it to: what is shown would be taken for all."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.trouble = words_of(error)
            self.announce_state()

    def close(self) -> None:
        """Stop reading and watching; what was read stays usable."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        for agent in self._embedded:
            agent.close()

    def adopt(self, agent: "LiveSession") -> None:
        """Read the agent whose records are in this log, and follow it from now on.

        Begin on a running event loop.
        """
        self._embedded.append(agent)
        # In front of all that the agent's own records may say of it.
        agent.summary.note(-(1 << 62), Facts(cwd=self.header().cwd))
        agent.open(1)
        agent._task = asyncio.create_task(agent._read_back())  # noqa: SLF001  (the same class)
        agent._task.add_done_callback(agent._stopped)  # noqa: SLF001  (the same class)
        self.set_child(agent.session.stream, agent, None)

    def activity(self, row: int) -> Activity:
        """The row decoded and joined; a long todo list comes later, with a change of the row."""
        found = super().activity(row)
        if not self.lists_wait or self._lists is not None:
            return found
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            # Without an event loop nothing waits for this thread: do it now.
            for _ in self.finish_lists():
                pass
            return super().activity(row)
        self._lists = asyncio.create_task(self._finish(self.finish_lists()))
        return found

    async def _finish(self, steps: Iterator[None]) -> None:
        """Do the steps in slices, so that they do not hold the event loop."""
        until = time.perf_counter() + SLICE
        for _ in steps:
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + SLICE
        self._lists = None

    def last_activity(self) -> float | None:
        """The time of the last record, or of the file where its records have no times."""
        last = self.summary.last_time
        return written(self._path) if last is None else last

    def client(self, now: float) -> ClientFacts | None:
        """What is known of the session's client from outside the log, at the time `now`."""
        info, text = self.info, self.summary.text
        facts = SessionFacts(
            text("client_version") or (info.client_version if info else None),
            # Where the session began: a client does not change its own directory.
            (info.project if info else None) or text("cwd"),
            self.log_status(),
            self.last_activity(),
        )
        return client_of(self.session, facts, now)

    def header(self) -> HeaderFacts:
        """The facts as they are now."""
        summary, now = self.summary, time.time()
        status, client = self.status(now), self.client(now)
        self._announced_status = status
        info = self.info
        model = summary.text("model") or (info.model if info else None)
        logs = (summary, *(agent.summary for agent in self._agents.values()))
        return HeaderFacts(
            provider=self.provider.label,
            title=summary.own_title
            or (info.title if info else None)
            or summary.title
            or self.session.label
            or (client.name if client else None),
            # Where the session began, as the library has it: its project, not where it is now.
            cwd=(info.project if info else None) or summary.text("cwd"),
            branch=summary.text("branch") or (info.branch if info else None),
            model=model,
            status=status,
            followed=is_followed(status, self.last_activity(), now, client),
            last_activity=summary.last_time,
            context_tokens=summary.context,
            context_window=self.provider.context_window(model) if model else None,
            usage=reduce(Usage.plus, (log.usage for log in logs)),
            cost=summary.cost,
            limits=summary.account_limits or (info.limits if info else ()),
            spent=tuple(log.spent for log in logs),
            problems=summary.problems,
            edits=summary.count(
                ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT
            ),
            shells=summary.count(ToolKind.SHELL),
            rows=self.end - self.first,
            hidden_rows=self.end - self.first - summary.count(*ToolKind, *RowKind),
            indexed=1.0 - self._unread / self._start if self._start else 1.0,
            presence=self.presence,
            resumed=self.resumed,
            trouble=self.trouble,
        )

    async def _run(self) -> None:
        if self._pipe is None:
            await self._follow_file()
        else:
            async for lines in self._pipe:
                await self._take_slowly(lines)
                await self._read_on_embedded()
            self.live = False
            self.finish_indexing()

    async def _follow_file(self) -> None:
        with Watcher() as watcher:
            watcher.add_files([self._path])
            for place in self.provider.discovery.child_places(self.session):
                watcher.add_tree(place)
            clients = report_directories(self.session)
            for directory in clients:
                watcher.add_tree(Path(directory))
            await self._identity_changed()
            self.info = await self._regard.look(self.session, self._reader, self.summary)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read_back())
                tasks.create_task(self._find_agents(watcher, tasks))
                tasks.create_task(self._watch_client())
                async for paths in changes(watcher, self.provider, self):
                    changed = {path for path in paths if str(path.parent) not in clients}
                    if len(changed) < len(paths):
                        self._look_at_client()
                    if self._path in changed:
                        await self._read_on()
                        await self._read_on_embedded()
                        if self._is_member:
                            await self._find_agents(watcher, tasks)
                    for path in changed - {self._path}:
                        agent = self._agents.get(str(path))
                        if agent is not None:
                            await agent._read_on()  # noqa: SLF001  (the same class)
                        elif path.suffix in _AGENT_SUFFIXES:
                            await self._find_agents(watcher, tasks)

    async def _watch_client(self) -> None:
        """Notice what changes without a write to the log or to a list of clients."""
        while True:
            await asyncio.to_thread(look_at_processes)
            self._look_at_client()
            await asyncio.sleep(CLIENT_LOOK)

    def _look_at_client(self) -> None:
        """Announce a state that differs from that of the last header."""
        if (
            self._announced_status is not None
            and self.status(time.time()) != self._announced_status
        ):
            self.announce_state()

    async def _read_on_embedded(self) -> None:
        for agent in self._embedded:
            await agent._read_on()  # noqa: SLF001  (the same class)
            await agent._read_on_embedded()  # noqa: SLF001  (the same class)

    async def _find_agents(self, watcher: Watcher, tasks: asyncio.TaskGroup) -> None:
        """Open the logs of agents that this session started and that are not open yet."""
        for ref in await asyncio.to_thread(self.provider.discovery.children, self.session):
            if ref.path in self._agents or ref.path == self.session.path:
                continue
            if (moved := take_moved(self._agents, ref)) is not None:
                self._agents[ref.path] = moved
                continue
            agent = LiveSession(self.provider, ref, live=self.live)
            agent.open()
            others = tuple(self._agents.values())
            self._agents[ref.path] = agent
            if is_member(ref.path):
                watcher.add_files([Path(ref.path)])
            tasks.create_task(agent._read_back())
            # Whose call started it shows only from the calls: each log looks in its own.
            for store in (self, *others):
                store.set_child(ref.stream, agent, ref.parent_call)
            for other in others:
                agent.set_child(other.session.stream, other, other.session.parent_call)

    async def _read_back(self) -> None:
        """Read what lies before the tail, newest block first."""
        generation = self._generation
        try:
            await self._load()
            if self._earlier:
                done = await self._prepend_earlier(generation)
            # A worker would read records of a database as they are then, at other places.
            elif self._start > SMALL and not self._is_member:
                done = await self._absorb_history(generation)
            else:
                done = await self._prepend_history(generation)
        except AgentViewError:
            # The file was cut or taken away meanwhile: the watcher reports what became of it.
            return
        if generation != self._generation:
            return
        if done:
            self._unread = 0
            self.finish_indexing()
            give_back()
        else:
            await self._reread()

    async def _prepend_history(self, generation: int) -> bool:
        async for begin, facts in facts_backward(self.session, self._start):
            for end in range(len(facts), 0, -PREPEND_ROWS):
                if generation != self._generation:
                    return False
                self.prepend(facts[max(0, end - PREPEND_ROWS) : end])
                await asyncio.sleep(0)
            self._unread = begin
        return True

    async def _prepend_earlier(self, generation: int) -> bool:
        """Put the records of a document in front of its last ones, the newest first."""
        while self._earlier:
            lines = self._earlier[-BATCH_LINES:]
            facts: list[RecordFacts] = []
            for batch in batches(lines):
                facts += reduce_lines(self.session, batch)
                await asyncio.sleep(0)
            if generation != self._generation:
                return False
            del self._earlier[-len(lines) :]
            self.prepend(facts)
            self._unread = lines[0].offset if self._earlier else 0
        return True

    async def _absorb_history(self, generation: int) -> bool:
        self.begin_absorbing()
        announced_at = time.monotonic()
        async for message in packets_backward(self.session, self._start, self._end, self._resume):
            if generation != self._generation:
                return False
            announce = time.monotonic() - announced_at > PROGRESS
            self.absorb(message, announce=announce)
            announced_at = time.monotonic() if announce else announced_at
            if isinstance(message, Packet):
                self._unread = message.start
            elif message.last:
                return True
        return False

    def _resume(self) -> None:
        """Say that another child continues where one died."""
        self.resumed = True
        self.announce_state()

    async def _reread(self) -> None:
        """Read the log from its start here, since no child came to an end with it."""
        self._drop_all()
        await self._read_on()

    def _drop_all(self) -> None:
        self._generation += 1
        self._start = self._unread = 0
        self._reader = LineReader(self._path)
        self.reset()

    def move(self, ref: SessionRef) -> None:
        """Continue where the log is now; what was not read to its start yet is read again."""
        self.relocate(ref)
        self._path = Path(ref.path)
        self._reader.move(self._path)
        self._set_presence(LogPresence.MOVED)
        if self._start and not self.indexed:
            self._drop_all()

    def _set_presence(self, presence: LogPresence) -> None:
        if presence is not self.presence:
            self.presence = presence
            self.announce_state()

    async def _identity_changed(self) -> bool:
        """Read the log again, and return True, if it now identifies its session differently."""
        found = await self._regard.again() if isinstance(self._reader, LineReader) else None
        if found is not None:
            self.session = found
            await self._reread()
        return found is not None

    async def _look_again(self) -> None:
        info = await self._regard.look_again(self.info, self.session, self._reader, self.summary)
        if info != self.info:
            self.info = info
            self.announce_state()

    async def _read_on(self) -> None:
        """Read what was appended, and notice what else happened to the file."""
        more = True
        while more:
            try:
                chunk = await self._poll()
            except Unreadable:
                self._set_presence(LogPresence.REMOVED)
                return
            if chunk.missing:
                if self.end > self.first or self.presence is LogPresence.REPLACED:
                    self._set_presence(LogPresence.REMOVED)
                return
            if self.presence in (LogPresence.REMOVED, LogPresence.AWAITED):
                self._set_presence(LogPresence.PRESENT)
            if await self._identity_changed():
                return
            # All of a chunk may be taken in one slice, and there may be many of them.
            await asyncio.sleep(SETTLE if chunk.unsettled else 0)
            await self._take_slowly(chunk.items)
            more = chunk.more or chunk.unsettled
        await self._take_slowly(self._reader.finish())
        await self._look_again()
        if self._start == 0 and not self.indexed:
            self.finish_indexing()

    async def _poll(self) -> Chunk:
        """What is new in the log. Raises Unreadable."""
        if not self._is_member:
            return self._reader.poll()
        try:
            await self._load()
        except NotFound:
            return Chunk([], missing=True)
        async with self._loading:
            return await asyncio.to_thread(self._reader.poll)

    async def _take_slowly(self, items: Sequence[Item]) -> None:
        """Take lines in slices, so that a burst does not hold the event loop."""
        lines: list[Line] = []
        for item in items:
            if isinstance(item, Reset) and not isinstance(self._reader, LineReader):
                await self._take_rewritten([line for line in items if isinstance(line, Line)])
                return
            if isinstance(item, Reset) or item.replaces:
                lines.clear()
                self._begin_again()
            if isinstance(item, Line):
                lines.append(item)
        facts: list[RecordFacts] = []
        began = time.perf_counter()
        for batch in batches(lines):
            if time.perf_counter() - began > SLICE:
                self.append(facts)
                facts = []
                await asyncio.sleep(0)
                began = time.perf_counter()
            facts += reduce_lines(self.session, batch)
        for line in lines[-FRESH_LINES:]:
            self.keep_fresh(line)
        if facts:
            self.append(facts)

    async def _take_rewritten(self, lines: Sequence[Line]) -> None:
        """Take all records of a document that was written again."""
        self._generation += 1
        self._earlier = []
        facts: list[RecordFacts] = []
        for batch in batches(lines):
            facts += reduce_lines(self.session, batch)
            await asyncio.sleep(0)
        self._start = self._unread = 0
        self.rewrite(facts)

    def take(self, lines: Sequence[Line]) -> None:
        """Take lines that follow what was read."""
        if lines:
            for line in lines[-FRESH_LINES:]:
                self.keep_fresh(line)
            self.append(reduce_lines(self.session, lines))

    def _read_rest(self) -> None:
        """Take the last line without its newline too: it is whole, or nobody writes any more."""
        try:
            chunk = self._reader.poll()
            self.take([item for item in chunk.items if isinstance(item, Line)])
            if chunk.more:
                return
            self.take(self._reader.finish())
            if time.time() - log_stat(self._path).st_mtime > QUIET:
                self.take(self._reader.finish_torn())
        except (AgentViewError, OSError):
            return

    def _begin_again(self) -> None:
        """Forget everything: the lines that follow are those of the file from its start."""
        self._generation += 1
        self._start = self._unread = 0
        if self.end > self.first:
            self.presence = LogPresence.REPLACED
        self.reset()
