"""Parts next to the rows of a timeline: its scroll bar, and the rule above a turn."""

from functools import lru_cache
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from agentview.ui.messages import RowRequested
from agentview.ui.render.strip import strip_of


class _Painted(Widget):
    """Draws its own lines, without the cache and the boxes that other widgets go through."""

    ALLOW_SELECT = False

    def line(self, y: int, width: int, /) -> str:
        """Text of line `y`, `width` cells wide."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the crop."""
        x, top, width, height = crop
        style = self.visual_style.rich_style
        lines = range(top, top + height)
        return [_strip(self.line(y, x + width), x, x + width, style) for y in lines]

    def _set_dirty(self, *regions: Region) -> None:  # noqa: ARG002
        # As for activities: it is not asked where the widget stands.
        self._repaint_regions.clear()
        if self._size:
            self._repaint_regions.add(self._size.region)

    def _size_updated(
        self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True
    ) -> bool:
        super()._size_updated(size, virtual_size, container_size, layout)
        return False


@lru_cache(maxsize=64)
def _strip(text: str, start: int, stop: int, style: Style) -> Strip:
    """The cells of a text from `start` to `stop`: one strip for all lines that are the same."""
    return strip_of([Segment(text, style)], stop).crop(start, stop)


class TurnSeparator(_Painted):
    """The quiet line above a prompt."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rule--words", "rule--notice"}
    DEFAULT_CSS = """
    TurnSeparator {
        color: $border;
        .rule--words { color: $text-muted; }
        .rule--notice { color: $text-warning; }
    }
    """

    sign = "─"
    words: tuple[str, str, str] = "", "", ""
    """Texts at the left and at the right of the rule, and a notice before the latter."""
    leads_to: int | None = None
    """The row that a click leads to."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """A rule from side to side, with the words in it where there is room."""
        left, right, notice = (f" {text} " if text else "" for text in self.words)
        ends = self.sign * 2
        room = crop.right - 2 * len(ends)
        if notice and cell_len(left + right + notice) > room:
            right = ""
            notice = _cut(notice, room - cell_len(left))
        fill = room - cell_len(left) - cell_len(right) - cell_len(notice)
        if fill < 0:
            left, right, notice, fill = "", "", "", room
        rule = self.visual_style.rich_style
        words = self.get_component_rich_style("rule--words")
        pieces = (
            (ends, rule),
            (left, words),
            (self.sign * fill, rule),
            (notice, self.get_component_rich_style("rule--notice")),
            (right, words),
            (ends, rule),
        )
        strip = strip_of([Segment(text, style) for text, style in pieces if text])
        return [strip.crop(crop.x, crop.right)] * crop.height

    def on_click(self, event: events.Click) -> None:
        if self.leads_to is not None:
            event.stop()
            self.post_message(RowRequested(self.leads_to))


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 2)) + "… "


class NewSince(TurnSeparator):
    """The line above what is new."""

    DEFAULT_CSS = """
    NewSince {
        color: $accent;
        .rule--words { color: $accent; }
    }
    """


class TimelineScrollbar(_Painted):
    """A scroll bar that shows given values, and reports where the reader drags it."""

    DEFAULT_CSS = """
    TimelineScrollbar {
        color: $scrollbar;
    }
    TimelineScrollbar.-grabbed {
        color: $scrollbar-active;
    }
    """

    class Dragged(Message):
        """The reader wants to see the place at `fraction` (0 to 1) of the whole."""

        def __init__(self, fraction: float) -> None:
            self.fraction = fraction
            super().__init__()

    sign = "▐"
    top = 0
    """First line of the thumb."""
    length = 0
    """Lines of the thumb, 0 when everything is in view."""
    _grip: int | None = None

    @property
    def grabbed(self) -> bool:
        return self._grip is not None

    def show(self, top: int, length: int) -> bool:
        """Set the thumb; True when it is another one than before."""
        changed = (top, length) != (self.top, self.length)
        self.top, self.length = top, length
        return changed

    def line(self, y: int, width: int, /) -> str:
        """A piece of the thumb or of what lies next to it."""
        mark = self.sign if self.top <= y < self.top + self.length else " "
        return mark.rjust(width)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the thumb, or bring it under the pointer."""
        event.stop()
        if not self.length:
            return
        inside = self.top <= event.y < self.top + self.length
        self._grip = event.y - self.top if inside else self.length // 2
        self.add_class("-grabbed")
        self.capture_mouse()
        if not inside:
            self._drag(event.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._grip is not None:
            event.stop()
            self._drag(event.y)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go."""
        event.stop()
        self.release_mouse()

    def on_mouse_release(self) -> None:
        """Let go, also when something else took the mouse."""
        self._grip = None
        self.remove_class("-grabbed")

    def on_click(self, event: events.Click) -> None:
        event.stop()

    def _drag(self, y: int) -> None:
        room = self.size.height - self.length
        top = min(max(y - (self._grip or 0), 0), max(room, 0))
        self.top = top
        self.post_message(self.Dragged(top / room if room > 0 else 0.0))


def thumb(line: int, total: int, size: int, *, at_start: bool, at_end: bool) -> tuple[int, int]:
    """First line and length of the thumb for a viewport of `size` lines at `line` of `total`.

    It touches an end only when that is in view, whatever the estimated total says.
    """
    if size <= 1 or (at_start and at_end):
        return 0, 0
    length = min(max(1, round(size * size / max(total, 1))), size - 1)
    room = size - length
    if at_start:
        return 0, length
    if at_end:
        return room, length
    inside = round(room * line / max(total - size, 1))
    return min(max(inside, 1), max(room - 1, 1)), length
