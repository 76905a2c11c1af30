"""Notifications in a real terminal: which bytes come, with and without the focus."""

import json
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.claude_log import SESSION, ClaudeLog, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal

FOCUS, BLUR = "\x1b[I", "\x1b[O"
ASKS = "\x1b]9;agentview: asks you: Paint it · Which ␛]52;c;eA==␇ color?".encode()


def _now(record: bytes, before: float = 0.0) -> bytes:
    fields = json.loads(record)
    time = datetime.now(UTC) - timedelta(seconds=before)
    fields["timestamp"] = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps(fields).encode() + b"\n"


class Paint:
    """A session that paints: at work, then it asks, then it is done."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = log = ClaudeLog()
        write(
            path, [_now(log.prompt("Paint it"), 60), _now(log.call("t0", "Read", file_path="/a"))]
        )

    def add(self, *records: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(b"".join(map(_now, records)))

    def ask(self) -> None:
        question = "Which \x1b]52;c;eA==\x07 color?"
        options = [{"label": "red", "description": ""}, {"label": "blue", "description": ""}]
        questions = [
            {"question": question, "header": "Color", "options": options, "multiSelect": False}
        ]
        self.add(
            self.log.result("t0", "x"),
            self.log.call("t1", "AskUserQuestion", questions=questions),
        )

    def answer(self) -> None:
        self.add(self.log.result("t1", "red"))

    def end(self) -> None:
        self.add(self.log.text("It is red.", "end_turn"))


@pytest.fixture
def paint(agentview: CommandLine) -> Paint:
    return Paint(agentview.home / ".claude" / "projects" / "-p" / f"{SESSION}.jsonl")


def _rings(terminal: PseudoTerminal) -> int:
    """Bells that are not the end of a code."""
    return sum(
        b"\x07" in part and b"\x1b]" not in part.partition(b"\x07")[0]
        for part in terminal.output.split(b"\x1b\\")
    )


def _title(terminal: PseudoTerminal) -> str:
    """The title that the terminal was given last."""
    return terminal.output.rpartition(b"\x1b]2;")[2].partition(b"\x1b\\")[0].decode()


def _terminal(agentview: CommandLine, paint: Paint, *flags: str, **env: str) -> PseudoTerminal:
    command = agentview.command("open", str(paint.path), *flags)
    return PseudoTerminal(command, agentview.environment | env, agentview.cwd)


@pytest.mark.slow
def test_what_needs_you_is_told_while_the_terminal_has_no_focus(
    agentview: CommandLine, paint: Paint
) -> None:
    with _terminal(agentview, paint, TERM_PROGRAM="ghostty") as terminal:
        terminal.wait_for("working")
        terminal.press(BLUR)
        terminal.run_for(0.3)
        paint.ask()
        terminal.wait_for("needs-answer")
        title = "\x1b[22;2t\x1b]2;● 1 needs you\x1b\\".encode()
        terminal.wait_for(lambda _: ASKS in terminal.output and title in terminal.output)
        # Another one would come at once.
        terminal.run_for(0.5)
        assert terminal.output.count(ASKS) == 1
        assert _rings(terminal) == 1
        assert b"\x1b]52;" not in terminal.output
        paint.answer()
        terminal.wait_for("working")
        terminal.run_for(0.3)
        paint.end()
        terminal.wait_for("your-turn")
        told = re.compile(rb"your turn after \d+m: Paint it")
        terminal.wait_for(lambda _: bool(told.search(terminal.output)))
        terminal.wait_for(lambda _: _title(terminal) == "● 1 needs you")
        terminal.run_for(0.5)
        assert len(told.findall(terminal.output)) == 1
        terminal.press(FOCUS)
        terminal.wait_for(lambda _: _title(terminal) == "agentview")
        terminal.press("q")
        assert terminal.wait() == 0


@pytest.mark.slow
def test_nothing_is_told_to_who_is_looking(agentview: CommandLine, paint: Paint) -> None:
    with _terminal(agentview, paint, TERM_PROGRAM="ghostty") as terminal:
        terminal.wait_for("working")
        terminal.press(BLUR + FOCUS)
        paint.ask()
        terminal.wait_for("needs-answer")
        terminal.run_for(0.5)
        assert b"\x1b]9;" not in terminal.output
        assert _rings(terminal) == 0
        terminal.press("q")
        assert terminal.wait() == 0
        # The title of the shell comes back.
        assert terminal.output.rpartition(b"\x1b]2;")[2].startswith(b"agentview\x1b\\\x1b[23;2t")


@pytest.mark.slow
def test_a_program_is_told_also_with_focus_where_that_is_asked_for(
    agentview: CommandLine, paint: Paint, tmp_path: Path
) -> None:
    target = tmp_path / "told; x"
    code = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"
    config = tmp_path / "config.toml"
    argv = [sys.executable, "-c", code, str(target)]
    config.write_text(
        f"[notify]\nfocused = true\nbell = false\ntitle = false\ncommand = {json.dumps(argv)}\n"
    )
    with _terminal(agentview, paint, AGENTVIEW_CONFIG=str(config)) as terminal:
        terminal.wait_for("working")
        paint.ask()
        terminal.wait_for("needs-answer")
        terminal.wait_for(lambda _: target.exists() and target.read_text().endswith("\n"))
        assert _rings(terminal) == 0
        assert b"\x1b]2;" not in terminal.output
        terminal.press("q")
        assert terminal.wait() == 0
    (line,) = target.read_text().splitlines()
    facts = json.loads(line)
    assert (facts["state"], facts["title"]) == ("needs-answer", "Paint it")
    assert facts["about"] == "Which ␛]52;c;eA==␇ color?"


@pytest.mark.slow
def test_all_sessions_notify_from_the_library_where_that_is_asked_for(
    agentview: CommandLine, paint: Paint
) -> None:
    command = agentview.command("--set", "notify.scope=all")
    env = agentview.environment | {"TERM_PROGRAM": "ghostty"}
    with PseudoTerminal(command, env, agentview.cwd) as terminal:
        terminal.wait_for("Paint it")
        terminal.press(BLUR)
        terminal.run_for(2.0)
        paint.ask()
        terminal.wait_for(lambda _: ASKS in terminal.output)
        assert terminal.output.count(ASKS) == 1
        terminal.press("q")
        assert terminal.wait() == 0
