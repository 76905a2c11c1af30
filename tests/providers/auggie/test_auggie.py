"""Auggie: exchanges, each with what calls of the one before brought."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Message, Reasoning, User
from agentview.domain.tool_inputs import McpPayload
from agentview.domain.tool_results import ReadResult
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers.auggie import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

FILE = sample_sessions_dir() / "auggie" / "demo.json"


def saved(tmp_path: Path, *exchanges: dict[str, Any]) -> Path:
    """A session with these exchanges."""
    history = [{"exchange": each, "completed": True} for each in exchanges]
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"sessionId": "s", "chatHistory": history, "agentState": {}}))
    return path


def test_each_call_is_shown_with_what_came_of_it():
    made = calls(joined(PROVIDER, FILE))
    assert {own: (call.kind, call.ok) for own, call in made.items()} == {
        "t1": (ToolKind.READ, True),
        "t2": (ToolKind.SHELL, False),
        "t3": (ToolKind.WRITE, True),
        "t4": (ToolKind.MCP, True),
    }
    assert isinstance(made["t1"].result, ReadResult)
    assert made["t2"].error == "ls: cannot access '/nowhere'"
    note = made["t4"].payload
    assert isinstance(note, McpPayload)
    assert (note.server, note.tool) == ("workspace", "read_note")


def test_a_text_is_shown_once():
    bodies = [activity.body for activity in shown(joined(PROVIDER, FILE))]
    assert [body.text for body in bodies if isinstance(body, Message)] == [
        "I read the file.",
        "There are 7 crates.",
        "A picture of the quay.",
    ]
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["The file first."]
    asked = [body for body in bodies if isinstance(body, User)]
    assert asked[0].text == "Count the crates in hold.csv and note the sum."
    assert asked[1].blocks == (ImageBlock("image/png", "iVBORw0KGgo="),)


def test_what_is_around_the_history_says_what_it_is_about():
    assert joined(PROVIDER, FILE).summary.usage == Usage(960, 1100, 20, 70)
    info = PROVIDER.info(PROVIDER.discovery.ref(FILE))
    assert (info.title, info.project) == ("Crates in the hold", "/home/dev/harbour")
    assert info.model == "claude-sonnet-4-5"


def test_sessions_are_found_and_are_of_no_other_client(tmp_path: Path):
    place = tmp_path / ".augment" / "sessions"
    place.mkdir(parents=True)
    shutil.copy(FILE, place)
    roots = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    (ref,) = [ref for root in roots if root.is_dir() for ref in PROVIDER.scan(root)]
    assert ref.session_id == "5a3b0d9c-1f7e-4e62-8f10-000000000007"
    assert recognise(FILE.read_bytes(), Path("unnamed")) == load_provider("auggie")


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([{"type": 0, "content": "A"}, {"type": 0, "content": "B"}], ["AB"]),
        ([{"type": 0, "content": "A"}, {"type": 2, "content": "AB"}], ["AB"]),
        ([{"type": 2, "content": ""}], ["whole"]),
        ([None, {"type": "x", "content": 7}], ["whole"]),
    ],
)
def test_the_whole_text_counts(nodes: list[Any], said: list[str], tmp_path: Path):
    path = saved(tmp_path, {"response_text": "whole", "response_nodes": nodes})
    assert texts(joined(PROVIDER, path)) == said


def test_a_call_that_only_began_is_shown(tmp_path: Path):
    use = {"tool_use_id": "a", "tool_name": "view", "input_json": '{"path": "x'}
    path = saved(tmp_path, {"response_nodes": [{"type": 7, "tool_use": use}]})
    assert calls(joined(PROVIDER, path))["a"].kind is ToolKind.READ
