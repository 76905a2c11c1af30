"""Something that was put into the conversation without being typed."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Attachment
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.code import code_rows
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows, prose_rows

_SUMMARY_ROWS = 6
_FILES = ("file", "changed-file", "memory")
"""Kinds whose text is that of the file itself; others describe it."""


class AttachmentEntry(ActivityWidget):
    """A file, a changed file, or a note."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.ATTACHMENT,)

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """Return its kind and its text; that of a file with syntax colours."""
        body = activity.body
        if not isinstance(body, Attachment):
            return None
        palette, full = space.palette, level is DetailLevel.FULL
        facts = "  ".join(part for part in (body.kind, body.path) if part)
        parts: list[LazyLines] = [Rows([[(facts, palette.dim)]], space)] if full else []
        if body.text and body.path and body.kind in _FILES:
            parts.append(code_rows(body.text, body.path, space, start=None, fold=full))
        elif body.text:
            parts.append(prose_rows(body.text.strip("\n"), space, palette.text))
        whole = Stack(parts)
        return whole if full else Cropped(whole, _SUMMARY_ROWS, "lines", space)
