"""Asks agentview on another machine, through the client of ssh."""

import os
import queue
import re
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import IO, NoReturn, TypeVar, cast

import msgspec

import agentview
from agentview.errors import AgentViewError
from agentview.sessions.fleet.hosts import Host
from agentview.sessions.fleet.protocol import (
    HEADER,
    HELLO,
    Answer,
    Done,
    Failed,
    Hello,
    ProtocolError,
    Request,
    Waiting,
    is_understood,
    length_of,
    packed,
    unpacked_answer,
)
from agentview.sessions.fleet.ssh import CONNECT, WITHOUT_QUESTIONS, LastLine
from agentview.system import platforms
from agentview.timeline.view.sanitize import one_line

_PROGRAM = "agentview"
_RUN = 'PATH="$PATH:$HOME/.local/bin"; exec "$1" serve --stdio'
"""A login that is not interactive need not have the directory of the person's own programs."""
_STOP = 0.1
"""Seconds between two looks whether answers are still wanted."""
_NO_COMMAND = (126, 127)
_NO_CONNECTION = 255
_WRONG_USAGE = 2
_MOST_BEFORE = 64 * 1024
"""Bytes that a login may print before the first message."""
_LONGEST = 200


class Patience:
    """Seconds without a message after which a machine hangs."""

    before_hello = 20.0
    between = 10.0


class HostFailure(AgentViewError):  # noqa: N818  (reads as the sentence it stands for)
    """A machine that cannot be asked; the message begins with its name."""


def answers_of(
    host: Host, request: Request, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Answer]:
    """Answers of a machine until it has no more, or `stopped` says so; for a thread.

    Raises HostFailure.
    """
    client = _Client(host)
    try:
        if not client.say_hello(stopped, request):
            return
        client.ask(request)
        while not stopped():
            answer = client.next_answer(stopped)
            match answer:
                case None | Done():
                    return
                case Waiting():
                    pass
                case Failed():
                    raise failure(host, one_line(answer.message, _LONGEST), answer.hint)
                case _:
                    yield answer
    except ProtocolError as error:
        raise failure(host, error.message) from error
    finally:
        client.close()


def failure(host: Host, sentence: str, hint: str | None = None) -> HostFailure:
    """The error that says what is the matter with a machine."""
    hint = None if hint is None else one_line(hint, _LONGEST)
    return HostFailure(f"{host.name}: {sentence.rstrip('.')}.", hint)


Read = TypeVar("Read")


def all_answers(
    hosts: Sequence[Host],
    request: Request,
    read: Callable[[Answer, Host], Read],
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Host, Read | HostFailure]]:
    """Answers of several machines as they come, and the failure of each that fails.

    `read` makes something of an answer; it may raise ProtocolError. No more come soon after
    `stopped` says so.
    """
    found: queue.Queue[tuple[Host, Read | HostFailure | None]] = queue.Queue()
    left = threading.Event()

    def ask(host: Host) -> None:
        try:
            for answer in answers_of(host, request, lambda: left.is_set() or stopped()):
                found.put((host, read(answer, host)))
        except HostFailure as error:
            found.put((host, error))
        except ProtocolError as error:
            found.put((host, failure(host, error.message)))
        finally:
            found.put((host, None))

    for host in hosts:
        threading.Thread(target=ask, args=(host,), daemon=True).start()
    try:
        open_ones = len(hosts)
        while open_ones:
            host, answer = found.get()
            if answer is None:
                open_ones -= 1
            else:
                yield host, answer
    finally:
        left.set()


class _Client:
    """The client of ssh, and what it gives. All methods raise HostFailure."""

    def __init__(self, host: Host) -> None:
        self._host = host
        program = host.place.path or _PROGRAM
        run = shlex.join(["sh", "-c", _RUN, "sh", program])
        try:
            self._process = subprocess.Popen(  # noqa: S603
                [*host.place.command(*WITHOUT_QUESTIONS), run],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise failure(host, "ssh is not installed") from error
        self._output = cast("IO[bytes]", self._process.stdout).fileno()
        self._errors = LastLine(cast("IO[bytes]", self._process.stderr))

    def say_hello(self, stopped: Callable[[], bool], request: Request) -> bool:
        """Read what agentview there is; what a login prints before that is left out.

        False once nobody wants the answer.
        """
        seen = bytearray()
        deadline = time.monotonic() + Patience.before_hello
        while (line := _hello_in(seen)) is None:
            if len(seen) > _MOST_BEFORE:
                raise failure(self._host, "what it sent is not a message of agentview")
            # Byte by byte: what comes next is not for this reader.
            part = self._read_some(1, deadline, stopped)
            if part is None:
                return False
            if not part:
                self._raise_ended()
            seen += part
        try:
            hello = msgspec.json.decode(line, type=Hello)
        except ValueError as error:
            raise failure(self._host, "what it sent is not a message of agentview") from error
        if not is_understood(hello, request):
            there, here = one_line(hello.agentview, 40), agentview.__version__
            raise failure(
                self._host,
                f"its agentview {there} speaks another protocol than agentview {here} here",
                update_sentence(there, here),
            )
        return True

    def ask(self, request: Request) -> None:
        try:
            os.write(cast("IO[bytes]", self._process.stdin).fileno(), packed(request))
        except OSError:
            self._raise_ended()

    def next_answer(self, stopped: Callable[[], bool]) -> Answer | None:
        """The next answer; None once nobody wants it."""
        header = self._read(HEADER, stopped)
        body = None if header is None else self._read(length_of(header), stopped)
        return None if body is None else unpacked_answer(body)

    def close(self) -> None:
        """End ssh, and with it agentview there."""
        cast("IO[bytes]", self._process.stdin).close()
        self._process.kill()
        self._process.wait()
        cast("IO[bytes]", self._process.stdout).close()

    def _read(self, length: int, stopped: Callable[[], bool]) -> bytes | None:
        parts: list[bytes] = []
        while length > 0:
            deadline = time.monotonic() + Patience.between
            part = self._read_some(length, deadline, stopped)
            if part is None:
                return None
            if not part:
                self._raise_ended()
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _read_some(self, length: int, deadline: float, stopped: Callable[[], bool]) -> bytes | None:
        """Bytes that have come, none at the end of them; None once nobody wants them."""
        while not platforms.readable(self._output, _STOP):
            if stopped():
                return None
            if time.monotonic() > deadline:
                raise failure(self._host, "it does not answer", f"Try '{self._ssh} true'.")
        return os.read(self._output, length)

    def _raise_ended(self) -> NoReturn:
        try:
            code = self._process.wait(CONNECT)
        except subprocess.TimeoutExpired:
            code = None
        said = self._errors.text(_STOP).removeprefix("ssh: ")
        if code == _NO_CONNECTION:
            raise failure(self._host, f"ssh says: {said or 'no connection'}", f"Try '{self._ssh}'.")
        if code in _NO_COMMAND:
            raise failure(
                self._host,
                "agentview is not installed there, or not on its PATH",
                f'Settings can name it: hosts.NAME = "{self._host.place.machine}/~/bin/agentview".',
            )
        if code == _WRONG_USAGE:
            raise failure(
                self._host,
                "its agentview is too old to be asked",
                f"Install agentview {agentview.__version__} there.",
            )
        raise failure(self._host, f"the connection ended{f': {said}' if said else ''}")

    @property
    def _ssh(self) -> str:
        place = self._host.place
        return f"ssh {place.login}" if place.port is None else f"ssh -p {place.port} {place.login}"


def update_sentence(there: str, here: str) -> str:
    """The sentence that says on which machine the older of two versions is to be replaced."""
    one, other = ([int(part) for part in re.findall(r"\d+", each)] for each in (there, here))
    if one == other:
        return "Install the same version on both machines."
    return f"Install agentview {here} there." if one < other else f"Install agentview {there} here."


def _hello_in(seen: bytes | bytearray) -> bytes | None:
    """The line that begins the messages, once all of it has come."""
    start = 0 if seen.startswith(HELLO) else seen.find(b"\n" + HELLO) + 1
    if not seen.startswith(HELLO, start):
        return None
    end = seen.find(b"\n", start)
    return bytes(seen[start:end]) if end >= 0 else None
