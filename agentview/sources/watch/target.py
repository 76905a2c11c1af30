"""Watched paths, and the directories that have to be watched for them."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from agentview.domain.value import Value

# SQLite's shared-memory index changes whenever a database is merely read, and an empty write-ahead
# log is made by a reader: answering these with another read would never end.
_INDEX_SUFFIX = "-shm"
_LOG_SUFFIX = "-wal"


class Targets(Value):
    """Absolute paths to watch: files, which need not exist yet, and trees with all in them.

    `ignored` are trees whose changes are not reported.
    """

    files: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()

    def covers(self, path: str) -> bool:
        return path in self.files or self._within_tree(path)

    def _within_tree(self, path: str) -> bool:
        return any(is_within(path, tree) for tree in self.trees)

    def in_tree(self, path: str) -> bool:
        return self._within_tree(path) and not self.is_ignored(path) and not _is_noise(path)

    def is_ignored(self, path: str) -> bool:
        return any(is_within(path, tree) for tree in self.ignored)


class Backend(Protocol):
    """A way to learn of changes; it reports paths, on the event loop.

    Each file target is reported once when its watch stands, if the file is there, so that nothing
    written before is missed. A report is a hint: the path may be unchanged.
    """

    def update(self, targets: Targets) -> None:
        """Watch these targets from now on and no others."""
        ...

    def close(self) -> None:
        """Stop; nothing is reported afterwards."""
        ...


class Layout:
    """Which directories' own entries must be watched for the targets, as the disk is now.

    For a file that is the directory it is in, and the one that a symbolic link on the way leads
    to; where it does not exist yet, the nearest one above it that does. For a tree it is the
    directory above it, so that the tree's going and coming is seen. Of each of these directories
    the one above it is watched too.
    """

    def __init__(self) -> None:
        self.targets = Targets()
        self._places: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        self._links: dict[str, str] = {}
        self._linked: dict[str, set[str]] = {}

    @property
    def directories(self) -> set[str]:
        return self.nearest.union(*(above for _, above in self._places.values()))

    @property
    def nearest(self) -> set[str]:
        """Those without the ones above them, of which only what comes and goes is of interest."""
        return set[str]().union(*(nearest for nearest, _ in self._places.values()))

    def take(self, targets: Targets) -> bool:
        """Change to these targets; says whether some of the former ones went."""
        self.targets = targets
        wanted = targets.files | targets.trees
        gone = self._places.keys() - wanted
        for path in gone:
            self._unlink(path)
            del self._places[path]
        self.place(wanted - self._places.keys())
        return bool(gone)

    def place(self, paths: Iterable[str]) -> bool:
        """Look again where these targets are; says whether something changed."""
        changed = False
        for path in paths:
            real = os.path.realpath(path)
            nearest = frozenset((_nearest_directory(path), _nearest_directory(real)))
            # A directory that is removed while a file in it is open says so only to its parent.
            place = nearest, frozenset(str(Path(directory).parent) for directory in nearest)
            if self._places.get(path) != place or self._links.get(path, path) != real:
                self._unlink(path)
                self._places[path] = place
                if real != path:
                    self._links[path] = real
                    self._linked.setdefault(real, set()).add(path)
                changed = True
        return changed

    def touched(self, path: str) -> set[str]:
        """Name what a change at `path` is to be reported as; empty when it concerns no target."""
        hits = self._linked.get(path, set()) & self.targets.files
        if path in self.targets.files or self.targets.in_tree(path):
            hits.add(path)
        return hits

    def reached_through(self, path: str) -> set[str]:
        return {
            target
            for target in self._places
            if is_within(target, path) or is_within(self._links.get(target, target), path)
        }

    def _unlink(self, path: str) -> None:
        real = self._links.pop(path, None)
        if real is not None:
            self._linked[real].discard(path)
            if not self._linked[real]:
                del self._linked[real]


def is_within(path: str, tree: str) -> bool:
    """Say whether a path is `tree` or lies below it."""
    return path == tree or path.startswith(tree.rstrip("/") + "/")


def _nearest_directory(path: str) -> str:
    directory = Path(path).parent
    while not directory.is_dir() and directory != directory.parent:
        directory = directory.parent
    return str(directory)


def _is_noise(path: str) -> bool:
    if path.endswith(_INDEX_SUFFIX):
        return True
    if not path.endswith(_LOG_SUFFIX):
        return False
    try:
        return Path(path).stat().st_size == 0
    except OSError:
        return True
