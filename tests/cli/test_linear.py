"""`--linear`: a session as lines that are only added, for screen readers."""

import re
import time
from pathlib import Path

import pytest

from agentview.cli.linear import wants_linear
from agentview.settings.values import AccessibilitySettings, Linear, Settings
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.hostile_logs import hostile_logs
from tests.sessions.clients.running_client import SESSION, log_of, process, started, write_entry

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
DEMO = str(SAMPLES / "claude_code" / "demo.jsonl")
NEXT = "3f2a0c41-77aa-4a3b-9a53-5a3f6d1c2e77"
MOVES = re.compile(rb"\x1b|\x08|\x07|\r(?!\n)")
"""What moves the cursor, colours or rings."""


def test_a_past_session_is_printed_in_words(agentview: CommandLine):
    lines = agentview.ok("open", DEMO, "--linear", TZ="UTC").splitlines()
    assert lines[0] == "Claude Code: Fix rounding of split bills"
    assert "State your-turn" in lines
    assert "09:30:36 Edit: tests/test_invoice.py, 5 added, done, 1.8 seconds" in lines
    assert (
        "09:31:40 Shell: git push --force origin fix/rounding, denied by you, 16.7 seconds" in lines
    )
    assert not any(sign in "".join(lines) for sign in "✓✗●◌⊘○▎")


@pytest.mark.parametrize("name", ["tools", "compaction", "damaged", "failures"])
def test_every_line_is_only_text(agentview: CommandLine, name: str):
    (path,) = (SAMPLES / "claude_code").glob(f"{name}.jsonl")
    out = agentview("open", str(path), "--linear").stdout
    assert not MOVES.search(out.encode())


@pytest.mark.slow
def test_no_log_acts_on_the_terminal(agentview: CommandLine, tmp_path: Path):
    for provider, path in hostile_logs(tmp_path / "logs"):
        done = agentview("open", str(path), "--linear")
        assert done.returncode == 0, done.stderr
        for text in (done.stdout, done.stderr):
            assert not MOVES.search(text.encode()), provider
            assert not re.search("[\x80-\x9f\u202a-\u202e\u2066-\u2069]", text), provider


def test_ctrl_c_leaves_the_terminal_as_it_was(agentview: CommandLine):
    with terminal_of(agentview, "open", DEMO, "--linear") as terminal:
        terminal.wait_for("Press h for the keys.")
        terminal.press("\x03")
        assert terminal.wait() == 130
    assert b"Traceback" not in terminal.output


def terminal_of(agentview: CommandLine, *arguments: str, **env: str) -> PseudoTerminal:
    return PseudoTerminal(
        agentview.command(*arguments), agentview.environment | env, Path.cwd(), columns=200, rows=12
    )


@pytest.mark.slow
def test_keys_read_a_past_session(agentview: CommandLine):
    with terminal_of(agentview, "open", DEMO, "--linear", TZ="UTC") as terminal:
        terminal.wait_for("Press h for the keys.")
        terminal.press(" ")
        terminal.wait_for("Glob: tests/**/*.py")
        terminal.press("/pytest\r")
        terminal.wait_for("5 passed, 1 failed: test_shares_add_up, exit 1, failed, 5.4 seconds")
        terminal.press("\r")
        terminal.wait_for("test_shares_add_up")
        terminal.press("n")
        terminal.wait_for("exit 1, failed, 6.2 seconds")
        terminal.press("g")
        terminal.wait_for("you: Shares of a split bill")
        terminal.press("k")
        terminal.wait_for("Beginning.")
        terminal.press("/kind:none\r")
        terminal.wait_for("kind:none")
        terminal.press("q")
        assert terminal.wait() == 0
    assert not MOVES.search(terminal.output)


def test_a_live_session_is_printed_as_it_comes(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog()
    path = write(tmp_path / "live.jsonl", [log.prompt("Count the shelves.")])
    with terminal_of(agentview, "tail", str(path), "--linear") as terminal:
        terminal.wait_for("you: Count the shelves.")
        terminal.wait_for("Press h for the keys.")
        with path.open("ab") as out:
            out.write(log.call("toolu_1", "Bash", command="ls shelves | wc -l"))
        terminal.wait_for("Shell: ls shelves | wc -l, lists, running")
        with path.open("ab") as out:
            out.write(log.result("toolu_1", "7"))
        terminal.wait_for("Shell: ls shelves | wc -l, lists, done")
        with path.open("ab") as out:
            out.write(log.text("There are seven."))
        terminal.wait_for("assistant: There are seven.")
        terminal.press("g")
        terminal.wait_for(lambda text: text.count("you: Count the shelves.") == 2)
        with path.open("ab") as out:
            out.write(log.text("And one in the yard."))
        for _ in range(100):
            terminal.press("s")
            terminal.run_for(0.5)
            if "1 new row at the end. G goes there." in terminal.text:
                break
        assert b"yard" not in terminal.output
        terminal.press("G")
        terminal.wait_for("assistant: And one in the yard.")
        terminal.press("q")
        assert terminal.wait() == 0
    assert not MOVES.search(terminal.output)


def _log(home: Path, session: str, began: float) -> Path:
    return write(log_of(home, session), conversation(ClaudeLog(session, began=began), 2))


def test_a_live_session_moves_with_its_client_to_the_next_one(agentview: CommandLine):
    now, home = time.time(), agentview.home
    path = _log(home, SESSION, now - 600)
    with process() as client:
        begun = started(client.pid)
        write_entry(home, client.pid, procStart=begun)
        with terminal_of(agentview, "tail", str(path), "--linear") as terminal:
            terminal.wait_for("Press h for the keys.")
            terminal.wait_for("Step 1 is done.")
            write_entry(home, client.pid, NEXT, procStart=begun)
            terminal.wait_for("Continued in 3f2a0c41.")
            _log(home, NEXT, now)
            terminal.wait_for(lambda text: "Step 1 is done." in text.partition("Continued")[2])
            with log_of(home, NEXT).open("ab") as out:
                out.write(ClaudeLog(NEXT, began=now + 60).text("Only here."))
            terminal.wait_for("assistant: Only here.")
            terminal.press("q")
            assert terminal.wait() == 0
    assert not MOVES.search(terminal.output)


def test_a_session_that_may_have_continued_is_offered(agentview: CommandLine):
    now, home = time.time(), agentview.home
    path = _log(home, SESSION, now - 600)
    with process() as client:
        entry = write_entry(home, client.pid, procStart=started(client.pid))
        with terminal_of(agentview, "tail", str(path), "--linear") as terminal:
            terminal.wait_for("Press h for the keys.")
            terminal.press("C")
            terminal.wait_for("It is not known to continue in another session.")
            entry.unlink()
            terminal.wait_for("State ended")
            _log(home, NEXT, now - 60)
            terminal.wait_for("Probably continued in 3f2a0c41: C opens it.")
            assert terminal.text.count("Step 0: please go on") == 1
            terminal.press("C")
            terminal.wait_for(lambda text: text.count("Step 0: please go on") == 2)
            terminal.press("q")
            assert terminal.wait() == 0


def test_the_environment_and_the_setting_ask_for_it():
    auto, never, always = (
        Settings(accessibility=AccessibilitySettings(linear))
        for linear in (Linear.AUTO, Linear.NEVER, Linear.ALWAYS)
    )
    assert not wants_linear(auto, {"TERM": "xterm-256color", "ACCESSIBLE": "0"})
    for env in (
        {"ACCESSIBLE": "1"},
        {"ACCESSIBILITY_ENABLED": "1"},
        {"TERM": "dumb"},
        {"EMACSPEAK_DIR": "/e"},
    ):
        assert wants_linear(auto, env)
        assert not wants_linear(never, env)
    assert wants_linear(always, {})


def test_a_screen_reader_gets_lines_without_asking(agentview: CommandLine):
    with terminal_of(agentview, "open", DEMO, ACCESSIBLE="1") as terminal:
        terminal.wait_for("Press h for the keys.")
        terminal.press("q")
        assert terminal.wait() == 0
