"""Values that do not fit what a format declares: the rest of the record is read."""

import json
from typing import Any

import pytest
from msgspec import Raw, Struct, field

from agentview.providers._kit.typed_records import value_of
from agentview.providers._kit.typed_values import FieldFault, fitting, read_as


class Inner(Struct):
    name: str | None = None
    count: int | None = None


class Outer(Struct):
    id: str | None = None
    inner: Inner | str | None = None
    listed: list[Inner | None] | None = None
    by_name: dict[str, int | None] | None = None
    any: object = None
    body: Raw = Raw()


def nested(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("key", ["undeclared", "inner", "listed", "id"])
def test_a_value_that_is_nested_deeply_hides_nothing_else(key: str) -> None:
    body = {"b": [1, {"c": None}]}
    value = {"any": {"a": 1}, "body": body, "by_name": {"x": "1", "y": 2}, key: nested(5000)}
    record, faults = fitting(value, Outer)
    assert (record.any, value_of(record.body), record.by_name) == (
        {"a": 1},
        body,
        {"x": None, "y": 2},
    )
    assert getattr(record, key, None) in (None, [None])
    places = {fault.pointer: fault.found for fault in faults}
    assert places.pop("/by_name/x") == "text"
    assert len(places) == (key != "undeclared")
    assert set(places.values()) <= {"list"}


def test_each_value_that_does_not_fit_is_named() -> None:
    value = json.loads(
        '{"id": 1, "inner": {"name": [], "count": 2, "more": 3}, "listed": [{"name": {}}, 7, null]}'
    )
    record, faults = fitting(value, Outer)
    assert record == Outer(inner=Inner(count=2), listed=[Inner(), None, None], body=record.body)
    assert set(faults) == {
        FieldFault("/id", "number"),
        FieldFault("/inner/name", "list"),
        FieldFault("/listed/0/name", "object"),
        FieldFault("/listed/1", "number"),
    }


@pytest.mark.parametrize("value", [None, "text", 7, [{"id": "1"}]])
def test_of_what_is_no_object_nothing_is_read(value: object) -> None:
    assert read_as(value, Outer) == Outer()


def test_a_value_is_read_without_what_does_not_fit() -> None:
    shown = [{"a": nested(5000)}]
    value: Any = {
        "id": "1",
        "inner": {"name": [], "count": 2},
        "listed": [7, {"count": 3}],
        "any": shown,
    }
    found = read_as(value, Outer)
    assert (found.id, found.inner, found.listed) == ("1", Inner(count=2), [None, Inner(count=3)])
    assert found.any is shown


class Strict(Struct):
    names: list[str] = field(default_factory=list[str])
    count: int = 0
    inner: Inner = field(default_factory=Inner)


def test_what_does_not_fit_is_left_out_where_null_does_not_fit_either() -> None:
    value: Any = {"names": ["a", 1, None, "b"], "count": "7", "inner": {"name": "x", "count": "1"}}
    record, faults = fitting(value, Strict)
    assert record == Strict(["a", "b"], 0, Inner("x"))
    assert {fault.pointer for fault in faults} == {"/names/1", "/count", "/inner/count"}
    many: Any = {"names": [*range(200)], "count": None, "inner": 7}
    assert fitting(many, Strict)[0] == Strict()
