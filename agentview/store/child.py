"""The program of the index child: reads a log backwards and sends what it finds through a pipe.

The parent writes one request, a pickled (SessionRef, end), to standard input. What comes back are
messages of 8 bytes length and a pickled (start, records), the newest records first; the last one
begins where the log does. When the log cannot be read on, the message is the error's sentence.
"""

import gc
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from agentview.domain.outline import RecordFacts
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.store.reducing import reduce_lines
from agentview.tailing import blocks_backward

Message = tuple[int, list[RecordFacts]]

_BLOCK = 8 * 1024 * 1024
_RECORDS = 512
"""Records of a message: few enough to be taken in on an event loop at once."""
_NICE = 10


def messages(session: SessionRef, end: int) -> Iterator[Message]:
    """What lies before byte `end`, newest first, with the byte at which each message begins."""
    for block in blocks_backward(Path(session.path), end, _BLOCK):
        facts = reduce_lines(session, block.lines)
        for stop in range(len(facts), _RECORDS, -_RECORDS):
            part = facts[stop - _RECORDS : stop]
            yield part[0].offset, part
        yield block.start, facts[: (len(facts) - 1) % _RECORDS + 1]


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer one request; a parent that is gone ends the work."""
    session: SessionRef
    session, end = pickle.load(requests)  # noqa: S301  (written by the parent)
    try:
        for message in messages(session, end):
            _send(answers, message)
    except AgentViewError as error:
        _send(answers, error.message)


def _send(answers: BinaryIO, message: Message | str) -> None:
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
