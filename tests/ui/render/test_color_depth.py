"""Which of 16 colours stands for a colour of a theme."""

import pytest
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from agentview.ui.render.style.color_depth import Depth, DepthFilter
from agentview.ui.themes import load_themes, theme_directories

SHIPPED = load_themes(theme_directories()[:1]).loaded
PLAIN = {0, 7, 8, 15}
YELLOW = {3, 11}


def number_of(theme: str, color: str, ground: str = "") -> int | None:
    """The number of a text's colour in a terminal of 16, on the background of a theme."""
    spec = SHIPPED[theme]
    ground = ground or ("#000000" if spec.dark else "#ffffff")
    style = Style(color=Color.parse(color), bgcolor=Color.parse(ground))
    (fitted,) = DepthFilter(Depth.COLORS_16, spec).fit([Segment("x", style)])
    assert fitted.style is not None
    assert fitted.style.color is not None
    return fitted.style.color.number


@pytest.mark.parametrize(
    ("theme", "tinted"),
    [("agentview-dark", "#ebcf99"), ("gruvbox", "#fbd375"), ("high-contrast", "#ffea9a")],
)
def test_a_pale_warning_is_still_yellow(theme: str, tinted: str) -> None:
    """The library and the board write states that need somebody in a tint of the warning color."""
    assert number_of(theme, tinted) in YELLOW
    assert number_of(theme, SHIPPED[theme].colors.warning) in YELLOW


@pytest.mark.parametrize("theme", sorted(SHIPPED))
def test_text_has_no_hue(theme: str) -> None:
    spec = SHIPPED[theme]
    if spec.colors.text.startswith("#"):
        assert number_of(theme, spec.colors.text) in PLAIN
        assert number_of(theme, spec.colors.muted) in PLAIN


@pytest.mark.parametrize("theme", sorted(name for name, spec in SHIPPED.items() if spec.dark))
@pytest.mark.parametrize("role", ["accent", "success", "muted", "text"])
def test_text_on_the_selection_is_light_on_blue_whatever_the_terminal_makes_of_it(
    theme: str, role: str
) -> None:
    """Cyan, green and grey on blue are readable with xterm's colours, and with few others."""
    color = getattr(SHIPPED[theme].colors, role)
    if color.startswith("#"):
        assert number_of(theme, color, "#0000ee") in {*PLAIN, *YELLOW} - {0, 8}
