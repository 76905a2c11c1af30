"""The program of the counting child: counts what a session used, and counts on when it is asked.

The parent writes one pickled `SessionRef` to standard input, and a byte each time it wants to know
what was used. What comes back are messages of 8 bytes length and a pickled `Counted`: while a long
log is read, what it has come to by then; the last one of an answer is complete.
"""

import os
import pickle
import signal
import sys
import time
from pathlib import Path
from typing import BinaryIO

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.usage.counted import Counted, counted
from agentview.usage.pricing import PriceList
from agentview.usage.reader import SessionMeter

_NICE = 10
_TELL = 0.5
"""Seconds between two words on how far it has come."""


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the parent is gone."""
    ref: SessionRef = pickle.load(requests)  # noqa: S301  (written by the parent)
    meter = SessionMeter(ref, PriceList())
    while requests.read(1):
        _send(answers, _count(meter, answers))


def _count(meter: SessionMeter, answers: BinaryIO) -> Counted:
    told = time.monotonic()
    try:
        for read in meter.steps():
            if time.monotonic() - told > _TELL:
                size = max(Path(meter.ref.path).stat().st_size, 1)
                _send(answers, counted(meter.usage(), min(read / size, 0.99)))
                told = time.monotonic()
    except AgentViewError as error:
        return counted(meter.usage(), trouble=error.message)
    except OSError as error:
        return counted(meter.usage(), trouble=error.strerror or str(error))
    return counted(meter.usage())


def _send(answers: BinaryIO, told: Counted) -> None:
    data = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
    answers.write(len(data).to_bytes(8, "big") + data)
    answers.flush()


def main() -> None:
    """Run with low priority; interrupts from the terminal are for the parent."""
    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # Nothing may be flushed to the closed pipe when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
