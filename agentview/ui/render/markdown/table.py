"""A Markdown table as rows: columns as wide as they need and there is room, else one fact a row."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.cells import cell_len
from rich.style import Style

from agentview.ui.render.lazy_lines import Body, Space
from agentview.ui.render.markdown.inline import EMPHASIS, inline_pieces, wrapped
from agentview.ui.render.text_lines import Piece, Rows

_LEAST = 4
"""Cells of a column below which the table is told row by row."""

_Cell = list[Piece]


def table_body(node: Any, space: Space, base: Style) -> Body:
    """The rows of a table; the first is its head."""
    rows: list[list[_Cell]] = []
    aligned: list[str] = []
    for part in node.children:
        head = part.type == "thead"
        style = base + EMPHASIS["strong"] if head and space.palette.colored else base
        for row in part.children:
            rows.append([list(inline_pieces(cell, space, style)) for cell in row.children])
            if head:
                aligned = [str(cell.attrs.get("style", "")) for cell in row.children]
    count = max((len(row) for row in rows), default=0)
    if not count:
        return Rows([], space)
    room = space.width - 3 * (count - 1)
    if room < count * _LEAST and len(rows) > 1:
        return Rows(list(_told(rows, space)), space)
    widths = _column_widths(rows, count, max(count, room))
    return Rows(
        [
            line
            for number, row in enumerate(rows)
            for line in _row(row, widths, aligned, space, number)
        ],
        space,
    )


def _row(
    row: Sequence[_Cell], widths: Sequence[int], aligned: Sequence[str], space: Space, number: int
) -> Iterator[list[Piece]]:
    border, glyphs = space.palette.border, space.glyphs
    cells = [wrapped(cell, width) for cell, width in zip(row, widths, strict=False)]
    for index in range(max((len(cell) for cell in cells), default=0)):
        line: list[Piece] = []
        for column, cell in enumerate(cells):
            if column:
                line.append((f" {glyphs.column} ", border))
            pieces = cell[index] if index < len(cell) else []
            line += _placed(pieces, widths[column], aligned[column : column + 1], border)
        yield line
    if number == 0:
        joint = f"{glyphs.rule}{glyphs.cross}{glyphs.rule}"
        yield [(joint.join(glyphs.rule * width for width in widths), border)]


def _placed(
    pieces: Sequence[Piece], width: int, aligned: Sequence[str], border: Style
) -> list[Piece]:
    room = max(0, width - sum(cell_len(text) for text, _ in pieces))
    how = aligned[0] if aligned else ""
    left = room if "right" in how else room // 2 if "center" in how else 0
    return [(" " * left, border), *pieces, (" " * (room - left), border)]


def _told(rows: Sequence[Sequence[_Cell]], space: Space) -> Iterator[list[Piece]]:
    """Each row as lines of `head: cell`, where there is no room for columns."""
    heads = rows[0]
    for number, row in enumerate(rows[1:]):
        if number:
            yield []
        for head, cell in zip(heads, row, strict=False):
            yield from wrapped([*head, (": ", space.palette.dim), *cell], space.width)


def _column_widths(rows: Sequence[Sequence[_Cell]], count: int, room: int) -> list[int]:
    """Widths of the columns: what they need, the widest cut first where there is too little."""
    widths = [1] * count
    for row in rows:
        for column, cell in enumerate(row):
            lines = "".join(text for text, _ in cell).split("\n")
            widths[column] = max(widths[column], *(cell_len(line) for line in lines))
    while (over := sum(widths) - room) > 0:
        order = sorted(range(count), key=widths.__getitem__, reverse=True)
        most = widths[order[0]]
        widest = [column for column in order if widths[column] == most]
        next_most = max((width for width in widths if width < most), default=1)
        cut = min(most - next_most, max(1, -(-over // len(widest))))
        for column in widest:
            step = min(cut, over, widths[column] - 1)
            widths[column] -= step
            over -= step
        if most <= 1:
            break
    return widths
