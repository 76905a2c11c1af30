import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte
import pytest

from agentview.errors import NotFound
from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.screens.session.strip import Strip
from agentview.ui.screens.waiting import WaitingScreen
from agentview.ui.session_screens import open_log
from agentview.ui.themes import load_themes, theme_directories
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE
from tests.timeline.view.memory import MemorySession, prompt, shell
from tests.ui.app_under_test import app_over, screen_text, session_screen, until

SAMPLE = next((sample_sessions_dir() / "claude_code").glob("demo.jsonl"))

_RUN = """
import sys
from agentview.providers import load_provider
from agentview.settings import Screen, LaunchOptions
from agentview.ui.app import run
from pathlib import Path
ref = load_provider(sys.argv[1]).discovery.ref(Path(sys.argv[2]))
sys.exit(run(LaunchOptions(Screen.SESSION, ref)))
"""


@pytest.mark.slow
def test_without_a_terminal_there_is_a_sentence_and_exit_code_1() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RUN, "claude_code", str(SAMPLE)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert done.stderr == "agentview: the screen needs a terminal for its keys and its picture.\n"
    assert done.stdout == ""


@pytest.mark.slow
def test_in_a_terminal_it_shows_the_session_and_q_ends_it_with_code_0() -> None:
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", TZ="UTC")
        os.execv(sys.executable, [sys.executable, "-c", _RUN, "claude_code", str(SAMPLE)])  # noqa: S606
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)

    def read_until(wanted: str, seconds: float = PATIENCE) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    stream.feed(os.read(fd, 65_536))
                except OSError:
                    break
            if wanted and wanted in "\n".join(screen.display):
                return True
        return False

    try:
        assert read_until("? help")
        os.write(fd, b"g")
        os.write(fd, b"?")
        assert read_until("Next activity")
        os.write(fd, b"q")
        assert read_until("expand")
        os.write(fd, b"q")
        read_until("", 2.0)
    finally:
        _, status = os.waitpid(pid, 0)
        os.close(fd)
    assert os.waitstatus_to_exitcode(status) == 0


def test_an_unknown_theme_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(NotFound) as caught:
        AgentViewApp(LaunchOptions(Screen.LIBRARY, theme="no-such-theme"))
    assert "agentview-dark" in (caught.value.hint or "")


@pytest.mark.parametrize("name", sorted(load_themes(theme_directories()).loaded))
async def test_every_theme_shows_and_can_be_switched_to(name: str) -> None:
    session = MemorySession([prompt("hello"), shell("ls", "\x1b[31mred\x1b[0m")])
    async with app_over(session).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: len(pilot.app.available_themes) > 1)
        pilot.app.theme = name
        await pilot.pause()
        await pilot.press("o", "4", "escape", "question_mark", "escape")
        assert "hello" in screen_text(pilot)
    async with app_over(session, theme=name).run_test(size=(80, 24)) as pilot:
        assert "hello" in screen_text(pilot)


async def test_no_screen_is_shown_before_the_session() -> None:
    async with app_over(MemorySession([prompt("hello")])).run_test(size=(80, 24)) as pilot:
        assert len(pilot.app.screen_stack) == 1
        assert isinstance(pilot.app.screen, SessionScreen)


async def test_a_session_comes_through_a_pipe() -> None:
    read_end, write_end = os.pipe()
    app = AgentViewApp(LaunchOptions(Screen.SESSION, pipe=read_end, live=True))
    async with app.run_test(size=(100, 30)) as pilot:
        assert isinstance(pilot.app.screen, WaitingScreen)
        assert "waiting for a session from the pipe" in screen_text(pilot)
        lines = SAMPLE.read_bytes().splitlines(keepends=True)
        os.write(write_end, b"".join(lines[:8]))
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        before = screen_text(pilot)
        os.write(write_end, b"".join(lines[8:12]))
        await until(pilot, lambda: screen_text(pilot) != before)
        os.close(write_end)
        await pilot.pause(0.2)
        assert isinstance(pilot.app.screen, SessionScreen)
    os.close(read_end)


async def test_a_pipe_that_closes_without_a_session_says_so() -> None:
    read_end, write_end = os.pipe()
    app = AgentViewApp(LaunchOptions(Screen.SESSION, pipe=read_end, live=True))
    async with app.run_test(size=(100, 30)) as pilot:
        os.write(write_end, b"nothing that is known\n")
        os.close(write_end)
        await until(pilot, lambda: "the pipe was closed before" in screen_text(pilot))
        await pilot.press("q")
    os.close(read_end)


async def test_a_log_grows_on_the_screen_while_it_is_written(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:10]))
    ref = load_provider("claude_code").discovery.ref(log)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref, live=True))
    async with app.run_test(size=(100, 40)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        await pilot.pause(0.3)
        for line in lines[10:]:
            with log.open("ab") as file:
                file.write(line)
        await until(pilot, lambda: "Shares add up now" in screen_text(pilot))
        log.unlink()
        await until(pilot, lambda: "the log was removed" in screen_text(pilot))


async def test_the_agent_that_a_call_started_can_be_entered_and_left() -> None:
    ref = load_provider("claude_code").discovery.ref(SAMPLE)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref))
    async with app.run_test(size=(100, 40)) as pilot:
        parent = pilot.app.screen
        assert isinstance(parent, SessionScreen)
        await pilot.press("a")
        assert "no agent was started here" in screen_text(pilot)
        rows = parent.session

        def calls() -> list[int]:
            shown = [
                row for row in range(rows.store.first, rows.store.end) if rows.store.shown(row)
            ]
            return [row for row in shown if rows.store.activity(row).child is not None]

        await until(pilot, lambda: rows.header().indexed == 1.0 and bool(calls()))
        parent.timeline.select(calls()[0])
        await pilot.press("a")
        await until(pilot, lambda: pilot.app.screen is not parent)
        child = pilot.app.screen
        assert isinstance(child, SessionScreen)
        assert child.session.ref.parent_id == ref.session_id
        await until(pilot, lambda: child.timeline.selected is not None)
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is parent)


def test_what_is_read_first_fills_a_tall_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINES", "120")
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 400))
    session = open_log(load_provider("claude_code").discovery.ref(path), False)
    assert (
        sum(session.store.shown(row) for row in range(session.store.first, session.store.end))
        >= 120
    )


_SIGNALLED = """
import os, sys
import agentview.ui.app as ui
from agentview.providers import load_provider
from agentview.settings import Screen, LaunchOptions
from pathlib import Path

first = ui.AgentViewApp.get_default_screen

def signalled(app):
    os.kill(os.getpid(), int(sys.argv[3]))
    return first(app)

ui.AgentViewApp.get_default_screen = signalled
ref = load_provider(sys.argv[1]).discovery.ref(Path(sys.argv[2]))
sys.exit(ui.run(LaunchOptions(Screen.SESSION, ref)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_that_comes_while_it_begins_ends_it_in_order(
    sent: signal.Signals, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _SIGNALLED, "claude_code", str(SAMPLE), str(int(sent))]
    with PseudoTerminal(command, os.environ, tmp_path) as screen:
        assert screen.wait() == 128 + sent
        assert screen.output.rfind(b"\x1b[?1049l") > screen.output.rfind(b"\x1b[?1049h")


_CONTINUED = """
import os, signal, sys
from pathlib import Path
from textual.drivers.linux_driver import LinuxDriver
from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
import agentview.ui.app as ui

stop = LinuxDriver.disable_input

def stopped(self):
    # As where the terminal goes away just after the program has given it back.
    stop(self)
    LinuxDriver.disable_input = stop
    os.kill(os.getpid(), signal.SIGCONT)

LinuxDriver.disable_input = stopped
ref = load_provider(sys.argv[1]).discovery.ref(Path(sys.argv[2]))
sys.exit(ui.run(LaunchOptions(Screen.SESSION, ref)))
"""


def test_a_signal_to_continue_that_comes_while_it_ends_does_not_keep_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _CONTINUED, "claude_code", str(SAMPLE)]
    with PseudoTerminal(command, os.environ, tmp_path) as screen:
        screen.wait_for("? help")
        os.kill(screen.pid, signal.SIGTERM)
        assert screen.wait() == 128 + signal.SIGTERM
        assert screen.output.rfind(b"\x1b[?1049l") > screen.output.rfind(b"\x1b[?1049h")


async def test_what_would_still_be_mounted_when_the_person_leaves_is_no_fault() -> None:
    app = app_over(MemorySession([prompt("Begin")]))
    async with app.run_test() as pilot:
        screen = session_screen(pilot)
        app.exit()
        screen.call_next(screen.query_one(Strip).add)
    assert app.return_code == 0


async def test_a_signal_to_continue_is_no_fault_where_there_is_no_terminal() -> None:
    app = app_over(MemorySession([prompt("Begin")]))
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, SessionScreen))
        os.kill(os.getpid(), signal.SIGCONT)
        await pilot.pause(0.1)
        await until(pilot, lambda: "Begin" in screen_text(pilot))
        app.exit()
    assert app.return_code == 0
