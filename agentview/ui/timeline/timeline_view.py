"""The timeline of a session: a window of recycled widgets over its rows, with a selected row."""

import asyncio
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from time import monotonic
from typing import Self, TypeVar

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.layout import DockArrangeResult
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from agentview.domain.activity import Kind
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences
from agentview.timeline.view.filter.row_flags import RowFlag
from agentview.timeline.view.rows_protocol import FoldingRows, Rows, RowsChanged, is_folded
from agentview.timeline.view.view_state.cursor import TimelineCursor
from agentview.ui.activity_widget import ActivityWidget, body_space
from agentview.ui.render.collapsible import Folds
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.highlight_matches import Highlights, TextPattern
from agentview.ui.render.syntax import prepare
from agentview.ui.timeline.drag_selection import DragSelection
from agentview.ui.timeline.match_reveal import MatchLine
from agentview.ui.timeline.prefetch_pool import SAMPLE, PrefetchPool
from agentview.ui.timeline.row_arrangement import RowArrangement
from agentview.ui.timeline.scrollbar import NewSince, TimelineScrollbar, TurnSeparator
from agentview.ui.timeline.turn_heading import TurnHeading, TurnHeadings, TurnInView
from agentview.ui.timeline.view_cache import CachedRowView, RowViewCache, RowViewFactory
from agentview.ui.widgets.deferred_layout import DeferredLayout, Steps

_IDLE_WIDGETS = 160
_STOCK_AFTER = 0.3
"""Seconds after the start, from which widgets are mounted beforehand."""
_FRAME = 1 / 60
"""Seconds between two frames, at least."""
_WHEEL_LINES = 3
_FEW_LINES = 40
"""Lines of a row, below its full level, that are looked at for what was found."""

Result = TypeVar("Result")


class TimelineView(Widget):
    """Rows of a session in a viewport, with a selected row.

    It takes no focus and has no keys: the screen calls the methods below.
    """

    BLANK = True
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TimelineView {
        width: 1fr;
        height: 1fr;
        overflow: hidden hidden;
    }
    """

    class SelectionChanged(Message):
        """Another row is selected; None when there is none."""

        def __init__(self, row: int | None) -> None:
            self.row = row
            super().__init__()

    class FollowChanged(Message):
        """Follow was switched, or rows were added below the end of the view."""

        def __init__(self, following: bool, new_count: int) -> None:
            self.following = following
            self.new_count = new_count
            super().__init__()

    class ViewportChanged(Message):
        """Other rows are in view; None when there are none."""

        def __init__(self, first: int | None, last: int | None) -> None:
            self.first = first
            self.last = last
            super().__init__()

    class Clicked(Message):
        """The person clicked on a row."""

    class ActivityOpened(Message):
        """The reader wants the row on a screen of its own."""

        def __init__(self, row: int) -> None:
            self.row = row
            super().__init__()

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
        super().__init__(id=id)
        self.turn_in_view: TurnInView | None = None
        """Shows the heading of the turn whose prompt is above the view."""
        self._widget_for = makers.widget_for
        self._cards = RowViewCache(rows.activity, makers)
        self._space = replace(space, width=1)
        self._area = Size(0, 0)
        self._reader = TimelineCursor(rows, preferences, self._measure, ruled=ruled)
        self._pool = PrefetchPool(self, makers.widget_for, lambda: self._act(None))
        self.headings = TurnHeadings(
            self._reader, rows.activity, self._all_known, lambda: self._act(None)
        )
        self.selection = DragSelection(
            self, self._reader, self._card, self.scroll_lines, lambda: self._act(None)
        )
        """Text that is selected with the mouse."""
        self._arrangement = RowArrangement(
            self._reader, self._card, self._pool, self.headings.of, self.selection.of
        )
        self._arrangement.dress(self._space)
        self._dirty = True
        self._presented = 0.0
        self._expected = False
        self._ticker: Timer | None = None
        self._matching: MatchLine | None = None
        self._reported: tuple[int | None, bool, int, int | None, int | None]
        self._reported = (None, True, 0, None, None)
        """Selection, follow, new rows, first and last row in view, as the screen has them."""
        self._finishing = DeferredLayout(self._finished)
        self._ahead = DeferredLayout(lambda _: None)
        self._stocked = False
        """True when the first frame is over, and what later ones need may be prepared."""
        self._unsubscribe = rows.subscribe(self._rows_changed)

    def compose(self) -> ComposeResult:
        """The widgets of the first screenful, so that the first layout already has them."""
        yield self._arrangement.rail
        self._measure_area(self.screen.size)
        self._reader.settle()
        cards, rules = self._wanted()
        yield from self._pool.cards.order(cards)[1]
        yield from self._pool.rules.order(rules)[1]

    # What the screen asks

    @property
    def selected(self) -> int | None:
        """Number of the selected row; None when no row is shown."""
        self._settle()
        return self._reader.selected

    @property
    def empty(self) -> bool:
        """Return whether no row is shown, without laying out new rows."""
        return self._reader.shown.last() is None

    @property
    def follow(self) -> bool:
        """True if the newest row is kept in view."""
        return self._reader.follow

    @follow.setter
    def follow(self, follow: bool) -> None:
        if follow:
            self.end()
        else:
            self._reader.stop_following()
            self._act(None)

    @property
    def new_count(self) -> int:
        """Rows that were added below since the reader left the end."""
        # The screen shows them: it is reported when the next layout finds that they are in view.
        self._reported = (*self._reported[:2], self._reader.new_count, *self._reported[3:])
        return self._reader.new_count

    @property
    def shows_split(self) -> bool:
        """True if diffs stand side by side in rows that are not set in."""
        return body_space(self._space).shows_split

    @property
    def first_visible(self) -> int | None:
        """The first row in view."""
        self._settle()
        placed = self._reader.window.placed
        return placed[0].row if placed else None

    @property
    def last_visible(self) -> int | None:
        """The last row in view."""
        self._settle()
        placed = self._reader.window.placed
        return self._last_of(placed[-1].row) if placed else None

    def _last_of(self, row: int) -> int:
        """The last row of the fold that begins with a row; without one, the row."""
        return (row, *self._reader.shown.folds.rows(row))[-1]

    def level(self, row: int) -> DetailLevel:
        return self._reader.shown.level(row)

    def is_shown(self, row: int) -> bool:
        """False for a row that is hidden or filtered out."""
        return self._reader.shown.is_shown(row)

    def shown_after(self, row: int) -> int | None:
        return self._reader.shown.after(row)

    def left_out(self) -> bytes:
        """A byte for each row known now: 255 for one that the filter leaves out, else 0."""
        traits = self._reader.shown.traits
        return traits.filtered(traits.first, traits.end)

    # What the screen does: moving

    def select(self, row: int) -> bool:
        """Select a row and bring it into view; False when it is hidden or filtered out."""
        return self._act(self._reader.select(row))

    def select_near(self, row: int) -> bool:
        """Select the first row shown at or after this one, else the last before; False for none."""
        shown = self._reader.shown
        found = row if shown.is_shown(row) else shown.after(row)
        found = shown.before(row) if found is None else found
        return found is not None and self.select(found)

    def turn(self, number: int) -> int | None:
        """The row at which a turn (from 1) starts; None when there are fewer."""
        return self._reader.shown.traits.nth(RowFlag.TURN, number)

    def move(self, delta: int) -> None:
        self._act(self._reader.move(delta))

    def page(self, delta: int) -> None:
        self._act(self._reader.page(delta))

    def scroll_lines(self, lines: int) -> None:
        self._act(self._reader.scroll(lines))

    def home(self) -> None:
        self._act(self._reader.home())

    def end(self) -> None:
        self._act(self._reader.to_end())

    def show_fraction(self, fraction: float) -> None:
        """Show the place at a fraction (0 to 1) of the whole."""
        self._act(self._reader.to_fraction(fraction))

    def next_turn(self, step: int) -> bool:
        """Select the start of the next turn (1) or of this one or the one before (-1)."""
        return self._act(self._reader.next_trait(RowFlag.TURN, step))

    def next_problem(self, step: int) -> bool:
        """Select the next problem (1) or the one before (-1)."""
        return self._act(self._reader.next_trait(RowFlag.PROBLEM, step))

    def outer_problem(self, step: int) -> bool:
        """Select the first problem (1) or the last (-1)."""
        return self._act(self._reader.outer_trait(RowFlag.PROBLEM, step))

    def next_match(self, matches: Callable[[int], bool], step: int) -> bool:
        """Select the next shown row that matches (1), or the one before (-1)."""
        return self._act(self._reader.next_match(matches, step))

    def open(self) -> None:
        if self.selected is not None:
            self.post_message(self.ActivityOpened(self.selected))

    # What the screen does: what is shown, and how

    def set_view(
        self, space: RenderContext, preferences: DetailPreferences, *, ruled: bool
    ) -> None:
        """Other looks of every sort, but for the width; what the reader chose for rows stays."""
        self._space = replace(space, width=self._space.width)
        self._cards.clear()
        self._arrangement.dress(self._space)
        self._act(self._reader.prefer(preferences, ruled=ruled))

    def refresh_rows(self) -> None:
        for widget in self._pool.cards.shown.values():
            widget.refresh()

    def show_found(self, found: TextPattern | None) -> None:
        """Mark what is found in the rows; None marks nothing."""
        self._arrangement.marks = Highlights(found)
        self._act(None)

    def show_bookmarks(self, rows: Container[int]) -> None:
        """Mark these rows as bookmarked, and no others."""
        self._arrangement.bookmarks = rows
        self._act(None)

    def on_lexers_found(self) -> None:
        """Lay out the rows in view again, at the heights they have: their code has colours now."""
        self._cards.clear()
        self._act(None)

    def lay_out_again(self) -> None:
        """Lay out all rows again: something else is shown with them."""
        self._cards.clear()
        self._act(self._reader.resize(self._area.height, rewrapped=True))

    def show_new_since(self, row: int | None, words: str) -> None:
        """Draw a line with these words above a row, and above no other."""
        if self._reader.set_first_new(row) or words != self._arrangement.new_words:
            self._arrangement.new_words = words
            self._act(None)

    def set_level_all(self, level: DetailLevel | None) -> None:
        """Every row at one level, None for the usual ones; forgets other choices."""
        self._act(self._reader.set_level_all(level))

    def set_level_kind(self, kind: Kind, level: DetailLevel) -> None:
        self._act(self._reader.set_level_kind(kind, level))

    def set_level(self, row: int, level: DetailLevel) -> None:
        self._act(self._reader.set_level(row, level))

    def cycle_level(self, row: int) -> None:
        self._act(self._reader.cycle_level(row))

    def fold(self, row: int, line: int | None = None) -> None:
        """Fold or open the part of a row that a line of it stands for; None all of its parts."""
        key = None if line is None else self._card(row).view.fold_at(line)
        if line is None and self._act(self._reader.toggle_fold(row)):
            return
        if line is None or key is not None:
            self._cards.fold(row, key)
            self._act(self._reader.refold(row))

    def show_match(self, row: int, found: TextPattern) -> None:
        """Bring the first line of a row in view that has it into view; its parts unfold for it."""
        if self._matching is None:
            self._matching = MatchLine(
                lambda row: self._card(row).view, self._unfold, self._show_line
            )
        self._matching.seek(row, found)

    def shows(self, row: int, found: TextPattern) -> bool:
        """Return whether a match is in the lines of a row as it is laid out."""
        view = self._card(row).view
        return any(found.search(text) for text in view.texts(0, min(view.height, _FEW_LINES)))

    def folds(self, row: int) -> Folds:
        return self._cards.folds(row)

    def set_folds(self, row: int, folds: Folds) -> None:
        """Have the parts of a row as they were."""
        if self._matching is not None:
            self._matching.close()
        if folds != self._cards.folds(row):
            self._cards.set_folds(row, folds)
            self._act(self._reader.refold(row))

    def _unfold(self, row: int, every: bool) -> None:
        self._cards.unfold(row, every)
        self._act(self._reader.refold(row))

    def _show_line(self, row: int, line: int) -> None:
        if row == self.selected:
            self._act(self._reader.show_line(row, line))

    def toggle_raw(self, row: int) -> None:
        self._act(self._reader.toggle_raw(row))

    def set_raw_all(self, raw: bool) -> None:
        self._act(self._reader.set_raw_all(raw))

    def set_show_hidden(self, hidden: bool) -> None:
        self._act(self._reader.set_show_hidden(hidden))

    def set_filter(self, passes: Callable[[int], bool] | None) -> None:
        """Show only rows that pass; `passes` is asked about every row once, and about new ones."""
        self._act(self._reader.set_filter(passes))

    def filtering(
        self, passes: Callable[[int], bool] | None, *, partly: bool = False
    ) -> Iterator[None]:
        """The same in steps of a few milliseconds; it takes effect with the last one.

        A filter that knows only `partly` which rows it leaves in takes none where it knows of none.
        """
        yield from self._reader.filtering(passes, partly=partly)
        self._act(None)

    def filter_again(self, rows: Iterable[int]) -> None:
        self._act(self._reader.filter_again(rows))

    # Rows and their cards

    def _rows_changed(self, change: RowsChanged) -> None:
        if change.reset:
            self.selection.clear()
            self._cards.forget()
        self.headings.take(change)
        for row in change.updated:
            self._cards.drop(row)
        self._reader.take(change)
        self._keep_open(change)
        if self._covered():
            return
        if not self._reader.window.placed:
            self._show()
        elif monotonic() - self._presented < _FRAME:
            # Laid out when the frame is made: rows that came and went before it cost nothing.
            self._refresh_scroll()
        elif not self._expected:
            # Before the frame: what the screen shows with these rows comes in the same one.
            self._expected = True
            self.call_next(self._show_expected)

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
        """True if another screen hides this one: all that changed is laid out when it goes away."""
        if not self.is_attached or self.screen.is_active:
            return False
        front: Screen[object] = self.app.screen  # pyright: ignore[reportUnknownMemberType]
        return front.styles.background.a == 1

    def _card(self, row: int) -> CachedRowView:
        reader = self._reader
        if fold := reader.shown.folds.rows(row):
            return self._cards.folded(fold, self._space)
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
        return self._arrangement.placed

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
            self.selection.clear()
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
        if not self._area or self._present():
            self._refresh_scroll()

    def _show_expected(self) -> None:
        self._expected = False
        self._show()

    def _present(self) -> bool:
        """Make the arrangement that shows the rows in view; True when it does.

        Where widgets are missing, the earlier one stands until they are mounted: no row is ever
        blank.
        """
        self._settle()
        if not self._dirty:
            return True
        self._presented = monotonic()
        cards, rules = self._wanted()
        if not self._pool.assign(cards, rules):
            return False
        self._dirty = False
        self._watch_rows(self._arrangement.place(self._area, self._space, self.children))
        self._report()
        if surplus := self._pool.cards.surplus(_IDLE_WIDGETS):
            self.call_next(self._remove, surplus)
        self._pool.stock()
        return True

    def _watch_rows(self, cards: Mapping[int, CachedRowView]) -> None:
        """Have rows in view that are not laid out whole finished, and those that run ticking."""
        self._tick_while(any(card.ticking for card in cards.values()))
        works = {row: card.view.work for row, card in cards.items()}
        self._finishing.want({row: work for row, work in works.items() if work is not None})

    def _settle(self) -> None:
        """Lay out the rows in view; whoever asks for that, the next frame must show it."""
        self._dirty = self._reader.settle() or self._dirty

    def _finished(self, row: int) -> None:
        self._rows_changed(RowsChanged(updated=(row,)))

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """As for any widget, but that mounting asks for no layout: the next frame has its own."""
        if self._pool.mounting and layout:
            return self
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    # Widgets come and go

    def on_mount(self) -> None:
        """Take the widgets of the first screenful."""
        self._pool.cards.add(child for child in self.children if isinstance(child, ActivityWidget))
        self._pool.rules.add(child for child in self.children if isinstance(child, TurnSeparator))
        self._act(None)
        # Not before the first frame, however long that takes on a busy machine.
        self.call_after_refresh(self.set_timer, _STOCK_AFTER, self._expect)

    def _expect(self) -> None:
        self._stocked = True
        self.headings.begin_to_count()
        asyncio.get_running_loop().run_in_executor(None, prepare)
        self._pool.expect(self._reader.shown.traits.census(SAMPLE), self._area.height)

    def on_unmount(self) -> None:
        """Listen no longer, and look for no line."""
        if self._matching is not None:
            self._matching.close()
        self._finishing.close()
        self._ahead.close()
        self.headings.close()
        self._unsubscribe()

    async def _remove(self, widgets: list[ActivityWidget]) -> None:
        self._arrangement.forget(widgets)
        await self.remove_children(widgets)

    # Time

    def _tick_while(self, ticking: bool) -> None:
        if ticking and self._ticker is None:
            self._ticker = self.set_interval(1, self._tick)
        elif not ticking and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _tick(self) -> None:
        if self._covered():
            return
        for row, widget in self._pool.cards.shown.items():
            if self._card(row).ticking:
                widget.refresh()

    # Messages to the screen

    def _report(self) -> None:
        reader, placed = self._reader, self._reader.window.placed
        selected, following, count, first, last = self._reported
        if reader.selected != selected:
            self._post(self.SelectionChanged(reader.selected))
        if (reader.follow, reader.new_count) != (following, count):
            self._post(self.FollowChanged(reader.follow, reader.new_count))
        top, bottom = (placed[0].row, self._last_of(placed[-1].row)) if placed else (None, None)
        if (top, bottom) != (first, last):
            self._post(self.ViewportChanged(top, bottom))
            if self._stocked and top is not None and bottom is not None:
                ahead = reader.shown.folds.ahead(top, bottom)
                self._ahead.want({top: Steps(ahead)})
        self._reported = (reader.selected, reader.follow, reader.new_count, top, bottom)
        if self.turn_in_view is not None:
            self.turn_in_view.show(self._turn_above())

    def _all_known(self) -> bool:
        return self.turn_in_view is None or self.turn_in_view.all_known

    def _turn_above(self) -> TurnHeading | None:
        """The heading of the turn in view whose prompt does not begin in view."""
        placed = self._reader.window.placed
        if not placed:
            return None
        top = placed[0]
        begin = self.headings.begin_of(top.row)
        if begin is None or (begin == top.row and top.y + self._reader.shown.has_rule(begin) >= 0):
            return None
        return self.headings.of(begin)

    def _post(self, message: Message) -> None:
        # While a layout is made, the screen counts as the sender, and what it sends goes no further
        # than to itself. It gets the message at once: from parent to parent, the message would come
        # to it after the frame, and what it has changed by it would be a frame of its own.
        if self.is_attached:
            self.screen.post_message(message.set_sender(self))

    # Mouse

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down."""
        event.stop()
        self.scroll_lines(_WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up."""
        event.stop()
        self.scroll_lines(-_WHEEL_LINES)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.selection.press(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.selection.move(event)

    def on_mouse_up(self) -> None:
        self.selection.release()

    def on_click(self, event: events.Click) -> None:
        """Select the row, fold or open what the line stands for; a double click opens the row."""
        place = self.selection.clicked(event)
        if place is None:
            return
        event.stop()
        self.post_message(self.Clicked())
        row = place.row
        self._act(self._reader.choose(row))
        if self._reader.shown.folds.rows(row):
            self._act(self._reader.toggle_fold(row))
        elif self._card(row).view.fold_at(place.line) is not None:
            self.fold(row, place.line)
        elif event.chain == 2:
            self.post_message(self.ActivityOpened(row))

    @on(TimelineScrollbar.Dragged)
    def _rail_dragged(self, message: TimelineScrollbar.Dragged) -> None:
        message.stop()
        self.show_fraction(message.fraction)
