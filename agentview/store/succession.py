"""What rows are made of, and what became of those that count no more."""

from collections.abc import Sequence

from agentview.domain.events import Event
from agentview.domain.index_entry import Flag
from agentview.store.assembler import Assembler
from agentview.store.record_cache import RecordCache

PIECES_LOOKED_AT = 2000
"""Rows behind a piece of a text among which the whole of it is looked for."""


class Succession:
    """The rows of one session as their records have them."""

    def __init__(self, assembler: Assembler, records: RecordCache) -> None:
        self._assembler = assembler
        self._records = records

    def record(self, row: int) -> Sequence[Event]:
        """All events of the record of a row, also those that have no row of their own."""
        place = self._assembler.rows.place(row)
        return self._records.events(place.offset, place.length)

    def sub(self, row: int) -> int:
        """Number of the row's event in its record."""
        return self._assembler.rows.place(row).sub

    def part_of(self, row: int) -> int | None:
        """The row whose activity is made of this row too; None when there is none."""
        return self._assembler.part_of(row)

    def successor(self, row: int) -> int | None:
        """The row that took the place of this one or said the same before, where it is known."""
        event = self._event(row)
        found = self._assembler.successor(row, event)
        return self._whole_of(row, event) if found is None and event.run else found

    def _event(self, row: int) -> Event:
        place = self._assembler.rows.place(row)
        return self._records.event(place.offset, place.length, place.sub)

    def _whole_of(self, row: int, piece: Event) -> int | None:
        """The row that says the whole of a text again, of which `row` is a piece."""
        rows = self._assembler.rows
        for other in range(row + 1, min(rows.end, row + PIECES_LOOKED_AT)):
            if rows.flags(other) & Flag.JOINED:
                continue
            event = self._event(other)
            if event.whole and event.run == piece.run and event.stream == piece.stream:
                return other
        return None
