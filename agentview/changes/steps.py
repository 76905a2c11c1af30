"""Calls to what they did to files: the effects of an activity, file by file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentview.changes.commands import directory, leading_writes, printed, seems_to_write
from agentview.changes.effects import (
    Appended,
    Edited,
    Effect,
    ModeChanged,
    Moved,
    NotThere,
    Removed,
    Seen,
    Unclear,
    Written,
)
from agentview.changes.trouble import Act
from agentview.domain.activity import Activity
from agentview.domain.blocks import TextBlock
from agentview.domain.payloads import (
    DeletePayload,
    EditPayload,
    FileEdit,
    FileOperation,
    NotebookEditPayload,
    ReadPayload,
    ShellAction,
    ShellPayload,
    TextEdit,
    WritePayload,
)
from agentview.domain.results import (
    ChangeResult,
    FileChange,
    Hunk,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import ShellStep, ToolCall, ToolKind, ToolState
from agentview.domain.value import Value
from agentview.timeline.hunks import patch_hunks
from agentview.timeline.wording import cwd_of

CHANGING = frozenset(
    {ToolKind.WRITE, ToolKind.EDIT, ToolKind.DELETE, ToolKind.NOTEBOOK_EDIT, ToolKind.SHELL}
)
"""Kinds of calls that may change files."""
TOUCHING = CHANGING | {ToolKind.READ}
"""Kinds of calls that read or change files."""

_ABSENT = re.compile(r"(?i)no such file|does not exist|not found:|file not found|ENOENT")
_CREATED = re.compile(r"(?i)\b(?:created|new file)\b")
_OVERWROTE = re.compile(r"(?i)\b(?:overwr\w+|updated|replaced)\b")
_SHORTENED = re.compile(r"\[truncated\]|… \[|\.\.\. \[truncated")
_PAGE = 2000
"""Lines after which tools stop to read a file without saying so."""
_MODE = re.compile(r"mode changed from (\d{6}) to (\d{6})")
_BINARY = "it is binary, and the log does not have its bytes"
_UNTOLD = "the log tells that it changed it, but not how"
_COMMAND = "a command may have changed it"


class Told(Value):
    """What a call did to one file; `path` is as the call names it and counts from `cwd`."""

    path: str
    act: Act
    effect: Effect | None
    """None for what leaves the file as it is and tells nothing of it."""
    cwd: str | None = None
    start: int | None = None
    limit: int | None = None
    words: str = ""


def told_by(activity: Activity) -> tuple[Told, ...]:
    """What an activity did to files, in order; nothing for calls that failed or never ran."""
    call = activity.body
    if not isinstance(call, ToolCall):
        return ()
    cwd = cwd_of(activity)
    if call.state is ToolState.OUTPUT_ERROR and call.kind is ToolKind.READ:
        return tuple(_looked_for(call, cwd))
    if call.kind is ToolKind.SHELL:
        return tuple(_shell(call, cwd))
    if call.state is not ToolState.OUTPUT_AVAILABLE or call.ok is False:
        return ()
    told = _BY_KIND.get(call.kind)
    return tuple(replace(one, cwd=one.cwd or cwd) for one in told(call)) if told else ()


def _looked_for(call: ToolCall, cwd: str | None) -> Iterator[Told]:
    payload = call.payload
    if isinstance(payload, ReadPayload) and _ABSENT.search(call.error or ""):
        yield Told(payload.path, Act.READ, NotThere(), cwd)


def _read(call: ToolCall) -> Iterator[Told]:
    payload, result = call.payload, call.result
    if not isinstance(payload, ReadPayload) or not payload.path:
        return
    effect = None
    if isinstance(result, ReadResult):
        effect = _seen(payload, result, exact=result.start is not None)
    effect = effect or Seen("", whole=False)
    yield Told(payload.path, Act.READ, effect, start=payload.start, limit=payload.limit)


def _seen(payload: ReadPayload, result: ReadResult, *, exact: bool) -> Seen | None:
    """What was read, as far as it is known where it stands in the file.

    Tools that number lines give an empty last one a number too, where the line before it has an
    end, so that what they print is `exact`; others, and commands, may have that end cut off.
    """
    text = result.content
    if text is None or result.unchanged or result.media or payload.pages is not None:
        return None
    if _SHORTENED.search(text):
        return None
    count = text.count("\n") + (not text.endswith("\n"))
    total = result.total_lines
    # An empty line at the end may be missing from what was printed.
    short = payload.limit is not None and count < payload.limit - 1
    begins = (result.start or 1) <= 1 and (payload.start or 1) <= 1
    ends = not result.truncated and (payload.limit is None or short)
    ends = ends and (total is None or (result.line_count or count) >= total)
    ends = ends and (total is not None or short or not count or count % _PAGE != 0)
    if begins and ends:
        return Seen(text, whole=True, exact=exact)
    if result.start is None or result.start < 1:
        return None
    return Seen(text, result.start, whole=False)


def _write(call: ToolCall) -> Iterator[Told]:
    payload = call.payload
    if not isinstance(payload, WritePayload):
        return
    result = call.result
    if isinstance(result, ChangeResult) and result.files:
        for change in result.files:
            yield from _written(change, payload)
    elif payload.content is not None:
        created = _said_created(call)
        before = "" if created else None
        yield Told(payload.path, Act.WRITE, Written(payload.content, before, created))
    else:
        yield Told(payload.path, Act.WRITE, Unclear("the text that it wrote is not in the log"))


def _said_created(call: ToolCall) -> bool | None:
    """Whether a tool said that there was no such file before; None when it said nothing of it."""
    said = " ".join(block.text[:400] for block in call.output if isinstance(block, TextBlock))
    if _OVERWROTE.search(said):
        return False
    return True if _CREATED.search(said) else None


def _written(change: FileChange, payload: WritePayload) -> Iterator[Told]:
    after = change.after
    if after is None and change.operation is FileOperation.CREATE and change.hunks:
        after = _added(change.hunks)
    if after is None:
        after = payload.content
    created = change.operation is FileOperation.CREATE
    if after is None:
        yield from _changed(change, None)
        return
    before = "" if created else change.before
    yield Told(change.path, Act.WRITE, Written(after, before, created=created))


def _added(hunks: Sequence[Hunk]) -> str:
    """The text of a file that a patch adds."""
    lines = [line for hunk in hunks for line in hunk.lines]
    text = "".join(line[1:] + "\n" for line in lines if line[:1] in ("+", " "))
    return text.removesuffix("\n") if lines and lines[-1].startswith("\\") else text


def _edit(call: ToolCall) -> Iterator[Told]:
    payload = call.payload
    if not isinstance(payload, EditPayload):
        return
    result = call.result
    if not isinstance(result, ChangeResult) or not result.files:
        for asked in payload.files:
            yield from _asked(asked)
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
) -> Iterator[Told]:
    """What a recorded change did."""
    path = change.path
    if change.operation is FileOperation.CREATE:
        text = change.after if change.after is not None else _created(change.hunks, asked)
        effect = Written(text, "", created=True) if text is not None else Unclear(_UNTOLD)
        yield Told(path, Act.WRITE, effect)
        return
    if change.operation is FileOperation.DELETE:
        before = change.before
        if before is None and change.hunks:
            before = _taken(change.hunks)
        yield Told(path, Act.DELETE, Removed(before))
        return
    yield from _noted(path, change.notes)
    hunks = change.hunks or ()
    # The texts of a patch are whole lines, which its hunks tell better.
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
        yield Told(path, Act.EDIT, effect)
    elif asked is not None and asked.patch is not None:
        yield from _asked(asked)
        return
    elif change.hunks is None and change.move_to is None and not change.notes:
        yield Told(path, Act.EDIT, Unclear(_UNTOLD))
    if change.move_to:
        yield Told(path, Act.MOVE, Moved(change.move_to))


def _noted(path: str, notes: Sequence[str]) -> Iterator[Told]:
    for note in notes:
        mode = _MODE.fullmatch(note)
        if mode is not None:
            yield Told(path, Act.EDIT, ModeChanged(mode[1], mode[2]))
        elif note.startswith("binary"):
            yield Told(path, Act.EDIT, Unclear(_BINARY))


def _created(hunks: Sequence[Hunk] | None, asked: FileEdit | None) -> str | None:
    if hunks:
        return _added(hunks)
    if asked is None:
        return None
    if asked.patch is not None:
        return _added(patch_hunks(asked.patch))
    return asked.edits[0].new if asked.edits else None


def _taken(hunks: Sequence[Hunk]) -> str | None:
    """The text of a file that a patch deletes; None when the patch does not have it."""
    lines = [line for hunk in hunks for line in hunk.lines]
    text = "".join(line[1:] + "\n" for line in lines if line[:1] in ("-", " "))
    return text.removesuffix("\n") if lines and lines[-1].startswith("\\") else text


def _asked(asked: FileEdit) -> Iterator[Told]:
    """What a change did, judged by what was asked for."""
    path = asked.path
    if not path:
        return
    if asked.operation is FileOperation.CREATE:
        text = _created(None, asked)
        effect = Written(text, "", created=True) if text is not None else Unclear(_UNTOLD)
        yield Told(path, Act.WRITE, effect)
        return
    if asked.operation is FileOperation.DELETE:
        before = asked.edits[0].old if asked.edits else None
        yield Told(path, Act.DELETE, Removed(before or None))
        return
    yield from _noted(path, asked.notes)
    hunks = patch_hunks(asked.patch) if asked.patch is not None else ()
    new_text = asked.edits[0].new if len(asked.edits) == 1 and not hunks else None
    if new_text is not None and not asked.edits[0].old:
        # To replace nothing is how tools are told to make a file.
        yield Told(path, Act.WRITE, Written(new_text, "", created=True))
    elif hunks or asked.edits:
        edits = () if hunks else asked.edits
        # Line numbers that a model wrote are not those of the file.
        yield Told(path, Act.EDIT, Edited(edits=edits, hunks=hunks))
    elif asked.operation is FileOperation.UPDATE and not asked.move_to and not asked.notes:
        yield Told(path, Act.EDIT, Unclear(_UNTOLD))
    if asked.move_to:
        yield Told(path, Act.MOVE, Moved(asked.move_to))


def _delete(call: ToolCall) -> Iterator[Told]:
    result = call.result
    if isinstance(result, ChangeResult) and result.files:
        for change in result.files:
            yield from _changed(replace(change, operation=FileOperation.DELETE), None)
    elif isinstance(call.payload, DeletePayload):
        for path in call.payload.paths:
            yield Told(path, Act.DELETE, Removed())


def _notebook(call: ToolCall) -> Iterator[Told]:
    if not isinstance(call.payload, NotebookEditPayload):
        return
    path = call.payload.path
    files = call.result.files if isinstance(call.result, ChangeResult) else ()
    for change in files:
        if change.whole is not None:
            before, after = change.whole
            yield Told(change.path or path, Act.NOTEBOOK, Written(after, before, created=False))
            return
        if change.hunks and max(change.hunks[0].old_start, change.hunks[0].new_start) > 0:
            effect = Edited(
                hunks=change.hunks, numbered=True, before=change.before, after=change.after
            )
            yield Told(change.path or path, Act.NOTEBOOK, effect)
            return
    yield Told(path, Act.NOTEBOOK, Unclear("the log has the cell, not the file that it is in"))


def _shell(call: ToolCall, cwd: str | None) -> Iterator[Told]:
    payload, result = call.payload, call.result
    if not isinstance(payload, ShellPayload) or payload.action is not ShellAction.RUN:
        return
    if call.state not in (ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_ERROR):
        return
    went_well = call.state is ToolState.OUTPUT_AVAILABLE and call.ok is not False
    output = ""
    if isinstance(result, ShellResult):
        went_well = went_well and result.exit_code in (0, None) and result.task_id is None
        output = (result.stdout if result.stdout is not None else result.output) or ""
    here = directory(payload.command, payload.cwd or cwd)
    command = payload.command
    if went_well and call.reading is not None:
        known = list(_by_reading(call, output))
        yield from (replace(one, cwd=here, words=command) for one in known)
        if known or call.reading.kind not in CHANGING:
            return
    written, rest = leading_writes(command) if went_well else ((), command)
    for step in written:
        yield from (replace(one, cwd=here, words=command) for one in _by_step(step))
    for path in seems_to_write(rest):
        effect = Unclear(_COMMAND, certain=False)
        yield Told(path, Act.COMMAND, effect, here, words=command)


def _by_reading(call: ToolCall, output: str) -> Iterator[Told]:
    """What a command did that is understood as a whole."""
    reading, payload = call.reading, call.payload
    if reading is None or not isinstance(payload, ShellPayload):
        return
    for step in reading.steps:
        read = step.payload
        if not isinstance(read, ReadPayload):
            yield from _by_step(step)
        elif not read.path.startswith("git "):
            alone = printed(payload.command, reading, output)
            effect = (
                _seen(read, ReadResult(output, start=read.start), exact=False) if alone else None
            )
            effect = effect or Seen("", whole=False)
            yield Told(read.path, Act.READ, effect, start=read.start, limit=read.limit)


def _by_step(step: ShellStep) -> Iterator[Told]:
    """What one step of a command wrote or deleted."""
    match step.payload:
        case WritePayload() as write:
            yield Told(write.path, Act.WRITE, Written(write.content or ""))
        case EditPayload() as edit:
            for asked in edit.files:
                if asked.patch is None and asked.edits and not asked.edits[0].old:
                    yield Told(asked.path, Act.WRITE, Appended(asked.edits[0].new))
                else:
                    yield from _asked(asked)
        case DeletePayload() as delete:
            for path in delete.paths:
                yield Told(path, Act.DELETE, Removed())
        case _:
            return


_BY_KIND = {
    ToolKind.READ: _read,
    ToolKind.WRITE: _write,
    ToolKind.EDIT: _edit,
    ToolKind.DELETE: _delete,
    ToolKind.NOTEBOOK_EDIT: _notebook,
}
