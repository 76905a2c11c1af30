"""How far a long piece of work is, on standard error where that is a terminal."""

import sys
import time
from types import TracebackType
from typing import Self

_AFTER = 0.5
"""Seconds in which most work is done."""
_STEP = 0.1


class Progress:
    """One line that is written over and is gone at the end, also when the work is broken off."""

    def __init__(self, after: float = _AFTER) -> None:
        """`after` are the seconds before anything is said."""
        self._shown = False
        self._next = time.monotonic() + after
        self._heard = sys.stderr.isatty()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        self.hide()

    def hide(self) -> None:
        """Take the line away until there is more to say: something is to be printed."""
        if self._shown:
            self._shown = False
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def say(self, text: str) -> None:
        """Show where the work is, unless the last word is too fresh."""
        if not self._heard or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _STEP
        self._shown = True
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()
