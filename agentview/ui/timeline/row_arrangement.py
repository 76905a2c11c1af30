"""Where the widgets of rows are placed, in lines of a viewport.

Nothing here scrolls in Textual's sense: the widgets in view are placed where they are in the
viewport, and every change of any sort comes to the screen with the next arrangement, so that many
changes cost one frame.
"""

from collections.abc import Callable, Container, Iterable

from msgspec.structs import replace
from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import DockArrangeResult, WidgetPlacement
from textual.widget import Widget

from agentview.timeline.view.view_state.cursor import TimelineCursor
from agentview.ui.activity_widget import ActivityWidget, RowLayout
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.glyphs import plain_signs
from agentview.ui.render.style.highlight_matches import Highlights, SelectedCells
from agentview.ui.timeline.prefetch_pool import PrefetchPool
from agentview.ui.timeline.scrollbar import NewSince, TimelineScrollbar, thumb
from agentview.ui.timeline.turn_heading import TurnHeading
from agentview.ui.timeline.view_cache import CachedRowView

_STAMPS = 2**30


class Arrangement(DockArrangeResult):
    """Placements in lines of the viewport: all of them are in view, and nothing is beyond it."""

    size = Size(0, 0)

    @property
    def total_region(self) -> Region:
        return self.size.region


def _minute(card: CachedRowView) -> int | None:
    """The minute of the time that stands next to a row; None where it has no time."""
    time = card.view.title.time
    return None if time is None else int(time // 60)


class RowArrangement:
    """Binds the widgets of the rows in view to what they show, and places them."""

    def __init__(
        self,
        reader: TimelineCursor,
        card: Callable[[int], CachedRowView],
        pool: PrefetchPool,
        heading: Callable[[int], TurnHeading],
        selected: Callable[[int], SelectedCells | None],
    ) -> None:
        """`card` lays out a row; `pool` has the widgets; `heading` is that of a turn.

        `selected` gives what is selected of a row with the mouse.
        """
        self._heading = heading
        self._selected = selected
        self.rail = TimelineScrollbar()
        self.placed = Arrangement([], set(), NULL_SPACING)
        """The last arrangement."""
        self.marks = Highlights()
        """Pattern that is marked in the rows."""
        self.bookmarks: Container[int] = ()
        """The rows that are bookmarked."""
        self.new_words = ""
        """Text of the line above the first new row."""
        self._reader = reader
        self._card = card
        self._pool = pool
        self._bound: dict[ActivityWidget, tuple[int, RowLayout]] = {}
        self._stamps: dict[Widget, int] = {}
        self._marked: ActivityWidget | None = None

    def dress(self, space: RenderContext) -> None:
        """Give the signs in use to what is not an activity."""
        self.rail.sign = "#" if space.glyphs.rule.isascii() else "▐"
        for widget in (self.rail, *self._pool.rules.shown.values()):
            self._stamp(widget)

    def forget(self, widgets: Iterable[ActivityWidget]) -> None:
        for widget in widgets:
            self._bound.pop(widget, None)
            self._stamps.pop(widget, None)

    def place(
        self, size: Size, space: RenderContext, children: Iterable[Widget]
    ) -> dict[int, CachedRowView]:
        """Make the arrangement of the rows in view, whose widgets are there; returns their cards.

        `children` are all widgets of the timeline, in view or not.
        """
        self._mark()
        cards: dict[int, CachedRowView] = {}
        placements: list[WidgetPlacement] = []
        minute: int | None = None
        for item in self._reader.window.placed:
            row, y = item.row, item.y
            card = cards[row] = self._card(row)
            now = _minute(card)
            timed = not space.story or row == self._reader.selected or now != minute
            # A time that is out of view says nothing about the rows below it.
            minute = minute if now is None or y < 0 else now
            self._bind(row, card, timed=timed)
            if row in self._pool.rules.shown:
                line = Region(card.indent, y, space.width - card.indent, 1)
                placements.append(self._rule(row, line, space.glyphs.rule))
            top = y + self._reader.shown.has_rule(row)
            region = Region(card.indent, top, space.width - card.indent, max(1, card.view.height))
            placements.append(self._placement(self._pool.cards.shown[row], region))
        placements.append(self._placement(self.rail, self._rail_region(size)))
        self.placed = Arrangement(placements, set(children), NULL_SPACING)
        self.placed.size = size
        return cards

    def _bind(self, row: int, card: CachedRowView, *, timed: bool) -> None:
        widget = self._pool.cards.shown[row]
        if self._bound.get(widget) != (row, card.view):
            self._bound[widget] = (row, card.view)
            widget.bind(row, card.view)
            self._stamp(widget)
        folded = self._reader.shown.folds.rows(row)
        marked = any(each in self.bookmarks for each in folded or (row,))
        selected = self._selected(row)
        if widget.mark(replace(self.marks, bookmarked=marked, timed=timed, selected=selected)):
            self._stamp(widget)

    def _rule(self, row: int, line: Region, sign: str) -> WidgetPlacement:
        rule = self._pool.rules.shown[row]
        rule.sign = sign
        if isinstance(rule, NewSince):
            words = self.new_words, "", ""
        else:
            heading = self._heading(row)
            words = heading.number, heading.course, heading.notice
            rule.leads_to = None if heading.claim is None else heading.claim.evidence
        if sign.isascii():
            left, right, notice = map(plain_signs, words)
            words = left, right, notice
        if words != rule.words:
            rule.words = words
            self._stamp(rule)
        return self._placement(rule, line)

    def _placement(self, widget: Widget, region: Region) -> WidgetPlacement:
        # The size is made known beforehand, or taking it over would ask for another layout. The
        # stamp makes a place differ when only what is shown there does: that repaints it.
        widget.set_reactive(Widget.virtual_size, region.size)  # pyright: ignore[reportArgumentType]
        stamp = self._stamps.get(widget, 0)
        return WidgetPlacement(region, NULL_OFFSET, NULL_SPACING, widget, stamp)

    def _stamp(self, widget: Widget) -> None:
        self._stamps[widget] = (self._stamps.get(widget, 0) + 1) % _STAMPS

    def _rail_region(self, size: Size) -> Region:
        window, (width, height) = self._reader.window, size
        top, length = thumb(
            window.line,
            self._reader.shown.heights.total,
            height,
            at_start=window.at_start,
            at_end=window.at_end,
        )
        if self.rail.show(self.rail.top if self.rail.grabbed else top, length):
            self._stamp(self.rail)
        return Region(width - 1, 0, 1, height)

    def _mark(self) -> None:
        """Have the widget of the selected row drawn as such, and no other."""
        selected = self._reader.selected
        widget = None if selected is None else self._pool.cards.shown.get(selected)
        if widget is not self._marked and self._marked is not None and self._marked.select(False):
            self._stamp(self._marked)
        if widget is not None and widget.select(True):
            self._stamp(widget)
        self._marked = widget
