"""The list of sessions: rows are drawn only where they are seen, so that thousands cost nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.session import LiveState
from agentview.domain.value import Value
from agentview.library.listing import Entry, project_name
from agentview.library.presence import activity_time, is_live, state_now
from agentview.timeline.plain import one_line
from agentview.timeline.quantities import UNKNOWN, ago
from agentview.ui.widgets.bar import fit

_MOVE = Binding.Group("Move")

_STATES: dict[LiveState, tuple[str, str]] = {
    LiveState.WORKING: ("●", "list--live"),
    LiveState.WAITING_APPROVAL: ("◌", "list--attention"),
    LiveState.WAITING_INPUT: ("○", "list--quiet"),
    LiveState.INTERRUPTED: ("⊘", "list--failed"),
}

_GAP = 2
_WHEN = 8
_LEAST_TITLE = 20


class _Columns(Value):
    """Width of each column in cells; 0 is left out."""

    provider: int
    title: int
    project: int
    branch: int


def _columns(width: int) -> _Columns:
    """Columns for a list that is `width` cells wide: branch, project and provider give way."""
    room = width - 2 - _GAP - _WHEN
    provider = 12 if width >= 56 else 0
    project = min(24, width // 5) if width >= 64 else 0
    branch = min(20, width // 8) if width >= 100 else 0
    for size in (provider, project, branch):
        room -= size + _GAP if size else 0
    return _Columns(provider, max(0, room), project, branch)


class SessionList(ScrollView, can_focus=True):
    """Rows of the library. The cursor stays on its session when others come in above it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "move", key_display="j/k", id="list.down", group=_MOVE,
                tooltip="Next session"),
        Binding("k,up", "move(-1)", "previous", show=False, id="list.up", group=_MOVE,
                tooltip="Previous session"),
        Binding("pagedown,ctrl+f", "page(1)", "page down", show=False, id="list.page_down",
                group=_MOVE, tooltip="One screen down"),
        Binding("pageup,ctrl+b", "page(-1)", "page up", show=False, id="list.page_up",
                group=_MOVE, tooltip="One screen up"),
        Binding("ctrl+d", "page(0.5)", "half down", show=False, id="list.half_down",
                group=_MOVE, tooltip="Half a screen down"),
        Binding("ctrl+u", "page(-0.5)", "half up", show=False, id="list.half_up",
                group=_MOVE, tooltip="Half a screen up"),
        Binding("g,home", "start", "start", show=False, id="list.start", group=_MOVE,
                tooltip="To the newest session"),
        Binding("G,end", "end", "end", show=False, id="list.end", group=_MOVE,
                tooltip="To the oldest session"),
        Binding("enter,space", "choose", "open", key_display="⏎", id="list.open", group=_MOVE,
                tooltip="Open the session"),
    ]  # fmt: skip

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "list--live",
        "list--attention",
        "list--failed",
        "list--quiet",
        "list--title",
        "list--untitled",
        "list--cursor",
    }

    DEFAULT_CSS = """
    SessionList {
        background: $background;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        padding: 0 1;
        .list--live { color: $accent; }
        .list--attention { color: $text-warning; }
        .list--failed { color: $text-error; }
        .list--quiet { color: $text-muted; }
        .list--title { color: $foreground; }
        .list--untitled { color: $text-muted; text-style: italic; }
        .list--cursor { background: $block-cursor-background; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants to open this one."""

        entry: Entry

    def __init__(self, clock: Callable[[], float], label: Callable[[str], str]) -> None:
        """`label` gives what people call a provider."""
        super().__init__()
        self._clock = clock
        self._label = label
        self._entries: Sequence[Entry] = ()
        self._cursor = 0
        self._moved = False

    @property
    def current(self) -> Entry | None:
        """The session under the cursor."""
        return self._entries[self._cursor] if self._cursor < len(self._entries) else None

    def show(self, entries: Sequence[Entry]) -> None:
        """Show these sessions; what the reader looks at stays where it is on the screen."""
        current = self.current
        before = self._cursor - round(self.scroll_y)
        self._entries = entries
        self._cursor = 0
        if current is not None and self._moved:
            path = current.info.ref.path
            places = (i for i, entry in enumerate(entries) if entry.info.ref.path == path)
            self._cursor = next(places, 0)
        self.virtual_size = Size(self.scrollable_content_region.width, len(entries))
        if self._moved:
            self.scroll_to(y=self._cursor - before, animate=False, immediate=True, force=True)
        self._keep_in_sight()
        self.refresh()

    def start_over(self) -> None:
        """Put the cursor on the first row, as when nobody has moved it."""
        self._moved = False
        self._cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)

    def on_resize(self) -> None:
        """Keep the cursor in sight."""
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._entries))
        self._keep_in_sight()

    def render_line(self, y: int) -> Strip:
        """One session."""
        width = self.scrollable_content_region.width
        row = y + round(self.scroll_y)
        if not 0 <= row < len(self._entries) or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        strip = Strip(self._cells(self._entries[row], width))
        strip = strip.adjust_cell_length(width, self.rich_style)
        if row != self._cursor:
            return strip
        over = self.get_component_rich_style("list--cursor", partial=True)
        return Strip(Segment.apply_style(strip, post_style=over), width)

    def _cells(self, entry: Entry, width: int) -> list[Segment]:
        columns = _columns(width)
        info, now = entry.info, self._clock()
        mark, mark_style = _STATES.get(
            state_now(info.state, now - activity_time(info)), (" ", "list--quiet")
        )
        style = self.get_component_rich_style
        quiet = style("list--quiet")
        gap = Segment(" " * _GAP, self.rich_style)
        cells = [Segment(_pad(mark, 2), style(mark_style))]
        if columns.provider:
            cells += [Segment(_pad(self._label(info.ref.provider), columns.provider), quiet), gap]
        cells += self._title(entry, columns.title)
        if columns.project:
            cells += [gap, Segment(_pad(project_name(info) or UNKNOWN, columns.project), quiet)]
        if columns.branch:
            cells += [gap, Segment(_pad(info.branch or UNKNOWN, columns.branch), quiet)]
        when = ago(activity_time(info) or None, now)
        when_style = style("list--live") if is_live(info, now) else quiet
        return [*cells, gap, Segment(when.rjust(_WHEN), when_style)]

    def _title(self, entry: Entry, width: int) -> list[Segment]:
        title = one_line(entry.info.title or "", 240)
        style = "list--title" if title and not entry.nested else "list--untitled"
        lead = "└ " if entry.nested else ""
        tail = f"  +{entry.agents}" if entry.agents and width >= _LEAST_TITLE else ""
        text = fit(lead + (title or "untitled"), max(0, width - cell_len(tail)))
        filler = " " * max(0, width - cell_len(text) - cell_len(tail))
        return [
            Segment(text, self.get_component_rich_style(style)),
            Segment(tail + filler, self.get_component_rich_style("list--quiet")),
        ]

    def _go(self, row: int) -> None:
        self._moved = True
        self._cursor = max(0, min(row, len(self._entries) - 1))
        self._keep_in_sight()
        self.refresh()

    def _keep_in_sight(self) -> None:
        height = self.scrollable_content_region.height
        top = round(self.scroll_y)
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, immediate=True)
        elif height and self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw all rows anew: each is another one now."""
        super().watch_scroll_y(old_value, new_value)
        self.refresh(Region(0, 0, self.size.width, self.size.height))

    def on_click(self, event: events.Click) -> None:
        """Go to the row that was clicked on; a double click opens it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        self._go(offset.y + round(self.scroll_y))
        if event.chain > 1:
            self.action_choose()

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        self._go(self._cursor + rows)

    def action_page(self, screens: float) -> None:
        """Move the cursor by screens."""
        self._go(self._cursor + round(max(1, self.scrollable_content_region.height - 1) * screens))

    def action_start(self) -> None:
        """Go to the first row."""
        self._go(0)

    def action_end(self) -> None:
        """Go to the last row."""
        self._go(len(self._entries) - 1)

    def action_choose(self) -> None:
        """Open the session under the cursor."""
        if self.current is not None:
            self.post_message(self.Chosen(self.current))


class ListHeading(Widget):
    """Names of the columns of the list below it."""

    DEFAULT_CSS = """
    ListHeading {
        height: 1;
        padding: 0 2 0 1;
        color: $foreground 45%;
        background: $background;
    }
    """

    def render_line(self, y: int) -> Strip:
        """The names, each where its column begins."""
        width = self.content_size.width
        columns = _columns(width)
        names = (
            ("provider", columns.provider),
            ("title", columns.title),
            ("project", columns.project),
            ("branch", columns.branch),
        )
        cells = ["  ", *(_pad(name, size + _GAP) for name, size in names if size)]
        cells.append("active".rjust(_WHEN))
        segments = [Segment(cell, self.rich_style) for cell in cells if y == 0]
        return Strip(segments).crop_extend(0, width, self.rich_style)


def _pad(text: str, width: int) -> str:
    text = fit(one_line(text, width), width)
    return text + " " * (width - cell_len(text))
