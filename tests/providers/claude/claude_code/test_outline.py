"""The outline of a record says what its events say, also of damaged and hostile records."""

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.index_entry import EventFact
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.providers.claude.claude_code import PROVIDER
from agentview.providers.claude.claude_code.outline import index_record
from agentview.store.index_entry import reduce_record
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


def decoded(record: bytes, ref: SessionRef) -> tuple[EventFact, ...]:
    events = PROVIDER.decode(record, SourceRef("x", 0, len(record)), ref)
    facts = reduce_record(0, 0, events, ref.stream).events
    # What a call is named and changes, an outline leaves out.
    return tuple(fact._replace(call=None) for fact in facts)


def same(record: bytes, ref: SessionRef = MAIN) -> bool:
    """Whether the record has an outline; what it says is compared."""
    found = index_record(ref)(record)
    assert found is None or found == decoded(record, ref)
    return found is not None


def test_most_records_have_an_outline():
    assert sum(map(same, RECORDS)) > 0.7 * len(RECORDS)


@pytest.mark.parametrize("ref", [MAIN, AGENT], ids=["main", "agent"])
def test_the_outline_is_that_of_the_events_in_any_stream(ref: SessionRef):
    for record in RECORDS:
        same(record, ref)


@pytest.mark.slow
@settings(max_examples=600)
@given(data=st.data())
def test_a_damaged_record_has_the_outline_of_its_events(data: st.DataObject):
    record = data.draw(st.sampled_from(RECORDS))
    at = data.draw(st.integers(0, len(record)))
    gone = data.draw(st.integers(0, 3))
    piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=2))
    same(record[:at] + piece + record[at + gone :])


@pytest.mark.parametrize(
    "skipped", [b'"\xff"', b'"\\ud83d"', b"1e999", b"[" * 1_100 + b"]" * 1_100]
)
def test_what_the_header_passes_over_does_no_harm(skipped: bytes):
    record = orjson.dumps({"type": "user", "uuid": "u", "message": {"content": "Go on."}})
    same(record[:-1] + b',"other":' + skipped + b"}")


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
        same(orjson.dumps(fields), ref)


def test_the_words_of_a_launch_count_only_where_its_structured_form_names_a_task():
    block = {"type": "tool_result", "tool_use_id": "t", "content": "Monitor started (task m1)."}
    for structured in ({"taskId": "m1"}, {"\taskId": "m1"}, None):
        message = {"role": "user", "content": [block]}
        record = {"type": "user", "uuid": "u", "message": message, "toolUseResult": structured}
        same(orjson.dumps(record))
