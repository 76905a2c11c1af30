"""Copilot CLI: calls by their ids, agents, refusals, tokens, and where sessions are."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Hidden,
    Level,
    Notification,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import ApprovalPayload, AskPayload, TodosPayload, TodoStatus
from agentview.domain.tool_results import (
    AskResult,
    ChangeResult,
    MatchResult,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, write

SAMPLES = sample_sessions_dir() / "copilot"
LOGS = sorted(SAMPLES.rglob("*.jsonl"))
PROVIDER = load_provider("copilot")
REF = SessionRef("copilot", "s", "events.jsonl")
Record = dict[str, Any]


def record(kind: str, agent: str | None = None, **data: Any) -> Record:
    """A record of that type."""
    own = {"agentId": agent} if agent else {}
    return {
        "type": kind, "data": data, **own, "id": f"e-{kind}",
        "timestamp": "2026-04-20T09:00:00.000Z", "parentId": None,
    }  # fmt: skip


def events(*records: Record) -> list[Event]:
    lines = [json.dumps(each).encode() for each in records]
    return [
        event
        for number, line in enumerate(lines)
        for event in PROVIDER.decode(line, SourceRef("x", number * 1000, len(line)), REF)
    ]


def call_ids(path: Path) -> set[str]:
    """Ids of all calls in a file, by the names of its keys alone."""
    found: set[str] = set()
    for line in path.read_text().splitlines():
        data = json.loads(line).get("data", {})
        found |= {request["toolCallId"] for request in data.get("toolRequests") or ()}
        if "toolName" in data and "toolCallId" in data:
            found.add(data["toolCallId"])
    return found


@pytest.mark.parametrize("path", LOGS, ids=[str(path.relative_to(SAMPLES)) for path in LOGS])
@pytest.mark.parametrize("backward", [False, True])
def test_every_call_is_shown_once(path: Path, backward: bool):
    store = joined(PROVIDER, path, backward=backward)
    made = [each.body for each in shown(store) if isinstance(each.body, ToolCall)]
    asked = [request for call in made for request in call.requests]
    told = [call.call_id for call in made]
    assert len(told) == len(set(told))
    assert set(told) == call_ids(path)
    assert len(asked) == path.read_text().count('"type":"permission.requested"')


def test_every_tool_has_its_kind_and_result():
    found = calls(joined(PROVIDER, SAMPLES / "tools" / "events.jsonl"))
    kinds = {call.provider_name: call.kind for call in found.values()}
    unknown = {name for name, kind in kinds.items() if kind is ToolKind.UNKNOWN}
    assert unknown == {"no_such_tool", "report_intent"}
    assert kinds["mocktools-echo"] is ToolKind.MCP
    failed = {
        call.result.exit_code
        for call in found.values()
        if isinstance(call.result, ShellResult) and call.state is ToolState.OUTPUT_ERROR
    }
    assert failed == {3, 7}
    edits = [call.result for call in found.values() if isinstance(call.result, ChangeResult)]
    assert len(edits) == 3
    assert all(change.files[0].path.startswith("/home/dev/") for change in edits)
    assert all(change.files[0].hunks for change in edits)
    matches = [call.result for call in found.values() if isinstance(call.result, MatchResult)]
    assert max(len(each.matches) for each in matches) > 5
    (large,) = [
        call.result
        for call in found.values()
        if isinstance(call.result, ShellResult) and call.result.spill_path is not None
    ]
    assert str(large.spill_path).startswith("/")


def test_an_agent_is_linked_to_the_call_that_started_it():
    for sample, streams in (("tools/events", 2), ("demo", 1)):
        store = joined(PROVIDER, SAMPLES / f"{sample}.jsonl")
        agents = {each.stream for each in _events_of(SAMPLES / f"{sample}.jsonl")}
        agents -= {Stream()}
        assert len(agents) == streams
        for agent in agents:
            row = store.child_call(agent)
            assert row is not None
            body = store.activity(row).body
            assert isinstance(body, ToolCall)
            assert body.kind is ToolKind.SUBAGENT_TASK


def _events_of(path: Path) -> list[Event]:
    return events(*(json.loads(line) for line in path.read_text().splitlines()))


def test_who_refused_a_call():
    denied = calls(joined(PROVIDER, SAMPLES / "denied" / "events.jsonl"))
    states = [call.denial.by for call in denied.values() if call.denial is not None]
    assert states == [DeniedBy.APPROVAL] * 3
    demo = calls(joined(PROVIDER, SAMPLES / "demo.jsonl"))
    assert demo["c9"].denial is not None
    assert demo["c9"].denial.by is DeniedBy.PERSON
    (request,) = demo["c9"].requests
    assert request.state is ToolState.OUTPUT_DENIED
    assert request.denial == demo["c9"].denial
    # What a person was shown before the call was made.
    (preview,) = [call.requests[0] for call in denied.values() if call.kind is ToolKind.WRITE]
    assert isinstance(preview.payload, ApprovalPayload)
    assert "+no" in (preview.payload.detail or "")


def test_a_question_of_the_client_waits_for_the_person(tmp_path: Path):
    asked = {"kind": "shell", "toolCallId": "c1", "intention": "Clean", "fullCommandText": "rm x"}
    log = write(
        tmp_path / "s" / "events.jsonl",
        [
            record("session.start", sessionId="s", producer="copilot-agent", copilotVersion="1"),
            record("user.message", content="Clean"),
            record("assistant.message", messageId="m", content="", toolRequests=[
                {"toolCallId": "c1", "name": "bash", "arguments": {"command": "rm x"}}]),
            record("permission.requested", requestId="p", permissionRequest=asked),
        ],
    )  # fmt: skip
    info = PROVIDER.info(PROVIDER.discovery.ref(log))
    assert info.state is SessionState.NEEDS_APPROVAL
    assert info.status.about == "Clean: rm x"


def test_tokens_of_each_request_count_once():
    for name in ("compact", "denied", "errors", "image", "tools"):
        path = SAMPLES / name / "events.jsonl"
        given = cached = output = 0
        for line in path.read_text().splitlines():
            usage: Record = json.loads(line)["data"].get("usage") or {}
            given += usage.get("inputTokens", 0)
            cached += usage.get("cacheReadTokens", 0)
            output += usage.get("outputTokens", 0)
        tokens = joined(PROVIDER, path).summary.tokens
        assert tokens["input_uncached"] == given - cached
        assert (tokens["input_cached"], tokens["output"]) == (cached, output)


def test_before_records_of_usage_a_shutdown_counts():
    tokens = joined(PROVIDER, SAMPLES / "demo.jsonl").summary.tokens
    assert (tokens["input_uncached"], tokens["input_cached"]) == (3500, 6000)
    # One response came after it.
    assert tokens["output"] == 420 + 40


def test_a_compaction_and_an_image():
    compacted = [
        event.body
        for event in _events_of(SAMPLES / "compact" / "events.jsonl")
        if isinstance(event.body, Compaction)
    ]
    assert [(each.tokens_before, each.tokens_after) for each in compacted] == [(21945, 12343)]
    (call,) = calls(joined(PROVIDER, SAMPLES / "image" / "events.jsonl")).values()
    assert isinstance(call.result, ReadResult)
    assert isinstance(call.result.media[0], ImageBlock)


def test_the_words_of_a_refusal_are_in_the_result_too():
    said = "The user rejected this tool call. User feedback: keep\nit"
    error = {"code": "rejected", "message": said}
    (result,) = events(
        record("tool.execution_complete", toolCallId="c", success=False, error=error)
    )
    assert isinstance(result.body, ToolResult)
    assert result.body.denial == Denial(DeniedBy.PERSON, "keep\nit")
    # An error that is one text, or a refusal whose words are not known.
    unnamed: Record = {"code": "denied", "message": "No."}
    cases: tuple[tuple[Any, DeniedBy | None], ...] = (
        ("broken", None),
        (unnamed, DeniedBy.UNKNOWN),
    )
    for wrong, by in cases:
        (result,) = events(
            record("tool.execution_complete", toolCallId="c", success=False, error=wrong)
        )
        assert isinstance(result.body, ToolResult)
        assert result.body.error in ("broken", "No.")
        assert (result.body.denial and result.body.denial.by) == by


def test_a_question_of_a_server_waits_for_an_answer(tmp_path: Path):
    asked = record(
        "elicitation.requested", requestId="e1", message="Which table?", elicitationSource="db",
        requestedSchema={"properties": {"table": {"enum": ["a", "b"]}}},
    )  # fmt: skip
    start = record("session.start", sessionId="s", producer="copilot-agent", copilotVersion="1")
    prompt = record("user.message", content="Count the rows")
    log = write(tmp_path / "s" / "events.jsonl", [start, prompt, asked])
    status = PROVIDER.info(PROVIDER.discovery.ref(log)).status
    assert (status.state, status.about) == (SessionState.NEEDS_ANSWER, "Which table?")
    answers: tuple[tuple[Record, str, DeniedBy | None], ...] = (
        ({"action": "accept", "content": {"table": "b"}}, '{"table":"b"}', None),
        ({"action": "decline"}, "decline", DeniedBy.PERSON),
    )
    for data, said, by in answers:
        end = record("elicitation.completed", requestId="e1", **data)
        log = write(tmp_path / "s" / "events.jsonl", [start, prompt, asked, end])
        call = calls(joined(PROVIDER, log))["e1"]
        assert isinstance(call.payload, AskPayload)
        assert [option.label for option in call.payload.questions[0].options] == ["a", "b"]
        assert call.output == (TextBlock(said),)
        assert (call.denial and call.denial.by) == by
    # What the agent asks by a call is that call.
    (own,) = events(record("elicitation.requested", requestId="e2", message="?", toolCallId="c"))
    assert isinstance(own.body, Hidden)


def test_what_runs_by_a_schedule():
    told = events(
        record("session.schedule_created", id=1, intervalMs=5000, prompt="ping"),
        record("session.schedule_created", id=2, cron="0 9 * * *", prompt="report"),
        record("session.schedule_cancelled", id=1),
        record("session.schedule_rearmed", id=2),
    )
    notes = [each.body for each in told if isinstance(each.body, Notification)]
    assert [(note.text, note.detail) for note in notes] == [
        ("Scheduled: every 5 s", "ping"),
        ("Scheduled: 0 9 * * *", "report"),
        ("Schedule 1 cancelled", None),
    ]


def test_todos_written_as_sql():
    insert = (
        "INSERT INTO todos (id, title, status)"
        " VALUES ('a', 'It''s (one)', 'done'), ('b', 'x', 'new')"
    )
    request = {"toolCallId": "c", "name": "sql", "arguments": {"query": insert}}
    (event,) = events(record("assistant.message", content="", toolRequests=[request]))
    assert isinstance(event.body, ToolCall)
    payload = event.body.payload
    assert isinstance(payload, TodosPayload)
    assert [(item.id, item.text, item.status) for item in payload.items] == [
        ("a", "It's (one)", TodoStatus.COMPLETED), ("b", "x", TodoStatus.UNKNOWN)
    ]  # fmt: skip
    demo = calls(joined(PROVIDER, SAMPLES / "demo.jsonl"))["c13"].payload
    assert isinstance(demo, TodosPayload)
    assert [item.id for item in demo.items] == ["t1", "t2"]


def test_what_nobody_typed_is_no_prompt():
    typed, told = events(
        record("user.message", content="Hello", transformedContent="<date>x</date>\n\nHello"),
        record("user.message", content="Go on", source="autopilot"),
    )
    assert typed.body == User("Hello", context=("<date>x</date>",))
    assert isinstance(told.body, Attachment)


def test_a_continuation_of_the_client_is_no_prompt():
    (told,) = events(record("user.message", content="Go on", isAutopilotContinuation=True))
    assert told.body == Attachment("autopilot", "note", "Go on")
    (typed,) = events(record("user.message", content="Go on", isAutopilotContinuation=False))
    assert typed.body == User("Go on")


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("done", [True, False])
def test_a_call_that_the_host_does_is_shown_once(tmp_path: Path, asked: bool, done: bool):
    given: Record = {"toolCallId": "c1", "arguments": {"title": "Round the prices"}}
    request = {**given, "name": "rename_session"}
    start = record("session.start", sessionId="s", copilotVersion="1.0.102")
    log = [
        start,
        record("user.message", content="Rename it"),
        *([record("assistant.message", content="", toolRequests=[request])] if asked else []),
        *([record("tool.execution_start", **given, toolName="rename_session")] if done else []),
        record("external_tool.requested", requestId="x", **given, toolName="rename_session"),
        record("external_tool.completed", requestId="x"),
        *([record("tool.execution_complete", toolCallId="c1", success=True)] if done else []),
    ]
    store = joined(PROVIDER, write(tmp_path / "s" / "events.jsonl", log))
    made = [each.body for each in shown(store) if isinstance(each.body, ToolCall)]
    assert [(call.call_id, call.provider_name) for call in made] == [("c1", "rename_session")]
    expected = ToolState.OUTPUT_AVAILABLE if done else ToolState.INPUT_AVAILABLE
    assert made[0].state is expected


def test_what_several_models_write_for_a_response():
    told = [each.body for each in shown(joined(PROVIDER, SAMPLES / "autopilot.jsonl"))]
    drafts = [each for each in told if isinstance(each, Attachment) and each.kind == "draft"]
    assert drafts == [Attachment("judge by claude-sonnet-5", "draft", "repair")]
    notes = [each for each in told if isinstance(each, Notification)]
    assert [(note.text, note.level, note.detail) for note in notes] == [
        ("Autopilot objective: active", Level.INFO, None),
        ("Several models answer: gpt-5.5, claude-sonnet-5", Level.INFO, None),
        ("claude-sonnet-5 did not answer", Level.WARNING, "No answer within 60 s"),
        ("Not all models answered", Level.WARNING, "repair_failed"),
        ("Factory started: review", Level.INFO, None),
        ("Factory ended: error", Level.WARNING, "factory_limit_reached"),
        ("Autopilot objective: completed", Level.INFO, None),
        ("Context cleared", Level.INFO, "6 messages"),
    ]
    assert [each.text for each in told if isinstance(each, User)] == [
        "Round the prices, then run the tests"
    ]


def test_ends_of_a_session():
    ended = PROVIDER.info(PROVIDER.discovery.ref(SAMPLES / "tools" / "events.jsonl"))
    assert ended.state is SessionState.ENDED
    assert (ended.project, ended.branch) == ("/home/dev/ws/copilot/tools/repo", "main")
    demo = PROVIDER.info(PROVIDER.discovery.ref(SAMPLES / "demo.jsonl"))
    assert demo.state is SessionState.INTERRUPTED
    assert demo.title == "Round the prices of the cart"
    (error,) = events(record("session.error", message="429 rate limit", statusCode=429))
    assert isinstance(error.body, Notification)
    assert error.body.topic is Topic.LIMIT


def test_sessions_are_found_in_their_place(tmp_path: Path):
    places = (
        (tmp_path / "a" / ".copilot", {"HOME": str(tmp_path / "a")}),
        (tmp_path / "b", {"HOME": "/nowhere", "COPILOT_HOME": str(tmp_path / "b")}),
    )
    for home, env in places:
        own = "5af3da9b-4617-4a79-a1be-a75c43a2d8b3"
        shutil.copytree(SAMPLES / "tools", home / "session-state" / own)
        root, _older = PROVIDER.discovery.roots(env)
        (ref,) = PROVIDER.scan(root)
        assert ref.session_id == own
        info = PROVIDER.info(ref)
        assert info.title == "Please do the scripted work. [[SCRIPT:tools]]"
        assert PROVIDER.resume_command(ref) == ("copilot", "--resume", own)


def test_an_unknown_record_and_an_unknown_stream():
    (event,) = events(record("session.new_thing", agent="a1", x=1))
    assert event.stream == Stream(StreamKind.SUBAGENT, "a1")
    assert PROVIDER.discovery.probe(b'{"type":"user.message","data":{}}\n', Path("x")) == 0.0


def test_what_the_client_prints_is_read_whole():
    path = SAMPLES / "printed.jsonl"
    found = [
        event.body
        for line in path.read_bytes().splitlines()
        for event in PROVIDER.decode(line, SourceRef(str(path), 0, len(line)), REF)
    ]
    assert not [body for body in found if isinstance(body, Unparsed)]
    failed = [body for body in found if isinstance(body, Notification) and body.detail]
    assert [body.text for body in failed][:3] == [
        "The request failed: 500",
        "The request failed: 503",
        "The request failed: 400",
    ]
    assert {body.level for body in failed[:3]} == {Level.WARNING}


def test_an_answer_is_in_the_row_of_its_question():
    store = joined(PROVIDER, SAMPLES / "answered" / "events.jsonl")
    assert not [each for each in shown(store) if isinstance(each.body, Unparsed)]
    (call,) = calls(store).values()
    assert isinstance(call.payload, AskPayload)
    assert isinstance(call.result, AskResult)
    assert [each.answer for each in call.result.answers] == ["Red"]
