"""Knows the file systems on which changes made elsewhere are not announced."""

import re
from functools import lru_cache
from pathlib import Path

from agentview.watch.target import is_within

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
