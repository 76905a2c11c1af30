"""Which session each agent belongs to, kept up to date while their logs are found in any order."""

from collections.abc import Iterable, Mapping

from agentview.sessions.library.session_record import SessionFacts

_MAX_DEPTH = 8
"""Agents between a session and an agent of its agents, at most."""

_Id = tuple[str, str]
"""Provider, and the id of a session or of an agent."""


class SubagentTree:
    """Takes logs as they become known; `known` are their facts by path, those taken included."""

    def __init__(self, known: Mapping[str, SessionFacts]) -> None:
        self._known = known
        self._sessions: dict[str, dict[str, str]] = {}
        """Logs by the ids of sessions, by provider: of thousands, so that no pairs are kept."""
        self._agents: dict[_Id, str] = {}
        self._naming: dict[_Id, list[str]] = {}
        """Agents by the ids that they name."""
        self._owners: dict[str, str | None] = {}
        """Sessions by agents; None for an agent whose session is not known."""
        self._children: dict[str, list[str]] = {}

    def agents_of(self, path: str) -> list[SessionFacts]:
        """The agents that a session started, and those that these started."""
        return [self._known[child] for child in self._children.get(path, ())]

    def stands_alone(self, path: str) -> bool:
        """Return True if a log has a line of its own: of a session, or of an agent without one."""
        return self._owners.get(path) is None

    def take(self, paths: Iterable[str], new: Iterable[str]) -> set[str]:
        """Take logs whose facts are other ones, the `new` among them for the first time.

        Gives the logs whose lines are other ones now, or are no lines any more.
        """
        open_ones: list[str] = []
        for path in new:
            open_ones += self._register(path)
        stale = {self._owners.get(path) or path for path in paths}
        settled: set[str] = set()
        while open_ones:
            path = open_ones.pop()
            if path not in settled:
                settled.add(path)
                stale |= self._settle(path)
                open_ones += self._naming.get(_id_of(self._known[path]), ())
        return stale

    def _register(self, path: str) -> list[str]:
        """Take a log; gives the agents whose session may be another one now."""
        facts = self._known[path]
        own = _id_of(facts)
        if not is_agent(facts):
            self._sessions.setdefault(own[0], {})[own[1]] = path
            return self._naming.get(own, [])
        self._agents[own] = path
        ref = facts.info.ref
        for name in {ref.session_id, ref.parent_id or ""}:
            self._naming.setdefault((ref.provider, name), []).append(path)
        return [path, *self._naming.get(own, ())]

    def _settle(self, path: str) -> set[str]:
        """Find the session of an agent; gives the logs whose lines that changes."""
        owner = self._owner(self._known[path])
        if path in self._owners:
            before = self._owners[path]
            if before == owner:
                return set()
            if before is not None:
                self._children[before].remove(path)
        else:
            before = None
        self._owners[path] = owner
        if owner is not None:
            self._children.setdefault(owner, []).append(path)
        return {owner or path, before or path}

    def _owner(self, facts: SessionFacts) -> str | None:
        """The session that started an agent, or the agent that started it."""
        for _ in range(_MAX_DEPTH):
            ref = facts.info.ref
            sessions = self._sessions.get(ref.provider, {})
            found = sessions.get(ref.session_id) or sessions.get(ref.parent_id or "")
            if found is not None:
                return found
            parent = ref.parent_id
            between = None if parent is None else self._agents.get((ref.provider, parent))
            if between is None:
                return None
            facts = self._known[between]
        return None


def is_agent(facts: SessionFacts) -> bool:
    """Return True if a session started it."""
    return facts.info.ref.parent_id is not None


def are_same(one: SessionFacts, other: SessionFacts) -> bool:
    """Return whether two facts of a log are of the same session or agent, of the same parent."""
    refs = one.info.ref, other.info.ref
    identities = [(ref.provider, ref.session_id, ref.stream.id, ref.parent_id) for ref in refs]
    return identities[0] == identities[1]


def _id_of(facts: SessionFacts) -> _Id:
    ref = facts.info.ref
    return ref.provider, (ref.stream.id or ref.session_id) if ref.parent_id else ref.session_id
