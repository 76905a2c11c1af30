"""The timeline of a session, what stands for it while it is empty, and the side panel."""

from collections.abc import Callable
from typing import Protocol

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget

from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.header import HeaderFacts, LogPresence, OpenSession
from agentview.ui.render.render_options import timeline_space
from agentview.ui.screens.session.options import ViewOptions
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.empty_state import EmptyState

ROOM_FOR_BOTH = 100
"""Columns from which the panel stands next to the timeline; below them it takes its place."""


class _Panel(Protocol):
    """The side panel as the body knows it, which is imported when it is first asked for."""

    @property
    def has_keys(self) -> bool: ...

    async def open(self, selected: int | None) -> None: ...

    def close(self) -> None: ...

    def take_keys(self) -> None: ...

    def leave_keys(self) -> None: ...

    def rows_changed(self, change: RowsChanged) -> None: ...

    def selection_changed(self, row: int | None) -> None: ...

    def refresh_view(self) -> None: ...


class SessionBody(Widget):
    """The panel is made when it is first asked for."""

    BLANK = True

    DEFAULT_CSS = """
    SessionBody {
        layout: horizontal;
        width: 1fr;
        height: 1fr;
    }
    """

    def __init__(
        self, session: OpenSession, timeline: TimelineView, options: Callable[[], ViewOptions]
    ) -> None:
        """`options` says how the session is shown now."""
        super().__init__()
        self._session = session
        self._timeline = timeline
        self._options = options
        self._notice = EmptyState()
        self._panel: _Panel | None = None
        self.empty = False
        """Whether a notice is shown, since no row is."""

    def compose(self) -> ComposeResult:
        """The timeline, and the notice in its place."""
        yield self._timeline
        yield self._notice

    # The side panel

    @property
    def shows_panel(self) -> bool:
        return self.has_class("-panel")

    async def toggle_panel(self) -> None:
        if self._panel is None:
            await self._open_panel()
        elif not self.shows_panel:
            self._show_panel()
            await self._panel.open(self._timeline.selected)
        elif self._panel.has_keys:
            self._close_panel()
        else:
            self._panel.take_keys()

    def rows_changed(self, change: RowsChanged) -> None:
        if self._panel is not None:
            self._panel.rows_changed(change)

    def selection_changed(self, row: int | None) -> None:
        if self._panel is not None:
            self._panel.selection_changed(row)

    def refresh_view(self) -> None:
        if self._panel is not None:
            self._panel.refresh_view()

    def suit_width(self, width: int) -> None:
        if self._panel is not None:
            self.set_class(width < ROOM_FOR_BOTH, "-narrow")

    def uncover(self) -> None:
        """Close the panel where it takes the place of the timeline."""
        if self.has_class("-narrow"):
            self._close_panel()

    def on_side_panel_left(self) -> None:
        if self.has_class("-narrow"):
            self._close_panel()
        elif self._panel is not None:
            self._panel.leave_keys()

    @on(TimelineView.Clicked)
    def _timeline_clicked(self) -> None:
        if self._panel is not None:
            self._panel.leave_keys()

    async def _open_panel(self) -> None:
        # Not wanted for the first frame.
        from agentview.ui.widgets.panel.side_panel import SidePanel
        from agentview.ui.widgets.panel.tab import PanelView

        def view() -> PanelView:
            options = self._options()
            return PanelView(
                timeline_space(options.settings, options.palette), options.clock, options.seen
            )

        panel = self._panel = SidePanel(self._session, view)
        self._show_panel()
        await self.mount(panel)
        await panel.open(self._timeline.selected)

    def _show_panel(self) -> None:
        self.suit_width(self.size.width)
        self.add_class("-panel")

    def _close_panel(self) -> None:
        if self._panel is not None:
            self._panel.close()
            self.remove_class("-panel")

    # The notice

    def show_notice(self, facts: HeaderFacts, filter_line: str | None) -> None:
        """Say why there is nothing to see, when there is nothing."""
        empty = self._timeline.empty
        if empty != self.empty:
            # Said to the two alone: a class of their parent would reckon the styles of all in it.
            self.empty = empty
            self._notice.set_class(empty, "-shown")
            self._timeline.styles.display = "none" if empty else None
            # The timeline asks for none while its first rows are mounted.
            self.refresh(layout=True)
        if not empty:
            return
        path = self._session.ref.path
        if filter_line is not None:
            self._notice.say("no matches", (filter_line, "esc shows all"), "⊘")
        elif facts.presence is LogPresence.AWAITED:
            self._notice.say("waiting for the session to begin", (path,))
        elif facts.presence is LogPresence.REMOVED:
            self._notice.say("the log was removed before anything was read", (path,), "⊘")
        elif facts.presence is LogPresence.UNREADABLE:
            self._notice.say("the log cannot be read", (path,), "⊘")
        elif not facts.all_read:
            self._notice.say("reading", (path,))
        elif facts.rows:
            hidden = f"{counted(facts.rows, 'record')}, all of them hidden; R shows them"
            self._notice.say("nothing to show yet", (hidden, path), "○")
        else:
            self._notice.say("nothing has been written yet", (path,), "○")
