"""Images: their facts, their pictures, and what is refused."""

import base64
import html
import io
import re
import struct
import subprocess
import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PIL import Image
from rich.color import Color
from rich.style import Style
from textual.app import App, ComposeResult

from agentview.domain.content import ImageBlock
from agentview.domain.tool_results import ReadResult
from agentview.domain.tools import ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import Paint, RowLayout, widget_for
from agentview.ui.render.blocks import media_body
from agentview.ui.render.collapsible import Folds
from agentview.ui.render.image import Picture, decoding, has_picture, image_size, picture_of
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from tests.ui.activities import CALLS, activity
from tests.ui.render.looks import SPACE, texts, wide

_PNG = b"\x89PNG\r\n\x1a\n"


def encoded(size: tuple[int, int], form: str, color: str = "#204060") -> str:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, form)
    return base64.b64encode(out.getvalue()).decode()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def bomb(width: int, height: int) -> str:
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    data = zlib.compress(bytes((width + 7) // 8 + 1) * 64)
    return base64.b64encode(_PNG + chunk(b"IHDR", head) + chunk(b"IDAT", data)).decode()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_the_size_is_read_without_decoding(form: str) -> None:
    assert image_size(encoded((321, 123), form)) == (321, 123)


@given(st.binary(max_size=80), st.sampled_from([b"", _PNG, b"\xff\xd8", b"GIF89a", b"BM", b"RIFF"]))
def test_no_head_raises(data: bytes, begin: bytes) -> None:
    image_size(base64.b64encode(begin + data).decode())
    image_size((begin + data).decode("latin-1"))


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP"])
def test_an_image_unfolds_to_half_blocks_of_its_colours(form: str) -> None:
    block = ImageBlock(f"image/{form.lower()}", encoded((40, 20), form))
    folded = media_body((block,), SPACE)
    assert texts(folded)[0].startswith(f"▸ image  image/{form.lower()}  40×20  ")
    assert folded.height == 1
    opened = media_body((block,), replace(SPACE, folds=Folds(every=True)))
    strips = opened.strips(0, opened.height)
    assert opened.height == 11
    assert [strip.text for strip in strips[1:]] == ["▀" * 40] * 10
    style = next(iter(strips[5])).style
    assert style
    assert style.color
    assert style.bgcolor == style.color
    red, green, blue = style.color.triplet or (0, 0, 0)
    assert abs(red - 0x20) + abs(green - 0x40) + abs(blue - 0x60) < 12


def test_a_picture_keeps_its_shape_and_fits() -> None:
    data = encoded((1_000, 500), "PNG")
    picture = Picture(data, (1_000, 500), wide(60))
    assert picture.height == 15
    assert {strip.cell_length for strip in picture.strips(0, 15)} == {60}
    tall = Picture(encoded((100, 9_000), "PNG"), (100, 9_000), wide(60))
    assert tall.height == 40
    assert len(tall.strips(10, 20)) == 10


def test_transparent_parts_show_neither_black_nor_white() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(out, "PNG")
    picture = Picture(base64.b64encode(out.getvalue()).decode(), (4, 4), SPACE)
    style = next(iter(picture.strips(0, 1)[0])).style
    assert style
    assert style.color == Color.from_rgb(128, 128, 128)


def test_what_is_too_large_or_has_no_data_is_only_named() -> None:
    for block in (
        ImageBlock("image/png", bomb(100_000, 100_000)),
        ImageBlock("image/png", None, "https://example.org/a.png", 640, 480),
        ImageBlock("image/svg+xml", base64.b64encode(b"<svg/>").decode()),
    ):
        assert not has_picture(block, SPACE)
        body = media_body((block,), SPACE, opened=True)
        assert body.height == 1
        assert texts(body)[0].startswith("image  image/")
    assert not has_picture(
        ImageBlock("image/png", encoded((4, 4), "PNG")), RenderContext(80, PLAIN)
    )


def test_a_broken_image_says_so() -> None:
    whole = base64.b64decode(encoded((40, 20), "PNG"))
    for data in (whole[:40], whole[:30] + bytes(40)):
        picture = Picture(base64.b64encode(data).decode(), (40, 20), SPACE)
        assert texts(picture)[0] == "this image cannot be decoded"
        assert len(texts(picture)) == picture.height


def test_without_pillow_a_picture_says_how_to_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentview.ui.render.image._can_decode", lambda: False)
    block = ImageBlock("image/png", encoded((400, 400), "PNG"))
    picture = picture_of(block, SPACE)
    assert texts(picture)[0] == "pictures need Pillow: pip install 'agentview[images]'"
    assert len(texts(picture)) == picture.height


def test_pillow_is_imported_only_when_an_image_is_opened() -> None:
    program = (
        "import sys; from agentview.domain.content import ImageBlock\n"
        "from agentview.ui.render.blocks import media_body\n"
        "from agentview.ui.render.lazy_lines import RenderContext\n"
        "from tests.ui.render.looks import SPACE\n"
        f"block = ImageBlock('image/png', {encoded((4, 4), 'PNG')!r})\n"
        "body = media_body((block,), SPACE); body.strips(0, 9); print('PIL' in sys.modules)\n"
        "body = media_body((block,), SPACE, opened=True); body.strips(0, 9)\n"
        "print('PIL' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["False", "True"]


def painted(app: App[None]) -> list[str]:
    """The rows of the screen as they were last drawn."""
    shot = app.export_screenshot()
    return html.unescape(re.sub("<[^>]+>", "", shot)).replace("\xa0", " ").split("\n")


class Shown(App[None]):
    """One activity."""

    def __init__(self, shown: RowLayout) -> None:
        super().__init__()
        self.shown = shown

    def compose(self) -> ComposeResult:
        widget = widget_for(ToolKind.READ)()
        widget.styles.height = self.shown.height
        widget.bind(0, self.shown)
        yield widget


async def test_on_a_screen_a_picture_is_drawn_once_it_is_decoded() -> None:
    out = io.BytesIO()
    Image.effect_noise((2_000, 1_500), 60).save(out, "PNG")
    block = ImageBlock("image/png", base64.b64encode(out.getvalue()).decode())
    of = activity(replace(CALLS[ToolKind.READ], result=ReadResult(media=(block,))))
    shown = RowLayout(of, DetailLevel.FULL, SPACE)
    app = Shown(shown)
    async with app.run_test(size=(80, 45)) as pilot:
        frame: list[str] = []
        for _ in range(200):
            frame = painted(app)
            if any("▀▀▀▀" in row for row in frame):
                break
            assert any("decoding the picture" in row for row in frame)
            await pilot.pause(0.02)
        assert sum("▀▀▀▀" in row for row in frame) > 20
        assert not decoding()
        assert "▀▀▀▀" in shown.painted(5, 6, Paint(Style()))[0].text
