"""The board: what each live session does right now, one line each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from agentview.library.live_status import BoardLine
from agentview.library.session_list import distinct_names
from agentview.timeline.format_numbers import UNKNOWN, counted, span
from agentview.timeline.sanitize import clean, one_line
from agentview.timeline.titles.title import Mark, Title
from agentview.ui.messages import SessionChosen
from agentview.ui.screens.library.options import LibraryLooks
from agentview.ui.screens.library.source import LibraryFeed
from agentview.ui.screens.live_sessions_source import BoardFeed
from agentview.ui.widgets.empty_state import Notice
from agentview.ui.widgets.library_header import LibraryHeader
from agentview.ui.widgets.responsive_bar import fit_middle
from agentview.ui.widgets.session_cells import padded, state_cell
from agentview.ui.widgets.session_columns import GAP
from agentview.ui.widgets.status_line import StatusLine
from agentview.ui.widgets.virtual_list import Cell, RowList

_SCREEN = Binding.Group("Screen")
_MINUTE = 60.0
_SOON = 0.05
"""Seconds for which changes are gathered before the lines are shown anew."""

_SINCE = 4
_LABEL = 10
_PROVIDER = 11
_STATE = 10
_PROJECT = 8
_WIDE = 110
_MIDDLE = 70
_NARROW = 40


class BoardList(RowList[BoardLine]):
    """A line for each live session: who and where, what it does, since when."""

    @dataclass
    class Chosen(Message):
        """The person wants to open this one."""

        line: BoardLine

    def __init__(self, looks: LibraryLooks) -> None:
        super().__init__()
        self.looks = looks
        self._names: dict[str, str] = {}
        self._widest = (0, 0)
        """Cells of the longest title and of the longest word on what a session does."""

    def show_rows(self, rows: Sequence[BoardLine], *, fixed: bool = False) -> None:
        """Show these lines, their projects by names that tell them apart."""
        projects = {info.project for info in (row.facts.info for row in rows) if info.project}
        self._names = distinct_names(projects)
        titles = (cell_len(_title(row)) for row in rows)
        self._widest = max(titles, default=0), max(map(_doing_length, rows), default=0)
        super().show_rows(rows, fixed=fixed)

    def path_of(self, row: BoardLine) -> str | None:
        """The log of the session."""
        return row.path

    def choose(self, row: BoardLine) -> None:
        """Ask for the session to be opened."""
        self.post_message(self.Chosen(row))

    def cells_of(self, row: BoardLine, width: int) -> Sequence[Cell]:
        """State, provider, project, title, what it does, since when."""
        info = row.facts.info
        gap: Cell = (" " * GAP, "list--quiet")
        cells: list[Cell] = [
            state_cell(row.state, _STATE if width >= _WIDE else 1, self.looks.signs),
            gap,
        ]
        if width >= _WIDE:
            label = self.looks.label(info.ref.provider)
            cells += [(padded(label, _PROVIDER), "list--quiet"), gap]
        if width >= _MIDDLE:
            longest = max(map(cell_len, self._names.values()), default=0)
            room = max(_PROJECT, min(longest, width // 4))
            name = self._names.get(info.project or "", UNKNOWN)
            cells += [(padded(fit_middle(clean(name), room), room), "list--quiet"), gap]
        room = width - sum(cell_len(text) for text, _ in cells)
        since = _SINCE + GAP if width >= _NARROW else 0
        left = max(0, room - since - GAP)
        longest, doing = self._widest
        title = min(longest, max(left // 2, left - doing))
        cells += [(padded(_title(row), title), "list--title"), gap]
        cells += self._doing(row, left - title)
        if since:
            now = self.looks.clock()
            told = UNKNOWN if row.since is None else _passed(now - row.since)
            cells += [gap, (padded(told, _SINCE, right=True), "list--live")]
        return cells

    def _doing(self, row: BoardLine, width: int) -> Sequence[Cell]:
        doing = row.doing
        if doing is None:
            return [(padded(UNKNOWN, width), "list--quiet")]
        under_way = doing.mark in (Mark.RUNNING, Mark.STREAMING)
        failed = doing.mark is Mark.FAILED
        style = "list--live" if under_way else "list--failed" if failed else "list--quiet"
        label = padded(doing.label, min(width, _label_width(doing)))
        text = _doing_text(doing)
        rest = max(0, width - cell_len(label))
        return [(label, style), (padded(text, rest), "list--title")]


def _title(row: BoardLine) -> str:
    return one_line(row.title or "untitled", 240)


def _label_width(doing: Title) -> int:
    return max(_LABEL, cell_len(doing.label) + 1)


def _doing_text(doing: Title) -> str:
    return doing.subject + (f"  {doing.detail}" if doing.detail else "")


def _doing_length(row: BoardLine) -> int:
    doing = row.doing
    return 1 if doing is None else _label_width(doing) + cell_len(clean(_doing_text(doing)))


def _passed(seconds: float) -> str:
    """How long something goes on, in whole minutes: shorter times would have to tick."""
    return "now" if seconds < _MINUTE else span(seconds)


class BoardScreen(Screen[None]):
    """All live sessions; new ones appear, those that are over go."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,w", "leave", "back", id="board.leave", group=_SCREEN,
                tooltip="Back to the library"),
    ]  # fmt: skip
    AUTO_FOCUS = "BoardList"

    class Left(Message):
        """The person is done."""

    def __init__(self, feed: LibraryFeed, looks: LibraryLooks) -> None:
        super().__init__()
        self._header = LibraryHeader("board")
        self._list = BoardList(looks)
        self._notice = Notice("looking at live sessions")
        self._status = StatusLine()
        self._feed = BoardFeed(feed, looks.clock, self._soon)
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Header, lines, status."""
        yield self._header
        yield self._list
        yield self._notice
        yield self._status

    def on_mount(self) -> None:
        """Begin to follow."""
        self.add_class("-empty")
        self._feed.start()

    def on_minute_passed(self) -> None:
        """Show ages as they are now."""
        self._soon()

    def on_unmount(self) -> None:
        """Follow nothing any more."""
        self._feed.close()

    def set_looks(self, looks: LibraryLooks) -> None:
        """Show everything in other colours and with other signs."""
        self._list.looks = looks
        self._list.refresh()

    def _soon(self) -> None:
        """Show what has changed, with all that changes right after it."""
        if self._timer is None:
            self._timer = self.set_timer(_SOON, self._show)

    def _show(self) -> None:
        self._timer = None
        lines = self._feed.lines()
        self._list.show_rows(lines)
        self._header.show("", "", "", counted(len(lines), "live session"))
        if self.has_class("-empty") and lines:
            self.call_after_refresh(self._list.focus)
        self.set_class(not lines, "-empty")
        self._notice.say("no session is live now", ("one that begins appears here",), "○")

    @on(BoardList.Chosen)
    def _chosen(self, event: BoardList.Chosen) -> None:
        event.stop()
        self.post_message(SessionChosen(event.line.facts.info.ref))

    def action_leave(self) -> None:
        """Go back."""
        self.post_message(self.Left())
