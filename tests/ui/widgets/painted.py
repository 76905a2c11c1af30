"""An application with a timeline whose frames are painted into a terminal in memory."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pyte
from rich.console import RenderableType
from textual._compositor import CompositorUpdate
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from agentview.timeline.view.detail_levels import DetailPreferences
from agentview.timeline.view.rows_protocol import Rows
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.timeline.view_cache import RowViewFactory
from tests.ui.widgets.timeline_rows import PlainView, RawView, widget_for

MAKERS = RowViewFactory(RawView, PlainView, widget_for)


class TimelineApp(App[None]):
    """A timeline and a line below it; keeps the timeline's messages and what was painted."""

    CSS = "#below { height: 1; }"

    def __init__(self, rows: Rows, makers: RowViewFactory = MAKERS) -> None:
        super().__init__()
        self.timeline = TimelineView(rows, DetailPreferences(), RenderContext(1, PLAIN), makers)
        self.told: list[Message] = []
        self.frames = 0
        self.first_frame: list[str] = []
        self.terminal = pyte.Screen(80, 24)
        self._stream = pyte.Stream(self.terminal)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {"row-selected": "#333333", "row-running": "#00ff00"}

    def compose(self) -> ComposeResult:
        yield self.timeline
        yield Static("below", id="below")

    def on_timeline_view_selection_changed(self, message: TimelineView.SelectionChanged) -> None:
        self.told.append(message)

    def on_timeline_view_follow_changed(self, message: TimelineView.FollowChanged) -> None:
        self.told.append(message)

    def on_timeline_view_viewport_changed(self, message: TimelineView.ViewportChanged) -> None:
        self.told.append(message)

    def on_timeline_view_activity_opened(self, message: TimelineView.ActivityOpened) -> None:
        self.told.append(message)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)  # pyright: ignore[reportUnknownMemberType]
        if renderable is not None and not self._batch_count:
            self.frames += 1
            if (self.terminal.columns, self.terminal.lines) != self.size:
                self.terminal.resize(self.size.height, self.size.width)
                self.terminal.reset()
            assert isinstance(renderable, CompositorUpdate)
            self._stream.feed(renderable.render_segments(self.console))
            self.first_frame = self.first_frame or self.painted

    async def quiet(self, pilot: Pilot[None]) -> None:
        """Wait until every message is handled and every frame is painted."""
        frames = -1
        while frames != self.frames:
            frames = self.frames
            await pilot.pause(0.03)

    @property
    def painted(self) -> list[str]:
        """The lines of the timeline as the terminal shows them, without the scroll bar."""
        width = self.timeline.size.width - 1
        return [line[:width].rstrip() for line in self.terminal.display[:-1]]


@asynccontextmanager
async def shown(
    rows: Rows, width: int = 60, height: int = 21, makers: RowViewFactory = MAKERS
) -> AsyncGenerator[tuple[TimelineApp, TimelineView, Pilot[None]]]:
    """The application, running, with its first frame painted."""
    app = TimelineApp(rows, makers)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        yield app, app.timeline, pilot
