"""What joins rows besides the ids of calls: pieces of a text, amendments of a call."""

from collections.abc import Callable, Iterable

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, Role
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.store.row_table import PackedRows
from agentview.store.text_chunks import Edge, Piece, Runs

_UNKNOWN = KIND_CODES[ToolKind.UNKNOWN]
_UNREAD = KIND_CODES[RowKind.UNPARSED]
_ASIDE = frozenset({Role.RESULT, Role.PROGRESS, Role.OUTCOME})

TiesTold = tuple[dict[int, list[int]], dict[int, int], dict[Stream | None, Edge]]
"""Amendments by row of the call; last pieces by row of the first; the last row of each stream."""


class Ties:
    """Rows joined by more than keys.

    `mark` sets a flag on a row and keeps the counts; `touch` tells that a row shows something new;
    `recount` counts a row as of another kind code.
    """

    def __init__(
        self,
        rows: PackedRows,
        *,
        mark: Callable[[int, int], None],
        touch: Callable[[int], None],
        recount: Callable[[int, int], None],
    ) -> None:
        self.amendments: dict[int, list[int]] = {}
        """Call row -> rows of other records of the same call."""
        self.first_told: set[int] = set()
        """Rows of calls that others may amend, or that may amend one which is not known yet."""
        self.runs = Runs(rows, mark, touch)
        self._rows = rows
        self._mark = mark
        self._touch = touch
        self._recount = recount
        self._taken: list[Piece] = []

    def take(self, row: int, fact: EventFact) -> None:
        """See a new row that counts, in file order; `settle` joins it."""
        tie = fact.tie
        run = None if tie is None else tie.run
        if run is not None or not stands_aside(fact):
            self._taken.append(Piece(row, fact.stream, run or None, tie is not None and tie.whole))

    def settle(self, *, front: bool) -> None:
        """Join the rows taken, which lie in front of all others or behind them."""
        taken, self._taken = self._taken, []
        if front:
            self.runs.prepend(taken)
        else:
            self.runs.append(taken)

    def amend(self, call: int, row: int) -> None:
        """Join a row with the one of the same call that counts."""
        self._rows.set_link(row, call)
        self._mark(row, Flag.JOINED)
        known = self.amendments.setdefault(call, [])
        if row not in known:
            known.append(row)
        for earlier in self.amendments.pop(row, ()):
            self._rows.set_link(earlier, call)
            self.amendments[call].append(earlier)
        kind = self._rows.kind(row)
        if self._rows.kind(call) == _UNKNOWN != kind:
            self._recount(call, kind)
        self._touch(call)

    def amending(self, call: int) -> list[int]:
        """Rows of the other records of a call, in file order."""
        return sorted(self.amendments.get(call, ()))

    def joined(self, row: int) -> list[int]:
        """Rows of which `row` shows the texts beside its own, in file order."""
        amending = self.amending(row)
        pieces = [piece for each in (row, *amending) for piece in self.runs.pieces(each)]
        return sorted((*amending, *pieces))

    def head(self, row: int) -> int | None:
        """The row that shows what `row` says, where that is a piece or an amendment."""
        call = self._rows.link(row)
        if call is not None and row in self.amendments.get(call, ()):
            return call
        return self.runs.head(row) if self._rows.flags(row) & Flag.JOINED else None

    def shown_in(self, row: int) -> int | None:
        """The row that shows all of a piece or amendment, through all that it is a part of."""
        head = self.head(row)
        if head is None or (
            row not in self.amendments.get(head, ()) and not self.runs.spans(head, row)
        ):
            return None
        outer = self.shown_in(head)
        return head if outer is None else outer

    def told(self, rows: Iterable[int]) -> TiesTold:
        """What is known of these rows, for another process."""
        mine = set(rows)
        return (
            {row: [*found] for row, found in self.amendments.items() if row in mine},
            {row: end for row, end in self.runs.ends.items() if row in mine},
            dict(self.runs.back),
        )

    def absorb(self, told: TiesTold) -> None:
        """Take over what another process has joined."""
        for call, rows in told[0].items():
            known = self.amendments.setdefault(call, [])
            for row in rows:
                later = self.amendments.pop(row, ())
                for each in later:
                    self._rows.set_link(each, call)
                known.extend(each for each in (row, *later) if each not in known)
        self.runs.absorb(told[1], told[2])


def stands_aside(fact: EventFact) -> bool:
    """True for what does not part the text around it: shown elsewhere, or perhaps not at all.

    Neither does what could not be read, as a warning that another program printed into the log.
    """
    if fact.dedupe is not None or fact.replaces is not None or fact.kind == _UNREAD:
        return True
    amends = fact.tie is not None and fact.tie.amends
    return amends or fact.role in _ASIDE or bool(fact.flags & Flag.BOOKKEEPING)
