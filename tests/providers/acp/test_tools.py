"""Kinds of the protocol with titles and input, and calls told in several records."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Notification,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tool_results import AskResult, ChangeResult, ShellResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers.acp import PROVIDER
from agentview.system.paths import sample_sessions_dir

REF = SessionRef("acp", "s", "log")

MATRIX: list[tuple[dict[str, Any], str, str]] = [
    ({"kind": "read", "title": "a.py"}, "read", "Read"),
    ({"kind": "edit", "rawInput": {"path": "a", "oldText": "x", "newText": "y"}}, "edit", "Edit"),
    ({"kind": "edit", "rawInput": {"path": "a", "content": "y"}}, "write", "Write"),
    ({"kind": "edit", "rawInput": {"path": "a", "edits": []}}, "edit", "MultiEdit"),
    ({"kind": "edit", "rawInput": {"changes": {"a": {}}}}, "edit", "Patch"),
    ({"kind": "edit", "content": [{"type": "diff", "path": "a", "oldText": None, "newText": "y"}]},
     "write", "Write"),
    ({"kind": "edit", "content": [{"type": "diff", "path": "a", "oldText": "x", "newText": "y"}]},
     "edit", "Edit"),
    ({"kind": "delete", "title": "rm a"}, "delete", "Delete"),
    ({"kind": "delete", "rawInput": {"changes": {"a": {"delete": {}}}}}, "edit", "Patch"),
    ({"kind": "move", "rawInput": {"from": "a", "to": "b"}}, "edit", "move"),
    ({"kind": "search", "title": "Search for 'x' in src"}, "grep", "Grep"),
    ({"kind": "search", "title": "Search for '*.py' in ."}, "glob", "Glob"),
    ({"kind": "search", "title": 'Searching the web for: "x"'}, "web_search", "WebSearch"),
    ({"kind": "search", "rawInput": {"information_request": "x"}}, "sem_search", "CodeSearch"),
    ({"kind": "execute", "title": "`ls`"}, "shell", "Bash"),
    ({"kind": "think", "title": "Pondering"}, "unknown", "Reasoning"),
    ({"kind": "think", "rawInput": {"todos": []}}, "todos", "TodoWrite"),
    ({"kind": "fetch", "rawInput": {"url": "http://a"}}, "web_fetch", "WebFetch"),
    ({"kind": "fetch", "rawInput": {"query": "a"}}, "web_search", "WebSearch"),
    ({"kind": "switch_mode", "title": "Enter plan mode"}, "plan", "EnterPlanMode"),
    ({"kind": "switch_mode", "rawInput": {"plan": "# x"}}, "plan", "ExitPlanMode"),
    ({"kind": "other", "title": "Do things"}, "unknown", "other"),
    ({"kind": "other", "title": "mcp__a__b"}, "mcp", "mcp__a__b"),
    ({"kind": "other", "rawInput": {"server": "a", "tool": "b"}}, "mcp", "mcp__a__b"),
    ({"kind": "execute", "title": "mcp.a.b"}, "mcp", "mcp__a__b"),
    ({"toolCallId": "google_web_search-1759500959642", "kind": "search"}, "web_search",
     "WebSearch"),
    ({"kind": "other", "title": "todowrite"}, "todos", "TodoWrite"),
    ({"kind": "think", "title": "task"}, "subagent_task", "Task"),
    ({"kind": "other", "_meta": {"an-agent": {"toolName": "Glob"}}}, "glob", "Glob"),
    ({"title": "ReadFile: pear.py"}, "read", "Read"),
    ({"title": "Remark: pear.py"}, "unknown", "Remark: pear.py"),
    ({"kind": "levitate", "title": "Up"}, "unknown", "levitate"),
]  # fmt: skip


def decode(message: Mapping[str, Any]) -> list[Event]:
    record = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return PROVIDER.decode(record, SourceRef("log", 0, len(record)), REF)


def update(**fields: Any) -> list[Event]:
    return decode({"method": "session/update", "params": {"sessionId": "s", "update": {**fields}}})


def call(**fields: Any) -> ToolCall:
    body = update(**{"sessionUpdate": "tool_call", "toolCallId": "c", **fields})[0].body
    assert isinstance(body, ToolCall)
    return body


def calls_of(name: str) -> dict[str, ToolCall]:
    """The calls of a sample, amended and joined with their results."""
    calls: dict[str, ToolCall] = {}
    for line in (sample_sessions_dir() / "acp" / f"{name}.jsonl").read_bytes().split(b"\n"):
        for event in PROVIDER.decode(line, SourceRef("log", 0, len(line)), REF) if line else ():
            body = event.body
            if isinstance(body, ToolCall):
                known = calls.get(body.call_id)
                calls[body.call_id] = (
                    body if known is None else PROVIDER.reading.merge_call(known, body)
                )
            elif isinstance(body, ToolResult):
                calls[body.call_id] = PROVIDER.reading.attach_result(calls[body.call_id], body)
    return calls


@pytest.mark.parametrize(("fields", "kind", "canonical"), MATRIX, ids=str)
def test_a_kind_with_title_and_input_says_what_a_tool_is(
    fields: dict[str, Any], kind: str, canonical: str
):
    made = call(**fields)
    assert (made.kind, made.canonical_name) == (ToolKind(kind), canonical)


def test_what_a_later_record_does_not_say_stays():
    diff = {"type": "diff", "path": "a", "oldText": "x", "newText": "y"}
    first = call(kind="edit", title="Edit a", content=[diff], status="pending")
    (later, result) = update(sessionUpdate="tool_call_update", toolCallId="c", status="completed")
    assert isinstance(later.body, ToolCall)
    assert isinstance(result.body, ToolResult)
    merged = PROVIDER.reading.merge_call(first, later.body)
    whole = PROVIDER.reading.attach_result(merged, result.body)
    assert whole.title == "Edit a"
    assert whole.kind is ToolKind.EDIT
    assert isinstance(whole.result, ChangeResult)
    assert whole.result.files[0].after == "y"
    assert whole.state is ToolState.OUTPUT_AVAILABLE


def test_chunks_of_content_are_added_and_terminals_are_commands():
    calls = calls_of("second_version")
    listed, made = calls["t1"].result, calls["terminal:term-1"].result
    assert isinstance(listed, ShellResult)
    assert listed.output == "README.md\nsrc\n"
    assert isinstance(made, ShellResult)
    assert (made.output, made.exit_code) == ("ok 1\nok 2\n", 0)


def test_who_refused_a_call_is_told_with_the_question_and_its_answer():
    calls = calls_of("client_log")
    asked = calls["rpc:agent:4"]
    assert asked.state is ToolState.OUTPUT_DENIED
    assert isinstance(asked.result, AskResult)
    assert asked.result.answers[0].answer == "Reject"
    assert calls["c2"].denial is not None
    assert calls["c2"].denial.by is DeniedBy.PERSON
    assert calls["rpc:agent:0"].denial is None
    output = calls["rpc:agent:2"].result
    assert isinstance(output, ShellResult)
    assert (output.output, output.exit_code) == ("1 failed\n", 1)


def test_a_request_and_an_answer_of_the_other_side_share_no_id():
    asked = decode({"id": 3, "method": "fs/read_text_file", "params": {"path": "a"}})[0].body
    assert isinstance(asked, ToolCall)
    assert asked.call_id == "rpc:agent:3"
    ended = decode({"id": 3, "result": {"stopReason": "end_turn"}})[0].body
    assert not isinstance(ended, ToolResult)


def test_input_that_is_shown_as_text_while_it_is_written_is_input():
    def said(words: str) -> list[dict[str, Any]]:
        return [{"type": "content", "content": {"type": "text", "text": words}}]

    told = [
        {"title": "Shell", "status": "in_progress", "content": said('{"comm')},
        {
            "title": "Shell: make fruit",
            "status": "in_progress",
            "content": said('{"command": "make fruit"}'),
        },
        {"title": "Shell: make fruit", "status": "completed", "content": said("one pear\n")},
    ]
    events = [
        event
        for number, each in enumerate(told)
        for event in update(
            sessionUpdate="tool_call_update" if number else "tool_call", toolCallId="c", **each
        )
    ]
    first, second, third, result = (event.body for event in events)
    assert isinstance(first, ToolCall)
    assert isinstance(second, ToolCall)
    assert isinstance(third, ToolCall)
    assert isinstance(result, ToolResult)
    known = PROVIDER.reading.merge_call(PROVIDER.reading.merge_call(first, second), third)
    assert known.kind is ToolKind.SHELL
    assert known.args == {"command": "make fruit"}
    ended = PROVIDER.reading.attach_result(known, result).result
    assert isinstance(ended, ShellResult)
    assert ended.output == "one pear\n"


def test_tokens_that_are_added_to_an_answer_are_counted_by_model():
    def counts(number: int) -> dict[str, int]:
        return {"input_tokens": number, "output_tokens": number + 1}

    quota: dict[str, Any] = {"token_count": counts(5)}
    quota["model_usage"] = [{"model": "pear-2", "token_count": counts(5)}, {"model": "fig"}]
    _, *events = decode({"id": 2, "result": {"stopReason": "end_turn", "_meta": {"quota": quota}}})
    (body,) = (event.body for event in events)
    assert isinstance(body, TokenUsage)
    assert (body.model, body.usage) == ("pear-2", Usage(input_uncached=5, output=6))


def test_the_model_that_used_tokens_is_the_only_one_that_is_named_beside_them():
    added = {"quota": {"model_usage": [{"model": "pear-2", "token_count": {"input_tokens": 3}}]}}
    counts = {"inputTokens": 3, "outputTokens": 4, "cachedReadTokens": 5, "totalTokens": 12}
    answer = {"stopReason": "end_turn", "usage": {**counts, "reasoningTokens": 1}, "_meta": added}
    _, event = decode({"id": 2, "result": answer})
    assert isinstance(event.body, TokenUsage)
    assert event.body.model == "pear-2"
    assert event.body.usage == Usage(input_uncached=3, input_cached=5, output=4, reasoning=1)
    (used,) = update(sessionUpdate="usage_update", used=9, _meta={"_pear/model": "pear-2"})
    assert used.facts is not None
    assert used.facts.model == "pear-2"


def test_what_a_terminal_puts_out_stays_when_a_later_update_only_names_the_terminal():
    shed = [{"type": "terminal", "terminalId": "c"}]
    told: list[dict[str, Any]] = [
        {"kind": "execute", "status": "pending", "content": shed},
        {"_meta": {"terminal_output": {"terminal_id": "c", "data": "a rake\n"}}},
        {"_meta": {"terminal_output": {"terminal_id": "c", "data": "a spade\n"}}},
        {
            "status": "failed",
            "content": shed,
            "_meta": {"terminal_exit": {"terminal_id": "c", "exit_code": 3, "signal": None}},
        },
    ]
    bodies = [
        event.body
        for number, each in enumerate(told)
        for event in update(
            sessionUpdate="tool_call_update" if number else "tool_call", toolCallId="c", **each
        )
    ]
    *made, result = bodies
    assert isinstance(result, ToolResult)
    known, *later = (body for body in made if isinstance(body, ToolCall))
    for each in later:
        known = PROVIDER.reading.merge_call(known, each)
    ended = PROVIDER.reading.attach_result(known, result).result
    assert isinstance(ended, ShellResult)
    assert (ended.output, ended.exit_code) == ("a rake\na spade\n", 3)


def test_what_an_agent_puts_in_for_its_model_is_no_prompt():
    def said(words: str, **added: Any) -> Event:
        told = {"content": {"type": "text", "text": words}, "_meta": added}
        (event,) = update(sessionUpdate="user_message_chunk", **told)
        return event

    prompt = said("Sweep the shed", modelId="pear-2")
    assert prompt.body == User("Sweep the shed")
    assert prompt.facts == Facts(model="pear-2")
    for event in (
        said("The broom is back", hideFromScrollback=True),
        said("<system-reminder>\nThe broom is back\n</system-reminder>"),
    ):
        assert isinstance(event.body, Attachment)
    (back,) = update(sessionUpdate="rewind_marker", target_prompt_index=1)
    assert isinstance(back.body, Notification)
    assert (back.body.topic, back.body.text) == (Topic.REWIND, "Went back to before prompt 2")


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"sessionUpdate": "subagent_spawned", "name": "Sweeper"}, "Agent began: Sweeper"),
        ({"sessionUpdate": "subagent_update", "title": "Sweeper"}, "Agent began: Sweeper"),
        ({"sessionUpdate": "subagent_state_update", "state": "failed"}, "Agent ended: failed"),
        (
            {"sessionUpdate": "subagent_update", "state": {"state": "idle", "stopReason": "x"}},
            "Agent ended: x",
        ),
        ({"sessionUpdate": "subagent_update", "state": {"state": "running"}}, None),
    ],
)
def test_agents_that_an_agent_started_are_told_of(told: dict[str, Any], words: str | None):
    (event,) = update(**told)
    said = event.body.text if isinstance(event.body, Notification) else None
    assert said == words


def test_options_name_the_model_and_the_mode_in_both_versions():
    provider = {"id": "provider", "category": "model", "currentValue": "orchard"}
    older = [provider, {"id": "model", "category": "model", "currentValue": "pear-2"}]
    newer = [{"configId": "model", "currentValue": "pear-2"}]
    for options in (older, newer):
        (event,) = update(sessionUpdate="config_option_update", configOptions=options)
        assert event.facts == Facts(model="pear-2")
