"""Learns of changes by looking, where the kernel does not announce them."""

import asyncio
import re
import threading
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from agentview.sources.file_stamp import Stamp, stamp_of, walk_files
from agentview.sources.watch.target import Targets, is_within

# Knows the file systems on which changes made elsewhere are not announced.

_MOUNTS = Path("/proc/self/mounts")
# fmt: off
_SILENT = frozenset((
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "fuse", "gfs2", "glusterfs",
    "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "prl_fsd",
    "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
))
# fmt: on
_ESCAPE = re.compile(r"\\([0-7]{3})")


def announces_changes(path: Path, mounts: str | None = None) -> bool:
    """Say whether the kernel sees all changes to files at `path`, which need not exist.

    False for network file systems and for folders shared by a host, as WSL's and virtual machines'.
    `mounts` is the text of `/proc/self/mounts`; a system without that file is taken to see all.
    """
    table = _read_mounts() if mounts is None else _parse(mounts)
    kind, longest = "", -1
    for point, found in table:
        # A later mount on the same point hides the earlier one.
        if len(point) >= longest and is_within(str(path), point):
            kind, longest = found, len(point)
    return kind not in _SILENT and not kind.startswith("fuse.")


@lru_cache(maxsize=1)
def _read_mounts() -> list[tuple[str, str]]:
    try:
        return _parse(_MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:
        return []


def _parse(mounts: str) -> list[tuple[str, str]]:
    table: list[tuple[str, str]] = []
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) > 2:
            point = _ESCAPE.sub(lambda match: chr(int(match.group(1), 8)), fields[1])
            table.append((point, fields[2]))
    return table


# Looking may take this share of one processor's time at most.
_SHARE = 0.02
# A tree is looked at this many times less often than a file: it holds thousands of them.
_TREE_ROUNDS = 20


class PollingBackend:
    """Compares what stat says of the files every `interval` seconds, of trees 20 times less often.

    A thread does it, so that a network file system that hangs does not hang the screen; when there
    is much to look at, it looks less often. The first look at a tree reports every file in it.
    """

    def __init__(self, report: Callable[[set[str]], None], interval: float = 0.05) -> None:
        self._report = report
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._targets = Targets()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="agentview-polling", daemon=True)
        self._files: dict[str, Stamp] = {}
        self._trees: dict[str, dict[str, Stamp]] = {}

    def update(self, targets: Targets) -> None:
        """Look at these targets from the next round on."""
        self._targets = targets
        if not self._thread.is_alive():
            self._thread.start()

    def close(self) -> None:
        self._closed.set()

    def _run(self) -> None:
        next_trees = pause = 0.0
        while not self._closed.wait(pause):
            targets = self._targets
            started = time.monotonic()
            changed = self._look_at_files(targets)
            files_done = time.monotonic()
            if files_done >= next_trees:
                changed |= self._look_at_trees(targets)
                trees_done = time.monotonic()
                next_trees = trees_done + max(
                    self._interval * _TREE_ROUNDS, (trees_done - files_done) / _SHARE
                )
            if changed:
                self._post(changed)
            pause = max(self._interval, (files_done - started) / _SHARE)

    def _look_at_files(self, targets: Targets) -> set[str]:
        before = self._files
        self._files = {path: stamp_of(path) for path in targets.files}
        return {path for path, stamp in self._files.items() if before.get(path) != stamp}

    def _look_at_trees(self, targets: Targets) -> set[str]:
        changed: set[str] = set()
        before = self._trees
        self._trees = {}
        for tree in targets.trees:
            old = before.get(tree, {})
            new = {path: stamp_of(path) for path in walk_files(tree) if targets.in_tree(path)}
            changed.update(path for path, stamp in new.items() if old.get(path) != stamp)
            changed.update(old.keys() - new.keys())
            self._trees[tree] = new
        return changed

    def _post(self, changed: set[str]) -> None:
        try:
            self._loop.call_soon_threadsafe(self._deliver, changed)
        except RuntimeError:
            # The loop has ended without closing its watcher: nobody is left to notify.
            self._closed.set()

    def _deliver(self, changed: set[str]) -> None:
        # The round may have begun before some of these paths ceased to be targets.
        wanted = {path for path in changed if self._targets.covers(path)}
        if wanted and not self._closed.is_set():
            self._report(wanted)
