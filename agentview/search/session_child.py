"""The program of the search child: looks through a log and sends what it finds through a pipe.

The parent writes requests to standard input: 8 bytes length and a pickled `Request` each. A request
ends the search before it; one without a query only has the child get ready. What comes back are
messages of the same form, each a pickled `Answer`.
"""

import os
import pickle
import select
import signal
import sys
import time
from pathlib import Path

from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.search.log_scan import Hit, Sweep
from agentview.search.matcher import Matcher
from agentview.search.session_messages import HEADER, Answer, Request, packed
from agentview.sources.open_file import open_file

_NICE = 10
_KEPT = 16 * 1024 * 1024
_MESSAGE_HITS = 128
"""Hits of a message: few enough to be taken in on an event loop at once."""
_MESSAGE_SECONDS = 0.05


class _Server:
    """Reads requests and writes answers, both without a buffer, so that waiting can be seen."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests = requests
        self._answers = answers

    def serve(self) -> None:
        """Answer requests until the parent is gone."""
        while (request := self._receive()) is not None:
            load_provider(request.session.provider)
            if request.query:
                try:
                    self._search(request)
                except AgentViewError as error:
                    self._send(Answer(request.number, [], 0.0, error.message))

    def _search(self, request: Request) -> None:
        fd, _ = open_file(Path(request.session.path))
        try:
            provider = load_provider(request.session.provider)
            matcher = Matcher(request.query, request.field)
            sweep = Sweep(provider, request.session, fd, matcher, request.end)
            hits: list[Hit] = []
            # The first hit is told at once: the reader is taken there.
            due, room = 0.0, 1
            for swept in sweep.run(request.origin):
                hits += swept.hits
                now = time.perf_counter()
                if len(hits) >= room or (now > due and (hits or swept.fraction)):
                    if self._superseded():
                        return
                    self._send(Answer(request.number, hits, min(swept.fraction, 0.999)))
                    hits, due, room = [], now + _MESSAGE_SECONDS, _MESSAGE_HITS
            self._send(Answer(request.number, hits, 1.0))
        finally:
            os.close(fd)

    def _superseded(self) -> bool:
        """Whether another request, or the end of all, is waiting."""
        return bool(select.select([self._requests], [], [], 0)[0])

    def _receive(self) -> Request | None:
        header = self._read(HEADER)
        body = self._read(int.from_bytes(header, "big")) if header else None
        return pickle.loads(body) if body else None  # noqa: S301  (written by the parent)

    def _read(self, length: int) -> bytes | None:
        parts: list[bytes] = []
        while length > 0:
            part = os.read(self._requests, length)
            if not part:
                return None
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _send(self, answer: Answer) -> None:
        data = memoryview(packed(answer))
        while data:
            data = data[os.write(self._answers, data) :]


def main() -> None:
    """Run with low priority; interrupts from the terminal are for the parent."""
    os.nice(_NICE)
    # The allocator of glibc keeps memory up to the size that was once given back: else each block
    # would be given to the system and fetched again, which takes as long as searching it.
    bytes(_KEPT)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _Server(sys.stdin.fileno(), sys.stdout.fileno()).serve()
    except BrokenPipeError:
        return


if __name__ == "__main__":
    main()
