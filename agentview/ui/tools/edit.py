"""Editing files: what changed, hunk by hunk and file by file."""

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import FileOperation
from agentview.domain.tool_results import ChangeResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.diff.from_call import FileDiff, diffs_of, with_context
from agentview.timeline.view.titles.text import MINUS, cwd_of, shown_path
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.section import Section
from agentview.ui.render.text_lines import Piece, Rows
from agentview.ui.tool_widget import ToolWidget, shortened

_SUMMARY_CONTEXT = 1
_BEGINS_OPEN = 600
"""Changed lines of one file of several up to which it stands open at full level."""
_OPERATIONS = {
    FileOperation.CREATE: "created",
    FileOperation.UPDATE: "changed",
    FileOperation.DELETE: "deleted",
    FileOperation.RENAME: "renamed",
}


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
        if len(diffs) == 1:
            diff = diffs[0] if full else with_context(diffs[0], _SUMMARY_CONTEXT)
            parts.append(shortened(_one(diff, space, fold=full), level, "lines", space))
        else:
            cwd = cwd_of(activity)
            parts.append(
                shortened(Stack(list(_several(diffs, cwd, full, space))), level, "files", space)
            )
        return Stack(parts)

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:  # noqa: ARG003
        """False: the change alone is shown."""
        return False


def _one(diff: FileDiff, space: RenderContext, *, fold: bool) -> LazyLines:
    body = diff_body(diff, space, fold=fold)
    if body.height:
        return body
    what = {
        FileOperation.RENAME: "renamed without a change",
        FileOperation.DELETE: "the file was deleted",
        FileOperation.CREATE: "an empty file was created",
    }.get(diff.operation, "old and new text do not differ in any line")
    return Rows([[(what, space.palette.dim)]], space)


def _several(
    diffs: tuple[FileDiff, ...], cwd: str | None, full: bool, space: RenderContext
) -> Iterator[LazyLines]:
    gap = False
    for number, diff in enumerate(diffs):
        heading = _heading(diff, cwd, space)
        if not full:
            yield Rows([heading], space)
            continue
        if gap:
            yield Rows([[("", space.palette.dim)]], space)
        inside = partial(_one, diff, space, fold=True)
        begins = diff.added + diff.removed <= _BEGINS_OPEN
        section = Section(f"file {number}", heading, inside, space, begins=begins)
        gap = section.height > 1
        yield section


def _heading(diff: FileDiff, cwd: str | None, space: RenderContext) -> list[Piece]:
    palette = space.palette
    pieces: list[Piece] = [(shown_path(diff.path, cwd), palette.strong)]
    if diff.move_to:
        pieces.append((f" {space.glyphs.arrow} {shown_path(diff.move_to, cwd)}", palette.strong))
    pieces.append((f"  {_OPERATIONS[diff.operation]}", palette.dim))
    if diff.added:
        pieces.append((f"  +{diff.added}", palette.added_gutter))
    if diff.removed:
        pieces.append((f"  {MINUS}{diff.removed}", palette.removed_gutter))
    return pieces
