"""An agent that goes round in circles: its row on a board in a real terminal, its notification."""

import json

import pytest

from tests.claude_log import SESSION
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_board_notifications import sent_notifications
from tests.cli.test_notifications import BLUR, Paint
from tests.sessions.clients.running_client import process, started, write_entry

NOTIFY = ("--set", "notify.scope=all", "--set", "notify.looping=true")


class Stuck(Paint):
    """An agent that runs the same tests again and again."""

    def __init__(self, agentview: CommandLine) -> None:
        super().__init__(agentview.home / ".claude" / "projects" / "-p" / f"{SESSION}.jsonl")
        self.add(self.log.result("t0", "x"))
        self._runs = 0

    def run_tests(self, times: int, *, is_error: bool = False) -> None:
        for _ in range(times):
            self._runs += 1
            call, printed = f"b{self._runs}", f"1 failed in 0.{self._runs}s"
            self.add(
                self.log.call(call, "Bash", command="pytest -q"),
                self.log.result(call, printed, is_error=is_error),
            )


def _board(agentview: CommandLine, *flags: str) -> PseudoTerminal:
    command = agentview.command("board", *flags)
    environment = agentview.environment | {"TERM_PROGRAM": "ghostty"}
    return PseudoTerminal(command, environment, agentview.cwd, columns=140)


def _set(agentview: CommandLine, repeats: int) -> None:
    config = agentview.home / ".config" / "agentview" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"[looping]\nrepeats = {repeats}\n")


def _reason(agentview: CommandLine) -> str | None:
    (row,) = json.loads(agentview.ok("status", "--json"))
    return row["looping"]


def test_an_agent_that_repeats_a_call_has_its_row_and_is_notified_once_a_turn(
    agentview: CommandLine,
) -> None:
    stuck = Stuck(agentview)
    with process() as client, _board(agentview, *NOTIFY) as terminal:
        entry = {"status": "busy", "procStart": started(client.pid)}
        write_entry(agentview.home, client.pid, SESSION, **entry)
        terminal.wait_for("working")
        terminal.press(BLUR)
        stuck.run_tests(4)
        terminal.wait_for("Shell pytest -q")
        assert "looping?" not in terminal.text
        stuck.run_tests(1)
        terminal.wait_for("looping? 5 times with the same result: Shell pytest -q")
        terminal.wait_for(lambda _: bool(sent_notifications(terminal)))
        # Only the number changes: it is the same occasion.
        stuck.run_tests(2)
        terminal.wait_for("looping? 7 times with the same result")
        # The next turn has nothing of the one before, and a notification of its own.
        stuck.add(stuck.log.text("It fails.", "end_turn"), stuck.log.prompt("Try again"))
        stuck.run_tests(5, is_error=True)
        terminal.wait_for("looping? the same error 5 times: 1 failed in 0.12s")
        terminal.wait_for(lambda _: len(sent_notifications(terminal)) > 1)
        # Another one would come at once.
        terminal.run_for(0.5)
        assert sent_notifications(terminal) == [
            "agentview: looping?: Paint it · 5 times with the same result: Shell pytest -q (shop)",
            "agentview: looping?: Paint it · the same error 5 times: 1 failed in 0.12s (shop)",
        ]


@pytest.mark.slow
def test_the_settings_say_from_when_on_and_whether_it_is_notified(agentview: CommandLine) -> None:
    stuck = Stuck(agentview)
    stuck.run_tests(3)
    assert _reason(agentview) is None
    _set(agentview, repeats=3)
    assert _reason(agentview) == "3 times with the same result: Shell pytest -q"
    with _board(agentview, "--set", "notify.scope=all") as terminal:
        terminal.press(BLUR)
        terminal.wait_for("looping? 3 times")
        stuck.run_tests(3)
        terminal.wait_for("looping? 6 times")
        terminal.run_for(0.5)
        assert sent_notifications(terminal) == []
    _set(agentview, repeats=0)
    assert _reason(agentview) is None
