"""Text laid out for a terminal or a pipe: sections, aligned columns, few colours."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from rich.cells import cell_len, set_cell_size

from agentview.cli.output.terminal import columns, wants_colour, writes_unicode
from agentview.timeline.view.sanitize import clean, one_line

_GAP = "  "
_LEAST = 4
"""Columns of a terminal in which a text is begun; in less it would only say that there is one."""
_ASCII = str.maketrans({"…": "~", "–": "-", "✓": "+", "✗": "x", "!": "!"})
_RESET = "\x1b[0m"


class Tone(StrEnum):
    """How a piece of text stands out; the value is what a terminal is sent for it."""

    PLAIN = ""
    HEAD = "\x1b[1m"
    FAINT = "\x1b[2m"
    GOOD = "\x1b[32m"
    WARN = "\x1b[33m"
    BAD = "\x1b[31m"


Piece = tuple[str, Tone]
Row = Sequence["Piece | str"]
Line = Sequence[Piece]


def heading(text: str) -> list[Line]:
    return [[], [(text, Tone.HEAD)]]


def aligned(rows: Sequence[Row], right: Iterable[int] = (), indent: int = 2) -> list[Line]:
    """Rows with their columns below each other, those at the places `right` to the right.

    Texts are cleaned; rows may be shorter than others.
    """
    cleaned = [[_piece(cell) for cell in row] for row in rows]
    count = max((len(row) for row in cleaned), default=0)
    widths = [
        max((cell_len(row[at][0]) for row in cleaned if at < len(row)), default=0)
        for at in range(count)
    ]
    rights = frozenset(right)
    lines: list[Line] = []
    for row in cleaned:
        line: list[Piece] = [(" " * indent, Tone.PLAIN)]
        for at, (text, tone) in enumerate(row):
            room = " " * (widths[at] - cell_len(text))
            line.append((room + text if at in rights else text, tone))
            if at + 1 < len(row):
                line.append((_GAP if at in rights else room + _GAP, Tone.PLAIN))
        lines.append(line)
    return lines


def _piece(cell: "Piece | str") -> Piece:
    text, tone = (cell, Tone.PLAIN) if isinstance(cell, str) else cell
    return one_line(text), tone


def put(lines: Iterable[Line]) -> None:
    """Write lines to standard output, as wide and as colourful as it is."""
    width, colour, unicode = columns(), wants_colour(), writes_unicode()
    for line in lines:
        print(_text(line, width, colour=colour, unicode=unicode))


def _text(line: Line, width: int | None, *, colour: bool, unicode: bool) -> str:
    left = width
    parts: list[str] = []
    for text, tone in line:
        shown = clean(text)
        shown = shown if unicode else shown.translate(_ASCII)
        if left is not None:
            size = cell_len(shown)
            if size > left:
                if shown.isspace() or (left < _LEAST and parts):
                    break
                mark = "…" if unicode else "~"
                shown = set_cell_size(shown, left - 1) + mark if left > 0 else ""
            left -= min(size, left)
        parts.append(f"{tone.value}{shown}{_RESET}" if colour and tone and shown else shown)
        if left == 0:
            break
    return "".join(parts).rstrip()
