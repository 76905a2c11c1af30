"""Chats of Codebuff: answers in parts, and agents with what they did."""

import json
import shutil
from pathlib import Path
from typing import Any

from agentview.domain.content import ResourceBlock
from agentview.domain.events import Message, Notification, Reasoning, User
from agentview.domain.session import StreamKind
from agentview.domain.tools import ToolKind
from agentview.providers import provider_roots, recognise
from agentview.providers.codebuff import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

FOLDER = sample_sessions_dir() / "codebuff" / "2026-11-24T16-00-00.000Z"
FILE = FOLDER / "chat-messages.json"


def saved(tmp_path: Path, *messages: dict[str, Any]) -> Path:
    """A chat with these messages."""
    path = tmp_path / "2026-11-24T16-00-00.000Z" / "chat-messages.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(messages))
    return path


def test_each_call_is_shown_with_what_came_of_it():
    made = calls(joined(PROVIDER, FILE))
    assert {own: (call.kind, call.ok) for own, call in made.items()} == {
        "t1": (ToolKind.SHELL, True),
        "a1": (ToolKind.SUBAGENT_TASK, True),
        "t2": (ToolKind.READ, None),
    }


def test_words_and_thoughts_are_shown_once():
    bodies = [activity.body for activity in shown(joined(PROVIDER, FILE))]
    assert [body.text for body in bodies if isinstance(body, User)] == [
        "Count the crates in hold.csv and note the sum."
    ]
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["The file first."]
    assert [body.text for body in bodies if isinstance(body, Message)] == [
        "I look at the file.",
        "4 and 3 are 7.",
        "There are 7 crates.",
    ]
    noted = [body.text for body in bodies if isinstance(body, Notification)]
    assert noted == ["Mode: DEFAULT", "The request took too long."]


def test_what_an_agent_did_is_in_a_stream_of_its_own():
    rows = shown(joined(PROVIDER, FILE))
    inner = [
        row.body.text
        for row in rows
        if row.events[0].stream.kind is StreamKind.SUBAGENT and isinstance(row.body, Message)
    ]
    assert inner == ["4 and 3 are 7."]


def test_the_folder_says_when_and_the_state_where(tmp_path: Path):
    chat = tmp_path / FOLDER.name
    shutil.copytree(FOLDER, chat)
    info = PROVIDER.info(PROVIDER.discovery.ref(chat / FILE.name))
    assert info.ref.session_id == "2026-11-24T16-00-00.000Z"
    assert info.project == "/quay"
    (chat / "run-state.json").unlink()
    assert PROVIDER.info(PROVIDER.discovery.ref(chat / FILE.name)).project is None


def test_a_time_without_a_day_is_left_out(tmp_path: Path):
    path = saved(tmp_path, {"variant": "user", "content": "hi", "timestamp": "04:20 PM"})
    (row,) = shown(joined(PROVIDER, path))
    assert row.started is None
    assert PROVIDER.info(PROVIDER.discovery.ref(path)).started is not None


def test_files_of_a_prompt_and_unknown_parts(tmp_path: Path):
    path = saved(
        tmp_path,
        {"variant": "user", "content": "see", "blocks": [{"type": "image", "filename": "q.png"}]},
        {"variant": "ai", "blocks": [{"type": "plan", "content": "Three steps"}, {"type": "tide"}]},
    )
    first, *others = shown(joined(PROVIDER, path))
    assert isinstance(first.body, User)
    assert first.body.blocks == (ResourceBlock(name="q.png"),)
    assert len(others) == 2
    assert "Three steps" in texts(joined(PROVIDER, path))


def test_it_is_known_by_its_messages_and_found_in_its_folder():
    found = recognise(FILE.read_bytes(), FILE)
    assert found is not None
    assert found.name == "codebuff"
    roots = provider_roots(PROVIDER.name, {"HOME": "/home/user"})
    assert Path("/home/user/.config/manicode/projects") in roots
