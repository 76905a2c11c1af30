"""A document is divided into records that lie in its bytes."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.normalize.json_document import items_in, outer_members, split_document


def records(data: bytes, *keys: str) -> list[bytes]:
    return [data[start:end] for start, end in split_document(data, keys)]


def test_what_is_around_the_items_are_records_too() -> None:
    data = b'{"id": 1, "messages": [ {"a": "]"}, 2 ,[3]], "end": {"x": 2}}\n'
    found = records(data, "history", "messages")

    assert found == [
        b'{"id": 1, "messages": [',
        b'{"a": "]"}',
        b"2",
        b"[3]",
        b'], "end": {"x": 2}}\n',
    ]
    assert outer_members(found[0]) == {"id": 1, "messages": []}
    assert outer_members(found[-1]) == {"end": {"x": 2}}
    assert [outer_members(item) for item in found[1:-1]] == [None, None, None]


def test_brackets_alone_are_no_record() -> None:
    assert records(b'[{"a": 1},\n {"a": 2}]\n') == [b'{"a": 1}', b'{"a": 2}']
    assert records(b'{"messages": []}', "messages") == [b'{"messages": [']
    assert records(b" [ ] ") == []


def test_a_document_without_items_is_one_record() -> None:
    assert records(b'{"messages": {"a": [1]}}', "messages") == [b'{"messages": {"a": [1]}}']


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(ValueError, match="truncated"):
        split_document(b'{"messages": [1, 2', ("messages",))


@pytest.mark.parametrize("opening", [b"[", b'{"messages":'])
def test_what_is_nested_too_deeply_is_refused(opening: bytes) -> None:
    with pytest.raises(ValueError, match=r"nested|truncated"):
        split_document(opening * 200_000, ("messages",))


def test_of_a_key_that_occurs_twice_the_last_counts() -> None:
    found = records(b'{"messages": [1], "messages": [2, [3]], "end": 0}', "messages")
    assert found[1:3] == [b"2", b"[3]"]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), 1 << 63) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=10,
)


@pytest.mark.slow
@given(st.lists(values), st.dictionaries(st.text(max_size=4), values), st.sampled_from([None, 2]))
def test_every_item_is_found_as_it_is_written(
    items: list[object], others: dict[str, object], indent: int | None
) -> None:
    whole = {**others, "messages": items, "after": 1}
    data = json.dumps(whole, indent=indent).encode()
    head, *found, tail = records(data, "messages")

    assert [json.loads(item) for item in found] == items
    members = {**(outer_members(head) or {}), **(outer_members(tail) or {})}
    assert members == {**whole, "messages": []}


def test_the_end_of_a_document_may_hold_anything():
    tail = b'x": 1}, {"type": [1], "a": {"type": "b", "n": 1}}, {"type": "b", "n": 2}, {"type": "b"'
    begins, types = re.compile(r'\{\s*"type"'), frozenset({"b"})
    assert [item["n"] for item in items_in(tail, begins, types)] == [1, 2]
