"""What a call changed, told best by its agent's own record, else by the diffs it shows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentview.domain.tool_inputs import EditPayload, FileEdit, FileOperation, WritePayload
from agentview.domain.tool_results import FileChange, Hunk
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import Fields, body, collect, items, mapping, path, text
from agentview.normalize.patch import parse_changes
from agentview.providers._kit.acp.content import changes

_OPERATIONS = {
    "add": FileOperation.CREATE,
    "create": FileOperation.CREATE,
    "delete": FileOperation.DELETE,
    "move": FileOperation.RENAME,
}
_OVERWROTE = ("has been updated", "updated successfully", "overwrote", "overwritten")
_HEAD = 1_000


def changed_files(
    call: ToolCall, outcome: Fields, diffs: Sequence[Fields], said: str
) -> tuple[FileChange, ...]:
    """The files that a call changed; none where nothing but its words tells.

    Agents beside the diffs of the protocol, which are often parts without a place, record patches
    with line numbers: of the outcome (`rawOutput.metadata`), or of what was asked for
    (`rawInput.changes`). `said` is the text of the outcome.
    """
    fields = mapping(outcome.get("metadata")) or outcome
    found = tuple(_of_outcome(fields)) or tuple(_of_request(call))
    found = found or tuple(_with_words(change, said) for change in changes(diffs))
    existed = fields.get("exists")
    if isinstance(call.payload, WritePayload) and isinstance(existed, bool) and len(found) <= 1:
        return (_written(call.payload, found, existed=existed),)
    return found


def _written(payload: WritePayload, found: Sequence[FileChange], *, existed: bool) -> FileChange:
    """A file that was written out, where the agent says whether there was one before."""
    known = found[0] if found else FileChange(payload.path, after=payload.content)
    return known if existed else replace(known, operation=FileOperation.CREATE)


def _of_outcome(fields: Fields) -> Iterator[FileChange]:
    listed = collect(items(fields.get("files")), _listed)
    if listed:
        yield from listed
        return
    single = mapping(fields.get("filediff"))
    patch = text(single, "patch") or text(fields, "diff")
    found = parse_changes(patch) if patch is not None else ()
    before, after = body(single, "before"), body(single, "after")
    if before is not None and after is not None and text(single, "file"):
        yield FileChange(
            text(single, "file") or "", hunks=_hunks(found), before=before, after=after
        )
        return
    yield from (change for change in found if change.path)


def _listed(fields: Fields) -> FileChange | None:
    where = path(fields)
    patch = text(fields, "patch", "diff")
    hunks = _hunks(parse_changes(patch)) if patch is not None else None
    before, after = body(fields, "before"), body(fields, "after")
    if where is None or (hunks is None and after is None):
        return None
    operation = _OPERATIONS.get(text(fields, "type", "status") or "", FileOperation.UPDATE)
    return FileChange(
        where, operation, hunks, before, after, move_to=text(fields, "movePath", "move_path")
    )


def _hunks(found: Sequence[FileChange]) -> tuple[Hunk, ...] | None:
    return found[0].hunks if len(found) == 1 else None


def _of_request(call: ToolCall) -> Iterator[FileChange]:
    """What patches with line numbers asked for, where all files of the call have one."""
    asked = call.payload if isinstance(call.payload, EditPayload) else None
    if asked is None or not any(file.patch is not None for file in asked.files):
        return
    for file in asked.files:
        yield _asked(file)


def _asked(file: FileEdit) -> FileChange:
    hunks = _hunks(parse_changes(file.patch)) if file.patch is not None else None
    old = file.edits[0].old if file.edits else None
    new = file.edits[0].new if file.edits else None
    deleted = file.operation is FileOperation.DELETE
    return FileChange(
        file.path,
        file.operation,
        hunks,
        before=old if deleted else None,
        after=new if file.operation is FileOperation.CREATE else None,
        move_to=file.move_to,
    )


def _with_words(change: FileChange, said: str) -> FileChange:
    """The change; one without an old text is none of a new file where the tool says otherwise.

    Some agents leave the old text of a file that they write out, whether there was one or not.
    """
    overwrote = any(words in said[:_HEAD] for words in _OVERWROTE)
    if change.operation is FileOperation.CREATE and overwrote:
        return replace(change, operation=FileOperation.UPDATE)
    return change
