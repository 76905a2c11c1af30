"""Folds of neighbouring rows that only looked: made where the reader comes to them."""

from collections.abc import Callable, Iterator, Sequence

from agentview.timeline.view.view_state.heights import Heights

_MOST = 256
"""Rows of a fold: what one step may have to look at."""
_AHEAD = 120
"""Rows on either side of the view that are looked at before they come into it."""


class LookFolds:
    """Which rows are shown as one row, in the place of the first; the others have no height.

    A run of rows is found and folded when one of them comes into view or next to it, always the
    whole run, so that scrolling never changes what is in view. Rows far away stay as they are.
    """

    def __init__(
        self,
        heights: Heights,
        is_quiet: Callable[[int], bool],
        together: Callable[[int, int], bool],
        estimate: Callable[[int], None],
    ) -> None:
        """`is_quiet` says whether a row may be folded, `together` whether two neighbours may.

        `estimate` sets the height of a row that is taken into a fold or out of one.
        """
        self._heights = heights
        self._is_quiet = is_quiet
        self._together = together
        self._estimate = estimate
        self._quiet: dict[int, bool] = {}
        self._of: dict[int, tuple[int, ...]] = {}
        self._opened: set[int] = set()

    def rows(self, row: int) -> Sequence[int]:
        """The rows of the fold that has the row, in order; empty if none has."""
        return self._of.get(row, ())

    def inside(self, row: int) -> bool:
        """Return True if the row is in a fold, but not its first row."""
        fold = self._of.get(row)
        return fold is not None and fold[0] != row

    def shown_from(self, row: int) -> int | None:
        """The first row from `row` on that is shown: a fold or a row outside of folds."""
        while (found := self._heights.next_shown(row)) is not None:
            head = self.head(found)
            if head >= row:
                return head
            row = self._of[head][-1] + 1
        return None

    def shown_until(self, row: int) -> int | None:
        """The last row up to and with `row` that is shown: a fold or a row outside of folds."""
        found = self._heights.previous_shown(row)
        return None if found is None else self.head(found)

    def head(self, row: int) -> int:
        """The first row of the fold of a row, which is made here; without one, the row itself."""
        fold = known = self._of.get(row, ())
        if not fold:
            if not self._looks(row):
                return row
            fold = (*self._above(row), row)
        fold = (*fold, *self._below(fold))
        if len(fold) < 2:
            return row
        if fold != known:
            for each in fold:
                self._of[each] = fold
            for each in fold:
                self._estimate(each)
        return fold[0]

    def ahead(self, first: int, last: int) -> Iterator[None]:
        """Find out, a row a step, which rows around those from `first` to `last` may be folded."""
        above: int | None = first
        below: int | None = last
        for _ in range(_AHEAD):
            above = None if above is None else self._heights.previous_shown(above - 1)
            below = None if below is None else self._heights.next_shown(below + 1)
            for near in (below, above):
                if near is not None and near not in self._quiet:
                    self._looks(near)
                    yield

    def open(self, row: int) -> bool:
        """Show the rows of a fold one by one; False where there is no fold."""
        opened = self._dissolve(row)
        self._opened.update(opened)
        return bool(opened)

    def keep(self, row: int) -> None:
        """Leave a row out of folds, unless it is in one already."""
        if row not in self._of:
            self._opened.add(row)

    def close(self, row: int) -> bool:
        """Fold again what was opened together with a row; False where nothing was."""
        if row not in self._opened:
            return False
        closed = [row]
        for step, move in ((self._heights.previous_shown, -1), (self._heights.next_shown, 1)):
            at = row
            while (near := step(at + move)) is not None and near in self._opened:
                closed.append(at := near)
        self._opened.difference_update(closed)
        for each in closed:
            self.changed(each)
        return True

    def changed(self, row: int) -> None:
        """Look at a row again when it is asked for, and at what it may be folded with."""
        self._quiet.pop(row, None)
        if not self._of or self._dissolve(row):
            return
        above, below = self._heights.previous_shown(row - 1), self._heights.next_shown(row + 1)
        if above is not None and self._of.get(above, (row,))[-1] > row:
            self._dissolve(above)
        if below is not None:
            self._dissolve(below)

    def clear(self) -> None:
        """Have no folds, and none opened."""
        self._quiet.clear()
        self._of.clear()
        self._opened.clear()

    def _dissolve(self, row: int) -> Sequence[int]:
        fold = self._of.get(row, ())
        for each in fold:
            del self._of[each]
        for each in fold:
            self._estimate(each)
        return fold

    def _looks(self, row: int) -> bool:
        if row in self._opened:
            return False
        known = self._quiet.get(row)
        if known is None:
            known = self._quiet[row] = self._is_quiet(row)
        return known

    def _above(self, row: int) -> Sequence[int]:
        """The rows above that may be folded with a row, in order, those of a fold included."""
        found: list[int] = []
        while len(found) < _MOST - 1:
            near = self._heights.previous_shown(row - 1)
            if near is None or not self._looks(near):
                break
            rows = self._of.get(near, (near,))
            if len(found) + len(rows) >= _MOST or not self._together(rows[-1], row):
                break
            found += reversed(rows)
            row = near
        return found[::-1]

    def _below(self, rows: Sequence[int]) -> Sequence[int]:
        """The rows below that may be folded with these; no fold is, which keeps its place."""
        found: list[int] = []
        row = rows[-1]
        while len(rows) + len(found) < _MOST:
            near = self._heights.next_shown(row + 1)
            if near is None or near in self._of or not self._looks(near):
                break
            if not self._together(row, near):
                break
            found.append(row := near)
        return found
