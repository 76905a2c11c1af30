"""Differences of shapes: where they are, what they are called, and which of them matter."""

import pytest
from hypothesis import given

from agentview.drift.schema_diff import Difference, differences, moved
from agentview.drift.schema_inference import NOTHING, Shape, merge, shape_of
from tests.drift.test_schema_inference import NAMES, SHAPES, VALUES, json_values, shapes_of

PLAIN = shapes_of(json_values(NAMES))


def _lines(before: object, after: object) -> list[str]:
    return [str(change) for change in differences(shape_of(before), shape_of(after))]


@pytest.mark.slow
@given(SHAPES)
def test_nothing_differs_between_equal_shapes(shape: Shape) -> None:
    assert differences(shape, shape) == []


@given(VALUES, VALUES)
def test_seeing_less_of_what_may_be_never_matters(one: object, other: object) -> None:
    known = merge(shape_of(one), shape_of(other))
    assert not any(change.matters for change in differences(known, shape_of(one)))


@pytest.mark.slow
@given(PLAIN, PLAIN)
def test_shapes_that_differ_have_a_difference(one: Shape, other: Shape) -> None:
    if merge(one, other) != one and one != NOTHING:
        assert differences(one, other)


def test_a_type_that_changed_is_told_by_its_path() -> None:
    before = {"toolUseResult": {"structuredPatch": [{"lines": ["x"]}]}}
    after = {"toolUseResult": {"structuredPatch": [{"lines": {"x": 1}}]}}
    assert _lines(before, after) == [
        "~ toolUseResult.structuredPatch[].lines: list<string> → object"
    ]


def test_keys_that_are_new_or_gone() -> None:
    assert _lines({"a": {"b": 1}}, {"a": {"c": "x"}}) == ["- a.b: number", "+ a.c: string"]


def test_an_object_that_became_a_list() -> None:
    assert _lines({"r": {"ok": True}}, {"r": [{"ok": True}]}) == ["~ r: object → list<object>"]


def test_a_new_type_of_items_and_a_key_in_one() -> None:
    before = {"content": [{"type": "text", "text": "x"}]}
    after = {"content": [{"type": "text", "text": "x", "n": 1}, {"type": "image", "data": "x"}]}
    assert _lines(before, after) == [
        "+ content[image]: object {data, type}",
        "+ content[text].n: number",
    ]


def test_an_optional_key_that_did_not_occur_does_not_matter() -> None:
    known = merge(shape_of({"a": 1}), shape_of({"a": 1, "b": 2}))
    changes = differences(known, shape_of({"a": 1}))
    assert [(each.path, each.difference) for each in changes] == [("b", Difference.UNSEEN)]
    assert not changes[0].matters


def test_a_key_that_is_now_sometimes_missing_is_told_and_does_not_matter() -> None:
    now = merge(shape_of({"a": 1, "b": 2}), shape_of({"a": 1}))
    changes = differences(shape_of({"a": 1, "b": 2}), now)
    assert [str(each) for each in changes] == ["  b: number did not always occur"]
    assert not changes[0].matters


def test_what_is_a_name_here_and_data_there_is_no_difference() -> None:
    assert _lines({"by_file": {"readme": 1}}, {"by_file": {"src/a.py": 2}}) == []
    assert _lines({"by_file": {"src/a.py": 1}}, {"by_file": {"readme": 2}}) == []


def test_a_value_in_a_map_of_another_type_is_a_difference() -> None:
    assert _lines({"m": {"a/b": 1}}, {"m": {"c/d": "x"}}) == ["~ m.*: number → string"]


def test_what_moved_is_found_by_its_name_and_what_was_renamed_by_its_shape() -> None:
    before = shape_of({"a": {"path": "x", "n": 1}, "exit": 1})
    after = shape_of({"a": {"n": 1}, "path": "x", "status": 1})
    assert moved(differences(before, after)) == {"a.path": "path", "exit": "status"}


def test_two_places_that_something_may_have_moved_to_are_none() -> None:
    changes = differences(shape_of({"a": 1}), shape_of({"b": 1, "c": 2}))
    assert moved(changes) == {}
