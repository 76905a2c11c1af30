"""JSON as a tree: what begins open, what folds, what is drawn, what it costs."""

import json
import time

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agentview.timeline.view.activity.activity_text import body_texts
from agentview.ui.render.collapsible import Folds, fold_at
from agentview.ui.render.json_tree import MAX_SIZE, json_tree, parsed
from agentview.ui.render.lazy_lines import LazyLines
from agentview.ui.render.style.highlight_matches import mark_found
from agentview.ui.render.style.query_pattern import found_pattern
from tests.ui.activities import CALLS
from tests.ui.hostile import CONTROL, HOSTILE
from tests.ui.render.looks import PALETTE, SPACE, styled, texts, wide

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(HOSTILE),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)
VALUE: object = {
    "path": "a.py",
    "items": [1, {"a": None, "b": [True]}],
    "none": {},
    "text": "x\ny",
    "number": "12",
    "held": json.dumps({"inside": [1, 2]}),
}


def tree(value: object, *toggled: str, every: bool | None = None, width: int = 80) -> LazyLines:
    return json_tree(value, replace(wide(width), folds=Folds(every, frozenset(toggled))))


def test_members_stand_below_one_another_by_indent() -> None:
    assert texts(tree(VALUE)) == [
        "  path: a.py",
        "▾ items: [ 2 items ]",
        "    0 1",
        "  ▾ 1 { 2 fields }",
        "      a: null",
        "    ▸ b: [ 1 item ]  true",
        "  none: {}",
        "▾ text:",
        "  x",
        "  y",
        '  number: "12"',
        "▸ held: text of JSON { 1 field }  inside: [ 1, 2 ]",
    ]


def test_types_are_told_by_colour() -> None:
    body = tree({"a": 1, "b": "one", "c": None, "d": True, "e": []})
    assert styled(body, "a") == PALETTE.accent
    assert styled(body, "1") == PALETTE.number
    assert styled(body, "one") == PALETTE.string
    assert styled(body, "null") == styled(body, "true") == PALETTE.literal
    assert styled(body, "[]") == PALETTE.dim


def test_every_row_that_folds_says_so_and_folds() -> None:
    body = tree(VALUE)
    keys = [fold_at(body, row) for row in range(body.height)]
    signs = [line.lstrip()[:1] in "▸▾" for line in texts(body)]
    assert [key is not None for key in keys] == signs
    opened = [key for key in keys if key is not None]
    assert len(set(opened)) == len(opened)
    for key, line in zip(keys, texts(body), strict=True):
        if key is not None:
            turned = texts(tree(VALUE, key))
            place = texts(body).index(line)
            assert turned[:place] == texts(body)[:place]
            assert turned[place].lstrip()[0] != line.lstrip()[0]
    assert fold_at(body, -1) is fold_at(body, body.height) is None


def test_a_folded_part_says_what_is_in_it() -> None:
    assert texts(tree(VALUE, every=False)) == [
        "  path: a.py",
        "▸ items: [ 2 items ]  1, { 2 fields }",
        "  none: {}",
        "▸ text: x y …  3 characters",
        '  number: "12"',
        "▸ held: text of JSON { 1 field }  inside: [ 1, 2 ]",
    ]


def test_json_in_a_text_opens_as_a_tree() -> None:
    opened = texts(tree(VALUE, "json/5", "json/5/0"))
    assert opened[-4:] == [
        "▾ held: text of JSON { 1 field }",
        "  ▾ inside: [ 2 items ]",
        "      0 1",
        "      1 2",
    ]


def test_a_text_too_long_to_begin_open_is_cut_with_its_length() -> None:
    value = {"a": "x" * 100_000}
    (row,) = texts(tree(value))
    assert row.startswith("▸ a: xxxx")
    assert row.endswith("…  100,000 characters")
    assert tree(value, "json/0").height > 1_000


def test_text_of_one_line_is_wrapped_beside_its_key() -> None:
    rows = texts(tree({"title": "one two three four five six seven"}, width=30))
    assert rows == ["▾ title: one two three four", "         five six seven"]


def test_a_list_alone_has_a_row_of_its_own() -> None:
    assert texts(tree([{"a": 1}])) == ["▾ [ 1 item ]", "  ▾ 0 { 1 field }", "      a: 1"]
    assert texts(tree([])) == ["  []"]
    assert texts(tree({})) == ["  {}"]
    assert texts(tree("alone")) == ["  alone"]


@pytest.mark.slow
def test_a_million_members_are_counted_and_only_those_in_view_drawn() -> None:
    value = [{"id": number} for number in range(9_000)]
    body = tree({"rows": value, "last": list(range(1_000_000))})
    assert body.height > 9_000
    assert texts(body)[-1].startswith("▸ last: [ 1,000,000 items ]  0, 1")
    opened = tree({"rows": value, "last": list(range(1_000_000))}, "json/1")
    assert opened.height > 1_009_000
    (strip,) = opened.strips(opened.height - 1, opened.height)
    assert strip.text == "    999999 999999"


@pytest.mark.slow
def test_a_part_behind_those_that_begin_open_opens() -> None:
    value = {"rows": [{"id": number, "tags": {"a": number}} for number in range(9_000)]}
    folded = tree(value)
    assert texts(folded)[-1] == "  ▸ 8999 { 2 fields }  id: 8999, tags: { 1 field }"
    key = fold_at(folded, folded.height - 1)
    assert key == "json/0/8999"
    opened = tree(value, key, f"{key}/1")
    assert texts(opened)[-4:] == [
        "  ▾ 8999 { 2 fields }",
        "      id: 8999",
        "    ▾ tags: { 1 field }",
        "        a: 8999",
    ]


def test_opening_everything_is_bounded() -> None:
    value = [[[number] * 3] * 20 for number in range(9_000)]
    assert tree(value, every=True).height < 20_000


def test_ten_megabytes_are_laid_out_in_small_steps() -> None:
    row = {"name": "n" * 40, "tags": ["a", "b"], "score": 0.5, "text": "some words " * 12}
    value = parsed(orjson.dumps([row] * 40_000).decode())
    spent: list[float] = []
    for _ in range(3):
        began = time.process_time()
        body = tree(value)
        body.strips(body.height // 2, body.height // 2 + 50)
        spent.append(time.process_time() - began)
    parsing = time.process_time()
    orjson.loads(orjson.dumps(value))
    assert min(spent) < time.process_time() - parsing


def test_a_deep_value_ends_where_it_cannot_be_seen() -> None:
    value: object = "end"
    for _ in range(5_000):
        value = [value]
    body = tree(value, every=True)
    assert body.height < 80
    assert fold_at(body, body.height - 1) is None


@settings(max_examples=60)
@given(_JSON, st.integers(1, 90), st.sampled_from([None, True, False]))
def test_a_tree_of_anything_fits_and_any_part_is_a_part_of_all(
    value: object, width: int, every: bool | None
) -> None:
    body = tree(value, every=every, width=width)
    strips = body.strips(0, body.height)
    assert len(strips) == body.height > 0
    assert all(strip.cell_length <= width for strip in strips)
    assert all(sum(s.cell_length for s in strip) == strip.cell_length for strip in strips)
    assert not any(CONTROL.search(strip.text) for strip in strips)
    for start in range(0, body.height, 3):
        assert body.strips(start, start + 4) == strips[start : start + 4]


def test_only_lists_and_mappings_are_read_as_json() -> None:
    assert parsed("[1, 2]") == [1, 2]
    assert parsed("12") is None
    assert parsed("{broken}") is None
    assert parsed("[" * 100_000 + "]") is None
    assert parsed("[" + " " * MAX_SIZE + "]") is None
    assert parsed('["\ud83d"]') is None


@pytest.mark.parametrize("query", ["labels", "flaky retry"])
def test_a_search_finds_keys_and_values_and_marks_them(query: str) -> None:
    call = next(call for call in CALLS.values() if call.args and "labels" in call.args)
    assert any(query in text for text in body_texts(call))
    pattern = found_pattern(f'"{query}"')
    assert pattern is not None
    body = json_tree(call.args, SPACE)
    marked = [mark_found(strip, pattern, PALETTE.match, 0, 80) for strip in body.strips(0, 9)]
    found = [seg.text for strip in marked for seg in strip if seg.style and seg.style.bgcolor]
    assert "".join(found) == query
