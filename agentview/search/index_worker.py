"""Brings the index up to date in a worker, and reports how far it is."""

import time

from agentview.domain.session import SessionRef
from agentview.search.fts_index import index_path
from agentview.search.index_messages import Build, Logs, numbered
from agentview.search.indexer import build_index
from agentview.workers.connection import Connection

_STEP = 0.1
"""Seconds between two reports."""


def serve(connection: Connection) -> None:
    """Build as the messages say, until it is done or the parent is gone."""
    refs: list[SessionRef] = []
    while isinstance(message := connection.receive(), Logs):
        refs.extend(message.refs)
    if not isinstance(message, Build):
        return
    due, last = 0.0, None
    # Nothing more is said to it: what can be read is the end of the parent.
    wanted = [refs[number] for number in numbered(message.logs)]
    for progress in build_index(index_path(), wanted, connection.waiting):
        last = progress
        now = time.monotonic()
        if now >= due:
            due, last = now + _STEP, None
            connection.send(progress)
    if last is not None:
        connection.send(last)
