"""A tab of the side panel: lines that are drawn only where they are seen, one of them chosen."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip

from agentview.domain.activity import Activity
from agentview.domain.value import Value
from agentview.store.changes import RowsChanged
from agentview.timeline.header import OpenSession
from agentview.ui.messages import RowRequested
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.text_lines import Piece, fit
from agentview.ui.widgets.lists.virtual_scroll import VirtualScrollView
from agentview.ui.widgets.sliced_work import TURNS, work_for

_PANEL = Binding.Group("Side panel")

SLICE = 0.004
"""Seconds of work at a time, between which keys and frames have their turn."""


class PanelView(Value):
    """What a tab is shown with; the width of `space` is not that of the tab."""

    space: RenderContext
    clock: Callable[[], float]
    """The time, epoch seconds UTC."""
    seen: Callable[[Activity], Activity]
    """The activity as it may be shown: secrets are masked when the person asked for it."""


class TabLine(Value):
    """One line: its left part, cut where it does not fit, and its right part."""

    left: Sequence[Piece]
    right: Sequence[Piece] = ()


class PanelTab(VirtualScrollView, can_focus=True):
    """A tab; it gets changes only while it is visible, and `begin` is called when it becomes.

    A subclass says how many lines there are (`show_lines`) and gives each one when it is drawn
    (`line`).
    """

    NAME: ClassVar[str] = ""
    """What the tab is called."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "move", key_display="j/k", id="panel.down", group=_PANEL,
                tooltip="Next line of the panel"),
        Binding("k,up", "move(-1)", "previous", show=False, id="panel.up", group=_PANEL,
                tooltip="Previous line of the panel"),
        Binding("enter,space", "choose", "go there", key_display="⏎", id="panel.choose",
                group=_PANEL, tooltip="Go to the activity of the line"),
        Binding("pagedown,ctrl+f", "page(1)", "page down", show=False, id="panel.page_down",
                group=_PANEL, tooltip="One screen down in the panel"),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False, id="panel.page_up",
                group=_PANEL, tooltip="One screen up in the panel"),
        Binding("g,home", "start", "start", show=False, id="panel.start", group=_PANEL,
                tooltip="To the first line of the panel"),
        Binding("G,end", "end", "end", show=False, id="panel.end", group=_PANEL,
                tooltip="To the last line of the panel"),
    ]  # fmt: skip

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tab--cursor", "tab--resting"}

    DEFAULT_CSS = """
    PanelTab {
        background: $background;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        overflow-y: auto;
        width: 1fr;
        height: 1fr;
        padding: 0 1;
        .tab--cursor { background: $block-cursor-background; }
        .tab--resting { background: $surface; }
    }
    """

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__()
        self.session = session
        self.view = view
        self.visible_now = False
        """Whether the tab is the one in front."""
        self.moved = False
        """Whether the person put the cursor where it is, since the tab came to the front."""
        self._line_count = 0
        self._cursor = 0
        self._work: asyncio.Task[None] | None = None
        self._drawn: dict[int, tuple[TabLine, str] | None] = {}
        """What each line of the screen shows."""

    # What a subclass gives

    def begin(self) -> None:
        """Show everything again: the tab came to the front, or nothing known holds any more."""
        raise NotImplementedError

    def take(self, change: RowsChanged) -> None:
        """Take part in what changed, for a tab in front; never called with `reset`."""
        del change
        self.begin()

    def line(self, index: int, width: int) -> TabLine:
        """A line, for `width` cells; called for each line when it is drawn."""
        raise NotImplementedError

    def row_of_line(self, index: int) -> int | None:
        """The row that a line is about; None for a line that leads nowhere."""
        del index
        return None

    def stops_at(self, index: int) -> bool:
        """Whether the cursor stops at a line; headings and empty lines it passes over."""
        return self.row_of_line(index) is not None

    def choose(self, index: int) -> None:
        """Do what `⏎` on a line, or a click on it, asks for."""
        row = self.row_of_line(index)
        if row is not None:
            self.post_message(RowRequested(row))

    def selected(self, row: int | None) -> None:
        """Hear which row is selected in the timeline; for a tab in front."""

    def ended(self) -> None:
        """Stop what continues in the background: the tab is not in front any more."""
        self.stop_work()

    # What a subclass uses

    @property
    def cursor(self) -> int:
        """The line that the cursor is on."""
        return self._cursor

    def show_lines(self, count: int, *, cursor: int | None = None, moved: int = 0) -> None:
        """There are so many lines now; `cursor` puts the cursor on one of them.

        `moved` says that the line under the cursor stands so many lines further down than before:
        it stays where it is on the screen.
        """
        self._line_count = count
        wanted = self._cursor + moved if cursor is None else cursor
        self._cursor = max(0, min(wanted, count - 1))
        if count and not self.stops_at(self._cursor):
            self._cursor = self._next(self._cursor, 1, count) or self._cursor
        self.take_length(self._line_count)
        if moved:
            self.scroll_to(y=self.scroll_y + moved, animate=False, immediate=True, force=True)
        if cursor is not None:
            self._keep_in_sight()
        self._refresh_changed()

    def work_through(self, steps: Iterator[None]) -> None:
        """Work through `steps`, instead of what was worked on before.

        A slice of it is done now, what is left continues on the event loop. Each step should take
        well under a millisecond.
        """
        self.stop_work()
        if not work_for(steps, SLICE):
            self._work = asyncio.create_task(self._slices(steps))

    def stop_work(self) -> None:
        """Give up what `work_through` is working on."""
        if self._work is not None:
            self._work.cancel()
            self._work = None

    async def _slices(self, steps: Iterator[None]) -> None:
        done = False
        while not done:
            for _ in range(TURNS):
                await asyncio.sleep(0)
            done = work_for(steps, SLICE)

    # What the panel does

    def bring_to_front(self, selected: int | None) -> None:
        """Show the tab, with all that changed while it was not seen."""
        self.visible_now = True
        self.moved = False
        self.display = True
        self.begin()
        self.selected(selected)

    def put_away(self) -> None:
        """Hide the tab: it does nothing from now on."""
        if self.visible_now:
            self.visible_now = False
            self.ended()
        self.display = False

    def set_view(self, view: PanelView) -> None:
        """Show everything in other looks."""
        self.view = view
        if self.visible_now:
            self.begin()
        self.refresh()

    def on_unmount(self) -> None:
        """Work on nothing any more."""
        self.stop_work()

    # Drawing

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.take_length(self._line_count)
        self._keep_in_sight()

    def render_line(self, y: int) -> Strip:
        """One line, as wide as there is room."""
        width = self.scrollable_content_region.width
        base = self.visual_style.rich_style
        self._drawn[y] = found = self._standing_at(y, width)
        if found is None:
            return Strip.blank(max(0, width), base)
        line, cursor = found
        strip = self._strip(line, width).apply_style(base)
        strip = strip.adjust_cell_length(width, base)
        if not cursor:
            return strip
        over = self.get_component_rich_style(cursor, partial=True)
        return Strip(Segment.apply_style(strip, post_style=over), width)

    def _standing_at(self, y: int, width: int) -> tuple[TabLine, str] | None:
        """What a line of the screen shows, and the style of the cursor where it is on it."""
        index = y + round(self.scroll_y)
        if not 0 <= index < self._line_count or width <= 0:
            return None
        cursor = ""
        if index == self._cursor and self.stops_at(index):
            cursor = "tab--cursor" if self.has_focus else "tab--resting"
        return self.line(index, width), cursor

    def _refresh_changed(self) -> None:
        """Draw those lines again that show something else: most changes are of one of them."""
        width, height = self.scrollable_content_region.size
        for y in range(height):
            if y not in self._drawn or self._drawn[y] != self._standing_at(y, width):
                self.refresh(Region(0, y, width, 1))

    def _strip(self, line: TabLine, width: int) -> Strip:
        ellipsis = self.view.space.glyphs.ellipsis
        right = fit(line.right, max(0, width - 1), ellipsis)
        room = width - right.cell_length - (1 if right.cell_length else 0)
        left = fit(line.left, max(0, room), ellipsis)
        if not right.cell_length:
            return left
        gap = Segment(" " * (width - left.cell_length - right.cell_length))
        return Strip([*left, gap, *right], width)

    # Cursor

    def action_move(self, delta: int) -> None:
        """Put the cursor on the next line at which it stops."""
        found = self._next(self._cursor + delta, delta, self._line_count)
        if found is None:
            self.scroll_relative(y=delta, animate=False, immediate=True, force=True)
        else:
            self._put_cursor(found)

    def action_page(self, delta: int) -> None:
        """Move by screens."""
        target = self._cursor + delta * max(1, self.size.height - 1)
        target = max(0, min(target, self._line_count - 1))
        found = self._next(target, delta, self._line_count)
        found = self._next(target, -delta, self._line_count) if found is None else found
        self._put_cursor(target if found is None else found)

    def action_start(self) -> None:
        """Go to the first line."""
        self._put_cursor(self._next(0, 1, self._line_count) or 0)
        self.scroll_to(y=0, animate=False, immediate=True, force=True)

    def action_end(self) -> None:
        """Go to the last line."""
        last = max(0, self._line_count - 1)
        found = self._next(last, -1, self._line_count)
        self._put_cursor(last if found is None else found)

    def action_choose(self) -> None:
        """Do what the line under the cursor asks for."""
        if self._cursor < self._line_count:
            self.choose(self._cursor)

    def on_click(self, event: events.Click) -> None:
        """Choose the line that was clicked on."""
        index = event.y + round(self.scroll_y)
        if index < self._line_count and self.stops_at(index):
            self._put_cursor(index)
            self.choose(index)

    def _next(self, index: int, step: int, count: int) -> int | None:
        while 0 <= index < count:
            if self.stops_at(index):
                return index
            index += 1 if step > 0 else -1
        return None

    def _put_cursor(self, index: int) -> None:
        self.moved = True
        self._cursor = max(0, min(index, self._line_count - 1))
        self._keep_in_sight()
        self.refresh()

    def _keep_in_sight(self) -> None:
        height, top = self.scrollable_content_region.height, round(self.scroll_y)
        if height <= 0:
            return
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, immediate=True, force=True)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False, immediate=True, force=True)
