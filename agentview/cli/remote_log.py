"""Follows a log on another machine: ssh runs `tail` there, or agentview itself."""

import argparse
import re
import shlex
import subprocess
import threading
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import IO, cast
from urllib.parse import unquote

from agentview.cli.launch_ui import require_terminal
from agentview.cli.stdin_session import refuse_tee, show_pipe
from agentview.domain.value import Value
from agentview.errors import AgentViewError, NotFound, Unreadable, UsageError
from agentview.sessions.targets.log_file import SSH
from agentview.system import platforms
from agentview.timeline.view.sanitize import one_line

_PLACE = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@)?"
    r"(?P<host>[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?\])"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>/.*)?\Z"
)
"""No name may begin with what begins an option, nor have what a shell or ssh would expand."""
_OPTIONS = ("-a", "-x")
"""Forward neither keys nor windows."""
_NO_FILE = 66
_NO_COMMAND = 127
_NO_CONNECTION = 255
_FOLLOW = 'exec tail -n +1 -F -- "$1"'
_CHECKED = f'test -f "$1" && test -r "$1" || exit {_NO_FILE}; {_FOLLOW}'
_PATIENCE = 5.0
"""Seconds that ssh has to terminate; then it is killed."""


class Place(Value):
    """A log on another machine."""

    host: str
    user: str | None = None
    port: str | None = None
    path: str | None = None
    """Absolute, or from the home directory on; None where only the machine is named."""

    def command(self, *options: str) -> list[str]:
        """Return the command of ssh up to what is to run there: all names stand behind `--`."""
        port = () if self.port is None else ("-p", self.port)
        name = self.host if self.user is None else f"{self.user}@{self.host}"
        return ["ssh", *_OPTIONS, *options, *port, "--", name]


def parse_place(target: str) -> Place:
    """Return the place of `ssh://[USER@]HOST[:PORT][/PATH]`; `/~/` is the home directory.

    Raises UsageError.
    """
    found = _PLACE.match(target.removeprefix(SSH))
    path = None if found is None else unquote(found["path"] or "")
    if found is None or path is None or any(ord(char) < 32 or ord(char) == 127 for char in path):
        raise UsageError(
            f"{one_line(target, 80)} names no log on another machine.",
            "The form is ssh://[USER@]HOST[:PORT]/PATH.",
        )
    if path.startswith("/~/"):
        path = f"./{path[3:]}"
    host = found["host"].strip("[]")
    return Place(host, found["user"], found["port"], path if path not in ("", "/") else None)


def show_remote(target: str, options: argparse.Namespace) -> int:
    """Follow a log on another machine until the person leaves.

    Raises UsageError, NotFound for a file that is not there, Unreadable where ssh fails.
    """
    if options.tee:
        refuse_tee()
    place = parse_place(target)
    require_terminal()
    if place.path is None:
        return _run_there(place)
    with _followed(place, place.path, wait=options.wait) as pipe:
        return show_pipe(pipe, options)


def _run_there(place: Place) -> int:
    """Run agentview on the other machine, on this terminal."""
    code = _started([*place.command("-t"), "agentview tail"], piped=False).wait()
    if code == _NO_COMMAND:
        raise NotFound(
            f"agentview is not installed on {place.host}.",
            f"Give the path of a log: {SSH}{place.host}/PATH.",
        )
    if code == _NO_CONNECTION:
        raise Unreadable(f"ssh has no connection to {place.host}.")
    return code


def _started(command: Sequence[str], *, piped: bool) -> subprocess.Popen[bytes]:
    """Start ssh, on this terminal or with pipes for what comes."""
    end = subprocess.PIPE if piped else None
    given = subprocess.DEVNULL if piped else None
    try:
        return subprocess.Popen(command, bufsize=0, stdin=given, stdout=end, stderr=end)  # noqa: S603
    except FileNotFoundError as error:
        raise Unreadable("ssh is not installed.", "Install the client of OpenSSH.") from error


@contextmanager
def _followed(place: Place, path: str, *, wait: bool) -> Generator[int]:
    """Give the descriptor through which the log comes, once it does.

    Until then ssh may ask for a password on the terminal. A shell there gets the path as an
    argument: it is never a part of a command.
    """
    run = shlex.join(["sh", "-c", _FOLLOW if wait else _CHECKED, "sh", path])
    client = _started([*place.command("-T"), run], piped=True)
    output, errors = cast("IO[bytes]", client.stdout), cast("IO[bytes]", client.stderr)
    said: deque[bytes] = deque(maxlen=1)
    listener = threading.Thread(target=_listen, args=(errors, said), daemon=True)
    listener.start()
    try:
        platforms.readable(output.fileno(), None)
        if platforms.has_ended(output.fileno()):
            listener.join(_PATIENCE)
            raise _failure(place, path, client.wait(), said)
        yield output.fileno()
    finally:
        client.terminate()
        try:
            client.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            client.kill()
            client.wait()


def _failure(place: Place, path: str, code: int, said: deque[bytes]) -> AgentViewError:
    if code == _NO_FILE:
        return NotFound(
            f"There is no file {one_line(path, 200)} on {place.host}, or you may not read it.",
            "With --wait it is waited for.",
        )
    text = one_line(said[0].decode("utf-8", "replace").strip(), 200) if said else f"exit {code}"
    return Unreadable(f"ssh says: {text.rstrip('.')}.", f"Try 'ssh {place.host}'.")


def _listen(stream: IO[bytes], said: deque[bytes]) -> None:
    """Keep the last line of what ssh and `tail` say, so that it does not get onto the screen."""
    while line := stream.readline(4096):
        if line.strip():
            said.append(line)
