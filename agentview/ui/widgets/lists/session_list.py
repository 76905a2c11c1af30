"""The sessions of the library as rows, and the names of their columns above them."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, overload

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.session import SessionRef
from agentview.domain.sort_order import Column
from agentview.domain.unread import Unread
from agentview.domain.value import Value
from agentview.sessions.library.periods import Period
from agentview.sessions.library.session_list import Entry
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.sort_group import NO_HEAT, Heading, Row
from agentview.ui.render.strip import strip_of
from agentview.ui.widgets.lists.session_cells import (
    Client,
    RowMarks,
    column_cells,
    entry_cells,
    heading_cells,
    period_cells,
    words_cells,
)
from agentview.ui.widgets.lists.session_columns import Layout, layout
from agentview.ui.widgets.lists.session_signs import UNICODE_SIGNS, Signs
from agentview.ui.widgets.lists.virtual_list import Cell, RowList

_KEPT = 256
"""Rows of which the cells are kept."""
_FRESH = 1.0
"""Seconds for which they are."""
_WITH_WORDS = 120
"""Columns of the screen from which each session has a second line."""
_BOTH = 2


class _Made(Value):
    row: Entry
    style: tuple[Layout, Signs, bool]
    """With whether it is archived."""
    at: float
    cells: Sequence[Cell]


class WordsLine(Value):
    """The line below a session: the last sentence of its agent."""

    entry: Entry


Line = Row | WordsLine


class TwoLines(Sequence[Line]):
    """The rows with a line below each session; none is made before it is seen."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        headings = [at for at, row in enumerate(rows) if not isinstance(row, Entry)]
        self._headings = [2 * at - number for number, at in enumerate(headings)]
        """The lines of rows that have no other below them, in order."""

    def __len__(self) -> int:
        return 2 * len(self.rows) - len(self._headings)

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | Sequence[Line]:
        """Give a line, or several."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        line = range(len(self))[index]
        before = bisect_right(self._headings, line)
        if before and self._headings[before - 1] == line:
            return self.rows[(line + before - 1) // 2]
        at, below = divmod(line + before, 2)
        row = self.rows[at]
        return WordsLine(row) if below and isinstance(row, Entry) else row


class SessionList(RowList[Line]):
    """Sessions, and the headings of their groups; where it is wide, in two lines each."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "list--warm", "list--hot", "list--client-0", "list--client-1",
        "list--client-2", "list--client-3", "list--client-4", "list--client-5",
    }  # fmt: skip

    DEFAULT_CSS = """
    SessionList {
        .list--warm { color: $text-warning; }
        .list--hot { color: $text-warning; text-style: bold; }
        .list--client-0 { color: $client-0; }
        .list--client-1 { color: $client-1; }
        .list--client-2 { color: $client-2; }
        .list--client-3 { color: $client-3; }
        .list--client-4 { color: $client-4; }
        .list--client-5 { color: $client-5; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants to open this one."""

        entry: Entry

    def __init__(
        self,
        clock: Callable[[], float],
        client: Client,
        signs: Signs = UNICODE_SIGNS,
        sort: Column = Column.ACTIVE,
        unread: Callable[[SessionFacts], Unread | None] = lambda _: None,
        archived: Callable[[SessionRef], bool] = lambda _: False,
        *,
        words: bool = False,
    ) -> None:
        """`client` names a provider, `unread` gives how much of a session is new.

        With `words`, the last words of its agent are below each session where there is room.
        """
        super().__init__()
        self._clock = clock
        self._client = client
        self._heat = NO_HEAT
        self._signs = signs
        self._sort = sort
        self._unread = unread
        self._archived = archived
        self._marked: str | None = None
        """The log of the session that another one is to be compared with."""
        self._made: dict[int, _Made] = {}
        """Rows as they were drawn last, by their identity: a scroll draws all but one again."""
        self._shown: Sequence[Row] = ()
        self._words = words

    @property
    def current(self) -> Entry | None:
        """The session under the cursor."""
        row = self.current_row
        return row if isinstance(row, Entry) else None

    @property
    def columns(self) -> Layout:
        return layout(self.scrollable_content_region.width, self._sort)

    def set_signs(self, signs: Signs) -> None:
        """Draw with other signs."""
        self._signs = signs
        self.refresh()

    def show_mark(self, path: str | None) -> None:
        """Mark the session of a log, or none."""
        self._marked = path
        self.refresh_view()

    def refresh_view(self) -> None:
        """Draw all rows again: something is known of them that their facts do not have."""
        self._made.clear()
        self.refresh()

    def show(self, rows: Sequence[Row], sort: Column, heat: tuple[float, float] = NO_HEAT) -> None:
        """Show these rows, which are sorted by a column; `heat` is of `ListView`."""
        if (sort, heat) != (self._sort, self._heat):
            self._sort, self._heat = sort, heat
            self.refresh_view()
        self._shown = rows
        self._lay_out()

    def on_resize(self) -> None:
        """Lay out for the new width."""
        if self._has_words != (self.lines_each == _BOTH):
            self._lay_out()
        super().on_resize()

    @property
    def _has_words(self) -> bool:
        width = self.app.size.width  # pyright: ignore[reportUnknownMemberType]
        return self._words and width >= _WITH_WORDS

    def _lay_out(self) -> None:
        self.lines_each = _BOTH if self._has_words else 1
        rows = TwoLines(self._shown) if self._has_words else self._shown
        self.show_rows(rows, fixed=True)

    def identity(self, row: Line) -> int:
        return -id(row.entry) if isinstance(row, WordsLine) else id(row)

    def is_under_cursor(self, line: int) -> bool:
        return self._cursor <= line < self._cursor + self.lines_each and self.stops_at(self._cursor)

    def lines_of_cursor(self) -> tuple[int, int]:
        """Both lines of the session, with a heading above it."""
        headed = self._cursor > 0 and self.is_heading(self._rows[self._cursor - 1])
        return self._cursor - headed, self._cursor + self.lines_each - 1

    def click_line(self, index: int, clicks: int) -> None:
        """Go to the session whose line was clicked on."""
        below = isinstance(self._rows[index], WordsLine)
        super().click_line(index - below, clicks)

    def is_heading(self, row: Line) -> bool:
        return isinstance(row, Heading | Period)

    def path_of(self, row: Line) -> str | None:
        return row.path if isinstance(row, Entry) else None

    def cells_of(self, row: Line, width: int) -> Sequence[Cell]:
        """One session, its second line, or the heading of a group."""
        if isinstance(row, WordsLine):
            return words_cells(row.entry, self.columns, width)
        if isinstance(row, Heading):
            return heading_cells(row, self.columns, width, self._signs)
        if isinstance(row, Period):
            return period_cells(row, width, self._signs)
        now, archived = self._clock(), self._archived(row.info.ref)
        style = self.columns, self._signs, archived
        made = self._made.get(id(row))
        if made is not None and made.row is row and made.style == style and now - made.at < _FRESH:
            return made.cells
        marks = RowMarks(self._unread(row.facts), row.path == self._marked, archived)
        cells = entry_cells(row, self.columns, now, self._client, self._signs, marks, self._heat)
        if len(self._made) >= _KEPT:
            self._made.clear()
        self._made[id(row)] = _Made(row, style, now, cells)
        return cells

    def choose(self, row: Line) -> None:
        if isinstance(row, Entry):
            self.post_message(self.Chosen(row))


class ListHeading(Widget):
    """Names of the columns of the list below it; a click on one sorts by it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"heading--name", "heading--sorted"}

    DEFAULT_CSS = """
    ListHeading {
        height: 1;
        padding: 0 2 0 1;
        background: $background;
        .heading--name { color: $text-muted; }
        .heading--sorted { color: $accent; }
    }
    """

    @dataclass
    class SortRequested(Message):
        """The person wants the list sorted by this column."""

        column: Column

    def __init__(self, signs: Signs = UNICODE_SIGNS) -> None:
        super().__init__()
        self._signs = signs
        self._sort, self._descending = Column.ACTIVE, True

    def show(self, sort: Column, signs: Signs, *, descending: bool) -> None:
        if (sort, signs, descending) != (self._sort, self._signs, self._descending):
            self._sort, self._signs, self._descending = sort, signs, descending
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The names, each where its column stands."""
        width = self.content_size.width
        if y or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        cells = column_cells(
            layout(width, self._sort), self._sort, width, self._signs, descending=self._descending
        )
        segments = [Segment(text, self.get_component_rich_style(style)) for text, style in cells]
        return strip_of(segments).crop_extend(0, width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        """Ask for the list to be sorted by the column that was clicked on."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        column = layout(self.content_size.width, self._sort).at(offset.x)
        if column is not None:
            self.post_message(self.SortRequested(column))
