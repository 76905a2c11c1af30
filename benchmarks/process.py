"""What the system counts of a process: CPU time in nanoseconds, memory, descriptors, children."""

import os
from pathlib import Path


def cpu_of(pid: int) -> float:
    """Seconds of CPU of all threads of a process that live; 0.0 when it is gone."""
    total = 0
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return 0.0
    for task in tasks:
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except OSError:
            continue
    return total / 1e9


def cpu_of_tree(pid: int) -> float:
    """Seconds of CPU of a process and its descendants, those that it waited for included."""
    return cpu_of(pid) + _ended(pid) + sum(cpu_of_tree(child) for child in children_of(pid))


def _ended(pid: int) -> float:
    """Seconds of CPU of children that have ended: without them the sum would fall at their end."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")


def children_of(pid: int) -> list[int]:
    """Processes that a process started and that live."""
    found: list[int] = []
    for task in _tasks(pid):
        try:
            found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def rss_of(pid: int) -> int:
    """Bytes of memory that a process holds. Raises OSError when it is gone."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def pss_of_tree(pid: int) -> int:
    """Bytes of memory of a process and its descendants; pages that they share count once."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    own = sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return own + sum(map(pss_of_tree, children_of(pid)))


def written_by_tree(pid: int) -> int:
    """Bytes that a process and its descendants have given to the system to write."""
    try:
        facts = Path(f"/proc/{pid}/io").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    own = int(dict(fact.split(": ") for fact in facts)["wchar"])
    return own + sum(map(written_by_tree, children_of(pid)))


def descriptors_of(pid: int) -> int:
    """Open descriptors of a process. Raises OSError when it is gone."""
    return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())


def drop_from_cache(path: Path) -> None:
    """Have the system forget what it holds of a file, so that the next reader waits for the disk.

    What is not written yet cannot be dropped, so it is written first.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []
