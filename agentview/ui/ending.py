"""Has the program go in order when it is asked to by a signal."""

import asyncio
import signal
import sys
from typing import Any

from textual.app import App

# Windows has no signals that an event loop hears.
_SIGNALS = () if sys.platform == "win32" else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def end_on_signals(app: App[Any]) -> None:
    """End `app` on a signal, with the exit code that a shell gives for it.

    Left to the signal, the terminal would stay as the screen needs it, and helpers would go on.
    """
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, lambda code=128 + number: app.exit(return_code=code))
