"""What `cline --json` prints: words in pieces, calls with their results, ends of runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Event, Message, Notification, Reasoning, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session_state import SessionState
from agentview.domain.tools import DeniedBy, ToolKind, ToolState
from agentview.providers import load_provider, recognise
from agentview.providers.cline.cline_stream import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "cline_stream"
SAMPLES = sorted(FOLDER.glob("*.jsonl"))
each_sample = pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)


def inner(path: Path, sort: str, content: str | None) -> list[Any]:
    """What is said of the sort and the content in a log."""
    records: list[dict[str, Any]] = [
        json.loads(line) for line in path.read_text().split("\n") if line
    ]
    events: list[dict[str, Any]] = [each["event"] for each in records if "event" in each]
    return [e for e in events if (e["type"], e.get("contentType")) == (sort, content)]


@each_sample
def test_each_call_is_shown_with_its_result(path: Path):
    made = calls(joined(PROVIDER, path))
    assert list(made) == [each["toolCallId"] for each in inner(path, "content_start", "tool")]
    ended = {own for own, call in made.items() if call.state is not ToolState.INPUT_AVAILABLE}
    assert ended == {each["toolCallId"] for each in inner(path, "content_end", "tool")}
    failed = {each["toolCallId"] for each in inner(path, "content_end", "tool") if "error" in each}
    assert failed <= {own for own, call in made.items() if call.ok is False}


@each_sample
@pytest.mark.parametrize("backward", [False, True])
def test_words_and_thoughts_are_whole_and_stand_once(path: Path, backward: bool):
    bodies = [each.body for each in shown(joined(PROVIDER, path, backward=backward))]
    said = [body.text for body in bodies if isinstance(body, Message)]
    assert said == [each["text"] for each in inner(path, "content_end", "text")]
    thoughts = [body.text for body in bodies if isinstance(body, Reasoning)]
    assert thoughts == [each["reasoning"] for each in inner(path, "content_end", "reasoning")]


def test_tokens_are_those_of_all_requests():
    asked = inner(FOLDER / "demo.jsonl", "usage", None)
    usage = joined(PROVIDER, FOLDER / "demo.jsonl").summary.usage
    given = (usage.input_uncached or 0) + (usage.input_cached or 0)
    assert given == sum(each["inputTokens"] for each in asked)
    assert usage.output == sum(each["outputTokens"] for each in asked)


def test_kinds_and_refusals():
    kinds = {call.kind for call in calls(joined(PROVIDER, FOLDER / "demo.jsonl")).values()}
    assert {ToolKind.READ, ToolKind.SHELL, ToolKind.GREP, ToolKind.EDIT} <= kinds
    assert ToolKind.SUBAGENT_TASK in kinds
    denied = [call.denial for call in calls(joined(PROVIDER, FOLDER / "denied.jsonl")).values()]
    assert [each and each.by for each in denied] == [DeniedBy.APPROVAL] * 4


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("demo", SessionState.YOUR_TURN),
        ("denied", SessionState.INTERRUPTED),
        ("errors", SessionState.FAILED),
    ],
)
def test_the_state_is_that_of_the_last_line(name: str, state: SessionState):
    path = FOLDER / f"{name}.jsonl"
    info = PROVIDER.info(PROVIDER.discovery.ref(path))
    assert info.state is state
    assert joined(PROVIDER, path).status(0).state is state
    assert info.model == "mock-model"


def decoded(record: dict[str, Any]) -> list[Event]:
    data = json.dumps({"ts": "2026-11-23T02:00:00.000Z", **record}).encode()
    ref = PROVIDER.discovery.ref(SAMPLES[0])
    return PROVIDER.decode(data, SourceRef("x", 0, len(data)), ref)


def test_a_limit_is_one():
    error = {"message": "429 Too Many Requests"}
    (event,) = decoded({"type": "agent_event", "event": {"type": "error", "error": error}})
    assert isinstance(event.body, Notification)
    assert (event.body.topic, event.body.failed) == (Topic.LIMIT, True)


def test_a_beginning_is_recognised_and_other_events_are_not():
    for path in SAMPLES:
        assert recognise(path.read_bytes()[:300], Path("out.jsonl")) is load_provider(PROVIDER.name)
    others: list[dict[str, Any]] = [
        {"ts": "2026-11-23T02:00:00Z", "type": "hook_event"},
        {"ts": 1, "type": "agent_event", "event": {"type": "usage"}},
        {"ts": "2026-11-23T02:00:00Z", "type": "agent_event", "event": {"type": {}}},
    ]
    for record in others:
        assert PROVIDER.discovery.probe(json.dumps(record).encode() + b"\n", Path("x")) == 0.0
