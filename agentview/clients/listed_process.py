"""Whether the process of an entry in a client's list is still there, and is still the same one."""

import os
import sys
from pathlib import Path

from agentview.providers.base import ListedClient
from agentview.sources.files import read_part

_STAT_BYTES = 4096
_DEAD = frozenset({"Z", "X", "x"})
"""States of a process that has ended and is only still listed."""
_LATER = 10.0
"""Seconds by which a process may begin after its client says so: clocks are read at two times."""


def is_running(client: ListedClient, owner: int) -> bool | None:
    """Whether a process of the user `owner` is the one of an entry; None where nobody can say.

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
