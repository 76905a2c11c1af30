"""What a call changed in files, as hunks: recorded ones, else compared from old and new text."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from agentview.domain.payloads import EditPayload, FileEdit, FileOperation, WritePayload
from agentview.domain.results import ChangeResult, FileChange, Hunk
from agentview.domain.tools import ToolCall

CONTEXT = 3
MAX_LINES = 4_000
"""Changed lines, old and new together, up to which texts are compared line by line."""

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class FileDiff:
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
    coarse = len(left) + len(right) > MAX_LINES
    blocks = [(0, len(left), 0, len(right))] if coarse else _blocks(left, right)
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


def _flush(hunks: list[Hunk], starts: tuple[int, int], lines: Sequence[str]) -> None:
    if lines:
        old = sum(line[0] in " -" for line in lines)
        new = sum(line[0] in " +" for line in lines)
        hunks.append(Hunk(starts[0], old, starts[1], new, tuple(lines)))


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


def _blocks(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, int, int]]:
    matcher = SequenceMatcher(None, left, right)
    return [(a, b, c, d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _hunks(
    before: Sequence[str],
    after: Sequence[str],
    blocks: Sequence[tuple[int, int, int, int]],
    context: int,
) -> Iterable[Hunk]:
    groups: list[list[tuple[int, int, int, int]]] = []
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
    return sum(line.startswith(sign) for hunk in hunks for line in hunk.lines)
