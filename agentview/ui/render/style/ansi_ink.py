"""The 16 colours of a terminal where a theme chooses the backgrounds: inks that can be read there.

Programs write "red", and leave it to the terminal which red that is. Textual takes the same one for
all themes and rows; on a selection it may have half the contrast that text needs.
"""

from functools import cache, lru_cache

from rich.color import Color, ColorType
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.filter import ANSIToTruecolor

from agentview.ui.render.style.color_depth import TEXT_CONTRAST
from agentview.ui.themes import contrast, mix

_STEPS = 20


class ReadableAnsi(ANSIToTruecolor):
    """Replaces the terminal's own colours; an ink keeps its hue as far as it can be read."""

    @lru_cache(1024)  # noqa: B019  (there is one for each of Textual's two sets of colours)
    def truecolor_style(self, style: Style, background: Color) -> Style:
        """Give the style in 24 bit, its ink readable on its background.

        Where a program chose the background too, both stay as they are: it wanted the pair.
        """
        ink, ground = style.color, style.bgcolor or background
        if ink is not None and ink.type is ColorType.STANDARD and ground.triplet is not None:
            of_terminal = ink.get_truecolor(self._terminal_theme).hex
            style += Style(color=_readable(of_terminal, ground.triplet.hex))
        return super().truecolor_style(style, background)


@cache
def readable_ansi(theme: TerminalTheme) -> ReadableAnsi:
    return ReadableAnsi(theme)


def _readable(ink: str, ground: str) -> str:
    """Give the ink, with as much white or black as it needs."""
    end = max("#ffffff", "#000000", key=lambda color: contrast(color, ground))
    mixed = (mix(ink, end, step / _STEPS) for step in range(_STEPS))
    return next((color for color in mixed if contrast(color, ground) >= TEXT_CONTRAST), end)
