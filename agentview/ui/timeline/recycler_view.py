"""A window of recycled widgets over the rows of a session, laid out by itself.

Nothing here scrolls in Textual's sense: the widgets in view are placed where they stand in the
viewport, and every change of any sort comes to the screen with the next arrangement, so that many
changes cost one frame.
"""

import asyncio
from collections.abc import Container
from dataclasses import replace
from typing import TypeVar

from textual.app import ComposeResult
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import DockArrangeResult, WidgetPlacement
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from agentview.timeline.cursor import TimelineCursor
from agentview.timeline.detail_levels import DetailPreferences
from agentview.timeline.rows_protocol import FoldingRows, Rows, RowsChanged, is_folded
from agentview.ui.activity_widget import ActivityWidget, RowLayout
from agentview.ui.render.glyphs import Glyphs
from agentview.ui.render.highlight_matches import Highlights, TextPattern
from agentview.ui.render.incremental import LayoutWork
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.palette import Palette
from agentview.ui.render.syntax import prepare
from agentview.ui.timeline.prefetch_pool import SAMPLE, PrefetchingWidget
from agentview.ui.timeline.scrollbar import NewSince, TimelineScrollbar, TurnSeparator, thumb
from agentview.ui.timeline.view_cache import CachedRowView, RowViewCache, RowViewFactory
from agentview.ui.widgets.deferred_layout import DeferredLayout

_IDLE_WIDGETS = 160
_STOCK_AFTER = 0.3
"""Seconds after the start, from which widgets are mounted beforehand."""
_STAMPS = 2**30

Result = TypeVar("Result")


class _Arrangement(DockArrangeResult):
    """Placements in lines of the viewport: all of them are in view, and nothing is beyond it."""

    size = Size(0, 0)

    @property
    def total_region(self) -> Region:
        """The viewport."""
        return self.size.region


class RowWindow(PrefetchingWidget):
    """The rows in view as widgets; a subclass moves the reader and calls `_act`."""

    BLANK = True
    ALLOW_SELECT = False

    def __init__(
        self,
        rows: Rows,
        preferences: DetailPreferences,
        space: RenderContext,
        makers: RowViewFactory,
        *,
        ruled: bool = True,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(makers.widget_for, id=id)
        self._cards = RowViewCache(rows.activity, makers)
        self._space = replace(space, width=1)
        self._area = Size(0, 0)
        self._reader = TimelineCursor(rows, preferences, self._measure, ruled=ruled)
        self._bound: dict[ActivityWidget, tuple[int, RowLayout]] = {}
        self._stamps: dict[Widget, int] = {}
        self._arrangement = _Arrangement([], set(), NULL_SPACING)
        self._dirty = True
        self._marked: ActivityWidget | None = None
        self._ticker: Timer | None = None
        self._marks = Highlights()
        self._bookmarks: Container[int] = ()
        self._new_words = ""
        self._rail = TimelineScrollbar()
        self._dress()
        self._finishing = DeferredLayout(self._finished)
        self._unsubscribe = rows.subscribe(self._rows_changed)

    def compose(self) -> ComposeResult:
        """The widgets of the first screenful, so that the first layout already has them."""
        yield self._rail
        self._measure_area(self.screen.size)
        self._reader.settle()
        cards, rules = self._wanted()
        yield from self._pool.order(cards)[1]
        yield from self._rules.order(rules)[1]

    def set_looks(
        self,
        palette: Palette | None = None,
        *,
        split: bool | None = None,
        glyphs: Glyphs | None = None,
    ) -> None:
        """Other colours or signs, diffs side by side or not; None leaves things as they are."""
        space = self._space
        self._space = replace(
            space,
            palette=palette or space.palette,
            split=space.split if split is None else split,
            glyphs=glyphs or space.glyphs,
        )
        self._cards.clear()
        self._dress()
        self._act(self._reader.invalidate())

    def set_view(
        self, space: RenderContext, preferences: DetailPreferences, *, ruled: bool
    ) -> None:
        """Other looks of every sort, but for the width; what the reader chose for rows stays."""
        self._space = replace(space, width=self._space.width)
        self._cards.clear()
        self._dress()
        self._act(self._reader.prefer(preferences, ruled=ruled))

    def refresh_rows(self) -> None:
        """Draw the rows in view again: time has passed."""
        for widget in self._pool.shown.values():
            widget.refresh()

    def show_found(self, found: TextPattern | None) -> None:
        """Mark what is found in the rows; None marks nothing."""
        self._marks = Highlights(found)
        self._act(None)

    def show_bookmarks(self, rows: Container[int]) -> None:
        """Mark these rows as bookmarked, and no others."""
        self._bookmarks = rows
        self._act(None)

    def show_new_since(self, row: int | None, words: str) -> None:
        """Draw a line with these words above a row, and above no other."""
        if self._reader.set_first_new(row) or words != self._new_words:
            self._new_words = words
            self._act(None)

    # Rows and their cards

    def _rows_changed(self, change: RowsChanged) -> None:
        if change.reset:
            self._cards.forget()
        for row in change.updated:
            self._cards.drop(row)
        self._reader.take(change)
        self._keep_open(change)
        if self._covered():
            return
        if self._reader.window.placed:
            # Laid out when the frame is made: rows that came and went before it cost nothing.
            self._refresh_scroll()
        else:
            self._show()

    def _keep_open(self, change: RowsChanged) -> None:
        """Leave what the reader looks at in its place when its branch was abandoned just now."""
        reader = self._reader
        rows = reader.shown.rows
        if reader.follow or not change.appended or not isinstance(rows, FoldingRows):
            return
        for item in reader.window.placed:
            if is_folded(rows, item.row):
                rows.open_fold(item.row)
                return

    def _covered(self) -> bool:
        """Whether another screen hides this one: all that changed is laid out when it goes away."""
        if not self.is_attached or self.screen.is_active:
            return False
        front: Screen[object] = self.app.screen  # pyright: ignore[reportUnknownMemberType]
        return front.styles.background.a == 1

    def _card(self, row: int) -> CachedRowView:
        reader = self._reader
        return self._cards.card(
            row, reader.shown.level(row), self._space, raw=reader.shown.detail.raw(row)
        )

    def _measure(self, row: int) -> int:
        return self._card(row).view.height

    def _wanted(self) -> tuple[dict[int, type[ActivityWidget]], dict[int, type[TurnSeparator]]]:
        """Widget classes for the rows in view, and which of them have their rule in view."""
        reader = self._reader
        placed = reader.window.placed
        return (
            {item.row: self._widget_for(reader.shown.kind(item.row)) for item in placed},
            {
                item.row: NewSince if item.row == reader.shown.first_new else TurnSeparator
                for item in placed
                if item.y >= 0 and reader.shown.has_rule(item.row)
            },
        )

    # Layout

    def arrange(self, size: Size, optimal: bool = False) -> DockArrangeResult:  # noqa: ARG002
        """The widgets in view, placed in the viewport; called for every frame."""
        if size != self._area:
            self._measure_area(size)
        self._present()
        return self._arrangement

    def _size_updated(
        self,
        size: Size,
        virtual_size: Size,
        container_size: Size,
        layout: bool = True,  # noqa: ARG002
    ) -> bool:
        # A size that is laid out already must not ask for another layout and frame.
        return super()._size_updated(size, virtual_size, container_size, layout=False)

    def _measure_area(self, size: Size) -> None:
        width = max(1, size.width - 1)
        rewrapped = width != self._space.width
        if rewrapped:
            self._space = replace(self._space, width=width)
            self._cards.clear()
        self._area = size
        self._reader.resize(size.height, rewrapped=rewrapped)
        self._dirty = True

    def _act(self, result: Result) -> Result:
        """Bring what a call of the reader did to the screen; returns what it returned."""
        self._dirty = True
        self._show()
        return result

    def _show(self) -> None:
        """Have a frame made, unless mounting will."""
        if not self._area or self._present():
            self._refresh_scroll()

    def _present(self) -> bool:
        """Make the arrangement that shows the rows in view; True when it does.

        Where widgets are missing, the earlier one stands until they are mounted: no row is ever
        blank.
        """
        self._settle()
        if not self._dirty:
            return True
        cards, rules = self._wanted()
        enough, fresh = self._pool.order(cards)
        enough_rules, fresh_rules = self._rules.order(rules)
        if fresh or fresh_rules:
            self.call_next(self._mount_more, fresh, fresh_rules)
        if not (enough and enough_rules):
            return False
        self._dirty = False
        self._pool.assign(cards)
        self._rules.assign(rules)
        self._mark()
        self._place()
        self._report()
        if surplus := self._pool.surplus(_IDLE_WIDGETS):
            self.call_next(self._remove, surplus)
        if self._stock.short:
            self._stock_soon()
        return True

    def _settle(self) -> None:
        """Lay out the rows in view; whoever asks for that, the next frame must show it."""
        self._dirty = self._reader.settle() or self._dirty

    def _dress(self) -> None:
        """Give the signs in use to what is not an activity."""
        self._rail.sign = "#" if self._space.glyphs.rule.isascii() else "▐"
        for widget in (self._rail, *self._rules.shown.values()):
            self._stamp(widget)

    def _report(self) -> None:
        """Tell the screen what became different: called after each change of what is in view."""

    def _place(self) -> None:
        reader, width = self._reader, self._space.width
        size = self._area
        placements: list[WidgetPlacement] = []
        ticking = False
        works: dict[int, LayoutWork] = {}
        for row, y, _ in reader.window.placed:
            card = self._card(row)
            widget = self._pool.shown[row]
            if self._bound.get(widget) != (row, card.view):
                self._bound[widget] = (row, card.view)
                widget.bind(row, card.view)
                self._stamp(widget)
            marked = row in self._bookmarks
            if widget.mark(replace(self._marks, bookmarked=True) if marked else self._marks):
                self._stamp(widget)
            if row in self._rules.shown:
                rule = self._rules.shown[row]
                rule.sign = self._space.glyphs.rule
                if isinstance(rule, NewSince):
                    rule.words = self._new_words
                line = Region(card.indent, y, width - card.indent, 1)
                placements.append(self._placement(rule, line))
            top = y + reader.shown.has_rule(row)
            region = Region(card.indent, top, width - card.indent, max(1, card.view.height))
            placements.append(self._placement(widget, region))
            ticking = ticking or card.ticking
            if (work := card.view.work) is not None:
                works[row] = work
        placements.append(self._placement(self._rail, self._rail_region()))
        self._arrangement = _Arrangement(placements, set(self.children), NULL_SPACING)
        self._arrangement.size = size
        self._tick_while(ticking)
        self._finishing.want(works)

    def _finished(self, row: int) -> None:
        """Lay out a row again that can be laid out whole by now."""
        self._rows_changed(RowsChanged(updated=(row,)))

    def _placement(self, widget: Widget, region: Region) -> WidgetPlacement:
        # The size is made known beforehand, or taking it over would ask for another layout. The
        # stamp makes a place differ when only what is shown there does: that repaints it.
        widget.set_reactive(Widget.virtual_size, region.size)  # pyright: ignore[reportArgumentType]
        stamp = self._stamps.get(widget, 0)
        return WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, widget, stamp)

    def _stamp(self, widget: Widget) -> None:
        self._stamps[widget] = (self._stamps.get(widget, 0) + 1) % _STAMPS

    def _rail_region(self) -> Region:
        window, (width, height) = self._reader.window, self._area
        top, length = thumb(
            window.line,
            self._reader.shown.heights.total,
            height,
            at_start=window.at_start,
            at_end=window.at_end,
        )
        if self._rail.show(self._rail.top if self._rail.grabbed else top, length):
            self._stamp(self._rail)
        return Region(width - 1, 0, 1, height)

    def _mark(self) -> None:
        """Have the widget of the selected row drawn as such, and no other."""
        selected = self._reader.selected
        widget = None if selected is None else self._pool.shown.get(selected)
        if widget is not self._marked and self._marked is not None and self._marked.select(False):
            self._stamp(self._marked)
        if widget is not None and widget.select(True):
            self._stamp(widget)
        self._marked = widget

    # Widgets come and go

    def on_mount(self) -> None:
        """Take the widgets of the first screenful."""
        self._pool.add(child for child in self.children if isinstance(child, ActivityWidget))
        self._rules.add(child for child in self.children if isinstance(child, TurnSeparator))
        self._act(None)
        self.set_timer(_STOCK_AFTER, self._expect)

    def _came(self) -> None:
        self._act(None)

    def _expect(self) -> None:
        asyncio.get_running_loop().run_in_executor(None, prepare)
        self._expect_kinds(self._reader.shown.traits.census(SAMPLE), self._area.height)

    def on_unmount(self) -> None:
        """Listen no longer."""
        self._finishing.close()
        self._unsubscribe()

    async def _remove(self, widgets: list[ActivityWidget]) -> None:
        for widget in widgets:
            self._bound.pop(widget, None)
            self._stamps.pop(widget, None)
        await self.remove_children(widgets)

    # Time

    def _tick_while(self, ticking: bool) -> None:
        """A tick a second while a running call is in view, and none else."""
        if ticking and self._ticker is None:
            self._ticker = self.set_interval(1, self._tick)
        elif not ticking and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _tick(self) -> None:
        if self._covered():
            return
        for row, widget in self._pool.shown.items():
            if self._card(row).ticking:
                widget.refresh()
