"""The away report on a screen: what sessions did since their person looked."""

from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from agentview.reports.away.lines import AwayLine, Item, label_of, report_lines, summary
from agentview.reports.away.worker import AwayAnswer, AwayRequest
from agentview.sessions.library.scan.messages import pack_request
from agentview.sessions.library.search_roots import SearchRoots
from agentview.timeline.view.sanitize import clean
from agentview.ui.messages import SessionChosen
from agentview.ui.render.text_lines import Piece
from agentview.ui.screens.report_frame import ReportFrame
from agentview.ui.screens.report_options import ReportOptions
from agentview.ui.widgets.lists.line_list import LineList
from agentview.ui.widgets.lists.session_cells import padded

_WORKER = "agentview.reports.away.worker:serve"
_REPORT = Binding.Group("Report")
_SCREEN = Binding.Group("Screen")
_PERIODS = (None, "today", "yesterday", "7d")
"""Moments from which on is reported, one after the other; None is since each was looked at."""
_NO_DETAIL = 40
"""Cells of the list below which only the text of a line is shown."""


class AwayScreen(Screen[None]):
    """Sessions with what they did below each; a line opens its session at its place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_curly_bracket", "session(1)", "next session", id="report.next",
                group=_REPORT, tooltip="Next session"),
        Binding("left_curly_bracket", "session(-1)", "previous session", show=False,
                id="report.previous", group=_REPORT, tooltip="Previous session"),
        Binding("p", "period", "period", id="report.period", group=_REPORT,
                tooltip="Since you looked, today, since yesterday, the last 7 days"),
        Binding("r", "refresh_report", "refresh", id="report.refresh", group=_REPORT,
                tooltip="Make the report again"),
        Binding("escape,q,u", "leave", "back", key_display="q", id="report.back", group=_SCREEN,
                tooltip="Back"),
    ]  # fmt: skip
    AUTO_FOCUS = "LineList"
    CSS_PATH = "report.tcss"

    def __init__(self, places: SearchRoots, idle_after: float, options: ReportOptions) -> None:
        """`places` says where sessions are; `idle_after` after how many seconds one is idle."""
        super().__init__()
        self._places = places
        self._idle_after = idle_after
        self._options = options
        self._period = 0
        self._answer: AwayAnswer | None = None
        self._lines: list[AwayLine | None] = []
        """The lines, None for an empty one."""
        self._opened: set[str] = set()
        """Sessions that were opened from here, by their logs."""
        self._list = LineList(self._draw, lambda index: self._lines[index] is not None)
        self._frame = ReportFrame(
            options, self._heading, self._list, waiting="reading what happened"
        )

    def compose(self) -> ComposeResult:
        yield self._frame

    def on_mount(self) -> None:
        self._ask()

    def _ask(self) -> None:
        if self._frame.begin_work(_WORKER, self._take, "r reads again"):
            self._frame.send(pack_request(self._places))
        self._frame.send(AwayRequest(_PERIODS[self._period], self._idle_after))
        self._frame.show_title()

    def _take(self, answer: AwayAnswer) -> None:
        if answer.request.since != _PERIODS[self._period]:
            return
        before = self._current
        self._answer = answer
        self._lines = []
        at = 0
        for _, lines in report_lines(answer.report, answer.labels):
            self._lines += [None] if self._lines else []
            self._lines += lines
        for number, line in enumerate(self._lines):
            if line is not None and line == before:
                at = number
        self._frame.notice.say(summary(answer.report, answer.now), ("p for another period",), "✓")
        self._frame.show_lines(len(self._lines), at)
        self._frame.show_title()
        if answer.report.unreadable:
            first = answer.report.unreadable[0]
            self._frame.status.say(
                f"not read: {clean(first.path)}: {clean(first.reason)}", lasting=True
            )

    def refresh_view(self) -> None:
        """Show everything in the colours of now, with masks or without."""
        self._frame.refresh_view()

    # Lines

    def _heading(self, _width: int) -> list[Piece]:
        palette, answer = self._options.space().palette, self._answer
        period = _PERIODS[self._period]
        if answer is None or answer.request.since != period:
            return [("away report", palette.strong), ("  reading …", palette.dim)]
        words = summary(answer.report, answer.now)
        return [("away report  ", palette.strong), (words, palette.text)]

    def _draw(self, index: int, width: int) -> list[Piece]:
        palette, line = self._options.space().palette, self._lines[index]
        if line is None:
            return []
        is_session = line.item is Item.SESSION
        lead = label_of(line, self._lines[index - 1] if index else None)
        style = palette.warning if line.warns else palette.strong if is_session else palette.text
        if line.session is not None and line.session.info.ref.path in self._opened:
            style = palette.dim
        detail = line.detail if width >= _NO_DETAIL else ""
        detail = clean(self._options.seen(detail))
        room = max(0, width - len(lead))
        text = clean(self._options.seen(line.text))
        # Half of the row, and what the text leaves of the other.
        most = min(cell_len(detail), max(room // 2, room - cell_len(text) - 2))
        text = padded(text, room - most - 2 * bool(most))
        gap = "  " if most else ""
        end = padded(detail, most, right=True)
        return [(lead, palette.dim), (text, style), (gap, palette.dim), (end, palette.dim)]

    @property
    def _current(self) -> AwayLine | None:
        at = self._list.cursor
        return self._lines[at] if at < len(self._lines) else None

    # Keys

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        line = self._lines[event.line]
        if line is None or line.session is None:
            return
        session = line.session
        self._opened.add(session.info.ref.path)
        self._list.refresh()
        place = line.place if line.place is not None else session.work.first
        self.post_message(SessionChosen(session.info.ref, place))

    def action_session(self, step: int) -> None:
        """Go to the next session, or to the one before."""
        heads = [
            number
            for number, line in enumerate(self._lines)
            if line is not None and line.item is Item.SESSION
        ]
        at = self._list.cursor
        found = (
            next((number for number in heads if number > at), None)
            if step > 0
            else next((number for number in reversed(heads) if number < at), None)
        )
        if found is not None:
            self._list.put_cursor(found)

    def action_period(self) -> None:
        """Report another time."""
        self._period = (self._period + 1) % len(_PERIODS)
        self._ask()

    def action_refresh_report(self) -> None:
        self._ask()

    def action_leave(self) -> None:
        self.dismiss(None)
