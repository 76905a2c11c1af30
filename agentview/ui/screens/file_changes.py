"""Changes of one file by a session: the steps on it, and their net difference."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from agentview.domain.record_ref import FileLocation
from agentview.domain.session import Stream
from agentview.domain.tool_inputs import FileOperation
from agentview.domain.tool_results import Hunk
from agentview.facts.edits.git_patch import file_lines
from agentview.facts.edits.messages import trouble_words
from agentview.facts.edits.net_diff import ChangeMark, FileNet
from agentview.facts.edits.session_changes import SessionChanges, TouchedFile
from agentview.redaction.secrets import masked
from agentview.sessions.following.live_session import LiveSession
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.diff.from_call import FileDiff
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import clean
from agentview.ui.messages import BlameRequested, CopyRequested
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.render_options import detail_space
from agentview.ui.render.text_lines import Piece, Rows, text_rows
from agentview.ui.screens.diff_mode import diff_mode_turned
from agentview.ui.screens.session.options import ViewOptions
from agentview.ui.widgets.pager import Pager
from agentview.ui.widgets.pager_search import PageSearch
from agentview.ui.widgets.panel.file_history import StepList
from agentview.ui.widgets.panel.files import count_pieces, mark_style
from agentview.ui.widgets.panel.tab import PanelView
from agentview.ui.widgets.status_line import StatusLine

_FILE = Binding.Group("File")
_FIND = Binding.Group("Find")
_SCREEN = Binding.Group("Screen")
_SOON = 0.2
"""Seconds for which changes of the session are gathered."""
_SLICE = 0.004
_OPERATIONS = {
    ChangeMark.NEW: FileOperation.CREATE,
    ChangeMark.DELETED: FileOperation.DELETE,
    ChangeMark.MOVED: FileOperation.RENAME,
}
_WORDS = {
    ChangeMark.READ: "it was only read",
    ChangeMark.SAME: "it was changed, and is as it was before",
    ChangeMark.UNKNOWN: "what the steps came to is not known:",
}


class FileChangesScreen(Screen[tuple[Stream, int]]):
    """One file of a session; ends with the row of a step that is to be shown, if any."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "turn", "steps", id="file.turn", group=_FILE,
                tooltip="From the steps to the difference, and back"),
        Binding("J,right_square_bracket", "file(1)", "next file", key_display="J/K",
                id="file.next", group=_FILE, tooltip="Next file that was touched"),
        Binding("K,left_square_bracket", "file(-1)", "previous file", show=False,
                id="file.previous", group=_FILE, tooltip="Previous file that was touched"),
        Binding("d", "diff_mode", "diffs", show=False, id="file.diff_mode", group=_FILE,
                tooltip="Split or unified diffs"),
        Binding("B", "blame", "blame", id="file.blame", group=_FILE,
                tooltip="Blame the file: which session wrote each line"),
        Binding("y", "copy", "copy", id="file.copy", group=_FILE,
                tooltip="Copy what is selected with the mouse, else the patch of this file"),
        Binding("Y", "copy_all", "copy all", id="file.copy_all", group=_FILE,
                tooltip="Copy the patch of the whole session"),
        Binding("slash", "search", "search", id="file.search", group=_FIND,
                tooltip="Search in the difference"),
        Binding("n", "match(1)", "next match", show=False, id="file.next_match", group=_FIND,
                tooltip="Next match"),
        Binding("N", "match(-1)", "previous match", show=False, id="file.previous_match",
                group=_FIND, tooltip="Previous match"),
        Binding("escape", "dismiss_or_leave", "back", show=False, id="file.dismiss",
                group=_SCREEN, tooltip="Close the search, else back to the session"),
        Binding("q", "leave", "back", id="file.back", group=_SCREEN,
                tooltip="Back to the session"),
    ]  # fmt: skip
    AUTO_FOCUS = "#diff"
    CSS_PATH = "file_changes.tcss"

    def __init__(
        self, session: LiveSession, changes: SessionChanges, path: str, options: ViewOptions
    ) -> None:
        super().__init__()
        self.session = session
        self._changes = changes
        self._path = path
        self._options = options
        self._title = Pager(id="title")
        self._title.can_focus = False
        self._steps = StepList(session, self._view())
        self._pager = Pager(id="diff")
        self._status = StatusLine()
        self._search = PageSearch(self._pager, self._status)
        self._revision = -1
        self._gathering = False
        self._work: asyncio.Task[None] | None = None
        self._unsubscribe: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        """Title, steps, difference, search, status."""
        yield self._title
        yield self._steps
        yield self._pager
        yield self._search
        yield self._status

    def on_mount(self) -> None:
        """Show the file, and show it again when more is done to it."""
        self._unsubscribe = self.session.store.subscribe(self._rows_changed)
        self._status.show_masking(self._options.masking)
        self._steps.bring_to_front(None)
        self._show()

    def on_unmount(self) -> None:
        """Take part in nothing any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        if self._work is not None:
            self._work.cancel()

    def set_options(self, options: ViewOptions) -> None:
        """Show everything in other colours, by other settings; with masks, or without."""
        self._options = options
        self._status.forget_keys()
        self._status.show_masking(options.masking)
        self._steps.set_view(self._view())
        self._show(self._pager.place)

    def _view(self) -> PanelView:
        return PanelView(self._space(80), self._options.clock, self._options.seen)

    def _space(self, width: int) -> RenderContext:
        return detail_space(self._options.settings, self._options.palette, width)

    def _rows_changed(self, change: RowsChanged) -> None:
        del change
        if not self._gathering:
            self._gathering = True
            self.set_timer(_SOON, self._catch_up)

    def _catch_up(self) -> None:
        self._gathering = False
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._catching_up(self._changes.working()))

    async def _catching_up(self, steps: Iterator[None]) -> None:
        """Go through what came, in slices between which keys have their turn."""
        began = perf_counter()
        for _ in steps:
            if perf_counter() - began > _SLICE:
                await asyncio.sleep(0)
                began = perf_counter()
        file = self._file
        if file is not None and file.revision != self._revision:
            self._show(self._pager.place)

    @property
    def _file(self) -> TouchedFile | None:
        return self._changes.files.get(self._path)

    def _show(self, place: int = 0) -> None:
        file = self._file
        if file is None:
            return
        self._revision = file.revision
        net = self._changes.net(file)
        troubles = {
            trouble.step.number: trouble.reason
            for trouble in (*net.missing, *net.remarks, *net.unsure)
        }
        self._steps.show_steps(file.steps, troubles)
        self._pager.take_palette(self._options.palette)
        self._title.show(lambda width: Rows([self._heading(file, net)], self._space(width)))
        self._pager.show(lambda width: self._body(net, self._space(width)), place)
        self._search.look_again()

    def _heading(self, file: TouchedFile, net: FileNet) -> list[Piece]:
        palette = self._options.palette
        name = self._changes.place(net.path) or net.path
        pieces: list[Piece] = [(clean(name), palette.strong)]
        if net.mark is ChangeMark.MOVED:
            old = self._changes.place(net.origin) or net.origin
            pieces.append((f"  from {clean(old)}", palette.dim))
        if net.mark not in (
            ChangeMark.READ,
            ChangeMark.CHANGED,
            ChangeMark.SAME,
            ChangeMark.UNKNOWN,
        ):
            pieces.append((f"  {net.mark.value}", mark_style(net.mark, palette)))
        if net.mark is not ChangeMark.READ:
            pieces += [("  ", palette.dim), *count_pieces(net, palette)]
        count = len(file.steps)
        pieces.append((f"  {count:,} step{'' if count == 1 else 's'}", palette.dim))
        if self._changes.place(net.path) is None and net.mark is not ChangeMark.READ:
            pieces.append(("  not in the patch: outside of the directory", palette.warning))
        return pieces

    def _body(self, net: FileNet, space: RenderContext) -> LazyLines:
        palette = space.palette
        parts: list[LazyLines] = []
        said = _WORDS.get(net.mark)
        if said is not None:
            parts.append(text_rows(said, space, palette.dim))
        parts += (
            text_rows(trouble_words(trouble), space, palette.warning)
            for trouble in (*net.missing, *net.remarks, *net.unsure)
        )
        if net.hunks:
            diff = FileDiff(
                net.path,
                _OPERATIONS.get(net.mark, FileOperation.UPDATE),
                hunks=self._seen(net.hunks),
                numbered=net.numbered,
            )
            parts.append(diff_body(diff, space))
        elif net.known and said is None:
            parts.append(text_rows("no line was changed", space, palette.dim))
        return Stack(parts)

    def _seen(self, hunks: Sequence[Hunk]) -> tuple[Hunk, ...]:
        """The hunks as they may be shown."""
        if not self._options.masking:
            return tuple(hunks)
        return tuple(replace(hunk, lines=_masked_lines(hunk.lines)) for hunk in hunks)

    @on(Pager.Finished)
    def _pager_finished(self, event: Pager.Finished) -> None:
        event.stop()
        self._search.look_again()

    @on(StepList.StepChosen)
    def _step_chosen(self, event: StepList.StepChosen) -> None:
        event.stop()
        self.dismiss((event.step.stream, event.step.row))

    def action_turn(self) -> None:
        (self._pager if self._steps.has_focus else self._steps).focus()

    def action_file(self, step: int) -> None:
        """Show the next or previous file, in the order of the list of files."""
        paths = [file.path for file in self._changes.listed()]
        at = paths.index(self._path) + step if self._path in paths else 0
        if not 0 <= at < len(paths):
            self._status.say("this is the last file" if step > 0 else "this is the first file")
            return
        self._path = paths[at]
        self._show()

    def action_diff_mode(self) -> None:
        """Show the difference side by side, or one below the other."""
        width = self._pager.scrollable_content_region.width
        split = self._space(width).shows_split
        self.post_message(diff_mode_turned(split=split, say=self._status.say))

    def action_blame(self) -> None:
        """Show which sessions wrote the lines of the file as it is now."""
        file = self._file
        if file is not None:
            place = FileLocation(self._changes.net(file).path, None, None)
            self.post_message(BlameRequested(place, self._status.say))

    async def action_search(self) -> None:
        await self._search.ask()

    def action_match(self, direction: int) -> None:
        self._search.step(direction)

    def action_copy(self) -> None:
        """Copy what is selected, else the patch of the file."""
        selected = self.get_selected_text()
        if selected:
            self.post_message(CopyRequested(selected, "selection", self._status.say))
        elif (file := self._file) is not None:
            self._copy([file], "patch")

    def action_copy_all(self) -> None:
        """Copy the patch of all files that it includes."""
        what, unnamed = "patch of the session", len(self._changes.unnamed)
        if unnamed:
            what += f", not what {counted(unnamed, 'command')} did to files without naming them"
        self._copy(self._changes.listed(), what)

    def _copy(self, files: Sequence[TouchedFile], what: str) -> None:
        nets = [self._changes.net(file) for file in files]
        parts: list[str] = []
        for net in nets:
            old, new = self._changes.place(net.origin), self._changes.place(net.path)
            if old is not None and new is not None:
                parts += file_lines(net, old, new)
        left_out = sum(not net.known for net in nets)
        if not parts:
            self._status.say("there is nothing to copy that is known")
            return
        if left_out:
            what = f"{what} without {left_out:,} that is not known"
        text = "".join(parts)
        if self._options.masking:
            text, what = masked(text), f"{what} with masks"
        self.post_message(CopyRequested(text, what, self._status.say))

    def action_dismiss_or_leave(self) -> None:
        if not self._search.dismiss():
            self.action_leave()

    def action_leave(self) -> None:
        self.dismiss(None)


def _masked_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines without secrets; as many as before, since masks keep white space."""
    return tuple(masked("\n".join(lines)).split("\n"))
