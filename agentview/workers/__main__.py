"""The program of a worker: `python -m agentview.workers MODULE:FUNCTION NICE`.

The function is called with a `Connection` to the parent. The worker ends when it returns.
"""

import os
import signal
import sys
from importlib import import_module

from agentview.workers.connection import Connection


def main() -> None:
    """Run with the priority asked for; interrupts from the terminal are for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    handler, nice = sys.argv[1:]
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
