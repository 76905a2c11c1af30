"""Calls of agents that have no result, by their logs: a client asks its person for them too."""

import time
from contextlib import suppress

from agentview.domain.session import SessionRef
from agentview.domain.session_state import AgentStatus
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.sources.member import log_stat

LOOK = 0.3
"""Seconds between two looks at the agents of a session, at least."""


class AgentLogs:
    """Open calls and requests in the logs of agents, read again when they change."""

    def __init__(self) -> None:
        self._logs: dict[str, list[SessionRef]] = {}
        """Agents by the log of their session, as they were listed last."""
        self._looked: dict[str, float] = {}
        self._known: dict[str, tuple[tuple[int, int], AgentStatus]] = {}
        """By the log of an agent: its size and time when it was read, and what it said."""
        self._asked: dict[str, SessionRef] = {}
        """Sessions that were asked about where an event loop would be held."""

    @property
    def due(self) -> bool:
        return bool(self._asked)

    def open_calls(self, ref: SessionRef, since: float, *, briefly: bool) -> list[AgentStatus]:
        """Agents of a session, at all levels, with a call that has no result.

        `briefly`: as `look` found them last; none if that was before `since`, epoch seconds: a
        call that was open then may have its result.
        """
        passed = time.monotonic() - self._looked.get(ref.path, -LOOK)
        outdated = time.time() - passed < since
        if outdated or passed >= LOOK:
            if briefly:
                self._asked[ref.path] = ref
            else:
                self._look(ref)
        if briefly and outdated:
            return []
        found = (self._known.get(log.path) for log in self._logs.get(ref.path, ()))
        return [agent for _, agent in filter(None, found) if agent.status.about is not None]

    def expect(self, ref: SessionRef) -> None:
        """Look with the next `look` at the agents of a session that were not looked at yet."""
        if ref.path not in self._looked:
            self._asked[ref.path] = ref

    def look(self) -> None:
        while self._asked:
            with suppress(KeyError):
                self._look(self._asked.popitem()[1])

    def _look(self, ref: SessionRef) -> None:
        # Imported here: a list without a session that waits needs none of it.
        from agentview.providers.session_logs import session_logs

        self._looked[ref.path] = time.monotonic()
        provider = load_provider(ref.provider)
        with suppress(AgentViewError, OSError):
            self._logs[ref.path] = session_logs(provider.discovery, ref)[1:]
        for log in self._logs.get(ref.path, ()):
            with suppress(AgentViewError, OSError):
                status = log_stat(log.path)
                stamp = status.st_mtime_ns, status.st_size
                known = self._known.get(log.path)
                if known is None or known[0] != stamp:
                    info = provider.info(log)
                    name = log.label or info.title
                    self._known[log.path] = stamp, AgentStatus(name, info.status)


AGENT_LOGS = AgentLogs()
"""Those of all sessions of this machine."""
