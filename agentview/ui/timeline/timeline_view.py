"""The timeline as the screen uses it: moves, selects, follows, and tells what became different."""

from collections.abc import Callable, Iterable, Iterator

from textual import events, on
from textual.message import Message

from agentview.domain.activity import Kind
from agentview.timeline.detail_levels import DetailLevel
from agentview.timeline.row_flags import RowFlag
from agentview.ui.activity_widget import body_space
from agentview.ui.messages import ActivityClicked
from agentview.ui.render.collapsible import Folds
from agentview.ui.render.diff.split import is_split
from agentview.ui.render.highlight_matches import TextPattern
from agentview.ui.timeline.match_reveal import MatchLine
from agentview.ui.timeline.recycler_view import RowWindow
from agentview.ui.timeline.scrollbar import TimelineScrollbar

_WHEEL_LINES = 3
_FEW_LINES = 40
"""Lines of a row, below its full level, that are looked at for what was found."""


class TimelineView(RowWindow):
    """Rows of a session in a viewport, with a selected row.

    It takes no focus and has no keys: the screen calls the methods below.
    """

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

    class ActivityOpened(Message):
        """The reader wants the row on a screen of its own."""

        def __init__(self, row: int) -> None:
            self.row = row
            super().__init__()

    # What the screen asks

    @property
    def selected(self) -> int | None:
        """Number of the selected row; None when no row is shown."""
        self._settle()
        return self._reader.selected

    @property
    def empty(self) -> bool:
        """Whether no row is shown, told without laying out those that came."""
        return self._reader.shown.last() is None

    @property
    def follow(self) -> bool:
        """Whether the newest row is kept in view."""
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
        self._told = (*self._told[:2], self._reader.new_count, *self._told[3:])
        return self._reader.new_count

    @property
    def shows_split(self) -> bool:
        """Whether diffs stand side by side in rows that are not set in."""
        return is_split(body_space(self._space))

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
        return placed[-1].row if placed else None

    def level(self, row: int) -> DetailLevel:
        """Level that the row is shown at."""
        return self._reader.shown.level(row)

    def is_shown(self, row: int) -> bool:
        """False for a row that is hidden or filtered out."""
        return self._reader.shown.is_shown(row)

    def shown_after(self, row: int) -> int | None:
        """The first row after this one that stands in the timeline, without laying out."""
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
        """Select the row `delta` rows further."""
        self._act(self._reader.move(delta))

    def page(self, delta: int) -> None:
        """Move by viewports."""
        self._act(self._reader.page(delta))

    def scroll_lines(self, lines: int) -> None:
        """Move the viewport and leave the selection where it is."""
        self._act(self._reader.scroll(lines))

    def home(self) -> None:
        """Select the first row known so far."""
        self._act(self._reader.home())

    def end(self) -> None:
        """Select the last row, and follow."""
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

    def next_match(self, matches: Callable[[int], bool], step: int) -> bool:
        """Select the next shown row that matches (1), or the one before (-1)."""
        return self._act(self._reader.next_match(matches, step))

    def open(self) -> None:
        """Ask for the selected row on a screen of its own."""
        if self.selected is not None:
            self.post_message(self.ActivityOpened(self.selected))

    # What the screen does: what is shown, and how

    def set_level_all(self, level: DetailLevel) -> None:
        """Every row at one level; forgets what was chosen for kinds and rows."""
        self._act(self._reader.set_level_all(level))

    def set_level_kind(self, kind: Kind, level: DetailLevel) -> None:
        """Every row of a kind at one level."""
        self._act(self._reader.set_level_kind(kind, level))

    def set_level(self, row: int, level: DetailLevel) -> None:
        """One row at a level."""
        self._act(self._reader.set_level(row, level))

    def cycle_level(self, row: int) -> None:
        """One row from title to summary to full to title."""
        self._act(self._reader.cycle_level(row))

    def fold(self, row: int, line: int | None = None) -> None:
        """Fold or open the part of a row that a line of it stands for; None all of its parts."""
        key = None if line is None else self._card(row).view.fold_at(line)
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
        """Whether what is found stands in the lines of a row as it is laid out."""
        view = self._card(row).view
        return any(found.search(text) for text in view.texts(0, min(view.height, _FEW_LINES)))

    def folds(self, row: int) -> Folds:
        """Which parts of a row are not as they begin."""
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

    def on_unmount(self) -> None:
        """Look for no line any more."""
        if self._matching is not None:
            self._matching.close()

    def toggle_raw(self, row: int) -> None:
        """Turn the card of one row over."""
        self._act(self._reader.toggle_raw(row))

    def set_raw_all(self, raw: bool) -> None:
        """Turn all cards over, or none."""
        self._act(self._reader.set_raw_all(raw))

    def set_show_hidden(self, hidden: bool) -> None:
        """Show hidden rows in their places."""
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
        """Ask the filter again about these rows."""
        self._act(self._reader.filter_again(rows))

    # Inside

    _matching: MatchLine | None = None
    _told: tuple[int | None, bool, int, int | None, int | None] = (None, True, 0, None, None)
    """Selection, follow, count of new rows, first and last row in view, as the screen has them."""

    def _report(self) -> None:
        reader, placed = self._reader, self._reader.window.placed
        selected, following, count, first, last = self._told
        if reader.selected != selected:
            self._tell(self.SelectionChanged(reader.selected))
        if (reader.follow, reader.new_count) != (following, count):
            self._tell(self.FollowChanged(reader.follow, reader.new_count))
        top, bottom = (placed[0].row, placed[-1].row) if placed else (None, None)
        if (top, bottom) != (first, last):
            self._tell(self.ViewportChanged(top, bottom))
        self._told = (reader.selected, reader.follow, reader.new_count, top, bottom)

    def _tell(self, message: Message) -> None:
        # While a layout is made, the screen counts as the sender, and what it sends goes no further
        # than to itself. It is told at once: from parent to parent, the message would come to it
        # after the frame, and what it has changed by it would be a frame of its own.
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

    @on(ActivityClicked)
    def _activity_clicked(self, message: ActivityClicked) -> None:
        self._act(self._reader.choose(message.row))
        if self._card(message.row).view.fold_at(message.line) is not None:
            self.fold(message.row, message.line)
        elif message.clicks == 2:
            self.post_message(self.ActivityOpened(message.row))

    @on(TimelineScrollbar.Dragged)
    def _rail_dragged(self, message: TimelineScrollbar.Dragged) -> None:
        message.stop()
        self.show_fraction(message.fraction)
