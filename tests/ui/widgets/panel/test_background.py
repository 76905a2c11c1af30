"""The tab of what runs in the background: what it tells, where it leads, and that it is live."""

import json
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.session import Stream, StreamKind
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.settings import LaunchOptions, Screen
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from tests.claude_log import SESSION, ClaudeLog, write
from tests.ui.app_under_test import screen_text, session_screen, until
from tests.ui.widgets.panel.panels import lines, open_tab

SIZE = (140, 40)


def began(log: ClaudeLog, name: str, command: str) -> list[bytes]:
    said = f"Command running in background with ID: {name}. Output is being written to: /x"
    return [
        log.call(f"c-{name}", "Bash", command=command, run_in_background=True),
        log.result(f"c-{name}", said, {"stdout": "", "stderr": "", "backgroundTaskId": name}),
    ]


def polled(log: ClaudeLog, name: str, poll: str, output: str) -> list[bytes]:
    head = "<retrieval_status>success</retrieval_status>"
    told = f"<task_id>{name}</task_id>\n\n<status>running</status>"
    said = f"{head}\n\n{told}\n\n<output>\n{output}\n</output>"
    return [log.call(poll, "TaskOutput", task_id=name), log.result(poll, said)]


def reported(log: ClaudeLog, name: str, status: str, summary: str) -> bytes:
    told = f"<task-id>{name}</task-id>\n<status>{status}</status>\n<summary>{summary}</summary>"
    text = f"<task-notification>\n{told}\n</task-notification>"
    return log.record("user", message={"role": "user", "content": text})


@asynccontextmanager
async def opened(
    path: Path, *, live: bool = True
) -> AsyncGenerator[tuple[Pilot[None], LiveSession]]:
    ref = load_provider("claude_code").discovery.ref(path)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref, live=live))
    async with app.run_test(size=SIZE) as pilot:
        session = session_screen(pilot).session
        assert isinstance(session, LiveSession)
        await until(pilot, lambda: session.header().indexed == 1.0 and session.store.indexed)
        yield pilot, session


def append(path: Path, records: Sequence[bytes]) -> None:
    with path.open("ab") as file:
        file.write(b"".join(records))


async def test_commands_that_run_come_first_with_their_last_line_and_lead_to_their_row(
    tmp_path: Path,
) -> None:
    log = ClaudeLog(began=time.time() - 300)
    path = write(
        tmp_path / "log.jsonl",
        [
            log.prompt("Serve and test"),
            *began(log, "b1", "npm run dev"),
            *began(log, "b2", "pytest -x"),
            *polled(log, "b1", "p1", "starting"),
            reported(log, "b2", "failed", "The tests failed with exit code 1"),
            log.text("Both began.", stop="end_turn"),
        ],
    )
    async with opened(path) as (pilot, session):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: len(lines(pilot)) == 6)
        running, server, output, gap, over, tests = lines(pilot)
        assert (running, gap, over) == ("1 running", "", "1 ended")
        assert server.startswith("● npm run dev")
        assert (output.startswith("starting"), output.endswith("1 poll")) == (True, True)
        assert tests.startswith("✗ pytest -x")
        assert "failed" in tests
        await pilot.press("enter")
        timeline = session_screen(pilot).timeline
        await until(pilot, lambda: timeline.selected == session.store.began()[0])
        await open_tab(pilot, "Background")
        await pilot.press("j", "enter")
        await until(pilot, lambda: timeline.selected == session.store.began()[1])


async def test_the_tab_follows_what_begins_is_read_and_ends(tmp_path: Path) -> None:
    log = ClaudeLog(began=time.time() - 300)
    path = write(tmp_path / "log.jsonl", [log.prompt("Serve"), *began(log, "b1", "npm run dev")])
    async with opened(path) as (pilot, _):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: lines(pilot)[0] == "1 running")
        append(path, polled(log, "b1", "p1", "10%\r55% built"))
        await until(pilot, lambda: "55% built" in lines(pilot)[-1])
        append(path, began(log, "b2", "make docs"))
        await until(pilot, lambda: lines(pilot)[0] == "2 running")
        append(path, [reported(log, "b1", "completed", "The server is done")])
        await until(pilot, lambda: "1 ended" in lines(pilot))
        assert lines(pilot)[0] == "1 running"
        assert lines(pilot)[-1].startswith("✓ npm run dev")


async def test_nothing_runs_in_a_session_that_nobody_follows(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.prompt("Serve"), *began(log, "b1", "npm run dev")])
    async with opened(path, live=False) as (pilot, _):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: lines(pilot)[0] == "1 ended")
        assert lines(pilot)[1].startswith("○ npm run dev")
        assert "no end recorded" in lines(pilot)[1]


async def test_commands_of_agents_are_there_under_their_name(tmp_path: Path) -> None:
    log, now = ClaudeLog(began=time.time() - 300), time.time()
    agent = ClaudeLog(agent="a1", began=now - 200)
    parent = [
        log.prompt("Delegate"),
        log.call("t1", "Agent", subagent_type="builder", description="Build it", prompt="build"),
        log.result("t1", "Async agent launched successfully. agentId: a1",
                   {"isAsync": True, "status": "async_launched", "agentId": "a1"}),
    ]  # fmt: skip
    path = write(tmp_path / f"{SESSION}.jsonl", parent)
    own = [agent.prompt("build"), *began(agent, "b7", "make -j2 all")]
    write(tmp_path / SESSION / "subagents" / "agent-a1.jsonl", own)
    async with opened(path) as (pilot, session):
        await until(pilot, lambda: bool(session.store.children))
        await open_tab(pilot, "Background")
        await until(pilot, lambda: lines(pilot)[0] == "2 running")
        shown = "\n".join(lines(pilot))
        assert "● builder  Build it" in shown
        assert "● make -j2 all  by builder" in shown
        await pilot.press("G", "enter")
        stream = Stream(StreamKind.SUBAGENT, "a1")
        await until(pilot, lambda: session_screen(pilot).session.ref.stream == stream)


async def test_jobs_stand_with_their_next_run_and_lead_to_their_call(tmp_path: Path) -> None:
    began = time.time() - 30
    log = ClaudeLog(began=began)
    job = {"id": "a1", "cron": "0 0 1 1 *", "prompt": "look", "nextFireAt": (began + 7_260) * 1000}
    records = [
        log.prompt("Watch it"),
        log.call("c1", "CronCreate", cron="0 0 1 1 *", prompt="look", recurring=True),
        log.result("c1", "Scheduled", {"id": "a1", "recurring": True}),
    ]
    path = write(tmp_path / "log.jsonl", records)
    async with opened(path) as (pilot, session):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: lines(pilot)[0] == "1 scheduled")
        append(path, [log.call("c2", "CronList"), log.result("c2", "1 job", {"jobs": [job]})])
        await until(pilot, lambda: "in 2h" in lines(pilot)[1])
        assert "look" in lines(pilot)[1]
        await pilot.press("enter")
        timeline = session_screen(pilot).timeline
        (made, _) = session.store.of_kinds({ToolKind.SCHEDULE})
        await until(pilot, lambda: timeline.selected == made)
        append(path, [log.call("c3", "CronDelete", id="a1"), log.result("c3", "ok", {"id": "a1"})])
        await until(pilot, lambda: lines(pilot) == ["nothing has run in the background"])


async def test_no_next_run_is_shown_of_a_session_that_nobody_follows(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [
        log.prompt("Watch it"),
        log.call("c1", "CronCreate", cron="*/5 * * * *", prompt="look", recurring=True),
        log.result("c1", "Scheduled", {"id": "a1", "recurring": True}),
    ]
    path = write(tmp_path / "log.jsonl", records)
    async with opened(path, live=False) as (pilot, _):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: lines(pilot)[0] == "1 scheduled at the end of the log")
        assert lines(pilot)[1].endswith("  look")


async def test_the_goal_comes_first(tmp_path: Path) -> None:
    ref = load_provider("codex").discovery.ref(sample_sessions_dir() / "codex" / "demo.jsonl")
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref))
    async with app.run_test(size=SIZE) as pilot:
        await open_tab(pilot, "Background")
        await until(pilot, lambda: lines(pilot)[0] == "goal")
        objective, status = lines(pilot)[1:3]
        assert objective == "Finish the mock scenario"
        assert status == "complete · 1.4k of 50k tokens"


async def test_a_session_without_any_says_so(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.prompt("Hi"), log.text("Hello", stop="end_turn")])
    async with opened(path) as (pilot, _):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: lines(pilot) == ["nothing has run in the background"])


async def test_the_output_of_a_command_grows_while_it_runs(tmp_path: Path) -> None:
    log = ClaudeLog(began=time.time() - 300)
    output = tmp_path / "tmp" / "claude-0" / "-w-shop" / SESSION / "tasks" / "b1.output"
    output.parent.mkdir(parents=True)
    output.write_text("line 1\nline 2\n")
    said = f"Command running in background with ID: b1. Output is being written to: {output}"
    records = [
        log.prompt("Serve"),
        log.call("c1", "Bash", command="npm run dev", run_in_background=True),
        log.result("c1", said, {"stdout": "", "stderr": "", "backgroundTaskId": "b1"}),
        log.text("It runs.", stop="end_turn"),
    ]
    path = write(tmp_path / "-w-shop" / f"{SESSION}.jsonl", records)
    async with opened(path) as (pilot, session):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: "line 2" in lines(pilot)[-1])
        # No record comes meanwhile.
        with output.open("a") as file:
            file.write("a line\n" * 300_000 + "10%\r99% served\n")
        await until(pilot, lambda: "99% served" in lines(pilot)[-1])
        (row,) = session.store.running()
        call = session.store.activity(row).body
        assert isinstance(call, ToolCall)
        assert isinstance(call.result, ShellResult)
        assert "line 1" not in (call.result.stdout or "")
        await pilot.press("escape", "3")
        await until(pilot, lambda: "99% served" in screen_text(pilot))


async def test_a_line_is_copied_and_its_output_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, opened_files = tmp_path / "code", tmp_path / "opened"
    editor.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{opened_files}\n')
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    log = ClaudeLog(began=time.time() - 300)
    output = tmp_path / "tmp" / "claude-0" / "-w-shop" / SESSION / "tasks" / "b1.output"
    output.parent.mkdir(parents=True)
    output.write_text("line 1\n")
    said = f"Command running in background with ID: b1. Output is being written to: {output}"
    records = [
        log.prompt("Serve"),
        log.call("c1", "Bash", command="npm run dev", run_in_background=True),
        log.result("c1", said, {"stdout": "", "stderr": "", "backgroundTaskId": "b1"}),
        *began(log, "b2", "make docs"),
        log.call("c3", "CronCreate", cron="0 0 1 1 *", prompt="look", recurring=True),
        log.result("c3", "Scheduled", {"id": "a1", "recurring": True}),
    ]
    path = write(tmp_path / "-w-shop" / f"{SESSION}.jsonl", records)
    async with opened(path) as (pilot, _):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: len(lines(pilot)) == 7)
        await pilot.press("y")
        await until(pilot, lambda: pilot.app.clipboard == "npm run dev")
        await until(pilot, lambda: "copied command, 11 characters" in screen_text(pilot))
        await pilot.press("v")
        await until(pilot, lambda: opened_files.exists() and bool(opened_files.read_text()))
        assert opened_files.read_text().split() == [str(output)]
        await pilot.press("j", "y", "v")
        await until(pilot, lambda: pilot.app.clipboard == "make docs")
        await until(pilot, lambda: "no file with its output is known" in screen_text(pilot))
        await pilot.press("G", "y")
        await until(pilot, lambda: "look" in pilot.app.clipboard)


async def test_a_workflow_shows_its_phases_as_its_agents_report(tmp_path: Path) -> None:
    run, log = "wf_eb6e2ac5-cc6", ClaudeLog(began=time.time() - 300)
    script = "export const meta = {name: 'two-steps', phases: [{title: 'Count'}, {title: 'Check'}]}"
    launched = {
        "status": "async_launched",
        "taskId": "w1",
        "runId": run,
        "workflowName": "two-steps",
    }
    records = [
        log.prompt("Count"),
        log.call("c1", "Workflow", script=script),
        log.result("c1", "Workflow launched in background. Task ID: w1", launched),
        log.text("It runs.", stop="end_turn"),
    ]
    path = write(tmp_path / "-w-shop" / f"{SESSION}.jsonl", records)
    folder = path.with_suffix("")
    journal = folder / "subagents" / "workflows" / run / "journal.jsonl"
    journal.parent.mkdir(parents=True)
    journal.write_text('{"type":"launched"}\n{"type":"started","agentId":"a1","phase":"Count"}\n')
    (folder / "workflows" / "scripts").mkdir(parents=True)
    (folder / "workflows" / "scripts" / f"two-steps-{run}.js").write_text(script)
    async with opened(path) as (pilot, _):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: len(lines(pilot)) == 4)
        assert lines(pilot)[0] == "1 running"
        assert "two-steps" in lines(pilot)[1]
        assert [line.split() for line in lines(pilot)[2:]] == [
            ["Count", "0", "of", "1+"],
            ["Check"],
        ]
        with journal.open("a") as file:
            file.write('{"type":"result","agentId":"a1"}\n')
            file.write('{"type":"started","agentId":"a2","phase":"Check"}\n')
        await until(pilot, lambda: lines(pilot)[2].split() == ["Count", "1", "of", "1+"])
        assert lines(pilot)[3].split() == ["Check", "0", "of", "1+"]
        ended = {"status": "completed", "phases": [{"title": "Count"}, {"title": "Check"}]}
        (folder / "workflows" / f"{run}.json").write_text(json.dumps(ended))
        append(path, [reported(log, "w1", "completed", "The workflow is done")])
        await until(pilot, lambda: lines(pilot)[0] == "1 ended")
        assert "2 phases · 1 of 2" in lines(pilot)[1]


async def test_sessions_that_the_client_runs_in_the_background(tmp_path: Path) -> None:
    log, projects = ClaudeLog(began=time.time() - 300), tmp_path / ".claude" / "projects"
    records = [log.prompt("Count"), log.text("Done.", stop="end_turn")]
    path = write(projects / "-home-dev-shop" / f"{SESSION}.jsonl", records)
    other = "ea3968d7-eef4-4eef-ad22-5359b879db31"
    job = ClaudeLog(other, began=time.time() - 60)
    write(path.with_name(f"{other}.jsonl"), [job.prompt("Sweep the docs")])
    state: dict[str, object] = {
        "state": "working", "tempo": "active", "detail": "Running a command", "tokens": 12_400,
        "children": None, "name": "sweep\x1b[31m", "sessionId": other, "daemonShort": "ea3968d7",
        "cwd": "/home/dev/shop", "createdAt": (time.time() - 90) * 1000, "firstTerminalAt": None,
    }  # fmt: skip
    file = tmp_path / ".claude" / "jobs" / "ea3968d7" / "state.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(state))
    elsewhere = file.parent.with_name("0a1b2c3d") / "state.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text(json.dumps({**state, "sessionId": "x", "cwd": "/home/dev/api"}))
    async with opened(path) as (pilot, _):
        await open_tab(pilot, "Background")
        await until(pilot, lambda: lines(pilot)[0] == "1 background session")
        assert lines(pilot)[1].split()[1] == "sweep\u241b[31m"
        assert "12k tokens · working" in lines(pilot)[1]
        assert lines(pilot)[2] == "Running a command"
        state |= {"tempo": "blocked", "needs": "approve Bash: rm -rf build", "children": ["a"]}
        file.write_text(json.dumps(state))
        await until(pilot, lambda: "approve Bash: rm -rf build" in lines(pilot)[2])
        assert "1 child session · 12k tokens · needs you" in lines(pilot)[1]
        await pilot.press("y")
        await until(pilot, lambda: pilot.app.clipboard == "claude attach ea3968d7")
        await pilot.press("enter")
        await until(pilot, lambda: session_screen(pilot).session.ref.session_id == other)
