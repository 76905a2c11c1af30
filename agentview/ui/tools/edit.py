"""Editing files: what changed, hunk by hunk and file by file."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_results import ChangeResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.diff.from_call import diffs_of
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.files import diffs_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows
from agentview.ui.tool_widget import ToolWidget, shortened


class EditTool(ToolWidget):
    """One or more files that were edited."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.EDIT,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The diff of one file; of several, a heading each, and at full level a diff that folds."""
        diffs = diffs_of(call)
        if not diffs:
            return None
        parts: list[LazyLines] = []
        if isinstance(call.result, ChangeResult) and call.result.by_person:
            note = "you changed the proposal before it was applied"
            parts.append(Rows([[(note, space.palette.warning)]], space))
        full = level is DetailLevel.FULL
        body = diffs_body(diffs, cwd_of(activity), space, full=full)
        parts.append(shortened(body, level, "lines" if len(diffs) == 1 else "files", space))
        return Stack(parts)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False
