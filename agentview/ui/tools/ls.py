"""Listing a directory: its entries, or the tree that the tool drew."""

from posixpath import normpath
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import LsPayload
from agentview.domain.tool_results import PathsResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.file_tree import paths_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class LsTool(ToolWidget):
    """Entries of a directory."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.LS,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """Entries one a row, or the listing as recorded."""
        if not isinstance(call.result, PathsResult):
            return untyped(call, level, space)
        body = paths_body(call.result, cwd_of(activity), space, below=_directory(call, activity))
        return shortened(body, level, "entries", space)


def _directory(call: ToolCall, activity: Activity) -> str:
    cwd = cwd_of(activity) or ""
    path = call.payload.path if isinstance(call.payload, LsPayload) else None
    if not path:
        return cwd
    absolute = path.startswith(("/", "~")) or path[1:2] == ":"
    return path if absolute else normpath(f"{cwd}/{path}")
