"""Runs the commands as a person does: in a process of their own, with a home of their own."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agentview.cli import main
from agentview.sessions.targets import session_query
from tests.claude_log import ClaudeLog, conversation, write
from tests.patience import PATIENCE

FIRST = "11111111-aaaa-4aaa-8aaa-000000000001"
SECOND = "11112222-bbbb-4bbb-8bbb-000000000002"
THIRD = "33333333-cccc-4ccc-8ccc-000000000003"


@dataclass
class CommandLine:
    """`agentview` with a home directory and nothing else from the environment of the tests."""

    home: Path
    cwd: Path
    env: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def environment(self) -> dict[str, str]:
        base = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        return base | {"LANG": "C.UTF-8", "TZ": "UTC"} | self.env

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "agentview", *arguments]

    def __call__(
        self, *arguments: str, stdin: bytes | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*arguments),
            input=stdin if stdin is not None else b"",
            capture_output=True,
            check=False,
            cwd=self.cwd,
            env=self.environment | env,
            timeout=PATIENCE,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def ok(self, *arguments: str, stdin: bytes | None = None, **env: str) -> str:
        """Standard output of a command that must succeed in silence."""
        done = self(*arguments, stdin=stdin, **env)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def fails(self, code: int, *arguments: str, stdin: bytes | None = None) -> str:
        """Standard error of a command that must fail with this code and a sentence."""
        return sentence_of(self(*arguments, stdin=stdin), code)


def sentence_of(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Standard error of a command that failed with this code, and said why."""
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("agentview: ")
    assert done.stderr.splitlines()[0].endswith((".", "?"))
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.fixture
def agentview(tmp_path: Path) -> CommandLine:
    """The command line of a person who has no sessions yet."""
    home = tmp_path / "home"
    cwd = tmp_path / "empty"
    home.mkdir()
    cwd.mkdir()
    return CommandLine(home, cwd)


RunHere = Callable[..., subprocess.CompletedProcess[str]]
Printed = Callable[..., str]
Refused = Callable[..., str]


@pytest.fixture
def run_here(
    agentview: CommandLine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> RunHere:
    """Run a command in this process: for many at once, each is far cheaper."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(agentview.home))

    def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(agentview.cwd)
        for name, value in (agentview.env | env).items():
            monkeypatch.setenv(name, value)
        # A process opens it once.
        session_query.catalogue.cache_clear()
        code = main(arguments)
        out, err = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, out, err)

    return run


@pytest.fixture
def printed(run_here: RunHere) -> Printed:
    """Standard output of a command that runs here and must succeed in silence."""

    def run(*arguments: str, **env: str) -> str:
        done = run_here(*arguments, **env)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


@pytest.fixture
def refused(run_here: RunHere) -> Refused:
    """Standard error of a command that runs here and must fail with this code and a sentence."""

    def run(code: int, *arguments: str) -> str:
        return sentence_of(run_here(*arguments), code)

    return run


@pytest.fixture
def projects(agentview: CommandLine) -> Path:
    """Three sessions of two projects in the home of `agentview`, the first one oldest."""
    root = agentview.home / ".claude" / "projects"
    for index, (session, folder) in enumerate(
        [(FIRST, "-home-dev-shop"), (SECOND, "-home-dev-shop"), (THIRD, "-home-dev-blog")]
    ):
        records = conversation(ClaudeLog(session), 2 + index)
        if folder.endswith("blog"):
            records = [record.replace(b"/home/dev/shop", b"/home/dev/blog") for record in records]
        path = write(root / folder / f"{session}.jsonl", records)
        os.utime(path, (1_790_000_000 + index, 1_790_000_000 + index))
    return root
