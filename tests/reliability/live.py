"""Fifty sessions that are written at once: all are listed, each with its state as it changes."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.process import rss_of
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_attention import Live
from tests.patience import PATIENCE
from tests.reliability.outcome import Outcome, Plan
from tests.reliability.rest import share_at_rest

COUNT = 50
_REST = 0.25
"""Share of a processor at rest that is too much."""


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for the board, and one for `status`."""
    home = root / "home"
    home.mkdir()
    agentview = CommandLine(home, home)
    count = plan.of(COUNT, 12)
    sessions = [
        Live(agentview, f"0b5f3a52-6c55-4f0e-9a51-2f7f3f1f{number:04}", f"/home/dev/p{number}/repo")
        for number in range(count)
    ]
    yield _board(agentview, sessions, plan)
    yield _status(agentview, sessions)


def _board(agentview: CommandLine, sessions: list[Live], plan: Plan) -> Outcome:
    outcome = Outcome(
        "live", f"board over {len(sessions)} sessions that are written", unit="states"
    )
    with (
        outcome.timed(),
        PseudoTerminal(
            agentview.command("board"),
            agentview.environment,
            agentview.cwd,
            columns=160,
            rows=len(sessions) + 30,
        ) as screen,
    ):
        screen.wait_for(lambda text: all(f"p{at}" in text for at in range(len(sessions))))
        held = rss_of(screen.pid)
        for turn in range(plan.of(5, 1)):
            for live in sessions:
                live.add(live.log.prompt(f"Go on, {turn}"), live.log.text("I look."))
            for live in sessions:
                _ask(live, f"q{turn}")
            shown = screen.wait_for(lambda text: text.count("Which color?") >= len(sessions))
            outcome.count += shown.count("Which color?")
            for live in sessions:
                live.add(live.log.result(f"q{turn}", "red"))
                live.end()
            screen.wait_for(lambda text: "Which color?" not in text)
            outcome.count += len(sessions)
        used = share_at_rest(screen, plan.of(20, 3), _REST)
        grown = (rss_of(screen.pid) - held) >> 20
        outcome.note = f"{used:.1%} CPU at rest, {grown} MB more at the end"
        outcome.check(used < _REST, f"{used:.1%} CPU at rest")
        screen.press("q")
        code = screen.wait()
        outcome.check(code == 0, f"exit code {code}")
    return outcome


def _ask(live: Live, call: str) -> None:
    question: dict[str, Any] = {
        "question": "Which color?",
        "header": "C",
        "options": [],
        "multiSelect": False,
    }
    live.add(live.log.call(call, "AskUserQuestion", questions=[question]))


def _status(agentview: CommandLine, sessions: list[Live]) -> Outcome:
    outcome = Outcome("live", f"status of {len(sessions)} sessions", unit="states")
    with outcome.timed():
        for live in sessions[::2]:
            _ask(live, "last")
        wanted = {
            str(live.path): "needs-answer" if at % 2 == 0 else "your-turn"
            for at, live in enumerate(sessions)
        }
        deadline = time.monotonic() + PATIENCE
        found: dict[str, str] = {}
        while found != wanted and time.monotonic() < deadline:
            rows = json.loads(agentview.ok("status", "--json"))
            found = {row["path"]: row["state"] for row in rows}
        for path, state in wanted.items():
            outcome.check(found.get(path) == state, f"{path} is {found.get(path)}, not {state}")
    return outcome
