"""Signals and closed terminals on every command that stays: it ends, restores, leaves nobody."""

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.process import children_of
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_job_control import stopped
from tests.patience import PATIENCE
from tests.reliability.outcome import Outcome, Plan

ENDING = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
_SCREENS: dict[str, tuple[str, ...]] = {
    "tail": ("tail", SESSION),
    "library": (),
    "board": ("board",),
}
_RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1000l")
"""What leaves the full screen, shows the cursor, and lets the mouse go."""
_FATAL = b"Traceback"
_HELP = "◆ Keys"
"""Heads the help of each screen, however many keys it lists."""


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for each command."""
    home = home_with_sessions(root)
    agentview = CommandLine(home, home)
    chance = random.Random(1)  # noqa: S311
    rounds = plan.of(5, 1)
    for name, command in _SCREENS.items():
        what = f"{name}: HUP, TERM, INT, QUIT, stop and continue, closed terminal"
        outcome = Outcome("signals", what, unit="ends")
        with outcome.timed():
            for number in range(rounds):
                # Also while it begins, and while it reads.
                pause = 0.0 if plan.fast else chance.random() * 2 * (number % 3)
                for sent in ENDING:
                    _ended_by(sent, agentview, command, pause, outcome)
                _continued(agentview, command, outcome)
                _hung_up(agentview, command, pause, outcome)
        yield outcome
    what = "events --follow: HUP, TERM, INT, QUIT, stop and continue, closed pipe"
    outcome = Outcome("signals", what, unit="ends")
    with outcome.timed():
        for number in range(rounds):
            for sent in ENDING:
                _follower_ended_by(sent, agentview, outcome)
            _follower_continued(agentview, number, outcome)
            _reader_left(agentview, number, outcome)
    yield outcome


def home_with_sessions(root: Path, turns: int = 800) -> Path:
    """A home with a session that takes a child some time to read."""
    home = root / "home"
    place = home / ".claude" / "projects" / "-home-dev-shop"
    write(place / f"{SESSION}.jsonl", conversation(ClaudeLog(), turns, size=3000))
    return home


def processes_below(pid: int) -> set[int]:
    """All processes that a process has started, and those that these did."""
    found = set(children_of(pid))
    for child in tuple(found):
        found |= processes_below(child)
    return found


def all_gone(pids: set[int]) -> bool:
    """Wait until these processes have ended; False if one goes on."""
    deadline = time.monotonic() + PATIENCE
    while left := [pid for pid in pids if _lives(pid)]:
        if time.monotonic() > deadline:
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            return False
        time.sleep(0.02)
    return True


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def opened(agentview: CommandLine, command: tuple[str, ...]) -> PseudoTerminal:
    """A command in a terminal of its own, which it has taken over."""
    screen = PseudoTerminal(
        agentview.command(*command), agentview.environment, agentview.cwd, columns=100, rows=24
    )
    screen.wait_for(lambda _: b"\x1b[?1049h" in screen.output and bool(screen.text.strip()))
    return screen


def faults(screen: PseudoTerminal, code: int, wanted: int, children: set[int]) -> str:
    """What is wrong with the end of a screen; empty when nothing is."""
    missing = [
        end for end in _RESTORED if screen.output.rfind(end) < screen.output.rfind(b"[?1049h")
    ]
    said = [f"exit code {code}, not {wanted}"] if code != wanted else []
    said += [f"not restored: {missing}"] if missing else []
    said += ["a traceback"] if _FATAL in screen.output else []
    said += [] if all_gone(children) else ["a process goes on"]
    return ", ".join(said)


def _ended_by(
    sent: signal.Signals,
    agentview: CommandLine,
    command: tuple[str, ...],
    pause: float,
    outcome: Outcome,
) -> None:
    with opened(agentview, command) as screen:
        screen.run_for(pause)
        children = processes_below(screen.pid)
        os.kill(screen.pid, sent)
        said = faults(screen, screen.wait(), 128 + sent, children)
    outcome.check(not said, f"{command} {sent.name} after {pause:.2f} s: {said}")


def _continued(agentview: CommandLine, command: tuple[str, ...], outcome: Outcome) -> None:
    """Stopped in both ways, it is there again, hears keys, and ends in order."""
    for sent in (signal.SIGSTOP, signal.SIGTSTP):
        with opened(agentview, command) as screen:
            screen.run_for(0.2)
            os.kill(screen.pid, sent)
            deadline = time.monotonic() + PATIENCE
            # Without a shell that could let it continue, one of them stops nobody.
            while sent is signal.SIGSTOP and not stopped(screen.pid):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            seen = len(screen.output)
            os.kill(screen.pid, signal.SIGCONT)
            # A key that comes while the terminal is set up again is dropped with what waits.
            screen.wait_for(lambda _, seen=seen: _is_back(screen, seen))
            screen.run_for(0.3)
            screen.press("?")
            screen.wait_for(_HELP)
            children = processes_below(screen.pid)
            screen.press("\x1b")
            screen.wait_for(lambda text: _HELP not in text)
            screen.press("q")
            said = faults(screen, screen.wait(), 0, children)
        outcome.check(not said, f"{command} {sent.name} and SIGCONT: {said}")


def _is_back(screen: PseudoTerminal, seen: int) -> bool:
    """True once the screen is drawn again; one that stops itself late is let continue once more."""
    if stopped(screen.pid):
        os.kill(screen.pid, signal.SIGCONT)
    return b"[?1049h" in screen.output[seen:]


def _hung_up(
    agentview: CommandLine, command: tuple[str, ...], pause: float, outcome: Outcome
) -> None:
    with opened(agentview, command) as screen:
        screen.run_for(pause)
        children = processes_below(screen.pid)
        code = screen.hang_up()
    wanted = 128 + signal.SIGHUP
    # A terminal that is gone has nothing to restore.
    outcome.check(
        code == wanted and all_gone(children),
        f"{command}, closed terminal after {pause:.2f} s: exit code {code}, not {wanted}",
    )


def _hears_signals() -> None:
    """What a shell has started in the background, or with nohup, ignores some of these.

    Its children would too.
    """
    for each in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(each, signal.SIG_DFL)


def _follower(agentview: CommandLine) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        agentview.command("events", "--follow", SESSION),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=agentview.cwd,
        env=agentview.environment,
        preexec_fn=_hears_signals,  # noqa: PLW1509
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith(b"{")
    return process


def _follower_ended_by(sent: signal.Signals, agentview: CommandLine, outcome: Outcome) -> None:
    process = _follower(agentview)
    children = processes_below(process.pid)
    process.send_signal(sent)
    _, stderr = process.communicate(timeout=PATIENCE)
    code = process.returncode
    outcome.check(
        code in (128 + sent, -sent) and _FATAL not in stderr and all_gone(children),
        f"events --follow {sent.name}: exit code {code}: {stderr[-300:]!r}",
    )


def _follower_continued(agentview: CommandLine, number: int, outcome: Outcome) -> None:
    """What is written while it is stopped is printed when it continues."""
    words = f"Written while it was stopped, {number}.".encode()
    process = _follower(agentview)
    process.send_signal(signal.SIGSTOP)
    add(agentview, [ClaudeLog(agent=f"again{number}").prompt(words.decode())])
    process.send_signal(signal.SIGCONT)
    late = threading.Timer(PATIENCE, process.kill)
    late.start()
    assert process.stdout is not None
    found = any(words in line for line in process.stdout)
    late.cancel()
    process.kill()
    process.communicate(timeout=PATIENCE)
    outcome.check(found, "events --follow: a record that was written while it was stopped is lost")


def add(agentview: CommandLine, records: list[bytes]) -> None:
    """Append records to the session of `home_with_sessions`, with ids of their own."""
    path = next(agentview.home.rglob(f"{SESSION}.jsonl"))
    # Ids of their own, but of the session itself.
    plain = [record.replace(b'"isSidechain": true', b'"isSidechain": false') for record in records]
    with path.open("ab") as file:
        file.write(b"".join(plain))


def _reader_left(agentview: CommandLine, number: int, outcome: Outcome) -> None:
    process = _follower(agentview)
    assert process.stdout is not None
    process.stdout.close()
    add(agentview, conversation(ClaudeLog(agent=f"left{number}"), 30))
    try:
        code = process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        outcome.check(False, "events --follow goes on without its reader")
        return
    assert process.stderr is not None
    stderr = process.stderr.read()
    process.stderr.close()
    outcome.check(
        _FATAL not in stderr, f"events --follow, closed pipe: exit code {code}: {stderr[-300:]!r}"
    )
