"""A terminal without a window: runs a program in a real pty, tells frames apart and times them."""

import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from benchmarks.process import children_of, cpu_of, cpu_of_tree

COLUMNS, LINES = 120, 40

_BEGIN, _END = b"\x1b[?2026h", b"\x1b[?2026l"
"""Around each frame, once the terminal said that it knows synchronized updates."""
_ASKED = b"\x1b[?2026$p"
_ANSWER = b"\x1b[?2026;2$y"
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_READ = 1 << 16
_KEPT = 1 << 20
_RESTING = 0.02
"""Part of a core below which a program is at rest."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a program drew at once, and when the last byte of it came."""

    at: float
    data: bytes

    @property
    def text(self) -> str:
        """Without escape sequences."""
        return _ESCAPES.sub(b" ", self.data).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Press:
    """What a key cost: seconds until its last frame, frames and their bytes, seconds of CPU."""

    wall: float
    frames: int
    cpu: float
    size: int = 0


class GoneError(RuntimeError):
    """The program ended, or did not do within the time what was waited for."""


class Terminal:
    """One program in a pty of its own; a context manager that ends it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        size: tuple[int, int] = (COLUMNS, LINES),
        environment: Mapping[str, str] | None = None,
        on_bytes: Callable[[bytes], None] | None = None,
        keep: Sequence[int] = (),
    ) -> None:
        self._on_bytes = on_bytes
        self._buffer = bytearray()
        self._seen = bytearray()
        self.frames: list[Frame] = []
        self.received = 0
        self.started = time.perf_counter()
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            _become(command, environment or {}, keep)
        self.resize(*size)
        os.set_blocking(self._master, False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def kill(self) -> None:
        """End the program and its children at once; what they would do at their end is not done."""
        # Where it was waited for already, another process may have its number.
        with suppress(ChildProcessError):
            if not os.waitpid(self.pid, os.WNOHANG)[0]:
                for pid in (*children_of(self.pid), self.pid):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
        os.close(self._master)

    @property
    def screened(self) -> bytes:
        """What was drawn since a marker was last found, at most the last megabyte of it."""
        return bytes(self._seen)

    def resize(self, columns: int, lines: int) -> None:
        """Give the terminal another size, and tell the program."""
        packed = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, packed)
        if self.received:
            os.kill(self.pid, signal.SIGWINCH)

    def send(self, data: bytes) -> float:
        """Type; gives when."""
        now = time.perf_counter()
        while data:
            try:
                data = data[os.write(self._master, data) :]
            except BlockingIOError:
                self._read(0.01)
        return now

    def wait_for(self, marker: bytes, timeout: float = 60.0) -> float:
        """When the marker came; looked for in what was not looked at before.

        Raises GoneError when it does not come.
        """
        deadline = time.perf_counter() + timeout
        while marker not in self._seen:
            if time.perf_counter() > deadline:
                raise GoneError(f"no {marker!r} within {timeout} s")
            self._read(0.05)
        now = time.perf_counter()
        self._seen.clear()
        return now

    def run_for(self, seconds: float) -> None:
        """Read what the program draws for some time."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            self._read(left)

    def settle(self, quiet: float = 0.15, timeout: float = 20.0) -> bool:
        """Read until nothing is drawn for some time; False when it never is."""
        deadline = time.perf_counter() + timeout
        last, since = self.received, time.perf_counter()
        while time.perf_counter() < deadline:
            self._read(0.01)
            if self.received != last:
                last, since = self.received, time.perf_counter()
            elif time.perf_counter() - since > quiet:
                return True
        return False

    def rest(self, quiet: float = 0.3, timeout: float = 20.0) -> bool:
        """Read until the program and its children use no CPU for some time; False when they do.

        What is imported and read behind the first frame is over then.
        """
        deadline = time.perf_counter() + timeout
        while time.perf_counter() < deadline:
            before = cpu_of_tree(self.pid)
            self.run_for(quiet)
            if cpu_of_tree(self.pid) - before < _RESTING * quiet:
                return True
        return False

    def press(self, key: bytes, quiet: float = 0.04, timeout: float = 2.0, least: int = 0) -> Press:
        """Type a key and wait for its frames, and that no more come for `quiet` seconds.

        Frames of less than `least` bytes are of something else than the key.
        """
        self.frames.clear()
        before = cpu_of(self.pid)
        sent = self.send(key)
        frames: list[Frame] = []
        while True:
            self._read(0.002)
            now = time.perf_counter()
            frames = [frame for frame in self.frames if len(frame.data) >= least]
            if (frames and now - frames[-1].at >= quiet) or now - sent > timeout:
                break
        last = frames[-1].at if frames else sent
        size = sum(len(frame.data) for frame in frames)
        return Press(last - sent, len(frames), cpu_of(self.pid) - before, size)

    def _read(self, timeout: float) -> None:
        """Read what there is, waiting for it at most so long. Raises GoneError at the end."""
        ready, _, _ = select.select([self._master], [], [], timeout)
        if not ready:
            return
        try:
            data = os.read(self._master, _READ)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno == errno.EIO:
                raise GoneError("the program ended") from error
            raise
        if not data:
            raise GoneError("the program ended")
        self._take(data)

    def _take(self, data: bytes) -> None:
        self.received += len(data)
        if _ASKED in data:
            os.write(self._master, _ANSWER)
        if self._on_bytes is not None:
            self._on_bytes(data)
        self._seen += data
        del self._seen[:-_KEPT]
        self._buffer += data
        now = time.perf_counter()
        while (end := self._buffer.find(_END)) >= 0:
            begin = max(self._buffer.find(_BEGIN, 0, end), 0)
            self.frames.append(Frame(now, bytes(self._buffer[begin:end])))
            del self._buffer[: end + len(_END)]


def _become(command: Sequence[str], environment: Mapping[str, str], keep: Sequence[int]) -> None:
    """Turn this process, freshly forked, into the program."""
    for descriptor in keep:
        os.set_inheritable(descriptor, True)
    variables = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        variables.pop(name, None)
    try:
        os.execvpe(command[0], list(command), variables)  # noqa: S606
    finally:
        os._exit(127)
