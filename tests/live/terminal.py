"""The terminal of a client: tmux, which answers what programs ask of a terminal."""

import os
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

_COLUMNS, _ROWS = 140, 45
_ENDED = 5.0
"""Seconds that the server may take to end."""


class Terminal:
    """Runs a command in a window of its own tmux server."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._server = ["tmux", "-f", os.devnull, "-S", str(socket)]

    def start(self, command: list[str], env: Mapping[str, str], cwd: Path) -> None:
        """Replace what runs in it with a command that has only these variables."""
        self.close()
        variables = [f"{name}={value}" for name, value in env.items()]
        line = shlex.join(["env", "-i", *variables, "TERM=tmux-256color", *command])
        size = ["-x", str(_COLUMNS), "-y", str(_ROWS)]
        self._tmux("new-session", "-d", "-s", "client", *size, "-c", str(cwd), line)
        self._tmux("set-option", "-g", "remain-on-exit", "on")

    def close(self) -> None:
        """End the server, and wait until it is gone; what runs in it is hung up."""
        self._tmux("kill-server")
        wait_for(lambda: not self._socket.exists(), _ENDED)

    @property
    def text(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p", "-t", "client")

    @property
    def pid(self) -> int | None:
        """The process that was started, while it runs."""
        shown = self._tmux(
            "display-message", "-p", "-t", "client", "#{pane_dead} #{pane_pid}"
        ).split()
        return int(shown[1]) if len(shown) == 2 and shown[0] == "0" else None

    def press(self, *keys: str, pause: float = 0.5) -> None:
        """Press keys by the names that tmux has for them, with a pause of seconds after each."""
        for key in keys:
            self._tmux("send-keys", "-t", "client", key)
            time.sleep(pause)

    def say(self, text: str) -> None:
        """Type a line. The pause keeps clients from taking it for a paste."""
        self._tmux("send-keys", "-t", "client", "-l", "--", text)
        time.sleep(0.8)
        self.press("Enter")

    def shows(self, pattern: str, patience: float) -> float | None:
        """When a pattern was on the screen, or None if it was not in `patience` seconds."""
        return wait_for(lambda: re.search(pattern, self.text) is not None, patience)

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._server, *arguments], capture_output=True, text=True, check=False
        )
        return done.stdout


def wait_for(condition: Callable[[], bool], patience: float) -> float | None:
    """The time at which a condition held, or None if it did not in `patience` seconds."""
    deadline = time.time() + patience
    while time.time() < deadline:
        if condition():
            return time.time()
        time.sleep(0.05)
    return None
