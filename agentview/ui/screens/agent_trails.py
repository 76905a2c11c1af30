"""From a session to what its agents did: whose log it is in, and the way that led there."""

from dataclasses import replace

from agentview.domain.session import Stream
from agentview.ingest.session import LiveSession
from agentview.ingest.side_stream import SideStream, holds_stream
from agentview.timeline.agents import agent_name
from agentview.timeline.header import OpenSession
from agentview.ui.screens.session_actions import SessionActions, Trail


def log_of(session: OpenSession) -> LiveSession | None:
    """The session whose log has the rows that are shown."""
    if isinstance(session, SideStream):
        return session.base
    return session if isinstance(session, LiveSession) else None


def agent_of(
    base: LiveSession, stream: Stream, call: int | None
) -> LiveSession | SideStream | None:
    """What the agent of a stream did: a log of its own, else rows in that of its parent.

    `call` is the row of the call that started it, where that is known.
    """
    log = base.children.get(stream)
    if isinstance(log, LiveSession):
        return log
    if call is not None and holds_stream(base, call, stream):
        return SideStream(base, stream, call)
    return None


def trail_to(
    above: SessionActions, base: LiveSession, call: int | None, agent: LiveSession | SideStream
) -> Trail:
    """The way to an agent that was started by the call at a row of the session shown above."""
    started = None if call is None else above.looks.seen(base.activity(call))
    trail = above.trail or Trail(base, (base.header().title or "session",))
    return replace(trail, names=(*trail.names, agent_name(started, agent.ref)))
