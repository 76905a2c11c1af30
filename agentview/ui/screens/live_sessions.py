"""The board: what each live session does right now, one line each."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from agentview.ingest.tail import TailSession, open_tail
from agentview.library.live_status import BoardLine, board_line, board_order
from agentview.library.liveness import may_wait
from agentview.library.session_list import distinct_names
from agentview.library.session_record import SessionFacts
from agentview.library.sort_group import finished
from agentview.timeline.format_numbers import UNKNOWN, counted, span
from agentview.timeline.sanitize import clean, one_line
from agentview.timeline.titles.title import StatusIcon, Title
from agentview.ui.messages import SessionChosen
from agentview.ui.screens.library.options import LibraryViewOptions
from agentview.ui.screens.library.source import LibraryFeed
from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.library_header import LibraryHeader
from agentview.ui.widgets.responsive_bar import fit_middle
from agentview.ui.widgets.session_cells import padded, state_cell
from agentview.ui.widgets.session_columns import GAP
from agentview.ui.widgets.status_line import StatusLine
from agentview.ui.widgets.virtual_list import Cell, RowList
from agentview.watch.watcher import Watcher

# Follows all live sessions at once: of each log the end is read, then what is appended.


class BoardFeed:
    """The lines of the board; `changed` is called when one of them says something else.

    Sessions come from the library, which hears of new ones. Nothing is done while nothing is
    written.
    """

    def __init__(
        self, feed: LibraryFeed, clock: Callable[[], float], changed: Callable[[], None]
    ) -> None:
        self._feed = feed
        self._clock = clock
        self._changed = changed
        self._sessions: dict[str, TailSession] = {}
        self._watcher: Watcher | None = None
        self._wanted = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Follow what is live, and what will be."""
        self._unsubscribe = self._feed.subscribe(self._wanted.set)
        self._wanted.set()
        self._watcher = Watcher()
        self._tasks = [
            asyncio.create_task(self._open_live(self._watcher)),
            asyncio.create_task(self._follow(self._watcher)),
        ]

    def close(self) -> None:
        """Follow nothing any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        for task in self._tasks:
            task.cancel()
        if self._watcher is not None:
            self._watcher.close()

    def lines(self) -> list[BoardLine]:
        """What each live session does now."""
        now = self._clock()
        found: list[BoardLine] = []
        for path, session in self._sessions.items():
            facts = self._feed.listing.get(path)
            line = None if facts is None else board_line(facts, session, now)
            if line is not None:
                found.append(line)
        return sorted(found, key=board_order)

    async def _open_live(self, watcher: Watcher) -> None:
        """Open sessions as they become live, and close those that are no longer."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            live = self._live()
            for path in [path for path in self._sessions if path not in live]:
                self._sessions.pop(path).close()
                watcher.remove([Path(path)])
            for path, facts in live.items():
                if path not in self._sessions:
                    session = await asyncio.to_thread(open_tail, facts.info.ref, live=True)
                    self._sessions[path] = session
                    watcher.add_files([Path(path)])
            self._changed()

    def _live(self) -> dict[str, SessionFacts]:
        """Sessions that are live by what the library knows, or by their logs as they are."""
        now = self._clock()
        entries = finished(self._feed.listing.entries())
        shown = {line.path for line in self.lines()}
        return {
            entry.path: entry.facts
            for entry in entries
            if may_wait(entry.info, now) or entry.path in shown
        }

    async def _follow(self, watcher: Watcher) -> None:
        async for paths in watcher:
            for path in paths:
                session = self._sessions.get(str(path))
                if session is not None:
                    await session.read_on()
            self._changed()


_SCREEN = Binding.Group("Screen")
_MINUTE = 60.0
_SOON = 0.05
"""Seconds for which changes are gathered before the lines are shown again."""

_SINCE = 4
_LABEL = 10
_PROVIDER = 11
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

    def __init__(self, looks: LibraryViewOptions) -> None:
        super().__init__()
        self.looks = looks
        self._names: dict[str, str] = {}
        self._state = 1
        """Cells of the longest word for a state, with its mark."""
        self._widest = (0, 0)
        """Cells of the longest title and of the longest word on what a session does."""

    def show_rows(self, rows: Sequence[BoardLine], *, fixed: bool = False) -> None:
        """Show these lines, their projects by names that tell them apart."""
        projects = {info.project for info in (row.facts.info for row in rows) if info.project}
        self._names = distinct_names(projects)
        titles = (cell_len(_title(row)) for row in rows)
        self._widest = max(titles, default=0), max(map(_doing_length, rows), default=0)
        self._state = max((2 + len(row.status.label) for row in rows), default=1)
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
            state_cell(row.status, self._state if width >= _WIDE else 1, self.looks.signs),
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
        under_way = doing.mark in (StatusIcon.RUNNING, StatusIcon.STREAMING)
        failed = doing.mark is StatusIcon.FAILED
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
    """How long something continues, in whole minutes: shorter times would have to tick."""
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

    def __init__(self, feed: LibraryFeed, looks: LibraryViewOptions) -> None:
        super().__init__()
        self._header = LibraryHeader("board")
        self._list = BoardList(looks)
        self._notice = EmptyState("looking at live sessions")
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

    def set_looks(self, looks: LibraryViewOptions) -> None:
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
        self._notice.say("no session is live now", ("new live sessions appear here",), "○")

    @on(BoardList.Chosen)
    def _chosen(self, event: BoardList.Chosen) -> None:
        event.stop()
        self.post_message(SessionChosen(event.line.facts.info.ref))

    def action_leave(self) -> None:
        """Go back."""
        self.post_message(self.Left())
