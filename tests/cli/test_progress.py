"""A line of progress on a terminal: where work is, also while it says nothing; none in a pipe."""

import io
import shutil
import sys
import time
from pathlib import Path

import pytest

from agentview.cli.output import progress as shown
from agentview.cli.output.progress import Progress
from agentview.system.paths import sample_sessions_dir
from agentview.system.progress import in_turn, say
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal

ERASED = "\r\x1b[K"
PATIENCE = 60.0


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def a_terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(shown, "_AFTER", 0.0)
    monkeypatch.setattr(shown, "_STEP", 0.001)
    return stream


def wait_for(text: str, stream: io.StringIO) -> None:
    until = time.monotonic() + PATIENCE
    while text not in stream.getvalue():
        assert time.monotonic() < until
        time.sleep(0.001)


def test_what_was_said_last_is_shown_and_taken_away(monkeypatch: pytest.MonkeyPatch):
    terminal = a_terminal(monkeypatch)
    with Progress() as progress:
        for number in in_turn("reading", range(3), 3, "logs"):
            if number == 1:
                wait_for("\rreading 2 of 3 logs\x1b[K", terminal)
                progress.hide()
                assert terminal.getvalue().endswith(ERASED)
        say("in \x1b[31ma folder")
        wait_for("a folder", terminal)
    assert "\x1b[31m" not in terminal.getvalue()
    assert terminal.getvalue().endswith(ERASED)
    before = terminal.getvalue()
    say("nobody listens")
    assert terminal.getvalue() == before


def test_nothing_is_shown_where_no_terminal_is(monkeypatch: pytest.MonkeyPatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress():
        assert list(in_turn("reading", "ab", 2, "logs")) == ["a", "b"]
    assert not stream.getvalue()


def test_ctrl_c_ends_work_that_shows_its_progress(agentview: CommandLine):
    log = agentview.home / "long.jsonl"
    record = (sample_sessions_dir() / "claude_code" / "classic.jsonl").read_bytes()
    log.write_bytes(record * (60_000_000 // len(record)))
    command = agentview.command("secrets", str(log))
    with PseudoTerminal(command, agentview.environment, agentview.cwd, screen=False) as terminal:
        terminal.wait_for(lambda _: b"reading 1 of 1 sessions" in terminal.output)
        terminal.press("\x03")
        assert terminal.wait() == 130
    assert b"Traceback" not in terminal.output
    assert terminal.output.rstrip().endswith(b"\x1b[K")


def test_a_directory_is_listed_once_for_all_providers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from agentview.sessions.targets.session_query import refs_in

    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    place = tmp_path / "place"
    for number in range(5):
        folder = place / str(number) / "inner"
        folder.mkdir(parents=True)
        shutil.copy(sample_sessions_dir() / "codex" / "errors.jsonl", folder / "log.jsonl")
    listed: list[str] = []
    watching = True

    def hook(event: str, args: tuple[object, ...]) -> None:
        if watching and event in {"os.scandir", "os.listdir"} and "inner" in str(args[0]):
            listed.append(str(args[0]))

    sys.addaudithook(hook)
    assert len(refs_in(place)) == 5
    watching = False

    assert len(listed) <= 3 * 5
