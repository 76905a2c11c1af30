"""The turns of a session: what was asked for, how the calls went, how long it took."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.format_numbers import UNKNOWN, clock_time, duration_text
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.overview.turns import TurnOutline, turn_seconds
from agentview.timeline.view.titles.title import StatusIcon, title_of
from agentview.ui.render.text_lines import Piece
from agentview.ui.widgets.panel.tab import PanelTab, PanelView, TabLine

_ROOM_FOR_TIME = 48
"""Cells from which a line says when the turn began."""


class TurnsTab(PanelTab):
    """One line a turn; that of the selected activity is marked."""

    NAME: ClassVar[str] = "Turns"

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._outline = TurnOutline(session.store)
        self._prompts: dict[int, tuple[str, float | None]] = {}
        """First words of a prompt and its time, by row; of those that were seen."""
        self._lengths: dict[tuple[int, int], float | None] = {}
        """Seconds of a turn, by the rows of its prompt and of its end."""
        self._selected: int | None = None
        self._all_read = False

    def begin(self) -> None:
        """Find all turns again."""
        self._outline.forget()
        self._prompts.clear()
        self._lengths.clear()
        self.work_through(self._find())

    def take(self, change: RowsChanged) -> None:
        """Take what came and changed into the outline."""
        for row in change.updated:
            self._prompts.pop(row, None)
        self._lengths.clear()
        self._outline.take(change.updated)
        self.work_through(self._find())

    def _find(self) -> Iterator[None]:
        held = self.row_of_line(self.cursor)
        for pause in self._outline.catch_up():
            yield pause
            held = self._show(held)
        self._show(held)

    def _show(self, held: int | None) -> int | None:
        """Show the turns that are known; the one at the row that is held stays where it is."""
        self._all_read = self._outline.complete and self.session.header().all_read
        at = None if held is None else self._outline.turn_of(held)
        moved = 0 if at is None else at - self.cursor
        self.show_lines(max(1, len(self._outline)), moved=moved)
        if not (self.has_focus and self.moved):
            self._to_current()
        return self.row_of_line(self.cursor)

    def selected(self, row: int | None) -> None:
        """Mark the turn of the selected activity."""
        before = self._current()
        self._selected = row
        if self._current() != before:
            self.refresh()
        if not (self.has_focus and self.moved):
            self._to_current()

    def _current(self) -> int | None:
        return None if self._selected is None else self._outline.turn_of(self._selected)

    def _to_current(self) -> None:
        current = self._current()
        if current is not None and current != self.cursor:
            self.show_lines(len(self._outline), cursor=current)

    def row_of_line(self, index: int) -> int | None:
        return self._outline.row(index) if index < len(self._outline) else None

    def line(self, index: int, width: int) -> TabLine:
        """Number and first words of the prompt, and what came of it."""
        space = self.view.space
        palette, glyphs = space.palette, space.glyphs
        if index >= len(self._outline):
            return TabLine([("no turn yet" if self._all_read else "reading", palette.dim)])
        current = index == self._current()
        counts = self._outline.counts(index)
        text, started = self._prompt(self._outline.row(index))
        # Turns are counted from the first one, which is read last.
        number = str(index + 1) if self._all_read else glyphs.bullet
        digits = len(str(len(self._outline)))
        left: list[Piece] = [
            (glyphs.bar if current else " ", palette.accent),
            (f"{number:>{digits}} ", palette.accent if current else palette.dim),
            (text, palette.strong if current else palette.text),
        ]
        marks, right = glyphs.marks, list[Piece]()
        if counts.fine:
            right.append((f"{counts.fine:,}{marks[StatusIcon.OK]} ", palette.success))
        if counts.failed:
            right.append((f"{counts.failed:,}{marks[StatusIcon.FAILED]} ", palette.error))
        if counts.open:
            right.append((f"{counts.open:,}{marks[StatusIcon.ANSWERED]} ", palette.dim))
        if width >= _ROOM_FOR_TIME:
            right.append((f"{clock_time(started)} ", palette.dim))
        took = self._seconds(self._outline.row(index), counts.last)
        length = UNKNOWN if took is None else duration_text(took)
        right.append((f"{length:>5}", palette.dim))
        return TabLine(left, right)

    def _prompt(self, row: int) -> tuple[str, float | None]:
        known = self._prompts.get(row)
        if known is None:
            activity = self.view.seen(self.session.store.activity(row))
            known = self._prompts[row] = title_of(activity).subject, activity.started
        return known

    def _seconds(self, prompt: int, last: int) -> float | None:
        """Seconds of a turn, by the rows of its prompt and of its end."""
        if (prompt, last) not in self._lengths:
            read = self.session.store.activity
            self._lengths[prompt, last] = turn_seconds(read(prompt), read(last))
        return self._lengths[prompt, last]
