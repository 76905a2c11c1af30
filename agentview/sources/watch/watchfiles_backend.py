"""Learns of changes through watchfiles, on systems without inotify."""

import asyncio
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

# Its signature names trio, which is not installed.
from watchfiles import Change, awatch  # pyright: ignore[reportUnknownVariableType]

from agentview.sources.file_stamp import Stamp, stamp_of, walk_files
from agentview.sources.watch.target import Layout, Targets, is_within

# Milliseconds: the shortest wait that keeps the idle cost under one percent of a processor.
_STEP = 5
_DEBOUNCE = 50
# Between reading its queue and emptying it watchfiles can lose a change: look this often as well.
_LOOK_MS = 2000
_RECENT_SECONDS = 2.0


class WatchfilesBackend:
    """Watches directories with two watchfiles streams: one flat, one for whole trees.

    watchfiles cannot change what it watches, so a stream is replaced when the directories change:
    the new one stands before the old one ends, and then everything is looked at once. `failed` is
    called when the system refuses a watch.
    """

    def __init__(
        self, report: Callable[[set[str]], None], failed: Callable[[OSError], None]
    ) -> None:
        self._report = report
        self._failed = failed
        self._layout = Layout()
        self._stamps: dict[str, Stamp] = {}
        self._roots: dict[str, str] = {}
        self._gone: set[str] = set()
        self._settling: asyncio.Handle | None = None
        self._flat = _Stream(self, recursive=False)
        self._deep = _Stream(self, recursive=True)

    def update(self, targets: Targets) -> None:
        """Watch these targets; the watches stand after the next turns of the event loop."""
        self._layout.take(targets)
        self._stamps = {path: self._stamps.get(path) for path in targets.files}
        self._roots = {os.path.realpath(tree): tree for tree in targets.trees}
        self.settle_soon()

    def close(self) -> None:
        """End the streams; their threads stop within a few milliseconds."""
        if self._settling is not None:
            self._settling.cancel()
        self._flat.stop()
        self._deep.stop()

    def settle_soon(self, gone: Iterable[str] = ()) -> None:
        """Watch the directories that the targets need then; `gone` lost their watch.

        Changes of the targets that follow upon each other replace a stream once.
        """
        self._gone.update(gone)
        if self._settling is None:
            self._settling = asyncio.get_running_loop().call_soon(self._settle)

    def _settle(self) -> None:
        gone, self._gone, self._settling = self._gone, set(), None
        targets = self._layout.targets
        trees = frozenset(tree for tree in targets.trees if Path(tree).is_dir())
        self._deep.watch(trees, force=not trees.isdisjoint(gone))
        flat = frozenset(self._layout.directories)
        self._flat.watch(flat, force=not flat.isdisjoint(gone))
        self._look_at_files()

    def stand(self, recursive: bool) -> None:
        """Make up for what happened before a stream stood."""
        if self._layout.place(self._layout.targets.files | self._layout.targets.trees):
            self.settle_soon()
        self._look_at_files()
        if recursive:
            since = time.time() - _RECENT_SECONDS
            self._report_all(
                path
                for tree in self._layout.targets.trees
                for path in walk_files(tree)
                if self._layout.targets.in_tree(path) and _modified_after(path, since)
            )

    def take(self, changes: set[tuple[Change, str]]) -> None:
        """Handle the changes that a stream reported; nothing when its wait timed out."""
        reported: set[str] = set()
        gone: set[str] = set()
        moved: set[str] = set()
        for change, raw in changes:
            path = self._given(raw)
            reported |= self._layout.touched(path)
            if change == Change.modified:
                continue
            moved |= self._layout.reached_through(path)
            if change == Change.deleted:
                gone.add(path)
            elif self._layout.targets.in_tree(path) and Path(path).is_dir():
                reported.update(filter(self._layout.targets.in_tree, walk_files(path)))
        if gone or self._layout.place(moved):
            self._layout.place(moved)
            self.settle_soon(gone)
        self._report_all(reported | (moved & self._layout.targets.files))
        if not changes:
            self._look_at_files()

    def fail(self, error: OSError) -> None:
        self._failed(error)

    def _given(self, path: str) -> str:
        """Name a path as the targets do: some systems report it with links resolved."""
        for real, tree in self._roots.items():
            if real != tree and is_within(path, real):
                return tree + path[len(real) :]
        return path

    def _look_at_files(self) -> None:
        before = self._stamps
        self._stamps = {path: stamp_of(path) for path in before}
        self._report_all(path for path, stamp in self._stamps.items() if stamp != before[path])

    def _report_all(self, paths: Iterable[str]) -> None:
        changed = set(paths)
        if changed:
            self._report(changed)


class _Stream:
    """One watchfiles iteration at a time, over a set of directories."""

    def __init__(self, backend: WatchfilesBackend, *, recursive: bool) -> None:
        self._backend = backend
        self._recursive = recursive
        self._directories: frozenset[str] = frozenset()
        self._stop: asyncio.Event | None = None
        # The loop itself holds tasks only weakly.
        self._tasks: set[asyncio.Task[None]] = set()

    def watch(self, directories: frozenset[str], *, force: bool) -> None:
        if directories == self._directories and not force:
            return
        former, self._stop = self._stop, None
        self._directories = directories
        if directories:
            self._stop = asyncio.Event()
            task = asyncio.create_task(self._run(directories, self._stop, former))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif former is not None:
            former.set()

    def stop(self) -> None:
        self.watch(frozenset(), force=False)

    async def _run(
        self, directories: frozenset[str], stop: asyncio.Event, former: asyncio.Event | None
    ) -> None:
        def stand() -> None:
            if former is not None:
                former.set()
            if not stop.is_set():
                self._backend.stand(self._recursive)

        # Runs when awatch waits for the first time, and its watch stands by then.
        asyncio.get_running_loop().call_soon(stand)
        try:
            async for changes in awatch(
                *directories,
                watch_filter=None,
                debounce=_DEBOUNCE,
                step=_STEP,
                stop_event=stop,
                rust_timeout=_LOOK_MS,
                yield_on_timeout=True,
                force_polling=False,
                recursive=self._recursive,
                ignore_permission_denied=True,
            ):
                if not stop.is_set():
                    self._backend.take(changes)
        except FileNotFoundError:
            # A directory went between the look for it and the watch.
            if not stop.is_set():
                self._directories = frozenset()
                asyncio.get_running_loop().call_soon(self._backend.settle_soon)
        except (OSError, RuntimeError, UnicodeEncodeError) as error:
            # It cannot watch a directory whose name is not UTF-8 either.
            if not stop.is_set():
                self._backend.fail(OSError(str(error)))


def _modified_after(path: str, moment: float) -> bool:
    stamp = stamp_of(path)
    return stamp is not None and stamp.modified >= moment * 1e9
