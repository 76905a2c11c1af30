"""Turns a screen that was exported as SVG into a picture."""

import io
import re

import cairosvg  # pyright: ignore[reportMissingTypeStubs]
from PIL import Image

_FONT = "DejaVu Sans Mono"
_FONT_SIZE = "20.265px"
"""At this size a cell of the font is as wide as the cells that Rich draws: 12.2 pixels."""

_COLORS = 192


def as_png(svg: str, *, scale: float = 1.0) -> bytes:
    """The picture as PNG, in as few colours as a terminal shows at a time."""
    drawn = re.sub(r"font-family: ?[^;\"]*Fira Code[^;\"]*", f"font-family: {_FONT}", svg)
    drawn = drawn.replace("font-size: 20px", f"font-size: {_FONT_SIZE}")
    picture, smaller = io.BytesIO(), io.BytesIO()
    cairosvg.svg2png(bytestring=drawn.encode(), scale=scale, write_to=picture)  # pyright: ignore[reportUnknownMemberType]
    Image.open(picture).convert("RGB").quantize(_COLORS).save(smaller, "PNG", optimize=True)
    return smaller.getvalue()
