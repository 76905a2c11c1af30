"""Styles of the screen as classes of a page, through a palette whose colours are names."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape

from msgspec.structs import replace
from rich.color import Color, ColorSystem, ColorType
from rich.style import Style

from agentview.timeline.view.sanitize import clean
from agentview.ui.render.style.palette import PLAIN, Palette
from agentview.ui.render.text_lines import Piece
from agentview.ui.themes import contrast, mix

# Each name of the palette is a colour that no log has a reason to use: #0102NN over #0103NN.

_SHADED = frozenset({"match", "added", "removed", "added_word", "removed_word"})
_SWITCHES = frozenset({"shaded", "colored"})
_NAMES = tuple(name for name in Palette.__struct_fields__ if name not in _SWITCHES)
_INK, _SHADE = (1, 2), (1, 3)

_PAGES = (("#ffffff", "#f4f6f8"), ("#14171c", "#1c2027"))
"""Backgrounds of the page, `--bg` and `--soft` of page.css: of the light one, of the dark one."""
_CONTRAST = 4.5
"""Of text against what it stands on, as WCAG asks for."""

_ATTRIBUTES = (
    ("bold", "b"), ("italic", "i"), ("underline", "u"), ("strike", "s"), ("reverse", "v"),
    ("dim", "d"),
)  # fmt: skip


def _named(number: int, name: str) -> Style:
    if name in _SHADED:
        return Style(bgcolor=Color.from_rgb(*_SHADE, number))
    return Style(color=Color.from_rgb(*_INK, number))


PALETTE = replace(
    PLAIN, shaded=True, colored=True, **{n: _named(k, n) for k, n in enumerate(_NAMES)}
)
"""The palette of a page."""


def span(text: str, style: Style | None) -> str:
    """A text as HTML, with the classes of its style around it."""
    shown = escape(clean(text))
    names = "" if style is None or not shown else classes(style)
    return f'<span class="{names}">{shown}</span>' if names else shown


def spans(pieces: Iterable[Piece]) -> str:
    """Pieces of one line as HTML; neighbours of one style together."""
    parts: list[str] = []
    held, known = "", Style.null()
    for text, style in pieces:
        if style != known:
            parts.append(span(held, known))
            held, known = "", style
        held += text
    return "".join([*parts, span(held, known)])


@lru_cache(maxsize=4096)
def classes(style: Style) -> str:
    """The names of the classes of a style; empty for plain text."""
    names = [name for field, name in _ATTRIBUTES if getattr(style, field)]
    names += [_ink(style.color, "f")] if style.color else []
    names += [_ink(style.bgcolor, "g")] if style.bgcolor else []
    return " ".join(name for name in names if name and name != "p-text")


def _ink(color: Color, sign: str) -> str:
    """Colours beyond the 256 that terminals have become the nearest of these."""
    if color.triplet is not None and color.triplet[:2] in (_INK, _SHADE):
        return f"p-{_NAMES[color.triplet.blue % len(_NAMES)].replace('_', '-')}"
    if color.type is ColorType.TRUECOLOR:
        color = color.downgrade(ColorSystem.EIGHT_BIT)
    return "" if color.number is None else f"{sign}{color.number}"


def color_rules() -> str:
    """The rules of the 240 colours that are the same everywhere, as shade and as ink.

    Ink on the page itself is as dark, or as light, as it takes to be read there. Where a log chose
    both, the colours are its own; where it chose the shade alone, the ink is black or white.
    """
    shades: list[str] = []
    inks: list[str] = []
    for number in range(16, 256):
        value = Color.from_ansi(number).get_truecolor().hex
        ink = max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, value))
        shades.append(f".g{number}{{background:{value};color:{ink[:4]}}}")
        inks.append(f".f{number}{{color:{value}}}")
        light, dark = (_readable(value, page) for page in _PAGES)
        if (light, dark) != (value, value):
            alone = f".f{number}:not([class*=' g'])"
            inks.append(f"{alone}{{color:light-dark({light},{dark})}}")
    own = [
        f".f{number}{{color:var(--c{number})}}.g{number}{{background:var(--c{number})}}"
        for number in range(16)
    ]
    return "".join([*shades, *inks, *own])


def _readable(color: str, page: tuple[str, str]) -> str:
    """The colour with as much black or white as it takes to be read on both shades of a page."""
    ink = max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, page[0]))
    shares = (step / 20 for step in range(21))
    mixed = (mix(color, ink, share) for share in shares)
    return next(each for each in mixed if min(contrast(each, on) for on in page) >= _CONTRAST)
