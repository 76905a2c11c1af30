"""Colours and attributes of terminal output: SGR codes (ECMA-48) to a state, a state to a style."""

from collections.abc import Sequence
from functools import lru_cache

from rich.color import Color
from rich.style import Style

_ENDS = {
    22: (1, 2),
    23: (3,),
    24: (4,),
    27: (7,),
    29: (9,),
    39: (38,),
    49: (48,),
    55: (53,),
}
"""Which attributes a code ends; 38 and 48 stand for any foreground and background."""
_ATTRIBUTES = {
    1: Style(bold=True),
    2: Style(dim=True),
    3: Style(italic=True),
    4: Style(underline=True),
    7: Style(reverse=True),
    9: Style(strike=True),
    53: Style(overline=True),
}
_DARK = frozenset({0, 16, 232, 233, 234})
_LIGHT = frozenset({7, 15, 231, 254, 255})
_COLORS = {38: range(30, 38), 48: range(40, 48)}
_BRIGHT = {38: range(90, 98), 48: range(100, 108)}


@lru_cache(maxsize=4_096)
def after(state: str, codes: str) -> str:
    """The state after the codes of one SGR sequence, as the shortest codes that lead to it.

    The empty state is that of plain text. Codes without a meaning here change nothing.
    """
    known = {_place(part): part for part in state.split(",") if part}
    for part in _parts(codes):
        number = int(part.partition(";")[0])
        if number == 0:
            known.clear()
        for ended in _ENDS.get(number, ()):
            known.pop(ended, None)
        place = _place(part)
        if place in _ATTRIBUTES or (place in _COLORS and number != 58):
            known[place] = part
    return ",".join(part for _, part in sorted(known.items()))


def sequence(state: str) -> str:
    return f"\x1b[0;{state.replace(',', ';')}m" if state else "\x1b[0m"


@lru_cache(maxsize=4_096)
def style_of(state: str) -> Style:
    """How text in a state looks."""
    style = Style.null()
    for part in state.split(","):
        if not part:
            continue
        place = _place(part)
        color = _color(part, place)
        if color is not None:
            style += Style(color=color) if place == 38 else Style(bgcolor=color)
        else:
            style += _ATTRIBUTES.get(place, Style.null())
    return style


@lru_cache(maxsize=64)
def unseen_ink(text: Style) -> frozenset[int]:
    """Numbers of the ANSI colours that vanish on the background that a text's style is made for.

    None for text in the terminal's own colour: there the terminal's colours suit each other.
    """
    triplet = text.color.triplet if text.color is not None else None
    if triplet is None:
        return frozenset()
    return _DARK if sum(triplet) > 3 * 128 else _LIGHT


@lru_cache(maxsize=4_096)
def seen_style(style: Style, unseen: frozenset[int]) -> Style:
    """The style, its ink left to the text's own where nobody would see it."""
    vanishes = style.color is not None and style.color.number in unseen
    if not vanishes or style.bgcolor is not None or style.reverse:
        return style
    return style.without_color


def _parts(codes: str) -> list[str]:
    """The codes one by one, extended colours as `38;5;n` or `38;2;r;g;b` in one part."""
    parts: list[str] = []
    fields = [field.split(":") for field in codes.split(";")]
    at = 0
    while at < len(fields):
        field, at = fields[at], at + 1
        number = _number(field[0])
        if number in (38, 48, 58):
            if len(field) == 1:
                taken = [_number(rest[0]) for rest in fields[at : at + 4]]
                used = {2: 4, 5: 2}.get(taken[0] if taken else 0, len(fields))
                taken, at = taken[:used], at + used
            else:
                # ITU T.416 has a colour space before the three colours, most programs leave it out.
                taken = [_number(value) for value in field[1:]]
                taken = taken[:1] + taken[2:] if taken[0] == 2 and len(taken) > 4 else taken
            if taken and len(taken) >= {2: 4, 5: 2}.get(taken[0], 9):
                parts.append(";".join(map(str, [number, *taken])))
        elif number == 4 and len(field) > 1 and _number(field[1]) == 0:
            parts.append("24")
        else:
            parts.append("4" if number == 21 else str(number))
    return parts


def _place(part: str) -> int:
    number = int(part.partition(";")[0])
    for place in (38, 48):
        if number in _COLORS[place] or number in _BRIGHT[place]:
            return place
    return number


def _color(part: str, place: int) -> Color | None:
    if place not in _COLORS:
        return None
    numbers = [int(number) for number in part.split(";")]
    if len(numbers) == 1:
        offset = 0 if numbers[0] in _COLORS[place] else 8
        return Color.from_ansi(numbers[0] % 10 + offset)
    return _extended(numbers[1:])


def _extended(numbers: Sequence[int]) -> Color:
    if numbers[0] == 5:
        return Color.from_ansi(min(255, numbers[1]))
    red, green, blue = (min(255, number) for number in numbers[1:4])
    return Color.from_rgb(red, green, blue)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
