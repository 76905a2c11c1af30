"""A table as rows: columns as wide as they need and there is room, made only when they are seen."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from agentview.normalize.printed_tables import PrintedTable
from agentview.timeline.view.sanitize import clean
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.blocks import fitted_widths
from agentview.ui.render.terminal.ansi import ansi_rows
from agentview.ui.render.text_lines import Piece, fit, fold_count, fold_cuts

_GAP = 2
"""Cells between columns."""
_LEAST = 6
"""Cells of a column below which a table is not readable."""


def table_body(
    table: PrintedTable, lines: Sequence[str], space: RenderContext, *, fold: bool
) -> LazyLines:
    """The table in columns; its lines as they were printed where columns have too little room."""
    if space.width < _LEAST * len(table.rows[0]):
        return ansi_rows("\n".join(lines), space, fold=fold)
    return TableRows(table, space, fold=fold)


class TableRows:
    """The heading, a rule below it, and the rows; long cells are folded when `fold`, else cut."""

    def __init__(self, table: PrintedTable, space: RenderContext, *, fold: bool) -> None:
        self._space = space
        lines = [table.head, *table.rows] if table.head else list(table.rows)
        self._lines = [tuple(map(clean, line)) for line in lines]
        self._headed = bool(table.head)
        self._right = table.numeric
        self._quiet = table.quiet
        needs = [max(map(cell_len, column)) for column in zip(*self._lines, strict=True)]
        room = space.width - _GAP * (len(needs) - 1)
        self._widths = fitted_widths([max(1, need) for need in needs], max(len(needs), room))
        self._fold = fold and space.wrap and self._widths != needs
        heights = (map(self._height_of, self._lines)) if self._fold else [1] * len(self._lines)
        self._ends = list(accumulate(heights))

    @property
    def height(self) -> int:
        return self._ends[-1] + self._headed

    def strips(self, start: int, stop: int) -> list[Strip]:
        return [self._strip(row) for row in range(max(0, start), min(stop, self.height))]

    def _height_of(self, line: Sequence[str]) -> int:
        return max(fold_count(cell, width) for cell, width in zip(line, self._widths, strict=True))

    def _strip(self, row: int) -> Strip:
        space = self._space
        if self._headed and row == self._ends[0]:
            rule = space.glyphs.rule * min(
                space.width, sum(self._widths) + _GAP * (len(self._widths) - 1)
            )
            return fit([(rule, space.palette.border)], space.width, space.glyphs.ellipsis)
        row -= self._headed and row > self._ends[0]
        line = bisect_right(self._ends, row)
        part = row - (self._ends[line - 1] if line else 0)
        return fit(self._pieces(line, part), space.width, space.glyphs.ellipsis)

    def _pieces(self, line: int, part: int) -> Iterator[Piece]:
        columns = enumerate(zip(self._lines[line], self._widths, strict=True))
        for column, (cell, width) in columns:
            shown = self._part(cell, width, part)
            blank = " " * (width - cell_len(shown))
            style = self._style(line, column)
            gap = " " * _GAP if column else ""
            right = column in self._right
            yield f"{gap}{blank}{shown}" if right else f"{gap}{shown}{blank}", style

    def _part(self, cell: str, width: int, part: int) -> str:
        """A row of a cell: the `part`-th of a folded one."""
        if not self._fold:
            return fit([(cell, Style.null())], width, self._space.glyphs.ellipsis).text
        cuts = [0, *fold_cuts(cell, width), len(cell)]
        begin, end = [*pairwise(cuts), *[(0, 0)] * part][part]
        return cell[begin:end]

    def _style(self, line: int, column: int) -> Style:
        palette = self._space.palette
        if self._headed and line == 0:
            return palette.strong
        return palette.dim if column in self._quiet else palette.text
