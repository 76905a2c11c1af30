"""Prompts of a person."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import User
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.blocks import media_body
from agentview.ui.render.containers import Cropped, RepeatedTitle, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.section import Section
from agentview.ui.render.text_lines import prose_rows, text_rows

_SUMMARY_ROWS = 8


class UserEntry(ActivityWidget):
    """A prompt, as it was typed."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.USER,)
    REPEATS_TITLE: ClassVar[bool] = True

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """The text, and what came with it."""
        body = activity.body
        if not isinstance(body, User):
            return None
        text = prose_rows(body.text.strip("\n"), space, space.palette.text)
        if level is not DetailLevel.FULL:
            text = Cropped(text, _SUMMARY_ROWS, "lines", space)
        media = media_body(body.blocks, space, trees=level is DetailLevel.FULL)
        rest = Stack([*_context(body, space), media])
        return RepeatedTitle(text, rest) if text.height else rest


def _context(body: User, space: RenderContext) -> list[LazyLines]:
    """Return the context that a host put in front of the prompt, which begins folded."""
    if not body.context:
        return []
    whole = "\n\n".join(body.context)
    lines = whole.count("\n") + 1
    label = f"context in front of the prompt, {counted(lines, 'line')}"
    return [
        Section(
            "context",
            [(label, space.palette.dim)],
            lambda: text_rows(whole, space, space.palette.dim),
            space,
            begins=False,
        )
    ]
