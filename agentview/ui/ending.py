"""Has the program go in order when it is asked to by a signal, and go when its terminal is gone."""

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from textual.app import App

# Windows has no signals that an event loop hears.
_SIGNALS = () if sys.platform == "win32" else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_PATIENCE = 3.0
"""Seconds to go in order after the terminal is gone."""


def end_on_signals(app: App[Any]) -> None:
    """End `app` on a signal, with the exit code that a shell gives for it.

    Left to the signal, the terminal would stay as the screen needs it, and helpers would go on.
    """
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, lambda code=128 + number: app.exit(return_code=code))


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
