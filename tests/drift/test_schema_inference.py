"""Shapes: their algebra, what they make of keys and lists, and their form."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.drift.schema_inference import (
    NOTHING,
    Shape,
    collapsed,
    fits,
    merge,
    merge_all,
    shape_of,
)
from agentview.drift.schema_json import from_form, in_words, to_form
from agentview.facts.accounting.map_keys import is_dynamic

NAMES = ("type", "id", "content", "a", "b", "x-y", "$set")
DATA = ("42", "src/a.py")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
TAGGED = st.sampled_from(["text", "tool_use", "two words"])


def _typed(tag: str, fields: dict[str, object]) -> dict[str, object]:
    return {**fields, "type": tag}


def json_values(keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Values whose objects have these keys, and lists of which some items say their type."""

    def inside(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        objects = st.dictionaries(st.sampled_from(keys), children, max_size=4)
        tagged = st.builds(_typed, TAGGED, objects)
        return st.lists(children | tagged, max_size=4) | objects

    return st.recursive(SCALARS, inside, max_leaves=12)


def shapes_of(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Shape]:
    return st.lists(values, max_size=3).map(lambda found: merge_all(*map(shape_of, found)))


VALUES = json_values((*NAMES, *DATA))
SHAPES = shapes_of(VALUES)


@pytest.mark.slow
@given(SHAPES, SHAPES)
def test_merging_is_commutative(one: Shape, other: Shape) -> None:
    assert merge(one, other) == merge(other, one)


@pytest.mark.slow
@given(SHAPES, SHAPES, SHAPES)
def test_merging_is_associative(one: Shape, two: Shape, three: Shape) -> None:
    assert merge(merge(one, two), three) == merge(one, merge(two, three))


@given(SHAPES)
def test_merging_with_itself_or_with_nothing_changes_nothing(shape: Shape) -> None:
    assert merge(shape, shape) == shape
    assert merge(shape, NOTHING) == merge(NOTHING, shape) == shape


@given(VALUES)
def test_a_value_fits_its_shape(value: object) -> None:
    assert fits(shape_of(value), value)


@pytest.mark.slow
@given(VALUES, VALUES)
def test_both_values_fit_what_was_merged(one: object, other: object) -> None:
    merged = merge(shape_of(one), shape_of(other))
    assert fits(merged, one)
    assert fits(merged, other)


@given(SHAPES)
def test_the_form_gives_the_shape_back(shape: Shape) -> None:
    if shape != NOTHING:
        assert from_form(json.loads(json.dumps(to_form(shape)))) == shape


@given(SHAPES)
def test_collapsing_twice_changes_nothing(shape: Shape) -> None:
    assert collapsed(collapsed(shape)) == collapsed(shape)


def test_the_form_does_not_depend_on_the_order_of_keys_and_items() -> None:
    one = shape_of({"b": 1, "a": [1, "x", {"type": "text"}, {"type": "image"}]})
    other = shape_of({"a": [{"type": "image"}, "x", {"type": "text"}, 1], "b": 2.5})
    assert json.dumps(to_form(one)) == json.dumps(to_form(other))


def test_values_do_not_matter() -> None:
    assert shape_of({"a": 1, "b": "x", "c": True}) == shape_of({"a": 2.5, "b": "", "c": False})


def test_text_that_is_json_stays_text() -> None:
    assert to_form(shape_of({"arguments": '{"a": 1}'})) == {"arguments": "string"}


def test_a_key_that_is_not_always_there_is_optional() -> None:
    shape = merge(shape_of({"a": 1}), shape_of({"a": 1, "b": None}))
    assert to_form(shape) == {"a": "number", "b?": "null"}
    assert fits(shape, {"a": 1})
    assert not fits(shape, {"b": None})


def test_items_that_say_their_type_are_told_apart() -> None:
    shape = shape_of([{"type": "text", "text": "x"}, {"type": "image", "data": "x"}, 1])
    assert to_form(shape) == [
        "number",
        {"<image>": {"data": "string", "type": "string"}},
        {"<text>": {"text": "string", "type": "string"}},
    ]


@pytest.mark.parametrize(
    "key",
    [
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "5755424c",
        "toolu_01AbCdEfGh",
        "call_0",
        "item_12",
        "src/main.py",
        "main.py",
        "C:\\src",
        "2026-11-21",
        "2026-11-21T00:08:35.123Z",
        ".gitignore",
        "localhost:8080",
        "mcp__tracker__create_issue",
        "01JXYZ8K3M4N5P6Q7R8S9T0VWX",
        "v1.2.3",
        "größe",
        "17",
        "gpt-5.1-mini",
        "claude-sonnet-4-5-20250929",
        "What is it?",
        "someone@example.org",
        "",
        "x" * 80,
    ],
)
def test_keys_that_are_data(key: str) -> None:
    assert is_dynamic(key)
    assert shape_of({key: 1}) == shape_of({"another/one": 2})


@pytest.mark.parametrize(
    "key",
    [
        "type", "tool_use_id", "toolUseResult", "$set", "_meta", "input_tokens", "cache_creation",
        "ephemeral_5m_input_tokens", "-A", "--max-count", "x-request", "isMeta", "sha256", "utf8",
        "gen_ai.system", "structuredPatch", "base64_data", "@type", "deadbeef",
    ],
)  # fmt: skip
def test_keys_that_are_names(key: str) -> None:
    assert to_form(shape_of({key: 1})) == {key: "number"}


def test_an_object_whose_many_keys_vary_and_are_alike_is_a_map() -> None:
    words = ["red", "green", "blue", "grey", "pink", "cyan", "teal"]
    shape = merge_all(*(shape_of({word: {"n": 1}}) for word in words))
    assert to_form(collapsed(shape)) == {"*": {"n": "number"}}
    unlike = merge(shape, shape_of({"black": 1}))
    assert to_form(collapsed(unlike)) != {"*": {"n": "number"}}


def test_names_beside_data_are_data_where_they_hold_the_like() -> None:
    shape = merge_all(
        shape_of({"src/a.py": {"n": 1}}), shape_of({"Makefile": {"n": 2}, "src/b.py": {"n": 1}})
    )
    assert to_form(collapsed(shape)) == {"*": {"n": "number"}}
    named = shape_of({"type": "x", "src/a.py": "y"})
    assert collapsed(named) == named


def test_an_object_of_many_keys_that_are_always_there_is_no_map() -> None:
    shape = shape_of({f"{letter}_tokens": 1 for letter in "abcdefghij"})
    assert collapsed(shape) == shape


def test_what_is_very_deep_ends_somewhere() -> None:
    value: object = 1
    for _ in range(5000):
        value = [value]
    assert "deep" in json.dumps(to_form(shape_of(value)))


def test_shapes_in_few_words() -> None:
    assert in_words(shape_of({"a": 1})) == "object"
    assert in_words(shape_of({"a/b": 1})) == "map"
    assert in_words(shape_of([])) == "list"
    assert in_words(merge(shape_of(None), shape_of(["x"]))) == "null | list<string>"
    assert in_words(NOTHING) == "nothing"


@pytest.mark.parametrize("form", [1, {"<text>": 1}, [True], {"*": None}])
def test_what_is_no_form_is_refused(form: object) -> None:
    with pytest.raises(ValueError, match="shape"):
        from_form(form)
