"""The answer of `agentview status` is kept, and holds only while nothing has changed."""

import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.cli.conftest import FIRST, SECOND, CommandLine, Printed
from tests.cli.test_attention import Live
from tests.patience import PATIENCE
from tests.sessions.clients.running_client import process, started, write_entry

KEPT = Path(".cache/agentview/status")
_TRIES = 10


@pytest.fixture
def live(agentview: CommandLine) -> Live:
    live = Live(agentview, FIRST, "/home/dev/one/repo")
    live.ask(before=50)
    # What was written this moment is not kept: another write might have the same time.
    time.sleep(0.1)
    return live


@contextmanager
def _running(*arguments: str, program: str) -> Generator[None]:
    """A process that has these arguments; it and its children are gone when the block ends."""
    with subprocess.Popen(arguments, executable=program) as process:
        try:
            yield
        finally:
            for child in psutil.Process(process.pid).children():
                child.kill()
            process.kill()


def _states(printed: Printed) -> list[str]:
    return [row["state"] for row in json.loads(printed("status", "--json"))]


def test_a_kept_answer_is_the_same_and_imports_no_provider(
    agentview: CommandLine, live: Live
) -> None:
    first = agentview.ok("status", "--json")
    assert (agentview.home / KEPT).read_bytes().endswith(b"\0" + first.encode())
    assert (agentview.home / KEPT).stat().st_mode & 0o077 == 0
    # As the command does; `-m` itself imports more.
    script = "import sys; from agentview.cli import main; sys.exit(main())"
    for arguments in (["--json"], ["--format", "{needs} need you"], []):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", script, "status", *arguments],
            env=agentview.environment,
            cwd=agentview.cwd,
            capture_output=True,
            text=True,
            check=True,
        )
        imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
        assert not imported & {"agentview.providers", "argparse", "sqlite3", "msgspec", "pathlib"}
        if "--format" in arguments:
            assert not imported & {"re", "typing", "json", "contextlib"}
        assert {
            "--json": done.stdout == first,
            "--format": done.stdout == "1 need you\n",
            "": done.stdout.startswith("STATE"),
        }[arguments[0] if arguments else ""]


@pytest.mark.slow
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


def test_a_client_that_has_ended_is_gone_before_its_parent_has_noticed(
    agentview: CommandLine, live: Live
) -> None:
    with process() as client:
        entry = {"status": "waiting", "procStart": started(client.pid)}
        write_entry(agentview.home, client.pid, FIRST, waitingFor="input needed", **entry)
        until = time.monotonic() + PATIENCE
        while not (agentview.home / KEPT).exists():
            assert '"needs-answer"' in agentview.ok("status", "--json")
            assert time.monotonic() < until
        client.kill()
        # Nobody waits for it: it is still in the table of processes.
        stat = Path(f"/proc/{client.pid}/stat")
        while stat.read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)
        assert json.loads(agentview.ok("status", "--json")) == []


@pytest.mark.slow
def test_where_processes_may_decide_it_holds_until_a_client_or_its_child_begins(
    agentview: CommandLine, live: Live
) -> None:
    live.add(live.log.result("q1", "red"), live.log.call("b1", "Bash", command="make"))
    path = agentview.home / KEPT
    time.sleep(0.1)

    def is_made_again() -> bool:
        before = path.stat().st_mtime_ns if path.exists() else 0
        assert [row["state"] for row in json.loads(agentview.ok("status", "--json"))] == ["working"]
        return path.stat().st_mtime_ns != before

    def holds() -> bool:
        # Any process of this machine that may be a client has it made again, once.
        return any(not is_made_again() for _ in range(_TRIES))

    def holds_beside_another() -> bool:
        with _running("make", "600", program="/bin/sleep"):
            time.sleep(2.5)
            return not is_made_again()

    is_made_again()
    # What time alone changes early has passed.
    time.sleep(3.5)
    assert holds()
    assert any(holds_beside_another() for _ in range(_TRIES))
    sign = agentview.cwd / "sign"
    script = (
        "import os, subprocess, time\n"
        f"while not os.path.exists({str(sign)!r}): time.sleep(0.05)\n"
        "subprocess.run(['sleep', '600'])"
    )
    with _running("claude", "-c", script, program=sys.executable):
        assert is_made_again()
        assert holds()
        sign.touch()
        until = time.monotonic() + PATIENCE
        while not is_made_again():
            assert time.monotonic() < until
            time.sleep(0.2)
        assert holds()
    assert is_made_again()


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", b"{", b"2 x\0a\0b", b"\0" * 9, b"\xff" * 99])
def test_what_is_damaged_is_made_again(agentview: CommandLine, live: Live, damage: bytes) -> None:
    before = agentview.ok("status", "--json")
    path = agentview.home / KEPT
    whole = path.read_bytes()
    more = whole.replace(b"\0file\0", b"\0file\0/none\x003\0file\0", 1)
    for kept in (damage, more, whole[: len(whole) // 2], whole.replace(b"\0pid\0", b"\0pid\0x", 1)):
        path.write_bytes(kept)
        assert agentview.ok("status", "--json") == before
    assert path.read_bytes().endswith(b"\0" + before.encode())
