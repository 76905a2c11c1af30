"""Notifications of requests that no client reports: a real process and a log that grows."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_board_notifications import sent_notifications
from tests.cli.test_notifications import BLUR
from tests.sessions.clients.test_processes import Client, client

SESSION = "01a226fb-b5a6-7073-811d-bb8f535de731"
FLAGS = ("--set", "notify.scope=all")
COMMAND = "sleep 600; rm -rf build"


class Rollout:
    """The log of a session of Codex in a home."""

    def __init__(self, home: Path, project: Path) -> None:
        folder = home / ".codex" / "sessions" / "2026" / "11" / "29"
        folder.mkdir(parents=True)
        self.path = folder / f"rollout-2026-11-29T11-05-59-{SESSION}.jsonl"
        meta = {"id": SESSION, "cwd": str(project), "cli_version": "0.171.0"}
        self.add("session_meta", **meta)

    def add(self, kind: str, **payload: object) -> None:
        moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json.dumps({"timestamp": moment, "type": kind, "payload": payload})
        with self.path.open("a") as file:
            file.write(f"{line}\n")

    def prompt(self) -> None:
        self.add("event_msg", type="user_message", message="Paint it")

    def call(self, call: str, command: str) -> None:
        arguments = json.dumps({"cmd": command})
        self.add(
            "response_item",
            type="function_call", name="exec_command", call_id=call, arguments=arguments,
        )  # fmt: skip

    def result(self, call: str) -> None:
        self.add("response_item", type="function_call_output", call_id=call, output="done")


def _board(agentview: CommandLine) -> PseudoTerminal:
    environment = agentview.environment | {"TERM_PROGRAM": "ghostty"}
    return PseudoTerminal(
        agentview.command("board", *FLAGS), environment, agentview.cwd, columns=140
    )


def _notified(terminal: PseudoTerminal, count: int) -> None:
    terminal.wait_for(lambda _: len(sent_notifications(terminal)) >= count)


def _is_running(codex: Client, terminal: PseudoTerminal, command: str) -> None:
    codex.run("sh", "-c", command)
    terminal.wait_for(lambda screen: "working " in screen and command in screen)


@pytest.mark.slow
def test_a_command_that_does_not_run_may_need_approval(agentview: CommandLine) -> None:
    project = agentview.cwd / "shop"
    project.mkdir()
    log = Rollout(agentview.home, project)
    log.prompt()
    with client(project, log.path) as codex, _board(agentview) as terminal:
        terminal.wait_for("1 live session")
        terminal.press(BLUR)
        terminal.run_for(0.3)
        log.call("c1", COMMAND)
        asked = time.time()
        _notified(terminal, 1)
        assert time.time() - asked >= 0.8
        # It is granted and runs, then another one runs at once, until its result is there.
        _is_running(codex, terminal, COMMAND)
        codex.tell("end")
        log.result("c1")
        log.call("c2", "make; sleep 600")
        _is_running(codex, terminal, "make; sleep 600")
        terminal.run_for(2.5)
        codex.tell("end")
        terminal.wait_for("working?")
        terminal.run_for(2.5)
        log.result("c2")
        # The same words in another call are another request.
        log.call("c3", COMMAND)
        _notified(terminal, 2)
        terminal.run_for(1.0)
        text = f"agentview: may need approval: Paint it · {COMMAND} (shop)"
        assert sent_notifications(terminal) == [text, text]


@pytest.mark.slow
def test_the_first_call_of_a_session_that_begins_notifies(agentview: CommandLine) -> None:
    project = agentview.cwd / "shop"
    project.mkdir()
    with client(project, None) as codex, _board(agentview) as terminal:
        terminal.wait_for("no session is live now")
        terminal.press(BLUR)
        log = Rollout(agentview.home, project)
        codex.tell(f"open {json.dumps(str(log.path))}")
        log.prompt()
        log.call("c1", COMMAND)
        _notified(terminal, 1)
        terminal.run_for(1.0)
        assert sent_notifications(terminal) == [
            f"agentview: may need approval: Paint it · {COMMAND} (shop)"
        ]
