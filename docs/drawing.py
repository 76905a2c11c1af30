"""Turns a screen that was exported as SVG into a picture."""

import html
import io
import re
from itertools import accumulate

import cairosvg  # pyright: ignore[reportMissingTypeStubs]
from PIL import Image
from rich.cells import cell_len

_FONT = "DejaVu Sans Mono"
_FONT_SIZE = "20.265px"
"""At this size a cell of the font is as wide as the cells that Rich draws: 12.2 pixels."""

_COLORS = 192

_CELL = 12.2
"""Pixels that Rich gives a cell."""

_TEXT = re.compile(r'(<text[^>]*?) x="([\d.]+)"([^>]*?) textLength="[\d.]+"([^>]*)>([^<]*)</text>')


def _in_cells(found: re.Match[str]) -> str:
    """Give the text with a place for each character, as a terminal has it; cairo stretches none."""
    before, start, between, after, content = found.groups()
    text = html.unescape(content)
    cells = accumulate((cell_len(char) for char in text[:-1]), initial=0)
    places = " ".join(f"{float(start) + cell * _CELL:.1f}" for cell in cells)
    return f'{before} x="{places}"{between}{after}>{content}</text>'


def as_png(svg: str, *, scale: float = 1.0) -> bytes:
    """The picture as PNG, in as few colours as a terminal shows at a time."""
    drawn = re.sub(r"font-family: ?[^;\"]*Fira Code[^;\"]*", f"font-family: {_FONT}", svg)
    drawn = drawn.replace("font-size: 20px", f"font-size: {_FONT_SIZE}")
    drawn = _TEXT.sub(_in_cells, drawn)
    picture, smaller = io.BytesIO(), io.BytesIO()
    cairosvg.svg2png(bytestring=drawn.encode(), scale=scale, write_to=picture)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]
    Image.open(picture).convert("RGB").quantize(_COLORS).save(smaller, "PNG", optimize=True)
    return smaller.getvalue()
