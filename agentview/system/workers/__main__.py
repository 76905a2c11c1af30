"""The program of a worker: `python -m agentview.system.workers MODULE:FUNCTION NICE`.

The function is called with a `Connection` to the parent. The worker ends when it returns. A log
that takes more memory than a worker may have raises MemoryError in it, and takes none from others.
"""

import os
import signal
import sys
from importlib import import_module

from agentview.system.workers.connection import Connection

_MEMORY = 8 * 1024**3
"""Bytes that a worker may have: several times what it takes to join the records of a large log."""
_SHARE = 0.75
"""Part of the memory of a smaller machine that it may have."""


def _limit_memory() -> None:
    """Bound what is allocated; files that are mapped for reading do not count.

    A limit that is there and lower stays. Systems that do not know the size of their memory, or
    count something else, have none.
    """
    try:
        import resource
    except ImportError:
        return
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = min(_MEMORY, int(there * _SHARE), *(each for each in (soft, hard) if each >= 0))
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    except (OSError, ValueError):
        return


def main() -> None:
    """Run with the priority asked for, where processes have one; interrupts are for the parent."""
    _limit_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    handler, nice = sys.argv[1:]
    if hasattr(os, "nice"):
        os.nice(int(nice))
    module, _, function = handler.partition(":")
    try:
        getattr(import_module(module), function)(
            Connection(sys.stdin.fileno(), sys.stdout.fileno())
        )
    except BrokenPipeError:
        return


if __name__ == "__main__":
    main()
