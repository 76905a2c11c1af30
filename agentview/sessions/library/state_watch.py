"""States of sessions as they change, for programs without a screen."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence
from agentview.domain.value import Value
from agentview.sessions.clients.running import is_starting, look_at_clients
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.live_list import WithState, starting_sessions
from agentview.sessions.library.liveness import (
    current_status,
    may_be_live,
    standing,
)
from agentview.sessions.library.scan.scanner import info_of_file, scan_sessions
from agentview.sessions.library.scan.watcher import SessionWatch
from agentview.sessions.library.search_roots import Roots, SearchRoots
from agentview.sessions.library.session_record import SessionFacts
from agentview.sources.member import member_of
from agentview.sources.watch.watcher import Watcher

INTERVAL = 1.0
"""Seconds after which logs are compared with what is known, and time is taken into account."""

Clock = Callable[[], float]


class StateChange(Value):
    """A session that came into another state; `before` is None the first time."""

    facts: SessionFacts
    status: SessionStatus
    before: SessionStatus | None = None
    pid: int | None = None
    """The process of its client, where it is known."""


class KnownLogs:
    """Facts of sessions from their logs; without `agents`, those of agents are left out."""

    def __init__(self, *, agents: bool) -> None:
        self._agents = agents
        self.facts: dict[str, SessionFacts] = {}
        """By path."""
        self.scanned = False
        """All places were looked at."""
        self.revision = 0
        """Another one after each log that was written."""

    def take(self, found: Iterable[SessionFacts]) -> None:
        for facts in found:
            if self._agents or facts.info.ref.parent_id is None:
                self.facts[facts.info.ref.path] = facts

    def written(self, infos: Iterable[SessionInfo]) -> None:
        """Take logs that were written; what indexing knew of them is kept."""
        known = [(info, self.facts.get(info.ref.path)) for info in infos]
        self.revision += bool(known)
        self.take(SessionFacts(info, facts and facts.totals) for info, facts in known)

    def counted(self, found: Iterable[SessionFacts]) -> None:
        for facts in found:
            known = self.facts.get(facts.info.ref.path)
            if known is not None:
                self.take([replace(known, totals=facts.totals)])

    def forget(self, paths: Iterable[str]) -> None:
        for path in paths:
            self.facts.pop(path, None)

    def changed_logs(self, now: float) -> list[SessionInfo]:
        """Sessions in sight whose log is not as it was known, by its size and time."""
        found: list[SessionInfo] = []
        for facts in tuple(self.facts.values()):
            ref = facts.info.ref
            if may_be_live(ref, now) and _differs(ref):
                info = info_of_file(ref.provider, Path(ref.path))
                if info is not None:
                    found.append(info)
        return found


class _States(KnownLogs):
    """The states of sessions that may need somebody, compared with what they were.

    Subagents are part of their sessions.
    """

    def __init__(self) -> None:
        super().__init__(agents=False)
        self._shown: dict[str, SessionStatus] = {}
        self._starting: dict[str, WithState] = {}
        """Clients that run and had no log yet, by the logs that they are expected to write."""

    def forget(self, paths: Iterable[str]) -> None:
        """Drop sessions whose logs are gone, with their states."""
        gone = tuple(paths)
        super().forget(gone)
        for path in gone:
            self._shown.pop(path, None)

    def changes(self, now: float) -> list[StateChange]:
        """Sessions whose state differs from the one before; a session out of sight has none."""
        found: list[StateChange] = []
        for path, facts in self.facts.items():
            before, state = self._shown.get(path), standing(facts.info, now)
            if before is None and not state.in_sight:
                continue
            status, client = state.status, state.client
            if before is None or before.label != status.label or _asks_more(before, status):
                pid = None if client is None else client.pid
                found.append(StateChange(facts, status, before, pid))
            self._shown[path] = status
        return found

    def begun(self, roots: Roots, now: float) -> list[StateChange]:
        """Clients that began and have no log yet, and those that are gone without having one."""
        logs = {(ref.provider, ref.session_id): path for path, ref in self._refs()}
        found = starting_sessions(roots, lambda ref: (ref.provider, ref.session_id) in logs)
        present = {each.facts.info.ref.path: each for each in found}
        changes: list[StateChange] = []
        for path in self._starting.keys() - present.keys():
            left, status = self._starting[path], self._shown.pop(path, None)
            ref = left.facts.info.ref
            log = logs.get((ref.provider, ref.session_id))
            if log is None and not os.path.exists(path):  # noqa: PTH110  (as in `_differs`)
                ended = SessionStatus(SessionState.ENDED, now, StateEvidence.REGISTRY)
                changes.append(StateChange(left.facts, ended, status, left.pid))
            elif status is not None:
                self._shown.setdefault(log or path, status)
        for path in present.keys() - self._starting.keys():
            each = present[path]
            self._shown[path] = each.status
            changes.append(StateChange(each.facts, each.status, None, each.pid))
        self._starting = present
        return changes

    def _refs(self) -> Iterable[tuple[str, SessionRef]]:
        return ((path, facts.info.ref) for path, facts in self.facts.items())


def _asks_more(before: SessionStatus, status: SessionStatus) -> bool:
    """True if the person is asked something else, or it is known only now what.

    A log is written after a registry.
    """
    return status.needs_you and status.about is not None and before.subject != status.subject


async def state_changes(
    roots: Roots, catalogue: SessionCache, clock: Clock = time.time
) -> AsyncGenerator[Sequence[StateChange]]:
    """First the live sessions under `roots`, then each change of a state, until it is closed."""
    states = _States()
    async with aclosing(log_looks(states, roots, catalogue, clock)) as looks:
        async for now in looks:
            changed = [*states.begun(roots, now), *states.changes(now)]
            if changed:
                yield changed


async def log_looks(
    known: KnownLogs, roots: Roots, catalogue: SessionCache, clock: Clock = time.time
) -> AsyncGenerator[float]:
    """Have all logs under `roots` known, and what is written to them, until it is closed.

    Gives the time whenever it may be that something has changed.
    """
    loop, wake = asyncio.get_running_loop(), asyncio.Event()

    def take(infos: Sequence[SessionInfo], gone: Sequence[str]) -> None:
        known.written(infos)
        known.forget(gone)
        wake.set()

    def take_elsewhere(infos: Sequence[SessionInfo], gone: Sequence[str]) -> None:
        # The loop is closed before its threads are.
        if not loop.is_closed():
            loop.call_soon_threadsafe(take, infos, gone)

    watch = SessionWatch(SearchRoots(fixed=roots), take_elsewhere)
    began = time.time()
    try:
        for batch in scan_sessions(roots, catalogue=catalogue):
            known.take(batch.facts)
            known.forget(batch.gone)
        known.scanned = True
        watch.start(began, tuple(known.facts))
        while True:
            yield clock()
            await _wait(wake)
            # A watch that polls reports later than this.
            known.written(known.changed_logs(clock()))
    finally:
        watch.close()


async def statuses(ref: SessionRef, clock: Clock = time.time) -> AsyncGenerator[SessionStatus]:
    """The status of one session now and whenever it may be another one, until its log is gone.

    A session whose client has just begun may have no log yet.
    """
    with Watcher() as watcher:
        watcher.add_files([Path(ref.path)])
        wake = asyncio.Event()
        follow = asyncio.create_task(_forward(watcher, wake))
        try:
            begun = not is_starting(ref)
            while is_starting(ref):
                yield SessionStatus(SessionState.STARTING, None, StateEvidence.REGISTRY)
                await _wait(wake)
            info = info_of_file(ref.provider, Path(ref.path))
            if info is None and not begun:
                yield SessionStatus(SessionState.ENDED, clock(), StateEvidence.REGISTRY)
            while info is not None:
                yield current_status(info, clock())
                if await _wait(wake) or _differs(info.ref):
                    info = info_of_file(ref.provider, Path(ref.path))
        finally:
            follow.cancel()


async def _forward(watcher: Watcher, wake: asyncio.Event) -> None:
    async for _ in watcher:
        wake.set()


async def _wait(wake: asyncio.Event) -> bool:
    """Wait for a report, at most for `INTERVAL`; whether one came. Then processes are known."""
    await asyncio.to_thread(look_at_clients)
    try:
        async with asyncio.timeout(INTERVAL):
            await wake.wait()
    except TimeoutError:
        return False
    wake.clear()
    return True


def _differs(ref: SessionRef) -> bool:
    """Return True if a file has another size or time than it had; a database is not looked at."""
    if member_of(ref.path) is not None:
        return False
    try:
        status = os.stat(ref.path)  # noqa: PTH116  (thousands of objects take longer than all else)
    except OSError:
        return True
    return (ref.size, ref.modified) != (status.st_size, status.st_mtime)
