"""What the timeline window asks of a session: rows by stable number, heights, changes."""

from collections.abc import Callable
from typing import Protocol

from agentview.domain.activity import Activity, Kind
from agentview.store.changes import RowsChanged

__all__ = ["Rows", "RowsChanged"]


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

    def activity(self, row: int) -> Activity:
        """The row decoded and joined, through a bounded cache. Never raises for a known row."""
        ...

    def subscribe(self, callback: Callable[[RowsChanged], None]) -> Callable[[], None]:
        """Have `callback` called after each change; returns the function that ends it."""
        ...
