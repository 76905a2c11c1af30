"""Trees, content blocks, stacks and crops."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from textual.strip import Strip

from agentview.domain.blocks import ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.ui.render.blocks import blocks_body, media_body, parsed, text_of
from agentview.ui.render.json_tree import MAX_ITEMS, MAX_ROWS, json_tree
from agentview.ui.render.lines import Rows
from agentview.ui.render.stack import Cropped, Indented, Stack
from tests.ui.render.looks import PALETTE, SPACE, styled, texts, wide

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


def numbered(count: int) -> Rows:
    return Rows([[(str(number), PALETTE.text)] for number in range(count)], SPACE)


def test_a_tree_shows_members_by_indent() -> None:
    value: object = {
        "path": "a.py",
        "items": [1, {"a": None, "b": [True]}],
        "none": {},
        "text": "x\ny",
    }
    assert texts(json_tree(value, SPACE)) == [
        "path: a.py",
        "items 2 items",
        "  • 1",
        "  • a: null",
        "    b 1 item",
        "      • true",
        "none: no fields",
        "text",
        "  x",
        "  y",
    ]
    assert styled(json_tree(value, SPACE), "path") == PALETTE.accent


def test_what_is_long_is_shown_in_part_and_counted() -> None:
    rows = texts(json_tree(list(range(MAX_ITEMS + 7)), SPACE))
    assert rows[-1] == "… 7 more items"
    assert "more character" in texts(json_tree({"a": "x" * 9_000}, SPACE))[-1]
    large = json_tree({str(number): ["y" * 300] * 20 for number in range(200)}, SPACE)
    assert large.height == MAX_ROWS + 1
    assert texts(large)[-1] == "… the rest is in the raw view"


def test_a_deep_value_ends_where_it_cannot_be_seen() -> None:
    value: object = "end"
    for _ in range(5_000):
        value = [value]
    assert json_tree(value, SPACE).height < 60


@settings(max_examples=60, deadline=None)
@given(_JSON, st.integers(10, 90))
def test_a_tree_of_anything_fits(value: object, width: int) -> None:
    body = json_tree(value, wide(width))
    strips = body.strips(0, body.height)
    assert len(strips) == body.height > 0
    assert all(strip.cell_length <= width for strip in strips)


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
        "a: 1",
        "image  image/png  64×32  300 B",
        "resource  a  file:///a  text/plain",
        "inside",
        "• 1",
    ]
    assert media_body(blocks, SPACE).height == 3
    assert text_of(blocks) == 'plain \x1b[31mred\n{"a": 1}'


def test_only_lists_and_mappings_are_read_as_json() -> None:
    assert parsed("[1, 2]") == [1, 2]
    assert parsed("12") is None
    assert parsed("{broken") is None
    assert parsed("[" * 100_000) is None
    assert parsed("[" + " " * 300_000 + "]") is None


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
