"""Finds the session with which the client of one that has ended continued.

Imported once a session has ended: most screens need none of it.
"""

import asyncio
import time
from pathlib import Path

from agentview.clients.running import continued_in
from agentview.domain.session import Continuation, SessionInfo, SessionRef, StreamKind
from agentview.domain.session_state import IDLE_AFTER
from agentview.errors import AgentViewError
from agentview.ingest.moved_log import places_of
from agentview.providers.base import Provider

_REST = 50.0
"""Between two looks at all logs, by how long the last one took: they may take 2 % of the time."""


class ContinuationSearch:
    """Looks for what continued a session, again and again until it is found."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._due = 0.0
        self._inferred: SessionRef | None = None

    async def look(
        self, ref: SessionRef, info: SessionInfo | None, ended: float | None
    ) -> Continuation | None:
        """What is known now; `ended` is the time of the last record, epoch seconds."""
        return await asyncio.to_thread(self._look, ref, info and info.project, ended)

    def _look(
        self, ref: SessionRef, project: str | None, ended: float | None
    ) -> Continuation | None:
        if (known := continued_in(ref)) is not None:
            return Continuation(known)
        # Of one that ended long ago, nobody waits for what came next.
        recent = ended is not None and time.time() - ended < IDLE_AFTER
        began = time.monotonic()
        if project is not None and ended is not None and recent and began >= self._due:
            self._inferred = _newest_since(self._provider, ref, project, ended)
            self._due = time.monotonic() + _REST * (time.monotonic() - began)
        found = self._inferred
        return None if found is None else Continuation(found, inferred=True)


def _newest_since(
    provider: Provider, ended: SessionRef, project: str, since: float
) -> SessionRef | None:
    """The session of a directory that began last, after a time, epoch seconds."""
    newest, began = None, since
    for place in places_of(provider, Path(ended.path)):
        for entry in provider.discovery.files(place):
            try:
                written = entry.stat().st_mtime >= since
                ref = provider.session_of(entry) if written else None
                info = None if ref is None or not _is_other(ref, ended) else provider.info(ref)
            except (AgentViewError, OSError):
                continue
            if info is None or info.project != project or info.started is None:
                continue
            if info.started > began:
                newest, began = info.ref, info.started
    return newest


def _is_other(ref: SessionRef, ended: SessionRef) -> bool:
    """True for another session of a person: none of an agent, and none that cannot be read."""
    own = ref.stream.kind is StreamKind.MAIN and ref.parent_id is None and ref.fault is None
    return own and ref.session_id != ended.session_id
