"""A diff with the old text on the left and the new on the right."""

from collections.abc import Iterable
from itertools import repeat

from rich.segment import Segment
from textual.strip import Strip

from agentview.timeline.diff.rows import BETWEEN
from agentview.ui.render.diff.style import DiffInk
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.text_lines import fit
from agentview.ui.render.wrap_map import RowMap


class SplitDiff:
    """Lines side by side; a pair takes the rows of its longer line."""

    def __init__(self, ink: DiffInk, space: RenderContext, *, fold: bool) -> None:
        self._ink = ink
        self._space = space
        self._fold = fold
        self._half = (space.width - 3) // 2
        self._sides = ink.lines.sides()
        room = max(1, self._half - ink.gutter_width("-"))
        self._tall: dict[int | None, int] = {**ink.tall(room)} if fold else {}
        self._map = RowMap(len(self._sides[0]), self._heights())

    def _heights(self) -> Iterable[int] | None:
        if not self._tall:
            return None
        old, new = (map(self._tall.get, side, repeat(1)) for side in self._sides)
        return map(max, old, new)

    @property
    def height(self) -> int:
        """Number of rows."""
        return self._map.height

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`, clipped to what there is."""
        rule = Segment(f" {self._space.glyphs.column} ", self._space.palette.border)
        return [
            self._row(*self._map.at(row), rule)
            for row in range(max(0, start), min(stop, self.height))
        ]

    def _row(self, pair: int, part: int, rule: Segment) -> Strip:
        old, new = self._sides[0][pair], self._sides[1][pair]
        if old is not None and self._ink.lines.signs[old] == BETWEEN:
            between = self._ink.between(old)
            return fit(between, self._space.width, self._space.glyphs.ellipsis)
        left, used = self._cells(old, part, "-")
        right, size = self._cells(new, part, "+")
        if used < self._half:
            left.append(Segment(" " * (self._half - used)))
        return Strip([*left, rule, *right], self._half + 3 + size)

    def _cells(self, index: int | None, part: int, side: str) -> tuple[list[Segment], int]:
        """One row of a line in its column; nothing beyond its last."""
        if index is None or part >= self._tall.get(index, 1):
            return [], 0
        return self._ink.row(index, part, side=side, width=self._half, fold=self._fold)
