"""`--mask`: no secret of a log is left in what a command prints."""

import json
from pathlib import Path

import pytest

from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import CommandLine

PLANTED = "q7RtY2mK9xWb"
COMMAND = f"curl -u ana:{PLANTED} https://host.example"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    log = ClaudeLog()
    content = f"user = 'ana'\npassword = '{PLANTED}'\n"
    return write(
        tmp_path / "log.jsonl",
        [
            log.prompt(f"The password is {PLANTED}, try it"),
            log.call("t1", "Bash", command=COMMAND),
            log.result("t1", json.dumps({"token": [PLANTED]})),
            log.call("t2", "Write", file_path="/home/dev/shop/settings.py", content=content),
            log.result("t2", "File created", {"type": "create", "content": content}),
            log.text("It works."),
        ],
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("cat",),
        ("cat", "--detail", "full"),
        ("cat", "--detail", "title"),
        ("cat", "--raw"),
        ("events",),
        ("events", "--records"),
        ("events", "--happy"),
        ("diff",),
        ("diff", "--json"),
        ("diff", "--stat"),
    ],
    ids=" ".join,
)
def test_nothing_secret_is_printed(
    agentview: CommandLine, log: Path, arguments: tuple[str, ...]
) -> None:
    plain = agentview(*arguments, str(log))
    hidden = agentview(*arguments, "--mask", str(log))
    assert hidden.returncode == plain.returncode == 0
    assert PLANTED in plain.stdout or "--stat" in arguments or "title" in arguments
    assert PLANTED not in hidden.stdout + hidden.stderr
    assert len(hidden.stdout.splitlines()) == len(plain.stdout.splitlines())
    assert "settings.py" in hidden.stdout
