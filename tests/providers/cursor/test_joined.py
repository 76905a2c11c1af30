"""Whole logs as they are shown: nothing twice, nothing lost, in whatever order they are read."""

import json
import os
import time
from datetime import datetime
from pathlib import Path

import pytest

from agentview.domain.activity import Activity
from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Hidden,
    Message,
    Notification,
    Reasoning,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolCall, ToolState
from agentview.domain.usage import Usage
from agentview.providers import recognise
from agentview.providers.cursor.cursor import PROVIDER, discovery
from agentview.providers.cursor.cursor.discovery import overview
from agentview.providers.cursor.shared.content import prompt_in, sent_at
from agentview.sessions.library.liveness import current_status
from tests.providers.cursor.log import SAMPLES, Record, events, joined
from tests.providers.joined_log import calls, shown, write

LOGS = sorted(path for path in SAMPLES.rglob("*") if path.suffix in (".jsonl", ".txt"))
SESSION = next(SAMPLES.rglob("7d2e9b10*.jsonl"))


def of(activities: list[Activity], sort: type) -> list[object]:
    return [activity.body for activity in activities if isinstance(activity.body, sort)]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_both_directions_show_the_same(path: Path):
    forward, backward = shown(joined(path)), shown(joined(path, backward=True))
    assert [each.body for each in forward] == [each.body for each in backward]


def test_pieces_of_text_are_one_row_and_the_whole_takes_their_place():
    activities = shown(joined(SAMPLES / "demo.jsonl"))
    assert [body.text for body in of(activities, Message) if isinstance(body, Message)] == [
        "I'll read the file and look for other places that count rows.",
        "Only one constant to change.",
        "`ROWS` in `beds.py` is **6** now; both tests pass.",
    ]
    assert of(activities, Reasoning) == [
        Reasoning("I look at the file first, then find who uses ROWS.")
    ]


def test_text_that_is_still_being_written_grows(tmp_path: Path):
    lines = (SAMPLES / "demo.jsonl").read_bytes().splitlines(keepends=True)
    cut = next(at for at, line in enumerate(lines) if b'"assistant"' in line)
    log = tmp_path / "s.jsonl"
    log.write_bytes(b"".join(lines[: cut + 2]))
    assert of(shown(joined(log)), Message) == [Message("I'll read the file and look")]


def test_a_call_has_one_row_with_its_outcome_and_its_own_time():
    activities = [a for a in shown(joined(SAMPLES / "demo.jsonl")) if isinstance(a.body, ToolCall)]
    assert len(activities) == 6
    assert len({*calls(joined(SAMPLES / "demo.jsonl"))}) == 6
    for activity in activities:
        assert isinstance(activity.body, ToolCall)
        assert activity.body.state is ToolState.OUTPUT_AVAILABLE
        assert activity.started is not None
        assert activity.ended is not None
        assert activity.ended > activity.started
    assert "\n" in next(iter(calls(joined(SAMPLES / "demo.jsonl"))))


def test_what_a_rejected_call_asked_for_is_not_lost():
    rejected = next(iter(calls(joined(SAMPLES / "refusals.jsonl")).values()))
    assert rejected.state is ToolState.OUTPUT_DENIED
    assert rejected.args is not None
    assert rejected.args["command"] == "rm -rf build"


def test_usage_is_counted_once_and_unknown_is_none():
    store = joined(SAMPLES / "demo.jsonl")
    assert store.summary.usage == Usage(18204, 15360, 2048, 911)
    assert joined(SAMPLES / "tools.jsonl").summary.usage == Usage()


def test_calls_of_a_transcript_are_named_by_place_and_have_no_result(tmp_path: Path):
    found = calls(joined(SESSION))
    assert len(found) == 18
    assert {(call.state, call.ok) for call in found.values()} == {(ToolState.ABANDONED, None)}
    ends = next(at for at, line in enumerate(SESSION.open("rb")) if b'"Read"' in line)
    log = tmp_path / "live.jsonl"
    log.write_bytes(b"".join(SESSION.read_bytes().splitlines(keepends=True)[: ends + 1]))
    (call,) = calls(joined(log)).values()
    assert call.state is ToolState.INPUT_AVAILABLE


def test_what_the_client_put_into_a_message_is_told_from_the_prompt():
    activities = shown(joined(SESSION))
    assert [body.text for body in of(activities, User) if isinstance(body, User)] == [
        "What does `ROWS` mean here? See https://example.org/peas",
        "Make it six, and plan the beds. Show </user_query> as it is.",
        "And this?",
    ]
    attached = [body for body in of(activities, Attachment) if isinstance(body, Attachment)]
    assert [(body.kind, body.path) for body in attached] == [
        ("external_links", None),
        ("code_selection", "/home/dev/garden/beds.py"),
        ("system_reminder", None),
    ]


SENT = "<timestamp>Monday, Jun 1, 2026, 1:39 PM (UTC-7)</timestamp>"


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("Monday, Jun 1, 2026, 1:39 PM (UTC-7)", "2026-06-01T20:39:00Z"),
        ("Monday, Jun 1, 2026, 12:05 AM (UTC+5:30)", "2026-05-31T18:35:00Z"),
        ("Monday, Jun 1, 2026, 12:05\u202fPM (UTC)", "2026-06-01T12:05:00Z"),
        ("Monday, Jun 31, 2026, 12:05 PM (UTC)", None),
        ("Monday, Jan 1, 2024", None),
    ],
)
def test_the_client_says_in_words_when_a_message_was_sent(words: str, moment: str | None):
    assert sent_at(words) == (datetime.fromisoformat(moment).timestamp() if moment else None)


def test_a_transcript_has_the_times_of_its_prompts(tmp_path: Path):
    said = [{"type": "text", "text": f"{SENT}\n<user_query>\nSow peas\n</user_query>"}]
    log = tmp_path / "transcript.jsonl"
    lines = [
        {"role": "user", "message": {"content": said}},
        {"role": "assistant", "message": {"content": [{"type": "text", "text": "Sown."}]}},
    ]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [type(each.body) for each in shown(joined(log))] == [User, Message]
    ref = PROVIDER.discovery.ref(log)
    info = overview(ref, log.read_bytes(), b"", 0, PROVIDER.decode)
    moment = datetime.fromisoformat("2026-06-01T20:39:00Z").timestamp()
    assert (info.title, info.started, info.last_activity) == ("Sow peas", moment, None)


@pytest.mark.parametrize(
    ("said", "prompt"),
    [
        ("plain words", "plain words"),
        ("<b>bold</b> words", "<b>bold</b> words"),
        ("<user_query>\na\n</user_query>\nb", "a\nb"),
        ("<user_query>\nnot closed", "<user_query>\nnot closed"),
        ("<git_status>\nclean\n</git_status>", None),
        ("<rules>mine</rules>", "<rules>mine</rules>"),
        (f"{SENT}\n<user_query>\na\n</user_query>", "a"),
        (f"{SENT}\na", "a"),
        (f"{SENT}\n<rules>mine</rules>", None),
        (SENT, None),
        ("<timestamp>soon</timestamp>\na", "<timestamp>soon</timestamp>\na"),
        ("", ""),
    ],
)
def test_prompts(said: str, prompt: str | None):
    assert prompt_in(said)[0] == prompt


def test_messages_of_the_sdk_are_joined():
    activities = shown(joined(SAMPLES / "sdk.jsonl"))
    assert [body.text for body in of(activities, Message) if isinstance(body, Message)] == [
        "I'll count.",
        "Fourteen.",
    ]
    assert of(activities, Reasoning) == [Reasoning("I count the lines.", duration=0.8)]
    found = calls(joined(SAMPLES / "sdk.jsonl"))
    assert {name: call.state for name, call in found.items()} == {
        "c1": ToolState.OUTPUT_AVAILABLE,
        "c2": ToolState.OUTPUT_ERROR,
    }
    assert found["c2"].error == "no such file"


def test_a_transcript_as_text_is_read_by_its_parts():
    activities = shown(joined(SAMPLES / "text.txt"))
    assert [type(activity.body) for activity in activities] == [
        User, Reasoning, ToolCall, Message, ToolCall, ToolResult, User,
    ]  # fmt: skip
    call = activities[2].body
    assert isinstance(call, ToolCall)
    assert call.args == {"path": "/home/dev/garden/beds.py", "limit": "20"}
    assert (call.state, call.output) == (
        ToolState.OUTPUT_AVAILABLE,
        (TextBlock('"""Beds of the garden."""'),),
    )
    assert PROVIDER.documents is not None
    data = (SAMPLES / "text.txt").read_bytes()
    spans = PROVIDER.documents.split(data)
    assert b"".join(data[start:end] for start, end in spans) == data
    with pytest.raises(ValueError, match="no transcript"):
        PROVIDER.documents.split(b"{}")


def test_a_turn_that_failed_says_so():
    last = shown(joined(SAMPLES / "refusals.jsonl"))[-1].body
    assert isinstance(last, Notification)
    assert (last.topic, last.detail) == (Topic.TURN_END, "The connection was lost")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_every_log_is_recognised_under_any_name(path: Path):
    found = recognise(path.read_bytes()[:65_536], Path("x"))
    assert found is not None
    assert found.name == "cursor"


@pytest.mark.parametrize(
    "line",
    [
        b'{"role":"user","content":"x"}',
        b'{"role":"user","message":{"content":"x"}}',
        b'{"type":"user","message":{"role":"user","content":[]},"uuid":"u","session_id":"s"}',
        b'{"type":"system","subtype":"init","session_id":"s","tools":[],"apiKeySource":"none"}',
        b'{"type":"error","error":{"message":"x"}}',
        b"user: said\n",
    ],
)
def test_what_others_write_is_refused(line: bytes):
    assert discovery.probe(line + b"\n", Path("x.jsonl")) == 0.0


def test_sessions_and_their_agents_are_found(tmp_path: Path):
    found = list(PROVIDER.scan(SAMPLES / "transcripts"))
    assert [ref.stream.kind for ref in found] == [StreamKind.MAIN, StreamKind.SUBAGENT]
    assert found[1].parent_id == found[0].session_id == SESSION.stem
    assert [child.path for child in discovery.children(found[0])] == [found[1].path]
    assert PROVIDER.resume_command(found[0]) == ("cursor-agent", "--resume", SESSION.stem)
    flat = tmp_path / "p" / "agent-transcripts" / "a.jsonl"
    (flat.parent / "a" / "subagents").mkdir(parents=True)
    write(flat, [{"role": "user", "message": {"content": [{"type": "text", "text": "x"}]}}])
    (flat.parent / "a" / "subagents" / "b.jsonl").write_bytes(flat.read_bytes())
    main = next(iter(PROVIDER.scan(tmp_path)))
    assert [child.stream.id for child in discovery.children(main)] == ["b"]
    assert discovery.roots({"HOME": "/h"}) == [Path("/h/.cursor/projects")]
    assert discovery.roots({}) == []


def test_info_of_a_stream():
    path = SAMPLES / "demo.jsonl"
    info = PROVIDER.info(discovery.ref(path))
    assert info.ref.session_id == "5f0c1b7e-2a44-4d0e-9c55-aa10b6f3d201"
    assert (info.project, info.model) == ("/home/dev/garden", "gpt-5-high")
    assert (info.title or "").startswith("The garden has six rows now.")


def test_records_of_an_agents_own_log_have_ids_of_their_own():
    record = b'{"role":"user","message":{"content":[{"type":"text","text":"x"}]}}'
    ref = discovery.ref(next(SAMPLES.rglob("a91c*.jsonl")))
    main = SessionRef("cursor", ref.session_id, "x")
    source = events(record)[0].source
    ids = {PROVIDER.decode(record, source, each)[0].id for each in (ref, main)}
    assert len(ids) == 2


def test_the_only_object_that_was_printed_has_the_answer(tmp_path: Path):
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "duration_api_ms": 5,
        "result": "Six.",
        "session_id": "s",
        "request_id": "r",
    }
    log = write(tmp_path / "s.json", [result])
    assert [type(each.body) for each in shown(joined(log))] == [Message, Notification]
    assert of(shown(joined(log)), Message) == [Message("Six.")]


@pytest.mark.parametrize("depth", [300, 700, 1_000, 20_000])
def test_nesting_of_any_depth_is_accounted_for(depth: int):
    nested = b"[" * depth + b'"\\ud83d"' + b"]" * depth
    record = b'{"role":"assistant","message":{"content":[{"type":"tool_use","name":"X","input":'
    assert events(record + nested + b"}]}}")


@pytest.mark.parametrize(
    ("age", "state"), [(60, SessionState.WORKING), (7_200, SessionState.UNKNOWN)]
)
def test_a_transcript_without_times_is_as_old_as_its_file(
    tmp_path: Path, age: int, state: SessionState
):
    prompt = {"role": "user", "message": {"content": [{"type": "text", "text": "x"}]}}
    log = write(tmp_path / "s.jsonl", [prompt])
    at = time.time() - age
    os.utime(log, (at, at))
    info = PROVIDER.info(discovery.ref(log))
    assert (current_status(info, time.time()).state, info.started) == (state, None)
    assert info.last_activity is None


def test_a_plan_that_the_host_is_asked_about_is_one_with_its_call(tmp_path: Path):
    args = {"plan": "Sow, then wait"}
    asked = {"args": args, "toolCallId": "p1"}
    query = {"type": "interaction_query", "query_type": "createPlanRequestQuery"}
    answer: Record = {"createPlanRequestResponse": {"result": {"success": {}}}}
    made = {"type": "tool_call", "call_id": "p1"}
    records: list[Record] = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "cwd": "/w"},
        {**query, "subtype": "request", "query": {"id": 0, "createPlanRequestQuery": asked}},
        {**query, "subtype": "response", "response": {"id": 0, **answer}},
        {**made, "subtype": "started", "tool_call": {"createPlanToolCall": {"args": args}}},
        {
            **made,
            "subtype": "completed",
            "tool_call": {"createPlanToolCall": {"args": args, "result": {"success": {}}}},
        },
    ]
    activities = shown(joined(write(tmp_path / "printed.jsonl", records)))
    assert [type(activity.body) for activity in activities] == [ToolCall]
    (plan,) = (body for body in of(activities, ToolCall) if isinstance(body, ToolCall))
    assert (plan.call_id, plan.state) == ("p1", ToolState.OUTPUT_AVAILABLE)


def test_contents_of_a_form_that_nobody_knows_are_not_hidden():
    known = {"type": "text", "text": "Dig."}
    odd: list[object] = [known, 5, ["x"], {"text": "no type"}, {"type": "text", "text": {"x": 1}}]
    made = events({"role": "assistant", "message": {"content": odd}})
    assert [type(each.body) for each in made] == [Message, Unparsed, Unparsed, Unparsed, Hidden]
    for message in ({}, {"text": "elsewhere"}):
        (event,) = events({"role": "assistant", "message": message})
        assert isinstance(event.body, Unparsed)
    call = {"readToolCall": {"args": {"path": "a"}}, "other": 1}
    (event,) = events({"type": "tool_call", "subtype": "started", "call_id": 7, "tool_call": call})
    assert isinstance(event.body, ToolCall)
    assert (event.body.call_id, event.body.provider_name) == ("7", "readToolCall")
