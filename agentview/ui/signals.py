"""Has the program do what signals and the end of its terminal ask for: go, stop, continue."""

import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

from textual.app import App, SuspendNotSupported

from agentview.system import platforms

_PATIENCE = 3.0
"""Seconds to go in order after the terminal is gone."""
_WAITING = 10.0
"""Seconds to go in order after the screen is gone."""


@contextmanager
def signals_held() -> Generator[None]:
    """Let signals wait in the block until `end_on_signals` takes them, or for the end of it.

    While a Textual application begins it drops Ctrl-C; any other signal would leave the terminal
    as the screen needs it.
    """
    platforms.hold_signals()
    try:
        yield
    finally:
        platforms.release_signals()


def end_on_signals(app: App[Any]) -> None:
    """End `app` on a signal, with the exit code that a shell gives for it.

    Left to the signal, the terminal would stay as the screen needs it, and helpers would continue.
    """
    for number in platforms.ENDING_SIGNALS:
        platforms.on_signal(number, lambda code=128 + number: app.exit(return_code=code))
    platforms.release_signals()


def resume_on_signal(app: App[Any], ends: Callable[[], bool]) -> None:
    """Set the terminal up again when the process gets the signal to continue, unless it `ends`.

    A terminal that goes away sends that signal too. A process that gives the terminal back just
    then would begin to read keys again, and never end.

    Textual expects to have given the terminal back before. After a stop that no process hears it
    would set the terminal up over itself: what to restore is lost, and a thread for keys stays.
    Without a terminal, as under a test or in a browser, there is nothing to set up.
    """

    def resume() -> None:
        if ends():
            return
        with suppress(SuspendNotSupported), app.suspend():
            pass
        app.refresh(layout=True)

    platforms.on_continue(resume)


@contextmanager
def ending_with(terminal: int) -> Generator[Callable[[int], None]]:
    """In the block, end the process soon after `terminal`, a file descriptor, hangs up.

    The event loop hears of that by a signal. But it hears nothing while it waits for room to paint
    in, which a terminal that is gone never gives.

    Gives a function to call with the exit code once the screen is gone: then the block has some
    seconds to end. Threads may wait for a file system that never answers.
    """
    over = threading.Event()

    def watch() -> None:
        if platforms.wait_for_hangup(terminal) and not over.wait(_PATIENCE):
            os._exit(platforms.HANGUP_CODE)

    def left(code: int) -> None:
        def wait() -> None:
            if not over.wait(_WAITING):
                os._exit(code)

        threading.Thread(target=wait, name="end-watch", daemon=True).start()

    threading.Thread(target=watch, name="terminal-watch", daemon=True).start()
    try:
        yield left
    finally:
        over.set()
