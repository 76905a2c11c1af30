"""The answer of `agentview status` is kept, and holds only while nothing has changed."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import FIRST, SECOND, CommandLine, Printed
from tests.cli.test_attention import Live
from tests.clients.running_client import process, started, write_entry

KEPT = Path(".cache/agentview/status.json")


@pytest.fixture
def live(agentview: CommandLine) -> Live:
    live = Live(agentview, FIRST, "/home/dev/one/repo")
    live.ask(before=50)
    # What was written this moment is not kept: another write might have the same time.
    time.sleep(0.1)
    return live


def _states(printed: Printed) -> list[str]:
    return [row["state"] for row in json.loads(printed("status", "--json"))]


def test_a_kept_answer_is_the_same_and_imports_no_provider(
    agentview: CommandLine, live: Live
) -> None:
    first = agentview.ok("status", "--json")
    kept = json.loads((agentview.home / KEPT).read_text())
    assert kept["json"] == first
    assert (agentview.home / KEPT).stat().st_mode & 0o077 == 0
    for arguments in (["--json"], ["--format", "{needs} need you"], []):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "agentview", "status", *arguments],
            env=agentview.environment,
            cwd=agentview.cwd,
            capture_output=True,
            text=True,
            check=True,
        )
        imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert not imported & {"agentview.providers", "argparse", "sqlite3", "msgspec", "pathlib"}
        assert {
            "--json": done.stdout == first,
            "--format": done.stdout == "1 need you\n",
            "": done.stdout.startswith("STATE"),
        }[arguments[0] if arguments else ""]


def test_it_holds_until_something_changes(
    agentview: CommandLine, live: Live, printed: Printed
) -> None:
    assert _states(printed) == ["needs-answer"]
    assert _states(printed) == ["needs-answer"]
    with process() as client:
        entry = write_entry(
            agentview.home, client.pid, FIRST, status="busy", procStart=started(client.pid)
        )
        time.sleep(0.2)
        assert _states(printed) == ["working"]
        time.sleep(0.2)
        assert json.loads(printed("status", "--json"))[0]["pid"] == client.pid
        client.kill()
        client.wait()
        time.sleep(2.0)
        assert _states(printed) == []
        entry.unlink()
    other = Live(agentview, SECOND, "/home/dev/two/repo")
    other.ask()
    assert "needs-answer" in _states(printed)
    other.add(other.log.result("q1", "red"))
    other.end()
    assert "your-turn" in _states(printed)
    assert json.loads(printed("status", "--json", CLAUDE_CONFIG_DIR="/nowhere/x")) == []


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"form": 1}', b'"x"', b"\xff" * 99])
def test_what_is_damaged_is_made_again(agentview: CommandLine, live: Live, damage: bytes) -> None:
    before = agentview.ok("status", "--json")
    path = agentview.home / KEPT
    for kept in (damage, path.read_bytes().replace(b'"files": {', b'"files": {"/none": 3, ')):
        path.write_bytes(kept)
        assert agentview.ok("status", "--json") == before
    assert json.loads(path.read_bytes())["json"] == before
