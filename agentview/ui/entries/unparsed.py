"""A record that could not be read, or whose type nothing knows."""

from pathlib import PurePath
from typing import ClassVar

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Unparsed
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows, text_rows

_SUMMARY_ROWS = 4


class UnparsedEntry(ActivityWidget):
    """Where it is, why it could not be read, and how it begins."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.UNPARSED,)

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """The place, and the beginning of the record as it is written."""
        body = activity.body
        if not isinstance(body, Unparsed):
            return None
        palette, source = space.palette, activity.first.source
        line = "" if source.line is None else f"line {source.line:,}, "
        place = (
            f"{PurePath(source.path).name}, {line}byte {source.offset:,}, {source.length:,} bytes"
        )
        where: LazyLines = Rows([[(place, palette.dim)]], space)
        excerpt: LazyLines = text_rows(body.excerpt, space, palette.text)
        if level is not DetailLevel.FULL:
            excerpt = Cropped(excerpt, _SUMMARY_ROWS, "lines", space)
        return Stack([where, excerpt])
