"""The steps on one file in order, with who took them and which lines they were about."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.message import Message

from agentview.facts.edits.operations import FileAction, FileStep
from agentview.timeline.view.format_numbers import clock_time, lines_added, lines_removed
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.sanitize import clean, one_line
from agentview.ui.render.text_lines import Piece
from agentview.ui.widgets.panel.tab import PanelTab, PanelView, TabLine

_ROOM_FOR_AGENT = 60


class StepList(PanelTab):
    """One line a step; `⏎` leads to its activity."""

    NAME: ClassVar[str] = "Steps"

    class StepChosen(Message):
        """The person wants to see the activity of a step."""

        def __init__(self, step: FileStep) -> None:
            super().__init__()
            self.step = step

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._steps: Sequence[FileStep] = ()
        self._troubles: Mapping[int, str] = {}

    def show_steps(self, steps: Sequence[FileStep], troubles: Mapping[int, str]) -> None:
        """Show these steps; `troubles` says what some leave unknown, by their numbers."""
        self._steps, self._troubles = steps, troubles
        self.begin()

    def begin(self) -> None:
        self.show_lines(len(self._steps))

    def row_of_line(self, index: int) -> int | None:
        return self._steps[index].row if index < len(self._steps) else None

    def choose(self, index: int) -> None:
        if index < len(self._steps):
            self.post_message(self.StepChosen(self._steps[index]))

    def line(self, index: int, width: int) -> TabLine:
        """Number, time and kind of a step, and what it was about."""
        palette = self.view.space.palette
        step = self._steps[index]
        digits = len(str(len(self._steps)))
        left: list[Piece] = [
            (f"{step.number:>{digits}} ", palette.dim),
            (f"{clock_time(step.time)} ", palette.dim),
            (step.act.value, palette.text if step.act is FileAction.READ else palette.strong),
        ]
        if step.added:
            left.append((f"  {lines_added(step.added)}", palette.success))
        if step.removed:
            left.append((f"  {lines_removed(step.removed)}", palette.error))
        about = _about(step)
        if about:
            left.append((f"  {about}", palette.dim))
        trouble = self._troubles.get(step.number)
        if trouble is not None:
            left.append((f"  {one_line(trouble)}", palette.warning))
        other = step.stream != self.session.ref.stream
        right = [("  by an agent", palette.dim)] if other and width >= _ROOM_FOR_AGENT else []
        return TabLine(left, right)


def _about(step: FileStep) -> str:
    if step.move_to is not None:
        return f"to {clean(step.move_to)}"
    if step.act in (FileAction.COMMAND, FileAction.TOOL):
        return one_line(step.words)
    if step.act is not FileAction.READ:
        return ""
    if step.limit is None:
        return f"from line {step.start}" if step.start not in (None, 0, 1) else "whole"
    start = max(1, step.start or 1)
    return f"lines {start}–{start + step.limit - 1}"
