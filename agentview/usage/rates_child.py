"""The program that looks up rates: the list of prices takes more memory than a whole session.

The parent writes a pickled list of `Bracket` to standard input and closes it; what comes back is a
pickled list of their `Rates`, None for a model that has no known price.
"""

import os
import pickle
import signal
import sys

from agentview.store.token_totals import Bracket
from agentview.usage.pricing import PriceList

_NICE = 10


def main() -> None:
    """Run with low priority; interrupts from the terminal are for the parent."""
    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    brackets: list[Bracket] = pickle.load(sys.stdin.buffer)  # noqa: S301  (written by the parent)
    prices = PriceList()
    sys.stdout.buffer.write(pickle.dumps([prices.rates(bracket) for bracket in brackets]))


if __name__ == "__main__":
    main()
