"""A long body that is scrolled: rows are made only when they are seen."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from agentview.domain.value import Value
from agentview.ui.render.collapsible import fold_at
from agentview.ui.render.containers import work_of
from agentview.ui.render.lazy_lines import LazyLines, joined, mark_selected, selected_text
from agentview.ui.render.style.highlight_matches import TextPattern, laid_over, mark_found
from agentview.ui.render.style.palette import Palette
from agentview.ui.widgets.deferred_layout import DeferredLayout
from agentview.ui.widgets.text_selection import selected_cells

MakeBody = Callable[[int], LazyLines]
"""Gives the body for a width in cells."""


class Match(Value):
    """Match of a search: a row of the body, and from where to where in its text."""

    row: int
    start: int
    end: int


_CURRENT = Style(reverse=True)
_SELECTED = 20_000
"""Rows that are taken from a selection at most."""

_SCROLL = Binding.Group("Scroll")


class Pager(ScrollView, can_focus=True):
    """Shows one body at a time, laid out again for each width."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "line(1)", "scroll", key_display="j/k", id="pager.down", group=_SCROLL,
                tooltip="Scroll down"),
        Binding("k,up", "line(-1)", "up", show=False, id="pager.up", group=_SCROLL,
                tooltip="Scroll up"),
        Binding("pagedown,space,ctrl+f", "screen(1)", "page down", show=False, id="pager.page_down",
                group=_SCROLL, tooltip="One screen down"),
        Binding("pageup,ctrl+b", "screen(-1)", "page up", show=False, id="pager.page_up",
                group=_SCROLL, tooltip="One screen up"),
        Binding("ctrl+d", "screen(0.5)", "half down", show=False, id="pager.half_down",
                group=_SCROLL, tooltip="Half a screen down"),
        Binding("ctrl+u", "screen(-0.5)", "half up", show=False, id="pager.half_up",
                group=_SCROLL, tooltip="Half a screen up"),
        Binding("g,home", "start", "start", show=False, id="pager.start", group=_SCROLL,
                tooltip="To the start"),
        Binding("G,end", "end", "end", show=False, id="pager.end", group=_SCROLL,
                tooltip="To the end"),
    ]  # fmt: skip

    DEFAULT_CSS = """
    Pager {
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        background: $background;
        overflow-x: hidden;
        overflow-y: auto;
        padding: 0 1;
    }
    """

    class PartClicked(Message):
        """The person clicked on the line that a part of the body is folded by."""

        def __init__(self, key: str) -> None:
            self.key = key
            super().__init__()

    class Finished(Message):
        """The shown body is whole now."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._make: MakeBody | None = None
        self._body: LazyLines | None = None
        self._made_for = -1
        self._found: TextPattern | None = None
        self._current: Match | None = None
        self._match_style = _CURRENT
        self._selection_style = _CURRENT
        self._finishing = DeferredLayout(self._finished)

    def on_unmount(self) -> None:
        self._finishing.close()

    @property
    def height(self) -> int:
        return self._body.height if self._body else 0

    @property
    def place(self) -> int:
        return round(self.scroll_y)

    @place.setter
    def place(self, row: int) -> None:
        # Forced, because whether there is anything to scroll is known only after the next layout.
        self.scroll_to(y=row, animate=False, force=True, immediate=True)

    def show(self, make: MakeBody, place: int = 0) -> None:
        """Show another body, from the row `place` on."""
        self.screen.clear_selection()
        self._make = make
        self._body = None
        self._made_for = -1
        self._current = None
        self.scroll_to(0, 0, animate=False, force=True, immediate=True)
        self._lay_out()
        if place:
            self.place = place

    def texts(self, start: int, stop: int) -> Sequence[str]:
        return [strip.text for strip in self._body.strips(start, stop)] if self._body else ()

    def take_palette(self, palette: Palette) -> None:
        """Set how matches and selected text look."""
        self._match_style = palette.match
        self._selection_style = palette.selection

    def show_matches(self, found: TextPattern | None, current: Match | None) -> None:
        """Mark what is found, one of them as the one gone to, which comes into view."""
        self._found, self._current = found, current
        if current is not None:
            height = max(1, self.scrollable_content_region.height)
            if not self.place <= current.row < self.place + height:
                self.place = max(0, current.row - height // 3)
        self.refresh()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if self._make is None or width <= 0:
            return
        if width != self._made_for:
            self._body = self._make(width)
            self._made_for = width
            self.virtual_size = Size(width, self._body.height)
            work = work_of(self._body)
            self._finishing.want({} if work is None else {0: work})
        self.refresh()

    def on_lexers_found(self) -> None:
        self.refresh()

    def _finished(self, _row: int) -> None:
        """Show what can be laid out whole by now."""
        self._made_for = -1
        self._lay_out()
        self.post_message(self.Finished())

    def on_click(self, event: events.Click) -> None:
        """Report which part of the body is to be folded or opened."""
        offset = event.get_content_offset(self)
        if self._body is None or offset is None:
            return
        key = fold_at(self._body, offset.y + round(self.scroll_y))
        if key is not None:
            event.stop()
            self.post_message(self.PartClicked(key))

    def render_line(self, y: int) -> Strip:
        """One row of the body."""
        width = self.scrollable_content_region.width
        row = y + self.place
        if self._body is None or not 0 <= row < self._body.height:
            return Strip.blank(width, self.rich_style)
        strips = self._body.strips(row, row + 1)
        strip = strips[0] if strips else Strip.blank(width)
        strip = self._marked(strip, row, width)
        strip = strip.adjust_cell_length(width, self.rich_style).apply_style(self.rich_style)
        # So that a selection with the mouse knows which text it is over.
        return strip.apply_offsets(0, row)

    def _marked(self, strip: Strip, row: int, width: int) -> Strip:
        """The row with matches and the selection laid over it."""
        if self._found is not None:
            strip = mark_found(strip, self._found, self._match_style, 0, width)
        text = strip.text
        if self._current is not None and self._current.row == row:
            start, end = self._current.start, self._current.end
            strip = laid_over(strip, cell_len(text[:start]), cell_len(text[:end]), _CURRENT)
        selected = self.text_selection
        if selected is not None:
            cells = selected_cells(selected, self._text)
            strip = mark_selected(self._body, row, strip, cells, self._selection_style)
        return strip

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text as it was before it was laid out, of a limited number of rows."""
        if self._body is None:
            return None
        cells = selected_cells(selection, self._text)
        start = cells.first[0] if cells.first is not None else 0
        end = cells.last[0] + 1 if cells.last is not None else self.height
        rows = range(start, min(end, start + _SELECTED))
        drawn = self._body.strips(rows.start, rows.stop)
        parts = selected_text(self._body, rows, lambda row: drawn[row - start], cells)
        return joined(parts), "\n"

    def _text(self, row: int) -> str:
        return "".join(self.texts(row, row + 1))

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw the selection as it is now."""
        del selection
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw all rows again: each is another one now."""
        super().watch_scroll_y(old_value, new_value)
        self.refresh(Region(0, 0, self.size.width, self.size.height))

    def action_line(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_y + rows, animate=False, immediate=True)

    def action_screen(self, screens: float) -> None:
        """Scroll by screens, one row of the last one staying in sight."""
        height = max(1, self.scrollable_content_region.height - 1)
        self.scroll_to(y=self.scroll_y + round(height * screens), animate=False, immediate=True)

    def action_start(self) -> None:
        self.scroll_to(y=0, animate=False, immediate=True)

    def action_end(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True)
