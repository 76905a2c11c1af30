"""Counts what a session used in a worker, and counts on when it is asked."""

import time

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import SessionUsageReader
from agentview.facts.usage.report import Counted, counted
from agentview.providers.contained import reading
from agentview.sources.member import log_stat
from agentview.system.workers.connection import Connection

_REPORT = 0.5
"""Seconds between two reports on how far it has come."""


def serve(connection: Connection) -> None:
    """Count the session that is sent first, each time something is sent after it.

    Each answer is one or more `Counted`: what a long log has come to so far; the last is complete.
    """
    ref: SessionRef = connection.receive()
    meter = SessionUsageReader(ref, PriceList())
    while connection.receive() is not None:
        connection.send(_count(meter, connection))


def _count(meter: SessionUsageReader, connection: Connection) -> Counted:
    reported = time.monotonic()
    try:
        with reading(meter.ref):
            for read in meter.steps():
                if time.monotonic() - reported > _REPORT:
                    size = max(log_stat(meter.ref.path).st_size, 1)
                    connection.send(counted(meter.usage(), min(read / size, 0.99)))
                    reported = time.monotonic()
    except AgentViewError as error:
        return counted(meter.usage(), trouble=error.message)
    return counted(meter.usage())
