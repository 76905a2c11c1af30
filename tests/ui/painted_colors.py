"""Colours of cells as a terminal paints them: bytes of a real pty, read by a terminal emulator."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import agentview
from agentview.ui.render.style.color_depth import XTERM
from agentview.ui.themes import contrast
from tests.cli.filmed import Film

DEPTHS = {
    "24 bit": {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
    "256": {"TERM": "xterm-256color", "COLORTERM": ""},
    "16": {"TERM": "xterm", "COLORTERM": ""},
}
SIZE = (120, 40)

_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_NUMBERS = {
    **{name: number for number, name in enumerate(_NAMES)},
    **{f"bright{name}": number + 8 for number, name in enumerate(_NAMES)},
}

_SCRIPT = """
import sys
import agentview.cli
from agentview.ui import app

from pathlib import Path

def action_other_theme(self):
    name = Path(__file__).with_name("wanted").read_text()
    if name not in self.available_themes:
        self.set_timer(0.1, self.action_other_theme)
        return
    self.theme = name
    self.call_after_refresh(Path(__file__).with_name("shown").write_text, name)

app.AgentViewApp.action_change_theme = action_other_theme
sys.exit(agentview.cli.main(["open", *sys.argv[1:]]))
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """A painted cell; colours are `#rrggbb`."""

    text: str
    color: str
    ground: str

    @property
    def contrast(self) -> float:
        """Of the text on its background."""
        return contrast(self.color, self.ground)


class PaintedApp:
    """The program in a terminal of some colours."""

    def __init__(self, log: Path, home: Path, depth: str, *, theme: str) -> None:
        script = home / "themes.py"
        script.write_text(_SCRIPT)
        self._wanted = home / "wanted"
        environment = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "PYTHONPATH": str(Path(agentview.__file__).parents[1]),
            **DEPTHS[depth],
        }
        command = [sys.executable, str(script), str(log), "--theme", theme]
        columns, lines = SIZE
        self.film = Film(command, environment, columns=columns, lines=lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.film.terminal.kill()

    def show_theme(self, name: str) -> None:
        """Show another theme; returns when it is painted."""
        self._wanted.write_text(name)
        self.film.press("\x14")
        shown = self._wanted.with_name("shown")
        self.film.wait(lambda: shown.is_file() and shown.read_text() == name, f"no {name}")
        self.settle()

    def settle(self) -> None:
        """Read until nothing is painted for a while, and the program has nothing to do."""
        quiet = 0
        while quiet < 2:
            painted = len(self.film.shots)
            self.film.terminal.run_for(0.05)
            rests = len(self.film.shots) == painted and self._sleeps()
            quiet = quiet + 1 if rests else 0

    def press(self, *keys: str) -> None:
        """Type keys, each once the screen shows the one before."""
        for key in keys:
            self.film.press(key, pause=0)
            self.settle()

    def drag(self, begin: tuple[int, int], end: tuple[int, int]) -> None:
        """Drag with the left button from a cell to another, each as column and row from 0.

        Returns when the first one has another background.
        """
        cells = self.film._screen.buffer[begin[1]]  # pyright: ignore[reportPrivateUsage]
        before = cells[begin[0]].bg
        (x, y), (to_x, to_y) = [(column + 1, row + 1) for column, row in (begin, end)]
        self.film.press(f"\x1b[<0;{x};{y}M", f"\x1b[<32;{to_x};{to_y}M", f"\x1b[<0;{to_x};{to_y}m")
        self.film.wait(lambda: cells[begin[0]].bg != before, "nothing is selected")
        self.settle()

    def _sleeps(self) -> bool:
        """Whether its main thread waits; one that does not may only lack a processor."""
        stat = Path(f"/proc/{self.film.terminal.pid}/stat")
        return not stat.is_file() or stat.read_text().rpartition(") ")[2].startswith("S")

    def cells(self, *, dark: bool) -> list[list[Cell]]:
        """Rows of cells; `dark` says how the terminal's own colours are."""
        screen: Any = self.film._screen  # pyright: ignore[reportPrivateUsage]
        own = (XTERM[7], XTERM[0]) if dark else (XTERM[0], XTERM[15])
        return [list(_cells(screen, y, own)) for y in range(screen.lines)]


def _cells(screen: Any, y: int, own: Sequence[str]) -> Iterator[Cell]:
    for x in range(screen.columns):
        cell = screen.buffer[y][x]
        color, ground = _hex(cell.fg, own[0]), _hex(cell.bg, own[1])
        if cell.reverse:
            color, ground = ground, color
        yield Cell(cell.data, color, ground)


def _hex(name: str, default: str) -> str:
    if name == "default":
        return default
    if name in _NUMBERS:
        return XTERM[_NUMBERS[name]]
    return f"#{name}"
