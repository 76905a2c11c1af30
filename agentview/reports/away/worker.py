"""Makes away reports in a process of its own: logs are read for one."""

import time

from agentview.domain.session import SessionInfo
from agentview.domain.unread import SeenPlace
from agentview.domain.value import Value
from agentview.providers import load_provider
from agentview.query.values import moment
from agentview.reports.away.report import AwayReport, away_report, since_seen
from agentview.sessions.annotations.all_sessions import AllAnnotations
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.messages import unpack_request
from agentview.sessions.library.scan.scanner import roots_of, sessions_under
from agentview.system.workers.connection import Connection


class AwayRequest(Value):
    """A report that is asked for."""

    since: str | None
    """A moment in words; None for since each session was on a screen."""
    idle_after: float
    """Seconds after which a session is idle."""


class AwayAnswer(Value):
    """A report, with what people call the providers in it."""

    request: AwayRequest
    report: AwayReport
    labels: dict[str, str]
    now: float


def serve(connection: Connection) -> None:
    """Answer each `AwayRequest`; first comes where sessions are."""
    places = connection.receive()
    if places is None:
        return
    roots = roots_of(unpack_request(places))
    annotations = AllAnnotations()

    def seen(info: SessionInfo) -> SeenPlace | None:
        return annotations.seen(info.ref)

    with SessionCache() as catalogue:
        while (request := connection.receive()) is not None:
            now = time.time()
            annotations.load()
            known = sessions_under(roots, catalogue)
            found = [facts.annotated(annotations.of(facts.info.ref)) for facts in known]
            since = None if request.since is None else moment(request.since, now)
            after = since_seen(seen, now) if since is None else since
            report = away_report(found, after, catalogue, now, request.idle_after)
            names = {each.info.ref.provider for each in report.sessions}
            labels = {name: load_provider(name).label for name in names}
            connection.send(AwayAnswer(request, report, labels, now))
