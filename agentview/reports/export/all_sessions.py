"""All sessions of this machine as one stream of lines, with cursors from which it continues.

Sessions come in the order in which they were last written to, the lines of each in the order of
its log; then lines come as they are written. A cursor comes behind the lines that it stands for,
so that a reader that keeps the last one misses nothing and may get the last lines again.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.providers.contained import reading
from agentview.reports.export.events import CURSOR, VERSION, Fields
from agentview.reports.export.log_feed import SessionFeed, SessionForm
from agentview.reports.export.stream_cursor import (
    SLACK,
    Cursor,
    LogState,
    database_keys,
    database_of,
    key_of,
    position_in,
    sent_until,
    state_of,
    unknown_state,
)
from agentview.sources.one_look import one_look
from agentview.sources.watch.watcher import Watcher

_OPEN = 32
"""Sessions that stay open while they are followed; others are read again when they grow."""
_LINES = 100
"""Lines after which a cursor comes, at the next end of a session's lines."""
_PAUSE = 0.3
"""Seconds for which changes are gathered before the logs are looked at again."""
_SHARE = 10
"""A list of all logs is followed by a pause this many times as long as it took."""
_POLLED = 2.0
"""Seconds between looks where the system does not announce changes."""


@dataclass(slots=True)
class _Session:
    """A session, and its logs as far as they were sent."""

    ref: SessionRef
    sent: dict[str, LogState] = field(default_factory=dict[str, LogState])
    """By path; of logs of which nothing was sent there is nothing."""
    feed: SessionFeed | None = None

    @property
    def stamp(self) -> int:
        return max((state.stamp for state in self.sent.values()), default=0)


class AllSessions:
    """Reads all sessions below some directories, and follows them."""

    def __init__(
        self,
        find: Callable[[], Sequence[SessionRef]],
        places: Sequence[Path],
        form: Callable[[Provider], SessionForm],
        *,
        since: Cursor | None = None,
        subagents: bool = True,
        wanted: Callable[[SessionRef], bool] = lambda _: True,
        failed: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`find` lists all logs below `places`, those of agents included.

        `wanted` chooses sessions; `failed` takes the reason why one cannot be read now.
        """
        self._find = find
        self._places = places
        self._form = form
        self._since = since
        self._subagents = subagents
        self._wanted = wanted
        self._failed = failed
        self._by_path: dict[str, _Session] = {}
        """Sessions by the paths of their logs, those of their agents as far as they were read."""
        self._mains: dict[tuple[str, str], list[_Session]] = {}
        self._open: OrderedDict[str, _Session] = OrderedDict()
        self._until = 0 if since is None else since.until
        self._newest = 0
        self._looked = 0
        """Until when changes are known, nanoseconds since the epoch."""
        self._versions: dict[str, str] = {}
        """Logs as they were when they were listed, by path."""
        self._unmarked = 0
        """Lines since the last cursor."""
        self._patience = 0.0
        """Seconds to wait before logs are looked at again."""
        self._databases: set[str] = set()
        """Paths of the databases that sessions are in."""
        self._sent_databases = frozenset[str]() if since is None else since.databases

    def read(self) -> Iterator[Iterable[Fields]]:
        """Lines of all that is there and was not sent, in batches; a cursor is the last one.

        Take all lines of a batch before the next one is asked for.
        """
        found = self._survey()
        with one_look(len(found)):
            for stamp, session, logs in found:
                yield from self._batches([session], logs)
                self._close(session)
                self._until = max(self._until, min(stamp, self._looked) - SLACK)
                if self._unmarked >= _LINES:
                    yield [self._cursor()]
        yield [self._settled()]

    async def follow(self) -> AsyncGenerator[Iterable[Fields]]:
        """The same, then lines as they are written and of new sessions; never ends by itself."""
        with Watcher(interval=_POLLED) as watcher:
            # A session that begins before its place is watched must be in what is read first.
            for place in self._places:
                watcher.add_tree(place)
            for batch in self.read():
                yield batch
                await asyncio.sleep(0)
            # The pauses give the loop time to take all reports: what comes later is later.
            await asyncio.sleep(_PAUSE)
            async for paths in watcher:
                self._looked = time.time_ns()
                refs = self._changed(paths)
                for batch in self._batches(self._known(refs), refs):
                    yield batch
                if self._unmarked:
                    yield [self._settled()]
                await asyncio.sleep(max(_PAUSE, self._patience))

    def _changed(self, paths: Iterable[Path]) -> Sequence[SessionRef]:
        """Logs that have changed, by the files that have; by a list where one is not known."""
        names = {str(path) for path in paths}
        known = [self._by_path[name] for name in names & self._by_path.keys()]
        refs = {session.ref.path: session.ref for session in known}
        if names <= self._by_path.keys():
            return tuple(refs.values())
        began = time.monotonic()
        for ref in self._find():
            state = state_of(ref)
            if state is not None and self._versions.get(ref.path) != state.version:
                self._versions[ref.path] = state.version
                refs[ref.path] = ref
        self._patience = _SHARE * (time.monotonic() - began)
        return tuple(refs.values())

    def _survey(self) -> Sequence[tuple[int, _Session, Sequence[SessionRef]]]:
        """Sessions of which something is to be sent, by the time of the last write, with logs."""
        self._looked = time.time_ns()
        refs = self._find()
        logs: dict[int, list[SessionRef]] = {}
        for ref in sorted(refs, key=lambda ref: ref.parent_id is not None):
            for session in self._known([ref]):
                logs.setdefault(id(session), []).append(ref)
        if self._since is None:
            # Sent in the order of their times, as all others.
            self._sent_databases = database_keys(self._databases)
        sessions = {id(each): each for each in self._by_path.values()}
        found = [
            (stamp, sessions[key], of_session)
            for key, of_session in logs.items()
            if (stamp := self._resume(sessions[key], of_session)) is not None
        ]
        return sorted(found, key=lambda each: (each[0], each[1].ref.path))

    def _resume(self, session: _Session, refs: Sequence[SessionRef]) -> int | None:
        """Take what the cursor says was sent of a session; its time, None when all was sent."""
        since = self._since
        states = {ref.path: state for ref in refs if (state := state_of(ref)) is not None}
        stamp = max((state.stamp for state in states.values()), default=0)
        self._newest = max(self._newest, stamp)
        self._versions |= {path: state.version for path, state in states.items()}
        if since is None:
            return stamp
        database = database_of(session.ref)
        known = database is None or database_keys([database]) <= since.databases
        if stamp <= since.until and known:
            return None
        for path in states:
            sent = since.logs.get(key_of(path))
            if sent is not None:
                session.sent[path] = sent
        same = all(
            path in session.sent and session.sent[path].version == state.version
            for path, state in states.items()
        )
        return None if same else stamp

    def _known(self, refs: Iterable[SessionRef]) -> Sequence[_Session]:
        """The sessions that logs are of, each once, those that may have started an agent."""
        found = {id(each): each for ref in refs for each in self._sessions_of(ref)}
        return tuple(found.values())

    def _sessions_of(self, ref: SessionRef) -> Sequence[_Session]:
        known = self._by_path.get(ref.path)
        if known is not None:
            if known.ref.path == ref.path:
                known.ref = ref
            return [known]
        if ref.parent_id is None:
            return [self._add(ref)]
        mains = self._mains.get((ref.provider, ref.parent_id))
        if not self._subagents:
            return ()
        return mains or [self._add(ref)]

    def _add(self, ref: SessionRef) -> _Session:
        session = self._by_path[ref.path] = _Session(ref)
        if ref.parent_id is None:
            self._mains.setdefault((ref.provider, ref.session_id), []).append(session)
        database = database_of(ref)
        if database is not None:
            self._databases.add(database)
        return session

    def _batches(
        self, sessions: Sequence[_Session], refs: Sequence[SessionRef]
    ) -> Iterator[Iterable[Fields]]:
        """Lines of sessions, and of logs among `refs` that none of them has as an agent's."""
        wanted = [session for session in sessions if self._wanted(session.ref)]
        for session in wanted:
            yield self._advance(session)
        if not wanted:
            return
        for ref in refs:
            if ref.path not in self._by_path:
                yield self._advance(self._add(ref))

    def _advance(self, session: _Session) -> Iterator[Fields]:
        """Lines of what was written to a session since it was sent last."""
        try:
            with reading(session.ref):
                feed = self._opened(session)
                # What is written while it is read makes another state, and is read again.
                before = {log.ref.path: state_of(log.ref) for log in feed.logs}
                for line in feed.advance():
                    self._unmarked += 1
                    yield line
        except AgentViewError as error:
            self._close(session)
            self._failed(error.message)
            return
        for log in feed.logs:
            path = log.ref.path
            self._by_path.setdefault(path, session)
            state = before.get(path) or unknown_state(log.ref)
            session.sent[path] = sent_until(state, path, log.position)
            self._newest = max(self._newest, state.stamp)

    def _opened(self, session: _Session) -> SessionFeed:
        ref, feed = session.ref, session.feed
        if feed is None:
            provider = load_provider(ref.provider)
            agents = self._subagents and ref.parent_id is None
            feed = SessionFeed(provider, ref, self._form(provider), subagents=agents)
            feed.skip({path: position_in(path, sent) for path, sent in session.sent.items()})
            session.feed = feed
        self._open[ref.path] = session
        self._open.move_to_end(ref.path)
        while len(self._open) > _OPEN:
            self._open.popitem(last=False)[1].feed = None
        return feed

    def _close(self, session: _Session) -> None:
        session.feed = None
        self._open.pop(session.ref.path, None)

    def _settled(self) -> Fields:
        """The cursor when all that was reported has been sent."""
        self._until = max(self._until, min(self._newest, self._looked) - SLACK)
        self._sent_databases = database_keys(self._databases)
        return self._cursor()

    def _cursor(self) -> Fields:
        self._unmarked = 0
        sessions = {id(each): each for each in self._by_path.values()}.values()
        logs = {
            key_of(path): state
            for session in sessions
            if session.stamp > self._until
            for path, state in session.sent.items()
        }
        cursor = Cursor(self._until, logs, self._sent_databases)
        return {"v": VERSION, "type": CURSOR, "cursor": cursor.encoded()}
