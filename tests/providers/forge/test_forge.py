"""Forge: conversations in the rows of a database, each written again as a whole."""

import json
import shutil
from pathlib import Path

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Attachment, Reasoning, User
from agentview.domain.tool_inputs import AskPayload, SubagentPayload
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers.forge import PROVIDER
from agentview.providers.forge.tools import SPECS
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

FOLDER = sample_sessions_dir() / "forge"
DATABASE = FOLDER / "demo.forge.db"
OWN, AGENT, OLDER, EMPTY = (f"0d9c1f7e-5a3b-4e62-8f10-00000000002{at}" for at in (1, 2, 3, 4))


@pytest.mark.parametrize(
    "path", [FOLDER / "demo.jsonl", DATABASE / OWN], ids=lambda path: path.name
)
def test_a_conversation_is_shown_with_what_came_of_its_calls(path: Path):
    store = joined(PROVIDER, path)
    made = calls(store)
    assert {own: (call.kind, call.ok) for own, call in made.items()} == {
        "t1": (ToolKind.READ, True),
        "t2": (ToolKind.GREP, True),
        "t3": (ToolKind.EDIT, True),
        "t4": (ToolKind.SHELL, False),
        "t5": (ToolKind.SUBAGENT_TASK, True),
    }
    task = made["t5"].payload
    assert isinstance(task, SubagentPayload)
    assert (task.prompt, task.agent_type) == ("Ask the harbour master.", "sage")
    bodies = [activity.body for activity in shown(store)]
    asked = [body for body in bodies if isinstance(body, User)]
    assert [body.text for body in asked] == ["Count the crates in @[hold.csv].", "What is this?"]
    assert asked[0].context == ("<system_date>2026-11-24</system_date>",)
    assert asked[1].blocks == (ImageBlock("image/png", "iVBORw0KGgo=", byte_size=9),)
    assert [body.text for body in bodies if isinstance(body, Attachment)] == ["tea,4\nsalt,3\n"]
    assert [body.withheld for body in bodies if isinstance(body, Reasoning)] == [False, True]
    # What the client estimated is not counted.
    assert store.summary.usage == Usage(400, 3600 + 1500, None, 121)


def test_a_conversation_of_an_older_version_is_read():
    store = joined(PROVIDER, DATABASE / OLDER)
    assert texts(store) == ["Where is the rum?", "I look."]
    assert calls(store)["o1"].kind is ToolKind.GREP
    assert calls(store)["o1"].ok


def test_a_question_has_its_options():
    payload = SPECS["followup"].payload({"question": "Which pier?", "option1": "A", "option2": "B"})
    assert isinstance(payload, AskPayload)
    (question,) = payload.questions
    assert [option.label for option in question.options] == ["A", "B"]


def test_conversations_are_found_with_what_they_are_about(tmp_path: Path):
    place = tmp_path / ".forge"
    place.mkdir()
    shutil.copy(DATABASE, place / ".forge.db")
    roots = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    refs = [ref for root in roots if root.is_dir() for ref in PROVIDER.scan(root)]
    found = {ref.session_id: PROVIDER.info(ref) for ref in refs}
    assert found.keys() == {OWN, AGENT, OLDER}
    assert (found[OWN].title, found[OWN].project) == ("Crates in the hold", "/home/dev/harbour")
    assert found[OWN].model == "anthropic/claude-sonnet-4.5"
    assert PROVIDER.resume_command(found[OWN].ref) == ("forge", "--conversation-id", OWN)
    log = FOLDER / "demo.jsonl"
    assert recognise(log.read_bytes(), Path("unnamed")) == load_provider("forge")


def test_a_conversation_that_is_written_again_is_shown_and_counted_once(tmp_path: Path):
    newer = (FOLDER / "demo.jsonl").read_bytes()
    older = json.loads(newer)
    older["context"]["messages"] = older["context"]["messages"][:6]
    path = tmp_path / "demo.jsonl"
    path.write_bytes(json.dumps(older).encode() + b"\n" + newer)
    store = joined(PROVIDER, path)
    assert texts(store) == texts(joined(PROVIDER, FOLDER / "demo.jsonl"))
    assert len(calls(store)) == 5
    assert store.summary.usage.output == 121
