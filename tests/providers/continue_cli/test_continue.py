"""Sessions of Continue: calls with what became of them, tokens, refusals."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Compaction, Hidden, Message, Title, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import LsPayload, TodosPayload, TodoStatus
from agentview.domain.tool_results import ReadResult, ShellResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers.continue_cli import PROVIDER
from agentview.providers.continue_cli.discovery import DISCOVERY
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined

FOLDER = sample_sessions_dir() / "continue_cli"
SAMPLES = sorted(FOLDER.glob("*.json"))


def history(path: Path) -> list[Any]:
    return json.loads(path.read_bytes())["history"]


def calls(path: Path) -> dict[str, ToolCall]:
    store = joined(PROVIDER, path)
    rows = (store.activity(row).body for row in range(store.first, store.end))
    return {body.call_id: body for body in rows if isinstance(body, ToolCall)}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_all_calls_are_shown_with_their_states(path: Path):
    states = {
        state["toolCallId"]: state["status"]
        for item in history(path)
        for state in item.get("toolCallStates", [])
    }
    found = calls(path)
    assert set(found) == set(states)
    expected = {
        "done": ToolState.OUTPUT_AVAILABLE,
        "errored": ToolState.OUTPUT_ERROR,
        "canceled": ToolState.OUTPUT_DENIED,
    }
    assert {key: call.state for key, call in found.items()} == {
        key: expected[status] for key, status in states.items()
    }


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_tokens_are_those_of_the_responses(path: Path):
    used: Any = [item["message"]["usage"] for item in history(path) if "usage" in item["message"]]
    usage = joined(PROVIDER, path).summary.usage
    given = (usage.input_uncached or 0) + (usage.input_cached or 0)
    assert given == sum(each["prompt_tokens"] for each in used)
    assert given == json.loads(path.read_bytes())["usage"]["promptTokens"]
    assert usage.output == sum(each["completion_tokens"] for each in used)


def test_results_have_their_forms():
    found = list(calls(FOLDER / "demo.json").values())
    reads = [call.result for call in found if call.kind is ToolKind.READ and call.ok]
    assert all(isinstance(each, ReadResult) for each in reads)
    assert not any("Content of " in (getattr(each, "content", "") or "") for each in reads)
    codes = {call.result.exit_code for call in found if isinstance(call.result, ShellResult)}
    assert 3 in codes
    todos = [call.payload for call in found if isinstance(call.payload, TodosPayload)]
    assert [len(each.items) for each in todos] == [4] * len(todos)
    assert todos[-1].items[0].status is TodoStatus.COMPLETED
    lists = [call.payload for call in found if isinstance(call.payload, LsPayload)]
    assert lists
    assert all(each.path for each in lists)
    servers = {call.provider_name for call in found if call.kind is ToolKind.MCP}
    assert servers == {"echo", "lookup", "boom"}


def test_a_refusal_is_one_of_a_rule():
    (denied,) = [call for call in calls(FOLDER / "denied.json").values() if call.denial is not None]
    assert denied.denial is not None
    assert denied.denial.by is DeniedBy.RULE


@pytest.mark.parametrize(
    ("name", "state"), [("demo", SessionState.YOUR_TURN), ("errors", SessionState.YOUR_TURN)]
)
def test_a_session_has_title_project_and_state(name: str, state: SessionState):
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / f"{name}.json"))
    assert info.status.state is state
    assert (info.title or "").startswith("Please do the scripted work.")
    assert (info.project or "").endswith("/repo")
    assert info.model == "mock-model"


def test_a_list_of_sessions_is_none(tmp_path: Path):
    (tmp_path / "sessions.json").write_text('[{"sessionId": "x", "workspaceDirectory": "/"}]')
    (tmp_path / "other.json").write_text('{"sessionId": "x", "history": []}')
    assert PROVIDER.scan(tmp_path) == []


def test_a_given_title_and_a_summary_are_shown(tmp_path: Path):
    item: dict[str, Any] = {
        "message": {"role": "assistant", "content": "Unloaded."},
        "contextItems": [],
        "conversationSummary": "All tea is ashore.",
    }
    document: dict[str, Any] = {
        "sessionId": "s",
        "title": "Unload the tea",
        "workspaceDirectory": "/quay",
        "history": [item],
    }
    path = tmp_path / "s.json"
    path.write_text(json.dumps(document, indent=2))
    (ref,) = PROVIDER.scan(tmp_path)
    assert PROVIDER.info(ref).title == "Unload the tea"
    data = path.read_bytes()
    bodies = [
        event.body
        for start, end in DISCOVERY.split(data)
        for event in PROVIDER.decode(data[start:end], SourceRef("s", start, end - start), ref)
    ]
    assert Title in {type(body) for body in bodies}
    assert Message("Unloaded.", ends_turn=True) in bodies
    assert Compaction(summary="All tea is ashore.") in bodies


def test_a_call_shows_its_file():
    found = [call for call in calls(FOLDER / "demo.json").values() if call.kind is ToolKind.READ]
    assert all(getattr(call.payload, "path", "") for call in found)


def test_an_end_that_is_not_whole_is_said_to_be_damaged():
    end = b'],\n "usage": {"promptTokens": 7, "completionTokens": 1}}'
    ref = PROVIDER.discovery.ref(FOLDER / "demo.json")
    for torn, bodies in ((end, [Hidden, Hidden]), (end[:-20], [Unparsed])):
        events = PROVIDER.decode(torn, SourceRef("x", 0, len(torn)), ref)
        assert [type(each.body) for each in events] == bodies
