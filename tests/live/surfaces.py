"""agentview's screens beside a client, and what it notifies of, as a user sees them."""

import json
import os
import re
import sys
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentview.domain.session_state import SessionState
from tests.live.moments import ASKING, Moment, Shown, Surface
from tests.live.terminal import Terminal

_EVERY = 0.1
"""Seconds between two looks."""
_LABEL = re.compile(rf"(?<!\S)({'|'.join(SessionState)})(\??)(?!\S)")
_STARTED = 30.0
"""Seconds that a screen may take to be there."""


class Surfaces:
    """The board, the tail of the newest session, and the command that gets notifications."""

    def __init__(self, directory: Path, home: Path, cwd: Path) -> None:
        self._notices = directory / "notices.jsonl"
        self._notices.touch()
        self._cwd = cwd
        self._env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
        self._terminals = {
            surface: Terminal(directory / f"tmux-{surface}")
            for surface in (Surface.BOARD, Surface.TAIL)
        }
        self._taken = 0
        """Notifications that belong to moments before."""
        self._late = range(0)
        """Those whose requests do."""
        config = home / ".config/agentview/config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        command = json.dumps(["sh", "-c", f"cat >> '{self._notices}'"])
        config.write_text(
            f'[notify]\nscope = "all"\nfocused = true\nafter = 0\ncommand = {command}\n'
        )

    def open_board(self) -> None:
        """Show the board, and wait until it is there."""
        self._open(Surface.BOARD, "board", "no session is live now")

    def open_tail(self) -> None:
        """Wait for the next session in a terminal of its own, and follow it."""
        self._open(Surface.TAIL, "tail", "aiting", "--wait")

    def close(self) -> None:
        """End the screens."""
        for terminal in self._terminals.values():
            terminal.close()

    def texts(self) -> Mapping[str, str]:
        """What each screen shows now."""
        return {surface: terminal.text for surface, terminal in self._terminals.items()}

    @contextmanager
    def watched(self, moment: Moment) -> Generator[list[Shown]]:
        """Look at all of them meanwhile; the list has what they showed once that is over."""
        found: list[Shown] = []
        known = len(self._lines())
        over, first = threading.Event(), dict[Surface, float]()
        began = time.time()

        def look() -> None:
            while not over.is_set():
                for surface in Surface:
                    if surface not in first and self._shows(surface, moment):
                        first[surface] = round(time.time() - began, 1)
                over.wait(_EVERY)

        looking = threading.Thread(target=look)
        looking.start()
        try:
            yield found
        finally:
            over.set()
            looking.join()
            # A request that was notified before another moment is of the prompt before that.
            self._late = range(0 if moment.is_prompt else known)
            found += (
                Shown(surface, first.get(surface), self._labels(surface)) for surface in Surface
            )
            self._taken = len(self._lines())

    def _shows(self, surface: Surface, moment: Moment) -> bool:
        """True if a surface has a true state with its subject."""
        if surface is Surface.NOTIFICATION:
            return any(_tells(line, moment) for line in self._lines()[self._taken :])
        text = self._terminals[surface].text
        states = {label.rstrip("?") for label in self._labels(surface)}
        return not states.isdisjoint(moment.right) and moment.about in " ".join(text.split())

    def _labels(self, surface: Surface) -> tuple[str, ...]:
        """The states that a surface has, with a question mark where they are inferred."""
        if surface is Surface.NOTIFICATION:
            notices = enumerate(self._lines())
            return tuple(
                _label(notice)
                for at, notice in notices
                if at >= self._taken and not (at in self._late and notice["state"] in ASKING)
            )
        text = self._terminals[surface].text
        rows = text.splitlines()[:1] if surface is Surface.TAIL else text.splitlines()[1:]
        found = [match for row in rows if (match := _LABEL.search(row))]
        return tuple("".join(match.groups()) for match in found)

    def _lines(self) -> list[dict[str, Any]]:
        whole = self._notices.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def _open(self, surface: Surface, command: str, shown: str, *options: str) -> None:
        terminal = self._terminals[surface]
        line = [sys.executable, "-m", "agentview", command, *options]
        terminal.start(line, self._env, self._cwd)
        if terminal.shows(shown, _STARTED) is None:
            raise RuntimeError(f"agentview {command} does not start:\n{terminal.text}")


def _label(notice: Mapping[str, Any]) -> str:
    return f"{notice['state']}{'' if notice['certain'] else '?'}"


def _tells(notice: Mapping[str, Any], moment: Moment) -> bool:
    return notice["state"] in moment.right and moment.about in (notice["about"] or "")
