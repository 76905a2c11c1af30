"""Has the program do what signals and the end of its terminal ask for: go, stop, continue."""

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

from textual.app import App, SuspendNotSupported

# Windows has no signals that an event loop hears.
_SIGNALS = (
    ()
    if sys.platform == "win32"
    else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
)

_PATIENCE = 3.0
"""Seconds to go in order after the terminal is gone."""


@contextmanager
def signals_held() -> Generator[None]:
    """Let signals wait in the block until `end_on_signals` takes them, or for the end of it.

    While a Textual application begins it drops Ctrl-C; any other signal would leave the terminal
    as the screen needs it.
    """
    if sys.platform == "win32":
        yield
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


def end_on_signals(app: App[Any]) -> None:
    """End `app` on a signal, with the exit code that a shell gives for it.

    Left to the signal, the terminal would stay as the screen needs it, and helpers would continue.
    """
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, lambda code=128 + number: app.exit(return_code=code))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)


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

    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, resume)


def can_be_continued() -> bool:
    """Return True if the process has a shell that would let it continue after a stop."""
    if sys.platform == "win32":
        return False
    shell = os.getppid()
    try:
        return os.getsid(shell) == os.getsid(0) and os.getpgid(shell) != os.getpgid(0)
    except ProcessLookupError:
        return False


@contextmanager
def left_as_it_was(terminal: int) -> Generator[None]:
    """Set a terminal, a file descriptor, to what it was before the block where that is broken off.

    Textual does so at its end, but not where its threads cannot be started.
    """
    if sys.platform == "win32":
        yield
        return
    import termios

    before = termios.tcgetattr(terminal)
    try:
        yield
    except BaseException:
        termios.tcsetattr(terminal, termios.TCSANOW, before)
        raise


@contextmanager
def ending_with(terminal: int) -> Generator[None]:
    """In the block, end the process soon after `terminal`, a file descriptor, hangs up.

    The event loop hears of that by a signal. But it hears nothing while it waits for room to paint
    in, which a terminal that is gone never gives.
    """
    over = threading.Event()

    def watch() -> None:
        poll = select.poll()
        poll.register(terminal, 0)
        # Where terminals cannot be polled it says so at once.
        ((_, what),) = poll.poll()
        if what & select.POLLHUP and not over.wait(_PATIENCE):
            os._exit(128 + signal.SIGHUP)

    threading.Thread(target=watch, name="terminal-watch", daemon=True).start()
    try:
        yield
    finally:
        over.set()
