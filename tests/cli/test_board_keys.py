"""Keys of the board in a real terminal, and in a real tmux."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from tests.cli.conftest import FIRST, CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_attention import Live
from tests.patience import PATIENCE
from tests.sessions.clients.running_client import process, started, write_entry

COMMAND = "rm -rf build && npm run build"


class Tmux:
    """A tmux server of the test's own."""

    def __init__(self, agentview: CommandLine, socket: Path) -> None:
        self._agentview = agentview
        self._command = ["tmux", "-f", "/dev/null", "-S", str(socket)]

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._command, *arguments],
            capture_output=True,
            check=True,
            env=self._agentview.environment | {"TERM": "xterm-256color"},
            cwd=self._agentview.cwd,
        )
        return done.stdout.decode().strip()

    def attach(self, session: str) -> PseudoTerminal:
        command = [*self._command, "attach", "-t", session]
        return PseudoTerminal(
            command, self._agentview.environment, self._agentview.cwd, columns=120, rows=30
        )


@pytest.fixture
def tmux(agentview: CommandLine, tmp_path: Path) -> Generator[Tmux]:
    assert shutil.which("tmux"), "the tests need tmux"
    server = Tmux(agentview, tmp_path / "tmux")
    server("new-session", "-d", "-s", "client", "-x", "120", "-y", "30", "exec sleep 600")
    yield server
    server("kill-server")


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.05)


def test_j_goes_to_the_pane_of_the_client_and_types_nothing(agentview: CommandLine, tmux: Tmux):
    live = Live(agentview, FIRST, "/home/dev/one/repo")
    live.add(live.log.call("b1", "Bash", command=COMMAND))
    tmux("split-window", "-t", "client", "exec sleep 600")
    panes = tmux("list-panes", "-t", "client", "-F", "#{pane_id} #{pane_pid}").splitlines()
    pane, pid = panes[0].split()
    tmux("select-pane", "-t", panes[1].split()[0])
    write_entry(
        agentview.home, int(pid), FIRST, status="waiting", waitingFor="permission prompt",
        procStart=started(int(pid)),
    )  # fmt: skip
    board = " ".join(agentview.command("board"))
    tmux("new-session", "-d", "-s", "board", "-x", "120", "-y", "30", board)
    with tmux.attach("board") as terminal:
        terminal.wait_for("needs-approval")
        terminal.wait_for(COMMAND)
        terminal.press("J")
        until(lambda: tmux("list-clients", "-F", "#{client_session}") == "client")
        assert tmux("display-message", "-p", "-t", "client", "#{pane_id}") == pane
        assert tmux("capture-pane", "-p", "-t", pane) == ""


def test_j_says_where_there_is_no_pane(agentview: CommandLine, tmux: Tmux):
    live = Live(agentview, FIRST, "/home/dev/one/repo")
    live.ask()
    board = " ".join(agentview.command("board"))
    tmux("new-session", "-d", "-s", "board", "-x", "120", "-y", "30", board)
    with tmux.attach("board") as terminal, process() as client:
        terminal.wait_for("needs-answer")
        terminal.press("J")
        terminal.wait_for("the process of this session is not known")
        write_entry(agentview.home, client.pid, FIRST, status="busy", procStart=started(client.pid))
        terminal.wait_for("working")
        terminal.press("J")
        terminal.wait_for("the terminal of this session is not a tmux pane")


@pytest.mark.slow
def test_the_board_opens_at_the_call_and_comes_back(agentview: CommandLine):
    live = Live(agentview, FIRST, "/home/dev/one/repo")
    live.add(live.log.call("b1", "Bash", command=COMMAND))
    command = agentview.command("board")
    with PseudoTerminal(command, agentview.environment, agentview.cwd, columns=120) as terminal:
        terminal.wait_for("working?")
        terminal.press("c")
        terminal.wait_for("copied")
        copied = terminal.output.rpartition(b"\x1b]52;c;")[2]
        assert copied != terminal.output
        terminal.press("\r")
        terminal.wait_for(lambda text: "board" not in text and "npm run build" in text)
        terminal.press("q")
        terminal.wait_for("1 live session")
        live.path.unlink()
        terminal.wait_for("no session is live now")
        terminal.press("q")
        assert terminal.wait() == 0


@pytest.mark.slow
def test_the_board_shows_what_the_registry_says(agentview: CommandLine):
    live = Live(agentview, FIRST, "/home/dev/one/repo")
    live.add(live.log.call("b1", "Bash", command=COMMAND), before=10)
    command = agentview.command("board")
    with (
        PseudoTerminal(command, agentview.environment, agentview.cwd, columns=120) as terminal,
        process() as client,
    ):
        terminal.wait_for("working?")
        entry = write_entry(
            agentview.home, client.pid, FIRST, status="busy", procStart=started(client.pid)
        )
        terminal.wait_for(lambda text: "working " in text)
        said = json.loads(entry.read_text()) | {
            "status": "waiting", "waitingFor": "permission prompt"
        }  # fmt: skip
        entry.write_text(json.dumps(said))
        terminal.wait_for("needs-approval")
        entry.unlink()
        terminal.wait_for("no session is live now")
