"""Trajectories of OpenHands before its SDK: prompts, calls, outcomes, tokens."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Message, Notification, User
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import load_provider, recognise
from agentview.sources.member import holds_sessions
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

PROVIDER = load_provider("openhands_events")
DEMO = sample_sessions_dir() / "openhands_events" / "demo.json"
EVENTS: list[dict[str, Any]] = json.loads(DEMO.read_text())
CONTAINERS: dict[str, Any] = {
    "list": EVENTS,
    "trajectory": {"trajectory": EVENTS},
    "history": {"instance_id": "x", "history": EVENTS, "metrics": {}},
}


def said(bodies: list[Any], kind: type) -> list[str]:
    return [each.text for each in bodies if isinstance(each, kind)]


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_trajectory_is_read_in_each_container(container: str, backward: bool, tmp_path: Path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps(CONTAINERS[container]))
    assert getattr(recognise(path.read_bytes(), path), "name", None) == PROVIDER.name
    store = joined(PROVIDER, path, backward=backward)
    bodies = [each.body for each in shown(store)]
    assert said(bodies, User) == ["Mend the crane."]
    assert said(bodies, Message) == ["First the files.", "The crane lifts again."]
    made = calls(store)
    named = {"run", "edit", "run_ipython", "call_tool_mcp"}
    assert list(made) == [str(each["id"]) for each in EVENTS if each.get("action") in named]


def outcomes() -> list[tuple[ToolKind, ToolState, bool | None]]:
    made: list[ToolCall] = [*calls(joined(PROVIDER, DEMO)).values()]
    return [(call.kind, call.state, call.ok) for call in made]


def test_calls_end_as_their_observations_say():
    assert outcomes() == [
        (ToolKind.SHELL, ToolState.OUTPUT_AVAILABLE, True),
        (ToolKind.EDIT, ToolState.OUTPUT_AVAILABLE, True),
        (ToolKind.WRITE, ToolState.OUTPUT_ERROR, False),
        (ToolKind.SHELL, ToolState.OUTPUT_ERROR, False),
        (ToolKind.SHELL, ToolState.OUTPUT_DENIED, False),
        (ToolKind.MCP, ToolState.OUTPUT_AVAILABLE, None),
    ]


def test_tokens_are_those_of_each_response_once():
    responses = {
        answer["id"]: answer["usage"]
        for each in EVENTS
        if (answer := each.get("tool_call_metadata", {}).get("model_response"))
    }
    given = sum(usage["prompt_tokens"] for usage in responses.values())
    cached = sum(usage["prompt_tokens_details"]["cached_tokens"] for usage in responses.values())
    output = sum(usage["completion_tokens"] for usage in responses.values())
    tokens = joined(PROVIDER, DEMO).summary.tokens
    assert (tokens["input_uncached"], tokens["input_cached"]) == (given - cached, cached)
    assert tokens["output"] == output


OUTPUT = sample_sessions_dir() / "openhands_events" / "output.jsonl"


def tasks(path: Path) -> dict[str, Any]:
    """The tasks of an evaluation by their names, joined."""
    assert holds_sessions(path)
    return {ref.session_id: joined(PROVIDER, Path(ref.path)) for ref in PROVIDER.scan(path)}


def test_each_task_of_an_evaluation_is_a_session():
    made = tasks(OUTPUT)
    assert sorted(made) == ["quay__crane-1", "quay__crane-2"]
    for name, store in made.items():
        bodies = [each.body for each in shown(store)]
        assert said(bodies, User) == ["Mend the crane."]
        assert said(bodies, Message) == ["First the files.", "The crane lifts again."]
        ended = [(call.kind, call.state, call.ok) for call in calls(store).values()]
        assert ended == outcomes()
        assert store.summary.best_title[2] == name


def test_tokens_cost_and_error_of_a_task_are_those_that_its_evaluation_counts():
    made = tasks(OUTPUT)
    counted = made["quay__crane-1"].summary
    assert (counted.tokens["input_uncached"], counted.tokens["output"]) == (300, 60)
    assert counted.cost == 0.25
    failed = made["quay__crane-2"]
    assert failed.summary.cost == 0.5
    last = [each.body for each in shown(failed)][-1]
    assert isinstance(last, Notification)
    assert last.text == "RuntimeError: Agent reached maximum iteration."


def test_attempts_at_a_task_and_a_last_line_that_is_cut(tmp_path: Path):
    path = tmp_path / "output.jsonl"
    line = OUTPUT.read_text().splitlines()[0]
    path.write_text(f"{line}\n{line}\n{line[:900]}")
    assert sorted(tasks(path)) == ["quay__crane-1", "quay__crane-1#2"]
    assert list(PROVIDER.scan(tmp_path)) == list(PROVIDER.scan(path))


def test_events_of_the_sdk_in_an_evaluation_are_read_as_its_conversations_are(tmp_path: Path):
    demo = sample_sessions_dir() / "openhands" / "demo.jsonl"
    events = [json.loads(line) for line in demo.read_text().splitlines()]
    task: dict[str, Any] = {
        "instance_id": "x",
        "test_result": {},
        "history": [e for e in events if "kind" in e],
    }
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps(task) + "\n")
    own = [each.body for each in shown(joined(load_provider("openhands"), demo))]
    bodies = [each.body for each in shown(tasks(path)["x"])]
    assert said(bodies, User) == said(own, User) != []
    assert said(bodies, Message) == said(own, Message) != []


def test_predictions_of_an_evaluation_are_no_sessions(tmp_path: Path):
    path = tmp_path / "predictions.jsonl"
    path.write_text('{"instance_id": "x", "model_patch": "diff", "model_name_or_path": "m"}\n')
    assert not holds_sessions(path)
    assert recognise(path.read_bytes(), path) is None


def test_events_as_lines_are_a_trajectory(tmp_path: Path):
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in EVENTS))
    assert getattr(recognise(path.read_bytes(), path), "name", None) == PROVIDER.name
    bodies = [each.body for each in shown(joined(PROVIDER, path))]
    assert said(bodies, User) == ["Mend the crane."]
