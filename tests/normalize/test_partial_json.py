"""The beginning of arguments tells what it says already."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.normalize.partial_json import begun, without_halves


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", None),
        ("[1", None),
        ("nonsense", None),
        ("{", {}),
        ('{"comm', {}),
        ('{"command"', {}),
        ('{"command":', {}),
        ('{"command": "ls', {"command": "ls"}),
        ('{"command": "ls -l\\', {"command": "ls -l"}),
        ('{"command": "ls \\\\', {"command": "ls \\"}),
        ('{"command": "caf\\u00e', {"command": "caf"}),
        ('{"command": "ls", ', {"command": "ls"}),
        ('{"command": "ls", "timeout": 12', {"command": "ls", "timeout": 12}),
        ('{"command": "ls", "background": tr', {"command": "ls"}),
        ('{"edits": [{"old": "a", "new": "b"}, {"ol', {"edits": [{"old": "a", "new": "b"}, {}]}),
        ('{"a": {"b": [1, 2', {"a": {"b": [1, 2]}}),
        ('{"a": "}], {"', {"a": "}], {"}),
        ('{"a": 1}', {"a": 1}),
        ('{"a": 1}, "b', {"a": 1}),
        ('{"a": 1}\n{"b": 2}\n', None),
    ],
)
def test_what_has_begun_is_told(text: str, says: object) -> None:
    assert begun(text) == says


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), values, max_size=4), st.booleans(), st.data())
def test_every_beginning_of_an_object_is_one(
    whole: dict[str, object], escaped: bool, data: st.DataObject
) -> None:
    text = json.dumps(whole, ensure_ascii=escaped)
    cut = data.draw(st.integers(1, len(text)))
    said = begun(text[:cut])

    assert said is not None
    assert list(said) == list(whole)[: len(said)]
    assert begun(text) == whole


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r'{"a":"x\ud83d","b":1}', {"a": "x\ufffd", "b": 1}),
        (r'{"a":"\ude00x","b":"\uD83D\uDE00"', {"a": "\ufffdx", "b": "\U0001f600"}),
        (r'{"a":"\\ud83d \ud83d', {"a": "\\ud83d \ufffd"}),
        (r'{"a":"\ud83d\ud', {"a": "\ufffd"}),
    ],
)
def test_half_a_surrogate_pair_hides_nothing(text: str, found: dict[str, object]):
    assert begun(text) == found
    assert len(without_halves(text)) == len(text)


@pytest.mark.parametrize("text", ['{"id":7,"items":' + "[" * 60_000, '{"id":7,"a":' * 20_000])
def test_what_is_nested_too_deep_hides_nothing_before_it_and_takes_no_memory(text: str):
    tracemalloc.start()
    assert (begun(text) or {}).get("id") == 7
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
