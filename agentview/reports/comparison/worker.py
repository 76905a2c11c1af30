"""Compares two sessions in a process of its own: both are read whole for it."""

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.reports.comparison.sessions import Comparison, compare
from agentview.sessions.targets.session_query import info_of
from agentview.system.workers.connection import Connection


class CompareRequest(Value):
    """Two sessions that are to be compared."""

    a: SessionRef
    b: SessionRef


class Compared(Value):
    """Two sessions side by side, or why they cannot be compared."""

    comparison: Comparison | None
    trouble: str | None = None


def serve(connection: Connection) -> None:
    while (request := connection.receive()) is not None:
        connection.send(_compared(request))


def _compared(request: CompareRequest) -> Compared:
    try:
        return Compared(compare(info_of(request.a), info_of(request.b)))
    except AgentViewError as error:
        return Compared(None, error.message)
