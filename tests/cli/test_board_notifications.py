"""Notifications of the board in a real terminal: for all live sessions, by the list of clients."""

from pathlib import Path

import pytest

from tests.claude_log import SESSION
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_notifications import BLUR, FOCUS, Paint
from tests.sessions.clients.running_client import process, started, write_entry

ALL = ("--set", "notify.scope=all")


def _paint(agentview: CommandLine) -> Paint:
    return Paint(agentview.home / ".claude" / "projects" / "-p" / f"{SESSION}.jsonl")


def _board(agentview: CommandLine, *flags: str) -> PseudoTerminal:
    command = agentview.command("board", *flags)
    return PseudoTerminal(
        command, agentview.environment | {"TERM_PROGRAM": "ghostty"}, agentview.cwd
    )


def sent_notifications(terminal: PseudoTerminal) -> list[str]:
    """The notifications that were sent to the terminal."""
    return [part.partition(b"\x1b\\")[0].decode() for part in terminal.output.split(b"\x1b]9;")[1:]]


@pytest.mark.slow
def test_what_the_list_of_a_client_says_is_notified_without_focus(agentview: CommandLine) -> None:
    _paint(agentview)
    with process() as client, _board(agentview, *ALL) as terminal:
        entry = {"procStart": started(client.pid)}
        write_entry(agentview.home, client.pid, SESSION, status="busy", **entry)
        terminal.wait_for("1 live session")
        terminal.wait_for("working")
        terminal.press(BLUR)
        terminal.run_for(0.3)
        waits = {"status": "waiting", "waitingFor": "permission prompt"}
        write_entry(agentview.home, client.pid, SESSION, **waits, **entry)
        terminal.wait_for("needs-approval")
        title = "\x1b]2;● 1 needs you\x1b\\".encode()
        terminal.wait_for(
            lambda _: title in terminal.output and len(sent_notifications(terminal)) > 0
        )
        # Another one would come at once.
        terminal.run_for(0.5)
        assert sent_notifications(terminal) == [
            "agentview: needs approval: Paint it · Read /a (shop)"
        ]
        assert b"\x07" in terminal.output
        # It ends at work: that is said too, and once.
        write_entry(agentview.home, client.pid, SESSION, status="busy", **entry)
        terminal.wait_for("working")
        client.kill()
        client.wait()
        terminal.wait_for("no session is live now")
        terminal.wait_for(lambda _: len(sent_notifications(terminal)) > 1)
        terminal.run_for(0.5)
        assert [text.partition(" · ")[0] for text in sent_notifications(terminal)[1:]] == [
            "agentview: ended: Paint it"
        ]


@pytest.mark.slow
def test_nothing_is_notified_with_focus_or_of_sessions_that_nobody_follows(
    agentview: CommandLine,
) -> None:
    paint = _paint(agentview)
    with _board(agentview, *ALL) as terminal:
        terminal.wait_for("1 live session")
        terminal.press(BLUR + FOCUS)
        paint.ask()
        terminal.wait_for("needs-answer")
        terminal.run_for(0.5)
        assert sent_notifications(terminal) == []
    Path(paint.path).unlink()
    paint = _paint(agentview)
    with _board(agentview) as terminal:
        terminal.wait_for("1 live session")
        terminal.press(BLUR)
        terminal.run_for(0.3)
        paint.ask()
        terminal.wait_for("needs-answer")
        terminal.run_for(0.5)
        assert sent_notifications(terminal) == []


@pytest.mark.slow
def test_two_boards_notify_of_a_request_once(agentview: CommandLine) -> None:
    paint = _paint(agentview)
    with _board(agentview, *ALL) as one, _board(agentview, *ALL) as other:
        for terminal in (one, other):
            terminal.wait_for("1 live session")
            terminal.press(BLUR)
            terminal.run_for(0.3)
        paint.ask()
        for terminal in (one, other):
            terminal.wait_for("needs-answer")

        def is_told(_: object) -> bool:
            other.run_for(0.1)
            return bool(sent_notifications(one) or sent_notifications(other))

        one.wait_for(is_told)
        for terminal in (one, other):
            terminal.run_for(0.5)
        assert len(sent_notifications(one) + sent_notifications(other)) == 1
