"""Searches one session in a worker: looks through its log and reports what it finds."""

import os
import time
from pathlib import Path

from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.query.parser import Term
from agentview.search.log_scan import Hit, LogScan
from agentview.search.matcher import Matcher
from agentview.search.session_messages import Answer, Request
from agentview.sources.open_file import open_file
from agentview.workers.connection import Connection

_KEPT = 16 * 1024 * 1024
_MESSAGE_HITS = 128
"""Hits of a message: few enough to be taken in on an event loop at once."""
_MESSAGE_SECONDS = 0.05


def serve(connection: Connection) -> None:
    """Answer each `Request` until the parent is gone; a request ends the search before it.

    One without a term only has the worker get ready.
    """
    # The allocator of glibc keeps memory up to the size that was once given back: else each block
    # would be given to the system and fetched again, which takes as long as searching it.
    bytes(_KEPT)
    request: Request | None
    while (request := connection.receive()) is not None:
        load_provider(request.session.provider)
        if request.term is not None:
            try:
                _search(request, request.term, connection)
            except AgentViewError as error:
                connection.send(Answer(request.number, [], 0.0, error.message))


def _search(request: Request, term: Term, connection: Connection) -> None:
    fd, _ = open_file(Path(request.session.path))
    try:
        provider = load_provider(request.session.provider)
        matcher = Matcher(term, request.places)
        sweep = LogScan(provider, request.session, fd, matcher, request.end)
        hits: list[Hit] = []
        # The first hit is reported at once: the reader is taken there.
        due, room = 0.0, 1
        for swept in sweep.run(request.origin):
            hits += swept.hits
            now = time.perf_counter()
            if len(hits) >= room or (now > due and (hits or swept.fraction)):
                if connection.waiting():
                    return
                connection.send(Answer(request.number, hits, min(swept.fraction, 0.999)))
                hits, due, room = [], now + _MESSAGE_SECONDS, _MESSAGE_HITS
        connection.send(Answer(request.number, hits, 1.0))
    finally:
        os.close(fd)
