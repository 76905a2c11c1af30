"""Which record continues behind which: the places where a conversation left its newest record.

A log is a tree of records. Most records follow the one before them in the file, so only those that
do not are kept. Every rule compares rows, never the order of arrival.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import KINDS, EventFact
from agentview.domain.tools import ToolKind

ROOT = -(1 << 62)
"""The row of the parent of a record that has none."""

_PASSIVE, _ACTIVE, _GIVEN, _TURN = range(4)
_FROM_MODEL = frozenset({*ToolKind, RowKind.MESSAGE, RowKind.REASONING, RowKind.RESULT})
_ROLE_OF = {
    **dict.fromkeys(_FROM_MODEL, _ACTIVE),
    RowKind.COMMAND: _GIVEN,
    RowKind.USER: _TURN,
}
_ROLES = bytes(_ROLE_OF.get(kind, _PASSIVE) for kind in KINDS).ljust(256, b"\0")


class Lineage:
    """Finds the records whose parent lies before the segment that they are in.

    A segment begins with what a person gave. Inside of it file order counts, not the parents:
    parallel calls and their results have one parent, and so have the notes of hooks. `find` gives
    the last row of a record by its id.
    """

    def __init__(self, find: Callable[[str], int | None]) -> None:
        self.links: dict[int, int] = {}
        """Row of the first event of a record -> last row of its parent, in an earlier segment."""
        self.waiting: dict[int, str] = {}
        """Rows of records -> parents that have not been found."""
        self.roots: set[int] = set()
        """Rows of prompts that have no parent."""
        self.unchained = 0
        """Records of the model without a parent: in such a log a root says nothing."""
        self.relays: dict[str, str] = {}
        """Notes of the client that are in another segment than their parents, by id."""
        self._find = find
        self._missing: set[str] = set()
        """All parents that were ever waited for."""
        self._last = ""
        """The newest record of a log that is read forward; no record has an empty id."""
        self._segment: dict[str, int] = {}
        """Rows of the records since the newest prompt, of a log that is read forward."""

    def take(self, start: int, facts: Sequence[EventFact], *, front: bool) -> None:
        """Take new rows, which begin at `start`, in front of all others or behind them."""
        known: dict[str, int] = {} if front else self._segment
        last = "" if front else self._last
        segment = start if front else ROOT
        relays, late = self.relays, False
        for row, stop, role in _records(start, facts):
            fact = facts[row - start]
            record, parent = fact.record or "", fact.parent
            if record == last:
                known[record] = stop - 1
                continue
            begins = role >= _GIVEN
            if begins:
                if parent != last or parent in relays:
                    self._give(row, parent, role, known)
            elif parent in relays or (
                parent != last and known.get(parent or "", ROOT - 1) < segment
            ):
                begins = self._leave(row, record, parent, role, known)
                late |= record in self._missing
            if begins:
                segment = row
                if not front:
                    known.clear()
            known[record] = stop - 1
            last = record
        if front:
            self._resolve(known.get)
            return
        self._last = last
        if late:
            # Records were waited for that only continue others.
            self.resolve()

    def wait(self, row: int, parent: str) -> None:
        """Let a record wait for its parent, which has not been found."""
        self.waiting[row] = parent
        self._missing.add(parent)

    def resolve(self) -> None:
        self._resolve(self._find)

    def _give(self, row: int, parent: str | None, role: int, known: Mapping[str, int]) -> None:
        if parent is not None:
            self._want(row, parent, known)
        elif role == _TURN and not self.unchained:
            self.roots.add(row)

    def _leave(
        self, row: int, record: str, parent: str | None, role: int, known: Mapping[str, int]
    ) -> bool:
        """A record seems to continue elsewhere; True when a segment begins with it."""
        if parent is None:
            self.unchained += role == _ACTIVE
            if self.unchained:
                self.roots.clear()
        elif role == _ACTIVE:
            self._want(row, parent, known)
            return True
        else:
            self.relays[record] = parent
        return False

    def _want(self, row: int, parent: str, known: Mapping[str, int]) -> None:
        parent = self._origin(parent)
        found = known.get(parent)
        if found is None:
            found = self._find(parent)
        if found is not None and found < row:
            self.links[row] = found
        else:
            # A parent that comes later may itself continue what is before.
            self.wait(row, parent)

    def _origin(self, parent: str) -> str:
        """Follow notes of the client to what they continue behind."""
        for _ in range(len(self.relays)):
            before = self.relays.get(parent)
            if before is None:
                break
            parent = before
        return parent

    def _resolve(self, find: Callable[[str], int | None]) -> None:
        for row, missing in list(self.waiting.items()):
            parent = self._origin(missing)
            found = find(parent)
            if found is None and parent != missing:
                found = self._find(parent)
            if found is not None and found < row:
                self.links[row] = found
                del self.waiting[row]
            else:
                self.wait(row, parent)


def _records(start: int, facts: Sequence[EventFact]) -> Iterator[tuple[int, int, int]]:
    """Rows of each record of the main stream that has an id: from, up to, and its role."""
    at, count, roles = 0, len(facts), _ROLES
    while at < count:
        fact = facts[at]
        first, record, role = at, fact.record, roles[fact.kind]
        at += 1
        if record is None or fact.stream is not None:
            continue
        while at < count and facts[at].record == record:
            role = max(role, roles[facts[at].kind])
            at += 1
        yield start + first, start + at, role
