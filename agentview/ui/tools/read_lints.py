"""Diagnostics of linters and language servers, grouped by file."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_results import LintsResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.findings import findings_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import text_rows
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class ReadLintsTool(ToolWidget):
    """Findings about files."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.READ_LINTS,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """A file's name above its findings, each with place and severity."""
        result = call.result
        if not isinstance(result, LintsResult):
            return untyped(call, level, space)
        if result.text is not None:
            body = text_rows(result.text, space, space.palette.text)
        else:
            body = findings_body(result.diagnostics, cwd_of(activity), level, space)
        return shortened(body, level, "lines", space)
