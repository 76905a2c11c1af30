"""Counts what sessions used in a worker, and counts on when it is asked."""

import time
from collections.abc import Collection, Sequence

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import SessionUsageReader
from agentview.facts.usage.report import Counted, SessionCount, counted
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


def serve_several(connection: Connection) -> None:
    """Count sessions, as often as some are sent, each with its agents.

    A message has the sessions to be counted now, and the logs of all that may be counted again.
    Each is answered by a `SessionCount`, the last of a message by None behind it.
    """
    pricing, meters = PriceList(), dict[str, SessionUsageReader]()
    asked: tuple[Sequence[SessionRef], Collection[str]] | None
    while (asked := connection.receive()) is not None:
        refs, followed = asked
        meters = {path: meter for path, meter in meters.items() if path in followed}
        for ref in refs:
            meter = meters.setdefault(ref.path, SessionUsageReader(ref, pricing))
            try:
                with reading(ref):
                    meter.poll()
                    usage = meter.usage()
                    connection.send(SessionCount(ref.path, usage.total.tokens, usage.cost))
            except AgentViewError:
                del meters[ref.path]
                connection.send(SessionCount(ref.path))
        connection.send(None)
