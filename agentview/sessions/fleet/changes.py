"""Sessions of this machine for another one: as they are now, then as they change."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from agentview.sessions.fleet.protocol import Answer, FollowRequest, Scanned
from agentview.sessions.fleet.sessions import messages_of, stated
from agentview.sessions.library.live_list import WithState, starting_sessions
from agentview.sessions.library.liveness import may_be_live, standing
from agentview.sessions.library.scan.workers import index_in_worker
from agentview.sessions.library.search_roots import Roots, SearchRoots
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.state_watch import KnownLogs, log_looks
from agentview.sessions.targets.session_query import all_annotations, catalogue, known_roots

_AGAIN = 20.0
"""Seconds after which logs that have been written to are indexed again."""


class _Changes(KnownLogs):
    """Sessions with their states, compared with what was given before."""

    def __init__(self) -> None:
        super().__init__(agents=True)
        self._given: dict[str, tuple[SessionFacts, SessionFacts]] = {}
        """Facts as they are known here, and as they were given."""
        self._starting: dict[str, SessionFacts] = {}

    def changed(self, roots: Roots, now: float) -> tuple[list[SessionFacts], list[str]]:
        """Sessions that are not as they were given, and paths of those that are gone."""
        added = all_annotations()
        found: list[SessionFacts] = []
        for path, facts in self.facts.items():
            before = self._given.get(path)
            ref = facts.info.ref
            if before is not None and before[0] is facts and not may_be_live(ref, now):
                continue
            shown = facts if ref.parent_id is not None else _stated(facts, now)
            shown = shown.annotated(added.of(ref))
            if before is None or before[1] != shown:
                found.append(shown)
            self._given[path] = facts, shown
        gone = [path for path in self._given if path not in self.facts]
        for path in gone:
            del self._given[path]
        starting, over = self._begun(roots)
        return [*found, *starting], [*gone, *over]

    def _begun(self, roots: Roots) -> tuple[list[SessionFacts], list[str]]:
        """Clients that began and have no log yet, and the paths of those that are over."""
        ids = {(each.info.ref.provider, each.info.ref.session_id) for each in self.facts.values()}
        clients = starting_sessions(roots, lambda ref: (ref.provider, ref.session_id) in ids)
        present = {each.facts.info.ref.path: stated(each) for each in clients}
        new = [facts for path, facts in present.items() if self._starting.get(path) != facts]
        over = [path for path in self._starting.keys() - present if path not in self.facts]
        self._starting = present
        return new, over


def _stated(facts: SessionFacts, now: float) -> SessionFacts:
    state = standing(facts.info, now)
    pid = None if state.client is None else state.client.pid
    return stated(WithState(facts, (), state.status, pid, state.live))


async def changes_here(request: FollowRequest) -> AsyncGenerator[Answer]:
    """All sessions, `Scanned`, then each that changes, until it is closed."""
    roots = await asyncio.to_thread(known_roots, request.provider)
    known, first = _Changes(), True
    indexing = asyncio.create_task(_index(known, SearchRoots(fixed=roots)))
    try:
        async with aclosing(log_looks(known, roots, catalogue())) as looks:
            async for now in looks:
                found, gone = known.changed(roots, now)
                for message in messages_of(found, gone):
                    yield message
                if first:
                    yield Scanned()
                    first = False
    finally:
        indexing.cancel()


async def _index(known: _Changes, places: SearchRoots) -> None:
    """Have totals of logs counted, and again of those that were written to."""
    revision = -1
    while True:
        if known.scanned and known.revision != revision:
            revision = known.revision
            batches = index_in_worker(places)
            while (found := await asyncio.to_thread(next, batches, None)) is not None:
                known.counted(found.facts)
        await asyncio.sleep(_AGAIN if known.scanned else 0.1)
