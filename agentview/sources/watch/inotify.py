"""Learns of changes from Linux's inotify on the event loop itself: no thread, no timer.

A write is reported within 0.4 ms, and at rest nothing is done. With watchfiles, at a step of 20 ms,
it is 29 ms, and 0.39 % of a processor at rest for each of the two streams that a session may need.
"""

import asyncio
import ctypes
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from agentview.sources.watch.target import Layout, Targets, is_within

_EVENT = struct.Struct("iIII")
_BUFFER = 256 * 1024

# From <sys/inotify.h>.
_MODIFY = 0x002
_ATTRIB = 0x004
_MOVED_FROM = 0x040
_MOVED_TO = 0x080
_CREATE = 0x100
_DELETE = 0x200
_DELETE_SELF = 0x400
_MOVE_SELF = 0x800
_OVERFLOW = 0x4000
_IGNORED = 0x8000
_ONLYDIR = 0x0100_0000
_MASK_ADD = 0x2000_0000
_ISDIR = 0x4000_0000

_CAME = _CREATE | _MOVED_TO
_WENT = _DELETE | _MOVED_FROM
_SELF_WENT = _DELETE_SELF | _MOVE_SELF
_ENTRIES = _CAME | _WENT | _SELF_WENT | _ONLYDIR | _MASK_ADD
_MASK = _ENTRIES | _MODIFY | _ATTRIB


class InotifyBackend:
    """Watches directories, never files: a file that is replaced takes its own watch with it.

    `failed` is called when the kernel refuses a watch, as when the user has used up all of them.
    """

    def __init__(
        self, report: Callable[[set[str]], None], failed: Callable[[OSError], None]
    ) -> None:
        self._report = report
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = -1
        self._layout = Layout()
        self._paths: dict[int, set[str]] = {}
        self._watches: dict[str, int] = {}

    def update(self, targets: Targets) -> None:
        """Watch these targets; all watches stand when this returns."""
        before = self._layout.targets
        try:
            if self._fd < 0:
                self._open()
            gone = self._layout.take(targets)
            fresh = targets.files - before.files
            self._settle(fresh)
            for tree in targets.trees - before.trees:
                self._enter(tree)
            if gone:
                self._drop_unneeded()
        except OSError as error:
            self._failed(error)
            return
        self._report_all(path for path in fresh if Path(path).exists())

    def close(self) -> None:
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _open(self) -> None:
        fd = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if fd < 0:
            raise _last_error()
        self._fd = fd
        self._loop.add_reader(fd, self._drain)

    def _drain(self) -> None:
        """Take the waiting events in; runs when the loop finds the descriptor readable."""
        try:
            data = os.read(self._fd, _BUFFER)
        except BlockingIOError:
            return
        changed: set[str] = set()
        try:
            for watch, mask, name in _events(data):
                if mask & _OVERFLOW:
                    changed |= self._look_at_everything()
                elif mask & _IGNORED:
                    changed |= self._lose(watch)
                else:
                    for directory in tuple(self._paths.get(watch, ())):
                        path = f"{directory.rstrip('/')}/{name}" if name else directory
                        changed |= self._follow(path, mask)
        except OSError as error:
            self._failed(error)
        self._report_all(changed)

    def _follow(self, path: str, mask: int) -> set[str]:
        """Draw the consequences of one event; gives what is to be reported."""
        changed = self._layout.touched(path)
        if mask & (_WENT | _SELF_WENT) and mask & (_ISDIR | _SELF_WENT):
            self._forget_within(path)
        if mask & (_CAME | _WENT | _SELF_WENT):
            changed |= self._look_again(self._layout.reached_through(path))
        if mask & _CAME and self._layout.targets.in_tree(path) and Path(path).is_dir():
            changed |= self._enter(path)
        return changed

    def _look_again(self, paths: set[str]) -> set[str]:
        """Set the watches again of targets whose way there has changed."""
        if not paths:
            return paths
        self._layout.place(paths)
        self._settle(paths)
        changed = paths & self._layout.targets.files
        for tree in paths & self._layout.targets.trees:
            if tree not in self._watches:
                changed |= self._enter(tree)
        return changed

    def _settle(self, paths: set[str] | frozenset[str]) -> None:
        while True:
            nearest = self._layout.nearest
            for directory in self._layout.directories:
                self._watch(directory, _MASK if directory in nearest else _ENTRIES)
            # A directory may have come between the look for it and the watch above it.
            if not self._layout.place(paths):
                return

    def _look_at_everything(self) -> set[str]:
        """Make up for events that the kernel had to drop."""
        changed = self._look_again(set(self._layout.targets.files | self._layout.targets.trees))
        for tree in self._layout.targets.trees:
            changed |= self._enter(tree)
        return changed

    def _enter(self, tree: str) -> set[str]:
        """Watch a directory and all below it; gives the files there that are worth a report."""
        found: set[str] = set()
        seen: set[tuple[int, int]] = set()
        waiting = [tree]
        while waiting:
            directory = waiting.pop()
            try:
                status = Path(directory).stat()
                if (status.st_dev, status.st_ino) in seen or self._layout.targets.is_ignored(
                    directory
                ):
                    continue
                seen.add((status.st_dev, status.st_ino))
                # The watch comes before the look: what is made in between is seen twice, not never.
                self._watch(directory, _MASK)
                with os.scandir(directory) as entries:
                    for entry in entries:
                        if entry.is_dir():
                            waiting.append(entry.path)
                        elif self._layout.targets.in_tree(entry.path):
                            found.add(entry.path)
            except (FileNotFoundError, NotADirectoryError, PermissionError):
                continue
        return found

    def _watch(self, directory: str, mask: int) -> None:
        # Also where it is watched: another directory may have its name by now, and the kernel gives
        # the same watch for the same directory.
        watch = self._libc.inotify_add_watch(self._fd, os.fsencode(directory), mask)
        if watch < 0:
            error = _last_error()
            # It went since it was looked for, which its parent's watch reports.
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                raise error
            return
        known = self._watches.get(directory)
        if known == watch:
            return
        if known is not None:
            self._forget(directory)
        self._watches[directory] = watch
        self._paths.setdefault(watch, set()).add(directory)

    def _lose(self, watch: int) -> set[str]:
        """Take note that the kernel ended a watch, because its directory went."""
        changed: set[str] = set()
        for directory in self._paths.pop(watch, set()):
            self._watches.pop(directory, None)
            changed |= self._look_again(self._layout.reached_through(directory))
        return changed

    def _forget_within(self, tree: str) -> None:
        for directory in [path for path in self._watches if is_within(path, tree)]:
            self._forget(directory)

    def _forget(self, directory: str) -> None:
        watch = self._watches.pop(directory)
        paths = self._paths.get(watch, set())
        paths.discard(directory)
        if not paths:
            self._paths.pop(watch, None)
            self._libc.inotify_rm_watch(self._fd, watch)

    def _drop_unneeded(self) -> None:
        needed = self._layout.directories
        trees = self._layout.targets.trees
        for directory in tuple(self._watches):
            if directory not in needed and not any(is_within(directory, tree) for tree in trees):
                self._forget(directory)

    def _report_all(self, paths: Iterator[str] | set[str]) -> None:
        changed = set(paths)
        if changed:
            self._report(changed)


def _events(data: bytes) -> Iterator[tuple[int, int, str]]:
    position = 0
    while position < len(data):
        watch, mask, _cookie, size = _EVENT.unpack_from(data, position)
        position += _EVENT.size
        name = os.fsdecode(data[position : position + size].rstrip(b"\0"))
        position += size
        yield watch, mask, name


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
