"""Colours and room for tests of rendering."""

from msgspec.structs import replace
from rich.style import Style

from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.style.palette import palette_of
from agentview.ui.themes import DEFAULT_THEME, load_theme, theme_directories

PALETTE = palette_of(load_theme(DEFAULT_THEME, theme_directories()))
SPACE = RenderContext(80, PALETTE)


def wide(width: int, *, split: bool | None = None) -> RenderContext:
    """The room at another width."""
    return replace(SPACE, width=width, split=split)


def texts(body: LazyLines) -> list[str]:
    """Text of all rows, without spaces at their ends."""
    return [strip.text.rstrip() for strip in body.strips(0, body.height)]


def styled(body: LazyLines, word: str) -> Style | None:
    """Style of the first piece that holds the word."""
    for strip in body.strips(0, body.height):
        for segment in strip:
            if word in segment.text:
                return segment.style
    return None
