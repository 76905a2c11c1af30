"""Keys from the terminal one at a time, and lines where a text is asked for."""

import asyncio
import os
import signal
import sys
import termios
import tty
from typing import Self

_UP, _DOWN = "\x1b[A", "\x1b[B"
_ARROWS = {_UP: "k", _DOWN: "j", "\x1bOA": "k", "\x1bOB": "j"}
_ENDED = ""


class Keyboard:
    """Standard input as keys while the block runs; `available` is False without a terminal.

    The terminal does not echo keys. While a line is asked for it does, and edits it as usual.
    """

    def __init__(self) -> None:
        self.available = sys.stdin.isatty()
        self._fd = sys.stdin.fileno() if self.available else -1
        self._before = termios.tcgetattr(self._fd) if self.available else []
        self._keys: asyncio.Queue[str] = asyncio.Queue()
        self._line: asyncio.Future[str] | None = None

    def __enter__(self) -> Self:
        if self.available:
            loop = asyncio.get_running_loop()
            tty.setcbreak(self._fd)
            loop.add_reader(self._fd, self._read)
            # The shell has set the terminal as it needs it when the program is continued.
            loop.add_signal_handler(signal.SIGCONT, tty.setcbreak, self._fd)
        return self

    def __exit__(self, *_: object) -> None:
        if self.available:
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._fd)
            loop.remove_signal_handler(signal.SIGCONT)
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    async def key(self) -> str:
        """Return the next key; an arrow is `j` or `k`, the end of the input is an empty text."""
        return await self._keys.get()

    async def line(self) -> str:
        """Return a line that the person types and ends with enter."""
        typed = ""
        # Keys that came before the terminal knew that a line is asked for.
        while not self._keys.empty():
            key = self._keys.get_nowait()
            if key in "\r\n":
                sys.stdout.write(f"{typed}\n")
                return typed.strip()
            typed += key
        sys.stdout.write(typed)
        sys.stdout.flush()
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)
        self._line = asyncio.get_running_loop().create_future()
        try:
            return f"{typed}{await self._line}".strip()
        finally:
            self._line = None
            tty.setcbreak(self._fd)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, 4096)
        except OSError:
            data = b""
        text = data.decode("utf-8", "replace")
        if not data:
            asyncio.get_running_loop().remove_reader(self._fd)
            self._keys.put_nowait(_ENDED)
        if self._line is not None and not self._line.done():
            self._line.set_result(text.strip())
        elif text in _ARROWS:
            self._keys.put_nowait(_ARROWS[text])
        elif not text.startswith("\x1b"):
            for key in text:
                self._keys.put_nowait(key)
