"""Keys from the terminal one at a time, and lines where a text is asked for."""

import asyncio
import sys
from typing import Self

from agentview.system.platforms import TerminalKeys

_UP, _DOWN = "\x1b[A", "\x1b[B"
_ARROWS = {_UP: "k", _DOWN: "j", "\x1bOA": "k", "\x1bOB": "j"}
_ENDED = ""


class Keyboard:
    """Standard input as keys while the block runs; `available` is False without a terminal.

    The terminal does not echo keys. While a line is asked for it does, and edits it as usual.
    """

    def __init__(self) -> None:
        self.available = sys.stdin.isatty()
        self._keys: asyncio.Queue[str] = asyncio.Queue()
        self._line: asyncio.Future[str] | None = None
        self._terminal: TerminalKeys | None = None

    def __enter__(self) -> Self:
        if self.available:
            self._terminal = TerminalKeys(sys.stdin.fileno(), self._take)
            self._terminal.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._terminal is not None:
            self._terminal.stop()

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
        if self._terminal is None:
            return typed.strip()
        self._terminal.by_line()
        self._line = asyncio.get_running_loop().create_future()
        try:
            return f"{typed}{await self._line}".strip()
        finally:
            self._line = None
            self._terminal.by_key()

    def _take(self, text: str) -> None:
        if not text:
            self._keys.put_nowait(_ENDED)
        if self._line is not None and not self._line.done():
            self._line.set_result(text.strip())
        elif text in _ARROWS:
            self._keys.put_nowait(_ARROWS[text])
        elif not text.startswith("\x1b"):
            for key in text:
                self._keys.put_nowait(key)
