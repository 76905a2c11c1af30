"""From a session to what its agents did: whose log it is in, and the way that led there."""

from msgspec.structs import replace

from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.sessions.following.embedded_subagents import open_side_log
from agentview.sessions.following.live_session import LiveSession
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.overview.subagents import agent_name
from agentview.timeline.view.titles.title import title_of
from agentview.ui.screens.session.options import NavigationPath
from agentview.ui.screens.session.screen import SessionScreen


def log_of(session: OpenSession) -> LiveSession | None:
    """The session whose log has the rows that are shown."""
    return session if isinstance(session, LiveSession) else None


def call_of(base: LiveSession, stream: Stream) -> int | None:
    """The row of the call that started the agent of a stream, where that is known."""
    row = base.store.child_call(stream)
    if row is not None:
        return row
    calls = base.store.of_kinds({ToolKind.SUBAGENT_TASK})
    return next((row for row in calls if base.store.activity(row).child == stream), None)


async def agent_of(base: LiveSession, stream: Stream, call: int | None) -> LiveSession | None:
    """Totals of the agent of a stream: from its own log, else from that of its parent.

    `call` is the row of the call that started it, where that is known.
    """
    agent = base.agent(stream)
    return agent if agent is not None or call is None else await open_side_log(base, stream, call)


def branch_of(above: SessionScreen, row: int) -> tuple[LiveSession, NavigationPath] | None:
    """The abandoned branch that is folded at a row as a session of its own, and the way to it."""
    base = log_of(above.session)
    branch = None if base is None else base.store.fold(row)
    if base is None or branch is None or base.ref.stream != base.ref.log.stream:
        return None
    title = title_of(above.options.seen(base.store.activity(row)))
    name = f"{title.label}: {title.subject}"
    ref = replace(base.ref, shared=True, records=base.store.branch_records(branch), label=name)
    session = LiveSession(base.store.provider, ref)
    session.open()
    trail = above.trail or NavigationPath(base, (base.header().title or "session",))
    return session, replace(trail, names=(*trail.names, name))


def trail_to(
    above: SessionScreen, base: LiveSession, call: int | None, agent: LiveSession
) -> NavigationPath:
    """The way to an agent that was started by the call at a row of the session shown above."""
    started = None if call is None else above.options.seen(base.store.activity(call))
    trail = above.trail or NavigationPath(base, (base.header().title or "session",))
    return replace(trail, names=(*trail.names, agent_name(started, agent.ref)))
