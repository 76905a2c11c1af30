"""Says which of a changing set of files and directory trees have changed, as soon as they do."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from agentview.sources.member import WAL, files_of, folder_form
from agentview.sources.watch.polling import PollingBackend, announces_changes
from agentview.sources.watch.target import Backend, Targets

# Chosen when imported, since watchfiles takes 25 ms to import and is not needed with inotify.
if sys.platform == "linux":
    from agentview.sources.watch.inotify import InotifyBackend as NativeBackend
else:
    from agentview.sources.watch.watchfiles_backend import WatchfilesBackend as NativeBackend

COMMIT = 0.5
"""Seconds until which a write-ahead log is reported again: that what was written to it counts is
noted elsewhere, without an event, once the disk has it."""
_PAUSES = (0.02, 0.08, COMMIT - 0.1)
"""Seconds between the reports until then: mostly the disk has it at once."""

BackendFactory = Callable[[Callable[[set[str]], None], Callable[[OSError], None]], Backend]


class Watcher:
    """An asynchronous iterator over sets of changed paths.

    Use it as a context manager on a running event loop; iterate over it to get, each time, all
    paths that changed since the last time, files under the very path they were added by. A report
    is a hint to look again: the path may have come, grown, been rewritten, gone, or not changed at
    all. A file is reported once after it was added, if it is there, so nothing written between
    reading and adding is missed; so add a tree first and scan it then.

    The system announces changes where it can; where it cannot, on network file systems, when
    `AGENTVIEW_POLL` is set, or when it refuses to, files are looked at every `interval` seconds.
    Paths in `ignored` trees, as agentview's own output, are never reported.
    """

    def __init__(
        self,
        *,
        ignored: Iterable[Path] = (),
        interval: float = 0.05,
        native: BackendFactory = NativeBackend,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._ignored = frozenset(os.path.abspath(path) for path in ignored)  # noqa: PTH100
        self._interval = interval
        self._make_native = native
        self._poll_all = bool((os.environ if env is None else env).get("AGENTVIEW_POLL"))
        self._files: dict[str, list[Path]] = {}
        """Paths to report, by the file whose change they are reported for."""
        self._trees: set[str] = set()
        self._folders: dict[str, Path] = {}
        """Sessions that are directories, by their absolute paths."""
        self._polled: set[str] = set()
        self._native: Backend | None = None
        self._polling: Backend | None = None
        self._changed: set[str] = set()
        self._uncommitted: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._wake = asyncio.Event()
        self._closed = False
        self.refusal: OSError | None = None

    def add_files(self, paths: Iterable[Path]) -> None:
        """Watch these files, which need not exist, nor the directories they are to are in.

        A session in a database is reported when its database or the write-ahead log changes, one
        that is a directory when a file in it does.
        """
        for path in paths:
            if folder_form(path) is not None:
                self._add_folder(path)
                continue
            for file in files_of(path):
                reported = self._files.setdefault(self._place(Path(file)), [])
                if path not in reported:
                    reported.append(path)
        self._update()

    def _add_folder(self, path: Path) -> None:
        name = self._place(path)
        self._folders[name] = path
        self._trees.add(name)
        self._report({name})

    def add_tree(self, path: Path) -> None:
        """Watch all files in a directory and below it; it need not exist."""
        self._trees.add(self._place(path))
        self._update()

    def remove(self, paths: Iterable[Path]) -> None:
        """Watch these files and trees no longer."""
        for path in paths:
            self._folders.pop(os.path.abspath(path), None)  # noqa: PTH100
            for file in files_of(path):
                name = os.path.abspath(file)  # noqa: PTH100
                reported = [each for each in self._files.pop(name, ()) if each != path]
                if reported:
                    self._files[name] = reported
                    continue
                self._trees.discard(name)
                self._polled.discard(name)
                self._changed.discard(name)
                self._uncommitted.discard(name)
        self._update()

    @property
    def polled(self) -> frozenset[Path]:
        return frozenset(Path(path) for path in self._polled)

    def close(self) -> None:
        """Stop watching; an iteration that waits ends."""
        self._closed = True
        for backend in (self._native, self._polling):
            if backend is not None:
                backend.close()
        self._native = self._polling = None
        if self._timer is not None:
            self._timer.cancel()
        self._wake.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> frozenset[Path]:
        while not self._changed and not self._closed:
            self._wake.clear()
            await self._wake.wait()
        if self._closed:
            raise StopAsyncIteration
        changed, self._changed = self._changed, set()
        return frozenset(reported for path in changed for reported in self._reported(path))

    def _reported(self, path: str) -> Iterable[Path]:
        within = [
            folder
            for name, folder in self._folders.items()
            if path == name or path.startswith(f"{name}/")
        ]
        return self._files.get(path) or within or [Path(path)]

    def _place(self, path: Path) -> str:
        # Not Path.absolute(): ".." must be gone before names are compared with what is reported.
        name = os.path.abspath(path)  # noqa: PTH100
        if self._poll_all or self.refusal or not announces_changes(Path(os.path.realpath(name))):
            self._polled.add(name)
        return name

    def _update(self) -> None:
        if self._closed:
            return
        polled = self._targets(lambda path: path in self._polled)
        if self._polling is None and (polled.files or polled.trees):
            self._polling = PollingBackend(self._report, self._interval)
        if self._polling is not None:
            self._polling.update(polled)
        native = self._targets(lambda path: path not in self._polled)
        if self._native is None and (native.files or native.trees):
            self._native = self._make_native(self._report, self._refuse)
        if self._native is not None:
            self._native.update(native)

    def _targets(self, choose: Callable[[str], bool]) -> Targets:
        return Targets(
            frozenset(filter(choose, self._files)),
            frozenset(filter(choose, self._trees)),
            self._ignored,
        )

    def _refuse(self, error: OSError) -> None:
        """Look by the clock from now on, since the system will not announce any more."""
        self.refusal = error
        native, self._native = self._native, None
        if native is not None:
            native.close()
        self._polled.update(self._files, self._trees)
        self._update()

    def _report(self, paths: set[str]) -> None:
        self._changed |= paths
        self._wake.set()
        logs = {path for path in paths if path.endswith(WAL)}
        if logs and not self._closed:
            self._uncommitted |= logs
            self._report_later(_PAUSES)

    def _report_later(self, pauses: tuple[float, ...]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(pauses[0], self._report_again, pauses[1:])

    def _report_again(self, pauses: tuple[float, ...]) -> None:
        self._timer = None
        self._changed |= self._uncommitted
        self._wake.set()
        if pauses:
            self._report_later(pauses)
        else:
            self._uncommitted = set()
