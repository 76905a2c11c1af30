"""The logs of a session: its own, and those of its agents at all levels."""

from agentview.domain.session import SessionRef
from agentview.providers.base import Discovery


def session_logs(discovery: Discovery, ref: SessionRef) -> list[SessionRef]:
    """The session's own log first, then those of agents, nearest level first; each path once.

    A provider's `children` may give one level of agents or several.
    """
    found = {ref.path: ref}
    waiting = [ref]
    while waiting:
        for agent in discovery.children(waiting.pop(0)):
            if agent.path not in found:
                found[agent.path] = agent
                waiting.append(agent)
    return list(found.values())
