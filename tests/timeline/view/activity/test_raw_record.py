import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.view.activity.raw_record import Token, json_lines, raw_records, written
from agentview.timeline.view.sanitize import clean
from tests.timeline.view.memory import MemorySession, shell

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@settings(max_examples=60)
@given(JSON)
def test_lines_are_the_same_value_and_printable(value: object) -> None:
    lines = [line.text for line in json_lines(value)]
    assert [clean(line) for line in lines] == lines
    expected = json.dumps(value, indent=2).count("\n") + 1
    assert len(lines) == expected


def test_lines_can_be_read_back() -> None:
    value = {"a": [1, -2.5, "x\ty\x1b[31m"], "b": {}, "c": [], "d": {"e": None, "f": True}}
    assert orjson.loads("\n".join(line.text for line in json_lines(value))) == value


def test_keys_that_nothing_read_are_marked_with_all_below_them() -> None:
    value = {"used": {"x": 1}, "a/b": {"deep": [1]}, "list": [{"k": 1}, {"k": 2}]}
    marked = [
        line.text.strip() for line in json_lines(value, ["/a~1b", "/list/1/k"]) if line.unused
    ]
    assert marked == ['"a/b": {', '"deep": [', "1", "]", "},", '"k": 2']


def test_what_reorders_or_hides_text_is_escaped() -> None:
    (line,) = json_lines("a\u202eb\u200bc\x7f\x9b\ud800")
    assert line.value == '"a\\u202eb\\u200bc\\u007f\\u009b\\ud800"'
    assert line.token is Token.STRING


def test_values_are_objects_of_what_is_known() -> None:
    class Fact(Value):
        kind: ToolKind
        missing: str | None = None
        some: tuple[int, ...] = (1,)

    text = "".join(line.text for line in json_lines(Fact(ToolKind.SHELL)))
    assert orjson.loads(text) == {"type": "Fact", "kind": "shell", "some": [1]}


@pytest.mark.slow
def test_depth_is_not_limited_by_the_interpreter() -> None:
    value: object = 1
    for _ in range(5_000):
        value = [value]
    assert len(json_lines(value)) == 10_001


@settings(max_examples=60)
@given(st.binary(max_size=300))
def test_bytes_as_text_take_no_more_cells_than_bytes(data: bytes) -> None:
    text = written(data)
    assert "\x1b" not in text
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in text)
    assert cell_len(text) <= len(data)


@pytest.mark.parametrize(
    ("data", "text"),
    [(b'{"a": 1}', '{"a": 1}'), (b"\x00\x1b\x7f", "␀␛␡"), (b"\xffok", "\ufffdok"), (b"", "")],
)
def test_bytes_are_shown_one_by_one(data: bytes, text: str) -> None:
    assert written(data) == text


def test_records_are_given_once_with_their_events() -> None:
    activity = MemorySession([shell("ls", "a")]).activity(0)
    (record,) = raw_records(activity)
    assert record.events == activity.events
