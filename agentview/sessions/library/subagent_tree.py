"""Which session each agent belongs to, kept up to date while their logs are found in any order."""

import os
from collections.abc import Callable, Iterable
from typing import Self

from agentview.domain.session import SessionRef

_MAX_DEPTH = 64
"""Agents between a session and an agent of its agents, at most."""

_Id = tuple[str, str]
"""Whose it is, and the id of a session or of an agent."""


def main_sessions(found: Iterable[SessionRef]) -> list[SessionRef]:
    """The sessions among these logs, and the agents whose session is not among them."""
    refs = list(found)
    tree = SubagentTree.of(refs)
    return [ref for ref in refs if tree.stands_alone(ref.path)]


class SubagentTree:
    """Takes logs as they become known; `known` gives each by its path, those taken included.

    An agent whose session is not among them stands for it, with the agents that it started.
    """

    def __init__(self, known: Callable[[str], SessionRef]) -> None:
        self._known = known
        self._sessions: dict[str, dict[str, str]] = {}
        """Logs by the ids of sessions, by owner: of thousands, so that no pairs are kept."""
        self._copies: dict[_Id, list[str]] = {}
        """All logs of a session that has several."""
        self._agents: dict[_Id, str] = {}
        self._naming: dict[_Id, list[str]] = {}
        """Agents by the ids that they name."""
        self._owners: dict[str, str | None] = {}
        """Sessions by agents; None for an agent whose session is not known."""
        self._children: dict[str, list[str]] = {}

    @classmethod
    def of(cls, refs: Iterable[SessionRef]) -> Self:
        """The tree of these."""
        known = {ref.path: ref for ref in refs}
        tree = cls(known.__getitem__)
        tree.take(known, known)
        return tree

    def agents_of(self, path: str) -> list[str]:
        return self._children.get(path, [])

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
                open_ones += self._naming.get(_id_of(self._known(path)), ())
        return stale

    def _register(self, path: str) -> list[str]:
        """Take a log; gives the agents whose session may be another one now."""
        ref = self._known(path)
        own = _id_of(ref)
        if ref.parent_id is None:
            first = self._sessions.setdefault(own[0], {}).setdefault(own[1], path)
            if first != path:
                self._copies.setdefault(own, [first]).append(path)
            return self._naming.get(own, [])
        self._agents[own] = path
        for name in {ref.session_id, ref.parent_id}:
            self._naming.setdefault((_whose(ref), name), []).append(path)
        return [path, *self._naming.get(own, ())]

    def _settle(self, path: str) -> set[str]:
        """Find the session of an agent; gives the logs whose lines that changes."""
        owner = self._owner(path)
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

    def _owner(self, path: str) -> str | None:
        """The session that started an agent, or the agent that started it.

        Where its session is not known, the first known of the agents above it.
        """
        ref, top = self._known(path), None
        for _ in range(_MAX_DEPTH):
            parent = ref.parent_id
            for name in (parent, ref.session_id):
                found = None if name is None else self._session(_whose(ref), name, path)
                if found is not None:
                    return found
            between = None if parent is None else self._agents.get((_whose(ref), parent))
            if between is None:
                return top
            ref, top = self._known(between), between
        return None

    def _session(self, whose: str, name: str, agent: str) -> str | None:
        """The log of a session; of several copies the one that lies nearest to an agent's log."""
        copies = self._copies.get((whose, name))
        if copies is None:
            return self._sessions.get(whose, {}).get(name)
        return max(copies, key=lambda path: (_alike(path, agent), path))


def are_same(one: SessionRef, other: SessionRef) -> bool:
    """Return whether two refs of a log are of the same session or agent, of the same parent."""
    identities = [
        (ref.provider, ref.session_id, ref.stream.id, ref.parent_id) for ref in (one, other)
    ]
    return identities[0] == identities[1]


def _whose(ref: SessionRef) -> str:
    return ref.provider if ref.host is None else f"{ref.provider} {ref.host}"


def _id_of(ref: SessionRef) -> _Id:
    return _whose(ref), ref.session_id if ref.parent_id is None else ref.own_id


def _alike(one: str, other: str) -> int:
    return len(os.path.commonprefix((one, other)))  # noqa: RUF071  (folders may have a log's name)
