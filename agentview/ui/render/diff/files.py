"""The diffs of several files below one another."""

from collections.abc import Iterator, Sequence
from functools import partial

from agentview.domain.tool_inputs import FileOperation
from agentview.timeline.view.diff.from_call import FileDiff, with_context
from agentview.timeline.view.format_numbers import lines_added, lines_removed
from agentview.timeline.view.titles.text import shown_path
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.section import Section
from agentview.ui.render.text_lines import Piece, Rows

_SUMMARY_CONTEXT = 1
_BEGINS_OPEN = 600
"""Changed lines of one file of several up to which it stands open at full level."""
_OPERATIONS = {
    FileOperation.CREATE: "created",
    FileOperation.UPDATE: "changed",
    FileOperation.DELETE: "deleted",
    FileOperation.RENAME: "renamed",
}


def diffs_body(
    diffs: Sequence[FileDiff], cwd: str | None, space: RenderContext, *, full: bool
) -> LazyLines:
    """The diff of one file; of several, a heading each, and in full a diff that folds."""
    if len(diffs) == 1:
        return _alone(diffs[0], space, full=full)
    return Stack(list(_several(diffs, cwd, full, space, "")))


def printed_body(
    diffs: Sequence[FileDiff], cwd: str | None, space: RenderContext, *, full: bool, key: str
) -> LazyLines:
    """Diffs with a heading each, also of one file; folds of the activity are known by `key`."""
    if len(diffs) > 1:
        return Stack(list(_several(diffs, cwd, full, space, key)))
    heading = Rows([diff_heading(diffs[0], cwd, space)], space)
    return Stack([heading, _alone(diffs[0], space, full=full)])


def _alone(diff: FileDiff, space: RenderContext, *, full: bool) -> LazyLines:
    return _one(diff if full else with_context(diff, _SUMMARY_CONTEXT), space, fold=full)


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
    diffs: Sequence[FileDiff], cwd: str | None, full: bool, space: RenderContext, key: str
) -> Iterator[LazyLines]:
    gap = False
    for number, diff in enumerate(diffs):
        heading = diff_heading(diff, cwd, space)
        if not full:
            yield Rows([heading], space)
            continue
        if gap:
            yield Rows([[("", space.palette.dim)]], space)
        inside = partial(_one, diff, space, fold=True)
        begins = diff.added + diff.removed <= _BEGINS_OPEN
        section = Section(f"{key}file {number}", heading, inside, space, begins=begins)
        gap = section.height > 1
        yield section


def diff_heading(diff: FileDiff, cwd: str | None, space: RenderContext) -> list[Piece]:
    """Path and operation of a file with its counts of lines."""
    palette = space.palette
    pieces: list[Piece] = [(shown_path(diff.path, cwd), palette.strong)]
    if diff.move_to:
        pieces.append((f" {space.glyphs.arrow} {shown_path(diff.move_to, cwd)}", palette.strong))
    pieces.append((f"  {_OPERATIONS[diff.operation]}", palette.dim))
    if diff.added:
        pieces.append((f"  {lines_added(diff.added)}", palette.added_gutter))
    if diff.removed:
        pieces.append((f"  {lines_removed(diff.removed)}", palette.removed_gutter))
    return pieces
