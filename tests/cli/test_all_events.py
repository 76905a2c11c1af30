"""`agentview events @all`: all sessions as one stream that is continued from a cursor."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentview.reports.export.stream_cursor import SLACK, Cursor, LogState, decoded
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine, Refused
from tests.cli.follower import Follower
from tests.nested_agents import nested_logs
from tests.patience import PATIENCE

Lines = list[dict[str, Any]]


def lines_of(text: str) -> Lines:
    return [json.loads(line) for line in text.splitlines()]


def cursor_of(lines: Lines) -> str:
    """The last cursor."""
    return next(line["cursor"] for line in reversed(lines) if line["type"] == "cursor")


def last_said(lines: Lines) -> dict[str, dict[str, Any]]:
    """What counts for a reader who keeps the last line of each id."""
    last = {line["id"]: line for line in lines if line["type"] != "cursor"}
    return {name: {**line, "revision": 0} for name, line in last.items()}


def sessions_of(lines: Lines) -> set[str]:
    return {line["session"] for line in lines if line["type"] != "cursor"}


@pytest.mark.slow
def test_it_has_the_lines_of_each_session_and_a_cursor_at_the_end(
    agentview: CommandLine, projects: Path
):
    found = lines_of(agentview.ok("events", "@all"))
    assert found[-1]["type"] == "cursor"
    assert sessions_of(found) == {FIRST, SECOND, THIRD}
    for path in projects.rglob("*.jsonl"):
        own = [line for line in found[:-1] if line["session"] == path.stem]
        assert own == lines_of(agentview.ok("events", str(path)))


@pytest.mark.slow
def test_nothing_comes_again_behind_the_last_cursor(agentview: CommandLine, projects: Path):
    cursor = cursor_of(lines_of(agentview.ok("events", "@all")))
    again = lines_of(agentview.ok("events", "@all", "--since", cursor))
    assert [line["type"] for line in again] == ["cursor"]


@pytest.mark.slow
def test_only_what_was_written_since_comes(agentview: CommandLine, projects: Path):
    first = projects / "-home-dev-shop" / f"{FIRST}.jsonl"
    log = ClaudeLog(FIRST)
    conversation(log, 2)
    before = lines_of(agentview.ok("events", "@all"))
    with first.open("ab") as file:
        file.write(log.prompt("One more"))
    new = lines_of(agentview.ok("events", "@all", "--since", cursor_of(before)))
    assert [line["text"] for line in new if line["type"] == "user"] == ["One more"]
    assert {line["type"] for line in new[1:]} <= {"hidden", "cursor"}


@pytest.mark.slow
def test_a_call_that_was_sent_comes_again_with_its_result(agentview: CommandLine, projects: Path):
    path, log = projects / "-home-dev-shop" / "begun.jsonl", ClaudeLog("begun")
    write(path, [log.prompt("Go"), log.call("t1", "Bash", command="make")])
    before = lines_of(agentview.ok("events", "@all"))
    with path.open("ab") as file:
        file.write(log.result("t1", "made"))
    new = lines_of(agentview.ok("events", "@all", "--since", cursor_of(before)))
    (call,) = [line for line in new if line["type"] == "tool_call"]
    earlier = next(line for line in before if line.get("call_id") == "t1")
    assert call["id"] == earlier["id"]
    assert call["revision"] > earlier["revision"]
    assert (earlier["state"], call["state"]) == ("input-available", "output-available")


@pytest.mark.slow
def test_a_copy_that_keeps_an_old_time_is_sent(agentview: CommandLine, projects: Path):
    before = lines_of(agentview.ok("events", "@all"))
    path = write(projects / "-home-dev-shop" / "old.jsonl", conversation(ClaudeLog("old"), 1))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    new = lines_of(agentview.ok("events", "@all", "--since", cursor_of(before)))
    assert sessions_of(new) == {"old"}


@pytest.mark.slow
def test_a_log_that_was_rewritten_is_sent_from_its_start(agentview: CommandLine, projects: Path):
    path = projects / "-home-dev-shop" / f"{SECOND}.jsonl"
    before = lines_of(agentview.ok("events", "@all"))
    size = path.stat().st_size
    write(path, conversation(ClaudeLog(SECOND, agent=None), 9, begin=50))
    assert path.stat().st_size > size
    new = lines_of(agentview.ok("events", "@all", "--since", cursor_of(before)))
    prompts = [line["text"] for line in new if line["type"] == "user"]
    assert prompts[0] == "Step 50: please go on"
    assert len(prompts) == 9


@pytest.mark.slow
def test_agents_are_part_of_their_sessions(agentview: CommandLine):
    root = agentview.home / ".claude" / "projects" / "-home-dev-shop"
    nested_logs(root, 2)
    found = lines_of(agentview.ok("events", "@all"))
    streams = {line["stream"]["id"] for line in found[:-1]}
    assert {"", "a1", "a2"} <= streams
    ids = [line["id"] for line in found[:-1]]
    assert len(ids) == len(set(ids))
    alone = lines_of(agentview.ok("events", "@all", "--no-subagents"))
    assert {line["stream"]["id"] for line in alone[:-1]} == {""}


def test_sessions_of_one_project(agentview: CommandLine, projects: Path):
    found = lines_of(agentview.ok("events", "@all", "--project", "blog"))
    assert sessions_of(found) == {THIRD}


@pytest.mark.slow
def test_cursors_stay_as_they_are_when_secrets_are_masked(agentview: CommandLine, projects: Path):
    found = lines_of(agentview.ok("events", "@all", "--mask"))
    assert decoded(cursor_of(found)).logs


@pytest.mark.parametrize(
    "arguments",
    [
        ("@all", "--since", "nonsense"),
        ("@all", "--since", "1.bm9uc2Vuc2U"),
        ("@all", "--since", "1.e30"),
        ("@all", "--since", ""),
        ("@all", "--wait"),
        ("@all", "--happy"),
        ("x.jsonl", "--since", "1.e30"),
    ],
)
def test_wrong_use_is_a_sentence(refused: Refused, arguments: tuple[str, ...]):
    refused(2, "events", *arguments)


def test_a_cursor_is_the_same_after_it_was_printed():
    cursor = Cursor(5 * SLACK, {"0a": LogState(7, "v", 12, "c")}, frozenset({"d"}))
    assert decoded(cursor.encoded()) == cursor


@pytest.mark.slow
def test_new_sessions_and_what_is_written_come_while_it_follows(
    agentview: CommandLine, projects: Path
):
    log = ClaudeLog("later")
    with Follower(agentview, "@all") as follower:
        while not follower.seen or follower.seen[-1]["type"] != "cursor":
            follower.take(1)
        assert sessions_of(follower.seen) == {FIRST, SECOND, THIRD}
        path = write(projects / "-home-dev-new" / "later.jsonl", [log.prompt("Begin")])
        new = follower.take(1)
        while new[-1]["type"] != "cursor":
            new += follower.take(1)
        (begun,) = [line for line in new if line["type"] == "user"]
        assert (begun["session"], begun["text"]) == ("later", "Begin")
        with path.open("ab") as file:
            file.write(log.text("Done"))
        follower.take(1)
        while follower.seen[-1]["type"] != "cursor":
            follower.take(1)
        assert "Done" in [line["text"] for line in follower.seen if line["type"] == "message"]
    again = lines_of(agentview.ok("events", "@all", "--since", cursor_of(follower.seen)))
    assert [line["type"] for line in again] == ["cursor"]


@dataclass
class _Writers:
    """Clients that write sessions, some of them new, while others read."""

    root: Path
    logs: list[tuple[Path, ClaudeLog]] = field(default_factory=list[tuple[Path, ClaudeLog]])
    turns: int = 0

    def write(self) -> None:
        """One step: a turn of an older session in two pieces, or a new session."""
        self.turns += 1
        if self.turns % 5 == 1:
            log = ClaudeLog(f"session-{self.turns}")
            self.logs.append((self.root / f"p{self.turns % 3}" / f"{log.session}.jsonl", log))
        path, log = self.logs[self.turns * 7 % len(self.logs)]
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b"".join(conversation(log, 1, begin=self.turns))
        cut = len(data) * (self.turns % 9) // 9
        for piece in (data[:cut], data[cut:]):
            with path.open("ab") as file:
                file.write(piece)
            time.sleep(0.005)


def _read_and_kill(
    agentview: CommandLine, cursor: str | None, writers: _Writers, lines: int
) -> Iterator[dict[str, Any]]:
    """Whole lines that a reader got until it was killed, while others wrote."""
    since = () if cursor is None else ("--since", cursor)
    process = subprocess.Popen(
        agentview.command("events", "@all", "--follow", *since),
        stdout=subprocess.PIPE,
        cwd=agentview.cwd,
        env=agentview.environment,
    )
    assert process.stdout is not None
    for _ in range(10):
        writers.write()
    for line in process.stdout:
        if line.endswith(b"\n"):
            yield json.loads(line)
        lines -= 1
        if lines == 0:
            process.send_signal(signal.SIGKILL)
        if lines % 4 == 0 and lines > 0:
            writers.write()
    assert process.wait() == -signal.SIGKILL


@pytest.mark.slow
def test_a_reader_that_is_killed_again_and_again_misses_nothing(agentview: CommandLine):
    chance = random.Random(20)  # noqa: S311
    writers = _Writers(agentview.home / ".claude" / "projects")
    for _ in range(30):
        writers.write()
    seen: Lines = []
    cursor: str | None = None
    for _ in range(20):
        for line in _read_and_kill(agentview, cursor, writers, chance.randint(1, 300)):
            if line["type"] == "cursor":
                cursor = line["cursor"]
            seen.append(line)
    assert cursor is not None
    since = ("--since", cursor)
    seen += lines_of(agentview.ok("events", "@all", *since))
    expected = last_said(lines_of(agentview.ok("events", "@all")))
    assert len(expected) > 500
    assert last_said(seen) == expected


@pytest.mark.slow
def test_the_spool_script_of_the_docs_continues_where_it_was_killed(
    agentview: CommandLine, projects: Path, tmp_path: Path
):
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text()
    script = next(code for code in page.split("```") if "#!/bin/sh" in code).partition("\n")[2]
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    start = bin_folder / "agentview"
    start.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agentview "$@"\n')
    start.chmod(0o700)
    spool = agentview.home / ".local" / "state" / "agentview-spool.jsonl"
    spool.parent.mkdir(parents=True)
    env = agentview.environment | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    for count in (1, 2):
        process = subprocess.Popen(["sh", "-c", script], cwd=Path(__file__).parents[2], env=env)
        end = time.monotonic() + PATIENCE
        while not spool.exists() or spool.read_text().count('"type":"cursor"') < count:
            assert time.monotonic() < end
            time.sleep(0.05)
        process.kill()
        process.wait()
        with spool.open("a") as file:
            file.write('{"v":2,"id":"torn')
    lines = spool.read_text().splitlines()
    whole = [json.loads(line) for line in lines if not line.endswith("torn")]
    ids = [line["id"] for line in whole if line["type"] != "cursor"]
    assert sessions_of(whole) == {FIRST, SECOND, THIRD}
    assert len(ids) == len(set(ids))
    assert len(lines) == len(whole) + 2


@pytest.mark.slow
def test_rsyslog_reads_the_spool_as_the_docs_configure_it(tmp_path: Path):
    program = shutil.which("rsyslogd", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("needs rsyslog: apt-get install rsyslog")
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text()
    code = next(code for code in page.split("```") if "imfile" in code).partition("\n")[2]
    spool = tmp_path / "ana" / ".local" / "state" / "agentview-spool.jsonl"
    spool.parent.mkdir(parents=True)
    for place, ours in (
        ("/var/lib/rsyslog", f"{tmp_path}"),
        ("/home/*/", f"{tmp_path}/*/"),
        ("/var/log/agentview-events.jsonl", f"{tmp_path}/events.jsonl"),
    ):
        assert place in code
        code = code.replace(place, ours)
    (tmp_path / "rsyslog.conf").write_text(code)
    long = "x" * 100_000
    events = [
        {"v": 2, "type": "message", "id": f"{at}", "text": f'"é\x1b{long}'} for at in range(9)
    ]
    cursor = {"v": 2, "type": "cursor", "cursor": "1.eyJ1Ijo"}
    lines = [json.dumps(line) for line in (*events, cursor)]
    spool.write_text("".join(f"{line}\n" for line in lines))
    command = [program, "-n", "-f", str(tmp_path / "rsyslog.conf"), "-i", "NONE"]
    shipped = tmp_path / "events.jsonl"
    with subprocess.Popen(command) as process:
        try:
            end = time.monotonic() + PATIENCE
            while not shipped.exists() or shipped.read_text().count("\n") < len(events):
                assert time.monotonic() < end
                time.sleep(0.05)
        finally:
            process.terminate()
    assert [json.loads(line) for line in shipped.read_text().splitlines()] == events
