"""Keys are read when decoding looks at them, through copies and writers of JSON too."""

from collections.abc import Mapping
from typing import Any

import orjson
import pytest
from msgspec import Struct

from agentview.domain.content import JsonBlock
from agentview.domain.events import Event, Message, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.normalize import build
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, items, mapping, text
from agentview.normalize.json_values import changed, without
from agentview.normalize.tools.registry import FAMILIES
from agentview.providers._kit.typed_records import TypedBuilder, TypedLines
from agentview.providers._kit.typed_values import read_as
from agentview.providers._kit.undeclared_keys import undeclared_keys

TOOLS = {"Crane": FAMILIES["bash"], "List": FAMILIES["todo_update"]}


def answer(call: ToolCall, result: ToolResult) -> ToolCall:
    return build.attach_result(call, result, TOOLS.get(call.provider_name))


def unused(record: bytes, decode_record: Any = None) -> tuple[str, ...]:
    lines = TypedLines(Line, TypedBuilder[Line].of, decode_record or decode)
    source, session = SourceRef("x", 0, 0), SessionRef("x", "s", "x")
    return tuple(undeclared_keys(record, source, session, lines, TOOLS, answer))


class Line(Struct):
    """Others are read from the values."""

    id: object = None


def decode(record: TypedBuilder[Line]) -> list[Event]:
    fields = record.fields
    if "do" in fields:
        name = str(fields["do"])
        args: Any = fields.get("args")
        call = tool_call(call_id="1", name=name, arguments=args, spec=TOOLS.get(name))
        return [record.event("call", call)]
    if "got" in fields:
        return [record.event("result", ToolResult("1", True, structured=fields["got"]))]
    if "shown" in fields:
        return [record.event("shown", ToolResult("1", True, (JsonBlock(fields["shown"]),)))]
    copied = without(changed(fields, {"more": 1}), ("ask",))
    said = [text(mapping(each), "text") or "" for each in items(copied.get("say"))]
    written = as_text(copied.get("written")) or ""
    return [record.event("text", Message(f"{said} {written} {copied.get('repr')}"))]


@pytest.mark.parametrize(
    ("record", "pointers"),
    [
        (
            {"say": [{"text": "a", "x": 1}, {"x": 2, "y/z": 3}]},
            ["/say/0/x", "/say/1/x", "/say/1/y~1z"],
        ),
        ({"ask": {"a": 1}, "say": [], "id": 1}, ["/ask"]),
        ({"written": {"a": {"b": 1}}}, []),
        ({"repr": {"a": {"b": 1}}}, []),
        ({"do": "Crane", "args": {"command": "lift", "speed": 3}}, ["/args/speed"]),
        ({"do": "signal", "args": {"command": {"flag": 3}}}, []),
        ({"do": "mcp__a__b", "args": {"speed": 3}}, []),
        ({"got": {"exit_code": 1, "weather": "fine"}}, ["/got/weather"]),
        ({"shown": {"a": {"b": 1}}, "x": 1}, ["/x"]),
    ],
)
def test_keys_that_nothing_reads(record: Mapping[str, Any], pointers: list[str]):
    assert list(unused(orjson.dumps(record))) == pointers


class Tide(Struct):
    height: float | None = None
    named: list[Line | None] | None = None
    noted: object = None


@pytest.mark.parametrize("whole", [True, False])
def test_what_a_schema_does_not_declare_or_does_not_fit_is_not_read(whole: bool):
    def read(record: TypedBuilder[Line]) -> list[Event]:
        tide = record.read_as(Tide) if whole else read_as(record.fields.get("tide"), Tide)
        said = text(mapping(tide.noted), "said") or ""
        return [record.event("text", Message(said))]

    tide = {"height": "3", "named": [{"id": 1, "x": 2}, 7], "noted": {"said": "a", "y": 1}, "z": 1}
    pointers = ["/height", "/named/0/x", "/noted/y", "/z"]
    if whole:
        assert list(unused(orjson.dumps(tide), read)) == pointers
    else:
        found = list(unused(orjson.dumps({"tide": tide}), read))
        assert found == [f"/tide{each}" for each in pointers]


def test_a_result_is_read_as_its_call_in_the_same_record():
    def both(record: TypedBuilder[Line]) -> list[Event]:
        call = tool_call(call_id="1", name="View", arguments={}, spec=FAMILIES["glob"])
        return [
            record.event("call", call),
            record.event("result", ToolResult("1", True, structured=record.fields.get("got"))),
        ]

    record = orjson.dumps({"got": {"exit_code": 1}})
    assert unused(record, both) == ("/got/exit_code",)


@pytest.mark.parametrize("record", [b"", b"{", b"[{}]", b"1", b"\xff"])
def test_what_is_no_object_has_no_keys(record: bytes):
    assert unused(record) == ()


def test_a_record_that_cannot_be_decoded_has_no_marks():
    def fails(_: TypedBuilder[Line]) -> list[Event]:
        raise TypeError

    assert unused(b'{"a": 1}', fails) == ()
