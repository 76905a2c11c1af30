"""What the session used: tokens, cost and context over time, and what they went to."""

from dataclasses import replace
from typing import ClassVar

from agentview.store.changes import RowsChanged
from agentview.timeline.header import OpenSession
from agentview.timeline.rows_protocol import LogRows
from agentview.timeline.titles.title import title_of
from agentview.ui.widgets.panel.tab import PanelTab, PanelView, TabLine
from agentview.ui.widgets.panel.usage_lines import UsageLine, UsageLines
from agentview.usage.child_process import CountingChild
from agentview.usage.counted import Counted
from agentview.usage.report import TurnUsage

_EVERY = 1.0
"""Seconds between two counts of a log that grows, at least."""


class UsageTab(PanelTab):
    """Counted by a child process, which is started when the tab is first seen and then kept.

    It counts on while the tab is seen and the log grows.
    """

    NAME: ClassVar[str] = "Usage"

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._child: CountingChild | None = None
        self._told: Counted | None = None
        self._lines: list[UsageLine] = []
        self._trouble: str | None = None
        self._due = False
        """Whether a count is to follow."""

    def begin(self) -> None:
        """Show what was counted last, and count on."""
        if self._child is None:
            self._trouble = None
            self._child = CountingChild(self.session.ref, self._heard, self._died)
        self._child.ask()
        self._show()

    def take(self, change: RowsChanged) -> None:
        """Count on soon, many changes at once."""
        if (change.appended or change.updated) and not self._due:
            self._due = True
            self.set_timer(_EVERY, self._count_on)

    def on_unmount(self) -> None:
        """Count no more."""
        super().on_unmount()
        if self._child is not None:
            self._child.close()

    def row_of_line(self, index: int) -> int | None:
        """The prompt of a turn."""
        turn = self._lines[index].turn if index < len(self._lines) else None
        return None if turn is None else self._row(turn)

    def line(self, index: int, width: int) -> TabLine:
        """A line of what was counted."""
        if index < len(self._lines):
            return self._lines[index].draw(width)
        text = "counting" if self._trouble is None else self._trouble
        return TabLine([(text, self.view.space.palette.dim)])

    def _count_on(self) -> None:
        self._due = False
        if self.visible_now and self._child is not None:
            self._child.ask()

    def _heard(self, told: Counted) -> None:
        self._told = told
        if self.visible_now:
            self._show()

    def _died(self) -> None:
        self._child = None
        self._trouble = "counting stopped: its process ended"
        if self.visible_now:
            self._show()

    def _show(self) -> None:
        if self._told is not None:
            making = UsageLines(self.view.space, self._prompt)
            told = replace(self._told, trouble=self._trouble or self._told.trouble)
            self._lines = making.lines(told, self.session.header())
        self.show_lines(max(1, len(self._lines)))

    def _row(self, turn: TurnUsage) -> int | None:
        if turn.place is None or not isinstance(self.session, LogRows):
            return None
        return self.session.row_of(*turn.place)

    def _prompt(self, turn: TurnUsage) -> str:
        row = self._row(turn)
        if row is None:
            return self.view.space.glyphs.ellipsis
        return title_of(self.view.seen(self.session.activity(row))).subject
