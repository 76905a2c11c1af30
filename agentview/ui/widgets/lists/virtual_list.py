"""A list of sessions: the cursor stays on its session when others come in above it."""

from collections.abc import Sequence
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.glyphs import plain_cells
from agentview.ui.widgets.lists.cursor_list import MOVE, CursorList, move_bindings
from agentview.ui.widgets.responsive_bar import PLAIN

Item = TypeVar("Item")

Cell = tuple[str, str]
"""Text exactly as wide as it is to be, and the name of its style."""


class RowList(CursorList, Generic[Item], can_focus=True):
    """Rows of sessions. The cursor stays on its session when others come in above it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *move_bindings("list", "session", page_down="pagedown"),
        Binding("right_curly_bracket", "group(1)", "next group", show=False, id="list.next_group",
                group=MOVE, tooltip="Next group"),
        Binding("left_curly_bracket", "group(-1)", "previous group", show=False,
                id="list.previous_group", group=MOVE,
                tooltip="Previous group"),
        Binding("enter,space", "choose", "open", key_display="⏎", id="list.open", group=MOVE,
                tooltip="Open the session"),
    ]  # fmt: skip

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "list--live",
        "list--attention",
        "list--failed",
        "list--quiet",
        "list--title",
        "list--untitled",
        "list--group",
        "list--detail",
        "list--cursor",
    }

    DEFAULT_CSS = """
    RowList {
        scrollbar-gutter: stable;
        .list--live { color: $accent; }
        .list--attention { color: $text-warning; }
        .list--failed { color: $text-error; }
        .list--quiet { color: $text-muted; }
        .list--title { color: $foreground; }
        .list--untitled { color: $text-muted; text-style: italic; }
        .list--group { color: $foreground; text-style: bold; }
        .list--detail { color: $text-muted; }
        .list--cursor { background: $block-cursor-background; }
    }
    """

    class Moved(Message):
        """Another session is under the cursor, or none; `current_row` has it."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Item] = ()
        self._reported: object = None

    def path_of(self, row: Item) -> str | None:
        """The log of the session in a row; None for a row that the cursor passes over."""
        raise NotImplementedError

    def cells_of(self, row: Item, width: int) -> Sequence[Cell]:
        """A row as text with names of styles."""
        raise NotImplementedError

    def is_heading(self, row: Item) -> bool:
        return self.path_of(row) is None

    def choose(self, row: Item) -> None:
        """Open what a row shows."""
        raise NotImplementedError

    @property
    def current_row(self) -> Item | None:
        """The row under the cursor, of a session."""
        row = self._rows[self._cursor] if self._cursor < len(self._rows) else None
        return None if row is None or self.path_of(row) is None else row

    def show_rows(self, rows: Sequence[Item], *, fixed: bool = False) -> None:
        """Show these rows; what the reader looks at stays where it is on the screen.

        Where rows are `fixed`, none is ever drawn otherwise but with time, as when the same list is
        shown again: while others come in out of sight, nothing is drawn.
        """
        current = self.current_row
        path = None if current is None else self.path_of(current)
        old, near, before_seen = self._rows, self._cursor, self._seen(self._rows)
        before = near - round(self.scroll_y)
        self._rows = rows
        self.take_length(len(rows))
        self._cursor = self.nearest_stop(0, 1)
        if path is not None and self.moved:
            found = self._place_of(path, near)
            self._cursor = self._cursor if found is None else found
        if self.moved:
            self.scroll_to(y=self._cursor - before, animate=False, immediate=True, force=True)
        self.keep_in_sight()
        if not fixed or old is rows or self._seen(rows) != before_seen:
            self.refresh()
        self.cursor_moved()

    def _seen(self, rows: Sequence[Item]) -> tuple[int, list[int]]:
        """Return the drawn state: where the cursor is, and which rows are in sight."""
        top = round(self.scroll_y)
        sighted = rows[top : top + self.size.height]
        return self._cursor - top, [self.identity(row) for row in sighted]

    def identity(self, row: Item) -> int:
        """A number that is the same for rows that are drawn the same."""
        return id(row)

    def _place_of(self, path: str, near: int) -> int | None:
        """Where the session of a log is now, looked for from where it was."""
        last = len(self._rows) - 1
        for distance in range(max(near, last - near) + 1):
            for at in {near - distance, near + distance}:
                if 0 <= at <= last and self.path_of(self._rows[at]) == path:
                    return at
        return None

    def start_over(self) -> None:
        """Put the cursor on the first row, as when nobody has moved it."""
        self.moved = False
        self._cursor = self.nearest_stop(0, 1)
        self.scroll_to(y=0, animate=False, immediate=True)

    def strip_of(self, index: int, width: int) -> Strip:
        """One row."""
        cells = self.cells_of(self._rows[index], width)
        if self.app.has_class(PLAIN):  # pyright: ignore[reportUnknownMemberType]
            cells = [(plain_cells(text), style) for text, style in cells]
        return strip_of(
            [Segment(text, self.get_component_rich_style(style)) for text, style in cells]
        )

    def stops_at(self, index: int) -> bool:
        return self.path_of(self._rows[index]) is not None

    def cursor_moved(self) -> None:
        """Report another row under the cursor."""
        current = self.current_row
        if current is not self._reported:
            self._reported = current
            self.post_message(self.Moved())

    def click_line(self, index: int, clicks: int) -> None:
        """Go to the row that was clicked on; a double click opens it."""
        super().click_line(index, clicks)
        if clicks > 1:
            self.action_choose()

    def action_group(self, step: int) -> None:
        """Go to the first session of another group."""
        line = self._cursor + (step if step > 0 else -2)
        while 0 <= line < len(self._rows) and not self.is_heading(self._rows[line]):
            line += step
        if line < len(self._rows):
            self.put_cursor(self.nearest_stop(line, 1))

    def action_choose(self) -> None:
        """Open the session under the cursor."""
        row = self.current_row
        if row is not None:
            self.choose(row)
