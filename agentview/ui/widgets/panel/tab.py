"""A tab of the side panel: lines that are drawn only where they are seen, one of them chosen."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Protocol, runtime_checkable

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip

from agentview.domain.activity import Activity
from agentview.domain.value import Value
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.header import OpenSession
from agentview.ui.messages import RowRequested
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.strip import strip_of
from agentview.ui.render.text_lines import Piece, fit
from agentview.ui.widgets.lists.cursor_list import CursorList
from agentview.ui.widgets.sliced_work import TURNS, work_for

PANEL = Binding.Group("Side panel")
"""The group of its keys."""

SLICE = 0.004
"""Seconds of work at a time, between which keys and frames have their turn."""


class PanelView(Value, gc=True):
    """Arguments of a tab's view; the width of `space` is not that of the tab."""

    space: RenderContext
    clock: Callable[[], float]
    """The time, epoch seconds UTC."""
    seen: Callable[[Activity], Activity]
    """The activity as it may be shown: secrets are masked when the person asked for it."""


@runtime_checkable
class _Speaks(Protocol):
    def say(self, text: str, /) -> None: ...


class TabLine(Value):
    """One line: its left part, cut where it does not fit, and its right part."""

    left: Sequence[Piece]
    right: Sequence[Piece] = ()


class PanelTab(CursorList, can_focus=True):
    """A tab; it gets changes only while it is visible, and `begin` is called when it becomes.

    A subclass says how many lines there are (`show_lines`) and gives each one when it is drawn
    (`line`).
    """

    NAME: ClassVar[str] = ""
    """Name of the tab."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "move", key_display="j/k", id="panel.down", group=PANEL,
                tooltip="Next line of the panel"),
        Binding("k,up", "move(-1)", "previous", show=False, id="panel.up", group=PANEL,
                tooltip="Previous line of the panel"),
        Binding("enter,space", "choose", "go there", key_display="⏎", id="panel.choose",
                group=PANEL, tooltip="Go to the activity of the line"),
        Binding("pagedown,ctrl+f", "page(1)", "page down", show=False, id="panel.page_down",
                group=PANEL, tooltip="One screen down in the panel"),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False, id="panel.page_up",
                group=PANEL, tooltip="One screen up in the panel"),
        Binding("g,home", "start", "start", show=False, id="panel.start", group=PANEL,
                tooltip="To the first line of the panel"),
        Binding("G,end", "end", "end", show=False, id="panel.end", group=PANEL,
                tooltip="To the last line of the panel"),
    ]  # fmt: skip

    COMPONENT_CLASSES: ClassVar[set[str]] = {"tab--cursor", "tab--resting"}

    DEFAULT_CSS = """
    PanelTab {
        width: 1fr;
        height: 1fr;
        .tab--cursor { background: $block-cursor-background; }
        .tab--resting { background: $surface; }
    }
    """

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__()
        self.session = session
        self.view = view
        self.visible_now = False
        """Whether the tab is the one in front; `moved` counts from when it came there."""
        self._work: asyncio.Task[None] | None = None
        self._drawn: dict[int, tuple[TabLine, str] | None] = {}
        """Content of each line of the screen."""

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
        """Return True for a line that leads somewhere."""
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

    def say(self, text: str) -> None:
        if isinstance(self.screen, _Speaks):
            self.screen.say(text)

    def show_lines(self, count: int, *, cursor: int | None = None, moved: int = 0) -> None:
        """There are so many lines now; `cursor` puts the cursor on one of them.

        `moved` says that the line under the cursor stands so many lines further down than before:
        it stays where it is on the screen.
        """
        self.take_length(count)
        self._cursor = self.nearest_stop(self._cursor + moved if cursor is None else cursor, 1)
        if moved:
            self.scroll_to(y=self.scroll_y + moved, animate=False, immediate=True, force=True)
        if cursor is not None:
            self.keep_in_sight()
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
        self.stop_work()

    # Drawing

    def strip_of(self, index: int, width: int) -> Strip:
        """One line: its left part and its right part."""
        made = self.line(index, width)
        self._drawn[index - round(self.scroll_y)] = made, self._cursor_on(index)
        return self._strip(made, width).apply_style(self.visual_style.rich_style)

    def text_of(self, index: int, width: int) -> Strip:
        return self._strip(self.line(index, width), width)

    def cursor_style(self) -> str:
        return "tab--cursor" if self.has_focus else "tab--resting"

    def _cursor_on(self, line: int) -> str:
        return self.cursor_style() if line == self._cursor and self.stops_at(line) else ""

    def _standing_at(self, y: int, width: int) -> tuple[TabLine, str] | None:
        """Return the content of a line of the screen, styled as the cursor where that is."""
        line = y + round(self.scroll_y)
        if not 0 <= line < self._line_count or width <= 0:
            return None
        return self.line(line, width), self._cursor_on(line)

    def _refresh_changed(self) -> None:
        """Draw those lines again that show something else: most changes are of one of them."""
        width, height = self.scrollable_content_region.size
        for y in range(height):
            found = self._standing_at(y, width)
            if y not in self._drawn or self._drawn[y] != found:
                self._drawn[y] = found
                self.refresh(Region(0, y, width, 1))

    def _strip(self, line: TabLine, width: int) -> Strip:
        ellipsis = self.view.space.glyphs.ellipsis
        right = fit(line.right, max(0, width - 1), ellipsis)
        room = width - right.cell_length - (1 if right.cell_length else 0)
        left = fit(line.left, max(0, room), ellipsis)
        if not right.cell_length:
            return left
        gap = Segment(" " * (width - left.cell_length - right.cell_length))
        return strip_of([*left, gap, *right], width)

    # Cursor

    def action_choose(self) -> None:
        if self._cursor < self._line_count:
            self.choose(self._cursor)

    def click_line(self, index: int, clicks: int) -> None:
        if self.stops_at(index):
            super().click_line(index, clicks)
            self.choose(index)
