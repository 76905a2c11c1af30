"""Standard streams that are closed when a command starts: no traceback, no hang, no harm."""

import subprocess
from pathlib import Path

import pytest

from agentview.cli.grammar import build_parser
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

LOG = sample_sessions_dir() / "codex" / "demo.jsonl"
ARGUMENTS = {
    "library": (), "tail": (), "open": (LOG,), "ls": (), "cat": (LOG,), "events": (LOG,),
    "diff": (LOG,), "stats": (LOG,), "search": ("foo",), "doctor": (LOG,), "trace": (LOG,),
    "dev": ("fixtures", "build", LOG), "fixtures": ("build", LOG),
    "config": ("show",), "cache": (), "blame": (LOG,), "completion": ("bash",), "demo": (),
    "replay": (LOG,), "review": ("HEAD",), "tag": (),
    "status": (), "providers": (), "board": (), "wait": (LOG, "--timeout", "0.1"),
    "hooks": ("print", "claude"), "export": (LOG,), "secrets": (LOG,), "compare": (LOG, LOG),
    "archive": ("--list",), "report": (), "mcp": (), "serve": ("--stdio",), "skill": (), "help": (),
    "--help": (), "--version": (), "no-such-command": (),
}  # fmt: skip


def test_every_command_is_tried() -> None:
    levels = {"title", "summary", "full"}
    names = {name for action in build_parser()._actions for name in action.choices or ()} - levels
    # `watch` has no end of its own.
    assert names - {"watch"} <= set(ARGUMENTS)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_fault(agentview: CommandLine, closed: str, tmp_path: Path) -> None:
    before = LOG.read_bytes()
    for name, arguments in ARGUMENTS.items():
        command = agentview.command(*([] if name == "library" else [name]), *map(str, arguments))
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd=agentview.cwd,
            env=agentview.environment,
            timeout=PATIENCE,
        )
        assert "Traceback" not in done.stderr, (name, done.stderr)
        codes = (0, 1, 2, 10, 124) if name == "wait" else (0, 1, 2)
        assert done.returncode in codes, (name, done.returncode)
        if closed == ">&-":
            assert done.returncode in (1, 2), name
            assert done.stderr.startswith("agentview: "), (name, done.stderr)
    assert LOG.read_bytes() == before
