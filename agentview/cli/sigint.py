"""Holds Ctrl-C back where the interpreter cannot be interrupted cleanly."""

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager


class CtrlC:
    """Whether Ctrl-C was pressed, and what that is to do."""

    def __init__(self) -> None:
        self.pressed = False
        self._then: Callable[[], object] | None = None

    def press(self, *_: object) -> None:
        """Take the signal. Raises KeyboardInterrupt the second time: then a person insists."""
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
        if self._then is not None:
            self._then()

    def on_press(self, then: Callable[[], object]) -> None:
        """Call `then` when it is pressed; at once when it was."""
        self._then = then
        if self.pressed:
            then()


@contextmanager
def held() -> Generator[CtrlC]:
    """Let Ctrl-C interrupt nothing in the block; what came meanwhile raises KeyboardInterrupt then.

    Where Ctrl-C is ignored, as in the background of a script, it still is.
    """
    ctrl_c = CtrlC()
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        yield ctrl_c
        return
    signal.signal(signal.SIGINT, ctrl_c.press)
    try:
        yield ctrl_c
    finally:
        signal.signal(signal.SIGINT, before)
        if ctrl_c.pressed:
            raise KeyboardInterrupt
