"""How far a long piece of work is, on standard error where that is a terminal."""

import sys
import time
from contextlib import ExitStack
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self

from agentview.system.progress import heard_by
from agentview.timeline.view.sanitize import one_line

_AFTER = 0.7
"""Seconds before anything is said: most work is done by then."""
_STEP = 0.1


class Progress:
    """One line that is written over and is gone at the end, also when the work is broken off.

    What is said is written after a while, even if the work then says nothing more for long.
    """

    def __init__(self) -> None:
        self._heard = sys.stderr.isatty()
        self._text: str | None = None
        self._shown: str | None = None
        self._writing = Lock()
        self._ended = Event()
        self._listening = ExitStack()
        self._due = time.monotonic() + _AFTER

    def __enter__(self) -> Self:
        """Itself, which hears what the work says from now on."""
        if self._heard:
            self._listening.enter_context(heard_by(self.say))
            Thread(target=self._write_now_and_then, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        self._listening.close()
        self._ended.set()
        self.hide()

    def hide(self) -> None:
        with self._writing:
            self._text = None
            if self._shown is not None:
                self._shown = None
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()

    def say(self, text: str) -> None:
        self._text = text

    def _write_now_and_then(self) -> None:
        while not self._ended.wait(_STEP):
            with self._writing:
                text = self._text
                if text is not None and text != self._shown and time.monotonic() > self._due:
                    self._shown = text
                    sys.stderr.write(f"\r{one_line(text)}\x1b[K")
                    sys.stderr.flush()
