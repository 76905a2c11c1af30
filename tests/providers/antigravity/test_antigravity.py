"""Transcripts of Antigravity: steps, and the calls that they belong to by their numbers."""

import json
from pathlib import Path

from agentview.domain.events import Compaction, Message, Reasoning, Unparsed, User
from agentview.domain.tool_inputs import EditPayload, ShellPayload, WritePayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolKind, ToolState
from agentview.providers import load_provider, recognise
from agentview.providers.antigravity import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

DEMO = sample_sessions_dir() / "antigravity" / "demo.jsonl"


def test_a_call_has_the_step_that_follows_it_in_its_order():
    found = calls(joined(PROVIDER, DEMO))
    asked = sum(
        len(json.loads(line).get("tool_calls", ())) for line in DEMO.read_text().splitlines()
    )
    assert len(found) == asked == 4
    assert {own: (call.kind, call.state) for own, call in found.items()} == {
        "step-3": (ToolKind.LS, ToolState.OUTPUT_AVAILABLE),
        "step-4": (ToolKind.SHELL, ToolState.OUTPUT_ERROR),
        "step-6": (ToolKind.WRITE, ToolState.OUTPUT_AVAILABLE),
        "step-9": (ToolKind.EDIT, ToolState.OUTPUT_ERROR),
    }


def test_arguments_are_read_in_both_forms():
    found = calls(joined(PROVIDER, DEMO))
    shell, write, edit = (found[own].payload for own in ("step-4", "step-6", "step-9"))
    assert isinstance(shell, ShellPayload)
    assert shell.command == "ls quay | wc -l"
    assert isinstance(write, WritePayload)
    assert (write.path, write.content) == ("/home/dev/harbour/notes.md", "Seven crates.\n")
    assert isinstance(edit, EditPayload)
    assert [(each.old, each.new) for each in edit.files[0].edits] == [("Seven", "Eight")]
    assert found["step-3"].title == "Listing the harbour"


def test_a_command_is_without_the_words_of_the_client():
    shell = calls(joined(PROVIDER, DEMO))["step-4"].result
    assert isinstance(shell, ShellResult)
    assert (shell.exit_code, shell.output) == (2, "ls: cannot access 'quay'\n")


def test_a_prompt_is_what_the_person_wrote():
    bodies = [activity.body for activity in shown(joined(PROVIDER, DEMO))]
    prompt = next(body for body in bodies if isinstance(body, User))
    assert prompt.text == "Count the crates on the quay, and note them."
    assert "Model Selection" in prompt.context[0]
    assert [type(body) for body in bodies if isinstance(body, Reasoning | Compaction)] == [
        Reasoning,
        Compaction,
    ]
    assert isinstance(bodies[-1], Message)
    assert not any(isinstance(body, Unparsed) for body in bodies)
    info = PROVIDER.info(PROVIDER.discovery.ref(DEMO))
    assert info.model == "Gemini 3.5 Flash (Medium)"


def test_of_two_transcripts_the_whole_one_is_listed(tmp_path: Path):
    data = DEMO.read_bytes()
    for conversation, names in (("a", ("transcript.jsonl",)), ("b", ("transcript.jsonl",) * 2)):
        logs = tmp_path / conversation / ".system_generated" / "logs"
        logs.mkdir(parents=True)
        for at, name in enumerate(names):
            (logs / ("transcript_full.jsonl" if at else name)).write_bytes(data)
    found = PROVIDER.scan(tmp_path)
    assert [(ref.session_id, Path(ref.path).name) for ref in found] == [
        ("a", "transcript.jsonl"),
        ("b", "transcript_full.jsonl"),
    ]


def test_steps_of_other_types_are_accounted_for(tmp_path: Path):
    step = {"step_index": 1, "source": "MODEL", "status": "DONE", "created_at": "x"}
    records = [
        {**step, "type": "BROWSER_NAVIGATE", "content": "opened"},
        {**step, "type": "SOMETHING_NEW", "source": "SYSTEM"},
        {"type": "PLANNER_RESPONSE"},
    ]
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert recognise(path.read_bytes(), Path("unnamed")) is load_provider(PROVIDER.name)
    bodies = [activity.body for activity in shown(joined(PROVIDER, path))]
    assert [isinstance(body, Unparsed) for body in bodies] == [False, True, True]
