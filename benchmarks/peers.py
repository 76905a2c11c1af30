"""Other programs on the same file in the same run, where they are there to be run."""

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import generate
from benchmarks.bench import Bench, size_text
from benchmarks.commands import run_piped
from benchmarks.figures import Figure, Group
from benchmarks.generate import END
from benchmarks.process import children_of, rss_of
from benchmarks.terminal import GoneError, Terminal
from benchmarks.watched import agentview

_PATIENCE = 30.0
_PACKAGES = ("toolong", "claude-code-log")
_MEBIBYTE = 1024**2


def measure(bench: Bench) -> Group:
    """First content and memory; nothing of it is judged."""
    group = Group("peers")
    session = bench.session(bench.plan.middle)
    path, name = str(session.path), size_text(session.size)
    installed = _installed(bench)
    for title, command, marker in (
        ("agentview open", agentview("open", path), END),
        ("less +G", _found("less", "+G", path), END),
        ("vim +$", _found("vim", "-u", "NONE", "+$", path), END),
        ("lnav", _found("lnav", path), END),
        ("toolong", installed("tl", path), "sessionId"),
        ("claude-code-log --tui", installed("claude-code-log", "--tui", path), "Session"),
    ):
        group.figures += _screen(f"{title}, {name}", command, marker)
    query = _found("jq", "-c", ".type", path)
    group.figures += _piped(f"jq -c .type, {name}", query)
    return group


def _found(name: str, *arguments: str) -> list[str] | None:
    path = shutil.which(name)
    return [path, *arguments] if path else None


def _screen(name: str, command: Sequence[str] | None, marker: str) -> list[Figure]:
    if command is None:
        return [Figure(name, None, "ms", note="not installed here")]
    with Terminal(command) as terminal:
        try:
            wall = terminal.wait_for(marker.encode(), _PATIENCE) - terminal.started
        except GoneError as gone:
            return [Figure(f"{name}, first content", None, "ms", note=str(gone))]
        terminal.settle(timeout=3)
        memory = rss_of(terminal.pid) + sum(map(rss_of, children_of(terminal.pid)))
    return [
        Figure(f"{name}, first content", wall * 1000, "ms"),
        Figure(f"{name}, memory", memory / _MEBIBYTE, "MB"),
    ]


def _piped(name: str, command: Sequence[str] | None) -> list[Figure]:
    if command is None:
        return [Figure(name, None, "s", note="not installed here")]
    return [Figure(f"{name}, CPU", run_piped(command)[1], "s")]


class _Absent:
    """Programs of an environment that could not be made."""

    def __call__(self, name: str, *arguments: str) -> list[str] | None:
        del name, arguments
        return None


class _Environment:
    """Programs of an environment."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs

    def __call__(self, name: str, *arguments: str) -> list[str] | None:
        path = self._programs / name
        return [str(path), *arguments] if path.exists() else None


def _installed(bench: Bench) -> "_Environment | _Absent":
    """The Python peers, in an environment beside the sessions, made once; none in a fast run."""
    if bench.plan.fast:
        return _Absent()
    place = generate.directory() / "peers"
    done = place / "installed"
    if not done.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
            for package in _PACKAGES:
                command = [str(place / "bin" / "pip"), "install", "-q", package]
                subprocess.run(command, check=False, timeout=120, capture_output=True)
        except (OSError, subprocess.SubprocessError):
            return _Absent()
        done.write_text(time.strftime("%Y-%m-%d"))
    return _Environment(place / "bin")
