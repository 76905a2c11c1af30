"""The program of the index child: reads and joins a log, and sends it through a pipe.

The parent writes one request, a pickled `Request`, to standard input. What comes back are messages
of 8 bytes length and a pickled `Packet`, the newest rows first, and at the end `Keys`. When the log
cannot be read on, the message is the sentence of the error.
"""

import gc
import os
import pickle
import signal
import sys
from typing import BinaryIO

from agentview.errors import AgentViewError
from agentview.store.index_history import Request, read_history

_NICE = 10


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer one request; a parent that is gone ends the work."""
    request: Request = pickle.load(requests)  # noqa: S301  (written by the parent)
    try:
        for message in read_history(request):
            _send(answers, message)
    except AgentViewError as error:
        _send(answers, error.message)


def _send(answers: BinaryIO, message: object) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    answers.write(len(data).to_bytes(8, "big") + data)
    answers.flush()


def main() -> None:
    """Run with low priority; interrupts from the terminal are for the parent."""
    os.nice(_NICE)
    # What is made here goes with its last reference; looking for cycles takes as long as the work.
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # Nothing may be flushed to the closed pipe when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
