"""Finds a log again that its client has moved to another place while it is followed."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers.base import Provider
from agentview.providers.session_logs import session_logs
from agentview.sources.file_stamp import stamp_of
from agentview.sources.watch.watcher import Watcher


class FollowedLog(Protocol):
    """Reads a log, and continues with it at another path."""

    @property
    def ref(self) -> SessionRef: ...

    def move(self, ref: SessionRef) -> None:
        """Continue at the place of `ref`: it is the same session."""
        ...


async def changes(
    watcher: Watcher, provider: Provider, log: FollowedLog
) -> AsyncIterator[frozenset[Path]]:
    """The changes that `watcher` reports; a log that is gone is looked for by its session.

    While it is nowhere, the places of its provider are watched: it may come back in any of them.
    """
    search = _Search(watcher, provider, log)
    # A log that went before it was watched is in no report.
    if stamp_of(log.ref.path) is None:
        yield await search.look(frozenset({Path(log.ref.path)}))
    async for reported in watcher:
        yield await search.look(reported)


_Log = TypeVar("_Log", bound=FollowedLog)


def take_moved(logs: dict[str, _Log], ref: SessionRef) -> _Log | None:
    """Take out, and move to the place of `ref`, the log of the same agent that is gone there."""
    for path, log in logs.items():
        if log.ref.stream == ref.stream and path != ref.path and stamp_of(path) is None:
            log.move(ref)
            return logs.pop(path)
    return None


class _Search:
    """Looks for the log where that may help."""

    def __init__(self, watcher: Watcher, provider: Provider, log: FollowedLog) -> None:
        self._watcher = watcher
        self._provider = provider
        self._log = log
        self._places: list[Path] = []
        """Watched only while the log is nowhere."""

    async def look(self, changed: frozenset[Path]) -> frozenset[Path]:
        """The changes, and the logs at their new paths where they have moved."""
        lost = self._log.ref
        if stamp_of(lost.path) is not None:
            self._give_up()
            return changed
        if Path(lost.path) not in changed and not self._places:
            return changed
        self._watch_places(lost)
        ref = await asyncio.to_thread(_found, self._provider, lost)
        return changed if ref is None else changed | self._move(lost, ref)

    def _move(self, lost: SessionRef, ref: SessionRef) -> frozenset[Path]:
        discovery = self._provider.discovery
        self._log.move(ref)
        self._give_up()
        self._watcher.remove([Path(lost.path)])
        self._watcher.add_files([Path(ref.path)])
        for place in discovery.child_places(ref):
            self._watcher.add_tree(place)
        return frozenset(Path(log.path) for log in session_logs(discovery, ref))

    def _watch_places(self, lost: SessionRef) -> None:
        if self._places:
            return
        own = set(self._provider.discovery.child_places(lost))
        roots = places_of(self._provider, Path(lost.path))
        self._places = [place for place in roots if place not in own]
        for place in self._places:
            self._watcher.add_tree(place)

    def _give_up(self) -> None:
        if self._places:
            self._watcher.remove(self._places)
            self._places = []


def places_of(provider: Provider, path: Path) -> list[Path]:
    """Where other logs of the client of a log are: its places, else the directory of the log."""
    own = list(provider.discovery.roots(os.environ))
    return own if any(path.is_relative_to(root) for root in own) else [path.parent]


def _found(provider: Provider, lost: SessionRef) -> SessionRef | None:
    """The log of the same session in another file, the one that changed last."""
    found: list[SessionRef] = []
    for path in _candidates(provider, lost):
        with suppress(AgentViewError, OSError):
            # A name and the records may have different ids: either may be the one that is known.
            refs = (provider.session_in(path), provider.discovery.ref(path))
            found += [ref for ref in refs if ref is not None and _is_same(ref, lost)][:1]
    return max(found, key=lambda ref: ref.modified or 0.0, default=None)


def _candidates(provider: Provider, lost: SessionRef) -> Iterator[Path]:
    """Files that have the log's name or the session's id in their name."""
    old = Path(lost.path)
    for root in places_of(provider, old):
        for entry in provider.discovery.files(root):
            if entry.path != lost.path and (
                entry.name == old.name or lost.session_id in entry.name
            ):
                yield Path(entry.path)


def _is_same(ref: SessionRef, lost: SessionRef) -> bool:
    return (ref.session_id, ref.stream) == (lost.session_id, lost.stream)
