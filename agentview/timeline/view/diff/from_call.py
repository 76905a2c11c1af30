"""Changes of files by a call, as hunks: recorded ones, else compared from old and new text."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache

from msgspec.structs import replace

from agentview.domain.tool_inputs import EditPayload, FileEdit, FileOperation, WritePayload
from agentview.domain.tool_results import ChangeResult, FileChange, Hunk, ShellResult
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.timeline.view.diff.patience import Block, changed_blocks
from agentview.timeline.view.diff.rows import signs_of

CONTEXT = 3

_HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_CHANGED = re.compile(r"[+\-]+[+\-\\]*")
_TIGHTENED = 40
"""Runs of changed lines, from the first on, around which context is left out: a summary shows no
more of them."""
_NO_END = "\n"
"""Stands at the end of a last line that has no line end, while lines are compared."""
_NO_END_NOTE = "\\ No newline at end of file"


class FileDiff(Value):
    """The change of one file.

    `numbered`: the line numbers are those of the file, not of an excerpt. `coarse`: too much
    changed to compare, so the whole changed part stands as removed and added. `known` is False
    where the log says that the file changed but not how.
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
    notes: tuple[str, ...] = ()
    """Changes besides the lines: the mode, the line ends; or that the file is binary."""

    @property
    def added(self) -> int:
        return _count(self.hunks, "+")

    @property
    def removed(self) -> int:
        return _count(self.hunks, "-")


def diffs_of(call: ToolCall) -> tuple[FileDiff, ...]:
    """Per file, what a call changed or would change, in the order recorded."""
    payload = call.payload
    asked = payload.files if isinstance(payload, EditPayload) else ()
    if isinstance(call.result, ChangeResult) and call.result.files:
        return tuple(_of_change(change, asked, payload) for change in call.result.files)
    if isinstance(call.result, ShellResult):
        return tuple(_of_change(change, (), payload) for change in call.result.changes)
    if isinstance(payload, WritePayload):
        known = payload.content is not None
        diff = FileDiff(payload.path, FileOperation.CREATE, numbered=True, known=known)
        return (replace(diff, hunks=compare("", payload.content or "")[0]),)
    return tuple(_of_edit(edit) for edit in asked)


def with_context(diff: FileDiff, context: int) -> FileDiff:
    """The diff with at most so many kept lines around each of its first runs of changed ones."""
    parts: list[Hunk] = []
    for number, hunk in enumerate(diff.hunks):
        if len(parts) >= _TIGHTENED:
            parts += diff.hunks[number:]
            break
        parts += _tightened(hunk, context)
    return replace(diff, hunks=tuple(parts))


# The title asks for it, then the body, then the list of files.
@lru_cache(maxsize=32)
def compare(
    old: str, new: str, context: int = CONTEXT, *, whole: bool = False
) -> tuple[tuple[Hunk, ...], bool]:
    """Hunks from old to new text, and whether they are coarse; bounded work for any input.

    Line ends count where one of the texts mixes them. Where the texts are `whole` files, it counts
    too whether their last lines have an end.
    """
    keep_ends = LineEnds.MIXED in (line_ends(old), line_ends(new))
    before, after = _lines(old, keep_ends=keep_ends), _lines(new, keep_ends=keep_ends)
    if whole and before and after and old.endswith("\n") != new.endswith("\n"):
        (after if old.endswith("\n") else before)[-1] += _NO_END
    if not before and after:
        return (Hunk(0, 0, 1, len(after), tuple(["+" + line for line in after])),), False
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


class LineEnds(StrEnum):
    """Line ends of a text."""

    LF = "LF"
    CRLF = "CRLF"
    MIXED = "mixed"


def line_ends(text: str) -> LineEnds | None:
    """Return the line ends of a text; None when it has one line only."""
    both = text.count("\r\n") if "\r" in text else 0
    every = text.count("\n")
    if not every:
        return None
    return LineEnds.LF if not both else LineEnds.CRLF if both == every else LineEnds.MIXED


def patch_hunks(patch: str) -> tuple[Hunk, ...]:
    """Hunks of a patch text; a patch without line numbers gives hunks that start at line 0."""
    hunks: list[Hunk] = []
    starts: tuple[int, int] = (0, 0)
    heading = ""
    lines: list[str] = []
    for line in _lines(patch):
        header = _HEADER.match(line)
        if header or line.startswith("@@"):
            _flush(hunks, starts, lines, heading)
            lines = []
            starts = (int(header[1]), int(header[3])) if header else (0, 0)
            heading = (line[header.end() :] if header else line[2:]).strip("@ ")
        elif line[:1] in ("+", "-", " ", "\\") and not line.startswith(("+++ ", "--- ")):
            lines.append(line)
        elif not line and lines:
            lines.append(" ")
    _flush(hunks, starts, lines, heading)
    return tuple(hunks)


def _tightened(hunk: Hunk, context: int) -> Iterable[Hunk]:
    """Parts of a hunk: kept lines farther than `context` from a change are left out."""
    signs = signs_of(hunk)
    spans: list[list[int]] = []
    for match in _CHANGED.finditer(signs):
        first, last = max(0, match.start() - context), min(len(signs), match.end() + context)
        if spans and first <= spans[-1][1]:
            spans[-1][1] = last
        elif len(spans) == _TIGHTENED:
            spans[-1][1] = len(signs)
            break
        else:
            spans.append([first, last])
    for number, (first, last) in enumerate(spans):
        old = hunk.old_start + first - _other_lines(signs, "+", first)
        new = hunk.new_start + first - _other_lines(signs, "-", first)
        part = _hunk((old, new), hunk.lines[first:last])
        yield replace(part, heading="" if number else hunk.heading)


def _other_lines(signs: str, other: str, end: int) -> int:
    return signs.count(other, 0, end) + signs.count("\\", 0, end)


def _flush(hunks: list[Hunk], starts: tuple[int, int], lines: Sequence[str], heading: str) -> None:
    if lines:
        hunks.append(replace(_hunk(starts, lines), heading=heading))


def _hunk(starts: tuple[int, int], lines: Sequence[str]) -> Hunk:
    old = sum(line[:1] in ("", " ", "-") for line in lines)
    new = sum(line[:1] in ("", " ", "+") for line in lines)
    return Hunk(starts[0], old, starts[1], new, tuple(lines))


def _of_change(change: FileChange, asked: Sequence[FileEdit], payload: object) -> FileDiff:
    base = FileDiff(change.path, change.operation, change.move_to, notes=change.notes)
    edit = next((edit for edit in asked if edit.path == change.path), None)
    if edit is None and len(asked) == 1:
        edit = asked[0]
    if edit is not None:
        base = replace(base, replaces_all=any(part.replace_all for part in edit.edits))
    if change.hunks:
        return replace(base, hunks=change.hunks, numbered=_is_numbered(change.hunks))
    after = change.after
    if after is None and isinstance(payload, WritePayload):
        after = payload.content
    whole = change.operation in (FileOperation.CREATE, FileOperation.DELETE)
    if (change.before is not None and after is not None) or (
        whole and (change.before is not None or after is not None)
    ):
        hunks, coarse = compare(change.before or "", after or "", whole=True)
        notes = (*change.notes, *_changed_ends(change.before or "", after or ""))
        return replace(base, hunks=hunks, coarse=coarse, notes=notes)
    if edit is not None and (edit.edits or edit.patch is not None):
        return replace(
            _of_edit(edit),
            path=change.path,
            operation=change.operation,
            move_to=change.move_to,
            notes=change.notes or edit.notes,
        )
    known = change.hunks is not None or change.move_to is not None or bool(change.notes)
    return replace(base, known=known)


def _changed_ends(old: str, new: str) -> Iterable[str]:
    before, after = line_ends(old), line_ends(new)
    if before and after and before is not after:
        yield f"line ends changed from {before} to {after}"


def _is_numbered(hunks: Sequence[Hunk]) -> bool:
    return bool(hunks) and max(hunks[0].old_start, hunks[0].new_start) > 0


def _of_edit(edit: FileEdit) -> FileDiff:
    base = FileDiff(
        edit.path,
        edit.operation,
        edit.move_to,
        numbered=False,
        replaces_all=any(part.replace_all for part in edit.edits),
        notes=edit.notes,
    )
    if edit.patch is not None:
        hunks = patch_hunks(edit.patch)
        return replace(base, hunks=hunks, numbered=_is_numbered(hunks))
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
        if stop == len(before) or new_stop == len(after):
            lines = [part for line in lines for part in _with_end(line)]
        yield Hunk(start + 1, stop - start, new_start + 1, new_stop - new_start, tuple(lines))


def _with_end(line: str) -> Iterable[str]:
    """The line, and a note behind it where it has no end."""
    if line.endswith(_NO_END):
        return line.removesuffix(_NO_END), _NO_END_NOTE
    return (line,)


def _lines(text: str, *, keep_ends: bool = False) -> list[str]:
    """Lines without their ends; a carriage return is part of a line where ends are to be kept."""
    if "\r" in text and not keep_ends:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _count(hunks: Iterable[Hunk], sign: str) -> int:
    return sum(signs_of(hunk).count(sign) for hunk in hunks)
