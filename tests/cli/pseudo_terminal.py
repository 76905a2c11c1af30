"""A terminal that a test holds: it reads the screen of the command in it and presses keys."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pyte
from rich.cells import cell_len

from tests.patience import PATIENCE


def rows_of(screen: Any) -> list[str]:
    """The rows of a screen of pyte, also where half of a wide character was painted over."""
    rows: list[str] = []
    for y in range(screen.lines):
        line = screen.buffer[y]
        cells: list[str] = [line[x].data for x in range(screen.columns)]
        for x in [x for x, cell in enumerate(cells) if not cell]:
            if not x or cell_len(cells[x - 1]) != 2:
                cells[x] = " "
        rows.append("".join(cells))
    return rows


class PseudoTerminal:
    """Runs `command` in a terminal of `columns` by `rows` cells until the end of the block."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        *,
        columns: int = 100,
        rows: int = 30,
        stdin: int | None = None,
        sized: bool = True,
        screen: bool = True,
    ) -> None:
        """A terminal that is not `sized` does not tell how large it is.

        Without `screen` only the output is kept: there is no text to look at.
        """
        self._shows = screen
        self._screen: Any = pyte.Screen(columns, rows)
        self._stream: Any = pyte.ByteStream(self._screen)
        self.output = bytearray()
        self.code: int | None = None
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            if stdin is not None:
                os.dup2(stdin, 0)
            os.execvpe(command[0], list(command), {**env, "TERM": "xterm-256color"})  # noqa: S606
        if sized:
            self._set_size(columns, rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if self._fd >= 0:
            os.close(self._fd)

    @property
    def screen(self) -> Any:
        """The screen of pyte: its cells with their colours."""
        return self._screen

    @property
    def text(self) -> str:
        """What is on the screen, its rows with a newline between them."""
        return "\n".join(row.rstrip() for row in rows_of(self._screen))

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a window does."""
        self._screen.resize(rows, columns)
        self._set_size(columns, rows)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys: str) -> None:
        """Type keys as a terminal sends them."""
        os.write(self._fd, keys.encode())

    def wait_for(self, found: str | Callable[[str], bool]) -> str:
        """Read until the text is on the screen, or the test of the screen is met.

        The test is asked again also when nothing comes: it may look at more than the screen.
        """
        deadline = time.monotonic() + PATIENCE
        while not (found in self.text if isinstance(found, str) else found(self.text)):
            in_time = self._read(time.monotonic() + 0.1) and time.monotonic() < deadline
            assert in_time, f"{found!r} did not come; on the screen:\n{self.text}"
        return self.text

    def run_for(self, seconds: float) -> None:
        """Read what comes in this time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._read(deadline):
            pass

    def wait(self, patience: float = PATIENCE) -> int:
        """Read to the end of the command, `patience` seconds at most; gives its exit code."""
        deadline = time.monotonic() + patience
        while self._read(deadline):
            assert time.monotonic() < deadline, f"it goes on; on the screen:\n{self.text}"
        return self._ended(deadline)

    def hang_up(self) -> int:
        """Take the terminal away from the command; gives its exit code."""
        os.close(self._fd)
        self._fd = -1
        return self._ended(time.monotonic() + PATIENCE)

    def _ended(self, deadline: float) -> int:
        ended, status = 0, 0
        while not ended:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            assert ended or time.monotonic() < deadline, f"it does not end:\n{self.text}"
            time.sleep(0.01)
        self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def _read(self, deadline: float) -> bool:
        """Read what comes until the deadline; False when nothing more can come."""
        ready, _, _ = select.select([self._fd], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return True
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            return False
        self.output += data
        if self._shows:
            self._stream.feed(data)
        return bool(data)
