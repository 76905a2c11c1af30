"""Rows that a conversation went back behind: they are in the log and count no more."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agentview.domain.activity import RowKind
from agentview.domain.events import Rewind
from agentview.domain.outline import KIND_CODES, Flag
from agentview.store.rows import PackedRows

_NO_TURN = Flag.TWIN | Flag.REPLACED
_GIVEN = frozenset({KIND_CODES[RowKind.USER], KIND_CODES[RowKind.COMMAND]})
"""Kinds of rows that a person gave to the conversation."""


@dataclass(slots=True)
class _Walk:
    """How far back a rewind has been carried out."""

    reached: int
    """Row from which on, up to the rewind, all are dropped."""
    key: str | None
    turns: int
    """Prompts still to be found."""
    passed: int = 0
    """Prompts still to be passed over, since an earlier rewind has dropped them."""
    found: list[int] = field(default_factory=list[int])
    """Rows that were counted as prompts."""
    done: bool = False


class Rewinds:
    """Carries out rewinds as far back as rows are known, and goes on when more are.

    `mark` sets a flag on a row and keeps the counts; `row_of` finds the row of a `replaces` key,
    `first_of` that of a `dedupe_key`.
    """

    def __init__(
        self,
        rows: PackedRows,
        mark: Callable[[int, int], None],
        row_of: Callable[[str], int | None],
        first_of: Callable[[str], int | None],
    ) -> None:
        self._rows = rows
        self._mark = mark
        self._row_of = row_of
        self._first_of = first_of
        self._after: dict[int, tuple[str, ...]] = {}
        """Rewinds by what they stay behind, as long as that has not been found."""
        self._seen: dict[int, Rewind] = {}
        self._walks: list[_Walk] = []
        self.held = False
        """Rows have come whose keys are still to come: what is told by a key waits for them."""

    def add(self, row: int, rewind: Rewind) -> None:
        """The conversation went back at `row`; `advance` says what that drops."""
        if rewind.after:
            self._after[row] = rewind.after
            return
        self._seen[row] = rewind
        self._walks.append(_Walk(row, rewind.key, rewind.turns or 0))

    def advance(self) -> None:
        """Drop what the rows known by now tell to be dropped."""
        if self._after and not self.held:
            found = [row for row, keys in self._after.items() if self._drop_after(row, keys)]
            for row in found:
                del self._after[row]
        for walk in self._walks:
            if self.held and walk.key is not None:
                continue
            self._count_again(walk)
            walk.done = walk.done or self._walk(walk)

    def _drop_after(self, end: int, keys: tuple[str, ...]) -> bool:
        """Drop what was given next behind one of these rows, and all from there to `end`."""
        known = [row for key in keys if (row := self._first_of(key)) is not None and row < end]
        if not known:
            return False
        dropped = False
        for row in range(max(known) + 1, end):
            flags = self._rows.flags(row)
            if self._rows.kind(row) in _GIVEN and not flags & (Flag.SIDE | _NO_TURN):
                dropped = True
            if dropped:
                self._mark(row, Flag.REWOUND)
        return True

    def _count_again(self, walk: _Walk) -> None:
        """Stop counting prompts of which another record, read since, is the one that counts."""
        gone = [row for row in walk.found if self._rows.flags(row) & _NO_TURN]
        if gone:
            walk.found = [row for row in walk.found if row not in gone]
            walk.turns += len(gone)
            walk.done = False

    def _walk(self, walk: _Walk) -> bool:
        """Go on as far as rows are known; True when the place to go back to was found."""
        target = None if walk.key is None else self._row_of(walk.key)
        for row in range(walk.reached - 1, self._rows.first - 1, -1):
            walk.reached = row
            flags = self._rows.flags(row)
            inner = self._seen.get(row)
            if inner is not None:
                walk.passed += inner.turns or 0
            self._mark(row, Flag.REWOUND)
            if row == target or (walk.key is None and self._ends(walk, row, flags)):
                return True
        return False

    def _ends(self, walk: _Walk, row: int, flags: int) -> bool:
        if not flags & Flag.TURN or flags & _NO_TURN:
            return False
        walk.found.append(row)
        if walk.passed:
            walk.passed -= 1
            return False
        walk.turns -= 1
        return walk.turns <= 0
