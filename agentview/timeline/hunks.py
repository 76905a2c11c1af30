"""What a call changed in files, as hunks: recorded ones, else compared from old and new text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from agentview.domain.payloads import EditPayload, FileEdit, FileOperation, WritePayload
from agentview.domain.results import ChangeResult, FileChange, Hunk
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.timeline.linediff import Block, changed_blocks

CONTEXT = 3

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class FileDiff(Value):
    """The change of one file.

    `numbered`: the line numbers are those of the file, not of an excerpt. `coarse`: too much
    changed to compare, so the whole changed part stands as removed and added. `known` is False
    where the log tells that the file changed but not how.
    """

    path: str
    operation: FileOperation = FileOperation.UPDATE
    move_to: str | None = None
    hunks: tuple[Hunk, ...] = ()
    numbered: bool = True
    coarse: bool = False
    known: bool = True
    replaces_all: bool = False
    """Every occurrence of a text was replaced."""

    @property
    def added(self) -> int:
        """Count of added lines."""
        return _count(self.hunks, "+")

    @property
    def removed(self) -> int:
        """Count of removed lines."""
        return _count(self.hunks, "-")


def diffs_of(call: ToolCall) -> tuple[FileDiff, ...]:
    """Per file, what an edit or write changed or would change, in the order recorded."""
    payload = call.payload
    asked = payload.files if isinstance(payload, EditPayload) else ()
    if isinstance(call.result, ChangeResult) and call.result.files:
        return tuple(_of_change(change, asked, payload) for change in call.result.files)
    if isinstance(payload, WritePayload):
        known = payload.content is not None
        diff = FileDiff(payload.path, FileOperation.CREATE, numbered=True, known=known)
        return (replace(diff, hunks=compare("", payload.content or "")[0]),)
    return tuple(_of_edit(edit) for edit in asked)


def with_context(diff: FileDiff, context: int) -> FileDiff:
    """The diff with at most so many kept lines around each run of changed ones."""
    return replace(
        diff, hunks=tuple(part for hunk in diff.hunks for part in _tightened(hunk, context))
    )


# The title asks for it, then the body, then the list of files.
@lru_cache(maxsize=32)
def compare(old: str, new: str, context: int = CONTEXT) -> tuple[tuple[Hunk, ...], bool]:
    """Hunks from old to new text, and whether they are coarse; bounded work for any input."""
    before, after = _lines(old), _lines(new)
    limit = min(len(before), len(after))
    start = 0
    while start < limit and before[start] == after[start]:
        start += 1
    end = 0
    while end < limit - start and before[-1 - end] == after[-1 - end]:
        end += 1
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    if not left and not right:
        return (), False
    blocks, coarse = changed_blocks(left, right)
    shifted = [(a + start, b + start, c + start, d + start) for a, b, c, d in blocks]
    return tuple(_hunks(before, after, shifted, context)), coarse


def patch_hunks(patch: str) -> tuple[Hunk, ...]:
    """Hunks of a patch text; a patch without line numbers gives hunks that start at line 0."""
    hunks: list[Hunk] = []
    starts: tuple[int, int] = (0, 0)
    lines: list[str] = []
    for line in _lines(patch):
        header = _HEADER.match(line)
        if header or line.startswith("@@"):
            _flush(hunks, starts, lines)
            lines = []
            starts = (int(header[1]), int(header[3])) if header else (0, 0)
        elif line[:1] in ("+", "-", " ", "\\") and not line.startswith(("+++ ", "--- ")):
            lines.append(line)
        elif not line and lines:
            lines.append(" ")
    _flush(hunks, starts, lines)
    return tuple(hunks)


def _tightened(hunk: Hunk, context: int) -> Iterable[Hunk]:
    """Parts of a hunk: kept lines farther than `context` from a change are left out."""
    changed = [number for number, line in enumerate(hunk.lines) if line[:1] in ("+", "-")]
    wanted = {
        near
        for number in changed
        for near in range(number - context, number + context + 1)
        if 0 <= near < len(hunk.lines)
    }
    old, new = hunk.old_start, hunk.new_start
    start: tuple[int, int] | None = None
    lines: list[str] = []
    for number, line in enumerate((*hunk.lines, "")):
        if number in wanted:
            start = start or (old, new)
            lines.append(line)
        elif start is not None:
            yield _hunk(start, lines)
            start, lines = None, []
        old += line[:1] not in ("+", "\\")
        new += line[:1] not in ("-", "\\")


def _flush(hunks: list[Hunk], starts: tuple[int, int], lines: Sequence[str]) -> None:
    if lines:
        hunks.append(_hunk(starts, lines))


def _hunk(starts: tuple[int, int], lines: Sequence[str]) -> Hunk:
    old = sum(line[:1] in ("", " ", "-") for line in lines)
    new = sum(line[:1] in ("", " ", "+") for line in lines)
    return Hunk(starts[0], old, starts[1], new, tuple(lines))


def _of_change(change: FileChange, asked: Sequence[FileEdit], payload: object) -> FileDiff:
    base = FileDiff(change.path, change.operation, change.move_to)
    edit = next((edit for edit in asked if edit.path == change.path), None)
    if edit is None and len(asked) == 1:
        edit = asked[0]
    if edit is not None:
        base = replace(base, replaces_all=any(part.replace_all for part in edit.edits))
    if change.hunks:
        return replace(base, hunks=change.hunks)
    after = change.after
    if after is None and isinstance(payload, WritePayload):
        after = payload.content
    whole = change.operation in (FileOperation.CREATE, FileOperation.DELETE)
    if (change.before is not None and after is not None) or (
        whole and (change.before is not None or after is not None)
    ):
        hunks, coarse = compare(change.before or "", after or "")
        return replace(base, hunks=hunks, coarse=coarse)
    if edit is not None:
        asked_for = _of_edit(edit)
        return replace(
            asked_for, path=change.path, operation=change.operation, move_to=change.move_to
        )
    return replace(base, known=change.hunks is not None or change.move_to is not None)


def _of_edit(edit: FileEdit) -> FileDiff:
    base = FileDiff(
        edit.path,
        edit.operation,
        edit.move_to,
        numbered=False,
        replaces_all=any(part.replace_all for part in edit.edits),
    )
    if edit.patch is not None:
        hunks = patch_hunks(edit.patch)
        return replace(base, hunks=hunks, numbered=bool(hunks) and hunks[0].new_start > 0)
    compared = [compare(part.old, part.new) for part in edit.edits]
    return replace(
        base,
        hunks=tuple(hunk for hunks, _ in compared for hunk in hunks),
        coarse=any(coarse for _, coarse in compared),
        known=bool(edit.edits) or edit.operation is not FileOperation.UPDATE,
    )


def _hunks(
    before: Sequence[str],
    after: Sequence[str],
    blocks: Sequence[Block],
    context: int,
) -> Iterable[Hunk]:
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and block[0] - groups[-1][-1][1] <= 2 * context:
            groups[-1].append(block)
        else:
            groups.append([block])
    for group in groups:
        start = max(0, group[0][0] - context)
        stop = min(len(before), group[-1][1] + context)
        new_start = group[0][2] - (group[0][0] - start)
        new_stop = group[-1][3] + (stop - group[-1][1])
        lines: list[str] = []
        position = start
        for old_from, old_to, new_from, new_to in group:
            lines += [" " + line for line in before[position:old_from]]
            lines += ["-" + line for line in before[old_from:old_to]]
            lines += ["+" + line for line in after[new_from:new_to]]
            position = old_to
        lines += [" " + line for line in before[position:stop]]
        yield Hunk(start + 1, stop - start, new_start + 1, new_stop - new_start, tuple(lines))


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _count(hunks: Iterable[Hunk], sign: str) -> int:
    return sum([line[:1] for line in hunk.lines].count(sign) for hunk in hunks)
