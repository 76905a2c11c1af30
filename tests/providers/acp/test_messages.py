"""Messages that only some clients send or log."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Compaction, Message, Reasoning
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import AskPayload
from agentview.domain.tool_results import AskAnswer, AskResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers import load_provider, recognise
from agentview.providers.acp import PROVIDER, discovery
from agentview.providers.base import HEAD_BYTES
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log

_UPDATES = sample_sessions_dir() / "acp" / "updates.jsonl"


def test_updates_are_read_without_the_messages_that_carried_them():
    assert recognise(_UPDATES.read_bytes()[:HEAD_BYTES], _UPDATES) is load_provider(PROVIDER.name)
    store = joined_log.joined(PROVIDER, _UPDATES)
    assert joined_log.texts(store) == ["What is in the shed?", "A rake and a spade."]
    call = joined_log.calls(store)["t1"]
    assert (call.kind, call.ok, call.args_json) == (ToolKind.SHELL, True, '{"command":"ls shed"}')
    assert discovery.ref(_UPDATES).session_id == "garden-7"


def test_a_question_to_the_person_has_its_answer(tmp_path: Path):
    schema = {"type": "object", "properties": {"bed": {"type": "string", "enum": ["a", "b"]}}}
    asked = {"sessionId": "s", "mode": "form", "message": "Which bed?", "requestedSchema": schema}
    request = {"jsonrpc": "2.0", "id": 5, "method": "elicitation/create", "params": asked}
    answers = ({"action": "accept", "content": {"bed": "b"}}, {"action": "decline"})
    states = (ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_DENIED)
    for answer, state in zip(answers, states, strict=True):
        records = [request, {"jsonrpc": "2.0", "id": 5, "result": answer}]
        store = joined_log.joined(PROVIDER, joined_log.write(tmp_path / "a.jsonl", records))
        (call,) = joined_log.calls(store).values()
        assert isinstance(call.payload, AskPayload)
        assert [option.label for option in call.payload.questions[0].options] == ["a", "b"]
        assert call.state is state
        expected = AskResult((AskAnswer("bed", "b"),)) if "content" in answer else None
        assert call.result == expected


@pytest.mark.parametrize(
    ("agent", "client"),
    [
        ("agent->client", "client->agent"),
        ("fromAgent", "fromClient"),
        ("agent_to_client", "client_to_agent"),
        ("toClient", "toAgent"),
        ("a2c", "c2a"),
        ("in", "out"),
        ("←", "→"),
    ],
)
def test_frames_have_many_words_for_who_sent_a_message(tmp_path: Path, agent: str, client: str):
    """An answer that is empty tells nothing of who gave it."""
    asked = {"sessionId": "s", "path": "/shed/a.txt", "content": "rake\n"}
    request = {"jsonrpc": "2.0", "id": 5, "method": "fs/write_text_file", "params": asked}
    records = [
        {"direction": agent, "json": json.dumps(request)},
        {"direction": client, "json": json.dumps({"jsonrpc": "2.0", "id": 5, "result": {}})},
    ]
    store = joined_log.joined(PROVIDER, joined_log.write(tmp_path / "a.jsonl", records))
    (call,) = joined_log.calls(store).values()
    assert call.state is ToolState.OUTPUT_AVAILABLE


def test_keys_that_are_added_to_a_message_say_when_and_who(tmp_path: Path):
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "So."}}
    update = {"method": "session/update", "params": {"sessionId": "s", "update": chunk}}
    asked = {"method": "terminal/create", "params": {"sessionId": "s", "command": "ls"}}
    answer = {"id": 1, "result": {"terminalId": "t"}, "dir": "client"}
    records = [
        {"timestamp": 1_790_000_000, **update},
        {"jsonrpc": "2.0", "id": 1, **asked, "dir": "agent"},
        {"jsonrpc": "2.0", **answer},
    ]
    path = joined_log.write(tmp_path / "updates.jsonl", records)
    assert recognise(path.read_bytes(), path) is load_provider(PROVIDER.name)
    store = joined_log.joined(PROVIDER, path)
    assert store.summary.times.first == 1_790_000_000
    (call,) = joined_log.calls(store).values()
    assert call.state is ToolState.OUTPUT_AVAILABLE


def test_what_the_agent_of_a_call_says_is_its_own(tmp_path: Path):
    def said(words: str, parent: str | None = None) -> dict[str, Any]:
        meta = {"_meta": {"claudeCode": {"parentToolUseId": parent}}} if parent else {}
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}}
        return update({**meta, **chunk})

    def update(fields: dict[str, Any]) -> dict[str, Any]:
        params = {"sessionId": "s", "update": fields}
        return {"jsonrpc": "2.0", "method": "session/update", "params": params}

    task = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Task", "kind": "think"}
    records = [
        said("I ask "),
        said("another."),
        update({**task, "_meta": {"claudeCode": {"toolName": "Task"}}}),
        said("Rake ", "t"),
        said("found.", "t"),
        said("Done."),
    ]
    log = joined_log.write(tmp_path / "a.jsonl", records)
    events = [
        event
        for line in log.read_bytes().splitlines()
        for event in PROVIDER.decode(line, SourceRef("a", 0, len(line)), SessionRef("acp", "s", ""))
    ]
    ours = Stream(StreamKind.SIDECHAIN, "t")
    assert [event.child for event in events if isinstance(event.body, ToolCall)] == [ours]
    assert [event.stream == ours for event in events] == [False, False, False, True, True, False]
    assert joined_log.texts(joined_log.joined(PROVIDER, log)) == [
        "I ask another.",
        "Rake found.",
        "Done.",
    ]


@pytest.mark.parametrize(
    ("method", "asked", "state"),
    [
        (
            "session/request_permission",
            {"toolCall": {"toolCallId": "c", "title": "rm"}, "options": []},
            SessionState.NEEDS_APPROVAL,
        ),
        ("elicitation/create", {"message": "Which?"}, SessionState.NEEDS_ANSWER),
    ],
)
def test_list_and_session_say_alike_what_an_open_question_waits_for(
    tmp_path: Path, method: str, asked: dict[str, Any], state: SessionState
):
    prompt = {"sessionId": "s", "prompt": [{"type": "text", "text": "Clean up"}]}
    path = joined_log.write(
        tmp_path / "log.jsonl",
        [
            {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": prompt},
            {"jsonrpc": "2.0", "id": 2, "method": method, "params": {"sessionId": "s", **asked}},
        ],
    )
    assert PROVIDER.info(discovery.ref(path)).state is state
    assert joined_log.joined(PROVIDER, path).status(path.stat().st_mtime).state is state


def test_leave_is_waited_for_until_an_answer_or_the_outcome_of_the_call_comes(
    tmp_path: Path,
):
    done = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
    asked: dict[str, Any] = {
        "sessionId": "s",
        "toolCall": {"toolCallId": "c", "title": "rm"},
        "options": [],
    }
    update = {"sessionId": "s", "update": done}
    question = {"jsonrpc": "2.0", "id": 2, "method": "session/request_permission", "params": asked}
    answer = {"jsonrpc": "2.0", "id": 2, "result": {"outcome": {"outcome": "cancelled"}}}
    outcome = {"jsonrpc": "2.0", "method": "session/update", "params": update}
    for records in ([question, outcome], [question, answer], [question, answer, outcome]):
        path = joined_log.write(tmp_path / "log.jsonl", records)
        assert PROVIDER.info(discovery.ref(path)).state is SessionState.WORKING
        assert (
            joined_log.joined(PROVIDER, path).status(path.stat().st_mtime).state
            is SessionState.WORKING
        )


def test_updates_may_be_under_another_name_and_turns_may_end_outside_of_the_protocol(
    tmp_path: Path,
):
    def told(**update: Any) -> dict[str, Any]:
        return {"sessionId": "barn", "update": update}

    def said(name: str, words: str) -> dict[str, Any]:
        return told(sessionUpdate=name, content={"type": "text", "text": words})

    inner = {"inputTokens": 90, "outputTokens": 10, "totalTokens": 100, "cachedReadTokens": 60}
    ended = {"prompt_id": "p", "stop_reason": "end_turn", "usage": {"modelUsage": {"fig": inner}}}
    own = "_fig.example/session/update"
    answer = {"stopReason": "end_turn", "_meta": {"promptId": "p", "usage": inner}}
    records: list[dict[str, Any]] = [
        {"params": said("user_message_chunk", "Sweep the barn")},
        {"notification": said("agent_message_chunk", "Swept.")["update"]},
        {"method": own, "params": told(sessionUpdate="hook_execution", name="stop")},
        {"method": own, "params": told(sessionUpdate="turn_completed", **ended)},
        {"jsonrpc": "2.0", "id": 2, "result": answer},
        {"method": own, "params": told(sessionUpdate="auto_compact_completed", tokens_before=9)},
    ]
    log = joined_log.write(tmp_path / "log.jsonl", records)
    assert recognise(log.read_bytes(), log) is load_provider(PROVIDER.name)
    store = joined_log.joined(PROVIDER, log)
    assert joined_log.texts(store) == ["Sweep the barn", "Swept.", "Turn ended: end_turn"]
    bodies = [activity.body for activity in joined_log.shown(store)]
    assert bodies[-1] == Compaction(tokens_before=9)
    total = store.summary.usage
    assert (total.input_uncached, total.input_cached, total.output) == (30, 60, 10)


def test_usage_of_a_response_on_an_empty_piece_is_counted_and_makes_no_message(tmp_path: Path):
    def piece(words: str, **meta: Any) -> dict[str, Any]:
        content = {"type": "text", "text": words}
        update = {"sessionUpdate": "agent_message_chunk", "content": content, "_meta": meta}
        return {"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}}

    beside = {"inputTokens": 100, "outputTokens": 50, "thoughtTokens": 25, "cachedReadTokens": 10}
    inside = {"inputTokens": 200, "outputTokens": 40, "thoughtTokens": 30, "totalTokens": 240}
    records: list[dict[str, Any]] = [
        piece("Raked "),
        piece("the bed."),
        piece("", usage={**beside, "totalTokens": 175}, durationMs=90),
        {"jsonrpc": "2.0", "id": 4, "method": "session/prompt", "params": {"prompt": []}},
        piece("", usage=inside),
        piece(""),
    ]
    store = joined_log.joined(PROVIDER, joined_log.write(tmp_path / "log.jsonl", records))
    assert joined_log.texts(store) == ["Raked the bed.", ""]
    used = store.summary.usage
    assert (used.input_uncached, used.input_cached) == (290, 10)
    assert (used.output, used.reasoning) == (115, 55)


@pytest.mark.parametrize("backward", [False, True])
def test_an_error_that_a_client_answers_with_belongs_to_the_request(tmp_path: Path, backward: bool):
    error = {"code": -32601, "message": "Method not found"}
    records = [
        {"dir": "agent->client", "msg": {"jsonrpc": "2.0", "id": number, **asked}}
        for number, asked in enumerate(
            (
                {"method": "_fig.example/weather", "params": {"bed": "b"}},
                {"method": "fs/read_text_file", "params": {"path": "/shed/a.txt"}},
            )
        )
    ]
    answers: list[dict[str, Any]] = [
        {"dir": "client->agent", "msg": {"jsonrpc": "2.0", "id": number, "error": error}}
        for number in (0, 1, None)
    ]
    path = joined_log.write(tmp_path / "log.jsonl", [*records, *answers])
    store = joined_log.joined(PROVIDER, path, backward=backward)
    calls = joined_log.calls(store)
    assert [call.provider_name for call in calls.values()] == [
        "_fig.example/weather",
        "fs/read_text_file",
    ]
    assert {call.state for call in calls.values()} == {ToolState.OUTPUT_ERROR}
    assert joined_log.texts(store) == ["Method not found (-32601)"]
    assert len(joined_log.shown(store)) == 3


def test_updates_that_an_agent_keeps_say_when_what_and_for_how_much():
    store = joined_log.joined(PROVIDER, _UPDATES.with_name("kept_updates.jsonl"))
    made = joined_log.calls(store)
    assert [(call.kind, call.ok) for call in made.values()] == [
        (ToolKind.READ, True),
        (ToolKind.SHELL, False),
    ]
    said = [activity.body for activity in joined_log.shown(store)]
    assert Message("Berth 2 is free.") in said
    assert Reasoning("I read the list.") in said
    assert store.summary.usage == Usage(1024, 4096, output=64, reasoning=16)
    assert store.summary.cost == 0.00125
