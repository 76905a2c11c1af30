"""Storage that misbehaves: links that change under a command, and a file system that hangs."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.claude_log import SESSION, ClaudeLog
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE
from tests.reliability.outcome import Outcome, Plan
from tests.reliability.rest import share_at_rest
from tests.reliability.signals import add, faults, home_with_sessions, opened

_HELP = "Next activity"
"""Is on the first page of the help of a session."""
_REST = 0.05
"""Share of a processor up to which a screen is at rest."""
_GIVEN_BACK = b"\x1b[?1049l"
_SLOW = "0.002"
"""Seconds that each call to the file system takes."""


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for links, and two for a file system that is slow or hangs."""
    yield _races(plan, root / "links")
    yield from _remote(plan, root / "mounted")


def _races(plan: Plan, root: Path) -> Outcome:
    """A log is a file, then a link to what is none, and so on, while commands read it."""
    outcome = Outcome("storage", "a log that is now a file, now a link", unit="commands")
    home = home_with_sessions(root, 40)
    agentview = CommandLine(home, home)
    log = next(home.rglob(f"{SESSION}.jsonl"))
    data, other = log.read_bytes(), root / "kept.jsonl"
    other.write_bytes(data)
    other_text = root / "text"
    other_text.write_bytes(b"no line of a log\n" * 40)
    os.mkfifo(root / "pipe")
    targets = [other, other_text, root / "pipe", root, root / "nothing", log, Path("/dev/zero")]
    over = threading.Event()

    def change() -> None:
        fresh = log.with_suffix(".fresh")
        while not over.is_set():
            for target in targets:
                for make in (
                    lambda to=target: fresh.symlink_to(to),
                    lambda: fresh.write_bytes(data),
                ):
                    with suppress(OSError):
                        make()
                        fresh.replace(log)
                    time.sleep(0.003)

    commands = (("ls",), ("cat", SESSION), ("events", str(log)), ("archive", SESSION), ("stats",))
    changing = threading.Thread(target=change)
    changing.start()
    try:
        with outcome.timed():
            for _ in range(plan.of(40, 2)):
                for command in commands:
                    outcome.check(*_unharmed(agentview, command))
    finally:
        over.set()
        changing.join()
    return outcome


def _unharmed(agentview: CommandLine, command: tuple[str, ...]) -> tuple[bool, str]:
    """The command has an answer, or says in a sentence what is wrong."""
    done = agentview(*command)
    said = done.stdout + done.stderr
    fine = "Traceback" not in said and done.returncode in (0, 1)
    return fine, f"{command}: {done.returncode} {said[-300:]}"


def _remote(plan: Plan, root: Path) -> Iterator[Outcome]:
    home = home_with_sessions(root, 60)
    own = root / "own"
    own.mkdir()
    agentview = CommandLine(own, own)
    slow = Outcome("storage", f"{_SLOW} s for each call", unit="commands")
    hung = Outcome("storage", "calls that do not return, for seconds", unit="times")
    with _mounted(home, root) as (mount, set_pace):
        if mount is None:
            slow.note = hung.note = "not tried: no file system in user space"
            yield from (slow, hung)
            return
        place = mount / ".claude"
        log = next(place.rglob(f"{SESSION}.jsonl"))
        known = CommandLine(own, own, {"CLAUDE_CONFIG_DIR": str(place)})
        with slow.timed():
            wanted = agentview.ok("events", str(next(home.rglob(log.name))))
            set_pace(_SLOW)
            found = known.ok("events", SESSION).replace(str(mount), str(home))
            slow.check(found == wanted, f"events: {found[:300]} is not {wanted[:300]}")
            slow.check(SESSION[:8] in known.ok("ls"), "ls: not there")
            set_pace("0")
        yield slow
        with hung.timed():
            for _ in range(plan.of(10, 1)):
                _hangs_for_a_while(known, CommandLine(home, home), set_pace, hung)
                _left_while_it_hangs(known, set_pace, hung)
        yield hung


def _hangs_for_a_while(
    agentview: CommandLine, writer: CommandLine, set_pace: Callable[[str], None], outcome: Outcome
) -> None:
    """Keys are heard meanwhile, and what was written is shown once it answers again."""
    words = f"Written while it hung, {outcome.count}."
    with opened(agentview, ("tail", SESSION)) as screen:
        _wait_for_rest(screen)
        set_pace("hang")
        try:
            add(writer, [ClaudeLog(agent=f"hung{outcome.count}").prompt(words)])
            # By now each of its looks at the file system waits.
            screen.run_for(5.0)
            screen.press("?")
            screen.wait_for(_HELP)
            screen.press("\x1b")
            screen.wait_for(lambda text: _HELP not in text)
        finally:
            set_pace("0")
        screen.press("G")
        screen.wait_for(words)
        outcome.count += 1
        screen.press("q")
        said = faults(screen, screen.wait(), 0, set())
    outcome.check(not said, f"after it hung: {said}")


def _left_while_it_hangs(
    agentview: CommandLine, set_pace: Callable[[str], None], outcome: Outcome
) -> None:
    """The terminal is given back at once. The process ends when the system lets its calls go."""
    with opened(agentview, ("tail", SESSION)) as screen:
        _wait_for_rest(screen)
        set_pace("hang")
        try:
            screen.run_for(5.0)
            screen.press("q")
            screen.wait_for(lambda _: _GIVEN_BACK in screen.output)
        finally:
            set_pace("0")
        said = faults(screen, screen.wait(), 0, set())
    outcome.check(not said, f"left while it hung: {said}")


def _wait_for_rest(screen: PseudoTerminal) -> None:
    """Wait until all is read: a session that is being opened waits for its file system."""
    screen.wait_for("60 commands")
    while share_at_rest(screen, 2.0, _REST) > _REST:
        pass


@contextmanager
def _mounted(folder: Path, root: Path) -> Generator[tuple[Path | None, Callable[[str], None]]]:
    """The folder as a file system whose pace can be set; None where there can be none."""
    mount, control = root / "mount", root / "pace"
    mount.mkdir()

    def set_pace(pace: str) -> None:
        fresh = control.with_suffix(".fresh")
        fresh.write_text(pace)
        fresh.replace(control)

    set_pace("0")
    command = [sys.executable, "-m", "tests.reliability.slow_files"]
    server = subprocess.Popen(
        [*command, str(folder), str(mount), str(control)], stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + PATIENCE
    while server.poll() is None and not mount.is_mount() and time.monotonic() < deadline:
        time.sleep(0.02)
    try:
        yield (mount if mount.is_mount() else None), set_pace
    finally:
        set_pace("0")
        if mount.is_mount():
            subprocess.run(["umount", "--lazy", str(mount)], check=False)
        server.terminate()
        server.wait()
