"""Titles of calls that read or change files."""

from collections.abc import Callable, Mapping

from agentview.domain.activity import Activity
from agentview.domain.content import ImageBlock
from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    FileOperation,
    NotebookEditPayload,
    ReadPayload,
    WritePayload,
)
from agentview.domain.tool_results import ChangeResult, ReadResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.format_numbers import byte_size, counted, lines_changed
from agentview.timeline.view.titles.text import Parts, several, shown_path


def read_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Path and range; how much was read."""
    payload = call.payload
    if not isinstance(payload, ReadPayload):
        return Parts("Read", "")
    subject = shown_path(payload.path, cwd)
    result = call.result if isinstance(call.result, ReadResult) else None
    lines = _range(payload, result)
    if lines:
        subject = f"{subject}  {lines}"
    return Parts("Read", subject, _read_detail(result) if result else "")


def diffs_of(call: ToolCall):
    """Per file, what a call changed or would change; what compares is imported by the first one."""
    from agentview.timeline.view.diff import from_call

    return from_call.diffs_of(call)


def write_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Path; new or overwritten, and by how much."""
    payload = call.payload
    if not isinstance(payload, WritePayload):
        return Parts("Write", "")
    details: list[str] = []
    if isinstance(call.result, ChangeResult) and call.result.files:
        change = call.result.files[0]
        new = change.operation is FileOperation.CREATE
        details.append("new" if new else "overwritten")
        if not new and (change.hunks or change.before is not None):
            diff = diffs_of(call)[0]
            details.append(lines_changed(diff.added, diff.removed) or "no change")
    if payload.content is not None and call.ok is not False:
        details.append(counted(_line_count(payload.content), "line"))
        details.append(byte_size(len(payload.content.encode("utf-8", "replace"))))
    return Parts("Write", shown_path(payload.path, cwd), " · ".join(details))


def edit_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Path or paths; lines added and removed."""
    diffs = diffs_of(call)
    if not isinstance(call.payload, EditPayload) or not diffs:
        return Parts("Edit", "")
    label = "Edit"
    operations = {diff.operation for diff in diffs}
    if operations == {FileOperation.CREATE}:
        label = "Create"
    elif operations == {FileOperation.DELETE}:
        label = "Delete"
    elif operations == {FileOperation.RENAME}:
        label = "Rename"
    details = [lines_changed(sum(d.added for d in diffs), sum(d.removed for d in diffs))]
    if any(diff.replaces_all for diff in diffs):
        details.append("every occurrence")
    if len(diffs) > 1:
        details.append(counted(len(diffs), "file"))
    if isinstance(call.result, ChangeResult) and call.result.by_person:
        details.append("changed by you")
    detail = " · ".join(part for part in details if part) if call.ok is not False else ""
    return Parts(label, several(_moved(diff.path, diff.move_to, cwd) for diff in diffs), detail)


def delete_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Paths that were deleted."""
    payload = call.payload
    if not isinstance(payload, DeletePayload):
        return Parts("Delete", "")
    count = len(payload.paths)
    return Parts(
        "Delete",
        several(shown_path(path, cwd) for path in payload.paths),
        counted(count, "file") if count > 1 else "",
    )


def notebook_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Notebook and cell; what was done to the cell."""
    payload = call.payload
    if not isinstance(payload, NotebookEditPayload):
        return Parts("Notebook", "")
    subject = shown_path(payload.path, cwd)
    if payload.cell:
        subject = f"{subject}  cell {payload.cell}"
    words = {"replace": "replaced", "insert": "inserted", "delete": "deleted"}
    detail = " ".join(
        part for part in (payload.cell_type, words.get(payload.mode, payload.mode)) if part
    )
    return Parts("Notebook", subject, detail if call.ok else "")


def _moved(path: str, move_to: str | None, cwd: str | None) -> str:
    shown = shown_path(path, cwd)
    return f"{shown} → {shown_path(move_to, cwd)}" if move_to else shown


def _range(payload: ReadPayload, result: ReadResult | None) -> str:
    if payload.pages:
        return f"pages {payload.pages}"
    partial = payload.start is not None or payload.limit is not None
    if result and result.content is not None and result.start and result.line_count:
        whole = result.start == 1 and result.line_count == result.total_lines
        if whole or (not partial and not result.truncated and result.total_lines is None):
            return ""
        return f"{result.start}–{result.start + result.line_count - 1}"
    if not partial:
        return ""
    start = max(1, payload.start or 1)
    return f"{start}–{start + payload.limit - 1}" if payload.limit else f"from {start}"


def _read_detail(result: ReadResult) -> str:
    if result.unchanged:
        return "unchanged"
    if result.cells:
        return counted(len(result.cells), "cell")
    if result.media:
        block = result.media[0]
        if isinstance(block, ImageBlock):
            return _image(block)
        size = getattr(block, "byte_size", None)
        return "document" if size is None else f"document {byte_size(size)}"
    if result.content is None:
        return ""
    count = result.line_count if result.line_count is not None else _line_count(result.content)
    detail = counted(count, "line")
    if result.total_lines is not None and result.total_lines > count:
        detail = f"{count:,} of {counted(result.total_lines, 'line')}"
    return detail + (" · cut off" if result.truncated else "")


def _image(block: ImageBlock) -> str:
    parts = ["image"]
    if block.width and block.height:
        parts.append(f"{block.width}×{block.height}")
    if block.byte_size is not None:
        parts.append(byte_size(block.byte_size))
    return " ".join(parts)


def _line_count(text: str) -> int:
    return text.count("\n") + (0 if text.endswith("\n") or not text else 1)


FILE_TITLES: Mapping[ToolKind, Callable[[ToolCall, Activity, str | None], Parts]] = {
    ToolKind.READ: read_parts,
    ToolKind.WRITE: write_parts,
    ToolKind.EDIT: edit_parts,
    ToolKind.DELETE: delete_parts,
    ToolKind.NOTEBOOK_EDIT: notebook_parts,
}
