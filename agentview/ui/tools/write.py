"""Writing a file: its contents, or how they differ from what the file held before."""

from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import FileOperation, WritePayload
from agentview.domain.tool_results import ChangeResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.diff.from_call import diffs_of, with_context
from agentview.ui.render.code import code_rows
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows
from agentview.ui.tool_widget import ToolWidget, shortened


class WriteTool(ToolWidget):
    """A file that was written whole."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.WRITE,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The difference where the old contents are known, else the new contents."""
        del activity
        full = level is DetailLevel.FULL
        if _overwrites(call):
            diff = diffs_of(call)[0]
            body: LazyLines = diff_body(diff if full else with_context(diff, 1), space, fold=full)
        elif isinstance(call.payload, WritePayload) and call.payload.content is not None:
            if not call.payload.content:
                return Rows([[("the file is empty", space.palette.dim)]], space)
            body = code_rows(call.payload.content, call.payload.path, space, fold=full)
        else:
            return None
        return shortened(body, level, "lines", space)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        return False


def _overwrites(call: ToolCall) -> bool:
    """True when the log has what the file held before."""
    if not isinstance(call.result, ChangeResult) or not call.result.files:
        return False
    change = call.result.files[0]
    if change.operation is FileOperation.CREATE:
        return False
    return bool(change.hunks) or change.before is not None
