"""Light events: what is known of a body that is not made, and what does not fit."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.events import Event, Hidden, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import ToolCall
from agentview.normalize.light_events import reduce_record
from agentview.providers.claude.claude_code import PROVIDER
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reading import decode_light
from tests.providers.light import light_of
from tests.providers.read_keys import unused_keys
from tests.samples import line_samples

RECORDS = [
    line.data
    for sample in line_samples()
    if sample.provider.name == PROVIDER.name
    for line in sample.lines()
    if line.data is not None
]
MAIN = SessionRef("claude_code", "s", "x")
AGENT = SessionRef("claude_code", "s", "x", Stream(StreamKind.SUBAGENT, "a1"), "p")
PIECES = (
    b'"',
    b"\\",
    b"\xff",
    b"\\ud83d",
    b"{",
    b"}",
    b",",
    b":",
    b"0",
    b"1e999",
    b"null",
    b"\x00",
)


def decoded(record: bytes, ref: SessionRef = MAIN) -> list[Event]:
    return PROVIDER.decode(record, SourceRef("x", 0, len(record)), ref)


def is_known(record: bytes, ref: SessionRef = MAIN) -> bool:
    """Whether no body has to be made to index the record; what is known of bodies is compared."""
    return all(light_of(PROVIDER, record, ref))


def test_most_records_are_indexed_without_a_body():
    assert sum(map(is_known, RECORDS)) > 0.6 * len(RECORDS)


@pytest.mark.parametrize("ref", [MAIN, AGENT], ids=["main", "agent"])
def test_what_is_known_of_a_body_is_so_in_any_stream(ref: SessionRef):
    for record in RECORDS:
        is_known(record, ref)


def test_indexing_makes_no_body():
    made: list[str] = []

    def note(*_: object) -> Hidden:
        made.append("")
        return Hidden("", "")

    for record in RECORDS:
        line = Line(0, len(record), record)
        light = [each for each in decode_light(PROVIDER, MAIN, line) if each.make is not None]
        for each in light:
            each.make = note
        facts = reduce_record(0, len(record), light, calls=False)
        assert all(each.origin is None and not each.args for each in facts.events)
    assert not made


@pytest.mark.slow
@settings(max_examples=600)
@given(data=st.data())
def test_what_is_known_of_a_damaged_record_is_so(data: st.DataObject):
    record = data.draw(st.sampled_from(RECORDS))
    at = data.draw(st.integers(0, len(record)))
    gone = data.draw(st.integers(0, 3))
    piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=2))
    is_known(record[:at] + piece + record[at + gone :])


@pytest.mark.parametrize(
    "skipped", [b'"\xff"', b'"\\ud83d"', b"1e999", b"[" * 1_100 + b"]" * 1_100]
)
def test_what_is_not_declared_does_no_harm(skipped: bytes):
    record = orjson.dumps({"type": "user", "uuid": "u", "message": {"content": "Go on."}})
    is_known(record[:-1] + b',"other":' + skipped + b"}")


RARE: list[dict[str, Any]] = [
    {"type": "assistant", "message": {"id": "m", "content": "Done.", "usage": {}}},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": " "}]}, "uuid": "u"},
    {"type": "assistant", "message": {"id": "m", "content": [{"type": "redacted_thinking"}]}},
    {"type": "assistant", "message": {"id": "m", "content": [{"type": "text"}], "usage": {
        "input_tokens": 2**63, "cache_creation": {"a": 3, "b": 4}}}},
    {"type": "assistant", "message": {"id": "m", "content": [{"type": "tool_use", "id": "c",
        "name": "AskUserQuestion", "input": {}}]}},
    {"type": "user", "message": {"content": [{"type": "text", "text": "a"},
        {"type": "text", "text": "b"}]}, "isSidechain": True, "agentId": "a2"},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "c"}]},
        "toolUseResult": {"agentId": "a1", "is_error": True}},
    {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "c",
        "is_error": True}, {"type": "tool_result", "tool_use_id": "d"}]}},
    {"type": "progress", "data": {"type": "mcp_progress"}, "toolUseID": "c"},
    {"type": "attachment", "attachment": {"type": "hook_success", "stdout": "said"}},
    {"type": "attachment", "attachment": {"type": "hook_success", "content": "{}\n"}},
    {"type": "attachment", "attachment": {"type": "file", "content": {"file": 3}}},
    {"type": "system", "subtype": "informational", "level": "error", "toolUseID": "c"},
    {"type": "system", "subtype": "stop_hook_summary", "stopReason": "because"},
    {"type": "cost-state", "totalCostUSD": 3},
    {"type": "cost-state", "totalCostUSD": 3, "hasUnknownModelCost": True},
    {"type": "cost-state", "totalCostUSD": 3, "hasUnknownModelCost": 1},
    {"type": "cost-state", "totalCostUSD": True},
    {"type": "mode", "mode": ""},
    {"type": "custom-title", "customTitle": "T", "leafUuid": "l", "uuid": "with blanks"},
    {"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-01-01T00:00:00Z"},
]  # fmt: skip


@pytest.mark.parametrize("fields", RARE)
def test_rare_forms(fields: dict[str, object]):
    for ref in (MAIN, AGENT):
        is_known(orjson.dumps(fields), ref)


def test_the_words_of_a_launch_count_only_where_its_structured_form_names_a_task():
    block = {"type": "tool_result", "tool_use_id": "t", "content": "Monitor started (task m1)."}
    for structured in ({"taskId": "m1"}, {"\taskId": "m1"}, None):
        message = {"role": "user", "content": [block]}
        record = {"type": "user", "uuid": "u", "message": message, "toolUseResult": structured}
        is_known(orjson.dumps(record))


CALL: dict[str, Any] = {
    "type": "assistant",
    "uuid": "u",
    "cwd": "/home/alice",
    "message": {
        "id": "m",
        "model": "claude-x",
        "content": [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}],
        "usage": {"input_tokens": 3, "cache_creation": {"ephemeral_1h_input_tokens": 2}},
    },
}
PLACES: list[tuple[list[Any], object, str]] = [
    (["cwd"], 5, "/cwd"),
    (["isSidechain"], "yes", "/isSidechain"),
    (["message", "usage", "input_tokens"], [1], "/message/usage/input_tokens"),
    (
        ["message", "usage", "cache_creation", "a/b"],
        {"c": 1},
        "/message/usage/cache_creation/a~1b",
    ),
    (["message", "content", 0, "server_name"], 1.5, "/message/content/0/server_name"),
    (["message", "stop_reason"], {"why": "x"}, "/message/stop_reason"),
]


@pytest.mark.parametrize(("path", "value", "pointer"), PLACES, ids=[each[2] for each in PLACES])
def test_a_value_that_does_not_fit_is_set_aside_and_shown(
    path: list[Any], value: object, pointer: str
):
    record = orjson.loads(orjson.dumps(CALL))
    holder = record
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    whole = decoded(orjson.dumps(CALL))
    events = decoded(orjson.dumps(record))
    assert [event.suffix for event in events] == [event.suffix for event in whole]
    assert events[0].body == whole[0].body
    assert isinstance(events[0].body, ToolCall)
    assert pointer in unused_keys("claude_code", record)
    assert pointer not in unused_keys("claude_code", CALL)


def test_the_arguments_of_a_mended_record_are_as_they_are_written():
    raw = orjson.dumps({**CALL, "cwd": 5}).replace(b'{"command":"ls"}', b'{ "command" : "ls" }')
    (call, *_) = decoded(raw)
    assert isinstance(call.body, ToolCall)
    assert call.body.args_json == '{ "command" : "ls" }'


def test_a_body_that_cannot_be_made_is_unparsed():
    def fail() -> Hidden:
        raise KeyError("x")

    record = orjson.dumps(CALL)
    (call, *_) = decode_light(PROVIDER, MAIN, Line(0, len(record), record))
    call.make, call.args = fail, ()
    assert isinstance(call.event().body, Unparsed)
    assert call.event() is call.event()


def test_an_event_that_is_joined_is_not_made_any_more():
    record = orjson.dumps(CALL)
    light = decode_light(PROVIDER, MAIN, Line(0, len(record), record))
    (call, *_) = reduce_record(0, len(record), light).events
    with pytest.raises(ValueError, match="read again"):
        call.event()
