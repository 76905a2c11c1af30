"""Follows a log on another machine: ssh runs `tail` there."""

import shlex
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import IO, cast

from agentview.domain.remote_place import Place
from agentview.errors import AgentViewError, NotFound, Unreadable
from agentview.sessions.fleet.ssh import WITHOUT_QUESTIONS, LastLine
from agentview.system import platforms
from agentview.timeline.view.sanitize import one_line

_NO_FILE = 66
_FOLLOW = 'exec tail -n +1 -F -- "$1"'
_CHECKED = f'test -f "$1" && test -r "$1" || exit {_NO_FILE}; {_FOLLOW}'
_PATIENCE = 5.0
"""Seconds that ssh has to terminate; then it is killed."""


def started(command: Sequence[str], *, piped: bool) -> subprocess.Popen[bytes]:
    """Start ssh, on this terminal or with pipes for what comes. Raises Unreadable."""
    end = subprocess.PIPE if piped else None
    given = subprocess.DEVNULL if piped else None
    try:
        return subprocess.Popen(command, bufsize=0, stdin=given, stdout=end, stderr=end)  # noqa: S603
    except FileNotFoundError as error:
        raise Unreadable("ssh is not installed.", "Install the client of OpenSSH.") from error


@contextmanager
def followed(
    place: Place, path: str, *, wait: bool = False, questions: bool = False
) -> Generator[int]:
    """Give the descriptor through which the log comes, once it does.

    Until then ssh may ask for a password on the terminal, with `questions`. A shell there gets the
    path as an argument: it is never a part of a command. Raises NotFound, Unreadable.
    """
    run = shlex.join(["sh", "-c", _FOLLOW if wait else _CHECKED, "sh", path])
    options = ("-T",) if questions else WITHOUT_QUESTIONS
    client = started([*place.command(*options), run], piped=True)
    output = cast("IO[bytes]", client.stdout)
    errors = LastLine(cast("IO[bytes]", client.stderr))
    try:
        platforms.readable(output.fileno(), None)
        if platforms.has_ended(output.fileno()):
            raise _failure(place, path, errors.text(_PATIENCE), client.wait())
        yield output.fileno()
    finally:
        client.terminate()
        try:
            client.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            client.kill()
            client.wait()


def _failure(place: Place, path: str, said: str, code: int) -> AgentViewError:
    if code == _NO_FILE:
        return NotFound(
            f"There is no file {one_line(path, 200)} on {place.host}, or you may not read it.",
            "With --wait it is waited for.",
        )
    text = said or f"exit {code}"
    return Unreadable(f"ssh says: {text.rstrip('.')}.", f"Try 'ssh {place.host}'.")
