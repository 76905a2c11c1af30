"""Trajectories, joined as they are shown, against what a plain reading of the files counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Attachment, Compaction, Event, Notification, Reasoning, User
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import ShellPayload, TodosPayload
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers import provider_roots
from agentview.providers._kit.named_agent import provider_of
from agentview.providers.atif import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined, shown, texts
from tests.samples import Sample

FOLDER = sample_sessions_dir() / "atif"
SAMPLES = sorted(FOLDER.iterdir())


def counted(trajectory: Any) -> int:
    """Calls of a trajectory and of those inside it, by a reading of its own."""
    own = sum(len(step.get("tool_calls") or ()) for step in trajectory["steps"])
    return own + sum(map(counted, trajectory.get("subagent_trajectories") or ()))


def calls(path: Path) -> dict[str, ToolCall]:
    """All calls of a document, those of its agents too."""
    store = joined(PROVIDER, path)
    rows = (store.activity(row).body for row in range(store.first, store.end))
    return {body.call_id: body for body in rows if isinstance(body, ToolCall)}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_all_calls_are_shown_and_answered(path: Path):
    found = calls(path)
    assert len(found) == counted(json.loads(path.read_bytes()))
    # What an agent that was started came to is told in its own stream.
    others = [call for call in found.values() if call.kind is not ToolKind.SUBAGENT_TASK]
    assert ToolState.INPUT_AVAILABLE not in {call.state for call in others}


@pytest.mark.parametrize("name", ["demo", "refused", "cline"])
def test_tokens_are_those_of_the_steps_and_of_the_totals(name: str):
    path = FOLDER / f"{name}.json"
    document: Any = json.loads(path.read_bytes())
    used: Any = [step["metrics"] for step in document["steps"] if "metrics" in step]
    usage = joined(PROVIDER, path).summary.usage
    given = (usage.input_uncached or 0) + (usage.input_cached or 0) + (usage.cache_write or 0)
    assert given == sum(each["prompt_tokens"] for each in used)
    assert given == document["final_metrics"]["total_prompt_tokens"]
    assert usage.output == sum(each["completion_tokens"] for each in used)


def test_tools_are_those_of_the_agent():
    found = list(calls(FOLDER / "demo.json").values())
    assert {ToolKind.EDIT, ToolKind.SUBAGENT_TASK, ToolKind.READ} <= {call.kind for call in found}
    todos = [call.payload for call in found if call.provider_name == "TaskCreate"]
    assert all(isinstance(payload, TodosPayload) for payload in todos)
    edits = [call for call in found if call.kind is ToolKind.EDIT and call.ok is not False]
    assert edits
    assert all(getattr(call.result, "files", ()) for call in edits)


def test_an_agent_is_found_by_what_harbor_calls_it():
    names = ["claude-code", "codex", "gemini-cli", "cursor-cli", "opencode", "mini-swe-agent"]
    found = [provider_of(name) for name in names]
    assert [each.name if each is not None else None for each in found] == [
        "claude_code",
        "codex",
        "gemini_cli",
        "cursor",
        "opencode",
        "swe_agent",
    ]
    assert provider_of("terminus-2") is None


def test_a_failure_is_one_and_has_its_words_alone():
    found = list(calls(FOLDER / "refused.json").values())
    failed = [call for call in found if call.ok is False]
    assert failed
    assert not any("[error] tool reported failure" in (call.error or "") for call in failed)


def test_agents_are_streams_of_their_own():
    found = events(FOLDER / "agents.json")
    inner = {e.body.call_id for e in found if e.stream.id and isinstance(e.body, ToolCall)}
    assert inner == {"s1"}
    assert {e.child.id for e in found if e.child is not None} == {"t-count"}
    found = events(FOLDER / "demo.json")
    agents = {"a30b1d93f8835b886", "a8e8dc00e5dcecb4a"}
    assert {e.stream.id for e in found if e.stream.kind is StreamKind.SUBAGENT} == agents
    assert {e.child.id for e in found if e.child is not None} == agents


def events(path: Path) -> list[Event]:
    sample = Sample(PROVIDER, path, path.stem)
    return list(sample.events())


def test_everything_of_a_step_is_shown():
    store = joined(PROVIDER, FOLDER / "agents.json")
    bodies = [activity.body for activity in shown(store)]
    prompt = next(body for body in bodies if isinstance(body, User))
    assert prompt.blocks == (ImageBlock(media_type="image/png", uri="images/step_2.png"),)
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["First the quay."]
    assert {"The crane rests.", "A run that was written by hand."} <= {
        body.text for body in bodies if isinstance(body, Attachment)
    }
    notes = [body.text for body in bodies if isinstance(body, Notification)]
    assert notes == ["Continued in trajectory.cont-1.json"]
    assert "All is unloaded." in texts(store)


def test_an_output_without_a_name_is_of_the_last_call():
    assert "lifted" in str(calls(FOLDER / "agents.json")["c3"].output)


def test_an_output_of_several_calls_ends_all_of_them(tmp_path: Path):
    asked = [
        {"tool_call_id": own, "function_name": "bash_command", "arguments": {"keystrokes": typed}}
        for own, typed in (("c1", "cd quay\n"), ("c2", "ls\n"))
    ]
    step = {"step_id": 1, "source": "agent", "message": "Look.", "tool_calls": asked,
            "observation": {"results": [{"content": "crane.py"}]}}  # fmt: skip
    agent = {"name": "terminus-2", "version": "2"}
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"schema_version": "ATIF-v1.8", "agent": agent, "steps": [step]}))
    made = calls(path)
    assert [call.state for call in made.values()] == [ToolState.OUTPUT_AVAILABLE] * 2
    assert [call.ok for call in made.values()] == [None, None]
    assert "crane.py" in str(made["c2"].output)
    payloads = [call.payload for call in made.values()]
    typed = [each.command for each in payloads if isinstance(each, ShellPayload)]
    assert [each.strip() for each in typed if each] == ["cd quay", "ls"]


def test_copied_steps_cost_nothing_again():
    usage = joined(PROVIDER, FOLDER / "agents.json").summary.usage
    assert usage.output == 80 + 10


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_trajectory_is_of_a_run_that_ended(path: Path):
    info = PROVIDER.info(PROVIDER.discovery.ref(path))
    assert info.state is SessionState.ENDED
    assert info.title
    assert info.client_version


def test_a_document_is_not_taken_by_one_key():
    probe = PROVIDER.discovery.probe
    assert probe(b'{"steps": [{"step_id": 1, "source": "user", "message": "x"}]}', Path("x")) == 0
    assert probe(b'{"schema_version": "1.7", "about": "ATIF-v1.7"}', Path("x")) == 0


def test_what_a_client_writes_around_a_prompt_or_in_place_of_one(tmp_path: Path):
    around = {"schema_version": "ATIF-v1.5", "agent": {"name": "claude-code", "version": "2"}}
    summary = "This session is being continued from a previous conversation. Done: all."
    said = ['<user_input mode="act">Do it.</user_input>', summary, "Go on."]
    steps = [{"step_id": at, "source": "user", "message": each} for at, each in enumerate(said)]
    path = tmp_path / "t.json"
    path.write_text(json.dumps({**around, "steps": steps}))
    store = joined(PROVIDER, path)
    bodies = [store.activity(row).body for row in range(store.first, store.end)]
    assert [body.text for body in bodies if isinstance(body, User)] == ["Do it.", "Go on."]
    assert [body.summary for body in bodies if isinstance(body, Compaction)] == [summary]


def test_steps_of_devin_have_members_of_their_own():
    path = FOLDER / "devin.json"
    store = joined(PROVIDER, path)
    bodies = [(activity.started, activity.body) for activity in shown(store)]
    asked = [(time, body.text) for time, body in bodies if isinstance(body, User)]
    assert asked == [(1795507200.0, "Count the crates."), (1795507260.0, "Thanks.")]
    # Where tokens are in the metadata, the input is without those of a cache.
    assert store.summary.usage == Usage(100 + 50, 300 + 400, 5, 29)
    (ref,) = [ref for ref in PROVIDER.scan(FOLDER) if ref.path.endswith("devin.json")]
    assert PROVIDER.info(ref).ref.label == "Devin"


def test_transcripts_of_devin_are_found(tmp_path: Path):
    place = tmp_path / ".local/share/devin/cli/transcripts"
    place.mkdir(parents=True)
    (place / "fair-harbour.json").write_bytes((FOLDER / "devin.json").read_bytes())
    roots = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    found = [ref.session_id for root in roots if root.is_dir() for ref in PROVIDER.scan(root)]
    assert found == ["fair-harbour"]
