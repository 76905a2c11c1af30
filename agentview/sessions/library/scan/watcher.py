"""Reports sessions that are written to, begin or go away while the program runs.

It has its own thread and event loop: setting up watches over thousands of directories takes longer
than a screen may wait.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Thread

from agentview.domain.session import SessionInfo
from agentview.providers import load_provider
from agentview.sessions.library.scan.scanner import info_of_file, roots_of
from agentview.sessions.library.search_roots import Roots, SearchRoots, Take
from agentview.sources.member import (
    WAL,
    LogStatus,
    Member,
    folder_form,
    folder_of,
    holds_sessions,
    last_write,
    member_of,
)
from agentview.sources.watch.watcher import Watcher

PAUSE = 0.3
"""Seconds for which changes are gathered before the logs are looked at again."""

_POLLED = 2.0
"""Seconds between looks where the system does not announce changes."""

_COARSE = 2.0
"""Seconds to which a file system may round the time of a write down."""


class SessionWatch:
    """Watches the places of sessions until it is closed."""

    def __init__(self, places: SearchRoots, take: Take) -> None:
        self._places = places
        self._roots: Roots = ()
        self._take = take
        self._since = 0.0
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watcher: Watcher | None = None
        self._known: Iterable[str] = ()
        self._listed: dict[Path, dict[str, LogStatus | None]] = {}
        """Sessions of each database by path, as they were when they were listed last."""
        self._logs: set[str] = set()
        """Files that a place lists as logs."""
        self._others: set[str] = set()
        """Files that could be logs by their content, and that no place lists."""
        self._thread = Thread(target=self._run, name="session-watch", daemon=True)

    def start(self, since: float, known: Iterable[str]) -> None:
        """Begin to watch.

        What was written from `since` on, epoch seconds, is reported at once, and which of the
        `known` logs have gone.
        """
        self._since = since - _COARSE
        self._known = known
        self._thread.start()

    def close(self) -> None:
        """Watch no longer; returns at once."""
        self._closed = True
        if self._loop is not None and self._watcher is not None:
            try:
                self._loop.call_soon_threadsafe(self._watcher.close)
            except RuntimeError:
                # The thread has come to its end by itself.
                return

    def _run(self) -> None:
        asyncio.run(self._watch())

    async def _watch(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._roots = roots_of(self._places)
        with Watcher(interval=_POLLED) as self._watcher:
            for name, root in self._roots:
                self._list_databases(name, root)
                self._watcher.add_tree(root)
            if self._closed:
                return
            # What was written, or went, before the watch was in place is in no report.
            written = [*self._written_before()]
            self._look_at([*self._missing(), *self._listed, *written])
            async for paths in self._watcher:
                if self._closed:
                    return
                await asyncio.sleep(PAUSE)
                self._look_at(paths)

    def _written_before(self) -> Iterator[Path]:
        for name, root in self._roots:
            for entry in load_provider(name).discovery.files(root):
                if isinstance(entry, Member):
                    continue
                self._logs.add(entry.path)
                written = last_write(entry.path)
                if written is not None and written >= self._since:
                    yield Path(entry.path)

    def _missing(self) -> Iterator[Path]:
        """Known logs that no place lists; those of databases are noted for the look at these."""
        for path in self._known:
            if (member := member_of(path)) is not None:
                self._listed.setdefault(Path(member[0]), {}).setdefault(path, None)
            elif path not in self._logs:
                yield Path(path)

    def _look_at(self, paths: Iterable[Path]) -> None:
        infos: list[SessionInfo] = []
        gone: list[str] = []
        for path in {self._session_path(path) for path in paths}:
            if self._closed:
                return
            if path in self._listed or holds_sessions(path):
                changed, lost = self._changed_in(path)
                infos += filter(None, map(self._info, changed))
                gone += lost
            elif not path.exists():
                gone.append(str(path))
            elif path.is_file() or folder_form(path) is not None:
                infos += filter(None, [self._info(path)])
        if infos or gone:
            self._take(infos, gone)

    def _list_databases(self, name: str, root: Path) -> None:
        """Note the databases below a place, with the sessions that were written before."""
        owner = load_provider(name)
        for entry in owner.discovery.files(root) if owner.has_members else ():
            if isinstance(entry, Member):
                sessions = self._listed.setdefault(Path(entry.path).parent, {})
                if entry.status.st_mtime < self._since:
                    sessions[entry.path] = entry.status

    def _sessions_in(self, database: Path) -> dict[str, LogStatus | None]:
        return {
            entry.path: entry.status
            for name, root in self._roots
            if database.is_relative_to(root) and load_provider(name).has_members
            for entry in load_provider(name).discovery.files(database)
            if isinstance(entry, Member)
        }

    def _changed_in(self, database: Path) -> tuple[list[Path], list[str]]:
        """Sessions of a database that changed since they were listed, and those that are gone."""
        before, found = self._listed.get(database, {}), self._sessions_in(database)
        if not found and database.exists():
            # It cannot be read now: what was there may well be there still.
            return [], []
        self._listed[database] = found
        changed = [Path(path) for path, status in found.items() if before.get(path) != status]
        return changed, [path for path in before if path not in found]

    def _info(self, path: Path) -> SessionInfo | None:
        for name, root in self._roots:
            info = info_of_file(name, path) if path.is_relative_to(root) else None
            if info is not None and self._is_listed(name, root, str(path)):
                return info
        return None

    def _is_listed(self, name: str, root: Path, path: str) -> bool:
        """Return True if a scan of a place lists a path: clients keep other files there too."""
        if path in self._others:
            return False
        if path not in self._logs and member_of(path) is None:
            self._logs.update(each.path for each in load_provider(name).discovery.files(root))
            if path not in self._logs:
                self._others.add(path)
                return False
        return True

    def _session_path(self, path: Path) -> Path:
        """The path of the session that a changed file is of, or of its database."""
        straight = self._straight(Path(str(path).removesuffix(WAL)))
        return folder_of(straight) or straight

    def _straight(self, path: Path) -> Path:
        """The path that a scan has of a log: links below a place may lead to it as well."""
        real = Path(os.path.realpath(path))
        for _, root in self._roots:
            place = os.path.realpath(root)
            if real.is_relative_to(place):
                return root / real.relative_to(place)
        return path
