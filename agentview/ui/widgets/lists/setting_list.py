"""The list of settings: a label and its choices in each row, the one in force marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from agentview.ui.widgets.responsive_bar import fit

_MOVE = Binding.Group("Move")
_CHANGE = Binding.Group("Change")
_LABEL = 22
_LONG_LABEL = 50
_GAP = 2


class ListedSetting(Protocol):
    """What the list shows of a setting; one without a key is a heading."""

    @property
    def label(self) -> str:
        """What it is called."""
        ...

    @property
    def key(self) -> str:
        """Its key."""
        ...

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
        """Whether somebody set it."""
        ...

    @property
    def steps(self) -> bool:
        """Whether only the choice in force is shown."""
        ...


class SettingList(ScrollView, can_focus=True):
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
        background: $background;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        padding: 0 1;
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
        self._cursor = 0

    @property
    def cursor(self) -> int:
        """Index of the row under the cursor."""
        return self._cursor

    def show(self, rows: Sequence[ListedSetting]) -> None:
        """Show these rows; the cursor stays where it is."""
        self._rows = rows
        self._lines = []
        for index, row in enumerate(rows):
            if not row.key and index:
                self._lines.append(None)
            self._lines.append(index)
        self._measure()
        self._go(self._cursor, 1)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self._measure()
        self._keep_in_sight()

    def _measure(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._lines))

    def render_line(self, y: int) -> Strip:
        """One row: a heading, a setting, or the gap above a heading."""
        width = self.scrollable_content_region.width
        line = y + round(self.scroll_y)
        index = self._lines[line] if 0 <= line < len(self._lines) else None
        if index is None or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        row = self._rows[index]
        strip = Strip(self._cells(row, width) if row.key else self._heading(row))
        strip = strip.crop(0, width).adjust_cell_length(width, self.rich_style)
        if index != self._cursor:
            return strip
        over = self.get_component_rich_style("list--cursor", partial=True)
        return Strip(Segment.apply_style(strip, post_style=over), width)

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

    # Moving

    def _go(self, index: int, direction: int) -> None:
        """Put the cursor on a row, or on the next one that is not a heading."""
        index = max(0, min(index, len(self._rows) - 1))
        while 0 <= index < len(self._rows) and not self._rows[index].key:
            index += direction
        if 0 <= index < len(self._rows):
            self._cursor = index
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved())

    def _keep_in_sight(self) -> None:
        if self._cursor not in self._lines:
            return
        line, height = self._lines.index(self._cursor), self.scrollable_content_region.height
        first = self._cursor > 0 and not self._rows[self._cursor - 1].key
        top = line - 1 if first else line
        if top < round(self.scroll_y):
            self.scroll_to(y=top, animate=False, immediate=True)
        elif height and line >= round(self.scroll_y) + height:
            self.scroll_to(y=line - height + 1, animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw all rows again: each is another one now."""
        super().watch_scroll_y(old_value, new_value)
        self.refresh(Region(0, 0, self.size.width, self.size.height))

    def on_click(self, event: events.Click) -> None:
        """Go to the row that was clicked on; a second click changes it."""
        offset = event.get_content_offset(self)
        line = None if offset is None else offset.y + round(self.scroll_y)
        index = self._lines[line] if line is not None and line < len(self._lines) else None
        if index is None or not self._rows[index].key:
            return
        if index == self._cursor:
            self.action_change(1)
        else:
            self._go(index, 1)

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        self._go(self._cursor + rows, rows)

    def action_page(self, screens: int) -> None:
        """Move the cursor by screens."""
        height = max(1, self.scrollable_content_region.height - 1)
        self._go(self._cursor + height * screens, -1 if screens > 0 else 1)

    def action_section(self, step: int) -> None:
        """Go to the first setting of the next or previous section."""
        headings = [index for index, row in enumerate(self._rows) if not row.key]
        if step > 0:
            found = [index for index in headings if index > self._cursor][:1]
        else:
            found = [index for index in headings if index < self._cursor - 1][-1:]
        for index in found:
            self._go(index, 1)

    def action_start(self) -> None:
        """Go to the first setting."""
        self._go(0, 1)

    def action_end(self) -> None:
        """Go to the last setting."""
        self._go(len(self._rows) - 1, -1)

    # Changing

    def action_change(self, step: int) -> None:
        """Ask for another value."""
        self.post_message(self.ChangeRequested(self._cursor, step))

    def action_reset(self) -> None:
        """Ask for what it is by default."""
        self.post_message(self.ChangeRequested(self._cursor, 0))


def _current_name(row: ListedSetting) -> str:
    """How the choice in force is reported."""
    pairs = zip(row.choices or (), row.names, strict=True)
    return next((name for choice, name in pairs if choice == row.current), row.current)
