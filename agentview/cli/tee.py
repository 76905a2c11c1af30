"""Passes piped input on to standard output, unchanged, while the screen is the terminal's."""

import os
import queue
import sys
import threading
from collections.abc import Iterator

from agentview.errors import UsageError
from agentview.system import platforms

_READ_SIZE = 256 * 1024
_PAUSE = 0.2


class Tee:
    """Writes to a descriptor in a thread of its own: a slow reader must not hold the screen.

    `write` keeps the order of what it is given. Once the reader has gone, the rest is dropped.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._gone = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def write(self, piece: bytes) -> None:
        """Pass a piece on; raises BrokenPipeError when nobody reads any more."""
        if self._gone.is_set():
            raise BrokenPipeError
        if piece:
            self._pieces.put(piece)

    def pump(self, source: int) -> None:
        """Pass on what is still to come from a descriptor, until it ends or nobody reads."""
        for piece in _rest(source, self._gone):
            self.write(piece)

    def close(self, patience: float | None = None) -> None:
        """Return once all is written; the reader sees the end then.

        With `patience`, in seconds, what is not written by then may be lost.
        """
        self._pieces.put(b"")
        self._thread.join(patience)
        if not self._thread.is_alive():
            os.close(self._descriptor)

    def _run(self) -> None:
        while piece := self._pieces.get():
            view = memoryview(piece)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                self._gone.set()
                return


def _rest(source: int, gone: threading.Event) -> Iterator[bytes]:
    while not gone.is_set():
        if platforms.readable(source, _PAUSE):
            piece = os.read(source, _READ_SIZE)
            if not piece:
                return
            yield piece


def take_output() -> Tee:
    """Give what passes bytes on to standard output, and let the screen be the terminal's.

    Raises UsageError when standard output is the terminal, or when there is none for the screen.
    """
    if sys.stdout.isatty():
        raise UsageError(
            "With --tee the input is passed on to standard output, which is this terminal.",
            "Pipe it on: '… | agentview tail - --tee | next', or leave out --tee.",
        )
    try:
        terminal = platforms.open_terminal()
    except OSError as error:
        raise UsageError(
            "No terminal to show the screen on.", "Use 'tee' and 'agentview events -'."
        ) from error
    output = os.dup(1)
    os.dup2(terminal, 1)
    if not sys.stderr.isatty():
        os.dup2(terminal, 2)
    os.close(terminal)
    return Tee(output)
