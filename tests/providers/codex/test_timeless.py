"""Logs that say less than the client writes: records without times, and half of what they tell."""

import json
from pathlib import Path

from agentview.domain.content import JsonBlock
from agentview.domain.events import Message, ToolResult, User
from agentview.domain.usage import Usage
from agentview.providers.codex.probing import probe_head
from tests.providers.codex.log import THREAD, Record, bodies, called, item, joined, report, said
from tests.providers.joined_log import calls, shown, texts, write


def test_without_times_what_records_say_makes_them_one(tmp_path: Path):
    records = [
        {"type": "session_meta", "payload": {"id": THREAD, "cwd": "/w"}},
        said("user", "Sort the list"),
        report(type="user_message", message="Sort the list"),
        report(type="agent_message", message="Done"),
        said("assistant", "Done"),
    ]
    for record in records:
        record.pop("timestamp", None)
    path = write(tmp_path / "log.jsonl", records)
    assert probe_head(path.read_bytes()) > 0
    for backward in (False, True):
        store = joined(path, backward=backward)
        assert [type(activity.body) for activity in shown(store)] == [User, Message]
        assert texts(store) == ["Sort the list", "Done"]


def test_a_record_may_have_its_time_inside(tmp_path: Path):
    inside = said("user", "Go on", at=None, timestamp="2026-03-02T10:00:01Z")
    (prompt,) = shown(joined(write(tmp_path / "log.jsonl", [inside])))
    assert prompt.started == 1772445601.0


def test_bare_items_without_times_are_each_their_own(tmp_path: Path):
    messages = [said("user", "Go on")["payload"], said("user", "Go on")["payload"]]
    assert texts(joined(write(tmp_path / "log.jsonl", messages))) == ["Go on", "Go on"]


def test_a_response_is_counted_without_totals(tmp_path: Path):
    info = {"last_token_usage": {"input_tokens": 70, "output_tokens": 5}}
    counted = report(type="token_count", info=info)
    usage = joined(write(tmp_path / "log.jsonl", [counted, counted])).summary.usage
    assert usage == Usage(input_uncached=140, output=10)


def test_totals_count_alone_where_nothing_is_told_of_the_response(tmp_path: Path):
    total = {"input_tokens": 70, "cached_input_tokens": 20, "output_tokens": 5}
    told = report(type="token_count", info={"total_token_usage": total, "last_token_usage": {}})
    empty = {"total_token_usage": total, "last_token_usage": {"total_tokens": 0}}
    bare = report(type="token_count", info={"total_token_usage": {"total_tokens": 75}})
    for records in ([told], [report(type="token_count", info=empty)], [told, bare]):
        usage = joined(write(tmp_path / "log.jsonl", records)).summary.usage
        assert usage == Usage(input_uncached=50, input_cached=20, output=5)


def test_a_report_may_have_its_text_as_content(tmp_path: Path):
    records = [
        report(type="user_message", content="Sort the list"),
        report(type="agent_message", content=[{"type": "text", "text": "Done"}]),
    ]
    assert texts(joined(write(tmp_path / "log.jsonl", records))) == ["Sort the list", "Done"]


def test_the_tokens_of_a_response_may_stand_by_themselves(tmp_path: Path):
    counted = report(type="token_count", input_tokens=70, cached_input_tokens=20, output_tokens=5)
    usage = joined(write(tmp_path / "log.jsonl", [counted, counted])).summary.usage
    assert usage == Usage(input_uncached=100, input_cached=40, output=10)


def test_the_end_of_a_servers_call_may_name_neither_server_nor_tool(tmp_path: Path):
    call = called("find", {"q": 1})
    end = report(type="mcp_tool_call_end", call_id="call_1", result={"Ok": {"content": []}})
    assert [type(body) for body in bodies(end)] == [ToolResult]
    found = calls(joined(write(tmp_path / "log.jsonl", [call, end])))["call_1"]
    assert (found.provider_name, found.ok) == ("find", True)


def test_what_a_server_answers_may_have_no_content(tmp_path: Path):
    invocation: Record = {"server": "docs", "tool": "find", "arguments": {}}
    answer = {"structuredContent": {"hits": 2}}
    results: dict[str, Record] = {"a": {"Ok": answer}, "b": {"content": [], "is_error": True}}
    records = [
        report(type="mcp_tool_call_end", call_id=name, invocation=invocation, result=result)
        for name, result in results.items()
    ]
    found = calls(joined(write(tmp_path / "log.jsonl", records)))
    assert found["a"].output == (JsonBlock({"hits": 2}),)
    assert [call.ok for call in found.values()] == [True, False]


def test_an_item_of_another_kind_is_not_claimed():
    assert probe_head(json.dumps({"type": "response_item", "payload": {"x": 1}}).encode()) == 0
    assert probe_head(json.dumps(item(type="message", role="user")).encode()) > 0.5
