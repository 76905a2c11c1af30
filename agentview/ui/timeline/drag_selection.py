"""Text of the timeline that is selected by dragging: from a place in a row to another."""

from collections.abc import Callable, Generator
from typing import NamedTuple

from textual import events
from textual.timer import Timer
from textual.widget import Widget

from agentview.timeline.view.view_state.cursor import TimelineCursor
from agentview.ui.render.lazy_lines import joined
from agentview.ui.render.style.highlight_matches import SelectedCells
from agentview.ui.timeline.view_cache import CachedRowView

_SCROLL_EVERY = 0.05
"""Seconds between two steps of scrolling while the pointer is above or below the timeline."""
_FASTEST = 10
"""Lines that are scrolled at a time at most."""
_ROWS = 64
"""Lines of a row whose text is taken at a time."""


class Place(NamedTuple):
    """A cell of a row: its line (0 is the title) and its column in the row's own widget."""

    row: int
    line: int
    cell: int


class DragSelection:
    """Follows the mouse over a widget from button down to button up.

    A press alone selects nothing and takes an earlier selection away. While the pointer is dragged
    over the edge, the widget scrolls.
    """

    def __init__(
        self,
        widget: Widget,
        reader: TimelineCursor,
        card: Callable[[int], CachedRowView],
        scroll: Callable[[int], None],
        changed: Callable[[], None],
    ) -> None:
        """`card` lays out a row; `changed` is called when other text is selected."""
        self._widget = widget
        self._reader = reader
        self._card = card
        self._scroll = scroll
        self._changed = changed
        self._pressed: Place | None = None
        self._first: Place | None = None
        self._last: Place | None = None
        self._pointer = (0, 0)
        self._timer: Timer | None = None
        self._dragged = False

    def __bool__(self) -> bool:
        return self._first is not None

    def text(self) -> Generator[None, None, str]:
        """Return the selected text, in steps of some rows each."""
        row = None if self._first is None else self._first.row
        parts: list[tuple[str, str]] = []
        while row is not None and (cells := self.of(row)) is not None:
            view = self._card(row).view
            start = 0 if cells.first is None else cells.first[0]
            stop = view.height if cells.last is None else min(view.height, cells.last[0] + 1)
            for line in range(start, stop, _ROWS):
                parts += view.selected(line, min(stop, line + _ROWS), cells)
                yield
            row = self._reader.shown.after(row)
        return joined(parts)

    def of(self, row: int) -> SelectedCells | None:
        """The selected part of a row; None for nothing."""
        first, last, pressed = self._first, self._last, self._pressed
        if first is None or last is None or pressed is None or not first.row <= row <= last.row:
            return None
        return SelectedCells(
            first[1:] if row == first.row else None,
            last[1:] if row == last.row else None,
            pressed.cell,
        )

    def clear(self) -> bool:
        """Select nothing; False if nothing was selected."""
        was = self._first is not None
        self._first = self._last = None
        if was:
            self._changed()
        return was

    def press(self, event: events.MouseEvent) -> None:
        """Take the place where a drag may begin."""
        self._dragged = False
        self.clear()
        self._pressed = self._place_at(*self._at(event)) if event.button == 1 else None
        if self._pressed is not None:
            # So that the widget hears of a pointer that leaves it.
            self._widget.capture_mouse()

    def move(self, event: events.MouseEvent) -> None:
        """Extend the selection while the button is down."""
        if event.button != 1 or self._pressed is None:
            return
        self._dragged = True
        self._pointer = self._at(event)
        self._extend()
        self._scroll_while_outside()

    def release(self) -> None:
        """End dragging."""
        self._widget.release_mouse()
        self._stop_scrolling()

    def clicked(self, event: events.MouseEvent) -> Place | None:
        """The place that was clicked on; None where a drag has ended, or there is no row."""
        return None if self._dragged else self._place_at(*self._at(event))

    def _at(self, event: events.MouseEvent) -> tuple[int, int]:
        region = self._widget.region
        return round(event.screen_x) - region.x, round(event.screen_y) - region.y

    def _place_at(self, x: int, y: int) -> Place | None:
        """The place at a cell of the widget, or nearest to it; None where there is no row."""
        width, height = self._widget.size
        x = 0 if y < 0 else width if y >= height else max(0, x)
        y = max(0, min(y, height - 1))
        placed = self._reader.window.placed
        item = next((item for item in reversed(placed) if item.y <= y), None)
        if item is None:
            return None
        card = self._card(item.row)
        line = y - item.y - self._reader.shown.has_rule(item.row)
        if line < 0:
            return Place(item.row, 0, 0)
        if line >= card.view.height:
            return Place(item.row, card.view.height - 1, width)
        return Place(item.row, line, max(0, x - card.indent))

    def _extend(self) -> None:
        pressed, end = self._pressed, self._place_at(*self._pointer)
        if pressed is None or end is None:
            return
        first, last = sorted((pressed, end))
        # The cell under the pointer is selected, as in terminals.
        last = last._replace(cell=last.cell + 1)
        if (first, last) != (self._first, self._last):
            self._first, self._last = first, last
            self._changed()

    def _beyond(self) -> int:
        """Lines by which the pointer is above (negative) or below the widget."""
        y, height = self._pointer[1], self._widget.size.height
        return y if y < 0 else max(0, y - height + 1)

    def _scroll_while_outside(self) -> None:
        if not self._beyond():
            self._stop_scrolling()
        elif self._timer is None:
            self._timer = self._widget.set_interval(_SCROLL_EVERY, self._scroll_on)

    def _scroll_on(self) -> None:
        self._scroll(max(-_FASTEST, min(_FASTEST, self._beyond())))
        self._extend()

    def _stop_scrolling(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
