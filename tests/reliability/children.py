"""Worker processes that are killed or stopped at random while a session is read and searched.

Each answer must be the whole one, or the end of the command with a sentence; nothing may hang.
"""

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.claude_log import SESSION
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE
from tests.reliability.outcome import Outcome, Plan
from tests.reliability.signals import home_with_sessions, processes_below

_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("search", "please", "--json"),
    ("ls", "--json"),
    ("export", SESSION, "--format", "markdown"),
)
_WAYS = {
    "killed": (signal.SIGKILL,),
    "stopped and continued": (signal.SIGSTOP, signal.SIGCONT),
}


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for each way, over commands and the screen."""
    turns = plan.of(3000, 1500)
    home = home_with_sessions(root, turns)
    for way, signals in _WAYS.items():
        what = f"workers {way} while the screen reads and searches, and commands run"
        outcome = Outcome("children", what, unit="answers")
        sent = 0
        with outcome.timed():
            for number in range(plan.of(6, 1)):
                own = root / f"{way}-{number}"
                env = {f"AGENTVIEW_{each}_DIR": str(own / each) for each in ("CACHE", "STATE")}
                agentview = CommandLine(home, home, env)
                chance = random.Random(number)  # noqa: S311
                for command in _COMMANDS[: plan.of(len(_COMMANDS), 1)]:
                    wanted = agentview(*command).stdout.encode()
                    sent += _command(agentview, command, wanted, signals, chance, outcome)
                sent += _screen(agentview, turns, signals, chance, outcome)
        outcome.note = f"{sent} signals"
        yield outcome


class _Trouble:
    """Sends signals to what a process has started, in a thread, until the end of the block."""

    def __init__(self, pid: int, signals: tuple[signal.Signals, ...], chance: random.Random):
        self.sent = 0
        self._pid, self._signals, self._chance = pid, signals, chance
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @contextmanager
    def at_work(self) -> Generator["_Trouble"]:
        self._thread.start()
        try:
            yield self
        finally:
            self._over.set()
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._chance.random() * 0.1):
            for pid in processes_below(self._pid):
                for number in self._signals:
                    with suppress(ProcessLookupError):
                        os.kill(pid, number)
                        self.sent += 1
                    if len(self._signals) > 1:
                        time.sleep(self._chance.random() * 0.05)


def _command(
    agentview: CommandLine,
    command: tuple[str, ...],
    wanted: bytes,
    signals: tuple[signal.Signals, ...],
    chance: random.Random,
    outcome: Outcome,
) -> int:
    process = subprocess.Popen(
        agentview.command(*command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=agentview.cwd,
        env=agentview.environment,
    )
    with _Trouble(process.pid, signals, chance).at_work() as trouble:
        try:
            out, err = process.communicate(timeout=PATIENCE * 2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            outcome.check(False, f"{command} hangs")
            return trouble.sent
    whole = process.returncode == 0 and out == wanted
    honest = err.startswith(b"agentview: ") and b"Traceback" not in err
    outcome.check(whole or honest, f"{command}: exit code {process.returncode}: {err[-500:]!r}")
    return trouble.sent


def _screen(
    agentview: CommandLine,
    turns: int,
    signals: tuple[signal.Signals, ...],
    chance: random.Random,
    outcome: Outcome,
) -> int:
    """The session is read to its start, a search finds, keys are heard, and it ends in order."""
    command, found = agentview.command("open", SESSION), f"{turns // 10:,}"
    with PseudoTerminal(
        command, agentview.environment, agentview.cwd, columns=120, rows=30
    ) as screen:
        with _Trouble(screen.pid, signals, chance).at_work() as trouble:
            screen.wait_for(f"Step {turns - 1} is done.")
            screen.wait_for(f"{turns:,} commands")
            outcome.count += 1
            screen.press("/")
            screen.run_for(0.5)
            screen.press("Step 7: please\r")
            # Each prompt whose number ends with 7.
            screen.wait_for(
                lambda text: any(f"{form} " in text for form in (f"{found} found", f"of {found}"))
            )
            outcome.count += 1
        screen.press("\x1b")
        screen.run_for(0.5)
        screen.press("q")
        code = screen.wait()
        outcome.check(code == 0 and b"Traceback" not in screen.output, f"screen: exit code {code}")
    return trouble.sent
