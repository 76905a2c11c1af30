"""Lists of clients that say which processes have their sessions, read again when they change."""

import os
import stat
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session_state import ClientFacts, StateEvidence
from agentview.providers.base import ListedClient, LiveRegistry
from agentview.sources.files import read_part
from agentview.system import platforms

ENTRY_BYTES = 65_536
"""Bytes of an entry that are read; one that is longer is none."""
MOST_ENTRIES = 1024
LOOK = 0.1
"""Seconds for which the list is taken to be as it was."""
PROCESS_LOOK = 1.5
"""Seconds between two looks at the processes of entries that have not changed."""
_STAT_BYTES = 4096
_DEAD = frozenset({"Z", "X", "x"})
"""States of a process that has ended and is only still listed."""
_LATER = 10.0
"""Seconds by which a process may begin after its client says so: clocks are read at two times."""

_Stamp = tuple[int, int, int]


@dataclass(slots=True)
class _Entry:
    """A file of the list, as it was when it was last read."""

    stamp: _Stamp | None
    owner: int
    client: ListedClient | None
    runs: bool | None = None
    gone: float | None = None
    """When its process was found to be gone that had been there, epoch seconds."""
    details: tuple[str, _Stamp] | None = None
    """The file with its details, as it was then."""


class Registry:
    """The list in one directory, or the file of one session.

    Also who was in it before, while we run.
    """

    def __init__(self, place: str, form: LiveRegistry) -> None:
        self.place = place
        self.details_place = form.details_at(place)
        self._form = form
        self._evidence = StateEvidence.HOOKS if form.by_hooks else StateEvidence.REGISTRY
        if form.is_file:
            self._evidence = StateEvidence.PROCESS
        self._files: dict[str, _Entry] = {}
        self._sessions: dict[str, list[_Entry]] = {}
        self._seen: dict[str, float | None] = {}
        """Sessions that were in the list; when they were found to be gone from it."""
        self._had: dict[str, ListedClient] = {}
        """The client that ran each session last."""
        self._present = False
        self._whole = False
        """Whether all entries could be read."""
        self._lock = threading.Lock()
        self._looked: float | None = None
        self._checked = -PROCESS_LOOK

    def look(self) -> None:
        """Read the list again, unless that was done just before.

        Takes as long as the file system does. Once it was read, a question on an event loop is
        answered by what was found last: somebody else has to look.
        """
        with self._lock:
            self._look()

    def facts(self, session_id: str, *, expected: bool) -> ClientFacts | None:
        """Return the list's facts on the client of a session; None where it has none.

        With `expected`, a client that is not in the list does not run.
        """
        self._renew()
        entries = self._sessions.get(session_id)
        if entries:
            return self._facts_of(session_id, entries)
        if session_id in self._seen:
            gone = self._seen[session_id]
            return ClientFacts(alive=False, evidence=self._evidence, since=gone)
        if expected and self._present and self._whole:
            return ClientFacts(alive=False, evidence=self._evidence, certain=False)
        return None

    def _facts_of(self, session_id: str, entries: Sequence[_Entry]) -> ClientFacts:
        best = max(entries, key=_rank)
        client = best.client
        if client is not None and client.over:
            said = StateEvidence.REGISTRY if self._form.is_file else self._evidence
            return ClientFacts(alive=False, evidence=said, since=client.since)
        if client is None or best.runs is False:
            here = client is not None and client.here is True and not self._form.partial
            known = session_id in self._seen or here
            reported = client.since if client is not None and self._form.by_hooks else None
            return ClientFacts(
                alive=False,
                evidence=StateEvidence.PROCESS,
                certain=known,
                since=best.gone or reported,
            )
        said = self._form.is_file and client.activity is not None
        return ClientFacts(
            alive=True,
            evidence=StateEvidence.REGISTRY if said else self._evidence,
            certain=best.runs is True,
            activity=client.activity,
            since=client.since,
            pid=client.pid,
            began=None if self._form.is_file or self._form.by_hooks else client.started_at,
            name=client.name,
            about=client.about,
        )

    def running(self) -> list[ListedClient]:
        """The clients in the list whose processes are known to be there, with those to spare."""
        self._renew()
        entries = self._files.values()
        return [entry.client for entry in entries if entry.client is not None and entry.runs]

    def successor(self, session_id: str) -> ListedClient | None:
        """The process of a session, with the one that it has now; None where that is the same."""
        had, now = self._had.get(session_id), self.running()
        if had is None or any(client.session_id == session_id for client in now):
            return None
        same = [each for each in now if (each.pid, each.started) == (had.pid, had.started)]
        return next((each for each in same if not each.spare), None)

    def details(self) -> list[str]:
        return [entry.details[0] for entry in self._files.values() if entry.details is not None]

    def expire(self) -> None:
        """Read the list again with the next look: it has changed since."""
        if self._looked is not None:
            self._looked = -LOOK

    def _renew(self) -> None:
        if self._is_due() and (self._looked is None or not on_event_loop()):
            self.look()

    def _is_due(self) -> bool:
        return self._looked is None or time.monotonic() - self._looked >= LOOK

    def _look(self) -> None:
        if not self._is_due():
            return
        self._looked = now = time.monotonic()
        changed = self._list()
        if now - self._checked >= PROCESS_LOOK:
            self._checked = now
            for entry in self._files.values():
                changed = _check(entry) or changed
        if changed:
            self._join()

    def _list(self) -> bool:
        """Read entries that are new or have changed; whether there are any, or some are gone."""
        folder, names = self._names()
        whole, changed = len(names) <= MOST_ENTRIES, False
        found: dict[str, _Entry] = {}
        for name in names[:MOST_ENTRIES]:
            known = self._files.get(name)
            entry = self._entry(folder, name, known)
            whole = whole and entry.client is not None
            changed = changed or entry is not known
            found[name] = entry
        changed = changed or len(found) != len(self._files) or whole != self._whole
        self._files, self._whole = found, whole
        return changed

    def _names(self) -> tuple[str, list[str]]:
        """The directory of the entries, and their names."""
        if self._form.is_file:
            folder, name = os.path.split(self.place)
            self._present = os.path.lexists(self.place)
            return folder, [name] if self._present and self._form.is_entry(name) else []
        try:
            names = [name for name in os.listdir(self.place) if self._form.is_entry(name)]  # noqa: PTH208
            self._present = True
        except OSError:
            names, self._present = [], False
        return self.place, names

    def _entry(self, folder: str, name: str, known: _Entry | None) -> _Entry:
        path = os.path.join(folder, name)  # noqa: PTH118
        try:
            status = os.lstat(path)
        except OSError:
            return known or _Entry(None, -1, None)
        stamp = _stamp(status)
        if known is not None and known.stamp == stamp and known.details == self._details(known):
            return known
        client = None
        if self._counts(status):
            data = read_part(Path(path), 0, ENTRY_BYTES)
            client = self._form.entry(data, name)
        if client is not None and self._form.by_hooks:
            client = replace(client, since=status.st_mtime)
        if client is not None and (self._form.by_hooks or self._form.is_file):
            # Who wrote it had begun by then, whatever it says of its session.
            client = replace(client, started_at=status.st_mtime)
        if client is None and known is not None and known.client is not None:
            # It is being written: what it said before counts until it can be read.
            known.stamp = None
            return known
        entry = _Entry(stamp, status.st_uid, client)
        entry.details = self._details(entry)
        if client is not None and entry.details is not None:
            said = read_part(Path(entry.details[0]), 0, ENTRY_BYTES)
            entry.client = self._form.detailed(client, said)
        _check(entry)
        return entry

    def _details(self, entry: _Entry) -> tuple[str, _Stamp] | None:
        """The file with the details of an entry, as it is now; None where there is none of ours."""
        client = entry.client
        if client is None or client.details is None or self.details_place is None:
            return None
        path = os.path.join(self.details_place, client.details)  # noqa: PTH118
        try:
            status = os.lstat(path)
        except OSError:
            return None
        return (path, _stamp(status)) if self._counts(status) else None

    def _counts(self, status: os.stat_result) -> bool:
        """True if a file is one of ours: entries of others say nothing of processes of ours."""
        if not stat.S_ISREG(status.st_mode) or status.st_uid != platforms.user_id():
            return False
        return not self._form.by_hooks or not status.st_mode & 0o077

    def _join(self) -> None:
        sessions: dict[str, list[_Entry]] = {}
        for entry in self._files.values():
            if entry.client is not None and not entry.client.spare:
                sessions.setdefault(entry.client.session_id, []).append(entry)
        now = time.time()
        for session_id, gone in self._seen.items():
            if session_id not in sessions and gone is None:
                self._seen[session_id] = now
        for session_id, entries in sessions.items():
            for entry in entries:
                if entry.client is not None and entry.runs:
                    self._seen[session_id] = None
                    self._had[session_id] = entry.client
        self._sessions = sessions


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino


def on_event_loop() -> bool:
    """Return True if this thread runs an event loop, which must not wait for a file system."""
    # Who runs a loop has imported this, which takes longer than all else here.
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _check(entry: _Entry) -> bool:
    """Look at the process of an entry; whether it says something else than before."""
    before = entry.runs
    if entry.client is not None:
        entry.runs = not entry.client.over and is_running(entry.client, entry.owner)
    if before is True and entry.runs is False:
        entry.gone = time.time()
    return entry.runs is not before


def _rank(entry: _Entry) -> tuple[bool, bool, float]:
    """Of several entries of a session the one that runs counts, then the newest."""
    since = entry.client.since if entry.client is not None else None
    return entry.runs is True, entry.runs is None, since or 0.0


def is_running(client: ListedClient, owner: int) -> bool | None:
    """True if a process of the user `owner` is the one of an entry; None where nobody can say.

    A process that has the number, and began at another time, is not the one.
    """
    if client.here is False:
        return None
    if sys.platform == "linux":
        return _by_proc(client, owner)
    return _by_psutil(client)


def _by_proc(client: ListedClient, owner: int) -> bool | None:
    if not os.path.exists("/proc/self/stat"):  # noqa: PTH110
        return None
    place = f"/proc/{client.pid}"
    try:
        user = os.stat(place).st_uid  # noqa: PTH116
    except OSError:
        return False
    # The name of the program is in parentheses and may have any in it.
    fields = read_part(Path(place, "stat"), 0, _STAT_BYTES).rpartition(b")")[2].decode().split()
    if len(fields) < 20:
        return False
    if user != owner or fields[0] in _DEAD:
        return False
    if client.started is not None:
        return fields[19] == client.started
    return _by_psutil(client)


def _by_psutil(client: ListedClient) -> bool | None:
    try:
        # Imported here: it takes longer than most looks, and few clients need it.
        import psutil
    except ImportError:
        return None
    try:
        process = psutil.Process(client.pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        began = process.create_time()
    except psutil.NoSuchProcess:
        return False
    except (psutil.Error, OSError, ValueError):
        return None
    return client.started_at is None or began <= client.started_at + _LATER
