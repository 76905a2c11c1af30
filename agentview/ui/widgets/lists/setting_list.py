"""The list of settings: a label and its choices in each row, the one in force marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from agentview.ui.render.strip import strip_of
from agentview.ui.widgets.lists.cursor_list import CursorList
from agentview.ui.widgets.responsive_bar import fit

_MOVE = Binding.Group("Move")
_CHANGE = Binding.Group("Change")
_LABEL = 22
_LONG_LABEL = 50
_GAP = 2


class ListedSetting(Protocol):
    """Row of a setting in the list; one without a key is a heading."""

    @property
    def label(self) -> str: ...

    @property
    def key(self) -> str: ...

    @property
    def current(self) -> str:
        """The choice in force, or the text."""
        ...

    @property
    def choices(self) -> tuple[str, ...] | None:
        """Values to pick from; None where it is typed."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """How the choices are reported."""
        ...

    @property
    def own(self) -> bool:
        """True if somebody set it."""
        ...

    @property
    def steps(self) -> bool:
        """True if only the choice in force is shown."""
        ...


class SettingList(CursorList, can_focus=True):
    """Settings below their headings, one of them under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "move", key_display="j/k", id="settings.down", group=_MOVE,
                tooltip="Next setting"),
        Binding("k,up", "move(-1)", "previous", show=False, id="settings.up", group=_MOVE,
                tooltip="Previous setting"),
        Binding("l,right,space,enter", "change(1)", "change", key_display="h/l",
                id="settings.next", group=_CHANGE, tooltip="Next value, or edit it"),
        Binding("h,left", "change(-1)", "previous value", show=False, id="settings.previous",
                group=_CHANGE, tooltip="Previous value"),
        Binding("backspace,delete", "reset", "default", key_display="del", id="settings.reset",
                group=_CHANGE, tooltip="Reset to the default"),
        Binding("right_curly_bracket,tab", "section(1)", "section", show=False,
                id="settings.next_section", group=_MOVE, tooltip="Next section"),
        Binding("left_curly_bracket,shift+tab", "section(-1)", "previous section", show=False,
                id="settings.previous_section", group=_MOVE, tooltip="Previous section"),
        Binding("pagedown,ctrl+f,ctrl+d", "page(1)", "page down", show=False,
                id="settings.page_down", group=_MOVE, tooltip="One screen down"),
        Binding("pageup,ctrl+b,ctrl+u", "page(-1)", "page up", show=False,
                id="settings.page_up", group=_MOVE, tooltip="One screen up"),
        Binding("g,home", "start", "start", show=False, id="settings.start", group=_MOVE,
                tooltip="To the first setting"),
        Binding("G,end", "end", "end", show=False, id="settings.end", group=_MOVE,
                tooltip="To the last setting"),
    ]  # fmt: skip

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "list--heading", "list--label", "list--quiet", "list--chosen", "list--own", "list--cursor"
    }  # fmt: skip

    DEFAULT_CSS = """
    SettingList {
        scrollbar-gutter: stable;
        .list--heading { color: $accent; text-style: bold; }
        .list--label { color: $foreground; }
        .list--quiet { color: $text-muted; }
        .list--chosen { color: $foreground; text-style: bold; }
        .list--own { color: $accent; text-style: bold; }
        .list--cursor { background: $block-cursor-background; }
    }
    """

    @dataclass
    class Moved(Message):
        """Another setting is under the cursor."""

    @dataclass
    class ChangeRequested(Message):
        """The person wants the next (1) or previous (-1) value of a setting; 0 unsets it."""

        index: int
        step: int

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[ListedSetting] = ()
        self._lines: list[int | None] = []
        """The row of each line; None for the gap above a heading."""

    @property
    def current(self) -> int:
        """Index of the row under the cursor."""
        row = self._lines[self._cursor] if self._cursor < len(self._lines) else None
        return row or 0

    def show(self, rows: Sequence[ListedSetting]) -> None:
        """Show these rows; the cursor stays where it is."""
        current = self.current
        self._rows = rows
        self._lines = []
        for index, row in enumerate(rows):
            if not row.key and index:
                self._lines.append(None)
            self._lines.append(index)
        self.take_length(len(self._lines))
        self.go_to(current)
        self.refresh()

    def go_to(self, row: int) -> None:
        """Put the cursor on a row, or on the next one that is not a heading."""
        line = self._lines.index(row) if row in self._lines else len(self._lines) - 1
        self.put_cursor(self.nearest_stop(line, 1))

    def strip_of(self, index: int, width: int) -> Strip:
        """A heading, a setting, or the gap above a heading."""
        at = self._lines[index]
        if at is None:
            return strip_of([])
        row = self._rows[at]
        return strip_of(self._cells(row, width) if row.key else self._heading(row))

    def stops_at(self, index: int) -> bool:
        """Return True for a setting."""
        row = self._lines[index]
        return row is not None and bool(self._rows[row].key)

    def cursor_moved(self) -> None:
        self.post_message(self.Moved())

    def click_line(self, index: int, clicks: int) -> None:
        """Go to the row that was clicked on; a second click changes it."""
        if index == self._cursor:
            self.action_change(1)
        elif self.stops_at(index):
            super().click_line(index, clicks)

    def _heading(self, row: ListedSetting) -> list[Segment]:
        return [Segment(row.label, self.get_component_rich_style("list--heading"))]

    def _cells(self, row: ListedSetting, width: int) -> list[Segment]:
        style = self.get_component_rich_style
        typed = row.choices is None
        wide = min(_LONG_LABEL, width * 2 // 3) if typed else min(_LABEL, width // 2)
        label = fit(row.label, wide - 1)
        mark = "• " if row.own else "  "
        cells = [
            Segment(mark, style("list--own")),
            Segment(label + " " * (wide - cell_len(label)), style("list--label")),
        ]
        chosen = style("list--own" if row.own else "list--chosen")
        if typed:
            return [*cells, Segment(row.current.replace(",", "  "), chosen)]
        room = width - wide - _GAP
        if row.steps or sum(cell_len(name) + _GAP for name in row.names) > room:
            name = _current_name(row)
            quiet = style("list--quiet")
            return [*cells, Segment("‹ ", quiet), Segment(name, chosen), Segment(" ›", quiet)]
        for choice, name in zip(row.choices or (), row.names, strict=True):
            own = chosen if choice == row.current else style("list--quiet")
            cells += [Segment(name, own), Segment(" " * _GAP, self.rich_style)]
        return cells

    def action_section(self, step: int) -> None:
        """Go to the first setting of the next or previous section."""
        headings = [
            line
            for line, row in enumerate(self._lines)
            if row is not None and not self._rows[row].key
        ]
        if step > 0:
            found = [line for line in headings if line > self._cursor][:1]
        else:
            found = [line for line in headings if line < self._cursor - 1][-1:]
        for line in found:
            self.put_cursor(self.nearest_stop(line, 1))

    # Changing

    def action_change(self, step: int) -> None:
        self.post_message(self.ChangeRequested(self.current, step))

    def action_reset(self) -> None:
        self.post_message(self.ChangeRequested(self.current, 0))


def _current_name(row: ListedSetting) -> str:
    """How the choice in force is reported."""
    pairs = zip(row.choices or (), row.names, strict=True)
    return next((name for choice, name in pairs if choice == row.current), row.current)
