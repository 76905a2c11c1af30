"""`agentview tail ssh://…` with the client and a server of OpenSSH on this machine."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from agentview.domain.remote_place import parse_place
from agentview.errors import UsageError
from tests.claude_log import ClaudeLog, conversation
from tests.cli.conftest import CommandLine
from tests.cli.test_screens import leave, terminal
from tests.patience import PATIENCE
from tests.ssh_machines import SshMachines

NOT_PLACES = (
    "ssh://-oProxyCommand=touch%20hacked/x",
    "ssh://-oProxyCommand=touch${IFS}hacked/x",
    "ssh://-l@host/x",
    "ssh://user@-host/x",
    "ssh://host:-p/x",
    "ssh://host:22 -oProxyCommand=x/x",
    "ssh://host;touch hacked/x",
    "ssh://`touch hacked`/x",
    "ssh://$(touch hacked)/x",
    "ssh://a b/x",
    "ssh://host\n/x",
    "ssh://host/x%0atouch hacked",
    "ssh://host/x%00",
    "ssh://host/\x1b[2J",
    "ssh://%68ost/x",
    "ssh://[::1%$(x)]/x",
    "ssh://",
    "ssh:///x",
    "ssh://@/x",
)


def fake_ssh(agentview: CommandLine, folder: Path, text: str) -> None:
    folder.mkdir()
    ssh = folder / "ssh"
    ssh.write_text(f"#!/bin/sh\n{text}\n")
    ssh.chmod(0o755)
    agentview.env["PATH"] = f"{folder}:{os.environ['PATH']}"


@pytest.fixture
def server(tmp_path: Path, agentview: CommandLine) -> Iterator[int]:
    """A server of OpenSSH; `ssh` reads how to reach it from a file of its own."""
    machines = SshMachines(tmp_path)
    agentview.env["PATH"] = f"{machines.programs}:{os.environ['PATH']}"
    try:
        yield machines.start("/nonexistent")
    finally:
        machines.close()


def followers(path: Path) -> list[int]:
    """Processes whose arguments name a file."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                arguments = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if str(path).encode() in arguments and b"tail" in arguments[0]:
                found.append(int(entry.name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "session.jsonl",
        "it's $(touch hacked) `touch hacked`; touch hacked.jsonl",
        "-oProxyCommand=x",
    ],
)
def test_a_log_of_another_machine_is_followed(
    agentview: CommandLine, server: int, tmp_path: Path, name: str
):
    log = tmp_path / "logs" / name
    log.parent.mkdir()
    first, *rest = conversation(ClaudeLog(), 3)
    log.write_bytes(first)
    place = f"ssh://127.0.0.1:{server}{quote(str(log))}"
    with terminal(agentview, "tail", place) as screen:
        screen.wait_for("you")
        assert "Step 2 is done." not in screen.text
        assert followers(log)
        with log.open("ab") as file:
            file.write(b"".join(rest))
        screen.wait_for("Step 2 is done.")
        leave(screen)
    deadline = time.monotonic() + PATIENCE
    while followers(log):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not list(tmp_path.rglob("hacked"))
    assert not (Path.home() / "hacked").exists()


@pytest.mark.slow
def test_what_ssh_says_is_told_and_ends_it(agentview: CommandLine, server: int, tmp_path: Path):
    with terminal(agentview, "tail", f"ssh://127.0.0.1:{server}{tmp_path}/none.jsonl") as screen:
        assert screen.wait() == 1
        assert "none.jsonl on 127.0.0.1, or you may not read it." in screen.text.replace("\n", "")
    with terminal(agentview, "tail", f"ssh://nobody@127.0.0.1:{server}/x.jsonl") as screen:
        assert screen.wait() == 1
        assert "agentview: ssh says: " in screen.text
        assert "Permission denied" in screen.text


@pytest.mark.slow
def test_a_file_is_waited_for(agentview: CommandLine, server: int, tmp_path: Path):
    log = tmp_path / "later.jsonl"
    with terminal(agentview, "tail", "--wait", f"ssh://127.0.0.1:{server}{log}") as screen:
        deadline = time.monotonic() + PATIENCE
        while not followers(log):
            assert time.monotonic() < deadline
            screen.run_for(0.05)
        log.write_bytes(b"".join(conversation(ClaudeLog(), 1)))
        screen.wait_for("Step 0 is done.")
        leave(screen)


def test_a_machine_alone_runs_agentview_there(agentview: CommandLine, tmp_path: Path):
    fake_ssh(agentview, tmp_path / "bin", 'printf "<%s>" "$@"; exit 127')
    with terminal(agentview, "tail", "ssh://dev@host:2222") as screen:
        assert screen.wait() == 1
        text = screen.text.replace("\n", "")
    assert "<-a><-x><-t><-p><2222><--><dev@host><agentview tail>" in text
    assert "agentview is not installed on host." in text


@pytest.mark.parametrize("target", NOT_PLACES)
def test_no_name_becomes_an_option_or_a_command(target: str):
    with pytest.raises(UsageError):
        parse_place(target)


def test_a_wrong_place_starts_nothing(agentview: CommandLine, tmp_path: Path):
    fake_ssh(agentview, tmp_path / "bin", f"touch {tmp_path}/started")
    for target in ("ssh://-oProxyCommand=touch hacked/x", "ssh://host;x/y"):
        with terminal(agentview, "tail", target) as screen:
            assert screen.wait() == 2
            assert "names no log on another machine." in screen.text
    assert not (tmp_path / "started").exists()


def test_all_names_stand_behind_the_end_of_options():
    for target in ("ssh://host/x", "ssh://me@[::1]:22/-x", "ssh://a.b_c-d:1/~/x y"):
        place = parse_place(target)
        command = place.command("-T")
        assert command[command.index("--") + 1 :] == [
            place.host if place.user is None else f"{place.user}@{place.host}"
        ]
        assert not command[-1].startswith("-")
    assert parse_place("ssh://h/~/a%20b").path == "./a b"
    assert parse_place("ssh://h/-x").path == "/-x"
    assert parse_place("ssh://me@[fe80::1%eth0]/x").host == "fe80::1%eth0"
