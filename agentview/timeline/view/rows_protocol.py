"""Requests of the timeline window to a session: rows by stable number, heights, changes."""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol, runtime_checkable

from agentview.domain.activity import Activity, Kind
from agentview.domain.events import Body
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream
from agentview.timeline.rows.changes import RowsChanged

__all__ = [
    "AgentRows",
    "CodedRows",
    "FoldingRows",
    "JudgedRows",
    "LogRows",
    "Rows",
    "RowsChanged",
    "is_folded",
]


class Rows(Protocol):
    """Rows of a session; a row keeps its number for good.

    Rows found later in front of the first are numbered downwards (first - 1, first - 2 ...),
    appended ones upwards from `end`.
    """

    @property
    def first(self) -> int:
        """Number of the first row known so far; may be negative."""
        ...

    @property
    def end(self) -> int:
        """One past the number of the last row."""
        ...

    def kind(self, row: int) -> Kind:
        """Kind of the row, without decoding it."""
        ...

    def shown(self, row: int) -> bool:
        """False for rows that stand nowhere: results joined with their call, twins, bookkeeping."""
        ...

    def problem(self, row: int) -> bool:
        """True for failures, denials, and what could not be read; without decoding."""
        ...

    def starts_turn(self, row: int) -> bool:
        """True for a prompt of the main stream; without decoding."""
        ...

    def nested(self, row: int) -> bool:
        """True for a row of another stream than the one the rows are of; without decoding."""
        ...

    def activity(self, row: int) -> Activity:
        """The row decoded and joined, through a bounded cache. Never raises for a known row."""
        ...

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        """Have `callback` called after each change; returns the function that ends it."""
        ...


@runtime_checkable
class CodedRows(Rows, Protocol):
    """Rows that are known by codes, many at once."""

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes (places in `outline.KINDS`) and flags (`outline.Flag`), a byte a row.

        A row that stands nowhere has one of the bits of `Flag.ABSENT`.
        """
        ...


@runtime_checkable
class JudgedRows(Rows, Protocol):
    """Rows of which some are known to have ended well without decoding them."""

    def ended_well(self, start: int, stop: int) -> bytes:
        """A byte a row: 255 for calls of which it is known that they ended well, else 0."""
        ...


@runtime_checkable
class FoldingRows(Rows, Protocol):
    """Rows of which those on abandoned branches may be folded into one row each."""

    def is_folded(self, row: int) -> bool:
        """Return True if a row would be shown if its branch were open."""
        ...

    def is_open(self, row: int) -> bool:
        """Return True if the abandoned branch that a row is part of is open."""
        ...

    def open_fold(self, row: int, opened: bool = True) -> None:
        """Open the abandoned branch that a row is part of, or fold it."""
        ...


def is_folded(rows: Rows, row: int) -> bool:
    return isinstance(rows, FoldingRows) and rows.is_folded(row)


@runtime_checkable
class AgentRows(Rows, Protocol):
    """Rows of which some are of agents that others started."""

    def child_call(self, stream: Stream) -> int | None:
        """The row of the call that started the agent of a stream, as far as it is known."""
        ...


@runtime_checkable
class LogRows(Rows, Protocol):
    """Rows whose records are in a file, in the order of their numbers."""

    session: SessionRef
    """The log that holds the records."""

    def source(self, row: int) -> SourceRef: ...

    def row_at_offset(self, offset: int) -> int | None:
        """The last row whose record begins at or before the byte; None before the first row."""
        ...

    def row_of(self, offset: int, sub: int) -> int | None:
        """The row of event number `sub` of the record at a byte; None when it is not known."""
        ...

    def of_kinds(self, kinds: Collection[Kind]) -> Sequence[int]: ...

    def reports(self, start: int, stop: int) -> Sequence[int]:
        """Rows of the newest progress of each call from `start` to `stop` that has no result."""
        ...

    def body(self, row: int) -> Body:
        """Return the event of the row's own record, without those that it is joined with."""
        ...

    def joined(self, row: int) -> Sequence[int]:
        """Rows whose texts the activity of `row` shows next to its own."""
        ...

    def joined_with(self, row: int) -> int | None:
        """The row whose activity shows what this row says too; None when none does."""
        ...
