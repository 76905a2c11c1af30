"""Terminals that change size all the time, and sessions of tmux that are left and taken again."""

import random
import shutil
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.claude_log import SESSION, ClaudeLog, conversation
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE
from tests.reliability.outcome import Outcome, Plan
from tests.reliability.signals import add, all_gone, home_with_sessions, opened, processes_below

_COLUMNS, _ROWS = 100, 24
_SCREENS: dict[str, tuple[str, ...]] = {
    "session": ("open", SESSION),
    "library": (),
    "board": ("board",),
}
_DETACH = "\x02d"
"""The keys that leave a session of tmux."""


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for each screen, and one for tmux."""
    home = home_with_sessions(root, plan.of(400, 60))
    agentview = CommandLine(home, home)
    for name, command in _SCREENS.items():
        yield _resized(name, command, agentview, plan.of(2_000, 60))
    yield _attached(agentview, plan.of(40, 4))


def _resized(name: str, command: Sequence[str], agentview: CommandLine, times: int) -> Outcome:
    """After the storm the screen shows what a new one of that size shows."""
    outcome = Outcome("terminals", f"{name}: sizes from 20 x 5 to 240 x 70", unit="sizes")
    chance = random.Random(1)  # noqa: S311
    with outcome.timed(), opened(agentview, tuple(command)) as screen:
        for _ in range(times):
            screen.resize(chance.randint(20, 240), chance.randint(5, 70))
            screen.run_for(chance.random() * 0.05)
        outcome.count += times
        screen.resize(_COLUMNS, _ROWS)
        with opened(agentview, tuple(command)) as fresh:
            for each in (screen, fresh):
                each.press("G")
            outcome.check(_alike(screen, fresh), f"{screen.text}\nis not\n{fresh.text}")
        screen.press("q")
        code = screen.wait()
        outcome.check(code == 0 and b"Traceback" not in screen.output, f"{name}: exit code {code}")
    return outcome


def _alike(screen: PseudoTerminal, fresh: PseudoTerminal) -> bool:
    """Wait until both have the same rows below the first one, which speaks of the time."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        screen.run_for(0.2)
        fresh.run_for(0.2)
        rows, wanted = (each.text.splitlines()[1:] for each in (screen, fresh))
        if rows == wanted and any(rows):
            return True
    return False


@contextmanager
def _server(agentview: CommandLine) -> Generator[list[str]]:
    """The command of a server of tmux of one's own, which has one session of `tail`."""
    tmux = ["tmux", "-S", str(agentview.home / "tmux"), "-f", "/dev/null"]
    begin = ["new-session", "-d", "-x", str(_COLUMNS), "-y", str(_ROWS)]
    show = [*begin, *agentview.command("tail", SESSION)]
    # What it does for notifications reaches the outer terminal too.
    passing = [";", "set", "-g", "allow-passthrough", "on"]
    environment = agentview.environment
    subprocess.run([*tmux, *show, *passing], check=True, env=environment, cwd=agentview.cwd)
    try:
        yield tmux
    finally:
        subprocess.run([*tmux, "kill-server"], check=False, env=environment)


def _attached(agentview: CommandLine, times: int) -> Outcome:
    """Each time that somebody comes back, what was written meanwhile is there."""
    outcome = Outcome("terminals", "tmux: left, killed and taken again in any size", unit="times")
    if shutil.which("tmux") is None:
        outcome.note = "not tried: tmux is not installed"
        return outcome
    chance = random.Random(1)  # noqa: S311
    with outcome.timed(), _server(agentview) as tmux:
        found = subprocess.run(
            [*tmux, "list-panes", "-F", "#{pane_pid}"], check=True, capture_output=True
        )
        pane = int(found.stdout)
        for number in range(times):
            log = ClaudeLog(agent=f"away{number}")
            words = f"Written while nobody looked, {number}."
            add(agentview, [*conversation(log, 3), log.prompt(words)])
            columns, rows = chance.randint(60, 200), chance.randint(15, 60)
            with PseudoTerminal(
                [*tmux, "attach"], agentview.environment, agentview.cwd, columns=columns, rows=rows
            ) as client:
                client.press("G")
                text = client.wait_for(words)
                outcome.check("Traceback" not in text, f"{columns} x {rows}: {text}")
                if chance.random() < 0.5:
                    client.press(_DETACH)
                    client.wait()
        children = {pane} | processes_below(pane)
        subprocess.run([*tmux, "send-keys", "q"], check=True, timeout=PATIENCE)
        outcome.check(all_gone(children), "a process goes on")
    return outcome
