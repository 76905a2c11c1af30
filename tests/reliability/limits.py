"""Limits of the system: few descriptors, little memory, no more processes, watches or space.

Each command either does its work, or says in a sentence what it lacks. What is followed is looked
at by the clock where the system announces nothing.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.claude_log import SESSION, ClaudeLog
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE
from tests.reliability.outcome import Outcome, Plan
from tests.reliability.signals import add, home_with_sessions

_COMMANDS: tuple[tuple[str, ...], ...] = (
    ("events", SESSION),
    ("cat", SESSION),
    ("search", "please", "--json"),
    ("export", SESSION, "--format", "markdown"),
    ("ls", "--json"),
    ("stats", "--json", SESSION),
    ("status", "--json"),
    ("doctor",),
)
_STEADY = ("events", "cat", "export")
"""Commands that print the same each time."""
_FATAL = (b"Traceback", b"Fatal Python error", b"Exception ignored")
_NOBODY = "54321"
"""A user id without processes, for the limit of these: it does not hold for root."""
_MB = 1 << 20
_LIMITS = {
    "64 descriptors": ("prlimit", "--nofile=64"),
    "24 descriptors": ("prlimit", "--nofile=24"),
    "600 MB of addresses": ("prlimit", f"--as={600 * _MB}"),
    "200 MB of addresses": ("prlimit", f"--as={200 * _MB}"),
    "60 MB of addresses": ("prlimit", f"--as={60 * _MB}"),
    "no file may grow": ("prlimit", "--fsize=0"),
}
_OF_PROCESSES = {
    f"{most} processes and threads": (
        "prlimit", f"--nproc={most}", "setpriv", f"--reuid={_NOBODY}", "--clear-groups",
    )
    for most in (1, 6)
}  # fmt: skip
_NO_WATCHES = {
    name: (
        "unshare", "--user", "--map-root-user", "sh", "-c",
        f'echo {most} > /proc/sys/user/{name} && exec "$@"', "sh",
    )
    for name, most in (("max_inotify_instances", 0), ("max_inotify_watches", 1))
}  # fmt: skip


class _Limited(CommandLine):
    """Runs commands behind a program that sets limits."""

    prefix: Sequence[str] = ()

    def command(self, *arguments: str) -> list[str]:
        return [*self.prefix, *super().command(*arguments)]


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for each limit."""
    home = home_with_sessions(root, plan.of(400, 60))
    plain = _Limited(home, home)
    tried = _COMMANDS[: plan.of(len(_COMMANDS), 3)]
    wanted = {command: _done(plain, command).stdout for command in tried}
    for name, prefix in _LIMITS.items():
        yield _under(name, _behind(plain, prefix), wanted)
    if os.geteuid() == 0:
        with _readable_home(home) as copy:
            other = _Limited(copy, copy)
            of_copy = {command: _done(other, command).stdout for command in tried}
            shutil.rmtree(copy / ".cache", ignore_errors=True)
            for name, prefix in _OF_PROCESSES.items():
                yield _under(name, _behind(other, prefix), of_copy)
        with _full_disk(root) as place:
            named = {f"AGENTVIEW_{each}_DIR": str(place) for each in ("CACHE", "STATE", "DATA")}
            yield _under("full disk for own files", replace(plain, env=named), wanted)
    for name, prefix in _NO_WATCHES.items():
        yield _followed(name, _behind(plain, prefix))


def _behind(plain: _Limited, prefix: Sequence[str]) -> _Limited:
    limited = _Limited(plain.home, plain.cwd)
    limited.prefix = prefix
    return limited


def _under(
    name: str,
    agentview: _Limited,
    wanted: Mapping[tuple[str, ...], bytes],
) -> Outcome:
    outcome = Outcome("limits", f"{name}: {len(wanted)} commands, the screen", unit="runs")
    with outcome.timed():
        for command, answer in wanted.items():
            outcome.check(*_answer(command, _done(agentview, command), answer))
        outcome.check(*_screen(agentview))
    return outcome


def _done(agentview: _Limited, command: Sequence[str]) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        agentview.command(*command),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        cwd=agentview.cwd,
        env=agentview.environment,
        timeout=PATIENCE * 2,
    )


def _answer(
    command: Sequence[str], done: "subprocess.CompletedProcess[bytes]", wanted: bytes
) -> tuple[bool, str]:
    """The full answer, or a sentence and a code above 0."""
    place = f"{' '.join(command)}: exit code {done.returncode}"
    if any(fatal in done.stderr + done.stdout for fatal in _FATAL):
        return False, f"{place}: {done.stderr[-900:].decode(errors='replace')}"
    if done.returncode == 0:
        # What the others print depends on limits and on the time.
        same = command[0] not in _STEADY or done.stdout == wanted
        return same, f"{place}, another answer: {len(done.stdout)} bytes, not {len(wanted)}"
    said = done.stderr.startswith(b"agentview: ") or command[0] == "doctor"
    return done.returncode > 0 and said, f"{place}: {done.stderr[-500:]!r}"


def _screen(agentview: _Limited) -> tuple[bool, str]:
    """The screen shows the end of a session and hears its keys, or ends with a sentence."""
    command = agentview.command("tail", SESSION)
    with PseudoTerminal(command, agentview.environment, agentview.cwd) as screen:
        try:
            screen.wait_for(lambda text: " is done." in text or b"agentview: " in screen.output)
            if " is done." in screen.text:
                screen.run_for(0.5)
                screen.press("g")
                screen.press("j")
                screen.press("q")
            code = screen.wait()
        except AssertionError as error:
            return False, f"screen: {error}"
        fatal = [each for each in _FATAL if each in screen.output]
    shown = b" is done." in screen.output
    holds = not fatal and (code == 0 if shown else code > 0)
    return holds, f"screen: exit code {code}, {screen.output[-900:].decode(errors='replace')}"


def _followed(name: str, agentview: _Limited) -> Outcome:
    """What is written is shown, though the system announces nothing."""
    outcome = Outcome("limits", f"no more of {name}: a followed session", unit="records")
    if _done(agentview, ("--version",)).returncode:
        outcome.note = "not tried: no user namespaces here"
        return outcome
    with outcome.timed():
        command = agentview.command("tail", SESSION)
        with PseudoTerminal(command, agentview.environment, agentview.cwd) as screen:
            screen.wait_for(" is done.")
            for number in range(3):
                words = f"Written without a watch, {name} {number}."
                add(agentview, [ClaudeLog(agent=f"{name}{number}").prompt(words)])
                outcome.check(words in screen.wait_for(words), words)
            screen.press("q")
            code = screen.wait()
        outcome.check(code == 0 and b"Traceback" not in screen.output, f"exit code {code}")
    return outcome


@contextmanager
def _readable_home(home: Path) -> Generator[Path]:
    """A copy of a home that anybody may use."""
    with tempfile.TemporaryDirectory(prefix="agentview-limits-") as folder:
        place = Path(folder)
        copy = Path(shutil.copytree(home, place / "home"))
        for path in (place, copy, *copy.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        yield copy


@contextmanager
def _full_disk(root: Path) -> Generator[Path]:
    """A file system without space."""
    place = root / "full"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "full", str(place)], check=True)
    try:
        with (place / "filler").open("wb", buffering=0) as file:
            try:
                while file.write(bytes(512)):
                    pass
            except OSError:
                pass
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
