"""What stands next to the timeline of a session: the side panel, made when asked for; the strip."""

from typing import Protocol

from textual import events, on
from textual.widget import Widget

from agentview.store.changes import RowsChanged
from agentview.timeline.detail_levels import DetailLevel
from agentview.timeline.rows_protocol import FoldingRows, LogRows
from agentview.ui.messages import ActivityClicked, RowRequested
from agentview.ui.render.glyphs import Glyphs
from agentview.ui.render.highlight_matches import found_pattern
from agentview.ui.render.palette import Palette
from agentview.ui.render.render_options import timeline_space
from agentview.ui.screens.session.actions import SessionActions
from agentview.ui.timeline.timeline_view import TimelineView

ROOM_FOR_BOTH = 100
"""Columns from which the panel stands next to the timeline; below them it takes its place."""


class SessionBody(Widget):
    """The timeline, or the notice that stands for it, and what is next to it."""

    BLANK = True

    DEFAULT_CSS = """
    SessionBody {
        layout: horizontal;
        width: 1fr;
        height: 1fr;
    }
    """


class _Panel(Protocol):
    """The side panel as the screen knows it, which is imported when it is first asked for."""

    @property
    def has_keys(self) -> bool: ...

    async def open(self, selected: int | None) -> None: ...

    def close(self) -> None: ...

    def take_keys(self) -> None: ...

    def leave_keys(self) -> None: ...

    def rows_changed(self, change: RowsChanged) -> None: ...

    def selection_changed(self, row: int | None) -> None: ...

    def show_anew(self) -> None: ...


class _Minimap(Protocol):
    """The strip as the screen knows it, which is imported after the first frame."""

    def rows_changed(self, change: RowsChanged) -> None: ...

    def set_viewport(self, first: int | None, last: int | None) -> None: ...

    def set_view(self, palette: Palette, glyphs: Glyphs) -> None: ...


class SessionSide(SessionActions):
    """The side panel, how it comes and goes, and the strip; and what is asked for in them."""

    _body: SessionBody
    _panel: _Panel | None = None
    _strip: _Minimap | None = None

    async def add_strip(self) -> None:
        """Show the session in one row, in the one that is there for it where there is room."""
        # Not wanted for the first frame.
        from agentview.ui.timeline.minimap import Minimap

        strip = Minimap(self.session)
        await self.query_one("#strip").mount(strip)
        strip.set_viewport(self.timeline.first_visible, self.timeline.last_visible)
        self._strip = strip
        self._show_sides_anew()

    @on(TimelineView.ViewportChanged)
    def _viewport_changed(self, event: TimelineView.ViewportChanged) -> None:
        event.stop()
        if self._strip is not None:
            self._strip.set_viewport(event.first, event.last)

    def _tell_sides(self, change: RowsChanged) -> None:
        for side in (self._panel, self._strip):
            if side is not None:
                side.rows_changed(change)

    def _show_sides_anew(self) -> None:
        if self._panel is not None:
            self._panel.show_anew()
        if self._strip is not None:
            space = timeline_space(self.looks.settings, self.looks.palette)
            self._strip.set_view(space.palette, space.glyphs)

    async def action_panel(self) -> None:
        """Show the side panel, go into it, or put it away."""
        if self._panel is None:
            await self._open_panel()
        elif not self.has_class("-panel"):
            self._show_panel()
            await self._panel.open(self.timeline.selected)
        elif self._panel.has_keys:
            self._close_panel()
        else:
            self._panel.take_keys()

    async def _open_panel(self) -> None:
        # Not wanted for the first frame.
        from agentview.ui.widgets.panel.side_panel import SidePanel
        from agentview.ui.widgets.panel.tab import PanelView

        def view() -> PanelView:
            looks = self.looks
            return PanelView(timeline_space(looks.settings, looks.palette), looks.clock, looks.seen)

        panel = self._panel = SidePanel(self.session, view)
        self._show_panel()
        await self._body.mount(panel)
        await panel.open(self.timeline.selected)

    def _show_panel(self) -> None:
        self._suit_width(self.size.width)
        self.add_class("-panel")

    def _close_panel(self) -> None:
        if self._panel is not None:
            self._panel.close()
            self.remove_class("-panel")

    def _suit_width(self, width: int) -> None:
        self.set_class(width < ROOM_FOR_BOTH, "-narrow")

    def on_resize(self, event: events.Resize) -> None:
        """Put the panel next to the timeline, or in its place, as there is room."""
        if self._panel is not None:
            self._suit_width(event.size.width)

    def _leave_panel(self) -> None:
        """Give the keys to the timeline; the panel stays where there is room for both."""
        if self.has_class("-narrow"):
            self._close_panel()
        elif self._panel is not None:
            self._panel.leave_keys()

    def on_descendant_focus(self) -> None:
        """Hint at the keys that go there."""
        self._status.forget_keys()

    def on_descendant_blur(self) -> None:
        """Hint at the keys of the timeline again."""
        self._status.forget_keys()

    def on_side_panel_left(self) -> None:
        """Go back to the timeline."""
        self._leave_panel()

    @on(ActivityClicked)
    def _timeline_clicked(self) -> None:
        if self._panel is not None:
            self._panel.leave_keys()

    @on(RowRequested)
    def _row_asked(self, event: RowRequested) -> None:
        event.stop()
        self.show_place(event.row)
        if self.has_class("-narrow"):
            self._close_panel()

    def open_at(self, place: tuple[int, int] | None, query: str) -> None:
        """Begin at the activity of a place, shown in full, with a search for what was found there.

        The place is gone to as soon as it is read.
        """
        if query:
            self._finder.begin(query)
        if place is not None:
            self._awaited.go("what was found", lambda: self._arrive(place, query))

    def _arrive(self, place: tuple[int, int], query: str) -> bool:
        session = self.session
        row = session.row_of(*place) if isinstance(session, LogRows) else None
        if row is None:
            all_read = session.header().indexed >= 1.0
            if all_read:
                self._status.say("what was found is no longer in the log")
            return all_read
        if self.show_place(row) and (selected := self.timeline.selected) is not None:
            self.timeline.set_level(selected, DetailLevel.FULL)
            if (found := found_pattern(query)) is not None:
                self.timeline.show_match(selected, found)
        return True

    def show_place(self, row: int) -> bool:
        """Select the activity that shows a row; False, and said why, where none is shown."""
        session = self.session
        if isinstance(session, LogRows):
            shows = session.joined_with(row)
            row = row if shows is None else shows
        if isinstance(session, FoldingRows) and session.is_folded(row):
            session.open_fold(row)
        if self.timeline.select(row):
            return True
        why = "hidden by the filter" if session.shown(row) else "a hidden record; R shows those"
        self._status.say(why)
        return False
