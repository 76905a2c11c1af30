"""Trajectories of OpenHands before its SDK: prompts, calls, outcomes, tokens."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Message, User
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import load_provider, recognise
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
