"""Trees, content blocks, stacks and crops."""

import json

from textual.strip import Strip

from agentview.domain.content import ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.ui.render.blocks import blocks_body, media_body, text_of
from agentview.ui.render.containers import Cropped, Indented, Stack
from agentview.ui.render.text_lines import Rows
from tests.ui.render.looks import PALETTE, SPACE, texts


def numbered(count: int) -> Rows:
    return Rows([[(str(number), PALETTE.text)] for number in range(count)], SPACE)


def test_blocks_are_what_they_are() -> None:
    blocks = (
        TextBlock("plain \x1b[31mred"),
        TextBlock(json.dumps({"a": 1})),
        ImageBlock("image/png", "A" * 400, None, 64, 32),
        ResourceBlock("file:///a", "a", "text/plain", "inside"),
        JsonBlock([1]),
    )
    assert texts(blocks_body(blocks, SPACE)) == [
        "plain red",
        "  a: 1",
        "image  image/png  64×32  300 B",
        "resource  a  file:///a  text/plain",
        "inside",
        "▸ [ 1 item ]  1",
    ]
    assert texts(media_body(blocks, SPACE))[-1] == "▸ content block  of no type"
    assert media_body(blocks, SPACE).height == 4
    assert text_of(blocks) == 'plain \x1b[31mred\n{"a": 1}'


def test_a_stack_asks_only_the_bodies_in_view() -> None:
    asked: list[str] = []

    class Watched(Rows):
        def __init__(self, name: str, count: int) -> None:
            super().__init__([[(name, PALETTE.text)]] * count, SPACE)
            self.name = name

        def strips(self, start: int, stop: int) -> list[Strip]:
            asked.append(self.name)
            return super().strips(start, stop)

    stack = Stack([Watched("a", 3), Watched("b", 0), Watched("c", 3), Watched("d", 3)])
    assert stack.height == 9
    assert [strip.text for strip in stack.strips(2, 5)] == ["a", "c", "c"]
    assert asked == ["a", "c"]


def test_a_crop_says_how_much_more_there_is() -> None:
    assert texts(Cropped(numbered(10), 3, "lines", SPACE)) == ["0", "1", "2", "… 7 more lines"]
    assert texts(Cropped(numbered(3), 3, "lines", SPACE)) == ["0", "1", "2"]
    assert texts(Cropped(numbered(4), 3, "lines", SPACE)) == ["0", "1", "2", "3"]
    assert texts(Cropped(numbered(2), 3, "files", SPACE, total=3)) == ["0", "1", "… 1 more file"]
    middle = Cropped(numbered(10), 4, "lines", SPACE, tail=3)
    assert texts(middle) == ["0", "… 6 more lines", "7", "8", "9"]
    for start in range(6):
        for stop in range(start, 7):
            part = [strip.text for strip in middle.strips(start, stop)]
            assert part == texts(middle)[start:stop]


def test_an_indent_may_differ_in_the_first_row() -> None:
    body = Indented(numbered(2), [("  ", PALETTE.dim)], [("- ", PALETTE.dim)])
    assert texts(body) == ["- 0", "  1"]
    assert [strip.text for strip in body.strips(1, 2)] == ["  1"]
