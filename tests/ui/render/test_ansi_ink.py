"""Colours that programs leave to the terminal, on the backgrounds of each shipped theme."""

import pytest
from rich.color import Color
from rich.style import Style
from textual._ansi_theme import ALABASTER, MONOKAI

from agentview.ui.render.style.ansi_ink import readable_ansi
from agentview.ui.render.style.color_depth import TEXT_CONTRAST
from agentview.ui.themes import contrast, load_themes, theme_directories

SHIPPED = load_themes(theme_directories()[:1]).loaded
NAMES = sorted(name for name, spec in SHIPPED.items() if spec.colors.background.startswith("#"))


@pytest.mark.parametrize("theme", NAMES)
def test_every_ink_can_be_read_on_every_background(theme: str) -> None:
    spec = SHIPPED[theme]
    painted = readable_ansi(MONOKAI if spec.dark else ALABASTER)
    for ground in (spec.colors.background, spec.colors.surface, spec.colors.raised):
        for number in range(16):
            style = Style(color=Color.from_ansi(number))
            for given in (style, style + Style(bgcolor=ground)):
                ink = painted.truecolor_style(given, Color.parse(ground)).color
                assert ink is not None
                assert ink.triplet is not None
                assert contrast(ink.triplet.hex, ground) >= TEXT_CONTRAST, (number, ground)


def test_an_ink_that_can_be_read_stays() -> None:
    style = Style(color=Color.from_ansi(2), bgcolor="#000000")
    painted = readable_ansi(MONOKAI).truecolor_style(style, Color.parse("#000000"))
    assert painted.color == Color.parse("#98e024")


def test_a_pair_that_a_program_chose_stays() -> None:
    style = Style(color=Color.from_ansi(7), bgcolor=Color.from_ansi(1))
    painted = readable_ansi(MONOKAI).truecolor_style(style, Color.parse("#282828"))
    assert (painted.color, painted.bgcolor) == (Color.parse("#c4c5b5"), Color.parse("#f4005f"))
