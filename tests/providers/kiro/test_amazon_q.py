"""Amazon Q CLI: conversations in the rows of two tables, each written again as a whole."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from agentview.domain.events import Compaction, Reasoning, User
from agentview.domain.tool_inputs import GrepPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import DeniedBy, ToolKind, ToolState
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers.kiro.amazon_q import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

FOLDER = sample_sessions_dir() / "amazon_q"
DATABASE = FOLDER / "data.sqlite3"
OWN, OLD, PAIRS = (f"0d9c1f7e-5a3b-4e62-8f10-00000000003{at}" for at in (1, 2, 3))


@pytest.mark.parametrize(
    "path", [FOLDER / "demo.jsonl", DATABASE / OWN], ids=lambda path: path.name
)
def test_a_conversation_is_shown_with_what_came_of_its_calls(path: Path):
    store = joined(PROVIDER, path)
    made = calls(store)
    assert {own: (call.kind, call.state) for own, call in made.items()} == {
        "t1": (ToolKind.READ, ToolState.OUTPUT_AVAILABLE),
        "t2": (ToolKind.LS, ToolState.OUTPUT_AVAILABLE),
        "t3": (ToolKind.SHELL, ToolState.OUTPUT_ERROR),
        "t4": (ToolKind.EDIT, ToolState.OUTPUT_AVAILABLE),
        "t5": (ToolKind.SHELL, ToolState.OUTPUT_DENIED),
    }
    command, refused = made["t3"].result, made["t5"].denial
    assert isinstance(command, ShellResult)
    assert (command.exit_code, command.stderr) == (1, "wc: no such file")
    assert refused is not None
    assert (refused.by, refused.words) == (DeniedBy.PERSON, "No, leave it.")
    bodies = [activity.body for activity in shown(store)]
    asked = [body for body in bodies if isinstance(body, User)]
    assert [body.text for body in asked] == ["Count the crates.", "No, leave it.", "And the rum?"]
    assert "Be brief." in asked[0].context[0]
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["Leave it."]
    assert [body.summary for body in bodies if isinstance(body, Compaction)] == ["A ship came in."]


@pytest.mark.parametrize(
    "path", [FOLDER / "pairs.jsonl", DATABASE / PAIRS], ids=lambda path: path.name
)
def test_entries_that_are_lists_are_read(path: Path):
    store = joined(PROVIDER, path)
    assert texts(store) == ["Look.", "There."]
    sought = calls(store)["p1"]
    assert isinstance(sought.payload, GrepPayload)
    assert (sought.payload.pattern, sought.ok) == ("rum", True)


@pytest.mark.parametrize("client", ["amazon-q", "kiro-cli"])
def test_conversations_are_found_with_what_they_are_about(client: str, tmp_path: Path):
    place = tmp_path / ".local" / "share" / client
    place.mkdir(parents=True)
    shutil.copy(DATABASE, place)
    roots = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    refs = [ref for root in roots if root.is_dir() for ref in PROVIDER.scan(root)]
    found = {ref.session_id: PROVIDER.info(ref) for ref in refs}
    assert found.keys() == {OWN, OLD, PAIRS}
    assert (found[OWN].project, found[OWN].model) == ("/home/dev/harbour", "claude-sonnet-4.5")
    assert found[OLD].project == "/home/dev/rum"
    log = FOLDER / "demo.jsonl"
    assert recognise(log.read_bytes(), Path("unnamed")) == load_provider("amazon_q")


def test_a_database_of_before_the_newer_table_is_listed(tmp_path: Path):
    path = tmp_path / "data.sqlite3"
    shutil.copy(DATABASE, path)
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE conversations_v2")
    refs = {ref.session_id: ref for ref in PROVIDER.scan(tmp_path)}
    assert refs.keys() == {OWN, OLD, PAIRS}
    assert texts(joined(PROVIDER, Path(refs[OWN].path)))[0] == "Count the crates."


def test_a_conversation_that_is_written_again_is_shown_once(tmp_path: Path):
    newer = (FOLDER / "demo.jsonl").read_bytes().splitlines()[-1]
    older = json.loads(newer)
    older["value"] |= {"history": older["value"]["history"][:2], "next_message": None}
    path = tmp_path / "demo.jsonl"
    path.write_bytes(json.dumps(older).encode() + b"\n" + newer)
    store = joined(PROVIDER, path)
    assert texts(store) == texts(joined(PROVIDER, FOLDER / "demo.jsonl"))
    assert len(calls(store)) == 5
