"""Every kind of tool call in every state and level, as text to compare and pictures to look at.

`python -m tests.ui.tools.matrix` writes both anew.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from msgspec.structs import replace
from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import MONOKAI

from agentview.domain.activity import Activity
from agentview.domain.content import ImageBlock, JsonBlock, ResourceBlock
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import Palette, palette_of
from agentview.ui.themes import DEFAULT_THEME, load_theme, theme_directories
from tests.ui.activities import (
    CALLS,
    START,
    abandoned,
    activity,
    denied,
    failed,
    running,
    streaming,
)

FOLDER = Path(__file__).parent / "matrix_snapshots"
WIDTH = 80
_CELL, _LINE = 8.43, 18.0
_FONT = "14px DejaVu Sans Mono,Menlo,Consolas,monospace"
SPEC = load_theme(DEFAULT_THEME, theme_directories())
PALETTE = palette_of(SPEC)


def waiting(of: ToolCall) -> Activity:
    """The call before its result, of which nothing tells when it began."""
    return replace(running(of), started=None)


def interrupted(of: ToolCall) -> Activity:
    """The call when a person stopped it."""
    stopped = replace(
        of,
        state=ToolState.OUTPUT_ERROR,
        ok=False,
        result=None,
        output=(),
        error="[Request interrupted by user]",
        interrupted=True,
    )
    return activity(stopped)


BESIDE = (
    ImageBlock("image/png", uri="beside.png"),
    ResourceBlock("https://example.com/beside", "beside.md", "text/markdown", "the text beside"),
    ResourceBlock("https://example.com/link", "a link"),
    JsonBlock({"type": "search_result", "title": "a title beside"}),
)
"""Blocks that no typed result has."""


def mixed(of: ToolCall) -> Activity:
    """The call when blocks of other sorts came back beside its result."""
    return activity(replace(of, output=(*of.output, *BESIDE)))


STATES: Mapping[str, Callable[[ToolCall], Activity]] = {
    "streaming": streaming,
    "waiting": waiting,
    "running": running,
    "succeeded": activity,
    "mixed": mixed,
    "failed": failed,
    "denied": lambda call: denied(call, DeniedBy.PERSON),
    "interrupted": interrupted,
    "abandoned": abandoned,
}
LEVELS = tuple(DetailLevel)


def view(kind: ToolKind, state: str, level: DetailLevel, palette: Palette = PALETTE) -> RowLayout:
    """The row of a call of this kind."""
    return RowLayout(
        STATES[state](CALLS[kind]), level, RenderContext(WIDTH, palette), clock=lambda: START + 12
    )


def rows_of(shown: RowLayout) -> list[list[Segment]]:
    """All rows, neighbouring pieces of the same style joined."""
    rows: list[list[Segment]] = []
    for strip in shown.strips(0, shown.height):
        row: list[Segment] = []
        for text, style, _ in strip:
            if row and (row[-1].style or Style.null()) == (style or Style.null()):
                row[-1] = Segment(row[-1].text + text, row[-1].style)
            elif text:
                row.append(Segment(text, style))
        rows.append(row)
    return rows


_NAMES: Mapping[Style, str] = {
    getattr(PALETTE, name): name
    for name in reversed(Palette.__struct_fields__)
    if isinstance(getattr(PALETTE, name), Style)
}


def written(kind: ToolKind) -> str:
    """All states and levels of a kind as text: each row, then the styles of its pieces in order."""
    lines: list[str] = []
    for state in STATES:
        for level in LEVELS:
            lines.append(f"== {kind.value} · {state} · {level.value}")
            for row in rows_of(view(kind, state, level)):
                lines.append("".join(segment.text for segment in row).rstrip())
                styles = [_name(segment.style) for segment in row if segment.text.strip()]
                lines.append("    : " + " ".join(styles))
    return "\n".join(lines) + "\n"


def _name(style: Style | None) -> str:
    if not style:
        return "-"
    return _NAMES.get(style) or str(style).replace(" ", "+")


def sheet(kind: ToolKind) -> str:
    """A picture of a kind in all states: at full level, at summary where that looks different."""
    rows: list[list[Segment]] = []
    for state in STATES:
        seen: set[str] = set()
        for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
            made = rows_of(view(kind, state, level))
            text = "".join(segment.text for row in made for segment in row)
            if text not in seen:
                rows += [[Segment(f"{state} · {level.value}", PALETTE.heading)], *made, []]
            seen.add(text)
    return svg(rows)


def svg(rows: Sequence[Sequence[Segment]], columns: int = WIDTH) -> str:
    """Rows of cells as a picture."""
    colors = SPEC.colors
    size = f'width="{_CELL * (columns + 2):g}" height="{_LINE * (len(rows) + 1):g}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" {size}>',
        f"<style>text{{font:{_FONT};white-space:pre;fill:{colors.text}}}</style>",
        f'<rect width="100%" height="100%" fill="{colors.background}"/>',
    ]
    for number, row in enumerate(rows, 1):
        column = 1
        shades: list[str] = []
        words: list[str] = []
        for text, given, _ in row:
            width = cell_len(text)
            left, style = _CELL * column, given or Style.null()
            if style.bgcolor is not None:
                place = f'x="{left:g}" y="{_LINE * (number - 0.75):g}"'
                box = f'width="{_CELL * width:g}" height="{_LINE:g}"'
                shades.append(f'<rect {place} {box} fill="{_color(style.bgcolor)}"/>')
            if text.strip():
                cells = cell_len(text.strip(" "))
                room = f' textLength="{_CELL * cells:g}"' if not text.isascii() else ""
                at = left + _CELL * (len(text) - len(text.lstrip(" ")))
                shown = escape(text.strip(" "))
                words.append(f'<tspan x="{at:g}"{room}{_looks(style)}>{shown}</tspan>')
            column += width
        parts += (
            [*shades, f'<text y="{_LINE * number:g}">{"".join(words)}</text>']
            if words or shades
            else []
        )
    return "\n".join([*parts, "</svg>", ""])


def _looks(style: Style) -> str:
    looks = f' fill="{_color(style.color)}"' if style.color is not None else ""
    looks += ' font-weight="bold"' if style.bold else ""
    looks += ' font-style="italic"' if style.italic else ""
    line = "underline" if style.underline else "line-through" if style.strike else ""
    return looks + (f' text-decoration="{line}"' if line else "")


def _color(color: Color) -> str:
    return color.get_truecolor(MONOKAI).hex


def main() -> None:
    """Write what the test compares with anew: to be looked at before it is committed."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    FOLDER.mkdir(exist_ok=True)
    for kind in ToolKind:
        (FOLDER / f"{kind.value}.txt").write_text(written(kind), encoding="utf-8")
        (FOLDER / f"{kind.value}.svg").write_text(sheet(kind), encoding="utf-8")


if __name__ == "__main__":
    main()
