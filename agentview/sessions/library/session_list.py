"""The sessions found so far, agents distinguished from the sessions that started them."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from agentview.domain.annotations import NO_ANNOTATIONS, Annotations
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.value import Value
from agentview.normalize.project_path import path_parts
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.subagent_tree import SubagentTree, are_same
from agentview.sessions.library.usage_rollup import UsageRollup, figures_of

Item = TypeVar("Item")

SLICE = 128
"""Sessions that are looked at between two places where work may pause."""

_SORTED = 1_024
"""Sessions that are sorted at once."""

_FEW = 512
"""Lines that are put in their places one by one, without sorting all of them."""

_AT_ONCE = 16
"""Of these, how many at once."""

Key = tuple[float, str]
"""The sort key of a session."""


class Entry(Value):
    """One line of the library: a session, or an agent that the session above it started."""

    facts: SessionFacts
    agents: tuple[SessionFacts, ...] = ()
    nested: bool = False

    @property
    def info(self) -> SessionInfo:
        """Facts from head and tail of its log."""
        return self.facts.info

    @property
    def path(self) -> str:
        return self.facts.info.ref.path

    @property
    def figures(self) -> UsageRollup:
        """Its usage, with that of its agents."""
        return figures_of(self.facts, self.agents)


class Listing:
    """Takes sessions as they are found; long work over all of them is given in small steps."""

    def __init__(self) -> None:
        self._by_path: dict[str, SessionFacts] = {}
        self._annotations: Mapping[tuple[str, str], Annotations] | None = None
        """None where sessions come with them."""
        self._figures: dict[str, tuple[SessionFacts, UsageRollup]] = {}
        self._begin()

    def _begin(self) -> None:
        """Know nothing of what is listed, so that all is made again."""
        self._kinship = SubagentTree(lambda path: self._by_path[path].info.ref)
        self._looked: object = None
        """Another one each time that lines become stale."""
        self._entries: list[Entry] = []
        self._lines: dict[str, Entry] = {}
        """The same by their logs, as they are sorted."""
        self._changed: dict[str, bool] = dict.fromkeys(self._by_path, True)
        """Logs whose kin is not looked at yet, and whether they are new."""
        self._stale: set[str] = set()
        """Logs whose lines are not made yet."""

    def __len__(self) -> int:
        return len(self._by_path)

    def get(self, path: str) -> SessionFacts | None:
        return self._by_path.get(path)

    def facts(self) -> tuple[SessionFacts, ...]:
        return tuple(self._by_path.values())

    def paths(self) -> set[str]:
        return set(self._by_path)

    def add(self, found: Iterable[SessionFacts]) -> None:
        """Take sessions; one that is known already is replaced."""
        if (known := self._annotations) is not None:
            found = (facts.annotated(_added_to(facts.info.ref, known)) for facts in found)
        for facts in found:
            path = facts.info.ref.path
            before = self._by_path.get(path)
            self._by_path[path] = facts
            if before is None:
                self._changed[path] = True
                continue
            self._changed.setdefault(path, False)
            if not are_same(before.info.ref, facts.info.ref):
                self._begin()

    def annotate(self, annotations: Mapping[tuple[str, str], Annotations]) -> None:
        """Take what people added to sessions, by provider and session id."""
        before, self._annotations = self._annotations or {}, annotations
        keys = {
            key for key in before.keys() | annotations if before.get(key) != annotations.get(key)
        }
        if keys:
            refs = ((facts, facts.info.ref) for facts in self._by_path.values())
            self.add([facts for facts, ref in refs if (ref.provider, ref.session_id) in keys])

    def forget(self, paths: Iterable[str]) -> None:
        """Drop the sessions in these logs."""
        gone = [path for path in paths if path in self._by_path]
        for path in gone:
            del self._by_path[path]
            self._figures.pop(path, None)
        if gone:
            self._begin()

    def clear(self) -> None:
        self.forget(tuple(self._by_path))

    def figures(self, facts: SessionFacts, agents: Sequence[SessionFacts]) -> UsageRollup:
        """Return the usage of a session and its agents; kept, since adding up takes a while."""
        if agents or facts.totals is None:
            return figures_of(facts, agents)
        path = facts.info.ref.path
        kept = self._figures.get(path)
        if kept is None or kept[0] is not facts:
            kept = self._figures[path] = facts, figures_of(facts)
        return kept[1]

    def entries(self) -> Generator[None, None, list[Entry]]:
        """The sessions, newest activity first, each with the agents that it started, in steps.

        An agent whose session was not found is separate. What has come since the last time
        is put in its place among the others; the list is not to be changed.
        """
        while self._changed:
            self._look_at_kin()
            yield
        if len(self._stale) > _FEW:
            return (yield from self._resorted())
        while self._stale:
            self._put_in()
            yield
        return self._entries

    def _look_at_kin(self) -> None:
        part = dict(islice(self._changed.items(), SLICE))
        for path in part:
            del self._changed[path]
        new = [path for path, is_new in part.items() if is_new]
        self._stale |= self._kinship.take(part, new)
        self._looked = object()

    def _line(self, path: str) -> Entry | None:
        """The line of a log, unless it stands below another one."""
        if not self._kinship.stands_alone(path):
            return None
        agents = map(self._by_path.__getitem__, self._kinship.agents_of(path))
        return Entry(self._by_path[path], tuple(sorted(agents, key=newest_key)))

    def _put_in(self) -> None:
        """Make some lines, each in its place; a list that was given stays as it is."""
        entries, lines = self._entries.copy(), self._lines
        for path in tuple(islice(self._stale, _AT_ONCE)):
            self._stale.discard(path)
            before = lines.pop(path, None)
            if before is not None:
                del entries[bisect_left(entries, _key_of(before), key=_key_of)]
            entry = self._line(path)
            if entry is not None:
                lines[path] = entry
                entries.insert(bisect_left(entries, _key_of(entry), key=_key_of), entry)
        self._entries = entries

    def _resorted(self) -> Generator[None, None, list[Entry]]:
        """Make the lines of many logs, and put all in order."""
        looked, before, stale = self._looked, self._entries, frozenset(self._stale)
        entries: list[Entry] = []
        for start in range(0, len(before), SLICE):
            part = before[start : start + SLICE]
            entries += [entry for entry in part if entry.path not in stale]
            yield
        kinship = self._kinship
        for number, path in enumerate(stale):
            entry = self._line(path)
            if entry is not None:
                entries.append(entry)
            if number % SLICE == SLICE - 1:
                yield
                if kinship is not self._kinship:
                    return (yield from self.entries())
        entries = yield from sorted_in_steps(entries, _key_of)
        lines: dict[str, Entry] = {}
        for number, entry in enumerate(entries):
            lines[entry.path] = entry
            if number % SLICE == SLICE - 1:
                yield
        if looked is self._looked and before is self._entries:
            self._entries, self._lines = entries, lines
            self._stale -= stale
        return entries


def _added_to(ref: SessionRef, annotations: Mapping[tuple[str, str], Annotations]) -> Annotations:
    """Return the annotations of a session; nothing for a subagent: its session has them."""
    if ref.parent_id is not None or ref.stream.id:
        return NO_ANNOTATIONS
    return annotations.get((ref.provider, ref.session_id), NO_ANNOTATIONS)


def newest_key(facts: SessionFacts) -> Key:
    return -activity_time(facts.info), facts.info.ref.path


def _key_of(entry: Entry) -> Key:
    return newest_key(entry.facts)


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
    """Name of the working directory of the session, with that of the directory it is in.

    On another machine the name of that stands before it.
    """
    if not info.project:
        return info.ref.host
    parts = path_parts(info.project)
    return on_host(info, "/".join(parts[-2:]) or info.project)


def on_host(info: SessionInfo, name: str) -> str:
    """A name of the machine of a session, with that of the machine where it is another one."""
    return name if info.ref.host is None else f"{info.ref.host}:{name}"


def distinct_names(directories: Iterable[str]) -> dict[str, str]:
    """Give each directory the fewest of its last parts that distinguish it from all the others."""
    parts = {path: path_parts(path) for path in directories}
    ends = Counter(
        tuple(each[-count:]) for each in parts.values() for count in range(1, len(each) + 1)
    )

    def name(path: str, each: list[str]) -> str:
        counts = range(1, len(each))
        count = next((count for count in counts if ends[tuple(each[-count:])] == 1), None)
        return path if count is None else "/".join(each[-count:])

    return {path: name(path, each) for path, each in parts.items()}
