"""A list of any length with a cursor: lines are made only where they are seen."""

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from agentview.ui.render.lazy_lines import joined, mark_selected, selected_text
from agentview.ui.render.strip import strip_of
from agentview.ui.widgets.text_selection import selected_cells

MOVE = Binding.Group("Move")
"""Keys that move the cursor, in the help."""

_PLAIN = Style(dim=False, reverse=False)


def move_bindings(prefix: str, what: str, page_down: str = "pagedown,ctrl+f") -> list[Binding]:
    """The keys that move the cursor of a list; `what` is a line of it, `prefix` begins their ids.

    `page_down` are the keys for a page, where one of the usual ones does something else.
    """
    return [
        Binding("j,down", "move(1)", "move", key_display="j/k", id=f"{prefix}.down", group=MOVE,
                tooltip=f"Next {what}"),
        Binding("k,up", "move(-1)", "previous", show=False, id=f"{prefix}.up", group=MOVE,
                tooltip=f"Previous {what}"),
        Binding(page_down, "page(1)", "page down", show=False, id=f"{prefix}.page_down",
                group=MOVE, tooltip="One screen down"),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False, id=f"{prefix}.page_up",
                group=MOVE, tooltip="One screen up"),
        Binding("ctrl+d", "page(0.5)", "half down", show=False, id=f"{prefix}.half_down",
                group=MOVE, tooltip="Half a screen down"),
        Binding("ctrl+u", "page(-0.5)", "half up", show=False, id=f"{prefix}.half_up",
                group=MOVE, tooltip="Half a screen up"),
        Binding("g,home", "start", "start", show=False, id=f"{prefix}.start", group=MOVE,
                tooltip=f"To the first {what}"),
        Binding("G,end", "end", "end", show=False, id=f"{prefix}.end", group=MOVE,
                tooltip=f"To the last {what}"),
    ]  # fmt: skip


class CursorList(ScrollView):
    """Lines of one row each, drawn where they are in view, with a cursor that stops at some.

    A subclass sets the number of lines (`take_length`), gives each one when it is drawn
    (`strip_of`), and says at which the cursor stops (`stops_at`).
    """

    DEFAULT_CSS = """
    CursorList {
        background: $background;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        overflow-y: auto;
        padding: 0 1;
    }
    """

    lines_each = 1
    """Lines of what the cursor stops at."""

    def __init__(self) -> None:
        super().__init__()
        self.moved = False
        """Whether the person put the cursor where it is."""
        self._line_count = 0
        self._cursor = 0

    # What a subclass gives

    def strip_of(self, index: int, width: int) -> Strip:
        """Return a line as it is drawn without the cursor; it is cut or filled to `width` cells."""
        raise NotImplementedError

    def text_of(self, index: int, width: int) -> Strip:
        """Return a line as it is copied, in the cells that it is drawn in."""
        return self.strip_of(index, width)

    def stops_at(self, index: int) -> bool:
        """Return True if the cursor stops at a line; it passes over headings and empty lines."""
        raise NotImplementedError

    def cursor_style(self) -> str:
        """Return the component class of the line under the cursor."""
        return "list--cursor"

    def cursor_moved(self) -> None:
        """Take notice that the person moved the cursor."""

    def is_under_cursor(self, line: int) -> bool:
        return line == self._cursor and self.stops_at(line)

    def lines_of_cursor(self) -> tuple[int, int]:
        """First and last line that are to be in sight with the cursor: with a heading above it."""
        headed = self._cursor > 0 and not self.stops_at(self._cursor - 1)
        return self._cursor - headed, self._cursor

    def click_line(self, index: int, clicks: int) -> None:
        """Put the cursor on the line that was clicked on, the `clicks`-th time in a row."""
        del clicks
        self.put_cursor(self.nearest_stop(index, 1))

    # Lines

    def take_length(self, lines: int) -> None:
        """Set the number of lines; the screen is laid out again only where it needs to be."""
        self._line_count = lines
        room = self.scrollable_content_region
        size, before = Size(room.width, lines), self.virtual_size
        if (size.width, size.height > room.height) != (before.width, before.height > room.height):
            self.virtual_size = size
        elif size != before:
            self.set_reactive(Widget.virtual_size, size)  # pyright: ignore[reportArgumentType]
            self._scroll_update(size)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.take_length(self._line_count)
        self.keep_in_sight()

    def render_line(self, y: int) -> Strip:
        """One line, as wide as there is room."""
        plain = self.visual_style.rich_style
        width = self.scrollable_content_region.width
        line = y + round(self.scroll_y)
        if not 0 <= line < self._line_count or width <= 0:
            return Strip.blank(max(0, width), plain)
        strip = self.strip_of(line, width).adjust_cell_length(width, plain)
        if self.is_under_cursor(line):
            over = self.get_component_rich_style(self.cursor_style(), partial=True)
            strip = strip_of(Segment.apply_style(strip, post_style=over), width)
        selected = self.text_selection
        if selected is not None:
            style = self.screen.get_component_rich_style("screen--selection") + _PLAIN
            strip = mark_selected(None, line, strip, selected_cells(selected, self._text), style)
        # So that a selection with the mouse knows which text it is over.
        return strip.apply_offsets(0, line)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text of lines."""
        cells, width = selected_cells(selection, self._text), self._room
        start = cells.first[0] if cells.first is not None else 0
        stop = cells.last[0] + 1 if cells.last is not None else self._line_count
        rows = range(start, min(stop, self._line_count))
        lines = selected_text(None, rows, lambda line: self.text_of(line, width), cells)
        return joined(lines), "\n"

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width

    def _text(self, line: int) -> str:
        return self.text_of(line, self._room).text if line < self._line_count else ""

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection as it is now."""
        del selection
        self.refresh()

    # Cursor

    @property
    def cursor(self) -> int:
        return self._cursor

    def next_stop(self, line: int, step: int) -> int | None:
        """Return the first line from `line` on, in a direction, at which the cursor stops."""
        while 0 <= line < self._line_count:
            if self.stops_at(line):
                return line
            line += 1 if step > 0 else -1
        return None

    def nearest_stop(self, line: int, step: int) -> int:
        """Return where the cursor stops from a line on, in a direction, else in the other one."""
        line = max(0, min(line, self._line_count - 1))
        found = self.next_stop(line, step)
        found = self.next_stop(line, -step) if found is None else found
        return line if found is None else found

    def put_cursor(self, line: int) -> None:
        """Put the cursor on a line, as the person asked for."""
        self.moved = True
        before, self._cursor = self._cursor, line
        self.keep_in_sight()
        top, width = round(self.scroll_y), self.outer_size.width
        self.refresh(*(Region(0, each - top, width, self.lines_each) for each in (before, line)))
        self.cursor_moved()

    def keep_in_sight(self) -> None:
        """Scroll as far as it takes to see the cursor, and what belongs to it."""
        height, top = self.scrollable_content_region.height, round(self.scroll_y)
        if height <= 0:
            return
        first, last = self.lines_of_cursor()
        if last - first >= height:
            first = last = self._cursor
        if first < top:
            self.scroll_to(y=first, animate=False, immediate=True, force=True)
        elif last >= top + height:
            self.scroll_to(y=last - height + 1, animate=False, immediate=True, force=True)

    def on_click(self, event: events.Click) -> None:
        """Pass on which line was clicked on."""
        if self.text_selection is not None:
            return
        offset = event.get_content_offset(self)
        line = None if offset is None else offset.y + round(self.scroll_y)
        if line is not None and line < self._line_count:
            self.click_line(line, event.chain)

    def action_move(self, lines: int) -> None:
        """Move the cursor by lines; where it stops at none further on, scroll."""
        found = self.next_stop(self._cursor + lines, lines)
        if found is None:
            self.scroll_relative(y=lines, animate=False, immediate=True, force=True)
        else:
            self.put_cursor(found)

    def action_page(self, screens: float) -> None:
        """Move the cursor by screens."""
        lines = round(max(1, self.scrollable_content_region.height - 1) * screens)
        self.put_cursor(self.nearest_stop(self._cursor + lines, 1 if screens > 0 else -1))

    def action_start(self) -> None:
        """Put the cursor on the first line at which it stops."""
        self.put_cursor(self.nearest_stop(0, 1))
        self.scroll_to(y=0, animate=False, immediate=True, force=True)

    def action_end(self) -> None:
        self.put_cursor(self.nearest_stop(self._line_count - 1, -1))
