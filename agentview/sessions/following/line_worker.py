"""Sums up the lines that sessions changed, in a worker: all of each log is read for it."""

import time
from collections.abc import Collection, Sequence

from agentview.domain.line_sum import LineSum, SessionLines
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.edits.line_sums import line_sum
from agentview.sessions.following.whole_session import load_session
from agentview.system.workers.connection import Connection

_LARGEST = 64_000_000
"""Bytes of a log from which on its lines are not summed up: its rows would be read each time."""
_PAUSE, _SHARE = 1.0, 10
"""Seconds between two rounds, and how many times as long as a round they last at least."""


def serve(connection: Connection) -> None:
    """Sum up sessions, as often as some are sent, each with its agents.

    A message has the sessions, and more that a sum does not need. Each is answered by
    `SessionLines`, the last of a message by None behind it.
    """
    asked: tuple[Sequence[SessionRef], Collection[str]] | None
    while (asked := connection.receive()) is not None:
        began = time.monotonic()
        for ref in asked[0]:
            connection.send(SessionLines(ref.path, _sum(ref)))
        # A log that is written all the time must not keep the worker busy.
        time.sleep(max(_PAUSE, _SHARE * (time.monotonic() - began)))
        connection.send(None)


def _sum(ref: SessionRef) -> LineSum | None:
    if (ref.size or 0) > _LARGEST:
        return None
    try:
        return line_sum(load_session(ref))
    except AgentViewError:
        return None
