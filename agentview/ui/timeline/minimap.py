"""The session in one row: where work was done, where problems are, and what is in view of it.

`Strip(rows)` shows the rows of a session, each cell an equal part of those that are shown. Its
owner calls `rows_changed` for each change of the rows, `set_viewport` when other rows are in view
and `set_view` for other looks; the strip posts `RowRequested` when the reader clicks or drags.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from time import monotonic
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.strip import Strip as Cells
from textual.timer import Timer
from textual.widget import Widget

from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.overview.minimap import ActivityHistogram, MinimapCell
from agentview.timeline.view.rows_protocol import Rows
from agentview.timeline.view.sparkline import height_sign
from agentview.ui.messages import RowRequested
from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.glyphs import Glyphs
from agentview.ui.render.style.palette import Palette

_OFTEN = 0.25
"""Seconds for which changes are gathered: the strip costs what it does four times a second."""

_LATE = 0.4
"""Seconds after which they are drawn in a frame of their own, without a change to go with."""

_SLICE = 0.002
"""Seconds of counting at a time, between which keys and frames have their turn."""

_PAUSE = 0.02
"""Seconds between two slices."""

_SCALED = 90
"""Cells from which the times of the first and last activity are shown at its ends."""

_LOOKED = 20
"""Rows at either end in which a time is looked for."""

_SPARSE = 3
"""Turns are marked as long as they begin in one cell of so many: all of them would show nothing."""

_PROBLEMS = "✗x"
"""Signs of a part with problems where there are no colours: Unicode, ASCII."""


class Minimap(Widget):
    """One row: the higher, the more was changed; problems and the beginnings of turns in colour."""

    ALLOW_SELECT = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "strip--rest",
        "strip--turn",
        "strip--problem",
        "strip--view",
    }

    DEFAULT_CSS = """
    Minimap {
        height: 1;
        width: 1fr;
        padding: 0 1;
        background: $surface;
        color: $text-muted;
        .strip--rest { color: $foreground 45%; }
        .strip--turn { color: $accent; }
        .strip--problem { color: $error; text-style: bold; }
        .strip--view { background: $panel; text-style: underline; }
    }
    """

    def __init__(self, rows: Rows, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows = rows
        self._density = ActivityHistogram(rows)
        self._scale = "", ""
        """The times at the left and right end; empty where there is no room or none is known."""
        self._unicode = True
        self._colored: bool = True
        self._viewport: tuple[int, int] | None = None
        self._view_cells: tuple[int, int] | None = None
        self._timer: Timer | None = None
        self._counted = 0.0
        self._cells: list[MinimapCell] = []
        self._signs: Sequence[str] = ()
        self._marks_turns = False
        self._least = 1
        """Problems from which on a cell is marked."""
        self._dragging = False
        self._asked: int | None = None

    def rows_changed(self, change: RowsChanged) -> None:
        """Take rows into account that came or changed; shown soon, many changes at once."""
        if change.reset or change.prepended or change.appended or change.updated:
            self._density.take(change)
            if monotonic() - self._counted < _OFTEN or not self._cells:
                self._later(_LATE)
            else:
                # In the frame of the rows that changed.
                self._count()

    def set_viewport(self, first: int | None, last: int | None) -> None:
        """Mark the part that holds the rows from `first` to `last`; None marks nothing."""
        viewport = None if first is None or last is None else (first, last)
        if viewport != self._viewport:
            self._viewport = viewport
            if self._in_view() == self._view_cells:
                return
            if self._follows():
                self._later(_LATE)
            else:
                self.refresh()

    def set_view(self, palette: Palette, glyphs: Glyphs) -> None:
        """Draw with other signs, and show problems by a sign where there are no colours."""
        style = (not glyphs.rule.isascii(), palette.colored)
        if style != (self._unicode, self._colored):
            self._unicode, self._colored = style
            self._draw()
            self.refresh()

    def on_mount(self) -> None:
        self._later(_PAUSE)

    def on_resize(self) -> None:
        """Divide the session again."""
        self._scale = self._times() if self._counted else self._scale
        self._draw()

    def render_line(self, y: int) -> Cells:
        """The row."""
        width, room = self.content_size.width, self._room
        if y or len(self._cells) != room or not room:
            return Cells.blank(max(0, width), self.rich_style)
        self._view_cells = self._in_view()
        low, high = self._view_cells or (1, 0)
        signs: list[str] = []
        styles: list[tuple[str, ...]] = []
        for at, (cell, sign) in enumerate(zip(self._cells, self._signs, strict=True)):
            name = self._style(cell)
            failed = cell.problems >= self._least
            signs.append(_PROBLEMS[not self._unicode] if failed and not self._colored else sign)
            styles.append((name, "strip--view") if low <= at <= high else (name,))
        times = [[Segment(time, self.rich_style)] if time else [] for time in self._scale]
        segments: list[Segment] = []
        start = 0
        for names, cells in groupby(styles):
            end = start + len(list(cells))
            style = self.get_component_rich_style(*names)
            segments.append(Segment("".join(signs[start:end]), style))
            start = end
        return strip_of([*times[0], *segments, *times[1]], width)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Go to what is under the pointer."""
        event.stop()
        self._dragging = True
        self.capture_mouse()
        self._ask(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            event.stop()
            self._ask(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go."""
        event.stop()
        self.release_mouse()

    def on_mouse_release(self) -> None:
        """Let go, also when something else took the mouse."""
        self._dragging = False
        self._asked = None

    def on_click(self, event: events.Click) -> None:
        event.stop()

    def _ask(self, event: events.MouseEvent) -> None:
        if not self._cells:
            return
        last = len(self._cells) - 1
        at = min(max(event.x - self.gutter.left - len(self._scale[0]), 0), last)
        # The end of the row is the end of the session.
        row = self._cells[at].last if at == last else self._cells[at].first
        if row != self._asked:
            self._asked = row
            self.post_message(RowRequested(row))

    def _later(self, seconds: float) -> None:
        if self._timer is None and self.is_attached:
            self._timer = self.set_timer(seconds, self._count)

    def _count(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._counted = monotonic()
        if self._density.settle(_SLICE):
            self._scale = self._times()
        else:
            self._later(_PAUSE)
        self._draw()

    @property
    def _room(self) -> int:
        """Cells between the times."""
        return self.content_size.width - sum(map(len, self._scale))

    def _times(self) -> tuple[str, str]:
        """When the first and the last activity began, where there is room; days if they differ."""
        if self.content_size.width < _SCALED:
            return "", ""
        first, end = self._rows.first, self._rows.end
        moments = [
            self._moment(range(first, min(end, first + _LOOKED))),
            self._moment(range(end - 1, max(first, end - _LOOKED) - 1, -1)),
        ]
        if None in moments:
            return "", ""
        began, ended = [datetime.fromtimestamp(moment or 0).astimezone() for moment in moments]
        form = "%H:%M" if began.date() == ended.date() else "%m-%d"
        return f"{began:{form}} ", f" {ended:{form}}"

    def _moment(self, rows: range) -> float | None:
        """The first time that one of these rows has."""
        for row in rows:
            if self._rows.shown(row) and (moment := self._rows.activity(row).started) is not None:
                return moment
        return None

    def _draw(self) -> None:
        width = self._room
        cells = self._density.cells(width)
        begun = sum(1 for cell in cells if cell.turns)
        self._marks_turns = begun <= width // _SPARSE
        self._least = _least([cell.problems for cell in cells], width // 2)
        drawn = [height_sign(cell.height, unicode=self._unicode) for cell in cells]
        changed = cells != self._cells or drawn != self._signs
        self._cells, self._signs = cells, drawn
        if changed or self._in_view() != self._view_cells:
            self.refresh()

    def _follows(self) -> bool:
        """True if the end is in view while rows come in: it is marked when they are drawn."""
        if self._viewport is None or not self._cells or self._viewport[1] < self._cells[-1].last:
            return False
        return self._timer is not None or monotonic() - self._counted < _OFTEN

    def _in_view(self) -> tuple[int, int] | None:
        if self._viewport is None or not self._cells:
            return None
        first, last = self._viewport
        low = bisect_left(self._cells, first, key=attrgetter("last"))
        high = bisect_right(self._cells, last, key=attrgetter("first")) - 1
        return low, max(low, high)

    def _style(self, cell: MinimapCell) -> str:
        if cell.problems >= self._least:
            return "strip--problem"
        return "strip--turn" if cell.turns and self._marks_turns else "strip--rest"


def _least(problems: Sequence[int], most: int) -> int:
    """The least problems that mark a cell, so that at most so many are marked."""
    counts = sorted((count for count in problems if count), reverse=True)
    return 1 if len(counts) <= most else counts[most] + 1
