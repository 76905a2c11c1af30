"""The files that a session and its agents touched: reads, net difference, what became of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from textual.binding import Binding, BindingType

from agentview.domain.record_ref import FileLocation
from agentview.facts.edits.net_diff import ChangeMark, FileNet
from agentview.facts.edits.operations import FileAction
from agentview.facts.edits.session_changes import SessionChanges, TouchedFile
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.format_numbers import counted, lines_added, lines_removed
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.sanitize import clean
from agentview.ui.messages import BlameRequested, FileRequested, RowRequested
from agentview.ui.render.style.palette import Palette
from agentview.ui.render.text_lines import Piece, tail
from agentview.ui.widgets.panel.tab import PanelTab, PanelView, TabLine
from agentview.ui.widgets.status_line import StatusLine

_LETTERS = {
    ChangeMark.NEW: "A",
    ChangeMark.CHANGED: "M",
    ChangeMark.MOVED: "R",
    ChangeMark.DELETED: "D",
    ChangeMark.SAME: "=",
    ChangeMark.UNKNOWN: "?",
    ChangeMark.READ: " ",
}
"""As git marks files; `?` where it is not known what a file came to."""
_SHOWN_EVERY = 64
"""Calls after which the lines are shown again while more are gone through."""
_MARK = 2
"""Cells of the letter before a path."""
_ROOM_FOR_READS = 30


@dataclass(slots=True)
class _Totals:
    """Sums of all files together."""

    files: int = 0
    changed: int = 0
    unknown: int = 0
    added: int = 0
    removed: int = 0

    def take(self, file: TouchedFile, net: FileNet) -> None:
        """Count one more file."""
        self.files += bool(file.steps)
        self.changed += file.changed
        self.unknown += not net.known
        self.added += net.added or 0
        self.removed += net.removed or 0


class FilesTab(PanelTab):
    """One line a file, those that were changed first; `⏎` shows its steps and its difference."""

    NAME: ClassVar[str] = "Files"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("B", "blame", "blame", show=False, id="files.blame",
                group=Binding.Group("Side panel"),
                tooltip="Blame the file: which session wrote each line"),
    ]  # fmt: skip

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._store = session.store if isinstance(session.store, SessionStore) else None
        self.changes = None if self._store is None else SessionChanges(self._store)
        """The files and the steps on them, as far as they have been gone through."""
        self._files: Sequence[TouchedFile] = ()
        self._listing = -1
        self._totals = _Totals()
        self._over = False

    def begin(self) -> None:
        self._catch_up()

    def take(self, change: RowsChanged) -> None:
        if change.appended or change.prepended or change.updated or not self._over:
            self._catch_up()

    def _catch_up(self) -> None:
        if self.changes is None or self._store is None or not self._store.indexed:
            # What stands before the end of a log is known only once all of it has been read.
            self.show_lines(1)
        else:
            self.work_through(self._catching_up(self.changes))

    def _catching_up(self, changes: SessionChanges) -> Iterator[None]:
        self._over = False
        for count, _ in enumerate(changes.working(), 1):
            if count % _SHOWN_EVERY == 0 and not self._files:
                self.show_lines(1)
            yield
        totals = _Totals()
        for file in list(changes.files.values()):
            totals.take(file, changes.net(file))
            yield
        self._over, self._totals = True, totals
        if changes.listing != self._listing:
            self._listing = changes.listing
            self._files = changes.listed()
        self.show_lines(1 + len(self._files) + bool(changes.unnamed))

    def stops_at(self, index: int) -> bool:
        return index > 0 and self.changes is not None

    def row_of_line(self, index: int) -> int | None:
        """The last call of the session itself that touched the file, or may have touched others."""
        if self.changes is None or not self.stops_at(index):
            return None
        own, is_file = self.session.ref.stream, index <= len(self._files)
        steps = reversed(self._files[index - 1].steps if is_file else self.changes.unnamed)
        return next((step.row for step in steps if step.stream == own), None)

    def choose(self, index: int) -> None:
        if 0 < index <= len(self._files):
            self.post_message(FileRequested(self._files[index - 1].path))
        elif (row := self.row_of_line(index)) is not None:
            self.post_message(RowRequested(row))

    def action_blame(self) -> None:
        """Show which sessions wrote the lines of the file under the cursor, as it is now."""
        at = self._cursor
        if 0 < at <= len(self._files) and self.changes is not None:
            path = self.changes.net(self._files[at - 1]).path
            say = self.screen.query_one(StatusLine).say
            self.post_message(BlameRequested(FileLocation(path, None, None), say))

    def line(self, index: int, width: int) -> TabLine:
        """How many files there are, one of them, or what may have changed others."""
        if index == 0 or self.changes is None:
            return self._heading()
        palette = self.view.space.palette
        if index > len(self._files):
            commands = counted(len(self.changes.unnamed), "command")
            return TabLine([(f"! {commands} may have changed others", palette.warning)])
        file = self._files[index - 1]
        net = self.changes.net(file)
        path = self.changes.place(file.path) or file.path
        folder, slash, name = clean(path).rpartition("/")
        mark = net.mark
        changed = mark is not ChangeMark.READ
        remark = " !" if (net.remarks or net.unsure) and net.known else ""
        right: list[Piece] = []
        if changed:
            right += [(" ", palette.dim), *count_pieces(net, palette)]
        reads = sum(step.act is FileAction.READ for step in file.steps)
        if width >= _ROOM_FOR_READS and reads:
            right.append((f"  {counted(reads, 'read')}", palette.dim))
        room = width - _MARK - sum(cell_len(text) for text, _ in right) - 1 - len(remark)
        left: list[Piece] = [
            (f"{_LETTERS[mark]} ", mark_style(mark, palette)),
            (self._cut(f"{folder}{slash}", room - cell_len(name)), palette.dim),
            (name, palette.strong if changed else palette.text),
            (remark, palette.warning),
        ]
        return TabLine(left, right)

    def _cut(self, folder: str, width: int) -> str:
        """The end of a folder in so many cells: the name after it is what is looked for."""
        if cell_len(folder) <= width:
            return folder
        mark = self.view.space.glyphs.ellipsis
        return mark + tail(folder, width - cell_len(mark)) if width > cell_len(mark) else ""

    def _heading(self) -> TabLine:
        palette, totals = self.view.space.palette, self._totals
        if self.changes is None:
            return TabLine([("changes of files are not known here", palette.dim)])
        if not self._files and self._over:
            return TabLine([("no file was read or changed", palette.dim)])
        if not self._files:
            reached = len(self.changes.files)
            so_far = f", {counted(reached, 'file')} so far" if reached else ""
            return TabLine([(f"reading{so_far}", palette.dim)])
        left: list[Piece] = [
            (counted(totals.files, "file"), palette.heading),
            (f"  {totals.changed:,} changed", palette.text),
        ]
        if totals.unknown:
            left.append((f"  {totals.unknown:,} not known", palette.warning))
        return TabLine(left, line_pieces(totals.added, totals.removed, palette))


def mark_style(mark: ChangeMark, palette: Palette) -> Style:
    return {
        ChangeMark.NEW: palette.success,
        ChangeMark.CHANGED: palette.accent,
        ChangeMark.MOVED: palette.accent,
        ChangeMark.DELETED: palette.error,
        ChangeMark.UNKNOWN: palette.warning,
    }.get(mark, palette.dim)


def count_pieces(net: FileNet, palette: Palette) -> list[Piece]:
    """Added and removed lines of a file; what is not known is reported as such."""
    if not net.known:
        return [("not known", palette.warning)]
    if net.mark is ChangeMark.SAME:
        return [("as before", palette.dim)]
    return line_pieces(net.added or 0, net.removed or 0, palette) or [("no line", palette.dim)]


def line_pieces(added: int, removed: int, palette: Palette) -> list[Piece]:
    """Numbers of added and removed lines in their colours, without those that are 0."""
    pieces: list[Piece] = [(lines_added(added), palette.success)] if added else []
    if removed:
        pieces.append((f"{' ' if pieces else ''}{lines_removed(removed)}", palette.error))
    return pieces
