"""Conversations of gptme: calls in the words of the model, and what they brought back."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Attachment, Event, Message, Notification, Reasoning, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import EditPayload, ShellPayload, TextEdit, WritePayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers.gptme import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined

FOLDER = sample_sessions_dir() / "gptme"
SAMPLES = sorted(FOLDER.glob("*.jsonl"))


def records(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def calls(path: Path) -> dict[str, ToolCall]:
    store = joined(PROVIDER, path)
    rows = (store.activity(row).body for row in range(store.first, store.end))
    return {body.call_id: body for body in rows if isinstance(body, ToolCall)}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_all_calls_are_shown_and_answered(path: Path):
    asked: set[str] = set()
    for record in records(path):
        if record["role"] == "assistant":
            asked |= set(re.findall(r"^@\w+\((call_\w+)\)", record["content"], re.MULTILINE))
    found = calls(path)
    assert set(found) == asked
    assert ToolState.INPUT_AVAILABLE not in {call.state for call in found.values()}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_tokens_are_those_of_the_messages(path: Path):
    used: Any = [each["metadata"]["usage"] for each in records(path) if each["role"] == "assistant"]
    usage = joined(PROVIDER, path).summary.usage
    assert usage.input_uncached == sum(each["input_tokens"] for each in used)
    assert usage.input_cached == sum(each["cache_read_tokens"] for each in used)
    assert usage.output == sum(each["output_tokens"] for each in used)


def test_results_have_their_forms():
    found = list(calls(FOLDER / "demo.jsonl").values())
    shells = {
        call.payload.command: call.result
        for call in found
        if isinstance(call.payload, ShellPayload) and isinstance(call.result, ShellResult)
    }
    assert shells["python3 src/app.py Ada"] == ShellResult(output="Hello, Ada!", exit_code=0)
    failed = next(result for result in shells.values() if result.exit_code == 3)
    assert failed.output == "out line\n\nerr line"
    listed = shells["grep -rn 'zzz_nothing' src | head -20"]
    assert listed == ShellResult(output="", exit_code=0)
    edit = next(call for call in found if call.kind is ToolKind.EDIT)
    assert isinstance(edit.payload, EditPayload)
    assert edit.payload.files[0].edits == (
        TextEdit('    return "Hello, " + name\n', '    return f"Hello, {name}!"\n'),
    )
    errors = [call.error for call in found if call.ok is False and call.kind is ToolKind.EDIT]
    assert errors == ["Error during execution: Patch failed: original chunk not found in file\n"]
    unknown = {call.provider_name for call in found if call.kind is ToolKind.UNKNOWN}
    assert unknown == {"no_such_tool"}


@pytest.mark.parametrize(
    ("name", "state"),
    [("errors", SessionState.FAILED), ("finished", SessionState.YOUR_TURN)],
)
def test_the_state_is_that_of_the_last_message(name: str, state: SessionState):
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / f"{name}.jsonl"))
    assert info.status.state is state
    assert (info.title or "").startswith("Please do the scripted work.")
    assert info.model == "local/mock-model"


def test_a_folder_has_name_and_project(tmp_path: Path):
    folder = tmp_path / "2026-11-23-quiet-crane"
    folder.mkdir()
    log = folder / "conversation.jsonl"
    log.write_bytes((FOLDER / "finished.jsonl").read_bytes())
    (folder / "events.jsonl").write_text('{"seq": 1, "type": "checkpoint"}\n')
    (folder / "workspace").symlink_to(tmp_path)
    (folder / "config.toml").write_text('[chat]\nname = "Unload"\nworkspace = "/home/dev/quay"\n')
    (ref,) = PROVIDER.scan(tmp_path)
    assert ref.session_id == "2026-11-23-quiet-crane"
    info = PROVIDER.info(ref)
    assert (info.title, info.project) == ("Unload", "/home/dev/quay")
    assert PROVIDER.resume_command(ref) == ("gptme", "--name", "2026-11-23-quiet-crane")


def decoded(role: str, content: str, **more: Any) -> list[Event]:
    record = {"role": role, "content": content, "timestamp": "2026-11-23T02:24:44.5", **more}
    data = json.dumps(record).encode()
    ref = PROVIDER.discovery.ref(FOLDER / "demo.jsonl")
    return PROVIDER.decode(data, SourceRef("x", 0, len(data)), ref)


def test_a_call_in_a_fence_may_have_fences_in_it():
    said = "Look:\n```save docs/a.md\n# A\n```python\nx = 1\n```\nend\n```\nDone."
    bodies = [event.body for event in decoded("assistant", said)]
    assert isinstance(bodies[1], ToolCall)
    assert bodies[1].payload == WritePayload("docs/a.md", "# A\n```python\nx = 1\n```\nend")
    assert [body.text for body in bodies if isinstance(body, Message)] == ["Look:", "Done."]


def test_a_fence_of_another_language_is_words():
    (event,) = decoded("assistant", "```json\n{}\n```")
    assert event.body == Message("```json\n{}\n```")


def test_a_call_in_a_tag_is_one():
    said = "<thinking>hm</thinking>\n<tool-use>\n<shell>\nls -la\n</shell>\n</tool-use>"
    bodies = [event.body for event in decoded("assistant", said)]
    assert bodies[0] == Reasoning("hm")
    assert isinstance(bodies[1], ToolCall)
    assert getattr(bodies[1].payload, "command", None) == "ls -la"


def test_what_a_call_without_an_id_brought_back_is_shown():
    (event,) = decoded("system", "Saved to a.txt")
    assert event.body == Attachment("output", "output", "Saved to a.txt")


def test_a_refusal_is_the_persons():
    (event,) = decoded("system", "Aborted, user chose not to run command.", call_id="c")
    assert getattr(getattr(event.body, "denial", None), "by", None) is DeniedBy.PERSON


def test_a_note_of_the_client_is_no_prompt():
    (event,) = decoded("user", "<system>No tool call detected in last message.</system>")
    assert isinstance(event.body, Attachment)
    note, prompt = decoded("user", "<system_warning>Low on tokens.</system_warning>\nGo on.")
    assert isinstance(note.body, Attachment)
    assert note.body.name == "system_warning"
    assert prompt.body == User("Go on.")
    (event,) = decoded("system", "<budget:token_budget>9</budget:token_budget>")
    assert getattr(event.body, "name", None) == "budget:token_budget"
    (event,) = decoded("user", "Unload.", files=["pic.png"])
    assert isinstance(event.body, User)
    assert len(event.body.blocks) == 1


def test_an_interrupt_is_one():
    (event,) = decoded("system", "Interrupted by user")
    assert isinstance(event.body, Notification)


def test_other_lists_of_messages_are_not_taken():
    probe = PROVIDER.discovery.probe
    assert probe(b'{"role": "user", "content": "x"}', Path("x")) == 0
    other = b'{"role": "user", "content": "x", "timestamp": "2026-01-01T00:00:00Z", "id": "1"}'
    assert probe(other, Path("x")) == 0
