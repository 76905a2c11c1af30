"""The row above the status line, with the session over time, where there is room for it."""

from collections.abc import Callable
from typing import Protocol

from textual.containers import Vertical

from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.rows_protocol import Rows
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.glyphs import Glyphs
from agentview.ui.render.style.palette import Palette
from agentview.ui.timeline.timeline_view import TimelineView

_AFTER = 0.4
"""Seconds after the start, from which the strip is shown."""


class _Minimap(Protocol):
    """Content of the strip, which is imported after the first frame."""

    def rows_changed(self, change: RowsChanged) -> None: ...

    def set_viewport(self, first: int | None, last: int | None) -> None: ...

    def set_view(self, palette: Palette, glyphs: Glyphs) -> None: ...


class Strip(Vertical):
    """Empty until the minimap comes, so that nothing moves."""

    def __init__(
        self, rows: Rows, timeline: TimelineView, space: Callable[[], RenderContext]
    ) -> None:
        """`space` says how the session is shown now."""
        super().__init__(id="strip")
        self._rows = rows
        self._timeline = timeline
        self._space = space
        self._minimap: _Minimap | None = None

    def on_mount(self) -> None:
        self.call_after_refresh(self.set_timer, _AFTER, self.add)

    async def add(self) -> None:
        """Show the session in one row."""
        from agentview.ui.timeline.minimap import Minimap

        minimap = Minimap(self._rows)
        await self.mount(minimap)
        minimap.set_viewport(self._timeline.first_visible, self._timeline.last_visible)
        self._minimap = minimap
        self.refresh_view()

    def refresh_view(self) -> None:
        if self._minimap is not None:
            space = self._space()
            self._minimap.set_view(space.palette, space.glyphs)

    def rows_changed(self, change: RowsChanged) -> None:
        if self._minimap is not None:
            self._minimap.rows_changed(change)

    def set_viewport(self, first: int | None, last: int | None) -> None:
        if self._minimap is not None:
            self._minimap.set_viewport(first, last)
