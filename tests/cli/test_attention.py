"""`agentview status`, `wait` and `watch` over logs that are written meanwhile."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO, Any

import pytest

from agentview.cli.grammar.attention import STATES
from agentview.domain.session_state import SessionState
from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import FIRST, SECOND, CommandLine
from tests.patience import PATIENCE

COMMAND = "rm -rf build && npm run build"


def _at(record: bytes, before: float, **fields: Any) -> bytes:
    time = datetime.now(UTC) - timedelta(seconds=before)
    stamp = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({**json.loads(record), "timestamp": stamp, **fields}).encode() + b"\n"


class Live:
    """A session that a test writes."""

    def __init__(self, agentview: CommandLine, session: str, cwd: str) -> None:
        folder = agentview.home / ".claude" / "projects" / cwd.replace("/", "-")
        self.path = folder / f"{session}.jsonl"
        self._cwd = cwd
        self.log = ClaudeLog(session)
        write(self.path, [_at(self.log.prompt(f"Work in {Path(cwd).name}"), 100, cwd=cwd)])

    def add(self, *records: bytes, before: float = 0.0) -> None:
        with self.path.open("ab") as file:
            file.write(b"".join(_at(record, before, cwd=self._cwd) for record in records))

    def ask(self, before: float = 0.0) -> None:
        question: dict[str, Any] = {
            "question": "Which color?",
            "header": "C",
            "options": [],
            "multiSelect": False,
        }
        self.add(self.log.call("q1", "AskUserQuestion", questions=[question]), before=before)

    def end(self, before: float = 0.0) -> None:
        duration = self.log.record("system", subtype="turn_duration", durationMs=1)
        self.add(self.log.text("Done."), duration, before=before)


def test_a_session_that_was_hidden_is_not_reported_unless_it_needs_somebody(
    agentview: CommandLine, asking: Live, working: Live
):
    for session in (FIRST, SECOND):
        agentview.ok("tag", session, "--hide")
    assert [row["id"] for row in _rows(agentview)] == [FIRST]
    assert agentview.ok("status", "--format", "{needs} of {live}") == "1 of 1\n"
    report = json.loads(agentview.ok("report", "--json"))
    assert [each["id"] for each in report["sessions"]] == [FIRST]
    assert agentview("search", "project:two").returncode == 1
    assert SECOND in agentview.ok("search", "project:two is:hidden")
    agentview.ok("tag", SECOND, "--show")
    assert [row["id"] for row in _rows(agentview)] == [FIRST, SECOND]


@pytest.fixture
def asking(agentview: CommandLine) -> Live:
    live = Live(agentview, FIRST, "/home/dev/one/repo")
    live.ask(before=50)
    return live


@pytest.fixture
def working(agentview: CommandLine) -> Live:
    live = Live(agentview, SECOND, "/home/dev/two/repo")
    live.add(live.log.call("b1", "Bash", command=COMMAND), before=20)
    return live


def _rows(agentview: CommandLine) -> list[dict[str, Any]]:
    return json.loads(agentview.ok("status", "--json"))


def test_the_words_of_the_command_line_are_those_of_the_domain():
    assert tuple(state.value for state in SessionState) == STATES


@pytest.mark.slow
def test_status_has_every_live_session_by_who_needs_somebody(
    agentview: CommandLine, asking: Live, working: Live
):
    first, second = _rows(agentview)
    assert (first["id"], first["state"], first["about"]) == (FIRST, "needs-answer", "Which color?")
    assert (first["evidence"], first["certain"]) == ("log", True)
    assert (first["project"], first["path"]) == ("/home/dev/one/repo", str(asking.path))
    assert (second["id"], second["state"], second["about"]) == (SECOND, "working", COMMAND)
    assert second["certain"] is False
    assert (first["tokens"], first["cost"]) == (15, 0.00022)
    for name in ("pid", "unread"):
        assert first[name] is None, name
    listed = {row["id"]: row for row in json.loads(agentview.ok("ls", "--json"))}
    for row in (first, second):
        assert {name: listed[row["id"]][name] for name in row} == row


@pytest.mark.slow
def test_status_is_what_the_log_says_now(agentview: CommandLine, working: Live):
    assert [row["state"] for row in _rows(agentview)] == ["working"]
    working.add(working.log.result("b1", "built"))
    working.end()
    assert [(row["state"], row["certain"]) for row in _rows(agentview)] == [("your-turn", True)]
    Live(agentview, FIRST, "/home/dev/one/repo").ask()
    assert [row["state"] for row in _rows(agentview)] == ["needs-answer", "your-turn"]
    working.path.unlink()
    assert [row["state"] for row in _rows(agentview)] == ["needs-answer"]


@pytest.mark.slow
def test_status_as_a_table_and_in_a_line(agentview: CommandLine, asking: Live, working: Live):
    header, first, second = agentview.ok("status").splitlines()
    assert header.split() == ["STATE", "SINCE", "PROVIDER", "PROJECT", "TITLE", "ABOUT"]
    word, since, *rest = first.split()
    assert (word, rest[:2]) == ("needs-answer", ["claude_code", "one/repo"])
    assert since.endswith(("s", "m"))
    assert second.startswith("working?")
    assert second.endswith(COMMAND)
    form = "{needs} need you, {needs-answer} of {live} {{ask}}"
    assert agentview.ok("status", "--format", form) == "1 need you, 1 of 2 {ask}\n"
    assert agentview.ok("status", "--format", "{live}", "--project", "/nowhere") == "0\n"
    assert "{ned}" not in agentview.fails(2, "status", "--format", "{ned} need you")


@pytest.mark.slow
def test_status_says_that_an_agent_goes_round_in_circles(agentview: CommandLine, working: Live):
    assert [row["looping"] for row in _rows(agentview)] == [None]
    for number in range(5):
        key = f"r{number}"
        working.add(working.log.call(key, "Bash", command="make"))
        working.add(working.log.result(key, "no rule", is_error=True))
    (row,) = _rows(agentview)
    assert row["looping"] == "the same error 5 times: no rule"
    agentview.env["AGENTVIEW_LOOPING_REPEATS"] = "6"
    assert [row["looping"] for row in _rows(agentview)] == [None]


def test_without_a_live_session_status_says_so(agentview: CommandLine):
    assert agentview.ok("status") == "No session is live now.\n"
    assert _rows(agentview) == []
    assert agentview.ok("status", "--format", "{needs}") == "0\n"


@pytest.mark.slow
def test_wait_ends_with_the_state_and_a_code_for_it(
    agentview: CommandLine, asking: Live, working: Live
):
    done = agentview("wait", FIRST, "--until", "failed,needs-answer")
    assert (done.returncode, done.stdout) == (10, "needs-answer\n")
    done = agentview("wait", SECOND, "--until", "needs-approval", "--timeout", "0.5")
    assert (done.returncode, done.stdout, done.stderr) == (124, "", "")
    with subprocess.Popen(
        agentview.command("wait", SECOND, "--until", "your-turn,failed"),
        stdout=subprocess.PIPE,
        env=agentview.environment,
        cwd=agentview.cwd,
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1.5)
        working.add(working.log.result("b1", "built"))
        working.end()
        out, _ = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (0, b"your-turn\n")


def test_wait_refuses_what_has_no_state(agentview: CommandLine, working: Live):
    assert "unknown state" in agentview.fails(2, "wait", SECOND, "--until", "done")
    agentview.fails(2, "wait", "-")
    agentview.fails(1, "wait", "99999999")
    agentview.fails(2, "wait", SECOND, "--timeout", "soon")


def _lines(pipe: IO[bytes], lines: Queue[Any]) -> None:
    for line in pipe:
        lines.put(json.loads(line))


@pytest.mark.slow
def test_watch_prints_a_line_for_each_change(agentview: CommandLine, working: Live):
    with subprocess.Popen(
        agentview.command("watch", "--json"),
        stdout=subprocess.PIPE,
        env=agentview.environment,
        cwd=agentview.cwd,
    ) as process:
        lines = Queue[Any]()
        assert process.stdout is not None
        Thread(target=_lines, args=(process.stdout, lines), daemon=True).start()
        try:
            first = lines.get(timeout=PATIENCE)
            assert (first["id"], first["before"], first["state"]) == (SECOND, None, "working")
            working.add(working.log.result("b1", "built"))
            told = lines.get(timeout=PATIENCE)
            assert (told["state"], told["certain"]) == ("working", True)
            working.end()
            told = lines.get(timeout=PATIENCE)
            assert (told["before"], told["state"]) == ("working", "your-turn")
            Live(agentview, FIRST, "/home/dev/one/repo").ask()
            told = lines.get(timeout=PATIENCE)
            while told["state"] == "working":
                told = lines.get(timeout=PATIENCE)
            assert (told["id"], told["state"]) == (FIRST, "needs-answer")
        finally:
            process.kill()
