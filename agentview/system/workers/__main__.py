"""The program of a worker: `python -m agentview.system.workers MODULE:FUNCTION NICE`.

The function is called with a `Connection` to the parent. The worker ends when it returns. A log
that takes more memory than a worker may have raises MemoryError in it, and takes none from others.
"""

import signal
import sys
from importlib import import_module

from agentview.system import platforms
from agentview.system.workers.connection import Connection

_MEMORY = 8 * 1024**3
"""Bytes that a worker may have: several times what it takes to join the records of a large log."""
_SHARE = 0.75
"""Part of the memory of a smaller machine that it may have."""


def main() -> None:
    """Run with the priority asked for, where processes have one; interrupts are for the parent."""
    platforms.limit_memory(_MEMORY, _SHARE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    handler, nice = sys.argv[1:]
    platforms.set_niceness(int(nice))
    module, _, function = handler.partition(":")
    try:
        getattr(import_module(module), function)(
            Connection(sys.stdin.fileno(), sys.stdout.fileno())
        )
    except BrokenPipeError:
        return


if __name__ == "__main__":
    main()
