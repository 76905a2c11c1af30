"""All of a session that is being written: read whole once, then what is appended."""

from agentview.domain.session import SessionRef
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.timeline.rows.session_store import SessionStore


class GrowingSession:
    """The rows of a session in `store`, with those of its agents at all levels."""

    def __init__(self, ref: SessionRef) -> None:
        self._ref = ref
        self._begin()

    def _begin(self) -> None:
        provider = load_provider(self._ref.provider)
        self.store = SessionStore(provider, self._ref, live=True, folding=True)
        self._logs = {self._ref.path: _GrowingLog(self.store)}
        self._begun_again = True

    def read_on(self) -> bool:
        """Read what was written since the last time; all of each log the first time.

        Return True if `store` is another one, or has other rows than before. Raises AgentViewError.
        """
        with reading(self._ref):
            agents = session_logs(self.store.provider.discovery, self._ref)[1:]
            there = {self._ref.path, *(agent.path for agent in agents)}
            if any(log.is_torn or path not in there for path, log in self._logs.items()):
                self._begin()
            begun_again, self._begun_again = self._begun_again, False
            for agent in agents:
                if agent.path not in self._logs:
                    self._attach(SessionStore(self.store.provider, agent, live=True))
            resets = [log.read_on() for log in self._logs.values()]
            return begun_again or any(resets)

    def _attach(self, agent: SessionStore) -> None:
        # Whose call started an agent shows only from the calls: each log looks in its own.
        for other in self._logs.values():
            other.store.set_child(agent.session.stream, agent, agent.session.parent_call)
            if other.store is not self.store:
                known = other.store.session
                agent.set_child(known.stream, other.store, known.parent_call)
        self._logs[agent.session.path] = _GrowingLog(agent)


class _GrowingLog:
    def __init__(self, store: SessionStore) -> None:
        self.store = store
        self._log = IndexedLog(store.session, for_rows=True)
        self.is_torn = False
        """The last record had no end of its line: what follows may be more of it."""

    def read_on(self) -> bool:
        """Return True if what was read before is void."""
        more, again = True, False
        while more:
            chunk = self._log.poll()
            if chunk.reset:
                self.store.reset()
                again = True
            self.store.append(chunk.records)
            more = chunk.more
        last = self._log.finish()
        self.is_torn = bool(last)
        self.store.append(last)
        if not self.store.indexed:
            self.store.finish_indexing()
        return again
