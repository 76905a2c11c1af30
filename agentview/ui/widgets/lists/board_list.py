"""The live sessions as rows: state, project, title, what it is about, context and cost."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message

from agentview.domain.activity import RowKind
from agentview.domain.session_state import CALL_WORDS, Group, SessionState, SessionStatus
from agentview.domain.value import Value
from agentview.sessions.library.columns import money
from agentview.sessions.library.live_status import BoardLine
from agentview.sessions.library.session_list import distinct_names, on_host
from agentview.timeline.view.format_numbers import (
    UNKNOWN,
    clock_time,
    counted,
    lines_changed,
    share,
    span,
    tokens,
)
from agentview.timeline.view.header import LOOPING
from agentview.timeline.view.sanitize import clean, one_line
from agentview.timeline.view.titles.title import StatusIcon
from agentview.ui.render.text_lines import wrap
from agentview.ui.widgets.lists.column_names import ColumnName
from agentview.ui.widgets.lists.cursor_list import MOVE
from agentview.ui.widgets.lists.session_cells import padded, ruled_cells, state_cell
from agentview.ui.widgets.lists.session_columns import GAP
from agentview.ui.widgets.lists.session_signs import UNICODE_SIGNS, Signs
from agentview.ui.widgets.lists.virtual_list import Cell, RowList
from agentview.ui.widgets.responsive_bar import distinct_fits

_ONE_ROW = 110
"""Cells from which what a session is about is on the row of the session."""
_LEAST_TITLE = 16
_LEAST_ABOUT = 12
_LEAST_PROJECT = 8
_SINCE = 4
_PERCENT = 4
_BAR = 4
_WITH_BAR = 118
"""Cells from which the fill of the context is drawn as well."""
_TOKENS = 5
_COST = 7
_WITH_LINES = 118
"""Cells from which the lines that a session changed are shown."""
_INDENT = 2
_MINUTE = 60.0
_NEARLY_FULL = 0.85
_MOST = 1_000
_MOST_ROWS = 4
"""Rows of what a session asks at most; the last one is cut."""

_ASSISTANT = "assistant"


class About(Value):
    """A row below a session: what it is about, or a part of it, in the full width."""

    line: BoardLine
    text: str


class GroupHeading(Value):
    """The row above the sessions of a group, or in place of those that are folded."""

    group: Group
    count: int
    folded: bool = False


Row = BoardLine | About | GroupHeading


class Columns(Value):
    """Cells of each column, 0 for one that is left out."""

    state: int
    since: int
    project: int
    title: int
    about: int
    context: int
    tokens: int
    cost: int
    lines: int
    unread: int


def columns_for(lines: Sequence[BoardLine], names: Sequence[str], width: int) -> Columns:
    """The columns that there is room for, by what these sessions have to show."""
    word = max((2 + len(line.status.label) for line in lines), default=1)
    unread = _named("new", (len(_unread(line)) for line in lines))
    changed = _named("lines", map(cell_len, map(_lines, lines)))
    sizes = {
        "state": word if width >= 60 else 1,
        "since": _SINCE if width >= 40 else 0,
        "project": 0,
        "context": _context_cells(width),
        "tokens": _TOKENS if width >= 130 else 0,
        "cost": max(_COST, *map(_cost_cells, lines)) if lines and width >= 68 else 0,
        "lines": changed if width >= _WITH_LINES else 0,
        "unread": unread if width >= 60 else 0,
    }
    left = width - sum(size + GAP for size in sizes.values() if size)
    if width >= 60:
        longest = max(map(cell_len, names), default=0)
        most = max(_LEAST_PROJECT, left // (5 if width >= _ONE_ROW else 3))
        sizes["project"] = min(most, max(len("project"), longest))
        left -= sizes["project"] + GAP
    title, about = max(0, left), 0
    if width >= _ONE_ROW:
        longest = max((cell_len(_title(line)) + _starred(line) for line in lines), default=0)
        room = max(0, left - GAP)
        most = room - room * 2 // 5
        sizes_of = ((cell_len(about_text(line)), _asks(line)) for line in lines)
        # What asks and is cut has a row of its own, and needs no room here.
        widest = max((size for size, asks in sizes_of if size <= most or not asks), default=0)
        title = min(longest, max(room * 2 // 5, room - max(widest, _LEAST_ABOUT)))
        title = max(title, min(_LEAST_TITLE, room))
        about = room - title
    return Columns(**sizes, title=title, about=about)


def about_text(line: BoardLine) -> str:
    """Subject of a session: its request, why it stopped, else what it does or did last.

    Of one that is done, how many files it changed, and its last words or what contradicts them.
    """
    status, doing = line.status, line.doing
    if status.subject and (status.needs_you or status.state is SessionState.LIMITED):
        reset = f" (until {clock_time(status.until)})" if status.until is not None else ""
        return one_line(status.queued_subject or "", _MOST) + reset
    if line.looping:
        return f"{LOOPING} {line.looping}"
    if line.group is Group.DONE and doing is not None and doing.kind is RowKind.MESSAGE:
        words = line.contradicted or line.words or doing.subject
        return clean("  ".join(filter(None, (_changed_files(line), words))))
    if doing is None:
        return one_line(status.subject, _MOST) if status.subject else UNKNOWN
    # Whether a call runs, the state says.
    words = "" if doing.detail in CALL_WORDS else doing.detail
    detail = f"  {words}" if words else ""
    detail += f"  {line.running} running" if line.running else ""
    label = _ASSISTANT if doing.kind is RowKind.MESSAGE else doing.label
    # Of a call that only wraps a command, the title has the wrapping.
    subject = status.about if status.command and status.about else doing.subject
    return clean(f"{label} {one_line(subject, _MOST)}{detail}".strip())


def _changed_files(line: BoardLine) -> str:
    """How many files the session changed; empty for none, or where that is not known."""
    totals = line.facts.totals
    return counted(len(totals.files), "file") if totals is not None and totals.files else ""


def _about_rows(line: BoardLine, width: int) -> list[str]:
    """Subject of a session in rows of so many cells: a request is not cut if it fits."""
    text = about_text(line)
    if not _asks(line):
        return [text]
    rows = ["".join(part for part, _ in row) for row in wrap([(text, Style.null())], width)]
    if len(rows) > _MOST_ROWS:
        rows[_MOST_ROWS - 1 :] = [" ".join(rows[_MOST_ROWS - 1 :])]
    return rows


class BoardList(RowList[Row]):
    """A row for each session, and one below it where what it is about needs the width.

    A heading begins each group; the sessions of the idle one are folded.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "fold", "idle", id="board.fold", group=MOVE,
                tooltip="Show or hide the idle sessions"),
    ]  # fmt: skip

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--ask"}

    DEFAULT_CSS = """
    BoardList {
        .list--ask { color: $text-warning; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants to open this one."""

        line: BoardLine

    def __init__(self, clock: Callable[[], float], signs: Signs = UNICODE_SIGNS) -> None:
        super().__init__()
        self._clock = clock
        self._signs = signs
        self._lines: Sequence[BoardLine] = ()
        self._names: dict[str, str] = {}
        self._short_names: dict[str, str] = {}
        """Names of projects as they fit into their column."""
        self._columns: tuple[int, Columns] | None = None
        self._folded: bool | None = None
        """Whether idle sessions are hidden; None where nobody chose: if there are others."""

    def action_fold(self) -> None:
        """Show or hide the idle sessions."""
        self._folded = not self._hides_idle
        self._lay_out()

    @property
    def _hides_idle(self) -> bool:
        if self._folded is not None:
            return self._folded
        return any(line.group is not Group.IDLE for line in self._lines)

    @property
    def current(self) -> BoardLine | None:
        """The session under the cursor."""
        row = self.current_row
        return row if isinstance(row, BoardLine) else None

    def set_signs(self, signs: Signs) -> None:
        """Draw with other signs."""
        self._signs = signs
        self.refresh()

    def show_lines(self, lines: Sequence[BoardLine]) -> None:
        """Show these sessions, their projects by names that distinguish them."""
        self._lines = lines
        projects = {info.project for info in (line.facts.info for line in lines) if info.project}
        self._names = distinct_names(projects)
        self._lay_out()

    def on_resize(self) -> None:
        """Lay out for the new width."""
        self._lay_out()
        super().on_resize()

    def _lay_out(self) -> None:
        self._columns = None
        columns = self.columns
        counts = Counter(line.group for line in self._lines)
        rows: list[Row] = []
        group: Group | None = None
        hides_idle = self._hides_idle
        for line in self._lines:
            folded = hides_idle and line.group is Group.IDLE
            if line.group is not group:
                group = line.group
                rows.append(GroupHeading(group, counts[group], folded))
            if folded:
                break
            rows.append(line)
            if _needs_row(line, columns):
                room = max(1, self.scrollable_content_region.width - _INDENT)
                rows += [About(line, text) for text in _about_rows(line, room)]
        self.show_rows(rows)

    @property
    def columns(self) -> Columns:
        """The columns as they are now."""
        width = self.scrollable_content_region.width
        if self._columns is None or self._columns[0] != width:
            lines = self._lines
            if self._hides_idle:
                lines = [line for line in lines if line.group is not Group.IDLE]
            names = [self._full_name(line) for line in lines]
            columns = columns_for(lines, names, width)
            self._columns = width, columns
            self._short_names = distinct_fits(map(clean, names), columns.project)
        return self._columns[1]

    def column_names(self) -> Sequence[ColumnName]:
        """The names of the columns."""
        columns = self.columns
        return (
            ("state", columns.state, False),
            ("for", columns.since, True),
            ("project", columns.project, False),
            ("title", columns.title, False),
            ("about", columns.about, False),
            ("ctx", columns.context, True),
            ("tok", columns.tokens, True),
            ("cost", columns.cost, True),
            ("lines", columns.lines, True),
            ("new", columns.unread, True),
        )

    def _project_name(self, line: BoardLine) -> str:
        return clean(self._full_name(line))

    def _full_name(self, line: BoardLine) -> str:
        info = line.facts.info
        return on_host(info, self._names.get(info.project or "", UNKNOWN))

    def path_of(self, row: Row) -> str | None:
        """The log of the session, or the group of idle ones; the cursor passes over other rows."""
        if isinstance(row, GroupHeading):
            return row.group.value if row.group is Group.IDLE else None
        return row.path if isinstance(row, BoardLine) else None

    def is_heading(self, row: Row) -> bool:
        return isinstance(row, GroupHeading)

    def choose(self, row: Row) -> None:
        """Ask for the session to be opened, or unfold those that are idle."""
        if isinstance(row, GroupHeading):
            self.action_fold()
            return
        self.post_message(self.Chosen(row if isinstance(row, BoardLine) else row.line))

    def cells_of(self, row: Row, width: int) -> Sequence[Cell]:
        """The cells of a session, of what it is about, or of a heading."""
        if isinstance(row, GroupHeading):
            return self._heading(row, width)
        if isinstance(row, About):
            room = max(0, width - _INDENT)
            cell = padded(row.text, room), self._about_style(row.line)
            return [(" " * min(_INDENT, width), "list--quiet"), cell]
        columns = self.columns
        status = row.status
        found: list[tuple[Cell, int]] = [
            (state_cell(status, columns.state, self._signs), columns.state),
            (self._since(status, columns.since), columns.since),
            (self._project(row, columns.project), columns.project),
            ((padded(self._title(row), columns.title), "list--title"), columns.title),
            (self._about(row, columns.about, below=_needs_row(row, columns)), columns.about),
            (_context(row, columns.context, self._signs), columns.context),
            (_quiet(tokens(row.tokens), columns.tokens), columns.tokens),
            (_quiet(money(row.cost), columns.cost), columns.cost),
            (_quiet(_lines(row), columns.lines), columns.lines),
            ((padded(_unread(row), columns.unread, right=True), "list--live"), columns.unread),
        ]
        cells: list[Cell] = []
        for cell, size in found:
            if size:
                cells += [(" " * GAP, "list--quiet"), cell] if cells else [cell]
        return cells

    def _heading(self, row: GroupHeading, width: int) -> Sequence[Cell]:
        """The name of a group, a line and how many are in it."""
        style = "list--attention" if row.group is Group.NEEDS_YOU else "list--group"
        if row.group is Group.IDLE:
            sign = self._signs.folded if row.folded else self._signs.down
            text = f"{sign} {row.count} idle"
            return [(padded(text, width), "list--quiet")]
        name, count = (row.group.value.upper(), style), (str(row.count), style)
        return ruled_cells(name, count, width, self._signs)

    def _since(self, status: SessionStatus, width: int) -> Cell:
        passed = UNKNOWN
        if status.since is not None:
            seconds = self._clock() - status.since
            # Shorter times would have to tick.
            passed = "now" if seconds < _MINUTE else span(seconds)
        return padded(passed, width, right=True), "list--live"

    def _title(self, row: BoardLine) -> str:
        return f"{self._signs.star} {_title(row)}" if row.facts.added.starred else _title(row)

    def _project(self, row: BoardLine, width: int) -> Cell:
        name = self._project_name(row)
        return padded(self._short_names.get(name, name), width), "list--quiet"

    def _about(self, row: BoardLine, width: int, *, below: bool = False) -> Cell:
        return padded("" if below else about_text(row), width), self._about_style(row)

    def _about_style(self, row: BoardLine) -> str:
        if row.status.asks or row.looping or row.contradicted:
            return "list--ask"
        if row.status.state is SessionState.FAILED:
            return "list--failed"
        doing = row.doing
        busy = doing is not None and doing.mark in (StatusIcon.RUNNING, StatusIcon.STREAMING)
        return "list--title" if busy else "list--quiet"


def _needs_row(line: BoardLine, columns: Columns) -> bool:
    """True if what a session is about has a row of its own: it has no column, or that is cut."""
    text = about_text(line)
    if not columns.about:
        return text != UNKNOWN
    return _asks(line) and cell_len(text) > columns.about


def _asks(line: BoardLine) -> bool:
    return line.status.asks or line.status.may_wait


def _title(line: BoardLine) -> str:
    return one_line(line.title or "untitled", 240)


def _starred(line: BoardLine) -> int:
    return 2 if line.facts.added.starred else 0


def _unread(line: BoardLine) -> str:
    return str(line.unread) if line.unread is not None and line.unread.count else ""


def _named(name: str, cells: Iterable[int]) -> int:
    """The width of a column with a name over it; 0 if nothing is in it."""
    widest = max(cells, default=0)
    return max(len(name), widest) if widest else 0


def _lines(line: BoardLine) -> str:
    """Lines added and removed; empty if not known."""
    found = line.lines
    if found is None:
        return ""
    return lines_changed(found.added, found.removed, net=found.net, whole=found.whole)


def _cost_cells(line: BoardLine) -> int:
    return len(money(line.cost))


def _quiet(text: str, width: int) -> Cell:
    return padded(text, width, right=True), "list--quiet"


def _context_cells(width: int) -> int:
    if width >= _WITH_BAR:
        return _BAR + 1 + _PERCENT
    return _PERCENT if width >= 76 else 0


def _context(line: BoardLine, width: int, signs: Signs) -> Cell:
    fill = line.context
    if fill is None:
        return padded(UNKNOWN, width, right=True), "list--quiet"
    text = share(fill)
    if width > _PERCENT:
        full = round(_BAR * min(1.0, fill))
        on, off = ("#", ".") if signs.ascii else ("\u2593", "\u2591")
        text = f"{on * full}{off * (_BAR - full)} {text:>{_PERCENT}}"
    style = "list--attention" if fill >= _NEARLY_FULL else "list--quiet"
    return padded(text, width, right=True), style
