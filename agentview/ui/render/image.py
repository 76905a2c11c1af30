"""Images as pictures of half blocks, two pixels a cell; decoded in a thread once opened."""

import asyncio
import base64
import binascii
import io
import struct
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual._context import active_app
from textual.app import App
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.content import ImageBlock
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.strip import strip_of
from agentview.ui.render.text_lines import fit

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
MAX_PIXELS = 40_000_000
"""An image of more pixels is not decoded: it may be small in the log and take gigabytes."""
MAX_DATA = 30_000_000
"""Characters of base64; more are not decoded."""

_COLUMNS = 100
_ROWS = 40
_HEAD = 256 * 1024
_POOL = ThreadPoolExecutor(1, thread_name_prefix="picture")
_AWAITED: set[Future[bytes]] = set()
_HOW_TO_SEE = "pictures need Pillow: pip install 'agentview[images]'"
_MATTE = (128, 128, 128)
"""Color behind transparent parts: neither dark nor light ink vanishes on it."""


class Picture:
    """Rows of half blocks, as many as the size of the image asks for."""

    def __init__(self, data: str, size: tuple[int, int], space: RenderContext) -> None:
        self._space = space
        self._columns, lines = _scaled(size, space.width)
        self._height = (lines + 1) // 2
        self._pixels = _decoding(data, self._columns, self._height * 2)

    @property
    def height(self) -> int:
        return self._height

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`; on a screen empty ones until the picture is decoded."""
        app = active_app.get(None)
        if not _can_decode():
            return [self._word("" if row else _HOW_TO_SEE) for row in range(start, stop)]
        rows = range(max(0, start), min(stop, self._height))
        if app is not None and not self._pixels.done():
            _await(self._pixels, app)
            return [self._word("" if row else "decoding the picture") for row in rows]
        pixels = self._pixels.result()
        if not pixels:
            return [self._word("" if row else "this image cannot be decoded") for row in rows]
        return [_strip(pixels, row, self._columns) for row in rows]

    def _word(self, text: str) -> Strip:
        return fit([(text, self._space.palette.dim)], self._space.width)


@cache
def _can_decode() -> bool:
    return find_spec("PIL") is not None


def decoding() -> bool:
    """True while rows are on the screen that a picture will take the place of: not to be kept."""
    return bool(_AWAITED)


def has_picture(block: ImageBlock, space: RenderContext) -> bool:
    """False where the log does not have the image, it is too large, or the terminal has no colour.

    Nothing is fetched: an image that is only referred to has no picture.
    """
    if not block.data or len(block.data) > MAX_DATA or not space.palette.colored:
        return False
    size = image_size(block.data)
    return size is not None and 0 < size[0] * size[1] <= MAX_PIXELS


def picture_of(block: ImageBlock, space: RenderContext) -> Picture:
    """The picture of an image that has one; decoding begins at once."""
    data = block.data or ""
    return Picture(data, image_size(data) or (1, 1), space)


@lru_cache(maxsize=64)
def image_size(data: str) -> tuple[int, int] | None:
    """Width and height in pixels as the head of a base64 image states them; None if it does not."""
    try:
        head = base64.b64decode(data[:_HEAD] + "=" * (-len(data[:_HEAD]) % 4))
    except (binascii.Error, ValueError):
        return None
    try:
        return _stated_size(head)
    except (struct.error, IndexError):
        return None


def _stated_size(head: bytes) -> tuple[int, int] | None:
    # PNG (RFC 2083), GIF89a, BMP and WebP (RFC 9649) have it at fixed places.
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return struct.unpack(">II", head[16:24])
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return struct.unpack("<HH", head[6:10])
    if head.startswith(b"BM"):
        width, height = struct.unpack("<ii", head[18:26])
        return width, abs(height)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp_size(head)
    return _jpeg_size(head) if head.startswith(b"\xff\xd8") else None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    if head[12:16] == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        return width, height
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", head[26:30])
    return width & 0x3FFF, height & 0x3FFF


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    """The size in the first frame header (ITU T.81 B.2.2)."""
    at = 2
    while at + 9 <= len(head):
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None


def _scaled(size: tuple[int, int], room: int) -> tuple[int, int]:
    """Columns, and lines of pixels, that an image is shown in; never larger than it is."""
    width, height = size
    share = min(1.0, min(room, _COLUMNS) / width, 2 * _ROWS / height)
    return max(1, round(width * share)), max(1, round(height * share))


@lru_cache(maxsize=8)
def _decoding(data: str, columns: int, lines: int) -> Future[bytes]:
    return _POOL.submit(_decoded, data, columns, lines)


def _decoded(data: str, columns: int, lines: int) -> bytes:
    """RGB bytes of the image at that size; empty when it cannot be decoded."""
    # Late: nobody who opens no image needs it.
    from PIL import Image

    try:
        raw = base64.b64decode(data)
        with Image.open(io.BytesIO(raw), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return b""
            image.draft("RGB", (columns * 2, lines * 2))
            shown: Any = image.convert("RGBA")
            shown = shown.resize((columns, lines), Image.Resampling.BOX, reducing_gap=2.0)
            matte = Image.new("RGBA", shown.size, (*_MATTE, 255))
            return Image.alpha_composite(matte, shown).convert("RGB").tobytes()
    # A decoder raises whatever it likes on broken data.
    except Exception:
        return b""


def _await(pixels: Future[bytes], app: App[Any]) -> None:
    """Have the screen drawn again when the pixels are there."""
    if pixels in _AWAITED:
        return
    _AWAITED.add(pixels)
    loop = asyncio.get_running_loop()

    def notify(done: Future[bytes]) -> None:
        try:
            loop.call_soon_threadsafe(_arrived, done, app)
        except RuntimeError:
            # The screen was closed meanwhile.
            _AWAITED.discard(done)

    pixels.add_done_callback(notify)


def _arrived(pixels: Future[bytes], app: App[Any]) -> None:
    _AWAITED.discard(pixels)
    for screen in app.screen_stack:
        for widget in screen.walk_children(Widget):
            widget.refresh()


def _strip(pixels: bytes, row: int, columns: int) -> Strip:
    segments: list[Segment] = []
    upper, lower = 2 * row * columns * 3, (2 * row + 1) * columns * 3
    for at in range(0, columns * 3, 3):
        style = _halves(pixels[upper + at : upper + at + 3], pixels[lower + at : lower + at + 3])
        segments.append(Segment("▀", style))
    return strip_of(segments, columns)


@lru_cache(maxsize=8_192)
def _halves(upper: bytes, lower: bytes) -> Style:
    return Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower))
