"""The sessions found so far, agents told apart from the sessions that started them."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, TypeVar

from agentview.domain.session import SessionInfo
from agentview.domain.value import Value
from agentview.library.facts import SessionFacts
from agentview.library.figures import Figures, figures_of
from agentview.library.presence import activity_time

Item = TypeVar("Item")

SLICE = 128
"""Sessions that are looked at between two places where work may pause."""

_SORTED = 1_024
"""Sessions that are sorted at once."""

_MAX_DEPTH = 8
"""Agents between a session and an agent of its agents, at most."""


class Entry(Value):
    """One line of the library: a session, or an agent that the session above it started."""

    facts: SessionFacts
    agents: tuple[SessionFacts, ...] = ()
    nested: bool = False

    @property
    def info(self) -> SessionInfo:
        """What its log says at head and tail."""
        return self.facts.info

    @property
    def path(self) -> str:
        """Its log."""
        return self.facts.info.ref.path

    @property
    def figures(self) -> Figures:
        """What it used, with its agents."""
        return figures_of(self.facts, self.agents)


class Listing:
    """Takes sessions as they are found; long work over all of them is given in small steps."""

    def __init__(self) -> None:
        self._by_path: dict[str, SessionFacts] = {}
        self._entries: list[Entry] | None = None
        self._revision = 0
        self._figures: dict[str, tuple[SessionFacts, Figures]] = {}

    def __len__(self) -> int:
        return len(self._by_path)

    def get(self, path: str) -> SessionFacts | None:
        """What is known of the session in a log."""
        return self._by_path.get(path)

    def add(self, found: Iterable[SessionFacts]) -> None:
        """Take sessions; one that is known already is replaced."""
        for facts in found:
            self._by_path[facts.info.ref.path] = facts
        self._changed()

    def forget(self, paths: Iterable[str]) -> None:
        """Drop the sessions in these logs."""
        for path in paths:
            self._by_path.pop(path, None)
            self._figures.pop(path, None)
        self._changed()

    def clear(self) -> None:
        """Forget all of them."""
        self._by_path.clear()
        self._figures.clear()
        self._changed()

    def _changed(self) -> None:
        self._entries = None
        self._revision += 1

    def unindexed(self) -> int:
        """How many logs have not been indexed."""
        return sum(1 for facts in self._by_path.values() if facts.totals is None)

    def figures(self, facts: SessionFacts, agents: Sequence[SessionFacts]) -> Figures:
        """What a session and its agents used; kept, since adding up takes a while."""
        if agents or facts.totals is None:
            return figures_of(facts, agents)
        path = facts.info.ref.path
        kept = self._figures.get(path)
        if kept is None or kept[0] is not facts:
            kept = self._figures[path] = facts, figures_of(facts)
        return kept[1]

    def entries(self) -> Generator[None, None, list[Entry]]:
        """The sessions, newest activity first, each with the agents that it started, in steps.

        An agent whose session was not found stands for itself. Quick when nothing has come since;
        the list is not to be changed.
        """
        if self._entries is not None:
            return self._entries
        revision, everything = self._revision, list(self._by_path.values())
        mains, agents = _parted(everything)
        yield
        by_id = {_id_of(facts): facts for facts in mains} if agents else {}
        parents = {_id_of(facts): facts for facts in agents}
        yield
        children: dict[str, list[SessionFacts]] = {}
        for number, facts in enumerate(agents):
            owner = _owner(facts, by_id, parents)
            if owner is None:
                mains.append(facts)
            else:
                children.setdefault(owner.info.ref.path, []).append(facts)
            if number % SLICE == 0:
                yield
        for own in children.values():
            own.sort(key=newest_key)
        ordered = yield from sorted_in_steps(mains, newest_key)
        entries: list[Entry] = []
        for start in range(0, len(ordered), SLICE):
            part = ordered[start : start + SLICE]
            entries += [Entry(one, tuple(children.get(one.info.ref.path, ()))) for one in part]
            yield
        # What came between two steps is for the next time.
        if revision == self._revision:
            self._entries = entries
        return entries


def _parted(everything: Sequence[SessionFacts]) -> tuple[list[SessionFacts], list[SessionFacts]]:
    mains: list[SessionFacts] = []
    agents: list[SessionFacts] = []
    for facts in everything:
        (mains if facts.info.ref.parent_id is None else agents).append(facts)
    return mains, agents


def _id_of(facts: SessionFacts) -> tuple[str, str]:
    ref = facts.info.ref
    return ref.provider, (ref.stream.id or ref.session_id) if ref.parent_id else ref.session_id


def _owner(
    facts: SessionFacts,
    sessions: Mapping[tuple[str, str], SessionFacts],
    agents: Mapping[tuple[str, str], SessionFacts],
) -> SessionFacts | None:
    """The session that started an agent, or the agent that started it."""
    for _ in range(_MAX_DEPTH):
        ref = facts.info.ref
        for name in (ref.session_id, ref.parent_id):
            found = None if name is None else sessions.get((ref.provider, name))
            if found is not None:
                return found
        between = None if ref.parent_id is None else agents.get((ref.provider, ref.parent_id))
        if between is None:
            return None
        facts = between
    return None


def newest_key(facts: SessionFacts) -> tuple[float, str]:
    """Sorts sessions by their last activity, the newest first."""
    return -activity_time(facts.info), facts.info.ref.path


def sorted_in_steps(
    found: Sequence[Item], key: Callable[[Item], Any], *, reverse: bool = False
) -> Generator[None, None, list[Item]]:
    """The items in order; those with equal keys stay as they are, `reverse` or not.

    Parts are sorted first, then two at a time are merged, which is quick for a sort. Only numbers
    are moved: pairs of key and item would be work for the garbage collector.
    """
    keys: list[Any] = []
    parts: list[list[int]] = []
    for start in range(0, len(found), _SORTED):
        keys += [key(item) for item in found[start : start + _SORTED]]
        parts.append(list(range(start, len(keys))))
        parts[-1].sort(key=keys.__getitem__, reverse=reverse)
        yield
    while len(parts) > 1:
        pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        parts = []
        for pair in pairs:
            merged = [at for part in pair for at in part]
            merged.sort(key=keys.__getitem__, reverse=reverse)
            parts.append(merged)
            yield
    return [found[at] for part in parts for at in part]


def project_name(info: SessionInfo) -> str | None:
    """Name of the working directory of the session, with that of the directory it lies in."""
    if not info.project:
        return None
    parts = [part for part in PurePath(info.project).parts if part != "/"]
    return "/".join(parts[-2:]) or info.project
