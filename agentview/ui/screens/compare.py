"""Two sessions side by side: prompts, tools, files, result, tokens, cost, time."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from agentview.domain.session import SessionRef
from agentview.domain.tool_inputs import FileOperation
from agentview.facts.edits.net_diff import FileNet
from agentview.reports.comparison.rows import ComparedRow, Subject, comparison_rows
from agentview.reports.comparison.sessions import ComparedSession, ComparedTurn, Comparison
from agentview.reports.comparison.worker import Compared, CompareRequest
from agentview.timeline.view.diff.from_call import FileDiff
from agentview.timeline.view.format_numbers import UNKNOWN
from agentview.timeline.view.sanitize import clean, one_line
from agentview.ui.messages import SessionChosen
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Piece, Rows, prose_rows, text_rows
from agentview.ui.screens.diff_mode import diff_mode_turned
from agentview.ui.screens.report_frame import ReportFrame
from agentview.ui.screens.report_options import ReportOptions
from agentview.ui.widgets.lists.line_list import LineList
from agentview.ui.widgets.lists.session_cells import padded
from agentview.ui.widgets.pager import Pager

_WORKER = "agentview.reports.comparison.worker:serve"
_COMPARE = Binding.Group("Compare")
_SCREEN = Binding.Group("Screen")
_DIFFERENCE = 10
_GAP = 2
_INDENT = 2
_LEAST_NAME = 14
_NO_ROOM = 70
"""Columns below which differences are left out."""


class CompareScreen(Screen[None]):
    """Rows of a comparison; below them what the row under the cursor is about."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "open('a')", "open A", id="compare.open_a", group=_COMPARE,
                tooltip="Open the first session, at the prompt of the row"),
        Binding("b", "open('b')", "open B", id="compare.open_b", group=_COMPARE,
                tooltip="Open the second session, at the prompt of the row"),
        Binding("f", "differences", "differences", id="compare.differences", group=_COMPARE,
                tooltip="Show only what differs, or all"),
        Binding("tab", "turn", "details", id="compare.turn", group=_COMPARE,
                tooltip="From the rows to the details, and back"),
        Binding("d", "diff_mode", "diffs", show=False, id="compare.diff_mode", group=_COMPARE,
                tooltip="Split or unified diffs"),
        Binding("escape,q", "leave", "back", key_display="q", id="compare.back", group=_SCREEN,
                tooltip="Back"),
    ]  # fmt: skip
    AUTO_FOCUS = "LineList"
    CSS_PATH = "report.tcss"

    def __init__(self, a: SessionRef, b: SessionRef, options: ReportOptions) -> None:
        super().__init__()
        self._asked = CompareRequest(a, b)
        self._options = options
        self._comparison: Comparison | None = None
        self._only_differences = False
        self._rows: tuple[ComparedRow, ...] = ()
        self._list = LineList(self._line, self._stops)
        self._about = Pager(id="about")
        self._frame = ReportFrame(
            options, self._heading, self._list, self._about, waiting="reading both sessions"
        )

    def compose(self) -> ComposeResult:
        yield self._frame

    def on_mount(self) -> None:
        self._frame.begin_work(_WORKER, self._take)
        self._frame.send(self._asked)

    def _take(self, compared: Compared) -> None:
        self._frame.end_work()
        self._comparison = compared.comparison
        if compared.trouble is not None:
            self._frame.notice.say(compared.trouble, (), "✗")
        self._arrange()

    def _arrange(self) -> None:
        """Show the rows, all of them or those that differ."""
        if self._comparison is None:
            return
        cursor = self._list.cursor
        before = self._rows[cursor] if cursor < len(self._rows) else None
        rows = tuple(comparison_rows(self._comparison))
        self._rows = tuple(_differing(rows)) if self._only_differences else rows
        self._frame.notice.say("there is no difference", ("f shows all",), "=")
        at = self._rows.index(before) if before in self._rows else 0
        self._frame.show_lines(len(self._rows), at)
        self._frame.status.show_filter("only differences" if self._only_differences else None)

    def refresh_view(self) -> None:
        """Show everything in the colours of now, with masks or without."""
        self._frame.refresh_view()
        self._show_details()

    # Rows

    def _heading(self, width: int) -> list[Piece]:
        strong = self._options.space().palette.strong
        # The list below has a scrollbar.
        names = _columns(("compared", "A", "B", "difference"), width - 1)
        return [(text, strong) for text in names]

    def _stops(self, index: int) -> bool:
        return self._rows[index].subject is not Subject.HEADING

    def _line(self, index: int, width: int) -> list[Piece]:
        palette, row = self._options.space().palette, self._rows[index]
        if row.subject is Subject.HEADING:
            return [(row.name.capitalize(), palette.heading)]
        indent = 0 if row.subject is Subject.FACT else _INDENT
        cells = (row.name, row.a, row.b, row.difference)
        name, a, b, difference = _columns(cells, width, indent)
        style = palette.text if row.differs else palette.dim
        return [
            (name, style),
            (a, style),
            (b, style),
            (difference, palette.accent if row.differs else palette.dim),
        ]

    # Details

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._show_details()

    @property
    def _row(self) -> ComparedRow | None:
        at = self._list.cursor
        return self._rows[at] if at < len(self._rows) else None

    def _show_details(self) -> None:
        self._about.show(lambda width: Stack(list(self._details(self._options.page(width)))))

    def _details(self, space: RenderContext) -> Iterator[LazyLines]:
        """Subject of a row, in full."""
        row, comparison = self._row, self._comparison
        if row is None or comparison is None:
            return
        palette = space.palette
        yield Rows([[(row.name, palette.heading)]], space)
        if row.pair is not None:
            for side, turn in (("A", row.pair.a), ("B", row.pair.b)):
                yield from self._turn(side, turn, space)
        elif row.subject is Subject.FILE:
            for side, net in zip("AB", row.nets, strict=True):
                yield from self._file(side, net, space)
        else:
            both = comparison.a, comparison.b
            for side, session, short in zip("AB", both, (row.a, row.b), strict=True):
                text = _whole(row, session) or short
                yield from self._text(f"{side}  ", text, space)

    def _text(self, before: str, text: str, space: RenderContext) -> Iterator[LazyLines]:
        yield prose_rows(f"{before}{clean(self._options.seen(text))}", space, space.palette.text)

    def _turn(
        self, side: str, turn: ComparedTurn | None, space: RenderContext
    ) -> Iterator[LazyLines]:
        palette = space.palette
        if turn is None:
            yield Rows([[(f"{side}  has no prompt here", palette.dim)]], space)
            return
        yield Rows([[(f"{side}  turn {turn.number}", palette.accent)]], space)
        yield from self._text("", turn.prompt, space)
        yield Rows([[("answer", palette.dim)]], space)
        yield from self._text("", turn.answer or UNKNOWN, space)

    def _file(self, side: str, net: FileNet | None, space: RenderContext) -> Iterator[LazyLines]:
        palette = space.palette
        if net is None:
            yield Rows([[(f"{side}  not changed", palette.dim)]], space)
            return
        yield Rows([[(f"{side}  {net.mark.value}", palette.accent)]], space)
        if not net.known:
            yield text_rows("what the calls came to is not known", space, palette.warning)
        hunks = tuple(
            replace(hunk, lines=tuple(self._options.seen("\n".join(hunk.lines)).split("\n")))
            for hunk in net.hunks
        )
        if hunks:
            diff = FileDiff(net.path, FileOperation.UPDATE, hunks=hunks, numbered=net.numbered)
            yield diff_body(diff, space)

    # Keys

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        pair = self._rows[event.line].pair
        self.action_open("b" if pair is not None and pair.a is None else "a")

    def action_open(self, side: str) -> None:
        """Open one of the sessions, at the prompt of the row if it has one."""
        comparison, row = self._comparison, self._row
        if comparison is None:
            return
        session: ComparedSession = getattr(comparison, side)
        turn: ComparedTurn | None = getattr(row.pair, side) if row and row.pair else None
        place = None if turn is None else turn.place
        self.post_message(SessionChosen(session.info.ref, place))

    def action_differences(self) -> None:
        """Show only what differs, or all."""
        self._only_differences = not self._only_differences
        self._arrange()

    def action_turn(self) -> None:
        (self._about if self._list.has_focus else self._list).focus()

    def action_diff_mode(self) -> None:
        """Show diffs side by side, or one below the other."""
        split = self._options.page(self._about.scrollable_content_region.width).shows_split
        self.post_message(diff_mode_turned(split=split, say=self._frame.status.say))

    def action_leave(self) -> None:
        self.dismiss(None)


def _differing(rows: tuple[ComparedRow, ...]) -> Iterator[ComparedRow]:
    """Rows that differ, below the headings that have some."""
    heading: ComparedRow | None = None
    for row in rows:
        if row.subject is Subject.HEADING:
            heading = row
        elif row.differs:
            if heading is not None:
                yield heading
            heading = None
            yield row


def _columns(cells: tuple[str, str, str, str], width: int, indent: int = 0) -> tuple[str, ...]:
    """The cells of a row in columns: what is compared, both sides, the difference if it fits."""
    last = _DIFFERENCE + _GAP if width >= _NO_ROOM else 0
    room = max(3 * _LEAST_NAME, width - last)
    side = room * 3 // 10
    name = room - 2 * side
    before, gap = " " * indent, " " * _GAP
    what = before + padded(one_line(cells[0]), name - indent - _GAP) + gap
    sides = [padded(one_line(text), side - _GAP) + gap for text in cells[1:3]]
    return what, *sides, padded(cells[3], _DIFFERENCE) if last else ""


def _whole(row: ComparedRow, session: ComparedSession) -> str | None:
    """The whole text that a row has the beginning of."""
    if row.subject is Subject.RESULT and row.name == "last message":
        return session.answer
    return session.info.title if row.subject is Subject.FACT and row.name == "title" else None
