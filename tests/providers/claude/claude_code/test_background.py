"""Files of what Claude Code does in the background of a session (shapes of 2.1.332)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.background import WorkflowPhase
from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from tests.claude_log import SESSION, ClaudeLog, write

PROVIDER = load_provider("claude_code")
RUN = "wf_eb6e2ac5-cc6"
SCRIPT = (
    "export const meta = { name: 'two-steps', phases: [{title: 'Count'}, {title: \"Check\"}] };\n"
    "phase('Count');\n"
)


@pytest.fixture
def ref(tmp_path: Path) -> SessionRef:
    path = tmp_path / ".claude/projects/-home-dev-shop" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    return PROVIDER.discovery.ref(write(path, [ClaudeLog().prompt("Count")]))


def journal(ref: SessionRef, *records: dict[str, Any]) -> Path:
    folder = Path(ref.path).with_suffix("") / "subagents/workflows" / RUN
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "journal.jsonl").write_text(lines)
    return folder.parents[2] / "workflows"


def began(agent: str, phase: str) -> dict[str, Any]:
    return {"type": "started", "key": "v2:1", "agentId": agent, "label": agent, "phase": phase}


def reported(agent: str) -> dict[str, Any]:
    return {"type": "result", "key": "v2:1", "agentId": agent, "result": "1"}


def test_phases_of_a_workflow_that_runs_and_that_has_ended(ref: SessionRef):
    records = [{"type": "launched"}, began("a1", "Count"), began("a2", "Count"), reported("a1")]
    folder = journal(ref, *records)
    assert PROVIDER.workflow_phases(ref, RUN) == [WorkflowPhase("Count", 1, 2)]
    (folder / "scripts").mkdir(parents=True)
    (folder / "scripts" / f"two-steps-{RUN}.js").write_text(SCRIPT)
    running = [WorkflowPhase("Count", 1, 2), WorkflowPhase("Check")]
    assert PROVIDER.workflow_phases(ref, RUN) == running
    journal(ref, *records, reported("a2"), began("a3", "Check"), reported("a3"))
    ended = {
        "runId": RUN,
        "status": "completed",
        "phases": [{"title": "Count"}, {"title": "Check"}],
    }
    (folder / f"{RUN}.json").write_text(json.dumps(ended))
    over = [WorkflowPhase("Count", 2, 2, over=True), WorkflowPhase("Check", 1, 1, over=True)]
    assert PROVIDER.workflow_phases(ref, RUN) == over


@pytest.mark.parametrize("run", ["", "../x", "wf_", "wf_../../x", "a" * 10_000, "wf_none"])
def test_no_other_name_is_a_run(ref: SessionRef, run: str):
    assert list(PROVIDER.workflow_phases(ref, run)) == []


def test_a_damaged_journal_gives_what_can_be_read(ref: SessionRef):
    folder = journal(ref, began("a1", "Count"))
    path = folder.parent / "subagents/workflows" / RUN / "journal.jsonl"
    path.write_bytes(
        b"\xff\n[1]\nnull\n" + path.read_bytes() + b'{"type": "started", "agentId": 7}\n{'
    )
    (folder / "scripts").mkdir(parents=True)
    (folder / f"{RUN}.json").write_text("[" * 100_000)
    assert PROVIDER.workflow_phases(ref, RUN) == [WorkflowPhase("Count", 0, 1, over=True)]


def job(home: Path, name: str, **fields: Any) -> Path:
    state = {
        "state": "working", "detail": "Running a command", "tempo": "active", "tokens": 120,
        "children": None, "name": name, "sessionId": f"{name}-0000-4000-8000-000000000001",
        "daemonShort": name, "cwd": "/home/dev/shop", "createdAt": "2026-11-29T18:34:16.189Z",
        "updatedAt": "2026-11-29T18:34:19.145Z", "firstTerminalAt": None, **fields,
    }  # fmt: skip
    file = home / "jobs" / name / "state.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(state))
    return file


def test_background_sessions_of_the_client(ref: SessionRef):
    home = Path(ref.path).parents[2]
    job(home, "ea3968d7", needs="approve Bash: make", tempo="blocked", children=["x", "y"])
    job(
        home,
        "0a1b2c3d",
        createdAt="2026-11-29T19:00:00.000Z",
        firstTerminalAt="2026-11-29T19:10:00Z",
    )
    job(home, "own", sessionId=SESSION)
    (home / "jobs" / "pins.json").write_text("[]")
    newest, asks = PROVIDER.background_sessions(ref)
    assert (newest.name, newest.over, newest.blocked, newest.children) == (
        "0a1b2c3d",
        True,
        False,
        None,
    )
    assert (asks.needs, asks.blocked, asks.children) == ("approve Bash: make", True, 2)
    assert (asks.tokens, asks.cwd) == (120, "/home/dev/shop")
    assert asks.open_command == ("claude", "attach", "ea3968d7")
    folder = Path(ref.path).parent
    assert asks.log == str(folder / "ea3968d7-0000-4000-8000-000000000001.jsonl")
    job(home, "ea3968d7", needs=None, state="done")
    assert [each.state for each in PROVIDER.background_sessions(ref)] == ["working", "done"]


def test_files_that_are_no_states_are_left_out(ref: SessionRef):
    home = Path(ref.path).parents[2]
    job(home, "good")
    job(home, "nobody", sessionId=None)
    job(home, "bad").write_text("{" * 100_000)
    job(home, "far", sessionId="../../../etc/passwd", cwd=7, daemonShort="a b", tokens="many")
    os.mkfifo(job(home, "pipe").with_name("other"))
    (home / "jobs" / "pipe" / "state.json").unlink()
    os.mkfifo(home / "jobs" / "pipe" / "state.json")
    (home / "jobs" / "link").symlink_to(home / "jobs" / "good")
    found = {each.name: each for each in PROVIDER.background_sessions(ref)}
    assert set(found) == {"good", "far"}
    far = found["far"]
    assert (far.log, far.open_command, far.tokens, far.cwd) == (None, (), None, None)
