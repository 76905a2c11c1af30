"""What a program uses while nothing happens."""

import time

from benchmarks.process import cpu_of_tree
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE


def share_at_rest(screen: PseudoTerminal, seconds: float, limit: float) -> float:
    """The share of a processor in use, in the first `seconds` in which it is below `limit`.

    What was made ready for the next keys comes to its end first.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        before = cpu_of_tree(screen.pid)
        screen.run_for(seconds)
        share = (cpu_of_tree(screen.pid) - before) / seconds
        if share < limit or time.monotonic() > deadline:
            return share
