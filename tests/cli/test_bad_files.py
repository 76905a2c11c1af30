"""One bad file of each sort beside good ones: no command over many sessions loses a good one."""

import os
from pathlib import Path

import pytest

from agentview.cli.grammar import build_parser
from agentview.system.paths import sample_sessions_dir
from agentview.system.zstd import zstd
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine

pytestmark = pytest.mark.slow

GOOD = [f"{number:08d}-aaaa-4aaa-8aaa-000000000001" for number in range(3)]
CODEX = "019aa000-0000-7000-8000-0000000000"

COMMANDS = (
    ("ls", "--json"),
    ("ls",),
    ("stats", "--by", "session", "--json"),
    ("stats", "--by", "session"),
    ("search", "please", "--json"),
    ("search", "please", "--index"),
    ("search", "please", "--no-index", "--full"),
    ("doctor", "{home}"),
    ("doctor", "--json", "{home}"),
    ("trace", "{home}"),
    ("dev", "fixtures", "build", "{home}"),
    ("events", "@all"),
    ("report", "--since", "2020", "--json"),
)
"""Commands over many sessions whose output names each of them."""

COUNTING = (
    ("stats", "--json"),
    ("doctor",),
    ("dev", "census", "{home}"),
    ("status",),
    ("status", "--json"),
    ("providers",),
    ("cache",),
    ("secrets", "--all"),
    ("archive", "--all"),
    ("report",),
)
"""Those that name none, and only must not fail."""

ABOUT_ONE = {
    *(
        "tail",
        "open",
        "cat",
        "diff",
        "demo",
        "replay",
        "config",
        "completion",
        "help",
        "wait",
        "blame",
        "review",
        "tag",
        "compare",
        "export",
        "hooks",
        "skill",
    ),
}
WITHOUT_END = {"board", "watch", "mcp", "serve"}
"""Those that show what changes, or answer, until they are ended."""


def _bomb() -> bytes:
    packer = zstd.ZstdCompressor()
    parts = [packer.compress(bytes(1_000_000)) for _ in range(100)]
    return b"".join([*parts, packer.flush()])


@pytest.fixture
def home(agentview: CommandLine) -> Path:
    """Good sessions of two clients, and beside them what should not be there."""
    home = agentview.home
    claude = home / ".claude" / "projects" / "-home-dev-shop"
    for session in GOOD:
        write(claude / f"{session}.jsonl", conversation(ClaudeLog(session), 2))
    codex = home / ".codex" / "sessions" / "2026" / "11" / "23"
    codex.mkdir(parents=True)

    def rollout(number: int) -> Path:
        return codex / f"rollout-2026-11-23T10-00-00-{CODEX}{number:02d}.jsonl"

    rollout(1).write_bytes((sample_sessions_dir() / "codex" / "demo.jsonl").read_bytes())
    Path(f"{rollout(2)}.zst").write_bytes(_bomb())
    Path(f"{rollout(3)}.zst").write_bytes(_bomb()[:200])
    for number, data in enumerate(
        (
            b"",
            b"\xff" * 5000,
            b'{"type":"session_meta","payload":{"id":["x"]}}\n',
            b'{"type":"message","role":"user","content":[{"type":["x"]}]}\n',
            b'{"type":"response_item","payload":' + b"[" * 100_000 + b"\n",
            b'{"a":1}\n' * 10,
        ),
        10,
    ):
        rollout(number).write_bytes(data)
        (claude / f"{number}{GOOD[0][2:-1]}9.jsonl").write_bytes(data)
    os.mkfifo(rollout(30))
    os.mkfifo(claude / f"30{GOOD[0][2:]}.jsonl")
    os.mkfifo(claude / "agent-x.meta.json")
    (claude / "agent-x.jsonl").write_bytes(b'{"isSidechain":true,"agentId":"x","sessionId":"q"}\n')
    rollout(31).mkdir()
    rollout(32).symlink_to("/nonexistent")
    rollout(33).symlink_to(rollout(33))
    with (claude / f"34{GOOD[0][2:]}.jsonl").open("wb") as sparse:
        sparse.truncate(60_000_000)
    (claude / f"35{GOOD[0][2:]}.jsonl").write_bytes(b"x" * 5_000_000)
    (claude / f"36{GOOD[0][2:]}.jsonl").write_bytes(
        b'{"type":"user","isSidechain":false,"sessionId":"../x\\u0000","uuid":"u","message":'
        b'{"role":"user","content":"' + b"\\u001b]0;x" * 20 + b'"}}\n'
    )
    return home


def test_every_command_over_many_sessions_is_tried() -> None:
    names = {name for action in build_parser()._actions for name in action.choices or ()}
    levels = {"title", "summary", "full"}
    assert names - levels - ABOUT_ONE - WITHOUT_END == {
        command[0] for command in (*COMMANDS, *COUNTING)
    }


def test_the_good_sessions_are_all_there(agentview: CommandLine, home: Path) -> None:
    for command in (*COMMANDS, *COUNTING):
        done = agentview(*(part.format(home=home) for part in command))
        assert done.returncode in (0, 1), (command, done.stderr)
        assert "Traceback" not in done.stderr, command
        if command in COMMANDS:
            for session in GOOD:
                assert session[:8] in done.stdout, (command, session, done.stderr)
