"""Clients that run and have no log yet: on the board and in `agentview status`."""

import json
import os
import subprocess
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO, Any

import pytest

from agentview.cli.commands.wait import awaited_status
from agentview.domain.session import SessionRef
from agentview.sessions.clients.running import read_lists_again
from agentview.sessions.library.state_watch import statuses
from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE
from tests.sessions.clients.running_client import SESSION, log_of, process, started, write_entry

NEXT = "0b6c1a52-3f6e-4a3b-9a53-5a3f6d1c2e02"


def rows(agentview: CommandLine) -> list[dict[str, Any]]:
    return json.loads(agentview.ok("status", "--json"))


def states(agentview: CommandLine) -> list[tuple[str, str, str]]:
    return [(row["id"], row["state"], row["evidence"]) for row in rows(agentview)]


def begin(home: Path, session: str = SESSION) -> None:
    """Write the log of a session, whose prompt was just given."""
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
    record = {**json.loads(ClaudeLog(session).prompt("Fix it")), "cwd": "/w/shop"}
    line = json.dumps({**record, "timestamp": stamp}).encode() + b"\n"
    path = log_of(home, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, [line])


@pytest.fixture(autouse=True)
def home(agentview: CommandLine) -> Path:
    (agentview.home / ".claude" / "projects").mkdir(parents=True)
    return agentview.home


@pytest.mark.slow
def test_a_client_without_a_log_starts_and_becomes_its_session(
    agentview: CommandLine, home: Path
) -> None:
    assert rows(agentview) == []
    with process() as client:
        entry = {"procStart": started(client.pid)}
        write_entry(home, client.pid, status="idle", **entry)
        (row,) = rows(agentview)
        assert (row["id"], row["state"], row["evidence"]) == (SESSION, "starting", "registry")
        assert (row["project"], row["title"], row["pid"]) == ("/w/shop", "shop-1f", client.pid)
        assert row["since"] is not None
        assert row["tokens"] is None
        assert agentview.ok("status", "--format", "{starting} {needs}") == "1 0\n"
        begin(home)
        write_entry(home, client.pid, status="busy", **entry)
        assert states(agentview) == [(SESSION, "working", "registry")]
        # `/clear`: the same process has another session, of which nothing is written yet.
        write_entry(home, client.pid, NEXT, status="idle", **entry)
        assert (NEXT, "starting", "registry") in states(agentview)
        begin(home, NEXT)
        assert (NEXT, "your-turn", "registry") in states(agentview)
    assert "starting" not in [state for _, state, _ in states(agentview)]


@pytest.mark.slow
def test_wait_takes_a_client_that_has_no_log_yet(agentview: CommandLine, home: Path) -> None:
    with process() as client:
        write_entry(home, client.pid, status="idle", procStart=started(client.pid))
        write_entry(home, os.getpid(), NEXT, spare=True, procStart=started(os.getpid()))
        assert agentview.ok("wait", "@live", "--until", "starting") == "starting\n"


@pytest.mark.parametrize("follow", [True, False])
async def test_wait_follows_a_client_to_its_next_session(home: Path, *, follow: bool) -> None:
    begin(home)
    ref = SessionRef("claude_code", SESSION, str(log_of(home)))
    with process() as client:
        entry = {"procStart": started(client.pid)}
        write_entry(home, client.pid, status="busy", **entry)
        async with aclosing(statuses(ref)) as found:
            assert (await anext(found)).label == "working"
        asks = {"status": "waiting", "waitingFor": "permission prompt"}
        begin(home, NEXT)
        write_entry(home, client.pid, NEXT, **asks, **entry)
        status = await awaited_status(ref, ["needs-approval"], PATIENCE, follow=follow)
    assert status.label == ("needs-approval" if follow else "ended")


async def test_a_client_without_a_log_begins_or_ends(home: Path) -> None:
    ref = SessionRef("claude_code", SESSION, str(log_of(home)))
    with process() as client:
        entry = {"procStart": started(client.pid)}
        write_entry(home, client.pid, status="idle", **entry)
        async with aclosing(statuses(ref)) as found:
            assert (await anext(found)).label == "starting"
            begin(home)
            write_entry(home, client.pid, status="busy", **entry)
            assert "working" in [(await anext(found)).label for _ in range(4)]
    with process() as client:
        ref = SessionRef("claude_code", NEXT, str(log_of(home, NEXT)))
        listed = write_entry(home, client.pid, NEXT, procStart=started(client.pid))
        await read_lists_again([listed])
        async with aclosing(statuses(ref)) as found:
            assert (await anext(found)).label == "starting"
            client.kill()
            client.wait()
            labels = [status.label async for status in found]
            assert (set(labels[:-1]) - {"starting"}, labels[-1]) == (set(), "ended")


@pytest.mark.slow
def test_entries_of_nobody_start_nothing(agentview: CommandLine, home: Path) -> None:
    write_entry(home, 2**22 - 3)
    with process() as client:
        entry = {"procStart": started(client.pid)}
        write_entry(home, client.pid, "../../../etc/passwd", **entry)
        assert rows(agentview) == []
        write_entry(home, client.pid, cwd=None, **entry)
        assert rows(agentview) == []
        write_entry(home, client.pid, procStart="1")
        assert rows(agentview) == []


def test_watch_says_that_it_starts_and_what_becomes_of_it(
    agentview: CommandLine, home: Path
) -> None:
    lines = Queue[Any]()
    with (
        process() as client,
        process() as another,
        subprocess.Popen(
            agentview.command("watch", "--json"),
            stdout=subprocess.PIPE,
            env=agentview.environment,
            cwd=agentview.cwd,
        ) as watch,
    ):
        assert watch.stdout is not None
        Thread(target=_read, args=(watch.stdout, lines), daemon=True).start()
        try:
            entry = {"procStart": started(client.pid)}
            write_entry(home, client.pid, status="idle", **entry)
            assert _until(lines, SESSION, "starting") == [(None, client.pid)]
            begin(home)
            write_entry(home, client.pid, status="busy", **entry)
            # Its log may be seen before its entry says that it works.
            passed = _until(lines, SESSION, "working")
            assert passed[0] == ("starting", client.pid)
            assert passed[1:] in ([], [("your-turn", client.pid)])
            # One that is gone before it wrote anything.
            left = write_entry(home, another.pid, NEXT, procStart=started(another.pid))
            assert _until(lines, NEXT, "starting") == [(None, another.pid)]
            left.unlink()
            ((before, _),) = _until(lines, NEXT, "ended")
            assert before == "starting"
        finally:
            watch.kill()


def _read(pipe: IO[bytes], lines: Queue[Any]) -> None:
    for line in pipe:
        lines.put(json.loads(line))


def _until(lines: Queue[Any], session: str, state: str) -> list[tuple[str | None, int | None]]:
    """The changes of a session up to the one to `state`: the state before, and the process."""
    passed: list[tuple[str | None, int | None]] = []
    while True:
        row = lines.get(timeout=PATIENCE)
        if row["id"] == session:
            passed.append((row["before"], row["pid"]))
            if row["state"] == state:
                return passed


@pytest.mark.slow
def test_the_board_shows_it_and_opens_it(agentview: CommandLine, home: Path) -> None:
    with (
        process() as client,
        PseudoTerminal(
            agentview.command("board"), agentview.environment, agentview.cwd
        ) as terminal,
    ):
        terminal.wait_for("no session is live now")
        terminal.run_for(1.0)
        entry = {"procStart": started(client.pid)}
        write_entry(home, client.pid, status="idle", **entry)
        terminal.wait_for("starting")
        terminal.press("\r")
        terminal.wait_for("not begun")
        terminal.press("q")
        terminal.wait_for("1 live session")
        begin(home)
        write_entry(home, client.pid, status="busy", **entry)
        terminal.wait_for(lambda text: "working" in text and "Fix it" in text)
        assert "starting" not in terminal.text
        client.kill()
        client.wait()
        terminal.wait_for("no session is live now")
        terminal.press("q")
        assert terminal.wait() == 0
