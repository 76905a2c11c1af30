"""A session that is followed with keys for minutes: memory, CPU at rest, and what is shown."""

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.process import descriptors_of, rss_of
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.reliability.outcome import Outcome, Plan
from tests.reliability.rest import share_at_rest

_KEYS = "jkjkgG}{ebn123\x04\x15?"
_BYTES_OF_ROW = 2_000
"""Of memory that a record may add, besides what is read once."""
_WARM = 24 << 20
"""Bytes that screens, themes and lexers take when they are first used."""
_REST = 0.05
"""Share of a processor at rest that is too much."""


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """One line."""
    seconds = 60 * plan.minutes if not plan.fast else 8.0
    path = root / ".claude" / "projects" / "-home-dev-shop" / f"{SESSION}.jsonl"
    log = ClaudeLog()
    write(path, conversation(log, 50))
    agentview = CommandLine(root, root)
    outcome = Outcome("long", f"{seconds / 60:g} minutes of keys while records come", unit="looks")
    with (
        outcome.timed(),
        PseudoTerminal(
            agentview.command("tail", SESSION), agentview.environment, root, columns=120, rows=30
        ) as screen,
    ):
        chance = random.Random(1)  # noqa: S311
        turns, held, descriptors, begun = 50, 0, 0, time.monotonic()
        screen.wait_for("Step 49 is done.")
        while time.monotonic() - begun < seconds:
            with path.open("ab") as file:
                file.write(b"".join(conversation(log, 10, begin=turns)))
            turns += 10
            for _ in range(20):
                screen.press(key := chance.choice(_KEYS))
                screen.run_for(0.05)
                if key == "?":
                    screen.press("\x1b")
                    screen.run_for(0.3)
            screen.press("\x1b")
            screen.run_for(0.3)
            screen.press("G")
            screen.wait_for(
                lambda text, last=turns: (
                    f"{last - 1} is done." in text and f"{last:,} commands" in text
                )
            )
            outcome.count += 1
            if not held:
                held, descriptors = rss_of(screen.pid), descriptors_of(screen.pid)
        grown = rss_of(screen.pid) - held
        outcome.check(
            grown < _WARM + turns * 4 * _BYTES_OF_ROW, f"{grown >> 20} MB more for {turns} turns"
        )
        after = descriptors_of(screen.pid)
        outcome.check(after <= descriptors + 8, f"{descriptors} descriptors became {after}")
        used = share_at_rest(screen, plan.of(30, 4), _REST)
        outcome.check(used < _REST, f"{used:.1%} CPU at rest")
        outcome.note = f"{turns * 4:,} records, {grown >> 20} MB more, {used:.1%} CPU at rest"
        outcome.check(*_same(agentview, screen, turns))
        screen.press("q")
        code = screen.wait()
        outcome.check(code == 0 and b"Traceback" not in screen.output, f"exit code {code}")
    yield outcome


def _same(agentview: CommandLine, screen: PseudoTerminal, turns: int) -> tuple[bool, str]:
    """The last prompts and answers on the screen are those of a fresh read, in their order."""
    lines = [json.loads(line) for line in agentview.ok("events", SESSION).splitlines()]
    said = [line["text"] for line in lines if line["type"] in ("user", "message", "assistant")]
    rows = screen.text.splitlines()[1:]
    shown = [text for row in rows for text in said if text in row]
    whole = len(said) == turns * 2 and bool(shown) and shown == said[-len(shown) :]
    return whole, f"{len(said)} texts of {turns} turns, on the screen: {shown}"
