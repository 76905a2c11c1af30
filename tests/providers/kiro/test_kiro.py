"""Kiro CLI: messages of parts, calls with what they came to, and the description next to a log."""

import json
import shutil
from pathlib import Path

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Reasoning, Unparsed, User
from agentview.domain.tool_results import ReadResult, ShellResult
from agentview.domain.tools import ToolKind
from agentview.providers import load_provider, recognise
from agentview.providers.kiro.kiro import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts, write

FILE = sample_sessions_dir() / "kiro" / "demo.jsonl"


def said(kind: str, *content: tuple[str, object]) -> dict[str, object]:
    parts = [{"kind": name, "data": data} for name, data in content]
    return {"version": "v1", "kind": kind, "data": {"message_id": kind, "content": parts}}


def test_each_call_is_shown_with_what_came_of_it():
    made = calls(joined(PROVIDER, FILE))
    assert {own: (call.kind, call.ok) for own, call in made.items()} == {
        "t1": (ToolKind.READ, True),
        "t2": (ToolKind.SHELL, True),
        "t3": (ToolKind.WRITE, True),
        "t4": (ToolKind.EDIT, False),
        "t5": (ToolKind.SHELL, False),
    }
    assert isinstance(made["t1"].result, ReadResult)
    counted, missed = made["t2"].result, made["t5"].result
    assert isinstance(counted, ShellResult)
    assert isinstance(missed, ShellResult)
    assert (counted.stdout, counted.exit_code, missed.exit_code) == ("2 hold.csv\n", 0, 1)
    assert made["t4"].error == "no occurrences of oldStr were found"


def test_prompts_thoughts_and_pictures_are_shown():
    bodies = [activity.body for activity in shown(joined(PROVIDER, FILE))]
    asked = [body for body in bodies if isinstance(body, User)]
    assert [body.text for body in asked] == [
        "Count the crates in hold.csv and note the sum.",
        "What is this?",
    ]
    assert asked[1].blocks == (ImageBlock("image/png", "iVBORw0KGgo="),)
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["The file first."]


def test_the_description_next_to_a_log_says_what_it_is_about(tmp_path: Path):
    for each in (FILE, FILE.with_suffix(".json")):
        shutil.copy(each, tmp_path / f"0b5f3a52{each.suffix}")
    info = PROVIDER.info(PROVIDER.discovery.ref(tmp_path / "0b5f3a52.jsonl"))
    assert info.ref.session_id == "demo"
    assert (info.title, info.project) == ("Crates in the hold", "/home/dev/harbour")
    assert info.model == "claude-sonnet-4.5"
    (tmp_path / "0b5f3a52.json").write_text(json.dumps({"title": ["x"], "session_state": 7}))
    alone = PROVIDER.info(PROVIDER.discovery.ref(tmp_path / "0b5f3a52.jsonl"))
    assert (alone.ref.session_id, alone.model) == ("0b5f3a52", None)
    assert alone.title == "Count the crates in hold.csv and note the sum."


def test_a_part_of_an_unknown_kind_is_shown_as_it_is(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", [said("AssistantMessage", ("hologram", {"of": "a quay"}))])
    (activity,) = shown(joined(PROVIDER, path))
    assert "hologram" in repr(activity.body)


def test_a_line_of_an_unknown_kind_is_reported(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", [said("Prompt", ("text", "hi")), said("Tide")])
    assert recognise(path.read_bytes(), path) == load_provider("kiro")
    bodies = [activity.body for activity in shown(joined(PROVIDER, path))]
    (report,) = [body for body in bodies if isinstance(body, Unparsed)]
    assert report.record_type == "Tide"


@pytest.mark.parametrize("status", [None, "timed out"])
def test_how_a_call_ended_may_be_unknown(status: str | None, tmp_path: Path):
    called = said("AssistantMessage", ("toolUse", {"toolUseId": "a", "name": "grep"}))
    answer = said("ToolResults", ("toolResult", {"toolUseId": "a", "status": status}))
    store = joined(PROVIDER, write(tmp_path / "s.jsonl", [called, answer]))
    assert calls(store)["a"].ok is None
    assert texts(store) == []
