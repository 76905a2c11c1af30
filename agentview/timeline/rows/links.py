"""Links of rows besides the ids of calls: pieces of a text, amendments of a call."""

from collections.abc import Callable, Container, Iterable

from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, Role
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.rows.tables.row_table import PackedRows

# Joins neighbouring rows that are pieces of one text, in whatever order blocks are read.
#
# Many clients stream a message as a row of deltas that name nothing but themselves. What makes them
# one text is that they follow each other, so only neighbours are compared; at the border of two
# blocks this is done when both are known.


class TextChunk(Value):
    """A row that is separate, that is one piece of a run, or that is the whole of one.

    Rows of equal `run` that follow each other in a stream are pieces of one text. A `whole` one
    says all of it again and takes the place of the pieces before it.
    """

    row: int
    stream: Stream | None
    run: str | None
    whole: bool


class Edge(Value):
    """The outermost row of a stream on one side, and the first piece of the run that it is in."""

    row: int
    head: int
    run: str | None
    whole: bool


class TextChunks:
    """Which rows are pieces of one text.

    A piece is linked with the one before it and marked as joined; the first one shows them all.
    `mark` sets a flag on a row and keeps the counts; `touch` says that a row shows something new.
    """

    def __init__(
        self, rows: PackedRows, mark: Callable[[int, int], None], touch: Callable[[int], None]
    ) -> None:
        self.ends: dict[int, int] = {}
        """First piece -> last piece, of the runs that have more than one."""
        self._elsewhere: int | None = None
        """Rows before it are joined and counted by another process, until its last packet."""
        self._giving_way: list[int] = []
        """First pieces of runs that will give way to their whole once it has."""
        self._rows = rows
        self._mark = mark
        self._touch = touch
        self._front: dict[Stream | None, Edge] = {}
        self.back: dict[Stream | None, Edge] = {}
        """The last row of each stream that takes part."""

    def append(self, pieces: Iterable[TextChunk]) -> None:
        for piece in pieces:
            edge = self._follow(self.back.get(piece.stream), piece)
            self.back[piece.stream] = edge
            self._front.setdefault(piece.stream, edge)

    def prepend(self, pieces: Iterable[TextChunk]) -> None:
        """Take rows in front of all others, in file order."""
        front: dict[Stream | None, Edge] = {}
        back: dict[Stream | None, Edge] = {}
        for piece in pieces:
            edge = self._follow(back.get(piece.stream), piece)
            back[piece.stream] = edge
            front.setdefault(piece.stream, edge)
        for stream, last in back.items():
            first = self._front.get(stream)
            if first is None:
                self.back[stream] = last
            else:
                self._bridge(stream, last, first)
            self._front[stream] = front[stream]

    def pieces(self, head: int) -> list[int]:
        """Rows after `head` that belong to its text, in file order."""
        found: list[int] = []
        before = head
        for row in range(head + 1, self.ends.get(head, head) + 1):
            if self._rows.link(row) == before and self._rows.flags(row) & Flag.JOINED:
                found.append(row)
                before = row
        return found

    def spans(self, head: int, row: int) -> bool:
        """Return True if a row is among the pieces of the text that begins at `head`."""
        return head < row <= self.ends.get(head, head)

    def head(self, row: int) -> int | None:
        """The row that shows the text of which `row` is a later piece; None for any other row."""
        before = self._rows.link(row)
        # The rows before may not be here yet.
        while before is not None and self._rows.first <= before < row:
            if before in self.ends:
                return before
            row, before = before, self._rows.link(before)
        return None

    def hold(self) -> None:
        """Leave the rows that are here and those before them to another process, for now."""
        self._elsewhere = self._rows.end

    def release(self) -> None:
        """Do what was deferred until the last packet of another process."""
        self._elsewhere = None
        for row in self._giving_way:
            head = self._new_head(row)
            self._replace(row if head is None else head)
        self._giving_way.clear()

    def absorb(self, ends: dict[int, int], back: dict[Stream | None, Edge]) -> None:
        """Take over runs that another process has joined, some of which go on in rows known here.

        The links and flags of their rows are taken over already. `back` says where the rows of
        that process end: those known here begin within them or follow them.
        """
        self.ends.update((head, max(end, self.ends.get(head, end))) for head, end in ends.items())
        moved = {row: head for row in self.ends if (head := self._new_head(row)) is not None}
        for row, head in moved.items():
            self.ends[head] = max(self.ends[head], self.ends.pop(row))
        for stream, edge in self.back.items():
            head = moved.get(edge.head) or self._new_head(edge.head)
            if head is not None:
                self.back[stream] = replace(edge, head=head)
        for stream, last in back.items():
            first = self._front.get(stream)
            if first is None:
                self.back[stream] = self._front[stream] = last
            elif first.row > last.row:
                self._bridge(stream, last, first)
                self._front[stream] = last

    def _new_head(self, row: int) -> int | None:
        return self.head(row) if self._rows.flags(row) & Flag.JOINED else None

    def _follow(self, last: Edge | None, piece: TextChunk) -> Edge:
        row, run, whole = piece.row, piece.run, piece.whole
        if last is None or run is None or last.run != run or last.whole:
            return Edge(row, row, run, whole)
        if whole:
            self._replace(last.head)
            return Edge(row, row, run, whole)
        self._join(last, row)
        return Edge(row, last.head, run, whole)

    def _join(self, last: Edge, row: int) -> None:
        self._rows.set_link(row, last.row)
        self.ends[last.head] = row
        self._mark(row, Flag.JOINED)
        self._touch(last.head)

    def _replace(self, head: int) -> None:
        if self._elsewhere is not None and head < self._elsewhere:
            self._giving_way.append(head)
            return
        for row in (head, *self.pieces(head)):
            self._mark(row, Flag.REPLACED)

    def _bridge(self, stream: Stream | None, last: Edge, first: Edge) -> None:
        """Join the last run of a block with the first one of what follows it."""
        if last.run is None or last.run != first.run or last.whole:
            return
        if first.whole or self._rows.flags(first.row) & Flag.REPLACED:
            self._replace(last.head)
            return
        end = self.ends.pop(first.row, first.row)
        self._join(last, first.row)
        self.ends[last.head] = end
        back = self.back[stream]
        if back.head == first.row and back.run == first.run:
            self.back[stream] = replace(back, head=last.head)


_UNKNOWN = KIND_CODES[ToolKind.UNKNOWN]
_UNREAD = KIND_CODES[RowKind.UNPARSED]
_ASIDE = frozenset({Role.RESULT, Role.PROGRESS, Role.OUTCOME})

RowLinkFacts = tuple[dict[int, list[int]], dict[int, int], dict[Stream | None, Edge]]
"""Amendments by row of the call; last pieces by row of the first; the last row of each stream."""


class RowLinks:
    """Rows joined by more than keys.

    `mark` sets a flag on a row and keeps the counts; `touch` says that a row shows something new;
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
        self.amendable: set[int] = set()
        """Rows of calls that others may amend, or that may amend one which is not known yet."""
        self.runs = TextChunks(rows, mark, touch)
        self._rows = rows
        self._mark = mark
        self._touch = touch
        self._recount = recount
        self._taken: list[TextChunk] = []

    def take(self, row: int, fact: EventFact) -> None:
        """See a new row that counts, in file order; `settle` joins it."""
        tie = fact.tie
        run = None if tie is None else tie.run
        if run is not None or not keeps_text_together(fact):
            self._taken.append(
                TextChunk(row, fact.stream, run or None, tie is not None and tie.whole)
            )

    def settle(self, *, front: bool) -> None:
        """Join the rows taken, which are in front of all others or behind them."""
        taken, self._taken = self._taken, []
        if front:
            self.runs.prepend(taken)
        else:
            self.runs.append(taken)

    def merge_call(self, call: int, row: int) -> None:
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
        """Rows of which `row` shows the texts next to its own, in file order."""
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

    def facts(self, rows: Container[int]) -> RowLinkFacts:
        return (
            {row: [*found] for row, found in self.amendments.items() if row in rows},
            {row: end for row, end in self.runs.ends.items() if row in rows},
            dict(self.runs.back),
        )

    def absorb(self, facts: RowLinkFacts) -> None:
        """Take over what another process has joined."""
        for call, rows in facts[0].items():
            if call not in self.amendments and self.amendments.keys().isdisjoint(rows):
                self.amendments[call] = rows
                continue
            known = self.amendments.setdefault(call, [])
            for row in rows:
                later = self.amendments.pop(row, ())
                for each in later:
                    self._rows.set_link(each, call)
                known.extend(each for each in (row, *later) if each not in known)
        self.runs.absorb(facts[1], facts[2])


def keeps_text_together(fact: EventFact) -> bool:
    """Return True if a fact does not split the text around it, as it is not shown there.

    Neither does what could not be read, as a warning that another program printed into the log.
    """
    if fact.dedupe is not None or fact.replaces is not None or fact.kind == _UNREAD:
        return True
    return fact.amends or fact.role in _ASIDE or bool(fact.flags & Flag.BOOKKEEPING)
