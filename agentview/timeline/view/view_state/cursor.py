"""Where the reader is in a session: the rows in view, the selection, follow, levels and filter."""

from collections.abc import Callable, Iterable, Iterator

from agentview.domain.activity import Kind
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences
from agentview.timeline.view.filter.row_flags import RowFlag
from agentview.timeline.view.rows_protocol import Rows, RowsChanged
from agentview.timeline.view.view_state.viewport import Placed, Window
from agentview.timeline.view.view_state.visible_rows import VisibleRows


class TimelineCursor:
    """State of one timeline, without a screen.

    `measure` gives the lines of a shown row at its level, without the rule above a turn; it is
    called for rows in view only. Changes that the reader did not move for (rows found or added,
    updates, levels, filter, size) take effect on `settle`, many at once, and leave one row on its
    line: the selected one if its first line is in view, else the first whose first line is.
    """

    def __init__(
        self,
        rows: Rows,
        preferences: DetailPreferences,
        measure: Callable[[int], int],
        *,
        ruled: bool = True,
    ) -> None:
        self._measure_card = measure
        self._size = 0
        self.shown = VisibleRows(rows, preferences, ruled=ruled)
        self._begin()

    def _begin(self) -> None:
        self.window = Window(self.shown.heights, self.shown.folds, self._measure, self._size)
        self.selected = self.shown.last()
        self.follow = True
        self.new_count = 0
        self._held: tuple[int, int] | None = None
        self._sticky = True
        self._resized = False
        self._stale = True

    def load(self, rows: Rows) -> None:
        """Begin again at the end of other rows; filter and levels by kind are kept."""
        self.shown.load(rows)
        self._begin()

    def take(self, change: RowsChanged) -> None:
        """Note what changed in the rows; shown on the next `settle`."""
        if change.reset:
            self.load(self.shown.rows)
            return
        self._sticky |= self.follow and self.selected == self.shown.last()
        if not self.follow and (row := self.selected) is not None and row in change.updated:
            self.shown.folds.keep(row)
        added = self.shown.take(change)
        if not self.follow:
            self.new_count += added
        self._stale = True

    def resize(self, size: int, *, rewrapped: bool) -> None:
        if size != self._size or rewrapped:
            self._size = self.window.size = size
            self._resized = self._stale = True

    def settle(self) -> bool:
        """Lay out what changed since; True when something had."""
        if not self._stale:
            return False
        self._stale = False
        held = self._hold()
        keeps_selected = self._resized and self._in_view(self.selected)
        self._select_shown()
        self._resized = self._sticky = False
        if self.follow:
            self.window.to_end()
        else:
            self._restore(held)
            if keeps_selected and self.selected is not None and not self._in_view(self.selected):
                self.window.reveal(self.selected)
        if self.window.at_end:
            self.new_count = 0
        return True

    def set_first_new(self, row: int | None) -> bool:
        """Draw the line of what is new above this row, or nowhere; False when it is there."""
        if row == self.shown.first_new:
            return False
        self.shown.set_first_new(row)
        self._stale = True
        return True

    def invalidate(self) -> None:
        """Measure the rows in view again on the next `settle`."""
        self._stale = True

    # Moving

    def select(self, row: int) -> bool:
        """Select a row and bring it into view; False when it is not in the timeline.

        A fold that has it opens.
        """
        self.settle()
        if not self.shown.is_shown(row):
            return False
        self._open_fold(row)
        self.selected = row
        self.window.reveal(row)
        self._arrived(down=True)
        self.follow = self.follow and row == self.shown.last()
        return True

    def show_line(self, row: int, line: int) -> None:
        """Bring a line of a row in view into view, 0 its title, with some of what is before it."""
        self.settle()
        item = self.window.find(row)
        if item is None:
            return
        line += self.shown.has_rule(row)
        if not 0 <= item.y + line < self._size:
            self.window.hold(row, self._size // 3 - line)
            self.follow = False

    def choose(self, row: int) -> bool:
        """Select a row in view without moving it."""
        self.settle()
        if not self._in_view(row):
            return False
        self.selected = row
        self.follow = self.follow and row == self.shown.last()
        return True

    def move(self, delta: int) -> None:
        """Select the row `delta` rows further.

        When the selected row is out of view, one that is in view is selected first, in place.
        """
        self.settle()
        row = self._start_row()
        if row is None or not delta:
            return
        if row == self.selected:
            self._step(row, delta)
        else:
            self.selected = row
            self.follow = False
            if abs(delta) > 1:
                self._step(row, delta - 1 if delta > 0 else delta + 1)

    def _step(self, start: int, delta: int) -> None:
        row = start
        step = self.shown.after if delta > 0 else self.shown.before
        for _ in range(abs(delta)):
            following = step(row)
            if following is None:
                break
            row = following
        self.selected = row
        if row == start and delta > 0:
            self.window.to_end()
        else:
            self.window.reveal(row)
        self._arrived(down=delta > 0)
        self.follow = self.follow and row == self.shown.last()

    def scroll(self, lines: int) -> None:
        """Move the viewport, not the selection."""
        self.settle()
        top = self.window.placed[:1]
        self.window.scroll(lines)
        if lines > 0 or self.window.placed[:1] != top:
            self._arrived(down=lines > 0)

    def page(self, delta: int) -> None:
        """Move by viewports less a line; the selection keeps its line of the viewport."""
        self.settle()
        placed = self.window.placed
        if not placed:
            return
        item = self.window.find(placed[0].row if self.selected is None else self.selected)
        line = item.y if item is not None else 0 if delta > 0 else self._size - 1
        top = placed[0]
        self.window.scroll(delta * max(1, self._size - 1))
        placed = self.window.placed
        if placed[0] == top:
            self.selected = placed[-1].row if delta > 0 else placed[0].row
        else:
            self.selected = self._row_on(line)
        self._arrived(down=delta > 0)

    def home(self) -> None:
        """Select the first row known so far."""
        self.settle()
        self.window.to_start()
        if self.window.placed:
            self.selected = self.window.placed[0].row
        self._arrived(down=False)

    def to_end(self) -> None:
        """Select the last row and follow from now on."""
        self.settle()
        self.window.to_end()
        if self.window.placed:
            self.selected = self.window.placed[-1].row
        self._arrived(down=True)

    def to_fraction(self, fraction: float) -> None:
        """Show the place at a fraction (0 to 1) of the whole."""
        self.settle()
        if fraction <= 0:
            self.window.to_start()
        elif fraction >= 1:
            self.window.to_end()
        else:
            self.window.to_line(round(fraction * max(0, self.shown.heights.total - self._size)))
        self._arrived(down=fraction >= 1)

    def stop_following(self) -> None:
        self.follow = False

    def next_trait(self, trait: RowFlag, step: int) -> bool:
        """Select the nearest row with the flag, forwards (1) or backwards (-1)."""
        self.settle()
        if self.selected is None:
            return False
        row = self.shown.find(trait, self.selected + step, step)
        return row is not None and self.select(row)

    def outer_trait(self, trait: RowFlag, step: int) -> bool:
        """Select the first row with the flag (1) or the last (-1)."""
        self.settle()
        start = self.shown.first() if step > 0 else self.shown.last()
        row = None if start is None else self.shown.find(trait, start, step)
        return row is not None and self.select(row)

    def next_match(self, matches: Callable[[int], bool], step: int) -> bool:
        """Select the nearest row that matches, forwards (1) or backwards (-1).

        All rows of a selected fold are next to it.
        """
        self.settle()
        start = self.selected
        if start is None:
            return False
        if fold := self.shown.folds.rows(start):
            start = fold[0] - 1 if step > 0 else fold[-1] + 1
        for row in self.shown.unfolded(start, step):
            if matches(row):
                return self.select(row)
        return False

    # What is shown, and how much of it

    def set_level_all(self, level: DetailLevel | None) -> None:
        """Every row at one level; None for that of the preferences, with looks folded."""
        self.shown.detail.set_all(level)
        self._reestimate()

    def set_level_kind(self, kind: Kind, level: DetailLevel) -> None:
        """Every row of a kind at one level."""
        self.shown.detail.set_kind(kind, level, self.shown.kind)
        self._reestimate()

    def set_level(self, row: int, level: DetailLevel) -> None:
        """One row at a level."""
        self._open_fold(row)
        self.shown.detail.set_row(row, level)
        self._turned(row)

    def cycle_level(self, row: int) -> None:
        """One row at the level after its own; a fold opens."""
        if self._open_fold(row):
            return
        self.shown.detail.cycle(row, self.shown.kind(row))
        self._turned(row)

    def toggle_fold(self, row: int) -> bool:
        """Open a fold, or close the one that a row was part of; False where there is neither."""
        if self._open_fold(row):
            return True
        closed = self.shown.folds.close(row)
        self._stale |= closed
        return closed

    def refold(self, row: int) -> None:
        """Lay out a row in view, parts of which were folded or opened: its first line stays."""
        self.settle()
        item = self.window.find(row)
        if item is not None:
            self.window.keep(row, item.y)
            self.follow = self.follow and self.window.at_end

    def toggle_raw(self, row: int) -> None:
        """Toggle the raw records of a row."""
        self._open_fold(row)
        self.shown.detail.toggle_raw(row)
        self._turned(row)

    def set_show_hidden(self, hidden: bool) -> None:
        """Show or hide rows that are hidden by default."""
        self.shown.set_hidden_too(hidden)
        self._stale = True

    def set_raw_all(self, raw: bool) -> None:
        """Show the raw records of all rows, or of none."""
        self.shown.detail.set_raw_all(raw)
        self._reestimate()

    def prefer(self, preferences: DetailPreferences, *, ruled: bool) -> None:
        """Other levels but for rows that were changed one by one, and rules above turns or not."""
        self.shown.detail.prefer(preferences)
        self.shown.ruled = ruled
        self._reestimate()

    def set_filter(self, passes: Callable[[int], bool] | None) -> None:
        """Leave out the rows that do not pass; None leaves none out."""
        self.shown.set_filter(passes)
        self._stale = True

    def filtering(
        self, passes: Callable[[int], bool] | None, *, partly: bool = False
    ) -> Iterator[None]:
        """The same in steps of a few milliseconds; it takes effect with the last one.

        A filter that knows only `partly` which rows it leaves in takes none where it knows of none.
        """
        yield from self.shown.filtering(passes, partly=partly)
        self._stale = True

    def filter_again(self, rows: Iterable[int]) -> None:
        """Ask the filter again about these rows."""
        self.shown.reread(rows)
        self._stale = True

    # Inside

    def _measure(self, row: int) -> int:
        return max(1, self._measure_card(row)) + self.shown.has_rule(row)

    def _reestimate(self) -> None:
        self.shown.estimate_all()
        self._stale = True

    def _open_fold(self, row: int) -> bool:
        """Show the rows of a fold one by one, the first in the place of the fold."""
        if not self.shown.folds.open(row):
            return False
        self._stale = True
        following, self.follow = self.follow, False
        self.settle()
        self.follow = following and self.window.at_end
        return True

    def _turned(self, row: int) -> None:
        """Lay out a row that the reader changed.

        Its first line stays, but where it stands so low that nothing of its body could be seen.
        """
        self.settle()
        self.shown.folds.changed(row)
        self.shown.estimate(row)
        self._stale = True
        following, self.follow = self.follow, False
        self.settle()
        item = self.window.find(row)
        if item is not None:
            needed = min(item.height, self._size // 3)
            if self._size - item.y < needed:
                self.window.hold(row, self._size - needed)
        self.follow = self.window.at_end and (following or self.selected == self.shown.last())

    def _hold(self) -> tuple[int, int] | None:
        """The row to leave where it is, and its line in the viewport."""
        placed = self.window.placed
        if not placed:
            return self._held
        if not self._resized and self.selected is not None:
            item = self.window.find(self.selected)
            if item is not None and item.y >= 0:
                return item.row, item.y
        item = next((item for item in placed if item.y >= 0), placed[0])
        return item.row, item.y

    def _restore(self, held: tuple[int, int] | None) -> None:
        if held is None:
            self.window.to_start()
            return
        row = self.shown.nearest(held[0])
        if row is None:
            self.window.placed = []
            self._held = held
        else:
            self.window.keep(row, held[1])

    def _select_shown(self) -> None:
        if self.follow and self._sticky:
            self.selected = self.shown.last()
        else:
            self.selected = self.shown.nearest(self.selected or 0)

    def _in_view(self, row: int | None) -> bool:
        return row is not None and self.window.find(row) is not None

    def _row_on(self, line: int) -> int:
        """The row on a line, or the one below it when its own first line is above the viewport."""
        placed = self.window.placed
        under: Placed = placed[0]
        for item in placed:
            if item.y > line and under.y >= 0:
                break
            under = item
        return under.row

    def _start_row(self) -> int | None:
        """The row that the next move begins at."""
        placed = self.window.placed
        if not placed or self._in_view(self.selected):
            return self.selected
        if self.selected is None or self.selected < placed[0].row:
            return next((item.row for item in placed if item.y >= 0), placed[0].row)
        return placed[-1].row

    def _arrived(self, *, down: bool) -> None:
        """The reader moved: follow while the end is in view and was moved to."""
        self.follow = down and self.window.at_end
        if self.window.at_end:
            self.new_count = 0
