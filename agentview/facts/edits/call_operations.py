"""Calls to what they did to files: the effects of an activity, file by file."""

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.content import TextBlock
from agentview.domain.events import SlashCommand
from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    FileEdit,
    FileOperation,
    McpPayload,
    NotebookEditPayload,
    ReadPayload,
    ShellPayload,
    TextEdit,
    WritePayload,
)
from agentview.domain.tool_results import (
    ChangeResult,
    FileChange,
    Hunk,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.facts.edits.apply import without_hunks
from agentview.facts.edits.call_outcome import (
    CHANGE_UNKNOWN,
    CallOutcome,
    asked_for,
    noted,
    seen_in,
    text_added,
    text_created,
)
from agentview.facts.edits.operations import (
    Edited,
    FileAction,
    MissingFile,
    Moved,
    ReadEffect,
    Removed,
    UnknownEffect,
    Written,
)
from agentview.facts.edits.partial_file import split_text
from agentview.facts.edits.shell import outcomes_of_command, outcomes_of_person
from agentview.normalize.classify import classify
from agentview.timeline.view.titles.text import cwd_of

CHANGING = frozenset(
    {ToolKind.WRITE, ToolKind.EDIT, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT, ToolKind.SHELL}
)
"""Kinds of calls that may change files."""
FILE_KINDS: frozenset[Kind] = CHANGING - {ToolKind.SHELL} | {ToolKind.READ}
"""Kinds of calls that are about files and nothing else."""
TOUCHING: frozenset[Kind] = FILE_KINDS | {ToolKind.SHELL, ToolKind.MCP, RowKind.COMMAND}
"""Kinds of rows that may show that a file was read or changed."""

_ABSENT = re.compile(r"(?i)no such file|does not exist|not found:|file not found|ENOENT")
_CREATED = re.compile(r"(?i)\b(?:created|new file)\b")
_OVERWROTE = re.compile(r"(?i)\b(?:overwr\w+|updated|replaced)\b")
_BY_TOOL = "a tool of another server may have changed it"
_ELSEWHERE = frozenset(
    {"owner", "repo", "repository", "branch", "ref", "bucket", "url", "host", "project_id"}
)
"""Arguments of tools whose paths, where they are relative, are not of this machine."""


def outcomes_of(activity: Activity) -> tuple[CallOutcome, ...]:
    """Changes of files by an activity, in order; nothing for calls that failed or never ran."""
    call, cwd = activity.body, cwd_of(activity)
    if isinstance(call, SlashCommand):
        return tuple(outcomes_of_person(call, cwd))
    if not isinstance(call, ToolCall):
        return ()
    if call.state is ToolState.OUTPUT_ERROR and call.kind is ToolKind.READ:
        return tuple(_looked_for(call, cwd))
    if call.kind is ToolKind.SHELL:
        return tuple(_recorded_of_command(call, cwd)) or tuple(outcomes_of_command(call, cwd))
    if call.state is not ToolState.OUTPUT_AVAILABLE or call.ok is False:
        return ()
    interpret = _BY_KIND.get(call.kind)
    return tuple(replace(one, cwd=one.cwd or cwd) for one in interpret(call)) if interpret else ()


def _recorded_of_command(call: ToolCall, cwd: str | None) -> Iterator[CallOutcome]:
    """Return the changes that the client recorded of a command: surer than any reading of it."""
    payload, result = call.payload, call.result
    if not isinstance(payload, ShellPayload) or not isinstance(result, ShellResult):
        return
    for change in result.changes:
        for one in _changed(change, None):
            yield replace(one, cwd=payload.cwd or cwd, words=payload.command)


def _looked_for(call: ToolCall, cwd: str | None) -> Iterator[CallOutcome]:
    payload = call.payload
    if isinstance(payload, ReadPayload) and _ABSENT.search(call.error or ""):
        yield CallOutcome(payload.path, FileAction.READ, MissingFile(), cwd)


def _read(call: ToolCall) -> Iterator[CallOutcome]:
    payload, result = call.payload, call.result
    if not isinstance(payload, ReadPayload) or not payload.path:
        return
    effect = None
    if isinstance(result, ReadResult):
        effect = seen_in(payload, result, exact=result.start is not None)
    effect = effect or ReadEffect("", whole=False)
    yield CallOutcome(
        payload.path, FileAction.READ, effect, start=payload.start, limit=payload.limit
    )


def _write(call: ToolCall) -> Iterator[CallOutcome]:
    payload = call.payload
    if not isinstance(payload, WritePayload):
        return
    result = call.result
    if isinstance(result, ChangeResult) and result.files:
        for change in result.files:
            yield from _written(change, payload, said_new=_said_created(call) is True)
    elif payload.content is not None:
        created = _said_created(call)
        before = "" if created else None
        yield CallOutcome(payload.path, FileAction.WRITE, Written(payload.content, before, created))
    else:
        yield CallOutcome(
            payload.path,
            FileAction.WRITE,
            UnknownEffect("the text that it wrote is not in the log"),
        )


def _said_created(call: ToolCall) -> bool | None:
    """True if a tool said that there was no such file before; None when it said nothing of it."""
    said = " ".join(block.text[:400] for block in call.output if isinstance(block, TextBlock))
    if _OVERWROTE.search(said):
        return False
    return True if _CREATED.search(said) else None


def _written(change: FileChange, payload: WritePayload, *, said_new: bool) -> Iterator[CallOutcome]:
    after = change.after
    if after is None and change.operation is FileOperation.CREATE and change.hunks:
        after = text_added(change.hunks)
    if after is None:
        after = payload.content
    created = change.operation is FileOperation.CREATE or (said_new and not change.before)
    if after is None:
        yield from _changed(change, None)
        return
    before = "" if created else change.before
    if before is None and change.hunks:
        before = _text_before(after, change.hunks)
    yield CallOutcome(change.path, FileAction.WRITE, Written(after, before, created=created))


def _text_before(after: str, hunks: Sequence[Hunk]) -> str | None:
    """A whole text before numbered hunks that led to `after`; None where they do not fit."""
    found = without_hunks(hunks, *split_text(after))
    if found is None:
        return None
    lines, ended = found
    return "\n".join(lines) + ("\n" if lines and ended is not False else "")


def _edit(call: ToolCall) -> Iterator[CallOutcome]:
    payload = call.payload
    if not isinstance(payload, EditPayload):
        return
    result = call.result
    if not isinstance(result, ChangeResult) or not result.files:
        for asked in payload.files:
            yield from asked_for(asked)
        return
    for change in result.files:
        asked = next((edit for edit in payload.files if edit.path == change.path), None)
        if asked is None and len(payload.files) == 1:
            asked = payload.files[0]
        if sum(other.path == change.path for other in result.files) > 1:
            # Each is a part of what was asked for.
            asked = None
        yield from _changed(change, asked, by_person=result.by_person)


def _changed(
    change: FileChange, asked: FileEdit | None, *, by_person: bool = False
) -> Iterator[CallOutcome]:
    """Return the outcome of a recorded change."""
    path = change.path
    if change.operation is FileOperation.CREATE or _fills_nothing(change, asked):
        text = change.after if change.after is not None else text_created(change.hunks, asked)
        effect = (
            Written(text, "", created=True) if text is not None else UnknownEffect(CHANGE_UNKNOWN)
        )
        yield CallOutcome(path, FileAction.WRITE, effect)
        return
    if change.operation is FileOperation.DELETE:
        before = change.before
        if before is None and change.hunks:
            before = _taken(change.hunks)
        yield CallOutcome(path, FileAction.DELETE, Removed(before))
        return
    yield from noted(path, change.notes)
    hunks = change.hunks or ()
    if change.whole is not None:
        before, after = change.whole
        effect = Edited(hunks=hunks, before=before, after=after, whole=True)
        yield CallOutcome(path, FileAction.EDIT, effect)
        return
    # The texts of a patch are whole lines, which its hunks have more exactly.
    edits = asked.edits if asked is not None and asked.patch is None else ()
    if not edits and not hunks and change.before is not None and change.after is not None:
        edits = (TextEdit(change.before, change.after),)
    if hunks or edits or change.before is not None:
        numbered = bool(hunks) and max(hunks[0].old_start, hunks[0].new_start) > 0
        effect = Edited(
            edits=edits,
            hunks=hunks,
            numbered=numbered,
            before=change.before,
            after=change.after,
            by_person=by_person,
        )
        yield CallOutcome(path, FileAction.EDIT, effect)
    elif asked is not None and asked.patch is not None:
        yield from asked_for(asked)
        return
    elif change.hunks is None and change.move_to is None and not change.notes:
        yield CallOutcome(path, FileAction.EDIT, UnknownEffect(CHANGE_UNKNOWN))
    if change.move_to:
        yield CallOutcome(path, FileAction.MOVE, Moved(change.move_to))


def _fills_nothing(change: FileChange, asked: FileEdit | None) -> bool:
    """Return whether a change replaced nothing by a text, as tools do to create a file.

    A file that was there and empty is recorded alike.
    """
    edits = asked.edits if asked is not None and asked.patch is None else ()
    return change.before == "" and len(edits) == 1 and not edits[0].old and bool(edits[0].new)


def _taken(hunks: Sequence[Hunk]) -> str | None:
    """The text of a file that a patch deletes; None when the patch does not have it."""
    lines = [line for hunk in hunks for line in hunk.lines]
    text = "".join(line[1:] + "\n" for line in lines if line[:1] in ("-", " "))
    return text.removesuffix("\n") if lines and lines[-1].startswith("\\") else text


def _delete(call: ToolCall) -> Iterator[CallOutcome]:
    result = call.result
    if isinstance(result, ChangeResult) and result.files:
        for change in result.files:
            yield from _changed(replace(change, operation=FileOperation.DELETE), None)
    elif isinstance(call.payload, DeletePayload):
        for path in call.payload.paths:
            yield CallOutcome(path, FileAction.DELETE, Removed())


def _notebook(call: ToolCall) -> Iterator[CallOutcome]:
    if not isinstance(call.payload, NotebookEditPayload):
        return
    path = call.payload.path
    files = call.result.files if isinstance(call.result, ChangeResult) else ()
    for change in files:
        if change.whole is not None:
            before, after = change.whole
            yield CallOutcome(
                change.path or path, FileAction.NOTEBOOK, Written(after, before, created=False)
            )
            return
        if change.hunks and max(change.hunks[0].old_start, change.hunks[0].new_start) > 0:
            effect = Edited(
                hunks=change.hunks, numbered=True, before=change.before, after=change.after
            )
            yield CallOutcome(change.path or path, FileAction.NOTEBOOK, effect)
            return
    yield CallOutcome(
        path, FileAction.NOTEBOOK, UnknownEffect("the log has the cell, not the file that it is in")
    )


def outcomes_of_other_server(call: ToolCall) -> Iterator[CallOutcome]:
    """The files that a tool of another server seems to write to, by its name and its arguments.

    What it did to them is its own affair: no text of its arguments is taken for that of a file.
    """
    asked, args = call.payload, call.args
    if not isinstance(asked, McpPayload) or not asked.tool or args is None:
        return
    words = f"{asked.server}: {asked.tool}" if asked.server else asked.tool
    for path in _paths_in(classify(asked.tool, args).payload(args)):
        if path.startswith("/") or not _ELSEWHERE.intersection(args):
            yield CallOutcome(
                path, FileAction.TOOL, UnknownEffect(_BY_TOOL, certain=False), words=words
            )


def _paths_in(payload: object) -> Iterator[str]:
    match payload:
        case WritePayload() | NotebookEditPayload():
            paths = [payload.path]
        case EditPayload():
            paths = [path for file in payload.files for path in (file.path, file.move_to)]
        case DeletePayload():
            paths = [*payload.paths]
        case _:
            paths = []
    yield from (path.removeprefix("file://") for path in paths if path)


_BY_KIND = {
    ToolKind.READ: _read,
    ToolKind.WRITE: _write,
    ToolKind.EDIT: _edit,
    ToolKind.DELETE: _delete,
    ToolKind.NOTEBOOK_EDIT: _notebook,
    ToolKind.MCP: outcomes_of_other_server,
}
