"""A script that makes calls counts by these calls, wherever one looks."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import agentview.cli
from agentview.domain.index_entry import KINDS, EventFact, Nesting
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.containers import Containers
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.view.titles.title import title_of
from tests.providers.joined_log import joined, shown, write

CODEX = load_provider("codex")
BASE = 1_795_000_000_000
"""Milliseconds of the first record."""


class Rollout:
    """Numbered records of Codex in code mode, a second each."""

    def __init__(self) -> None:
        meta = {"id": "s1", "cwd": "/w/shop", "cli_version": "0.171.0"}
        self.records: list[dict[str, Any]] = []
        self._add("session_meta", meta)

    def policy(self, approval: str) -> None:
        self._add("turn_context", {"approval_policy": approval, "cwd": "/w/shop"})

    def script(self, name: str, text: str) -> None:
        call = {"type": "custom_tool_call", "name": "exec", "call_id": name, "input": text}
        self._add("response_item", call)

    def output(self, name: str, text: str) -> None:
        self._add(
            "response_item", {"type": "custom_tool_call_output", "call_id": name, "output": text}
        )

    def waits(self, name: str, cell: str, text: str) -> None:
        given = json.dumps({"cell_id": cell})
        call = {"type": "function_call", "name": "wait", "call_id": name, "arguments": given}
        self._add("response_item", call)
        answer = {"type": "function_call_output", "call_id": name, "output": text}
        self._add("response_item", answer)

    def ran(self, number: int, command: str, *, code: int = 0, began: int | None = None) -> None:
        """A command that is over; `began` is the number of the record at which it started."""
        at = len(self.records) if began is None else began
        self._add(
            "event_msg",
            {
                "type": "item_completed",
                "started_at_ms": BASE + at * 1000,
                "item": {
                    "type": "CommandExecution",
                    "id": f"exec-0000000{number}-0000-0000-0000-000000000000",
                    "command": ["/bin/bash", "-lc", command],
                    "exit_code": code,
                    "aggregated_output": f"{command} ran\n",
                    "status": "completed" if code == 0 else "failed",
                },
            },
        )

    def _add(self, kind: str, payload: dict[str, Any]) -> None:
        at = len(self.records)
        time = datetime.fromtimestamp(BASE / 1000 + at, UTC).isoformat()
        record = {"timestamp": time, "type": kind, "payload": payload, "ordinal": at}
        self.records.append(record)

    def write(self, folder: Path) -> Path:
        return write(folder / "rollout-2026-11-18T11-00-00-s1.jsonl", self.records)


def commands(log: Path, *, backward: bool = False) -> list[tuple[str, str | None, str | None]]:
    """Each call of the timeline: what it ran, how, and the id of the script that it shows."""
    found = [each.body for each in shown(joined(CODEX, log, backward=backward))]
    return [
        (getattr(body.payload, "command", ""), body.via, body.maker and body.maker.call_id)
        for body in found
        if isinstance(body, ToolCall)
    ]


def counted(log: Path, capsys: pytest.CaptureFixture[str]) -> set[int]:
    """Numbers of calls: of the header, of `stats`, of `events`, and of both readings in parts."""
    rows = joined(CODEX, log)
    kinds = rows.summary.kinds
    header = sum(kinds[code] for code in range(256) if _is_call(code))
    assert agentview.cli.main(["stats", "--json", str(log)]) == 0
    tools = json.loads(capsys.readouterr().out)["tools"]
    assert agentview.cli.main(["events", str(log)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    events = [line for line in lines if line["type"] == "tool_call"]
    backward = [each.body for each in shown(joined(CODEX, log, backward=True))]
    return {
        header,
        sum(tool["calls"] for tool in tools),
        len(events),
        sum(isinstance(body, ToolCall) for body in backward),
    }


def _is_call(code: int) -> bool:
    return code < len(KINDS) and isinstance(KINDS[code], ToolKind)


TWO = 'await tools.exec_command({cmd: "ls"}); await tools.exec_command({cmd: "pwd"})'


@pytest.mark.parametrize("backward", [False, True])
def test_the_first_command_of_a_script_shows_it(tmp_path: Path, *, backward: bool):
    rollout = Rollout()
    rollout.script("c1", TWO)
    rollout.ran(1, "ls")
    rollout.ran(2, "pwd")
    rollout.output("c1", "Script completed\nWall time 1 seconds\nOutput:\nboth ran\n")
    log = rollout.write(tmp_path)
    assert commands(log, backward=backward) == [("ls", "script", "c1"), ("pwd", "script", None)]
    first = next(each for each in shown(joined(CODEX, log)) if isinstance(each.body, ToolCall))
    assert isinstance(first.body, ToolCall)
    assert first.body.maker is not None
    assert first.body.maker.args == {"input": TWO}
    assert "both ran" in str(first.body.maker.result)
    assert len(first.events) == 4


def test_all_counts_are_of_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rollout = Rollout()
    for number in range(4):
        rollout.script(f"c{number}", f'await tools.exec_command({{cmd: "make {number}"}})')
        if number % 2:
            rollout.ran(number, f"make {number}", code=number - 1)
        rollout.output(f"c{number}", "Script completed\nWall time 1 seconds\nOutput:\n")
    rollout.script("last", TWO)
    rollout.ran(7, "ls")
    rollout.ran(8, "pwd", code=2)
    log = rollout.write(tmp_path)
    assert counted(log, capsys) == {6}


def test_a_script_without_recorded_commands_is_a_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    rollout = Rollout()
    rollout.script("c1", 'text(await tools.exec_command({cmd: "rm -rf docs"}))')
    rollout.output("c1", "aborted by user after 61.0s")
    rollout.script("c2", 'text("nothing but a text")')
    rollout.output("c2", "Script completed\nWall time 1 seconds\nOutput:\nnothing but a text\n")
    log = rollout.write(tmp_path)
    assert commands(log) == [
        ("rm -rf docs", None, None),
        ('text("nothing but a text")', None, None),
    ]
    assert counted(log, capsys) == {2}


def test_a_script_that_does_more_stands_beside_its_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    rollout = Rollout()
    todo = 'await tools.update_plan({plan: [{step: "a", status: "pending"}]});'
    rollout.script("c1", todo + 'await tools.exec_command({cmd: "ls"});')
    rollout.ran(1, "ls")
    rollout.output("c1", "Script completed\nWall time 1 seconds\nOutput:\n")
    log = rollout.write(tmp_path)
    kinds = [
        each.body.kind for each in shown(joined(CODEX, log)) if isinstance(each.body, ToolCall)
    ]
    assert kinds == [ToolKind.TODOS, ToolKind.SHELL]
    assert counted(log, capsys) == {2}


@pytest.mark.parametrize("backward", [False, True])
def test_a_command_that_began_before_a_script_is_of_the_one_before(
    tmp_path: Path, *, backward: bool
):
    rollout = Rollout()
    rollout.script("serve", 'await tools.exec_command({cmd: "serve"})')
    rollout.output("serve", "Script running with cell ID 5\nWall time 1 seconds\nOutput:\n")
    rollout.script("ls", 'await tools.exec_command({cmd: "ls"})')
    rollout.ran(1, "ls")
    rollout.output("ls", "Script completed\nWall time 1 seconds\nOutput:\n")
    rollout.ran(2, "serve", began=2)
    rollout.waits("w1", "5", "Script completed\nWall time 9 seconds\nOutput:\nserved\n")
    log = rollout.write(tmp_path)
    assert commands(log, backward=backward) == [
        ("ls", "script", "ls"),
        ("serve", "script", "serve"),
    ]
    last = shown(joined(CODEX, log, backward=backward))[-1].body
    assert isinstance(last, ToolCall)
    assert last.maker is not None
    assert [poll.call_id for poll in last.maker.polls] == ["w1"]
    assert last.polls == ()


def test_a_script_that_runs_on_runs_with_its_first_command(tmp_path: Path):
    rollout = Rollout()
    rollout.script("c1", "for (;;) await tools.exec_command({cmd: next})")
    rollout.ran(1, "ls")
    rollout.output("c1", "Script running with cell ID 5\nWall time 1 seconds\nOutput:\n")
    store = joined(CODEX, rollout.write(tmp_path))
    (row,) = store.running()
    body = store.activity(row).body
    assert isinstance(body, ToolCall)
    assert (body.payload, body.ok) == (ShellPayload("ls"), True)
    rollout.waits("w1", "5", "Script completed\nWall time 9 seconds\nOutput:\n")
    assert joined(CODEX, rollout.write(tmp_path)).running() == []


def test_the_failure_of_a_script_is_one_of_its_first_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    rollout = Rollout()
    rollout.script("c1", 'await tools.exec_command({cmd: "ls"}); throw new Error("boom")')
    rollout.ran(1, "ls")
    rollout.output("c1", "Script failed\nWall time 1 seconds\nOutput:\nError: boom\n")
    log = rollout.write(tmp_path)
    store = joined(CODEX, log)
    assert store.summary.problems == 1
    (row,) = [row for row in range(store.first, store.end) if store.shown(row)][-1:]
    assert title_of(store.activity(row)).detail.endswith("via script, which failed")
    assert agentview.cli.main(["stats", "--json", str(log)]) == 0
    tools = json.loads(capsys.readouterr().out)["tools"]
    assert [(tool["kind"], tool["calls"], tool["problems"]) for tool in tools] == [("shell", 1, 1)]
    assert agentview.cli.main(["cat", "--detail", "full", str(log)]) == 0
    said = capsys.readouterr().out
    assert "Error: boom" in said
    assert 'throw new Error("boom")' in said


@pytest.mark.parametrize("cut", range(1, 9))
def test_a_log_that_grows_gives_the_same_rows(tmp_path: Path, cut: int):
    rollout = Rollout()
    rollout.script("c1", TWO)
    rollout.ran(1, "ls")
    rollout.script("c2", 'await tools.exec_command({cmd: "make"})')
    rollout.ran(2, "make")
    rollout.ran(3, "pwd", began=2)
    rollout.output("c2", "Script completed\nWall time 1 seconds\nOutput:\n")
    rollout.output("c1", "Script failed\nWall time 1 seconds\nOutput:\nError: boom\n")
    log = rollout.write(tmp_path)
    whole = _assembled(log, [])
    assert _assembled(log, [cut]) == whole
    assert _assembled(log, [cut, cut + 1]) == whole


def _assembled(log: Path, cuts: Sequence[int]) -> list[tuple[int, int, list[int]]]:
    reader = log_reader(CODEX, log)
    lines: list[Any] = [*reader.poll(1 << 30).items, *reader.finish()]
    facts = reduce_lines(CODEX.discovery.ref(log), lines)
    assembler = Assembler.of(CODEX)
    edges = sorted({0, len(facts), *(min(cut, len(facts)) for cut in cuts)})
    for start, stop in pairwise(edges):
        assembler.append(facts[start:stop])
    rows = assembler.rows
    return [(rows.kind(row), rows.flags(row), assembler.joined(row)) for row in range(rows.end)]


def test_a_nested_call_is_of_the_newest_container_that_had_begun():
    def fact(nesting: int, time: float | None) -> EventFact:
        return EventFact(0, 0, 0, nesting=nesting, time=time)

    made = Containers()
    assert list(made.take(5, fact(Nesting.NESTED, 1.0))) == []
    assert set(made.take(3, fact(Nesting.CONTAINER, 2.0))) == {3}
    # It began later; one in front of it that had begun takes the call over.
    assert set(made.take(1, fact(Nesting.CONTAINER, 0.0))) == {1, 3}
    assert (list(made.nested(1)), list(made.nested(3))) == ([5], [])
    assert list(made.take(4, fact(Nesting.NESTED, None))) == [3]
    assert made.container_of(4) == 3


def test_a_nested_call_that_names_its_container_is_of_that():
    def fact(nesting: int, key: str, made_by: str | None = None) -> EventFact:
        return EventFact(0, 0, 0, key=key, nesting=nesting, time=1.0, made_by=made_by)

    made = Containers()
    assert list(made.take(9, fact(Nesting.NESTED, "n1", "c1"))) == []
    assert set(made.take(5, fact(Nesting.CONTAINER, "c2"))) == set()
    assert set(made.take(3, fact(Nesting.CONTAINER, "c1"))) == {3}
    assert list(made.take(10, fact(Nesting.NESTED, "n2", "c2"))) == [5]
    assert list(made.take(11, fact(Nesting.NESTED, "n3", "gone"))) == []
    assert (list(made.nested(3)), list(made.nested(5))) == ([9], [10])


@pytest.mark.parametrize("backward", [False, True])
def test_wrapped_calls_of_openclaw_count_once(*, backward: bool):
    log = sample_sessions_dir() / "openclaw" / "openclaw-agent.sqlite" / "mock1"
    store = joined(load_provider("openclaw"), log, backward=backward)
    calls = [each.body for each in shown(store) if isinstance(each.body, ToolCall)]
    assert not [call for call in calls if call.name == "tool_call"]
    nested = [call for call in calls if call.via == "tool_call"]
    assert [call.maker and call.maker.call_id for call in nested] == [
        call.made_by for call in nested
    ]
    assert len({call.made_by for call in nested}) == 2
    assert store.summary.count(*ToolKind) == len(calls)


def test_containers_of_a_block_in_front_may_both_stand_before_a_call():
    def fact(nesting: int) -> EventFact:
        return EventFact(0, 0, 0, nesting=nesting, time=1.0)

    made = Containers()
    assert list(made.take(5, fact(Nesting.NESTED))) == []
    assert set(made.take(1, fact(Nesting.CONTAINER))) == {1}
    assert set(made.take(3, fact(Nesting.CONTAINER))) == {1, 3}
    assert (list(made.nested(1)), list(made.nested(3))) == ([], [5])
    assert set(made.take(0, fact(Nesting.CONTAINER))) == set()


@pytest.mark.parametrize("ran", [False, True])
def test_a_script_asks_also_after_its_first_command(tmp_path: Path, *, ran: bool):
    rollout = Rollout()
    rollout.policy("on-request")
    asks = 'tools.exec_command({cmd: "rm -rf docs", sandbox_permissions: "require_escalated"})'
    rollout.script("c1", f'await tools.exec_command({{cmd: "ls"}}); await {asks}')
    if ran:
        rollout.ran(1, "ls")
    status = joined(CODEX, rollout.write(tmp_path)).log_status()
    assert (status.state, status.about) == (SessionState.NEEDS_APPROVAL, "rm -rf docs")
