"""Zed: threads in the rows of a database, each written again as a whole."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Message, Reasoning, User
from agentview.domain.tool_inputs import GrepPayload
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers.zed_threads import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

FOLDER = sample_sessions_dir() / "zed_threads"
THREAD, OLDER = (f"0d9c1f7e-5a3b-4e62-8f10-00000000000{at}" for at in (7, 8))


@pytest.mark.parametrize("path", [FOLDER / "demo.jsonl", FOLDER / "threads.db" / THREAD], ids=str)
def test_a_thread_is_shown_with_what_came_of_its_calls(path: Path):
    store = joined(PROVIDER, path)
    made = calls(store)
    assert {own: (call.kind, call.ok) for own, call in made.items()} == {
        "t1": (ToolKind.READ, True),
        "t2": (ToolKind.SHELL, False),
        "t3": (ToolKind.GREP, True),
    }
    sought = made["t3"].payload
    assert isinstance(sought, GrepPayload)
    assert (sought.pattern, sought.include) == ("rum", "**/*.csv")
    bodies = [activity.body for activity in shown(store)]
    asked = [body for body in bodies if isinstance(body, User)]
    assert asked[0].text == "Count the crates in @hold.csv and note the sum."
    assert asked[0].context == ("tea,4\nsalt,3\n",)
    assert asked[1].blocks == (ImageBlock("image/png", "iVBORw0KGgo="),)
    assert [body.withheld for body in bodies if isinstance(body, Reasoning)] == [False, True]
    assert store.summary.usage == Usage(1000, 800, None, 90)


def test_a_thread_of_an_older_version_is_read():
    store = joined(PROVIDER, FOLDER / "threads.db" / OLDER)
    assert texts(store) == ["Where is the rum?", "I look.", "I look."]
    assert calls(store)["t9"].kind is ToolKind.GLOB


def test_threads_are_found_with_what_they_are_about(tmp_path: Path):
    place = tmp_path / ".local" / "share" / "zed" / "threads"
    place.mkdir(parents=True)
    shutil.copy(FOLDER / "threads.db", place)
    roots = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    refs = [ref for root in roots if root.is_dir() for ref in PROVIDER.scan(root)]
    found = {ref.session_id: PROVIDER.info(ref) for ref in refs}
    assert {info.title for info in found.values()} == {"Crates in the hold", "Rum"}
    assert found[THREAD].project == "/home/dev/harbour"
    assert found[THREAD].model == "claude-sonnet-4-5"
    assert found[THREAD].started is not None
    log = FOLDER / "demo.jsonl"
    assert recognise(log.read_bytes(), Path("unnamed")) == load_provider("zed_threads")


def test_a_value_that_is_no_thread_is_reported(tmp_path: Path):
    path = tmp_path / "threads.db"
    shutil.copy(FOLDER / "threads.db", path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE threads SET data = x'00ff00' WHERE id = ?", (THREAD,))
    bodies = [activity.body for activity in shown(joined(PROVIDER, path / THREAD))]
    assert [getattr(body, "reason", None) for body in bodies] == [
        "a thread in another form than JSON, packed or not"
    ]


def test_a_thread_that_is_written_again_is_shown_and_counted_once(tmp_path: Path):
    newer = (FOLDER / "demo.jsonl").read_bytes()
    older = json.loads(newer)
    thread = older["data"]["zstd"]
    thread["messages"] = thread["messages"][:2]
    path = tmp_path / "demo.jsonl"
    path.write_bytes(json.dumps(older).encode() + b"\n" + newer)
    store = joined(PROVIDER, path)
    bodies = [activity.body for activity in shown(store)]
    assert [body.text for body in bodies if isinstance(body, Message)] == [
        "I read the file.",
        "There are 7 crates.",
        "A picture of the quay.",
    ]
    assert len(calls(store)) == 3
    usage = measure(PROVIDER.discovery.ref(path), PriceList(), agents=False)
    assert [turn.prompt for turn in usage.turns] == [
        "Count the crates in @hold.csv and note the sum.",
        "What is this?",
    ]
