"""The program of the child that brings the index up to date, and says how far it is."""

import os
import signal
import sys
import time

from agentview.domain.session import SessionRef
from agentview.search.fts_index import index_path
from agentview.search.index_messages import Build, Logs, numbered
from agentview.search.index_pipe import Pipe
from agentview.search.indexer import build_index

_NICE = 19
_STEP = 0.1
"""Seconds between two words on how far it is."""


def serve(pipe: Pipe) -> None:
    """Build as it is told, until it is done or the parent is gone."""
    refs: list[SessionRef] = []
    while isinstance(message := pipe.receive(), Logs):
        refs.extend(message.refs)
    if not isinstance(message, Build):
        return
    due, last = 0.0, None
    # Nothing more is said to it: what can be read is the end of the parent.
    wanted = [refs[number] for number in numbered(message.logs)]
    for progress in build_index(index_path(), wanted, pipe.waiting):
        last = progress
        now = time.monotonic()
        if now >= due:
            due, last = now + _STEP, None
            pipe.send(progress)
    if last is not None:
        pipe.send(last)


def main() -> None:
    """Run with the lowest priority; interrupts from the terminal are for the parent."""
    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        serve(Pipe(sys.stdin.fileno(), sys.stdout.fileno()))
    except BrokenPipeError:
        return


if __name__ == "__main__":
    main()
