"""Finds the session with which the client of another one continued.

Imported once the agent of a session is at rest: the first frame needs none of it.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from agentview.domain.session import Continuation, SessionInfo, SessionRef, StreamKind
from agentview.domain.session_state import IDLE_AFTER
from agentview.errors import AgentViewError
from agentview.providers.base import Provider
from agentview.sessions.clients.running import continued_in, other_logs
from agentview.sessions.following.moved_log import places_of

_REST = 50.0
"""Between two looks at all logs, by how long the last one took: they may take 2 % of the time."""


class ContinuationSearch:
    """Looks for what continued a session, again and again until it is found."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._due = 0.0
        self._inferred: SessionRef | None = None
        self._named: SessionRef | None = None
        """The session that the log itself names, once it is found."""
        self._opened: dict[str, SessionInfo] = {}
        """Sessions whose logs the process has open, by path, once it is known when they began."""

    async def look(
        self,
        ref: SessionRef,
        info: SessionInfo | None,
        last: float | None,
        named: str | None,
        *,
        ended: bool,
    ) -> Continuation | None:
        """The session's present continuation; `last` is the time of the last record, epoch seconds.

        `named` is the id of the session with which it continued by its own log.

        A client may have turned to another session though this one has not `ended`: it still has
        both logs open for a while.
        """
        if named is not None:
            return await asyncio.to_thread(self._look_for, ref, named)
        return await asyncio.to_thread(self._look, ref, info and info.project, last, ended=ended)

    def _look_for(self, ref: SessionRef, named: str) -> Continuation | None:
        """The session with an id, as soon as it is there."""
        began = time.monotonic()
        if (self._named is None or self._named.session_id != named) and began >= self._due:
            self._named = _with_id(self._provider, ref, named)
            self._due = time.monotonic() + _REST * (time.monotonic() - began)
        return None if self._named is None else Continuation(self._named)

    def _look(
        self, ref: SessionRef, project: str | None, last: float | None, *, ended: bool
    ) -> Continuation | None:
        if ended and (listed := continued_in(ref)) is not None:
            return Continuation(listed)
        opened = [info for path in other_logs(ref) if (info := self._info(path, ref)) is not None]
        if ended and len(opened) == 1:
            return Continuation(opened[0].ref)
        if project is None or last is None:
            return None
        found = _newest(opened, project, last)
        if found is None and ended:
            found = self._newest_of_all(ref, project, last)
        return None if found is None else Continuation(found, inferred=True)

    def _info(self, path: str, ref: SessionRef) -> SessionInfo | None:
        """Facts of another session of a person from its log; None where it is none."""
        if path not in self._opened:
            try:
                found = self._provider.session_in(Path(path))
                info = None if found is None else self._provider.info(found)
            except AgentViewError:
                return None
            if info is None or not _is_other(info.ref, ref):
                return None
            if info.started is None:
                return info
            self._opened[path] = info
        return self._opened[path]

    def _newest_of_all(self, ref: SessionRef, project: str, last: float) -> SessionRef | None:
        # Of one that ended long ago, nobody waits for what came next.
        began = time.monotonic()
        if time.time() - last < IDLE_AFTER and began >= self._due:
            written = _written_since(self._provider, ref, last)
            self._inferred = _newest(written, project, last)
            self._due = time.monotonic() + _REST * (time.monotonic() - began)
        return self._inferred


def _newest(infos: Iterable[SessionInfo], project: str, since: float) -> SessionRef | None:
    """The session of a directory that began last, after a time, epoch seconds."""
    newest, began = None, since
    for info in infos:
        if info.project == project and info.started is not None and info.started > began:
            newest, began = info.ref, info.started
    return newest


def _with_id(provider: Provider, ended: SessionRef, name: str) -> SessionRef | None:
    """The session of the same client that has an id, which the path of its log has too."""
    for place in places_of(provider, Path(ended.path)):
        for entry in provider.discovery.files(place):
            with suppress(AgentViewError, OSError):
                ref = provider.session_of(entry) if name in entry.path else None
                if ref is not None and ref.session_id == name and _is_other(ref, ended):
                    return ref
    return None


def _written_since(provider: Provider, ended: SessionRef, since: float) -> Iterator[SessionInfo]:
    """Other sessions of the client whose logs were written after a time, epoch seconds."""
    for place in places_of(provider, Path(ended.path)):
        for entry in provider.discovery.files(place):
            with suppress(AgentViewError, OSError):
                ref = provider.session_of(entry) if entry.stat().st_mtime >= since else None
                if ref is not None and _is_other(ref, ended):
                    yield provider.info(ref)


def _is_other(ref: SessionRef, ended: SessionRef) -> bool:
    """True for another session of a person: none of an agent, and none that cannot be read."""
    own = ref.stream.kind is StreamKind.MAIN and ref.parent_id is None and ref.fault is None
    return own and ref.session_id != ended.session_id
