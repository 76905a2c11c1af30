"""A file as it is now, with the session, turn and prompt that wrote each line."""

from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from agentview.reports.blame.file_past import Writer
from agentview.reports.blame.lines import BlamedLine, origin_of
from agentview.reports.blame.worker import BlamedFile, BlameRequest
from agentview.sessions.targets.session_line import home_relative, short_ids
from agentview.timeline.view.format_numbers import UNKNOWN, counted, date_time
from agentview.timeline.view.sanitize import clean, one_line
from agentview.ui.messages import CopyRequested, SessionChosen
from agentview.ui.render.containers import Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.syntax import Highlighter
from agentview.ui.render.text_lines import Piece, Rows, prose_rows
from agentview.ui.screens.report_frame import ReportFrame
from agentview.ui.screens.report_options import ReportOptions
from agentview.ui.widgets.lists.line_list import LineList
from agentview.ui.widgets.lists.session_cells import padded
from agentview.ui.widgets.pager import Pager

_WORKER = "agentview.reports.blame.worker:serve"
_FILE = Binding.Group("File")
_SCREEN = Binding.Group("Screen")
_TURN = 9
_PROMPT = 28
_TIME = 16
"""Cells of what is known of a writer, next to the lines; a wide screen has more for the prompt."""
_WITH_TURN = 60
_WITH_PROMPT = 150
"""Columns from which there is room for the turn, and for the prompt and the time."""


class BlameScreen(Screen[None]):
    """Lines with their writers; a line leads to the call that wrote it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_curly_bracket", "block(1)", "next writer", key_display="{ }",
                id="blame.next", group=_FILE, tooltip="Next lines of another writer"),
        Binding("left_curly_bracket", "block(-1)", "previous writer", show=False,
                id="blame.previous", group=_FILE, tooltip="Previous lines of another writer"),
        Binding("y", "copy", "copy", id="blame.copy", group=_FILE,
                tooltip="Copy the prompt behind the line"),
        Binding("c", "copy_id", "copy id", show=False, id="blame.copy_id", group=_FILE,
                tooltip="Copy the id of the session that wrote the line"),
        Binding("r,f5", "again", "again", show=False, id="blame.again", group=_FILE,
                tooltip="Read the file and its sessions again"),
        Binding("escape,q", "leave", "back", key_display="q", id="blame.back", group=_SCREEN,
                tooltip="Back"),
    ]  # fmt: skip
    AUTO_FOCUS = "LineList"
    CSS_PATH = "report.tcss"

    def __init__(self, path: Path, line: int | None, options: ReportOptions) -> None:
        """`line` is where the cursor begins, from 1."""
        super().__init__()
        self._path = path
        self._first = line or 1
        self._options = options
        self._masked = options.masking()
        self._lines: tuple[BlamedLine, ...] = ()
        self._ids: dict[str, str] = {}
        self._id_size = 0
        """Cells of the longest id, and of a sign of doubt."""
        self._colors: Highlighter | None = None
        self._list = LineList(self._line)
        self._about = Pager(id="about")
        self._about.can_focus = False
        self._frame = ReportFrame(
            options,
            self._heading,
            self._list,
            self._about,
            waiting="reading the sessions of the project",
        )

    def compose(self) -> ComposeResult:
        yield self._frame

    def on_mount(self) -> None:
        self._ask()

    def _ask(self) -> None:
        self._frame.show_title()
        self._frame.begin_work(_WORKER, self._take, "r reads again")
        self._frame.send(BlameRequest(self._path, self._masked))

    def _take(self, found: BlamedFile) -> None:
        cursor = self._list.cursor if self._lines else self._first - 1
        self._lines = found.lines
        known = (line.writer for line in found.lines)
        self._ids = short_ids(each.info.ref.session_id for each in known if each is not None)
        self._id_size = max(map(cell_len, self._ids.values()), default=1) + 1
        self._colors = None
        if found.trouble is not None:
            self._frame.notice.say(found.trouble, (), "✗")
        else:
            self._frame.notice.say("the file is empty", (), "○")
        self._frame.show_title()
        self._frame.show_lines(len(found.lines), cursor)
        if found.unreadable:
            log, why = found.unreadable[0]
            more = f", and {len(found.unreadable) - 1} more" if len(found.unreadable) > 1 else ""
            self._frame.status.say(f"not read: {log}: {why}{more}", lasting=True)

    def refresh_view(self) -> None:
        """Show everything in the colours of now, with masks or without."""
        self._colors = None
        if self._masked != self._options.masking():
            self._masked = not self._masked
            self._ask()
        self._frame.refresh_view()
        self._show_writer()

    # What is shown

    def _heading(self, _width: int) -> list[Piece]:
        palette = self._options.space().palette
        pieces: list[Piece] = [(home_relative(str(self._path)), palette.strong)]
        if self._lines:
            nobody = sum(line.writer is None for line in self._lines)
            pieces.append((f"  {counted(len(self._lines), 'line')}", palette.text))
            pieces.append((f"  {counted(len(self._ids), 'session')}", palette.dim))
            if nobody:
                pieces.append((f"  {counted(nobody, 'line')} of no session", palette.dim))
        return pieces

    def _line(self, index: int, width: int) -> list[Piece]:
        """A line: its writer where that is another one than above, its number, its text."""
        space = self._options.space()
        palette = space.palette
        line = self._lines[index]
        above = self._lines[index - 1] if index else None
        begins = above is None or not _same_writer(above, line)
        origin = self._origin(line, width)
        style = palette.dim if line.writer is None else palette.accent
        number = f"{line.number:>{len(str(len(self._lines)))}}"
        if self._colors is None:
            texts = [each.text for each in self._lines]
            self._colors = Highlighter(texts, self._path.name, palette)
        return [
            (origin if begins else " " * cell_len(origin), style),
            (f" {number} ", palette.dim),
            (f"{space.glyphs.gutter} ", palette.border),
            *self._colors.line(index),
        ]

    def _origin(self, line: BlamedLine, width: int) -> str:
        """The writer of a line in columns, as many as there is room for."""
        origin = origin_of(line, self._ids)
        text = padded(origin.session, self._id_size)
        if width >= _WITH_TURN:
            text += padded(f" {origin.turn}", _TURN)
        if width >= _WITH_PROMPT:
            prompt = _PROMPT + (width - _WITH_PROMPT) // 2
            text += f" {padded(origin.prompt, prompt)} {padded(origin.time, _TIME)}"
        return text

    @on(LineList.Moved)
    def _moved(self, event: LineList.Moved) -> None:
        event.stop()
        self._show_writer()

    def _show_writer(self) -> None:
        self._about.show(lambda width: self._writer_body(self._options.page(width)))

    def _writer_body(self, space: RenderContext) -> LazyLines:
        """Facts on the writer of the line under the cursor."""
        palette, line = space.palette, self._current
        if line is None:
            return Rows([], space)
        writer = line.writer
        if writer is None:
            return Rows([[("no recorded call wrote this line", palette.dim)]], space)
        facts = [writer.info.ref.provider, one_line(writer.info.title or UNKNOWN)]
        facts.append("before the first prompt" if writer.turn is None else f"turn {writer.turn}")
        facts.append(one_line(writer.tool or UNKNOWN))
        facts.append(date_time(writer.time))
        if writer.subagent is not None:
            facts.append("by a subagent")
        rows: list[list[Piece]] = [[("  ".join(facts), palette.strong)]]
        if not line.exact:
            said = "another call may have written the line as well: the log has not all of the file"
            rows.append([(said, palette.warning)])
        return Stack(
            [
                Rows(rows, space),
                prose_rows(clean(self._options.seen(writer.prompt or "")), space, palette.text),
            ]
        )

    @property
    def _current(self) -> BlamedLine | None:
        at = self._list.cursor
        return self._lines[at] if at < len(self._lines) else None

    @property
    def _writer(self) -> Writer | None:
        line = self._current
        if line is None or line.writer is None:
            self._frame.status.say("no recorded call wrote this line")
            return None
        return line.writer

    # Keys

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        writer = self._writer
        if writer is not None:
            self.post_message(SessionChosen(writer.log, writer.place))

    def action_block(self, step: int) -> None:
        """Go to the first line of the next or previous writer."""
        at, last = self._list.cursor, len(self._lines) - 1
        begins = [
            line
            for line in range(len(self._lines))
            if not line or not _same_writer(self._lines[line - 1], self._lines[line])
        ]
        found = [line for line in begins if (line > at if step > 0 else line < at)]
        if found and last >= 0:
            self._list.put_cursor(found[0] if step > 0 else found[-1])
        else:
            self._frame.status.say("no other writer below" if step > 0 else "no other writer above")

    def action_copy(self) -> None:
        """Copy the prompt behind the line."""
        writer = self._writer
        if writer is None:
            return
        if writer.prompt is None:
            self._frame.status.say("the prompt is not known")
            return
        self.post_message(
            CopyRequested(self._options.seen(writer.prompt), "prompt", self._frame.status.say)
        )

    def action_copy_id(self) -> None:
        """Copy the id of the session that wrote the line."""
        writer = self._writer
        if writer is not None:
            session = writer.info.ref.session_id
            self.post_message(CopyRequested(session, "session id", self._frame.status.say))

    def action_again(self) -> None:
        """Read the file and its sessions again."""
        self._frame.status.say("reading again")
        self._ask()

    def action_leave(self) -> None:
        self.dismiss(None)


def _same_writer(one: BlamedLine, other: BlamedLine) -> bool:
    """Return True if two lines are shown as of one writer: the same prompt of a session."""
    a, b = one.writer, other.writer
    if a is None or b is None:
        return a is b
    return (a.info.ref, a.turn, one.exact) == (b.info.ref, b.turn, other.exact)
