"""Colours of a theme in a terminal of 256 or 16: the nearest ones that keep contrast and hue.

Left alone, rich rounds each colour by itself: dark tints become black, a selection navy, and text
falls below the contrast that its theme has. Colours 0 to 15 are taken as xterm has them, and used
only where there are no others, since people set them to what they like.
"""

import math
from collections.abc import Iterable
from enum import IntEnum
from functools import cache, lru_cache

from msgspec.structs import replace
from rich.color import Color, ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor
from textual.filter import LineFilter

from agentview.domain.value import Value
from agentview.ui.themes import ThemeSpec, contrast

TEXT_CONTRAST = 4.5
MARK_CONTRAST = 3.0
_LEAST_CHROMA = 0.04
"""OKLab chroma from which a colour has a hue that says something."""
_LEAST_CHROMA_OF_16 = 0.06
"""The same where a colour can only be strong or grey."""
_SAME_HUE = math.radians(45)
_SAME_HUE_OF_16 = math.radians(65)
_BLUE, _WHITE = 4, 7
_BLACK, _BRIGHT_WHITE = 0, 15
_STYLES = 8_192

_XTERM_16 = (
    "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
    "#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
)  # fmt: skip
_LEVELS = (0, 95, 135, 175, 215, 255)
XTERM = (
    *_XTERM_16,
    *(f"#{r:02x}{g:02x}{b:02x}" for r in _LEVELS for g in _LEVELS for b in _LEVELS),
    *(f"#{level:02x}{level:02x}{level:02x}" for level in range(8, 248, 10)),
)
"""The colours of a terminal by number."""

_OTHER_16 = (
    # Visual Studio Code
    ("#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
     "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#e5e5e5"),
    # Windows Terminal
    ("#0c0c0c", "#c50f1f", "#13a10e", "#c19c00", "#0037da", "#881798", "#3a96dd", "#cccccc",
     "#767676", "#e74856", "#16c60c", "#f9f1a5", "#3b78ff", "#b4009e", "#61d6d6", "#f2f2f2"),
    # GNOME Terminal
    ("#171421", "#c01c28", "#26a269", "#a2734c", "#12488b", "#a347ba", "#2aa1b3", "#d0cfcc",
     "#5e5c64", "#f66151", "#33da7a", "#e9ad0c", "#2a7bde", "#c061cb", "#33c7de", "#ffffff"),
)  # fmt: skip
"""The 16 colours of other terminals, in which text on a colour must be readable too."""

Lab = tuple[float, float, float]


class Depth(IntEnum):
    """How many colours a terminal has."""

    COLORS_16 = 16
    COLORS_256 = 256

    @property
    def numbers(self) -> range:
        return range(16) if self is Depth.COLORS_16 else range(16, 256)


def depth_of(color_system: str | None) -> Depth | None:
    """Give the depth for rich's name of a colour system; None for one with all colours."""
    return {"256": Depth.COLORS_256, "standard": Depth.COLORS_16}.get(color_system or "")


# Themes


def spec_for(spec: ThemeSpec, depth: Depth) -> ThemeSpec:
    """Give the theme with backgrounds that a terminal of this depth shows apart from each other.

    A tint that it cannot show becomes the background: a sign or the colour of the text must show it
    then. A theme of terminal colours stays as it is.
    """
    if not spec.colors.background.startswith("#"):
        return spec
    return _in_16(spec) if depth is Depth.COLORS_16 else _in_256(spec)


def _in_16(spec: ThemeSpec) -> ThemeSpec:
    colors = spec.colors
    ground = XTERM[_BLACK if spec.dark else _BRIGHT_WHITE]
    flat = dict.fromkeys(
        ("background", "surface", "added_background", "removed_background", "match",
         "added_word", "removed_word"),
        ground,
    )  # fmt: skip
    raised = XTERM[_BLUE if spec.dark else _WHITE]
    return replace(spec, colors=replace(colors, **flat, raised=raised))


def _in_256(spec: ThemeSpec) -> ThemeSpec:
    colors = spec.colors
    numbers = Depth.COLORS_256.numbers
    readable = [n for n in numbers if _readable(colors.text, n)]
    ground = _nearest(colors.background, numbers)

    def shade(color: str, *others: str) -> str:
        if color == colors.background:
            return ground
        return _nearest(color, [n for n in readable if XTERM[n] not in others])

    def tint(color: str, *others: str) -> str:
        """Give a colour of the same hue; the background when there is none."""
        same = [n for n in readable if XTERM[n] not in others and _turned(color, n) <= _SAME_HUE]
        return _nearest_hue(color, same) if same else ground

    def word(color: str, line: str) -> str:
        """Give a stronger colour than that of the line; the line's when there is none."""
        same = [n for n in readable if XTERM[n] != line and _turned(line, n) <= _SAME_HUE / 2]
        return _nearest_hue(color, same) if same else line

    surface = shade(colors.surface)
    raised = shade(colors.raised, ground, surface)
    added = tint(colors.added_background)
    removed = tint(colors.removed_background, added)
    if ground in (added, removed):
        added = removed = ground
    words = word(colors.added_word, added), word(colors.removed_word, removed)
    if words[0] == added or words[1] == removed:
        words = added, removed
    changed = replace(
        colors,
        background=ground,
        surface=surface,
        raised=raised,
        added_background=added,
        removed_background=removed,
        added_word=words[0],
        removed_word=words[1],
        match=tint(colors.match, added, removed, *words),
    )
    return replace(spec, colors=changed)


def _readable(text: str, number: int) -> bool:
    return contrast(_nearest(text, Depth.COLORS_256.numbers), XTERM[number]) >= TEXT_CONTRAST


# Painted cells


class DepthFilter(LineFilter):
    """Gives segments colours that the terminal has, and their text the contrast that it had.

    Of a terminal with all colours (`depth` None) only its own 16 are looked at: what they come to
    is not known to a theme that is made of them.
    """

    def __init__(self, depth: Depth | None, spec: ThemeSpec) -> None:
        """`spec` is the theme as its file has it."""
        super().__init__()
        ground = spec.colors.background
        own = XTERM[_BLACK if spec.dark else _BRIGHT_WHITE]
        self._of = _Painting(depth, spec.dark, ground if ground.startswith("#") else own)

    def apply(self, segments: list[Segment], background: TextualColor) -> list[Segment]:  # noqa: ARG002
        return self.fit(segments)

    def fit(self, segments: Iterable[Segment]) -> list[Segment]:
        """Give the segments in colours of the terminal."""
        of = self._of
        return [
            segment
            if segment.style is None
            else Segment(segment.text, _in_depth(segment.style, of), segment.control)
            for segment in segments
        ]


class _Painting(Value):
    depth: Depth | None
    dark: bool
    ground: str
    """Background of the theme."""

    @property
    def numbers(self) -> range:
        return (self.depth or Depth.COLORS_256).numbers


@lru_cache(maxsize=_STYLES)
def _in_depth(style: Style, of: _Painting) -> Style:
    text, ground = style.color, style.bgcolor
    own = _is_own(text) or _is_own(ground)
    if (text is None and ground is None) or (of.depth is None and not own):
        return style
    default_text, default_ground = (_WHITE, _BLACK) if of.dark else (_BLACK, _BRIGHT_WHITE)
    number = _ground_number(ground, of)
    painted = XTERM[default_ground if number is None else number]
    shade = None if number is None else Color.from_ansi(number)
    if text is None or (text.is_default and number is None):
        return style + Style(bgcolor=shade)
    ink = _hex(text, XTERM[default_text])
    had = max(contrast(ink, of.ground), contrast(ink, _hex(ground, XTERM[default_ground])))
    wanted = TEXT_CONTRAST if own else _wanted(had)
    if _is_own(text) and contrast(ink, painted) >= wanted:
        return style + Style(bgcolor=shade)
    return style + Style(color=Color.from_ansi(_ink(ink, painted, wanted, of)), bgcolor=shade)


def _wanted(had: float) -> float:
    return next((least for least in (TEXT_CONTRAST, MARK_CONTRAST) if had >= least), min(had, 1.2))


@lru_cache(maxsize=_STYLES)
def _ink(color: str, ground: str, wanted: float, of: _Painting) -> int:
    """Give the number for text: of the same hue, else of none, with enough contrast."""
    numbers = [n for n in of.numbers if contrast(XTERM[n], ground) >= wanted]
    if not numbers:
        return max(of.numbers, key=lambda n: contrast(XTERM[n], ground))
    few = of.depth is Depth.COLORS_16
    if few and _chroma(ground) >= _LEAST_CHROMA_OF_16:
        numbers = [n for n in numbers if _is_readable_elsewhere(n, ground)] or numbers
    least = _LEAST_CHROMA_OF_16 if few else _LEAST_CHROMA
    most = _SAME_HUE_OF_16 if few else _SAME_HUE
    hued = _chroma(color) >= least
    same = [n for n in numbers if hued and _turned(color, n) <= most]
    nearest = _nearest_hue if few and same else _nearest
    plain = [n for n in numbers if _chroma(XTERM[n]) < _LEAST_CHROMA]
    return XTERM.index(nearest(color, same or plain or numbers), of.numbers.start)


def _is_readable_elsewhere(ink: int, ground: str) -> bool:
    """True if a colour stands out against one of the 16 whatever the terminal makes of both."""
    at = XTERM.index(ground)
    return all(contrast(each[ink], each[at]) >= MARK_CONTRAST for each in _OTHER_16)


def _ground_number(color: Color | None, of: _Painting) -> int | None:
    """Give the number of a background; None for the terminal's own."""
    if color is None or color.is_default:
        return None
    if _is_own(color):
        return color.number
    return XTERM.index(_nearest(_hex(color, ""), of.numbers), of.numbers.start)


def _is_own(color: Color | None) -> bool:
    return color is not None and color.type in (
        ColorType.DEFAULT,
        ColorType.STANDARD,
        ColorType.WINDOWS,
    )


def _hex(color: Color | None, default: str) -> str:
    if color is None or color.is_default:
        return default
    if color.triplet is not None:
        return color.triplet.hex
    return XTERM[color.number or 0]


# Distances


def _turned(color: str, number: int) -> float:
    """Give the angle between two hues, in radians; the largest for a colour without one."""
    other = XTERM[number]
    if _chroma(other) < _LEAST_CHROMA:
        return math.pi
    turned = abs(_hue(color) - _hue(other)) % math.tau
    return min(turned, math.tau - turned)


def _nearest(color: str, numbers: Iterable[int]) -> str:
    """Give the nearest of some of the terminal's colours, as the eye has it (OKLab)."""
    lab = _lab(color)
    return XTERM[min(numbers, key=lambda number: math.dist(lab, _lab(XTERM[number])))]


def _nearest_hue(color: str, numbers: Iterable[int]) -> str:
    """Give the colour that is nearest in hue and lightness, and not much stronger."""
    lightness, chroma = _lab(color)[0], _chroma(color)

    def distance(number: int) -> float:
        other = XTERM[number]
        apart = abs(lightness - _lab(other)[0]) + abs(chroma - _chroma(other)) / 2
        return apart + _turned(color, number) / 2

    return XTERM[min(numbers, key=distance)]


def _chroma(color: str) -> float:
    _, a, b = _lab(color)
    return math.hypot(a, b)


def _hue(color: str) -> float:
    _, a, b = _lab(color)
    return math.atan2(b, a)


@cache
def _lab(color: str) -> Lab:
    """Give a `#rrggbb` colour in OKLab (https://bottosson.github.io/posts/oklab)."""
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    )
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )
