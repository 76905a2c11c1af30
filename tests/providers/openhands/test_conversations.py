"""Conversations of OpenHands: what their events say, and how their directories are read."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Event, Message, Notification, User
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import ChangeResult, MatchResult, ShellResult, TodosResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers.openhands.openhands import PROVIDER
from agentview.sessions.targets.log_file import Choice
from agentview.sessions.targets.target_sessions import chosen_sessions
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.joined_log import calls as calls_shown
from tests.providers.joined_log import joined
from tests.samples import Sample

FOLDER = sample_sessions_dir() / "openhands"
SAMPLES = sorted(FOLDER.glob("*.jsonl"))
MAIN = "d727ad823ee846258de7f795784291cf"
AGENT = "6272ec51dbb14281adc8214dda581791"


def records(name: str) -> list[Any]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()]


def conversation(place: Path, name: str) -> Path:
    """The directory that a client would have written."""
    (place / "events").mkdir(parents=True)
    for number, record in enumerate(records(name)):
        if "kind" in record:
            target = place / "events" / f"event-{number:05}-{record['id']}.json"
        else:
            target = place / "base_state.json"
        target.write_text(json.dumps(record))
    if not (place / "base_state.json").exists():
        (place / "base_state.json").write_text("{}")
    return place


def bodies(store: SessionStore) -> list[object]:
    return [store.activity(row).body for row in range(store.first, store.end)]


def calls(store: SessionStore) -> dict[str, ToolCall]:
    return {body.call_id: body for body in bodies(store) if isinstance(body, ToolCall)}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_all_calls_are_shown_and_answered(path: Path):
    listed = records(path.stem)
    asked = {each["tool_call_id"] for each in listed if each.get("kind") == "ActionEvent"}
    answered = {
        each["tool_call_id"] for each in listed if "tool_call_id" in each and "action" not in each
    } & asked
    found = calls(joined(PROVIDER, path))
    assert set(found) == asked
    running = {key for key, call in found.items() if call.state is ToolState.INPUT_AVAILABLE}
    failed = {each["tool_call_id"] for each in listed if each.get("kind") == "AgentErrorEvent"}
    assert running == asked - answered - failed


@pytest.mark.parametrize("name", ["demo", "denied", "errors", "agent"])
def test_tokens_are_those_of_the_state(name: str):
    state = records(name)[-1]
    counts = [
        each["accumulated_token_usage"]
        for key, each in state["stats"]["usage_to_metrics"].items()
        if not key.startswith("task:")
    ]
    usage = joined(PROVIDER, FOLDER / f"{name}.jsonl").summary.usage
    given = (usage.input_uncached or 0) + (usage.input_cached or 0) + (usage.cache_write or 0)
    assert given == sum(each["prompt_tokens"] for each in counts)
    assert usage.input_cached == sum(each["cache_read_tokens"] for each in counts)
    assert usage.output == sum(each["completion_tokens"] for each in counts)


def test_results_have_their_forms():
    found = list(calls(joined(PROVIDER, FOLDER / "demo.jsonl")).values())
    edits = [call for call in found if call.kind in (ToolKind.EDIT, ToolKind.WRITE) and call.ok]
    assert edits
    for call in edits:
        assert isinstance(call.result, ChangeResult)
        assert call.result.files[0].after is not None
    codes = {
        call.result.exit_code
        for call in found
        if call.kind is ToolKind.SHELL and isinstance(call.result, ShellResult)
    }
    assert {0, 3, 7, None} <= codes
    greps = [call.result for call in found if call.kind is ToolKind.GREP]
    assert [len(each.matches) for each in greps if isinstance(each, MatchResult)] == [1, 0]
    lists = [call.result for call in found if call.kind is ToolKind.TODOS]
    assert all(isinstance(each, TodosResult) and each.after for each in lists)
    others = {call.provider_name for call in found if call.kind is ToolKind.UNKNOWN}
    assert others == {"no_such_tool", "think", "finish"}


def test_a_command_that_did_not_end_has_the_words_of_the_client():
    found = calls(joined(PROVIDER, FOLDER / "demo.jsonl")).values()
    shells = [call.result for call in found if isinstance(call.result, ShellResult)]
    late = next(each for each in shells if each.timed_out)
    assert late.exit_code is None
    assert "timed out" in (late.output or "")
    assert any("is NOT executed" in (each.output or "") for each in shells)
    assert not any("\x1b[?2004" in (each.output or "") for each in shells)


def test_a_refusal_is_the_persons():
    found = calls(joined(PROVIDER, FOLDER / "denied.jsonl")).values()
    denied = [call.denial for call in found if call.denial is not None]
    assert [(each.by, each.words) for each in denied] == [(DeniedBy.PERSON, "not now")] * len(
        denied
    )
    assert denied


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("demo", SessionState.YOUR_TURN),
        ("errors", SessionState.FAILED),
        ("live-mid", SessionState.WORKING),
    ],
)
def test_the_state_is_that_of_the_last_event(name: str, state: SessionState):
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / f"{name}.jsonl"))
    assert info.status.state is state
    assert (info.title or "").startswith("Please do the scripted work.")


def test_a_directory_is_a_session_with_its_agents(tmp_path: Path):
    main = conversation(tmp_path / "conversations" / MAIN, "demo")
    agent = conversation(main / "subagents" / AGENT, "agent")
    refs = PROVIDER.scan(tmp_path)
    assert [ref.path for ref in refs] == [str(main), str(agent)]
    (child,) = PROVIDER.discovery.children(refs[0])
    assert child.stream.kind is StreamKind.SUBAGENT
    assert child.parent_id == MAIN
    started = next(
        call for call in calls(joined(PROVIDER, main)).values() if call.call_id == child.parent_call
    )
    assert started.kind is ToolKind.SUBAGENT_TASK
    info = PROVIDER.info(refs[0])
    assert info.project == "/home/dev/ws/run/openhands/tools/repo"
    assert info.model == "openai/mock-model"
    assert info.state is SessionState.YOUR_TURN
    assert PROVIDER.resume_command(refs[0]) == ("openhands", "--resume", MAIN)
    assert PROVIDER.resume_command(child) is None


def test_a_directory_gives_what_its_records_in_one_file_give(tmp_path: Path):
    main = conversation(tmp_path / MAIN, "demo")
    assert bodies(joined(PROVIDER, main)) == bodies(joined(PROVIDER, FOLDER / "demo.jsonl"))


def test_other_directories_are_none(tmp_path: Path):
    main = conversation(tmp_path / MAIN, "demo")
    shutil.rmtree(main / "events")
    assert PROVIDER.scan(tmp_path) == []


def decoded(record: dict[str, Any]) -> list[Event]:
    ref = PROVIDER.discovery.ref(FOLDER / "demo.jsonl")
    data = json.dumps({"id": "e", "timestamp": "2026-11-23T02:21:22", **record}).encode()
    sample = Sample(PROVIDER, FOLDER / "demo.jsonl", "demo")
    return PROVIDER.decode(data, next(sample.events()).source, ref)


def test_a_thought_in_tags_is_no_word():
    said = [{"type": "text", "text": "<think>hm</think>\n\nGo."}]
    call = {"id": "c", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
    events = decoded(
        {
            "kind": "ActionEvent",
            "source": "agent",
            "thought": said,
            "tool_call": call,
            "tool_call_id": "c",
        }
    )
    assert [type(event.body).__name__ for event in events] == ["Reasoning", "Message", "ToolCall"]
    assert isinstance(events[1].body, Message)
    assert events[1].body.text == "Go."


def test_what_skills_add_is_no_word_of_the_person():
    events = decoded(
        {
            "kind": "MessageEvent",
            "source": "user",
            "llm_message": {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
            "extended_content": [{"type": "text", "text": "a rule"}],
        }
    )
    assert events[0].body == User("Hi", context=("a rule",))


def test_a_limit_of_steps_is_one():
    (event,) = decoded({"kind": "ConversationIterationLimitEvent", "detail": "500 of 500"})
    assert isinstance(event.body, Notification)
    assert event.body.failed


def test_the_directory_of_a_conversation_is_one_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    place = conversation(tmp_path / MAIN, "demo")
    (found,) = chosen_sessions([str(place)], Choice())
    assert found.path == str(place)


@pytest.mark.parametrize("backward", [False, True])
def test_a_state_that_waits_is_a_request_until_it_is_written_again(tmp_path: Path, backward: bool):
    demo, state = records("demo"), records("demo")[-1]
    waits = {**state, "execution_status": "waiting_for_confirmation"}
    call = next(each for each in demo if each.get("kind") == "ActionEvent")
    result = next(each for each in demo if each.get("kind") == "ObservationEvent")
    assert result["tool_call_id"] == call["tool_call_id"]
    goes_on = {**state, "execution_status": "running"}
    place = tmp_path / "c.jsonl"
    for more in ([], [result, goes_on]):
        listed = [*demo[:2], call, waits, *more]
        place.write_text("".join(json.dumps(record) + "\n" for record in listed))
        shown = calls_shown(joined(PROVIDER, place, backward=backward))
        assert ("state" in shown) == (not more)
        assert call["tool_call_id"] in shown
        if not more:
            info = PROVIDER.info(PROVIDER.discovery.ref(place))
            assert info.state is SessionState.NEEDS_APPROVAL
