"""Changes of a file: hunks with real line numbers, syntax colours and marks on changed words."""

from collections.abc import Iterable
from itertools import repeat

from rich.segment import Segment
from textual.strip import Strip

from agentview.timeline.view.diff.from_call import FileDiff
from agentview.timeline.view.diff.rows import BETWEEN
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.style import DiffInk, RowMap
from agentview.ui.render.lazy_lines import LazyLines, RenderContext, RowText
from agentview.ui.render.strip import strip_of
from agentview.ui.render.text_lines import Rows, fit


def diff_body(diff: FileDiff, space: RenderContext, *, fold: bool = True) -> LazyLines:
    """The hunks of one file, side by side where that is wanted and there is something on each.

    `fold` lays long lines out over several rows where the space does; otherwise they are cut.
    """
    fold = fold and space.wrap
    parts: list[LazyLines] = [_note(note, space) for note in _notes(diff)]
    if diff.hunks:
        ink = DiffInk(diff, space)
        if space.shows_split and not ink.one_sided:
            parts.append(SplitDiff(ink, space, fold=fold))
        else:
            parts.append(UnifiedDiff(ink, space, fold=fold))
    return Stack(parts)


def _notes(diff: FileDiff) -> list[str]:
    notes = list(diff.notes)
    if not diff.known:
        notes.append("the log does not have the change")
    if diff.coarse:
        notes.append("compared coarsely: too much has changed")
    return notes


class UnifiedDiff:
    """Old lines above the new ones that took their place."""

    def __init__(self, ink: DiffInk, space: RenderContext, *, fold: bool) -> None:
        self.ink = ink
        self._space = space
        self._fold = fold
        self._side = " " if ink.both_numbers else ""
        room = max(1, space.width - ink.gutter_width(self._side))
        tall = ink.tall(room) if fold else {}
        count = len(ink.lines)
        self._map = RowMap(count, map(tall.get, range(count), repeat(1)) if tall else None)

    @property
    def height(self) -> int:
        return self._map.height

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`, clipped to what there is."""
        rows = range(max(0, start), min(stop, self.height))
        return [self._row(*self._map.at(row)) for row in rows]

    def row_text(self, row: int, cell: int) -> RowText | None:
        """Code without numbers and sign; None for the gap between hunks."""
        del cell
        index, part = self._map.at(row)
        if self.ink.lines.signs[index] == BETWEEN:
            return None
        return RowText(self.ink.gutter_width(self._side), joint="" if part else "\n")

    def _row(self, index: int, part: int) -> Strip:
        ink, width = self.ink, self._space.width
        if ink.lines.signs[index] == BETWEEN:
            return fit(ink.between(index), width, self._space.glyphs.ellipsis)
        strip = strip_of(*ink.row(index, part, side=self._side, width=width, fold=self._fold))
        # Where even the numbers have no room.
        return strip if strip.cell_length <= width else strip.crop(0, width)


def _note(text: str, space: RenderContext) -> LazyLines:
    return Rows([[(text, space.palette.dim)]], space)


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
        return strip_of([*left, rule, *right], self._half + 3 + size)

    def _cells(self, index: int | None, part: int, side: str) -> tuple[list[Segment], int]:
        """One row of a line in its column; nothing beyond its last."""
        if index is None or part >= self._tall.get(index, 1):
            return [], 0
        return self._ink.row(index, part, side=side, width=self._half, fold=self._fold)

    def row_text(self, row: int, cell: int) -> RowText | None:
        """Code of the side that `cell` is on; None where it has no line."""
        pair, part = self._map.at(row)
        right = cell > self._half
        index = self._sides[right][pair]
        shown = index is not None and part < self._tall.get(index, 1)
        if index is None or not shown or self._ink.lines.signs[index] == BETWEEN:
            return None
        text = RowText(self._ink.gutter_width("-"), joint="" if part else "\n")
        return text.behind(self._half + 3) if right else RowText(text.start, self._half, text.joint)
