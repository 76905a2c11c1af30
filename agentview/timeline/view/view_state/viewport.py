"""The rows in view: laid out from one row that is held in place, over rows that are measured."""

from collections import deque
from collections.abc import Callable

from agentview.domain.value import Value
from agentview.timeline.view.view_state.heights import Heights
from agentview.timeline.view.view_state.look_folds import LookFolds


class Placed(Value):
    """A row in view: its first line stands on line `y` of the viewport, or above it (negative)."""

    row: int
    y: int
    height: int


class Window:
    """A viewport of `size` lines over rows with heights.

    `measure` gives the true height of a shown row (at least 1); it is called for rows in view and
    their neighbours only, and what it says is written to the heights. Nothing is ever reckoned from
    an estimated height but where a line of the total lies.
    """

    def __init__(
        self, heights: Heights, folds: LookFolds, measure: Callable[[int], int], size: int = 0
    ) -> None:
        self.heights = heights
        self.folds = folds
        self.size = size
        self.placed: list[Placed] = []
        self._measure = measure

    def hold(self, row: int, y: int) -> None:
        """Lay out around a shown row whose first line stands at `y`.

        It is moved only where the rows end: no line stays empty above the first row, nor below the
        last one unless all rows together are lower than the viewport.
        """
        run = _Run(self, row, y)
        run.fill_up()
        run.top = min(run.top, 0)
        run.fill_down()
        if run.bottom < self.size:
            run.top += self.size - run.bottom
            run.fill_up()
            run.top = min(run.top, 0)
        self.placed = run.in_view()

    def keep(self, row: int, y: int) -> None:
        """Lay out around a row that may be lower than before: at least its last line stays."""
        self.hold(row, max(y, 1 - self.measure(row)))

    def scroll(self, lines: int) -> None:
        """Move the viewport down (or up, negative) over the rows."""
        if self.placed:
            top = self.placed[0]
            self.hold(top.row, top.y - lines)

    def to_start(self) -> None:
        """The first row at the top."""
        row = self.folds.shown_from(self.heights.first)
        if row is None:
            self.placed = []
        else:
            self.hold(row, 0)

    def to_end(self) -> None:
        """The last row at the bottom."""
        row = self.folds.shown_until(self.heights.end - 1)
        if row is None:
            self.placed = []
        else:
            self.hold(row, self.size - self.measure(row))

    def to_line(self, line: int) -> None:
        if self.heights.total:
            at, inside = self.heights.row_at(line)
            row = self.folds.head(at)
            self.hold(row, -min(inside if row == at else 0, self.measure(row) - 1))

    def reveal(self, row: int) -> None:
        """Show the first line of a shown row, and all of it where it fits.

        The viewport moves as little as it can, and by more than its own size only to a row that is
        not near: that is put at a third of the viewport.
        """
        item = self.find(row)
        height = self.measure(row) if item is None else item.height
        if item is not None:
            y = item.y
        elif (near := self._near(row)) is not None:
            y = near
        else:
            self.hold(row, self.size // 3)
            return
        if y + height > self.size:
            y = self.size - height
        self.hold(row, max(y, 0))

    def find(self, row: int) -> Placed | None:
        """The row's place, None when it is not in view."""
        return next((item for item in self.placed if item.row == row), None)

    @property
    def at_start(self) -> bool:
        """True if the first line of the first row is in view."""
        if not self.placed:
            return True
        top = self.placed[0]
        return top.y >= 0 and self.folds.shown_until(top.row - 1) is None

    @property
    def at_end(self) -> bool:
        """True if the last line of the last row is in view."""
        if not self.placed:
            return True
        last = self.placed[-1]
        fits = last.y + last.height <= self.size
        return fits and self.folds.shown_from(last.row + 1) is None

    @property
    def line(self) -> int:
        """Line of the estimated total at the top of the viewport."""
        if not self.placed:
            return 0
        top = self.placed[0]
        return self.heights.top_of(top.row) - top.y

    def measure(self, row: int) -> int:
        """True height of a shown row, noted in the heights."""
        height = self._measure(row)
        self.heights.set(row, height)
        return height

    def _near(self, row: int) -> int | None:
        """Line of the viewport for a row that begins within one viewport of what is in view."""
        if not self.placed:
            return None
        first, last = self.placed[0], self.placed[-1]
        if row < first.row:
            y, at = first.y, self.folds.shown_until(first.row - 1)
            while at is not None and y > -self.size:
                y -= self.measure(at)
                if at == row:
                    return y
                at = self.folds.shown_until(at - 1)
            return None
        y, at = last.y + last.height, self.folds.shown_from(last.row + 1)
        while at is not None and y < 2 * self.size:
            if at == row:
                return y
            y += self.measure(at)
            at = self.folds.shown_from(at + 1)
        return None


class _Run:
    """Consecutive shown rows with their heights, growing at both ends; they begin at `top`."""

    __slots__ = ("lines", "rows", "top", "window")

    def __init__(self, window: Window, row: int, y: int) -> None:
        self.window = window
        self.rows = deque([(row, window.measure(row))])
        self.lines = self.rows[0][1]
        self.top = y

    @property
    def bottom(self) -> int:
        return self.top + self.lines

    def fill_up(self) -> None:
        """Add rows in front until the first line of the viewport is covered."""
        window, rows = self.window, self.rows
        while self.top > 0:
            row = window.folds.shown_until(rows[0][0] - 1)
            if row is None:
                return
            height = window.measure(row)
            rows.appendleft((row, height))
            self.lines += height
            self.top -= height

    def fill_down(self) -> None:
        """Add rows behind until the last line of the viewport is covered."""
        window, rows = self.window, self.rows
        while self.bottom < window.size:
            row = window.folds.shown_from(rows[-1][0] + 1)
            if row is None:
                return
            height = window.measure(row)
            rows.append((row, height))
            self.lines += height

    def in_view(self) -> list[Placed]:
        """The rows that touch the viewport."""
        placed: list[Placed] = []
        y = self.top
        for row, height in self.rows:
            if y + height > 0 and y < self.window.size:
                placed.append(Placed(row, y, height))
            y += height
        return placed
