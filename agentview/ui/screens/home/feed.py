"""Where the library gets its sessions from: what was known, a scan, indexing, what is written."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from agentview.domain.annotations import Annotations
from agentview.domain.session import SSH, SessionInfo, SessionRef
from agentview.domain.value import Value
from agentview.sessions.archive.manifest import archived_folders, has_archive
from agentview.sessions.clients.running import look_at_lists
from agentview.sessions.library.expiry import Expiring, expiring
from agentview.sessions.library.search_roots import DeletionRule, Roots, ScanBatch, Take
from agentview.sessions.library.session_list import Listing
from agentview.sessions.library.session_record import SessionFacts
from agentview.ui.on_loop import on_loop

MANY = 500
"""Sessions from which on it matters that they are many."""

AGAIN = 20.0
"""Seconds after which logs that have been written to are indexed again."""

Batches = Callable[[Callable[[], bool]], Iterator[ScanBatch]]
"""Gives sessions in batches, until the function that it is given says to stop."""


class Watch(Protocol):
    """Reports logs that are written, in a thread of its own."""

    def start(self, since: float, known: Iterable[str]) -> None:
        """Begin to watch.

        What was written from `since` on, epoch seconds, is reported at once, and which of the
        `known` logs have gone.
        """
        ...

    def close(self) -> None: ...


def _no_facts() -> Sequence[SessionFacts]:
    return ()


def _nothing(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
    return iter(())


def _next(batches: Iterator[ScanBatch]) -> ScanBatch | None:
    """The next batch; then what clients say is known too, on which the states in it depend."""
    found = next(batches, None)
    look_at_lists()
    return found


def _no_watch(_take: Take) -> Watch | None:
    return None


class Hosts(Protocol):
    """Gives sessions of other machines, in threads of its own."""

    def start(self) -> None: ...

    def close(self) -> None: ...


TakeHosts = Callable[[ScanBatch], None]
SayOfHost = Callable[[str, str | None], None]
"""Takes the name of a machine, and why it has not answered; None where it has."""


def _no_hosts(_take: TakeHosts, _say: SayOfHost) -> Hosts | None:
    return None


class LibrarySources(Value, gc=True):
    """How sessions are found. `first` gives at once what the first frame shows.

    `scan` finds all of them, `index` then fills in what only their contents show; both are slow
    and are run in a thread. `watch` reports what is written from then on. `places` are where it is
    looked, `roots` the same by provider. `hosts` are other machines.
    """

    scan: Batches
    index: Batches = _nothing
    first: Callable[[], Sequence[SessionFacts]] = _no_facts
    watch: Callable[[Take], Watch | None] = _no_watch
    places: Callable[[], Sequence[str]] = tuple
    roots: Callable[[], Roots] = tuple
    hosts: Callable[[TakeHosts, SayOfHost], Hosts | None] = _no_hosts


class Progress(Value):
    """How far looking has come: logs that are up to date of all there are, then indexed ones."""

    scanning: bool = True
    checked: int = 0
    total: int = 0
    indexing: bool = False
    indexed: int = 0
    to_index: int = 0


class LibraryFeed:
    """Fills a listing in the background; subscribers are notified after each change."""

    def __init__(self, sources: LibrarySources, listing: Listing) -> None:
        self.progress = Progress()
        self.listing = listing
        self.expiring: Sequence[Expiring] = ()
        """Sessions that their client deletes soon."""
        self._archived: frozenset[str] = frozenset()
        self.closed = False
        """Nobody wants it any more."""
        self._sources = sources
        self._subscribers: list[Callable[[], None]] = []
        self.takers: list[Callable[[Sequence[SessionInfo]], None]] = []
        """Take sessions that were found or have changed."""
        self._number = 0
        self._begun = self._looked = False
        self._task: asyncio.Task[None] | None = None
        self._watch: Watch | None = None
        self._hosts: Hosts | None = None
        self.silent: dict[str, str] = {}
        """Why machines have not answered, by their names."""
        self._again: asyncio.TimerHandle | None = None
        self._stale = False
        """Logs were written since the last look began."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Have `changed` called after each change; returns the function that ends it."""
        self._subscribers.append(changed)
        return lambda: self._subscribers.remove(changed)

    def _changed(self) -> None:
        for changed in tuple(self._subscribers):
            changed()

    def places(self) -> Sequence[str]:
        return self._sources.places()

    def is_archived(self, ref: SessionRef) -> bool:
        """Return True if a session was archived when it was last looked for."""
        return has_archive(ref, self._archived)

    async def roots(self) -> Roots:
        """Provider and directory of each place of sessions; found out in a thread."""
        return await asyncio.to_thread(self._sources.roots)

    def begin(self) -> None:
        """Take what is known, so that the first frame shows it; the first time only."""
        if self._begun:
            return
        self._begun = True
        first = self._sources.first()
        self.listing.add(first)
        self._hand_on([facts.info for facts in first])

    def look_first(self) -> bool:
        """Look for sessions, unless that was done; returns whether it was not."""
        first, self._looked = not self._looked, True
        if first:
            self.look()
        return first

    def look(self, *, quietly: bool = False) -> None:
        """Look for sessions, again or for the first time, then index what has changed.

        `quietly` without a word on how far that has come.
        """
        self.stop()
        number = self._number
        work = self._look(lambda: number != self._number, quietly=quietly)
        self._stale = False
        self._task = asyncio.create_task(work)
        self._task.add_done_callback(lambda _task: self._index_again())

    def stop(self) -> None:
        """Look no longer; a thread that is still at it ends soon."""
        self._number += 1
        if self._again is not None:
            self._again.cancel()
            self._again = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def close(self) -> None:
        """Look no longer, nor watch; it may be closed already."""
        self.closed = True
        self.stop()
        if self._watch is not None:
            self._watch.close()
            self._watch = None
        if self._hosts is not None:
            self._hosts.close()

    async def _look(self, stopped: Callable[[], bool], *, quietly: bool) -> None:
        began = time.time()
        batches = self._sources.scan(stopped)
        await self._begin_hosts()
        self._archived = await asyncio.to_thread(archived_folders)
        unseen = self._paths_here()
        rules: Sequence[DeletionRule] = ()
        while (found := await asyncio.to_thread(_next, batches)) is not None:
            scanning = not (found.done or quietly)
            self.progress = Progress(scanning, found.checked, found.total)
            unseen.difference_update(facts.info.ref.path for facts in found.facts)
            if found.done and unseen:
                # They are gone, whoever reported them.
                self.listing.forget(unseen)
            self._take(found)
            rules = found.rules
        self.expiring = await asyncio.to_thread(expiring, self.listing.facts(), rules, time.time())
        scanned = Progress(False, self.progress.checked, self.progress.total)
        self._set_progress(scanned)
        await self._begin_watch(began)
        batches = self._sources.index(stopped)
        while (found := await asyncio.to_thread(_next, batches)) is not None:
            self.progress = replace(
                scanned,
                indexing=not (found.done or quietly),
                indexed=found.checked,
                to_index=found.total,
            )
            # What was forgotten meanwhile stays so.
            known = self.listing.get
            there = tuple(facts for facts in found.facts if known(facts.info.ref.path))
            self._take(replace(found, facts=there))
        self._set_progress(scanned)

    def annotate(self, annotations: Mapping[tuple[str, str], Annotations]) -> None:
        """Take what people added to sessions, by provider and session id."""
        self.listing.annotate(annotations)
        self._changed()

    def _set_progress(self, progress: Progress) -> None:
        if progress != self.progress:
            self.progress = progress
            self._changed()

    def _hand_on(self, infos: Sequence[SessionInfo]) -> None:
        for take in self.takers:
            take(infos)

    def _take(self, found: ScanBatch) -> None:
        self.listing.add(found.facts)
        self._hand_on([facts.info for facts in found.facts])
        if found.gone:
            self.listing.forget(found.gone)
        self._changed()

    async def _begin_hosts(self) -> None:
        if self._hosts is not None:
            return
        # In a thread, as the watch.
        self._hosts = await asyncio.to_thread(
            self._sources.hosts, on_loop(self._take), on_loop(self._take_silence)
        )
        if self._hosts is not None:
            self._hosts.start()

    def _take_silence(self, host: str, sentence: str | None) -> None:
        if sentence is None:
            self.silent.pop(host, None)
        else:
            self.silent[host] = sentence
        self._changed()

    async def _begin_watch(self, since: float) -> None:
        if self._watch is not None:
            return
        written = on_loop(self._take_written)

        def take(infos: Sequence[SessionInfo], gone: Sequence[str]) -> None:
            look_at_lists()
            written(infos, gone)

        # In a thread: to import what it needs takes longer than a frame.
        self._watch = await asyncio.to_thread(self._sources.watch, take)
        if self._watch is not None:
            self._watch.start(since, self._paths_here())

    def _paths_here(self) -> set[str]:
        return {path for path in self.listing.paths() if not path.startswith(SSH)}

    def _take_written(self, infos: Sequence[SessionInfo], gone: Sequence[str]) -> None:
        """Take logs as they are now; what indexing knew of them is kept until it is done again."""
        known = (self.listing.get(info.ref.path) for info in infos)
        pairs = zip(infos, known, strict=True)
        self.listing.add(SessionFacts(info, facts and facts.totals) for info, facts in pairs)
        self.listing.forget(gone)
        self._hand_on(infos)
        self._changed()
        self._stale = True
        self._index_again()

    def _index_again(self) -> None:
        if self._stale and self._again is None and self._task is not None and self._task.done():
            loop = asyncio.get_running_loop()
            self._again = loop.call_later(AGAIN, lambda: self.look(quietly=True))
