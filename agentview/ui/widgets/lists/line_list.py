"""A list of lines that a screen draws itself, with a cursor: one line a row, made when seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from agentview.ui.render.style.glyphs import ASCII, UNICODE
from agentview.ui.render.text_lines import Piece, fit
from agentview.ui.widgets.lists.cursor_list import MOVE, CursorList, move_bindings
from agentview.ui.widgets.responsive_bar import PLAIN


class LineList(CursorList, can_focus=True):
    """Lines of a screen. `draw` gives one for a width, `stops` says where the cursor stops."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *move_bindings("lines", "line"),
        Binding("enter,space", "choose", "open", key_display="⏎", id="lines.open", group=MOVE,
                tooltip="Open the session there"),
    ]  # fmt: skip

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--cursor"}

    DEFAULT_CSS = """
    LineList {
        scrollbar-gutter: stable;
        .list--cursor { background: $block-cursor-background; }
    }
    """

    @dataclass
    class Moved(Message):
        """Another line is under the cursor."""

        line: int

    @dataclass
    class Chosen(Message):
        """The person wants to see what a line is about."""

        line: int

    def __init__(
        self,
        draw: Callable[[int, int], Sequence[Piece]],
        stops: Callable[[int], bool] = lambda _: True,
    ) -> None:
        """`draw` takes the number of a line, from 0, and the width in cells."""
        super().__init__()
        self._draw = draw
        self._stops = stops

    def show(self, count: int, cursor: int = 0) -> None:
        """Show so many lines, with the cursor on one of them."""
        self.take_length(count)
        if count:
            self._cursor = self.nearest_stop(cursor, 1)
            self.call_after_refresh(self.keep_in_sight)
        self.refresh()
        self.cursor_moved()

    def strip_of(self, index: int, width: int) -> Strip:
        """One line."""
        plain = self.app.has_class(PLAIN)  # pyright: ignore[reportUnknownMemberType]
        ellipsis = (ASCII if plain else UNICODE).ellipsis
        return fit(self._draw(index, width), width, ellipsis).apply_style(
            self.visual_style.rich_style
        )

    def stops_at(self, index: int) -> bool:
        return self._stops(index)

    def cursor_moved(self) -> None:
        if self._cursor < self._line_count:
            self.post_message(self.Moved(self._cursor))

    def click_line(self, index: int, clicks: int) -> None:
        """Go to the line that was clicked on; a double click opens it."""
        super().click_line(index, clicks)
        if clicks > 1:
            self.action_choose()

    def action_choose(self) -> None:
        if self._cursor < self._line_count and self.stops_at(self._cursor):
            self.post_message(self.Chosen(self._cursor))
