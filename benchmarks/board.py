"""The board over many live sessions: from evidence to the screen, and what it costs at rest."""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from agentview.cli.kept_status import started
from benchmarks.bench import Bench, idle_cpu
from benchmarks.commands import run_piped
from benchmarks.figures import Figure, Group, at_most, middle, percentile
from benchmarks.process import rss_of
from benchmarks.tail import SETTLED
from benchmarks.terminal import GoneError, Terminal
from benchmarks.watched import agentview

SESSIONS = 50
_PATIENCE = 20.0
_MEBIBYTE = 1024**2
_PYTHON = (sys.executable, "-c", "pass")


def measure(bench: Bench) -> list[Group]:
    """Over a home of its own."""
    # Below a directory of its own: what others write next to it is not to be looked at.
    place = Path(tempfile.mkdtemp(prefix="agentview-board-"))
    home = place / "below" / "home"
    try:
        sessions = [_Session(home, number) for number in range(SESSIONS)]
        environment = {"HOME": str(home), "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
        figures = _board(bench, home, sessions, environment)
        return [Group("board", [*figures, _status(bench, environment)])]
    finally:
        shutil.rmtree(place, ignore_errors=True)


class _Session:
    """A live session: a prompt, then calls; `ask` makes it wait for its person."""

    def __init__(self, home: Path, number: int) -> None:
        self.id = f"{number:08d}-0000-4000-8000-{number:012d}"
        self._cwd = f"/home/dev/team-{number}/repo"
        self.path = home / ".claude" / "projects" / f"-home-dev-team-{number}-repo"
        self.path = self.path / f"{self.id}.jsonl"
        self.path.parent.mkdir(parents=True)
        self._count = 0
        prompt = {"role": "user", "content": f"Work on part {number}"}
        self._write(self._record("user", prompt), self._call("Bash", {"command": "make"}))

    def ask(self, mark: str) -> None:
        """Ask a question with a word that only it has."""
        question: dict[str, object] = {
            "question": mark,
            "header": "Q",
            "options": [],
            "multiSelect": False,
        }
        self._write(self._call("AskUserQuestion", {"questions": [question]}))

    def answer(self) -> None:
        """Have the question answered."""
        block = {
            "type": "tool_result", "tool_use_id": f"c{self._count}", "content": "yes"
        }  # fmt: skip
        self._write(self._record("user", {"role": "user", "content": [block]}))

    def _call(self, name: str, arguments: Mapping[str, object]) -> bytes:
        call = {"type": "tool_use", "id": f"c{self._count + 1}", "name": name, "input": arguments}
        message = {
            "id": f"msg_{self._count}", "type": "message", "role": "assistant",
            "model": "claude-opus-5-5", "content": [call],
            "usage": {"input_tokens": 9_000, "output_tokens": 400},
        }  # fmt: skip
        return self._record("assistant", message)

    def _record(self, kind: str, message: Mapping[str, object]) -> bytes:
        self._count += 1
        record = {
            "parentUuid": None, "isSidechain": False, "cwd": self._cwd, "sessionId": self.id,
            "version": "2.1.329", "gitBranch": "main", "type": kind, "message": message,
            "uuid": f"{self.id}-{self._count}",
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }  # fmt: skip
        return json.dumps(record).encode() + b"\n"

    def _write(self, *records: bytes) -> None:
        with self.path.open("ab", buffering=0) as file:
            file.write(b"".join(records))


def _board(
    bench: Bench, home: Path, sessions: list[_Session], environment: Mapping[str, str]
) -> list[Figure]:
    with Terminal(agentview("board"), environment=environment) as terminal:
        terminal.wait_for(f"{SESSIONS} live sessions".encode(), _PATIENCE)
        terminal.rest(SETTLED)
        terminal.frames.clear()
        used = idle_cpu(terminal, bench.plan.idle)
        painted = len(terminal.frames)
        logs, lost = _by_log(terminal, sessions, bench.plan.presses)
        lists, gone = _by_registry(terminal, home, sessions[0], bench.plan.presses // 2)
        memory = rss_of(terminal.pid)
    return [
        _wall("a record that asks, to painted, p99", logs, lost),
        _wall("an entry of a registry that asks, to painted, p99", lists, gone),
        Figure(
            f"CPU with {SESSIONS} live sessions",
            used * 100,
            "%",
            (at_most(0.5, "value"),),
            bench.hello.idle * 100,
            "hello",
        ),
        Figure("frames painted meanwhile", float(painted), "frames", (at_most(0, "value"),)),
        Figure("memory", memory / _MEBIBYTE, "MB"),
    ]


def _wall(name: str, walls: list[float], lost: int) -> Figure:
    most = percentile(walls, 0.99) * 1000 if walls else None
    note = f"p50 {middle(walls) * 1000:.0f} ms of {len(walls)}" if walls else ""
    if lost:
        note += f"; {lost} not painted within 2 s"
    return Figure(name, most, "ms", (at_most(250.0, "value"),), note=note)


def _by_log(terminal: Terminal, sessions: list[_Session], count: int) -> tuple[list[float], int]:
    walls: list[float] = []
    lost = 0
    for number in range(count):
        session, mark = sessions[(number * 7) % SESSIONS], f"q{number:06d}"
        began = time.perf_counter()
        session.ask(mark)
        try:
            walls.append(terminal.wait_for(mark.encode(), 2.0) - began)
        except GoneError:
            lost += 1
        terminal.run_for(0.05 + 0.007 * (number % 7))
        session.answer()
        terminal.run_for(0.2)
    return walls, lost


def _by_registry(
    terminal: Terminal, home: Path, session: _Session, count: int
) -> tuple[list[float], int]:
    """The entry names this process, which is there for as long as it is measured."""
    pid = os.getpid()
    entry = home / ".claude" / "sessions" / f"{pid}.json"
    entry.parent.mkdir(parents=True, exist_ok=True)
    walls: list[float] = []
    lost = 0
    for number in range(count):
        _say(entry, session, pid, status="busy")
        terminal.run_for(0.3 + 0.007 * (number % 7))
        began = time.perf_counter()
        _say(entry, session, pid, status="waiting", waitingFor="permission prompt")
        at = _painted(terminal, began, "needs-approval")
        if at is None:
            lost += 1
        else:
            walls.append(at - began)
        terminal.run_for(0.2)
    return walls, lost


def _painted(terminal: Terminal, after: float, word: str) -> float | None:
    """When the first frame after a moment that has the word was there; None after two seconds."""
    while time.perf_counter() < after + 2.0:
        terminal.run_for(0.02)
        for frame in terminal.frames[-8:]:
            if frame.at > after and word in frame.text:
                return frame.at
    return None


def _say(entry: Path, session: _Session, pid: int, **status: str) -> None:
    moment = int(time.time() * 1000)
    said = {
        "pid": pid, "sessionId": session.id, "startedAt": moment, "updatedAt": moment,
        "statusUpdatedAt": moment, "version": "2.1.331", "procStart": started(pid), **status,
    }  # fmt: skip
    entry.write_text(json.dumps(said))


def _status(bench: Bench, environment: Mapping[str, str]) -> Figure:
    """`agentview status --format`, its answer kept, in turn with a Python that does nothing."""
    command = ["env", *(f"{name}={value}" for name, value in environment.items())]
    command += agentview("status", "--format", "{needs} need you")
    for _ in range(3):
        time.sleep(0.2)
        run_piped(command)
    floor: list[float] = []
    ours: list[float] = []
    for _ in range(4 * bench.plan.runs + 1):
        floor.append(run_piped(["env", *_PYTHON])[0])
        ours.append(run_piped(command)[0])
    return Figure(
        f"status of {SESSIONS} sessions, kept",
        middle(ours) * 1000,
        "ms",
        (at_most(60.0, "value"), at_most(4.0)),
        middle(floor) * 1000,
        "python -c pass",
    )
