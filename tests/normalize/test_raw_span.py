"""The span of a value is exactly what a parser would read at that path."""

import json
import time
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.normalize.raw_span import value_span, value_text

Path = list[str | int]

_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=12)
)
_KEYS = st.one_of(st.sampled_from(["a", "input", "content", 'q"', "\\", "é", ""]), st.text())
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=12,
)


def _paths(value: object, path: Path) -> list[tuple[Path, object]]:
    found = [(path, value)]
    if isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            found += _paths(inner, [*path, key])
    elif isinstance(value, list):
        for index, inner in enumerate(cast("list[object]", value)):
            found += _paths(inner, [*path, index])
    return found


@pytest.mark.slow
@settings(max_examples=150)
@given(
    value=_VALUES,
    ascii_only=st.booleans(),
    indent=st.sampled_from([None, 1]),
    padding=st.sampled_from(["", " ", "\r\n\t"]),
)
def test_every_value_is_found(
    value: object, ascii_only: bool, indent: int | None, padding: str
) -> None:
    text = padding + json.dumps(value, ensure_ascii=ascii_only, indent=indent) + padding
    record = text.encode("utf-8", "surrogatepass")
    for path, expected in _paths(value, []):
        span = value_span(record, path)
        assert span is not None, path
        start, end = span
        assert json.loads(record[start:end].decode("utf-8", "surrogatepass")) == expected
        assert record[start:end] == record[start:end].strip()
        assert value_text(record, path) == record[start:end]
        assert value_text(record, [*path, "no such key"]) is None


@pytest.mark.slow
@settings(max_examples=150)
@given(value=_VALUES, cut=st.integers(0, 400), junk=st.binary(max_size=6))
def test_broken_records_never_raise(value: object, cut: int, junk: bytes) -> None:
    record = json.dumps(value).encode()
    for broken in (record[:cut], record[:cut] + junk + record[cut:], junk):
        for path, _ in _paths(value, []):
            span = value_span(broken, path)
            assert span is None or 0 <= span[0] <= span[1] <= len(broken)
            assert value_text(broken, path) == (broken[slice(*span)] if span else None)


@given(value=_VALUES, key=st.text(), index=st.integers(0, 9))
def test_what_is_not_there_is_none(value: object, key: str, index: int) -> None:
    record = json.dumps(value).encode()
    if not (isinstance(value, dict) and key in value):
        assert value_span(record, [key]) is None
    if not (isinstance(value, list) and index < len(cast("list[object]", value))):
        assert value_span(record, [index]) is None


@pytest.mark.parametrize(
    ("record", "path", "expected"),
    [
        (b'{"a":1,"a":2}', ["a"], b"2"),
        (b'{"a":1,"\\u0061":2}', ["a"], b"2"),
        (b'{"\\u0061":1,"a":2,"b":3}', ["a"], b"2"),
        (b'{"a":{"b":1},"a":{"b":2}}', ["a", "b"], b"2"),
        (b'{"a":{"b":1},"a":3}', ["a", "b"], None),
        (b'{"x":"\\"a\\":5","a":6}', ["a"], b"6"),
        (b'{"x":{"a":5},"a":6}', ["a"], b"6"),
        (b'{"a":6,"x":{"a":5}}', ["a"], b"6"),
        (b'{"s":"}]{[","a":[1, 2 ]}', ["a"], b"[1, 2 ]"),
        (b'{"a/b":1}', ["a/b"], b"1"),
        (b'{"a\\/b":1}', ["a/b"], b"1"),
        (b'{"\\ud83d":1}', ["\ud83d"], b"1"),
        (b'{"bad\xff":1,"a":2}', ["a"], b"2"),
        (b'\xef\xbb\xbf{"a":1}', ["a"], b"1"),
        (b'{"a": {"b" : 1 } }', ["a"], b'{"b" : 1 }'),
        (b'[[],{},"x"]', [2], b'"x"'),
        (b"[1,2,3]", [-1], None),
        (b"[]", [0], None),
        (b"{}", ["a"], None),
        (b'{"a":12', ["a"], None),
        (b'{"a":[1,2', ["a"], None),
        (b'{"a" 1}', ["a"], None),
        (b'{"a":}', ["a"], None),
        (b"", [], None),
        (b"7", [], b"7"),
    ],
)
def test_cases(record: bytes, path: Path, expected: bytes | None) -> None:
    span = value_span(record, path)
    assert (record[slice(*span)] if span else None) == expected
    assert value_text(record, path) == expected


def _seconds(record: bytes, path: Path) -> float:
    best = 9e9
    for _ in range(3):
        begin = time.process_time()
        value_span(record, path)
        best = min(best, time.process_time() - begin)
    return best


@pytest.mark.parametrize(
    ("unit", "path"),
    [
        (b'"\\u0061":1,', ["a"]),
        (b'"a":1,', ["a"]),
        (b'"b":[[[[', ["a"]),
        (b'"b":"\\"\\"\\"\\"",', ["a"]),
        (b'"b":{"a":1},', ["a"]),
        (b'"b', ["a"]),
    ],
)
def test_time_grows_with_the_size_and_not_faster(unit: bytes, path: Path) -> None:
    small = _seconds(b"{" + unit * 2_000 + b'"z":1}', path)
    large = _seconds(b"{" + unit * 32_000 + b'"z":1}', path)
    # 16 times the size: a quadratic search would take 256 times as long.
    assert large < max(small, 1e-4) * 80


def test_deep_nesting_needs_no_stack() -> None:
    record = b'{"a":' + b"[" * 200_000 + b"]" * 200_000 + b',"b":1}'
    assert value_span(record, ["b"]) == (len(record) - 2, len(record) - 1)
