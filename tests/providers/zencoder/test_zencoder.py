"""Sessions of Zencoder, joined as they are shown, against what a plain reading counts."""

import json
import shutil
from pathlib import Path

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.events import Attachment, Notification, Reasoning, User
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tools import ToolKind, ToolState
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers.zencoder import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

DEMO = sample_sessions_dir() / "zencoder" / "demo.jsonl"
each_way = pytest.mark.parametrize("backward", [False, True])


@each_way
def test_every_call_is_shown_with_what_came_of_it(backward: bool):
    lines = [json.loads(line) for line in DEMO.read_text().splitlines()]
    parts = [part for line in lines if line.get("role") == "assistant" for part in line["content"]]
    made = calls(joined(PROVIDER, DEMO, backward=backward))
    assert {own: call.provider_name for own, call in made.items()} == {
        part["toolCallId"]: part["toolName"] for part in parts if part["type"] == "tool-call"
    }
    assert [(call.kind, call.state) for call in made.values()] == [
        (ToolKind.READ, ToolState.OUTPUT_AVAILABLE),
        (ToolKind.SHELL, ToolState.OUTPUT_ERROR),
        (ToolKind.SUBAGENT_TASK, ToolState.OUTPUT_AVAILABLE),
    ]
    assert made["t1"].output == (TextBlock("tea,4\nsalt,3"),)
    task = made["t3"].payload
    assert isinstance(task, SubagentPayload)
    assert (task.prompt, task.agent_type) == ("Ask the harbour master.", "research")


@each_way
def test_a_prompt_has_the_persons_words_and_what_the_client_added(backward: bool):
    bodies = [each.body for each in shown(joined(PROVIDER, DEMO, backward=backward))]
    asked = [body for body in bodies if isinstance(body, User)]
    assert [body.text for body in asked] == ["Count the crates.", "And the rum?"]
    assert asked[0].context == ("Be brief.", "counting\nCount twice.", "No todos.")
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["A list of crates."]
    assert [body.name for body in bodies if isinstance(body, Attachment)] == ["system message"]
    notes = [body.text for body in bodies if isinstance(body, Notification)]
    assert notes == ["Turn finished: cancelled"]


def test_a_message_that_the_client_wrote_is_no_prompt(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    said = {"role": "user", "content": [{"type": "text", "text": "No todos.", "tag": "reminder"}]}
    path.write_text(DEMO.read_text() + json.dumps(said) + "\n")
    assert texts(joined(PROVIDER, path))[-1] == "No todos."
    bodies = [each.body for each in shown(joined(PROVIDER, path))]
    assert len([body for body in bodies if isinstance(body, User)]) == 2


def test_a_list_names_the_session_by_its_id_and_folder(tmp_path: Path):
    (root,) = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    root.mkdir(parents=True)
    shutil.copy(DEMO, root)
    (ref,) = PROVIDER.scan(root)
    info = PROVIDER.info(ref)
    assert info.ref.session_id == "0d9c1f7e-5a3b-4e62-8f10-000000000041"
    assert (info.project, info.model) == ("/home/dev/harbour", "claude-sonnet-4-5")
    head = DEMO.read_bytes()
    assert recognise(head, Path("unnamed")) == load_provider("zencoder")
