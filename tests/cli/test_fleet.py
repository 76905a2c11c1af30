"""`--host`: sessions of other machines, through the client and servers of OpenSSH."""

import json
import os
import random
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentview.sessions.fleet.connection import Patience
from agentview.sessions.fleet.following import FollowedHosts
from agentview.sessions.fleet.hosts import chosen_machines
from agentview.sessions.fleet.protocol import protocol
from agentview.sessions.library.liveness import current_status
from agentview.sessions.library.search_roots import ScanBatch
from agentview.sessions.library.session_list import Listing
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine, RunHere
from tests.cli.test_attention import Live
from tests.cli.test_how_do_i import clipboard
from tests.cli.test_remote_log import fake_ssh
from tests.cli.test_screens import leave, terminal
from tests.patience import PATIENCE
from tests.ssh_machines import SshMachines

SESSIONS = {"one": [FIRST, SECOND], "two": [SECOND, THIRD], "three": []}
"""Ids of the sessions in the home of each machine; one is on two of them."""


HELLO = f'{{"agentview":"1","protocol":"{protocol()}"}}'


@dataclass
class Fleet:
    """Machines by name, each with a home and a port."""

    agentview: CommandLine
    machines: SshMachines
    ports: dict[str, int]
    homes: dict[str, Path]

    def at(self, name: str) -> CommandLine:
        """The command line of somebody at a machine."""
        return CommandLine(self.homes[name], self.homes[name])


def program(home: Path) -> Path:
    """A program that runs agentview, where a person has their own programs."""
    path = home / ".local" / "bin" / "agentview"
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m agentview "$@"\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def fleet(agentview: CommandLine, tmp_path: Path) -> Iterator[Fleet]:
    machines = SshMachines(tmp_path)
    agentview.env["PATH"] = f"{machines.programs}:{os.environ['PATH']}"
    made = Fleet(agentview, machines, {}, {})
    try:
        for name, sessions in SESSIONS.items():
            home = made.homes[name] = tmp_path / name
            program(home)
            for number, session in enumerate(sessions):
                path = home / ".claude" / "projects" / "-home-dev-shop" / f"{session}.jsonl"
                write(path, conversation(ClaudeLog(session), 2 + number))
            made.ports[name] = machines.start(home)
        config = agentview.home / ".config" / "agentview" / "config.toml"
        config.parent.mkdir(parents=True)
        hosts = (f'{name} = "127.0.0.1:{port}"\n' for name, port in made.ports.items())
        config.write_text("[hosts]\n" + "".join(hosts))
        yield made
    finally:
        machines.close()


def listed(agentview: CommandLine, *arguments: str) -> list[dict[str, Any]]:
    return json.loads(agentview.ok(*arguments, "--json"))


def test_one_list_has_the_sessions_of_all_machines(fleet: Fleet):
    here = Live(fleet.agentview, THIRD, "/home/dev/here")
    here.end()
    rows = listed(fleet.agentview, "ls", "--host", "@all")
    assert sorted((row["host"] or "", row["id"]) for row in rows) == [
        ("", THIRD), ("one", FIRST), ("one", SECOND), ("two", SECOND), ("two", THIRD),
    ]  # fmt: skip
    own = {row["id"]: row for row in listed(fleet.at("two"), "ls")}
    for row in rows:
        if row["host"] == "two":
            path = f"ssh://127.0.0.1:{fleet.ports['two']}{own[row['id']]['path']}"
            assert row == {**own[row["id"]], "host": "two", "path": path}
    text = fleet.agentview.ok("ls", "--host", "one", "--host", "@here")
    header, *lines = text.splitlines()
    assert header.split()[:3] == ["STATE", "HOST", "ID"]
    assert sorted(
        next(word for word in line.split() if word in ("one", "@here")) for line in lines
    ) == ["@here", "one", "one"]


def test_states_are_those_that_the_machine_knows(fleet: Fleet):
    away = fleet.at("three")
    Live(away, FIRST, "/home/dev/away").ask(before=5)
    rows = listed(fleet.agentview, "status", "--host", "three", "--host", "one")
    own = listed(away, "status")
    assert [(row["host"], row["id"], row["state"], row["about"]) for row in rows] == [
        ("three", FIRST, "needs-answer", "Which color?")
    ]
    assert rows[0]["tokens"] == own[0]["tokens"]
    assert fleet.agentview.ok("status", "--host", "@all", "--format", "{needs}") == "1\n"


def test_usage_is_the_sum_of_what_each_machine_counts(fleet: Fleet):
    here = Live(fleet.agentview, THIRD, "/home/dev/here")
    here.end()
    own = {name: _usage(fleet.at(name)) for name in ("one", "two", "three")}
    own["@here"] = _usage(fleet.agentview)
    for names in (("one", "two", "three"), ("@here", "two"), ("two",)):
        hosts = [word for name in names for word in ("--host", name)]
        found = _usage(fleet.agentview, "--by", "host", *hosts)
        for key in ("sessions", "agents", "turns", "compactions"):
            assert found[key] == sum(own[name][key] for name in names)
        for part in ("total", "own", "subagents"):
            for key in ("responses", "tokens", "output", "input_uncached"):
                counts = [own[name][part][key] for name in names]
                assert (found[part][key] or 0) == sum(count or 0 for count in counts)
        assert {group["key"]: group["tokens"] for group in found["groups"]} == {
            name: own[name]["total"]["tokens"] for name in names if own[name]["sessions"]
        }
    assert "--host counts all sessions" in fleet.agentview.fails(2, "stats", "--host", "one", FIRST)
    text = fleet.agentview.ok("stats", "--host", "one", "--host", "two", "--by", "session")
    assert [text.count(session[:8]) for session in (FIRST, SECOND, THIRD)] == [1, 2, 1]


def test_a_search_finds_what_each_machine_finds(fleet: Fleet):
    Live(fleet.at("three"), FIRST, "/home/dev/away").ask()
    own = {
        (name, row["id"], row["offset"], row["text"])
        for name in fleet.homes
        for row in json.loads(fleet.at(name)("search", "--json", "--limit", "0", "color").stdout)
    }
    hosts = [word for name in fleet.homes for word in ("--host", name)]
    rows = listed(fleet.agentview, "search", "--limit", "0", "color", *hosts)
    found = [(row["host"], row["id"], row["offset"], row["text"]) for row in rows]
    assert len(found) == len(own) > 0
    assert {*found} == own
    assert rows[0]["path"].startswith("ssh://127.0.0.1:")
    text = fleet.agentview.ok("search", "please", *hosts)
    for session, count in ((FIRST, 1), (SECOND, 2), (THIRD, 1)):
        assert text.count(f"claude_code:{session}") == count
    nothing = fleet.agentview("search", "nowhere-to-be-found", *hosts)
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "Nothing found in 5 sessions." in nothing.stderr
    assert fleet.agentview("search", "a", "--host", "127.0.0.1:1").returncode == 1


def _usage(agentview: CommandLine, *arguments: str) -> dict[str, Any]:
    return json.loads(agentview("stats", "--json", *arguments).stdout)


def test_a_machine_that_cannot_be_asked_costs_no_other(fleet: Fleet):
    (fleet.homes["three"] / ".local" / "bin" / "agentview").unlink()
    done = fleet.agentview(
        "ls", "--json", "--host", "two", "--host", "three", "--host", "127.0.0.1:1"
    )
    assert done.returncode == 1
    assert {row["host"] for row in json.loads(done.stdout)} == {"two"}
    lines = sorted(done.stderr.splitlines())
    assert len(lines) == 2
    assert lines[0].startswith("agentview: 127.0.0.1:1: ssh says: connect to host")
    assert lines[1].startswith("agentview: three: agentview is not installed there")


def test_a_machine_that_hangs_is_said_so(
    agentview: CommandLine, tmp_path: Path, run_here: RunHere, monkeypatch: pytest.MonkeyPatch
):
    fake_ssh(agentview, tmp_path / "bin", "exec sleep 1000")
    monkeypatch.setattr(Patience, "before_hello", 0.5)
    done = run_here("ls", "--host", "stuck")
    assert done.stderr == "agentview: stuck: it does not answer. Try 'ssh stuck true'.\n"
    assert done.returncode == 1


@pytest.mark.parametrize("command", ["ls", "status", "stats", "search color"])
def test_nothing_is_said_of_machines_that_do_not_answer(
    agentview: CommandLine, tmp_path: Path, command: str
):
    fake_ssh(agentview, tmp_path / "bin", "echo 'ssh: no route' >&2; exit 255")
    done = agentview(*command.split(), "--host", "gone")
    assert done.stdout == ""
    assert done.stderr == "agentview: gone: ssh says: no route. Try 'ssh gone'.\n"
    assert done.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("view", [(), ("board",)])
def test_a_screen_says_which_machines_it_waits_for(
    agentview: CommandLine, tmp_path: Path, view: tuple[str, ...]
):
    fake_ssh(agentview, tmp_path / "bin", "exec sleep 1000")
    with terminal(agentview, *view, "--host", "stuck") as screen:
        screen.wait_for("waiting for hosts")
        screen.wait_for("stuck: connecting")
        assert "no session" not in screen.text
        leave(screen)


def test_an_older_agentview_is_said_so(agentview: CommandLine, tmp_path: Path):
    fake_ssh(agentview, tmp_path / "bin", "echo 'usage: agentview' >&2; exit 2")
    assert "agentview: old: its agentview is too old" in agentview("ls", "--host", "old").stderr


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (
            'Welcome!\\n{"agentview":"9.9","protocol":"99"}\\n',
            "agentview 9.9 speaks another protocol",
        ),
        (
            '{"agentview":"\\\\u001b[2J","protocol":"99"}\\n',
            "its agentview ␛[2J speaks another",
        ),
        ('{"agentview":3}\\n', "is not a message of agentview"),
        ("x\\n", "the connection ended"),
        (HELLO + "\\n", "the connection ended"),
        (HELLO + "\\n\\377\\377\\377\\377", "a message that is too large"),
        (HELLO + "\\n\\000\\000\\000\\002ab", "Its answer cannot be read"),
    ],
)
def test_what_a_machine_sends_is_not_trusted(
    agentview: CommandLine, tmp_path: Path, output: str, sentence: str
):
    fake_ssh(agentview, tmp_path / "bin", f"printf '{output}'; timeout 1 head -c 1 >&2; exit 0")
    done = agentview("ls", "--host", "evil", "--host", "@here")
    assert done.returncode == 1
    assert "agentview: evil: " in done.stderr
    assert sentence in done.stderr
    assert "\x1b" not in done.stderr


def test_no_name_becomes_an_option_or_a_command(agentview: CommandLine, tmp_path: Path):
    fake_ssh(agentview, tmp_path / "bin", f"touch {tmp_path}/started")
    for name in ("-oProxyCommand=x", "a;b", "$(x)", "a b", "@other", ""):
        assert agentview("ls", f"--host={name}").returncode == 2
    assert agentview("ls", "--host", "x", AGENTVIEW_HOSTS="x=-oProxyCommand=y").returncode == 2
    assert not (tmp_path / "started").exists()


def test_what_a_login_prints_is_left_out(agentview: CommandLine, tmp_path: Path):
    home = tmp_path / "away"
    program(home)
    Live(CommandLine(home, home), FIRST, "/home/dev/away").end()
    text = (
        f'echo "Welcome to $0"; while [ "$1" != -- ]; do shift; done; HOME={home} exec sh -c "$3"'
    )
    fake_ssh(agentview, tmp_path / "bin", text)
    (row,) = listed(agentview, "ls", "--host", "dev@away:2222")
    assert row["path"].startswith("ssh://dev@away:2222/")
    assert row["host"] == "dev@away:2222"


def test_a_copy_of_a_home_is_read_like_one(agentview: CommandLine, tmp_path: Path):
    copies = {name: CommandLine(tmp_path / "spool" / name, tmp_path) for name in ("a", "b")}
    for name, sessions in {"a": (FIRST, SECOND), "b": (SECOND,)}.items():
        for session in sessions:
            path = copies[name].home / ".claude" / "projects" / "-x" / f"{session}.jsonl"
            write(path, conversation(ClaudeLog(session), 2))
    Live(copies["b"], THIRD, "/home/dev/b").ask()
    hosts = {name: str(copy.home) for name, copy in copies.items()}
    agentview.env["AGENTVIEW_HOSTS"] = ";".join(f"{name}={path}" for name, path in hosts.items())
    rows = listed(agentview, "ls", "--host", "a", "--host", "b")
    assert sorted((row["host"], row["id"]) for row in rows) == [
        ("a", FIRST), ("a", SECOND), ("b", SECOND), ("b", THIRD),
    ]  # fmt: skip
    assert listed(agentview, "ls") == []
    (asking,) = listed(agentview, "status", "--host", "@all")
    assert (asking["host"], asking["state"], asking["pid"]) == ("b", "needs-answer", None)
    found = _usage(agentview, "--host", "@all", "--by", "host")
    own = {name: _usage(copy) for name, copy in copies.items()}
    assert found["sessions"] == sum(each["sessions"] for each in own.values()) == 4
    assert {group["key"]: group["tokens"] for group in found["groups"]} == {
        name: each["total"]["tokens"] for name, each in own.items()
    }
    matches = listed(agentview, "search", "color", "--host", "b", "--host", "a")
    assert {(row["host"], row["id"]) for row in matches} == {("b", THIRD)}


@pytest.mark.slow
def test_the_board_follows_a_copy_of_a_home(agentview: CommandLine, tmp_path: Path):
    copy = CommandLine(tmp_path / "laptop", tmp_path)
    live = Live(copy, THIRD, "/home/dev/shop")
    live.ask()
    agentview.env["AGENTVIEW_HOSTS"] = f"laptop={copy.home}"
    with terminal(agentview, "board", "--host", "laptop") as screen:
        screen.wait_for("laptop:shop")
        screen.wait_for("needs-answer")
        live.add(live.log.result("q1", "Blue"))
        live.end()
        screen.wait_for("your-turn")
        leave(screen)


@dataclass
class Followed:
    """What follows machines has given so far, as a library takes it."""

    listing: Listing = field(default_factory=Listing)
    silent: dict[str, str] = field(default_factory=dict[str, str])
    answered: set[str] = field(default_factory=set[str])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, batch: ScanBatch) -> None:
        with self.lock:
            self.listing.add(batch.facts)
            self.listing.forget(batch.gone)

    def say(self, host: str, sentence: str | None) -> None:
        with self.lock:
            if sentence is None:
                self.silent.pop(host, None)
                self.answered.add(host)
            else:
                self.silent[host] = sentence

    def rows(self) -> list[tuple[str, str, str]]:
        """Host, id and state of each session, each as often as the list has it."""
        with self.lock:
            infos = [facts.info for facts in self.listing.facts()]
        now = time.time()
        found = [(info, current_status(info, now)) for info in infos]
        return sorted((info.ref.host or "", info.ref.own_id, one.label) for info, one in found)

    def wait_for(self, done: Callable[[], bool]) -> None:
        """Wait until something holds."""
        began = time.monotonic()
        while not done():
            assert time.monotonic() - began < PATIENCE, (self.rows(), self.silent)
            time.sleep(0.02)


@pytest.fixture
def followed(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> Iterator[Followed]:
    monkeypatch.setenv("PATH", fleet.agentview.env["PATH"])
    known = {name: f"127.0.0.1:{port}" for name, port in fleet.ports.items()}
    made = Followed()
    hosts = chosen_machines(list(known), known).hosts
    following = FollowedHosts(hosts, None, made.take, made.say)
    following.start()
    try:
        yield made
    finally:
        following.close()


def own_rows(fleet: Fleet) -> list[tuple[str, str, str]]:
    """The same as each machine says of itself."""
    rows = ((name, row) for name in fleet.homes for row in listed(fleet.at(name), "ls"))
    return sorted((name, row["id"], _label(row)) for name, row in rows)


def _label(row: dict[str, Any]) -> str:
    return row["state"] if row["certain"] else f"{row['state']}?"


def processes(home: Path, ports: Iterable[int]) -> list[int]:
    """Clients of ssh to these ports, and programs that answer in a home."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
            lives = f"HOME={home}".encode() in (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        is_client = words[0].endswith("ssh") and {*map(str, ports)} & {*words}
        if entry.name.isdigit() and (is_client or (lives and "serve" in words)):
            found.append(int(entry.name))
    return found


@pytest.mark.slow
def test_states_are_live(fleet: Fleet, followed: Followed):
    followed.wait_for(lambda: followed.answered >= {*SESSIONS})
    live = Live(fleet.at("three"), FIRST, "/home/dev/away")
    followed.wait_for(lambda: ("three", FIRST) in {row[:2] for row in followed.rows()})
    live.ask()
    followed.wait_for(lambda: ("three", FIRST, "needs-answer") in followed.rows())
    live.add(live.log.result("q1", "Blue"))
    live.end()
    followed.wait_for(lambda: ("three", FIRST, "your-turn") in followed.rows())
    live.path.unlink()
    followed.wait_for(lambda: ("three", FIRST) not in {row[:2] for row in followed.rows()})
    assert followed.rows() == own_rows(fleet)


@pytest.mark.slow
def test_no_session_is_lost_or_doubled_when_connections_are(fleet: Fleet, followed: Followed):
    rng = random.Random(7)  # noqa: S311  (moments of a test)
    followed.wait_for(lambda: followed.answered >= {*SESSIONS})
    lives: list[Live] = []
    for number in range(8):
        name = rng.choice(list(SESSIONS))
        live = Live(fleet.at(name), f"4444444{number}-dddd-4ddd-8ddd-00000000000{number}", "/x/y")
        lives.append(live)
        if rng.random() < 0.5:
            live.ask()
        victim = rng.choice(list(SESSIONS))
        for pid in processes(fleet.homes[victim], [fleet.ports[victim]]):
            if rng.random() < 0.7:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if number % 3 == 2:
            rng.choice(lives).path.unlink(missing_ok=True)
        # Killed at any moment: while it connects, scans or waits.
        time.sleep(rng.random() / 2)
    wanted = own_rows(fleet)
    followed.wait_for(lambda: followed.rows() == wanted and not followed.silent)


@pytest.mark.slow
def test_a_machine_that_is_gone_keeps_its_sessions_and_comes_back(fleet: Fleet, followed: Followed):
    followed.wait_for(lambda: followed.answered >= {*SESSIONS})
    Live(fleet.at("one"), THIRD, "/home/dev/one").ask()
    followed.wait_for(lambda: ("one", THIRD, "needs-answer") in followed.rows())
    fleet.machines.stop(fleet.ports["one"])
    for pid in processes(fleet.homes["one"], [fleet.ports["one"]]):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    followed.wait_for(lambda: "one" in followed.silent)
    assert {row[1] for row in followed.rows() if row[0] == "one"} == {FIRST, SECOND, THIRD}
    Live(fleet.at("two"), FIRST, "/home/dev/two").ask()
    followed.wait_for(lambda: ("two", FIRST, "needs-answer") in followed.rows())
    fleet.machines.start(fleet.homes["one"], fleet.ports["one"])
    followed.wait_for(lambda: not followed.silent)
    assert followed.rows() == own_rows(fleet)


@pytest.mark.slow
def test_the_board_shows_and_opens_sessions_of_all_machines(fleet: Fleet):
    Live(fleet.at("three"), FIRST, "/home/dev/away").ask()
    live = Live(fleet.agentview, SECOND, "/home/dev/here")
    live.end()
    arguments = ("board", "--host", "@all", "--host", "127.0.0.1:1")
    with terminal(fleet.agentview, *arguments) as screen:
        screen.wait_for("three:away")
        screen.wait_for("Which color?")
        screen.wait_for("127.0.0.1:1: ssh says: ")
        screen.press("c")
        command = f"ssh -a -x -t -p {fleet.ports['three']} -- 127.0.0.1 "
        screen.wait_for(lambda _: b"]52;c;" in screen.output)
        assert clipboard(bytes(screen.output)).startswith(command)
        assert FIRST in clipboard(bytes(screen.output))
        screen.press("\r")
        screen.wait_for("waiting for an answer")
        screen.press("q")
        screen.wait_for("127.0.0.1:1: ssh says: ")
        leave(screen)


@pytest.mark.slow
def test_the_search_on_the_screen_asks_all_machines(fleet: Fleet):
    for name, session in (("one", FIRST), ("three", THIRD)):
        live = Live(fleet.at(name), session, f"/home/dev/{name}")
        live.add(live.log.prompt(f"Buy a zebra on {name}"))
    here = Live(fleet.agentview, SECOND, "/home/dev/here")
    here.add(here.log.prompt("Buy a zebra here"))
    arguments = ("--host", "@all", "--host", "127.0.0.1:1")
    with terminal(fleet.agentview, *arguments) as screen:
        screen.wait_for("one:dev/one")
        screen.wait_for("Work in three")
        screen.press("3")
        screen.wait_for("search")
        screen.press("zebra")
        screen.wait_for("3 matches in 3 sessions")
        screen.wait_for("127.0.0.1:1: ssh says: ")
        for name in ("one", "three"):
            assert f"Buy a zebra on {name}" in screen.text
        screen.press(" three")
        screen.wait_for("1 match in 1 session")
        screen.press("\r")
        screen.wait_for("── 2 ──")
        screen.press("q")
        screen.wait_for("1 match in 1 session")
        screen.press("\x1b")
        screen.wait_for("This month")
        leave(screen)
