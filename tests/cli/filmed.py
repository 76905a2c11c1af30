"""Films a program in a terminal frame by frame, and says where on paper what it shows stands."""

import os
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Self

import pyte

from benchmarks.terminal import GoneError, Terminal
from tests.cli.pseudo_terminal import rows_of
from tests.patience import PATIENCE

_FRAME_END = b"\x1b[?2026l"
_KEPT = 1 << 16
_TOP, _BOTTOM = 2, 2
"""Lines above and below the timeline."""
_RAIL = 1
"""Columns at the right that no row reaches into: the scroll bar stands there."""

_DURATION = re.compile(r" {2,}\d[\dhms. ]*$")
_COMPARED = 90
_UNMARKED = re.compile("^»")
_RULE = "──"
_TIME = 10
"""Columns of the time, and of the blanks around it."""

_HELP = "◆ Keys"
"""Heads the help of a screen."""

Shot = tuple[str, ...]
"""The lines of the timeline in one frame."""


class Film:
    """A program in a terminal; `shots` are the frames since it was last cleared."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], *, columns: int, lines: int
    ) -> None:
        self._screen: Any = pyte.Screen(columns, lines)
        self._stream: Any = pyte.ByteStream(self._screen)
        self._rest = b""
        self.output = b""
        """The end of what was written to the terminal."""
        self.shots: list[Shot] = []
        self._cut = False
        self.terminal = Terminal(
            command, size=(columns, lines), environment=environment, on_bytes=self._take
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.terminal.kill()

    def _take(self, data: bytes) -> None:
        self.output = (self.output + data)[-_KEPT:]
        # A marker may come in two parts.
        *frames, self._rest = (self._rest + data).split(_FRAME_END)
        for frame in frames:
            self._stream.feed(frame)
            self._cut = self._cut or self._shows_help
            if not self._cut:
                self.shots.append(self.shot())
        if not _FRAME_END.startswith(self._rest[self._rest.rfind(b"\x1b") :] or b"-"):
            self._stream.feed(self._rest)
            self._rest = b""

    @property
    def text(self) -> str:
        """All of the screen."""
        return "\n".join(row.rstrip() for row in rows_of(self._screen))

    @property
    def status(self) -> str:
        """The line at the bottom."""
        return rows_of(self._screen)[-1]

    def shot(self) -> Shot:
        """The timeline as it is now, without the marks of bookmarks."""
        height, width = self._screen.lines, self._screen.columns
        rows = rows_of(self._screen)[_TOP : height - _BOTTOM]
        return tuple(_UNMARKED.sub(" ", row[: width - _RAIL]).rstrip() for row in rows)

    def selected(self) -> int | None:
        """The line of the timeline with another background at its left edge than the others."""
        height = self._screen.lines
        colours = [self._screen.buffer[y][1].bg for y in range(_TOP, height - _BOTTOM)]
        usual = max(set(colours), key=colours.count)
        return next((at for at, colour in enumerate(colours) if colour != usual), None)

    def press(self, *keys: str, pause: float = 0.05) -> None:
        """Type keys one by one."""
        for key in keys:
            self.terminal.send(key.encode())
            self.terminal.run_for(pause)

    @property
    def _shows_help(self) -> bool:
        return _HELP in rows_of(self._screen)[0]

    def steady(self) -> None:
        """Wait until all keys that were pressed are done and seen, however busy the machine is.

        The help comes and goes behind them; there are no shots from then until this returns.
        """
        self.press("?")
        self.wait(lambda: self._shows_help, "the keys before are not done")
        self.press("\x1b")
        self.wait(lambda: not self._shows_help, "the help stays")
        same, deadline = 0, time.monotonic() + PATIENCE
        while same < 2:
            assert time.monotonic() < deadline, (
                f"it never comes to rest; on the screen:\n{self.text}"
            )
            before = self.shot()
            self.terminal.run_for(0.2)
            same = same + 1 if self.shot() == before else 0
        self._cut = False

    def wait(self, true: Callable[[], bool], what: str) -> None:
        """Read until something is true."""
        deadline = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < deadline, f"{what}; on the screen:\n{self.text}"
            self.terminal.run_for(0.05)

    def ended(self) -> int | None:
        """Read to the end of the program; its exit code, None when it goes on."""
        deadline = time.monotonic() + PATIENCE
        with suppress(GoneError):
            while time.monotonic() < deadline:
                self.terminal.run_for(0.05)
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self.terminal.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        return None

    def resize(self, columns: int, lines: int) -> None:
        """Another size; returns once it is painted."""
        self._screen.resize(lines, columns)
        self.shots.clear()
        self.terminal.resize(columns, lines)
        self.wait(lambda: len(self.shots) > 0, "nothing is painted for another size")
        self.terminal.run_for(0.3)


class Paper:
    """The same session as lines of text, to be looked up in."""

    def __init__(self, text: str) -> None:
        self.lines = [line.rstrip() for line in text.splitlines()]
        self._places: dict[str, list[int]] = {}
        for place, line in enumerate(self.lines):
            self._places.setdefault(_begin(line), []).append(place)

    def find(self, shot: Iterable[str], after: int = 0) -> int | None:
        """Where all lines of the shot stand one after the other, not before `after`; else None.

        Rules between turns are left out, as well as what a running call shows, and a time that the
        shot does not show.
        """
        rows = [row for row in shot if not row.startswith(_RULE)]
        anchor = min(
            (at for at, row in enumerate(rows) if not _runs(row)),
            key=lambda at: len(self._places.get(_begin(rows[at]), ())),
        )
        places = self._places.get(_begin(rows[anchor]), [])
        for place in places[bisect_left(places, after + anchor) :]:
            paper = self.lines[place - anchor : place - anchor + len(rows)]
            if len(paper) == len(rows) and all(map(_same, rows, paper)):
                return place - anchor
        return None

    def missing(self, shot: Iterable[str]) -> list[str]:
        """Lines of the shot that stand nowhere, and those behind which another one stands."""
        rows = [row for row in shot if not row.startswith(_RULE)]
        places = [self._places.get(_begin(row), []) for row in rows]
        return [
            f"{row[:60]} at {here[:3]}, then at {there[:3]}"
            for row, here, there in zip(rows, places, places[1:], strict=False)
            if not any(place + 1 in there for place in here)
        ]


def _begin(line: str) -> str:
    """What no width changes: words behind the time, without a duration at the end."""
    shown = _DURATION.sub("", line[_TIME:])
    return " ".join(shown.replace("…", " ").split())[:_COMPARED]


def _runs(row: str) -> bool:
    return row[_TIME : _TIME + 1] in ("●", "○")


def _same(row: str, line: str) -> bool:
    timed = row[:_TIME].strip() in ("", line[:_TIME].strip())
    return timed and (_runs(row) or _begin(row) == _begin(line))


def blanks(shot: Shot) -> list[int]:
    """Lines of the shot that nothing stands on."""
    return [at for at, row in enumerate(shot) if not row]
