"""Changing files: arguments to the payloads of write, edit, delete and notebook_edit."""

from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    FileEdit,
    FileOperation,
    NotebookEditPayload,
    TextEdit,
    WritePayload,
)
from agentview.normalize.json_fields import (
    Fields,
    body,
    collect,
    first,
    flag,
    items,
    mapping,
    path,
    text,
    texts,
)
from agentview.normalize.json_values import changed
from agentview.normalize.tools.patch import parse_patch

_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text", "old", "search")
_NEW = ("new_string", "newString", "new_str", "newText", "new_text", "new", "replace")
_PATCH = ("patch", "patchText", "patchContent", "patch_text", "unified_diff", "diff", "input")
_CONTENT = ("content", "contents", "fileText", "file_text", "text", "code", "CodeContent")


def write(fields: Fields) -> WritePayload:
    return WritePayload(path=path(fields) or "", content=body(fields, *_CONTENT))


def edit(fields: Fields) -> EditPayload:
    """Replace texts in one file: one pair, or a list of pairs under `edits`."""
    listed = items(first(fields, "edits", "changes", "replacements"))
    edits = collect(listed, _text_edit)
    single = _text_edit(fields)
    if single is not None:
        edits = (single, *edits)
    return EditPayload(files=(FileEdit(path=path(fields) or "", edits=edits),))


def _text_edit(fields: Fields) -> TextEdit | None:
    old = body(fields, *_OLD)
    new = body(fields, *_NEW, "insert_line_text")
    if old is None and new is None:
        return None
    return TextEdit(
        old=old or "",
        new=new or "",
        replace_all=flag(fields, "replace_all", "replaceAll", "allow_multiple"),
    )


def patch(fields: Fields) -> EditPayload:
    """Apply a patch given as text, or as a mapping of paths to changes."""
    recorded = text(fields, *_PATCH)
    if recorded is not None:
        files = parse_patch(recorded)
        return EditPayload(files or (FileEdit(path=path(fields) or "", patch=recorded),))
    changes = mapping(fields.get("changes"))
    return EditPayload(tuple(_changed(name, mapping(change)) for name, change in changes.items()))


def _changed(name: str, change: Fields) -> FileEdit:
    kind = text(change, "type", "kind") or ""
    inner = mapping(change.get(kind)) or mapping(first(change, "add", "delete", "update", "modify"))
    fields = changed(change, inner)
    if kind == "add" or "add" in change:
        operation = FileOperation.CREATE
    elif kind == "delete" or "delete" in change:
        operation = FileOperation.DELETE
    else:
        operation = FileOperation.UPDATE
    content = body(fields, "content")
    pair = _text_edit(fields)
    if pair is None and content is not None:
        created = operation is FileOperation.CREATE
        pair = TextEdit(old="" if created else content, new=content if created else "")
    return FileEdit(
        path=name,
        edits=(pair,) if pair is not None else (),
        patch=text(fields, "unified_diff", "diff"),
        operation=operation,
        move_to=text(fields, "move_path", "movePath", "move_to"),
    )


def rename(fields: Fields) -> EditPayload:
    """Move a file."""
    source = path(fields, "source", "source_path", "old_path", "oldPath", "from") or ""
    target = text(fields, "destination", "destination_path", "new_path", "newPath", "to")
    return EditPayload((FileEdit(source, operation=FileOperation.RENAME, move_to=target),))


def delete(fields: Fields) -> DeletePayload:
    """Delete files."""
    several = texts(first(fields, "file_paths", "paths", "files"))
    single = path(fields)
    return DeletePayload(several or ((single,) if single is not None else ()))


def notebook(fields: Fields) -> NotebookEditPayload:
    return NotebookEditPayload(
        path=path(fields, "notebook_path", "target_notebook") or "",
        source=body(fields, "new_source", "newSource", "new_string", "source"),
        cell=text(fields, "cell_id", "cellId", "cell_number", "cell_idx", "cell_index"),
        cell_type=text(fields, "cell_type", "cellType", "cell_language"),
        mode=text(fields, "edit_mode", "editMode", "mode") or "replace",
    )
