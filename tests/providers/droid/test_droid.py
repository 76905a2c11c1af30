"""Sessions and printed runs of Droid, against what a plain reading of the files counts."""

import json
import re
import shutil
from pathlib import Path

import pytest

from agentview.domain.events import Attachment, Compaction, Message, Notification, Topic, User
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import GlobPayload, ShellPayload, TodosPayload, TodoStatus
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import DeniedBy, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "droid"
PROVIDER = load_provider("droid")
each_way = pytest.mark.parametrize("backward", [False, True])


@each_way
def test_every_call_is_shown_once_and_answered(backward: bool):
    text = (FOLDER / "demo.jsonl").read_text()
    asked = set(re.findall(r'"tool_use", "id": "(\w+)"', text))
    made = calls(joined(PROVIDER, FOLDER / "demo.jsonl", backward=backward))
    assert set(made) == asked
    assert len(asked) == text.count('"type": "tool_result"') == 13
    assert ToolState.INPUT_AVAILABLE not in {call.state for call in made.values()}


def test_tools_have_their_kinds_and_arguments():
    made = calls(joined(PROVIDER, FOLDER / "demo.jsonl"))
    kinds = {call.provider_name: call.kind for call in made.values()}
    assert kinds["Execute"] is ToolKind.SHELL
    assert kinds["Create"] is ToolKind.WRITE
    assert kinds["Edit"] is kinds["ApplyPatch"] is ToolKind.EDIT
    assert kinds["FetchUrl"] is ToolKind.WEB_FETCH
    assert kinds["Task"] is ToolKind.SUBAGENT_TASK
    glob, todos, shell = (made[name].payload for name in ("t3", "t5", "t9"))
    assert isinstance(glob, GlobPayload)
    assert (glob.pattern, glob.path) == ("*.txt, *.md", "hold")
    assert isinstance(todos, TodosPayload)
    assert [(item.text, item.status) for item in todos.items] == [
        ("read the list", TodoStatus.COMPLETED),
        ("unload tea", TodoStatus.IN_PROGRESS),
        ("unload rice", TodoStatus.PENDING),
    ]
    assert isinstance(shell, ShellPayload)
    assert shell.timeout == 30


def test_failures_and_refusals():
    made = calls(joined(PROVIDER, FOLDER / "demo.jsonl"))
    failed, refused = made["t9"], made["t10"]
    assert isinstance(failed.result, ShellResult)
    assert (failed.ok, failed.result.exit_code, failed.result.output) == (False, 3, "no rice")
    assert refused.state is ToolState.OUTPUT_DENIED
    assert refused.denial is not None
    assert refused.denial.by is DeniedBy.PERSON


def test_a_prompt_is_what_the_person_said():
    bodies = [each.body for each in shown(joined(PROVIDER, FOLDER / "demo.jsonl"))]
    (prompt,) = [body for body in bodies if isinstance(body, User)]
    assert prompt.text == "Unload the ship."
    assert "The quay is wet." in prompt.context[0]
    assert len(prompt.blocks) == 1
    assert [body.summary for body in bodies if isinstance(body, Compaction)] == [
        "Tea is on the quay."
    ]


def test_session_facts(tmp_path: Path):
    path = Path(shutil.copy(FOLDER / "demo.jsonl", tmp_path / "x.jsonl"))
    info = PROVIDER.info(PROVIDER.discovery.ref(path))
    assert (info.title, info.project) == ("Unloading the ship", "/home/dev/harbour")
    assert (info.state, info.model) == (SessionState.YOUR_TURN, None)
    path.with_name("x.settings.json").write_text(json.dumps({"model": "quay-1"}))
    assert PROVIDER.info(PROVIDER.discovery.ref(path)).model == "quay-1"
    assert PROVIDER.resume_command(info.ref) == ("droid", "--resume", info.ref.session_id)


def test_a_limit_is_one():
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "limited.jsonl"))
    assert (info.title, info.state) == ("lift", SessionState.LIMITED)


@each_way
def test_the_last_message_of_a_run_is_shown_once(backward: bool):
    store = joined(PROVIDER, FOLDER / "printed.jsonl", backward=backward)
    bodies = [each.body for each in shown(store)]
    assert [body.text for body in bodies if isinstance(body, Message)] == ["Ok", "Ok"]
    assert [body.topic for body in bodies if isinstance(body, Notification)] == [Topic.TURN_END]
    usage = store.summary.usage
    assert (usage.input_uncached, usage.input_cached, usage.output) == (10, 2, 5)
    call = calls(store)["c1"]
    assert isinstance(call.result, ShellResult)
    assert (call.ok, call.result.stdout) == (True, "lifted\n")


@each_way
def test_a_run_of_a_real_client(backward: bool):
    """Recorded with 0.225.2 and a model of its own; the context is shortened."""
    store = joined(PROVIDER, FOLDER / "exec.jsonl", backward=backward)
    bodies = [each.body for each in shown(store)]
    assert [body.text for body in bodies if isinstance(body, User)] == ["Unload the ship."]
    (note,) = [body for body in bodies if isinstance(body, Attachment)]
    assert "The quay is wet." in (note.text or "")
    assert isinstance(bodies[-1], Notification)
    assert bodies[-1].topic is Topic.TURN_END
    made = [call for call in calls(store).values() if call.kind is ToolKind.SHELL]
    printed, failed, late, launched = sorted(made, key=lambda call: int(call.call_id[5:]))
    results = [call.result for call in (printed, failed, late, launched)]
    assert all(isinstance(result, ShellResult) for result in results)
    assert results[0] == ShellResult(output="a\nb\nerr", exit_code=0)
    assert results[1] == ShellResult(output="", exit_code=3)
    assert (failed.ok, failed.error) == (False, None)
    assert (late.ok, getattr(results[2], "timed_out", None)) == (False, True)
    assert results[3] == ShellResult(
        output="",
        task_id="88",
        launched=True,
        spill_path="/tmp/droid-bg-1.out",  # noqa: S108
    )
    others = [call for call in calls(store).values() if call.kind is not ToolKind.SHELL]
    assert [call.ok for call in others].count(False) == 2
    assert None not in {call.ok for call in others}
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "exec.jsonl"))
    assert (info.state, info.model) == (SessionState.YOUR_TURN, "custom:Scripted-0")


def test_a_turn_that_failed_or_was_stopped(tmp_path: Path):
    text = (FOLDER / "rejected.jsonl").read_text()
    states = {
        "model_request_rejected": "failed",
        "prompt_rejected": "failed",
        "model_rate_limited": "limited",
        "cancelled": "interrupted",
        "spec_handoff": "your-turn",
    }
    for reason, state in states.items():
        path = tmp_path / f"{reason}.jsonl"
        path.write_text(text.replace("model_request_rejected", reason))
        assert PROVIDER.info(PROVIDER.discovery.ref(path)).state == state


def test_the_error_of_a_printed_result_is_in_its_words(tmp_path: Path):
    own = {"id": "c1", "toolName": "Edit", "toolId": "Edit", "session_id": "s", "timestamp": 1}
    error = {"type": "tool_error", "message": "Error: The text was not found."}
    path = tmp_path / "printed.jsonl"
    lines = (
        {"type": "tool_call", "parameters": {"file_path": "/a"}, **own},
        {"type": "tool_result", "isError": True, "error": error, **own},
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    call = calls(joined(PROVIDER, path))["c1"]
    assert (call.ok, call.error) == (False, "Error: The text was not found.")


def test_records_of_others_are_not_taken():
    probe = PROVIDER.discovery.probe
    for record in (
        {"type": "message", "role": "user", "text": "x"},
        {"type": "session_start", "id": "x"},
        {"type": "system", "session_id": "x", "model": "m", "cwd": "/"},
    ):
        assert probe(json.dumps(record).encode(), Path("x.jsonl")) == 0
