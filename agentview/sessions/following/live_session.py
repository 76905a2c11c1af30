"""A session that is open: its log, the logs of its agents, its client, and who follows them."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from functools import reduce
from pathlib import Path
from typing import Protocol, cast

from agentview.domain.activity import RowKind
from agentview.domain.events import Facts
from agentview.domain.session import Continuation, SessionInfo, SessionRef, Stream, StreamKind
from agentview.domain.session_state import (
    ClientFacts,
    Looping,
    SessionState,
    SessionStatus,
    call_words,
    is_followed,
)
from agentview.domain.suite_result import Contradiction
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.providers.session_logs import session_logs
from agentview.sessions.clients.running import (
    SessionFacts,
    client_of,
    is_report,
    look_at_clients,
    look_is_due,
    process_files,
    read_lists_again,
    report_directories,
)
from agentview.sessions.following.background_index import SLICE
from agentview.sessions.following.log_ingest import TAIL_LINES, LogIngest
from agentview.sessions.following.moved_log import changes, take_moved
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LogReader
from agentview.sources.member import is_member
from agentview.sources.watch.watcher import Watcher
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.header import HeaderFacts


def words_of(error: BaseException) -> str:
    """Return the message of the first error of a group of tasks: it says more than the group's."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return str(error) or type(error).__name__


_AGENT_SUFFIXES = (".jsonl", ".json")

_LISTS_AT_ONCE = 16
"""Steps of work that a todo list may take before an activity is given without it."""

CLIENT_LOOK = 2.0
"""Seconds between two looks at what may change without a write: processes, and the time."""
_STEP = 0.2
"""Seconds between two questions whether it is time for a look."""


_AT_WORK = frozenset(
    {
        SessionState.STARTING,
        SessionState.WORKING,
        SessionState.NEEDS_APPROVAL,
        SessionState.NEEDS_ANSWER,
    }
)
"""States in which the client has not turned to another session."""


async def until_client_look() -> None:
    """Wait until the next look is due, which is earlier where one is expected to decide a state."""
    until = time.monotonic() + CLIENT_LOOK
    while time.monotonic() < until:
        await asyncio.sleep(_STEP)
        if look_is_due():
            return


class RecordPlayer(Protocol):
    """Lets the records of a past session come."""

    def clock(self) -> float:
        """Return the moment of the session that is shown, in epoch seconds."""
        ...

    def reader(self, provider: Provider, path: Path) -> LogReader:
        """Return the reader of one of its logs, which gives records as they come."""
        ...

    async def play(self, session: "LiveSession") -> None:
        """Let the records come, until the session is closed."""
        ...


class LiveSession:
    """A session whose rows are in `store` and whose log is read by `log`.

    Its agents are sessions of their own, which it reads on with.
    """

    def __init__(
        self,
        provider: Provider,
        ref: SessionRef,
        *,
        live: bool = False,
        pipe: AsyncIterator[list[Line]] | None = None,
        replay: RecordPlayer | None = None,
    ) -> None:
        """`replay` lets the records of a past session come, in place of its client."""
        self.store = SessionStore(
            provider, ref, live=live, folding=True, lists_at_once=_LISTS_AT_ONCE
        )
        self._loops: Callable[[], Looping | None] | None = None
        self._claim: Callable[[], Contradiction | None] | None = None
        self.replay = replay
        """The source of its records in a replay."""
        self._clock = time.time if replay is None else replay.clock
        self.store.client = self._client
        self.store.call_words = lambda: call_words(self.store.status(self._clock()))
        self.store.lists_left = self._finish_lists
        self.log = LogIngest(self.store, log_reader if replay is None else replay.reader)
        self.trouble: str | None = None
        """Why reading stopped, when it did."""
        self._damage: str | None = None
        """The fault of its database."""
        self._continued: Continuation | None = None
        """The session with which its client continued."""
        self._lists: asyncio.Task[None] | None = None
        """Puts long todo lists together."""
        self._pipe = pipe
        self._status: SessionStatus | None = None
        """The status that the header last had."""
        self._seen_status: SessionStatus | None = None
        """The status at the last look at the client."""
        self._task: asyncio.Task[None] | None = None
        self._agents: dict[str, LiveSession] = {}
        """Agents with logs of their own, by path."""
        self._finding = asyncio.Lock()
        self._embedded: list[LiveSession] = []
        """Agents whose records are in the same log."""
        self._outputs: dict[Path, tuple[SessionStore, int]] = {}
        """Files that commands in the background write, with the rows of their calls."""
        self._attached: list[LiveSession] = []
        """The children of the store: its agents, and agents of the session that it belongs to."""

    @property
    def ref(self) -> SessionRef:
        return self.log.ref

    def open(self, lines: int = TAIL_LINES) -> None:
        """Read the end of the log, enough for the first frame; raises nothing, see `log`."""
        self.log.read_end(lines)

    def move(self, ref: SessionRef) -> None:
        self.log.move(ref)

    def start(self) -> None:
        """Go on in the background: read the rest, find other agents' logs, follow all of them."""
        if self._task is None:
            self.begin(self._run())

    def begin(self, work: Coroutine[None, None, None]) -> None:
        """Do the work in the background until it is done or the session is closed."""
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(self._stopped)

    def _stopped(self, task: asyncio.Task[None]) -> None:
        """Say why reading ended, when nobody asked it to: what is shown would be taken for all."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.trouble = words_of(error)
            self.store.announce_state()

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
        agent.store.summary.note(-(1 << 62), Facts(cwd=self.header().cwd))
        agent.open(1)
        agent.begin(agent.log.read_back() if self.replay is None else agent.log.read_on())
        self.attach(agent, None)

    def attach(self, agent: "LiveSession", call_id: str | None) -> None:
        """Make an agent a child of the store; `call_id` is that of the call that started it."""
        self._attached.append(agent)
        self.store.set_child(agent.ref.stream, agent.store, call_id)

    def agent(self, stream: Stream) -> "LiveSession | None":
        """The agent of a stream, or the first one of a run, where its log is open."""
        stores = self.store.agents_of(stream)
        return next((agent for agent in self._attached if agent.store in stores[:1]), None)

    def _finish_lists(self) -> None:
        """Put long todo lists together: in the background, with a change of their rows."""
        if self._lists is not None:
            return
        steps = self.store.finish_lists()
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            # Without an event loop nothing waits for this thread: do it now.
            for _ in steps:
                pass
            return
        self._lists = asyncio.create_task(self._in_slices(steps))

    async def _in_slices(self, steps: Iterator[None]) -> None:
        """Do the steps in slices, so that they do not hold the event loop."""
        until = time.perf_counter() + SLICE
        for _ in steps:
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + SLICE
        self._lists = None

    def _client(self, now: float) -> ClientFacts | None:
        """Return the session's client as known from outside the log, at the time `now`."""
        if self.replay is not None:
            return None
        info, text = self.log.info, self.store.summary.text
        facts = SessionFacts(
            text("client_version") or (info.client_version if info else None),
            self._directory(),
            self.store.log_status(),
            self.store.last_activity(),
        )
        return client_of(self.ref, facts, now)

    def _directory(self) -> str | None:
        """The directory in which the session began, and its client too, as the library has it.

        None until it is known: the records that are read first may name one of a later time.
        """
        info = self.log.info
        asked = self._pipe is None and not self.ref.shared
        if info is None and asked and self.ref.stream.kind is StreamKind.MAIN:
            return None
        return (info.project if info else None) or self.store.summary.text("cwd")

    def header(self) -> HeaderFacts:
        """The facts as they are now."""
        summary, now = self.store.summary, self._clock()
        status, client = self.store.status(now), self.store.client(now)
        self._status = status
        info, rows = self.log.info, self.store.end - self.store.first
        model = summary.text("model") or (info.model if info else None)
        logs = (summary, *(agent.store.summary for agent in self._agents.values()))
        return HeaderFacts(
            provider=self.store.provider.label,
            title=summary.own_title
            or (info.title if info else None)
            or summary.title
            or self.ref.label
            or (client.name if client else None),
            cwd=self._directory(),
            branch=summary.text("branch") or (info.branch if info else None),
            model=model,
            status=status,
            followed=is_followed(status, self.store.last_activity(), now, client),
            last_activity=summary.times.last,
            context_tokens=summary.context,
            context_window=self.store.provider.window(model, summary.context),
            usage=reduce(Usage.plus, (log.usage for log in logs)),
            cost=summary.cost,
            limits=summary.account_limits or (info.limits if info else ()),
            spent=tuple(log.spent for log in logs),
            problems=summary.problems,
            edits=summary.count(
                ToolKind.EDIT, ToolKind.WRITE, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT
            ),
            shells=summary.count(ToolKind.SHELL),
            looping=self._looping() if status.state is SessionState.WORKING else None,
            running=len(self.store.running()) if self.store.live else 0,
            rows=rows,
            hidden_rows=rows - summary.count(*ToolKind, *RowKind),
            indexed=self.log.progress,
            presence=self.log.presence,
            resumed=self.log.resumed,
            trouble=self.trouble,
            damage=self._damage,
            continued=None if status.state in _AT_WORK else self._continued,
        )

    def contradiction(self) -> Contradiction | None:
        """Contradiction of the log to the newest turn's last words; None if none is found yet."""
        if self._claim is None:
            # Imported here: the first frame needs none of it.
            from agentview.timeline.view.overview.claims import NewestClaim

            self._claim = NewestClaim(self.store).look
        return self._claim()

    def _looping(self) -> Looping | None:
        if self._loops is None:
            # Imported here: the first frame needs none of it.
            from agentview.timeline.view.overview.looping import LoopSearch

            self._loops = LoopSearch(self.store).look
        return self._loops()

    async def _run(self) -> None:
        if self.replay is not None:
            await self.replay.play(self)
        elif self._pipe is None:
            await self._follow_file()
        else:
            async for lines in self._pipe:
                await self.log.take_slowly(lines)
                await self._read_on_embedded()
            self.store.live = False
            self.store.finish_indexing()

    async def catch_up(self, agents: Iterable[SessionRef]) -> None:
        """Read what has come of a replay, in the logs of these agents too."""
        if self.log.info is None:
            await self.log.look()
        await self.log.read_on()
        await self._read_on_embedded()
        for agent in agents:
            if agent.path not in self._agents:
                session = self.agent_session(agent)
                session.open()
                self._take_agent(session)
        for session in self._agents.values():
            await session.log.read_on()

    async def _follow_file(self) -> None:
        with Watcher() as watcher:
            watcher.add_files([self.log.path])
            # First, since rows that are kept take less time than all that follows.
            kept = await self.log.read_kept()
            for place in self.store.provider.discovery.child_places(self.ref):
                watcher.add_tree(place)
            clients = report_directories(self.ref)
            for directory in clients:
                watcher.add_tree(Path(directory))
            own = [Path(file) for file in process_files(self.ref)]
            watcher.add_files(own)
            async with asyncio.TaskGroup() as tasks:
                if not kept:
                    tasks.create_task(self.log.read_history())
                tasks.create_task(self.log.look())
                tasks.create_task(self._find_agents(watcher, tasks))
                tasks.create_task(self._watch_client(watcher))
                tasks.create_task(self._look_for_continuation())
                tasks.create_task(self._look_for_damage())
                async for paths in changes(watcher, self.store.provider, self.log):
                    changed = {
                        path for path in paths if not is_report(path, clients) and path not in own
                    }
                    if len(changed) < len(paths):
                        await read_lists_again(paths)
                        self._look_at_client()
                    await self._read_changed(changed, watcher, tasks)

    async def _read_changed(
        self, changed: set[Path], watcher: Watcher, tasks: asyncio.TaskGroup
    ) -> None:
        """Read on in logs that have changed, and look for those of new agents."""
        if self.log.path in changed:
            await self.log.read_on()
            await self._read_on_embedded()
            if self.log.is_member:
                await self._find_agents(watcher, tasks)
        for path in changed - {self.log.path}:
            agent = self._agents.get(str(path))
            if agent is not None:
                await agent.log.read_on()
            elif (output := self._outputs.get(path)) is not None:
                store, row = output
                store.announce_output(row)
            elif path.suffix in _AGENT_SUFFIXES:
                await self._find_agents(watcher, tasks)
                if (agent := self._agents.get(str(path))) is not None:
                    # It may have been written while its end was read.
                    await agent.log.read_on()

    async def _watch_client(self, watcher: Watcher) -> None:
        while True:
            await asyncio.to_thread(look_at_clients)
            self._look_at_client()
            self._watch_outputs(watcher)
            await until_client_look()

    def _watch_outputs(self, watcher: Watcher) -> None:
        """Follow what commands in the background write to files of their own."""
        if not self.store.live:
            return
        for store in (self.store, *(agent.store for agent in self._agents.values())):
            known = {row for other, row in self._outputs.values() if other is store}
            for row in store.running():
                file = None if row in known else store.output_file(row)
                if file is not None:
                    self._outputs[file] = store, row
                    watcher.add_files([file])

    async def _look_for_continuation(self) -> None:
        """Find what continued the session while nothing happens in it; an agent has none."""
        if self.ref.stream.kind is not StreamKind.MAIN:
            return
        search = None
        while True:
            state = None if self._status is None else self._status.state
            if state is not None and state not in _AT_WORK:
                # Imported here: the first frame needs none of it.
                from agentview.sessions.following.continuation import ContinuationSearch

                search = search or ContinuationSearch(self.store.provider)
                named = self.store.summary.text("continued_in")
                known = self.ref, self.log.info, self.store.last_activity(), named
                continued = await search.look(*known, ended=state is SessionState.ENDED)
                if continued != self._continued:
                    self._continued = continued
                    self.store.announce_state()
            await asyncio.sleep(CLIENT_LOOK)

    async def _look_for_damage(self) -> None:
        """Check the database of the session, which takes long, outside the event loop."""
        if not self.log.is_member:
            return
        # Imported here: most logs are files.
        from agentview.sources.database_check import damage_note

        self._damage = await asyncio.to_thread(damage_note, self.log.path)
        if self._damage is not None:
            self.store.announce_state()

    def _look_at_client(self) -> None:
        """Announce a state that differs from that of the last look."""
        if self._status is None:
            return
        status = self.store.status(time.time())
        # Not that of the last header, which may have been for somebody else than the screen.
        if status != self._seen_status:
            self._seen_status = status
            self.store.announce_pending()

    async def _read_on_embedded(self) -> None:
        for agent in self._embedded:
            await agent.log.read_on()
            await agent._read_on_embedded()  # noqa: SLF001  (the same class)

    async def _find_agents(self, watcher: Watcher, tasks: asyncio.TaskGroup) -> None:
        """Open the logs of the session's agents, at all levels, that are not open yet."""
        async with self._finding:
            await self._open_agents(watcher, tasks)

    async def _open_agents(self, watcher: Watcher, tasks: asyncio.TaskGroup) -> None:
        provider = self.store.provider
        try:
            logs = await asyncio.to_thread(session_logs, provider.discovery, self.ref)
        except AgentViewError:
            # The store cannot be read now: they are looked for again with its next change.
            return
        for ref in logs[1:]:
            if ref.path in self._agents:
                continue
            if (moved := take_moved(self._agents, ref)) is not None:
                self._agents[ref.path] = moved
                continue
            agent = self.agent_session(ref)
            await asyncio.to_thread(agent.open)
            self._take_agent(agent)
            if is_member(ref.path):
                watcher.add_files([Path(ref.path)])
            tasks.create_task(agent.log.read_back())

    def _take_agent(self, agent: "LiveSession") -> None:
        """Have an agent, the end of whose log was read, as one of the children from now on."""
        ref = agent.ref
        others = tuple(self._agents.values())
        self._agents[ref.path] = agent
        # Whose call started it shows only from the calls: each log looks in its own.
        for session in (self, *others):
            session.attach(agent, ref.parent_call)
        for other in others:
            agent.attach(other, other.ref.parent_call)

    def agent_session(self, ref: SessionRef) -> "LiveSession":
        return LiveSession(self.store.provider, ref, live=self.store.live, replay=self.replay)


def open_tail(ref: SessionRef, *, live: bool, info: SessionInfo | None = None) -> LiveSession:
    """The session of a log with its end read; `live`: somebody is at work in it.

    `info` is what is known of it: its end alone says neither its title nor its directory.
    """
    session = LiveSession(load_provider(ref.provider), ref, live=live)
    session.log.info = info
    session.open()
    return session


class FollowedClient:
    """Says once where the client went, so that a person may return.

    Only of a session that was live while it was shown: of another one the next session is offered.
    """

    def __init__(self) -> None:
        self._live = False

    def next_session(self, facts: HeaderFacts, *, followed: bool) -> SessionRef | None:
        """The session to show from now on; `followed`: the newest activity is kept in view."""
        self._live = self._live or facts.followed
        continued = facts.continued
        if continued is None or continued.inferred or not (self._live and followed):
            return None
        self._live = False
        return continued.ref
