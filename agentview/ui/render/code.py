"""Source text with line numbers and syntax colours."""

from collections.abc import Sequence

from agentview.timeline.plain import clean
from agentview.ui.render.body import Space
from agentview.ui.render.lines import LineRows, Piece, split_lines
from agentview.ui.render.syntax import Highlighter


def code_rows(
    text: str, language: str, space: Space, *, start: int | None = 1, fold: bool = True
) -> LineRows:
    """Source text; `language` is a file name or a language's name.

    `start` is the number of its first line, None for no numbers. Lines are folded at the width or
    cropped to it.
    """
    lines = split_lines(text)
    highlighter = Highlighter(lines, language, space.palette)
    digits = len(str(start + len(lines) - 1)) if start is not None else 0
    # Numbers would leave too little of a narrow line.
    numbered = start is not None and space.width >= digits + 20

    def plain(index: int) -> str:
        return clean(lines[index])

    def prefix(index: int, first: bool) -> Sequence[Piece]:
        number = str((start or 0) + index) if first else ""
        return [(f"{number:>{digits}}  ", space.palette.dim)]

    return LineRows(
        len(lines),
        plain,
        highlighter.line,
        space,
        prefix=prefix if numbered else None,
        prefix_width=digits + 2 if numbered else 0,
        fold=fold,
    )
