"""Nothing that is being read moves: rows of the screen that change when they should not."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyte

from benchmarks import writer
from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import END
from benchmarks.terminal import COLUMNS, LINES, Terminal
from benchmarks.watched import agentview

_EDGE_TOP, _EDGE_BOTTOM = 2, 2
"""Lines above and below the timeline that tell how things stand, and may change."""
_CORNER = 24
"""Columns at the right: scroll bar, and how many rows are new."""
_TITLE = 20
"""Columns of a title's beginning, its time and kind, which no width and no level changes."""
_PATIENCE = 20.0
"""Seconds until a key has had its effect."""
_UP = b"\x1b[5~"
_PAGES = 10
"""Pages up to a place that is far from the end at any level."""


class Painted:
    """A program whose screen can be read."""

    def __init__(self, *arguments: str) -> None:
        self.screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self.screen)
        self.terminal = Terminal(agentview(*arguments), on_bytes=self._stream.feed)

    def rows(self) -> list[str]:
        """The rows of the timeline, without what stands at their right."""
        width = self.screen.columns - _CORNER
        shown = self.screen.display[_EDGE_TOP : self.screen.lines - _EDGE_BOTTOM]
        return [row[:width] for row in shown]

    def selected(self) -> int | None:
        """The line of the screen with the background of the selected row.

        It begins at the left edge; backgrounds inside a body, as of a diff, do not.
        """
        backgrounds = [self.screen.buffer[y][1].bg for y in range(self.screen.lines)]
        inside = backgrounds[_EDGE_TOP : self.screen.lines - _EDGE_BOTTOM]
        usual = max(set(inside), key=inside.count)
        other = [at for at, colour in enumerate(inside) if colour != usual]
        return _EDGE_TOP + other[0] if other else None

    def line(self, y: int) -> str:
        """The beginning of a line."""
        return self.screen.display[y][:_TITLE]

    def resize(self, columns: int, lines: int) -> None:
        """Another size."""
        self.screen.resize(lines, columns)
        self.terminal.resize(columns, lines)
        self.terminal.settle()


def changed(before: Sequence[str], after: Sequence[str]) -> int:
    """How many rows differ."""
    return sum(one != other for one, other in zip(before, after, strict=True))


def measure(bench: Bench) -> Group:
    """Each while the reader looks at rows in the middle."""
    large, path = bench.session(bench.plan.middle), bench.copy("steady", 20_000_000)
    found = [
        (f"while {size_text(large.size)} are read", _back_fill(bench, large.path)),
        ("while records are added", _append(bench, path)),
    ]
    with _far_up(large.path) as (painted, y):
        for name, moved in (
            ("when the level is switched, at the selected row", _levels),
            ("when the size changes, at the first row", _resize),
        ):
            found.append((name, _NOT_FOUND if y is None else moved(painted, y)))
    return Group(
        "no jump",
        [
            Figure(f"rows changed {name}", value, "rows", (at_most(0, "value"),), note=note)
            for name, (value, note) in found
        ],
    )


Verdict = tuple[float | None, str]
_NOT_FOUND: Verdict = None, "no row has the colour of the selected one"


def _opened(*arguments: str) -> Painted:
    painted = Painted(*arguments)
    painted.terminal.wait_for(END.encode())
    painted.terminal.run_for(0.3)
    before = painted.rows()
    painted.terminal.send(_UP)
    # Frames with late colours or with progress may come before that of the key.
    deadline = time.perf_counter() + _PATIENCE
    while painted.rows() == before and time.perf_counter() < deadline:
        painted.terminal.run_for(0.05)
    painted.terminal.run_for(0.2)
    return painted


def _worst(painted: Painted, seconds: float) -> tuple[int, int]:
    """The most rows that differed from those of now, and how often it was looked."""
    before = painted.rows()
    worst = looks = 0
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        painted.terminal.run_for(0.05)
        worst, looks = max(worst, changed(before, painted.rows())), looks + 1
    return worst, looks


def _back_fill(bench: Bench, path: Path) -> Verdict:
    painted = _opened("open", str(path))
    with painted.terminal:
        worst, looks = _worst(painted, 1.5 * bench.plan.follow)
        return worst, f"looked at {looks} times"


def _append(bench: Bench, path: Path) -> Verdict:
    painted = _opened("tail", str(path))
    with painted.terminal:
        seconds = bench.plan.follow / 2
        process = writer.start(path, "--rate", "500", "--seconds", str(seconds))
        worst, looks = _worst(painted, seconds + 1.0)
        added = writer.told(process)[-1][1]
        return worst, f"{added:,} records added, looked at {looks} times"


@contextmanager
def _far_up(path: Path) -> Generator[tuple[Painted, int | None]]:
    """A session far from its end, where rows run out, and the line of the selected row."""
    painted = _opened("open", str(path))
    with painted.terminal as terminal:
        # The selected row comes to the top, or it would have to be kept in view at the bottom.
        terminal.send(_UP * _PAGES + b"k" * (LINES + 10))
        terminal.settle()
        yield painted, painted.selected()


def _levels(painted: Painted, y: int) -> Verdict:
    terminal, before = painted.terminal, painted.line(y)
    moved = 0
    for key in (b"1", b"3", b"2", b"1", b"2"):
        terminal.send(key)
        terminal.settle()
        moved += painted.line(y) != before
    return moved, f"5 switches at {before.strip()!r}"


def _resize(painted: Painted, y: int) -> Verdict:
    first = painted.line(y)
    moved = 0
    sizes = ((100, LINES), (COLUMNS, LINES), (COLUMNS, LINES - 10), (COLUMNS, LINES))
    for columns, lines in sizes:
        painted.resize(columns, lines)
        moved += painted.line(y) != first
    return moved, f"{len(sizes)} sizes at {first.strip()!r}, line {y}"
