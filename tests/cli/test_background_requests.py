"""What a background session of Claude Code needs, on every surface (files of 2.1.332)."""

import json
import os
import time

from tests.claude_log import SESSION, ClaudeLog, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_board_notifications import sent_notifications
from tests.cli.test_notifications import BLUR
from tests.patience import PATIENCE
from tests.sessions.clients.running_client import process, started, write_entry

JOB = "3a611a31"
NEEDS = "which database you want."


class Background:
    """A background session whose turn is over; its client writes its state and its entry."""

    def __init__(self, agentview: CommandLine, pid: int) -> None:
        self._home, self._pid = agentview.home, pid
        log = ClaudeLog(began=time.time() - 30)
        path = self._home / ".claude" / "projects" / "-w-shop" / f"{SESSION}.jsonl"
        write(path, [log.prompt("Compare databases"), log.text("Both would do.", "end_turn")])
        self.turns_to("idle")

    def turns_to(self, tempo: str, needs: str | None = None) -> None:
        """Write the state, then the entry: in the order of the client."""
        state = {
            "state": "blocked" if needs else "working", "detail": needs, "tempo": tempo,
            "needs": needs, "sessionId": SESSION, "daemonShort": JOB, "cwd": "/w/shop",
            "name": "databases", "firstTerminalAt": None,
        }  # fmt: skip
        file = self._home / ".claude" / "jobs" / JOB / "state.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        new.write_text(json.dumps({key: each for key, each in state.items() if each is not None}))
        os.replace(new, file)  # noqa: PTH105
        status = "busy" if tempo == "active" else "idle"
        entry = {"kind": "bg", "jobId": JOB, "name": "databases", "status": status}
        write_entry(self._home, self._pid, SESSION, procStart=started(self._pid), **entry)


def _row(agentview: CommandLine, state: str) -> dict[str, object]:
    """The only session in this state, as soon as `status` has it."""
    until = time.monotonic() + PATIENCE
    while True:
        (row,) = json.loads(agentview.ok("status", "--json"))
        if row["state"] == state:
            return row
        assert time.monotonic() < until, row


def test_the_need_of_a_background_session_is_a_request_on_board_status_and_notification(
    agentview: CommandLine,
) -> None:
    command = agentview.command("board", "--set", "notify.scope=all")
    environment = agentview.environment | {"TERM_PROGRAM": "ghostty"}
    with process() as client:
        job = Background(agentview, client.pid)
        with PseudoTerminal(command, environment, agentview.cwd, columns=120) as terminal:
            terminal.wait_for("your-turn")
            terminal.press(BLUR)
            assert _row(agentview, "your-turn")["requests"] == 0
            job.turns_to("blocked", NEEDS)
            terminal.wait_for("needs-answer")
            terminal.wait_for(NEEDS)
            terminal.wait_for(lambda _: bool(sent_notifications(terminal)))
            asked = _row(agentview, "needs-answer")
            assert (asked["about"], asked["evidence"], asked["certain"], asked["requests"]) == (
                NEEDS, "registry", True, 1
            )  # fmt: skip
            assert agentview.ok("status", "--format", "{needs} need you") == "1 need you\n"
            job.turns_to("active")
            terminal.wait_for("working")
            _row(agentview, "working")
            job.turns_to("idle")
            terminal.wait_for("your-turn")
            # Another one would come at once.
            terminal.run_for(0.5)
            assert sent_notifications(terminal) == [
                f"agentview: asks you: Compare databases · {NEEDS} (shop)"
            ]
