"""Rows of a timeline as an SVG picture in the colours of a theme; it asks for nothing else."""

import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import islice

from msgspec.structs import replace
from rich.color import Color
from rich.console import Console
from rich.segment import Segment, Segments
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME, TerminalTheme
from textual.strip import Strip

from agentview.domain.tools import ToolCall
from agentview.reports.export.document.entries import Entry, Heading, facts_of
from agentview.reports.export.document.request import Frame
from agentview.settings.reading import read_settings
from agentview.ui.activity_widget import RowLayout
from agentview.ui.page.document import LevelOf
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.render_options import timeline_space
from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.highlight_matches import mark_bookmark
from agentview.ui.render.style.palette import faded, palette_of
from agentview.ui.render.text_lines import Piece, fit
from agentview.ui.render.title_line import columns_of
from agentview.ui.themes import DEFAULT_THEME, ThemeSpec, load_theme, theme_directories

_FACTS = ("client", "model", "project", "branch", "started")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SIGNS = re.compile(r"[\x20-\x7e]+|[^\x20-\x7e]", re.DOTALL)
_CELL = (12.2, 24.4)
"""Width and height that Rich gives a cell."""
_MARGIN = 9
_LINE_ENDS = re.compile(r"<text [^>]*>\n</text>")
"""Rich writes the end of each row as a text."""
_PAGE = 200
"""Rows that are made together."""
_FORM = """\
<svg viewBox="0 0 WIDTH HEIGHT" width="WIDTH" height="HEIGHT" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font: {char_height}px/{line_height}px ui-monospace, 'DejaVu Sans Mono', \
Menlo, Consolas, monospace; white-space: pre }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
<rect width="WIDTH" height="HEIGHT" rx="8" fill="BACKGROUND"/>
<g transform="translate(9, 9)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def picture(heading: Heading, shown: Iterable[Entry], level_of: LevelOf, frame: Frame) -> str:
    """The picture: facts of the session, the rows of the frame, and a sign where more follow."""
    settings = read_settings(os.environ).settings
    spec = load_theme(frame.theme or settings.theme or DEFAULT_THEME, theme_directories())
    space = replace(timeline_space(settings, palette_of(spec)), width=frame.columns, sliced=False)
    rows = _rows(_from(shown, frame.event), level_of, space)
    kept = list(islice(rows, frame.first - 1, frame.last))
    dim = space.palette.dim
    if not kept:
        kept = [strip_of([Segment("nothing to show", dim)])]
    elif next(rows, None) is not None:
        kept.append(strip_of([Segment(space.glyphs.ellipsis, dim)]))
    return _drawn([*_head(heading, space), *kept], frame.columns, spec)


def _from(shown: Iterable[Entry], event: str | None) -> Iterator[Entry]:
    found = event is None
    for entry in shown:
        found = found or any(str(each.id) == event for each in entry.activity.events)
        if found:
            yield entry


def _head(heading: Heading, space: RenderContext) -> list[Strip]:
    palette, width = space.palette, space.width
    facts = dict(facts_of(heading))
    pieces: list[Piece] = []
    for name in _FACTS:
        if name in facts:
            pieces += [("   " if pieces else " ", palette.dim), (facts[name], palette.dim)]
    return [
        fit([(f" {heading.headline}", palette.strong)], width),
        fit(pieces, width),
        strip_of([Segment(space.glyphs.rule * width, palette.border)]),
    ]


def _rows(shown: Iterable[Entry], level_of: LevelOf, space: RenderContext) -> Iterator[Strip]:
    """The rows of a timeline, an empty one before each turn but the first."""
    columns = columns_of(space.width, space.times)
    before = False
    for entry in shown:
        if entry.begins and before:
            yield strip_of([])
        before = True
        body = entry.activity.body
        names = body.names if isinstance(body, ToolCall) else ()
        off = entry.activity.abandoned
        view = RowLayout(
            entry.activity,
            level_of(entry.kind, names),
            replace(space, palette=faded(space.palette)) if off else space,
            note=entry.note,
        )
        for start in range(0, view.height, _PAGE):
            for number, strip in enumerate(view.strips(start, start + _PAGE), start):
                marked = entry.bookmarked and number == 0
                sign = space.glyphs.bookmark
                yield (
                    mark_bookmark(strip, columns.left, sign, space.palette.accent)
                    if marked
                    else strip
                )


def _drawn(rows: Sequence[Strip], columns: int, spec: ThemeSpec) -> str:
    console = Console(
        width=columns, record=True, file=io.StringIO(), force_terminal=True, legacy_windows=False
    )
    console.print(Segments(_pieces(rows)), end="", crop=False)
    theme = _terminal_theme(spec)
    size = {
        "WIDTH": f"{columns * _CELL[0] + 2 * _MARGIN:g}",
        "HEIGHT": f"{len(rows) * _CELL[1] + 2 * _MARGIN:g}",
        "BACKGROUND": theme.background_color.hex,
    }
    form = re.sub("|".join(size), lambda found: size[found[0]], _FORM)
    svg = console.export_svg(title="", theme=theme, unique_id="agentview", code_format=form)
    return _LINE_ENDS.sub("", svg)


def _pieces(rows: Sequence[Strip]) -> Iterator[Segment]:
    for row in rows:
        for text, style, _ in row:
            # A sign that is wide, or that may be, has its own place: others are not moved by it.
            for part in _SIGNS.findall(_NOT_XML.sub("\ufffd", text)):
                yield Segment(part, style)
        yield Segment.line()


def _terminal_theme(spec: ThemeSpec) -> TerminalTheme:
    """The colours of a theme; one of the terminal's own colours has those that Rich draws."""
    own = SVG_EXPORT_THEME if spec.dark else DEFAULT_TERMINAL_THEME
    known = spec.colors.background, spec.colors.text
    if not all(color.startswith("#") for color in known):
        return own
    made = copy(own)
    made.background_color, made.foreground_color = (
        Color.parse(color).get_truecolor() for color in known
    )
    return made
