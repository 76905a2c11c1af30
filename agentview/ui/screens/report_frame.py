"""The frame of a report on a screen: title, lines, details of one, status, and the worker."""

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical

from agentview.system.workers.process import Worker
from agentview.ui.render.text_lines import Piece, Rows
from agentview.ui.screens.report_options import ReportOptions
from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.lists.line_list import LineList
from agentview.ui.widgets.pager import Pager
from agentview.ui.widgets.status_line import StatusLine


class ReportFrame(Vertical):
    """Shows a notice in place of the lines until `show_lines` has some."""

    def __init__(
        self,
        options: ReportOptions,
        heading: Callable[[int], list[Piece]],
        lines: LineList,
        details: Pager | None = None,
        *,
        waiting: str,
    ) -> None:
        """`heading` gives the title for a width in cells, `waiting` the notice at first."""
        super().__init__(classes="-empty")
        self._options = options
        self._heading = heading
        self._title = Pager(id="title")
        self._title.can_focus = False
        self._lines = lines
        self._details = details
        self.notice = EmptyState(waiting)
        self.status = StatusLine()
        self._worker: Worker | None = None

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._lines
        yield self.notice
        if self._details is not None:
            yield self._details
        yield self.status

    def on_mount(self) -> None:
        self.refresh_view()

    def on_unmount(self) -> None:
        self.end_work()

    def begin_work(self, handler: str, take: Callable[[Any], None], *hints: str) -> bool:
        """Start the worker that calls `take` with its answers; False if it runs already.

        `hints` are shown below the notice if it ends early.
        """
        if self._worker is not None:
            return False
        self._worker = Worker(handler, take, partial(self._ended_early, hints))
        return True

    def send(self, message: object) -> None:
        """Send a message to the worker, which `begin_work` has started."""
        if self._worker is not None:
            self._worker.send(message)

    def end_work(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _ended_early(self, hints: tuple[str, ...]) -> None:
        self._worker = None
        self.notice.say("reading ended early", hints, "✗")
        self.status.say("reading ended early")

    def show_lines(self, count: int, cursor: int) -> None:
        """Show so many lines, with the cursor on one of them; the notice in place of none."""
        self.set_class(not count, "-empty")
        self._lines.show(count, cursor)
        if count:
            self._lines.focus()

    def show_title(self) -> None:
        self._title.show(lambda width: Rows([self._heading(width)], self._options.page(width)))

    def refresh_view(self) -> None:
        """Show title and lines in the colours of now, with masks or without."""
        self.status.forget_keys()
        self.status.show_masking(self._options.masking())
        self.show_title()
        self._lines.refresh()
