"""Patches as text and as recorded hunks: unified diffs and the `*** Begin Patch` format."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from agentview.domain.tool_inputs import FileEdit, FileOperation, TextEdit
from agentview.domain.tool_results import FileChange, Hunk
from agentview.normalize.json_fields import Fields, as_text, collect, items, number

_HUNK = re.compile(r"@@+ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@+ ?(.*)")
_SECTION = re.compile(r"\*\*\* (Add|Update|Delete) File: ?(.*)")
_MOVE = re.compile(r"\*\*\* Move to: ?(.*)")
_GIT = re.compile(r'diff --git "?a/(.+?)"? "?b/(.+?)"?$')
_DEV_NULL = "/dev/null"
_GIT_HEADER = re.compile(
    r"index [0-9a-f]|(?:old|new) mode |(?:new|deleted) file mode |(?:dis)?similarity index "
    r"|(?:rename|copy) (?:from|to) |--- |\+\+\+ |Binary files |GIT binary patch"
)

_OPERATIONS = {
    "Add": FileOperation.CREATE,
    "Update": FileOperation.UPDATE,
    "Delete": FileOperation.DELETE,
}


@dataclass(slots=True)
class _Section:
    """Part of a patch on one file, while it is read."""

    path: str
    operation: FileOperation = FileOperation.UPDATE
    move_to: str | None = None
    hunks: list[Hunk] = field(default_factory=list[Hunk])
    lines: list[str] = field(default_factory=list[str])
    """The lines of the patch that belong to it."""
    old_path: str | None = None
    notes: list[str] = field(default_factory=list[str])
    old_mode: str | None = None


def parse_patch(text: str) -> tuple[FileEdit, ...]:
    return tuple(
        FileEdit(
            path=section.path,
            edits=tuple(_text_edit(hunk) for hunk in section.hunks),
            patch="\n".join(section.lines),
            operation=section.operation,
            move_to=section.move_to,
            notes=tuple(section.notes),
        )
        for section in _sections(text)
    )


def parse_changes(text: str) -> tuple[FileChange, ...]:
    """Return the changes of a patch, file by file.

    Hunks of the `*** Begin Patch` format have no line numbers: their starts are 0, except in a
    file that is added.
    """
    return tuple(
        FileChange(
            path=section.path,
            operation=section.operation,
            hunks=tuple(section.hunks),
            move_to=section.move_to,
            notes=tuple(section.notes),
        )
        for section in _sections(text)
    )


def printed_changes(lines: list[str]) -> Iterator[tuple[int, int, FileChange]]:
    """Unified diffs among the lines that a command printed, file by file.

    Each comes with the number of its first line and of the line behind its last one.
    """
    index = 0
    while index < len(lines):
        end = _printed_end(lines, index)
        if end is None:
            index += 1
            continue
        for section in _unified_sections(lines[index:end]):
            yield (
                index,
                end,
                FileChange(
                    section.path,
                    section.operation,
                    tuple(section.hunks),
                    move_to=section.move_to,
                    notes=tuple(section.notes),
                ),
            )
        index = end


def _printed_end(lines: list[str], start: int) -> int | None:
    """The line behind the diff of a file that begins at a line; None if none begins there."""
    line = lines[start]
    if line.startswith("diff --git "):
        end = start + 1
    elif line.startswith("--- ") and [text[:4] for text in lines[start + 1 : start + 3]] == [
        "+++ ",
        "@@ -",
    ]:
        end = start
    else:
        return None
    while end < len(lines) and _GIT_HEADER.match(lines[end]) is not None:
        end += 1
    while end < len(lines) and _HUNK.match(lines[end]) is not None:
        end += _unified_hunk(lines, end)[1]
    return end


def recorded_hunks(value: object) -> tuple[Hunk, ...] | None:
    """Hunks recorded as objects `{oldStart, oldLines, newStart, newLines, lines}`; None for none.

    An empty list stays an empty tuple: the writer said that there are no hunks.
    """
    if not isinstance(value, list | str):
        return None
    return collect(items(cast("object", value)), _recorded_hunk)


def _recorded_hunk(fields: Fields) -> Hunk | None:
    recorded = items(fields.get("lines"))
    lines = tuple([line if isinstance(line, str) else as_text(line) or "" for line in recorded])
    if not lines:
        return None
    return Hunk(
        old_start=number(fields, "oldStart", "old_start") or 0,
        old_lines=_given(number(fields, "oldLines", "old_lines"), lines, "-"),
        new_start=number(fields, "newStart", "new_start") or 0,
        new_lines=_given(number(fields, "newLines", "new_lines"), lines, "+"),
        lines=lines,
    )


def _given(count: int | None, lines: tuple[str, ...], sign: str) -> int:
    return count if count is not None else _count(lines, sign)


def _count(lines: tuple[str, ...], sign: str) -> int:
    return sum(1 for line in lines if line[:1] in (" ", sign, ""))


def _text_edit(hunk: Hunk) -> TextEdit:
    old = [line[1:] for line in hunk.lines if line[:1] in (" ", "-", "")]
    new = [line[1:] for line in hunk.lines if line[:1] in (" ", "+", "")]
    return TextEdit(old="\n".join(old), new="\n".join(new))


def _sections(text: str) -> Iterator[_Section]:
    lines = text.split("\n")
    if any(_SECTION.match(line) for line in lines):
        return _envelope_sections(lines)
    return _unified_sections(lines)


def _envelope_sections(lines: list[str]) -> Iterator[_Section]:
    """Sections of `*** Begin Patch`; text around the envelope is left out."""
    section: _Section | None = None
    chunk: list[str] = []
    heading = ""
    for line in [*lines, "*** End Patch"]:
        start = _SECTION.match(line)
        if start is not None or line.startswith("*** End Patch"):
            if section is not None:
                _close_chunk(section, chunk, heading)
                yield section
            section, chunk, heading = None, [], ""
            if start is not None:
                section = _Section(start[2].strip(), _OPERATIONS[start[1]], lines=[line])
        elif section is not None:
            section.lines.append(line)
            move = _MOVE.match(line)
            if move is not None:
                section.move_to = move[1].strip()
            elif line.startswith("@@"):
                _close_chunk(section, chunk, heading)
                chunk, heading = [], line.strip("@ ")
            elif not line.startswith("*** "):
                chunk.append(line)


def _close_chunk(section: _Section, chunk: list[str], heading: str) -> None:
    lines = tuple(chunk)
    if not any(line[:1] in ("+", "-", " ") for line in lines):
        return
    added = section.operation is FileOperation.CREATE
    section.hunks.append(
        Hunk(
            old_start=0,
            old_lines=0 if added else _count(lines, "-"),
            new_start=1 if added else 0,
            new_lines=_count(lines, "+"),
            lines=lines,
            heading=heading,
        )
    )


def _unified_sections(lines: list[str]) -> Iterator[_Section]:
    section: _Section | None = None
    index = 0
    while index < len(lines):
        line = lines[index].rstrip("\r")
        if _starts_file(lines, index, section):
            if section is not None:
                yield section
            section = _Section("")
        if section is None and _HUNK.match(line):
            section = _Section("")
        if section is None:
            index += 1
            continue
        taken = 1
        if _HUNK.match(line):
            hunk, taken = _unified_hunk(lines, index)
            section.hunks.append(hunk)
        else:
            _header(section, line)
        section.lines += lines[index : index + taken]
        index += taken
    if section is not None:
        yield section


def _starts_file(lines: list[str], index: int, section: _Section | None) -> bool:
    line = lines[index]
    if line.startswith("diff --git "):
        return True
    follows = index + 1 < len(lines) and lines[index + 1].startswith("+++ ")
    fresh = section is not None and section.old_path is None and not section.hunks
    return line.startswith("--- ") and follows and not fresh


def _unified_hunk(lines: list[str], index: int) -> tuple[Hunk, int]:
    """The hunk whose `@@` line is at `index`, and how many lines it takes.

    The counts say where it ends, so that a removed line of dashes is not taken for a header.
    """
    match = _HUNK.match(lines[index])
    start_old, count_old, start_new, count_new, heading = match.groups() if match else (0,) * 5
    old_lines = int(count_old) if count_old is not None else 1
    new_lines = int(count_new) if count_new is not None else 1
    old_left, new_left = old_lines, new_lines
    body: list[str] = []
    for place in range(index + 1, len(lines)):
        line = lines[place]
        sign = line[:1]
        if sign not in ("", " ", "+", "-", "\\") or (
            old_left <= 0 and new_left <= 0 and sign != "\\"
        ):
            break
        body.append(line)
        old_left -= sign in ("", " ", "-")
        new_left -= sign in ("", " ", "+")
    hunk = Hunk(
        int(start_old),
        old_lines,
        int(start_new),
        new_lines,
        tuple(body),
        str(heading or "").strip(),
    )
    return hunk, len(body) + 1


def _header(section: _Section, line: str) -> None:
    git = _GIT.match(line)
    if git is not None:
        section.path = git[2]
    elif line.startswith("new file"):
        section.operation = FileOperation.CREATE
    elif line.startswith("deleted file"):
        section.operation = FileOperation.DELETE
    elif line.startswith("rename from "):
        section.path, section.operation = line[12:], FileOperation.RENAME
    elif line.startswith("rename to "):
        section.move_to = line[10:]
    elif line.startswith("--- "):
        section.old_path = _file_name(line)
        if section.operation is not FileOperation.RENAME:
            section.path = section.old_path
    elif line.startswith("+++ "):
        _new_name(section, _file_name(line))
    else:
        _note(section, line)


def _note(section: _Section, line: str) -> None:
    if line.startswith("old mode "):
        section.old_mode = line[9:].strip()
    elif line.startswith("new mode "):
        section.notes.append(f"mode changed from {section.old_mode or '?'} to {line[9:].strip()}")
    elif line.startswith("Binary files ") or line == "GIT binary patch":
        section.notes.append("binary file")


def _new_name(section: _Section, new: str) -> None:
    old = section.old_path or ""
    if section.operation is FileOperation.RENAME:
        return
    if old == _DEV_NULL:
        section.operation = FileOperation.CREATE
    elif new == _DEV_NULL:
        section.operation = FileOperation.DELETE
        new = old
    prefixed = old.startswith(("a/", _DEV_NULL)) and new.startswith(("a/", "b/"))
    section.path = new[2:] if prefixed else new


def _file_name(line: str) -> str:
    return line[4:].partition("\t")[0].strip().strip('"')
