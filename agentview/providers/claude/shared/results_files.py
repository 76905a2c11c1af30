"""Results of Claude Code's file tools: what was read, and what was changed."""

from agentview.domain.content import Block, ImageBlock, ResourceBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    EditPayload,
    FileOperation,
    NotebookEditPayload,
    WritePayload,
)
from agentview.domain.tool_results import ChangeResult, FileChange, Hunk, NotebookCell, ReadResult
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    body,
    collect,
    flag,
    items,
    mapping,
    number,
    text,
)
from agentview.normalize.output_text import text_of
from agentview.normalize.tools import patch, read

_UNCHANGED = "File unchanged since last read"
_EMPTY = "<system-reminder>Warning: the file exists but the contents are empty"
_CELL_OPEN = '<cell id="'
_CELL_CHANGED = ("Updated cell ", "Inserted cell ", "Deleted cell ")
_CREATED = "File created"
_UPDATED = ("has been updated", "updated successfully", "File updated", "has been overwritten")


def read_file(_call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """Result of Read: `toolUseResult` by its `type`, else the text with its line numbers."""
    if outcome.ok is False:
        return None
    fields = mapping(outcome.structured)
    kind = text(fields, "type")
    if kind == "file_unchanged":
        return ReadResult(unchanged=True)
    if "file" in fields:
        return _read_structured(kind, fields, outcome)
    content = text_of(outcome.output)
    if content is not None and content.startswith(_UNCHANGED):
        return ReadResult(unchanged=True, note=content)
    if content is not None and content.startswith(_EMPTY):
        return ReadResult(content="", line_count=0, total_lines=0)
    if content is not None and content.startswith(_CELL_OPEN):
        return ReadResult(cells=_cells_in(content))
    if content is None and not outcome.output:
        return None
    return read.read_text(content, media_from=outcome)


def _read_structured(kind: str | None, fields: Fields, outcome: ToolResult) -> ReadResult:
    file = mapping(fields.get("file"))
    if kind == "image":
        return ReadResult(media=(_image(file),))
    if kind == "notebook":
        return ReadResult(cells=collect(items(file.get("cells")), _cell))
    if kind == "pdf":
        size = number(file, "originalSize")
        name = text(file, "filePath")
        return ReadResult(
            media=(ResourceBlock(name=name, media_type="application/pdf", byte_size=size),)
        )
    if kind == "parts":
        pages = collect(items(fields.get("pages")), _page)
        where = text(file, "outputDir")
        count = number(file, "count")
        note = f"{count if count is not None else len(pages)} pages in {where}" if where else None
        return ReadResult(media=pages, note=note)
    content = body(file, "content")
    return ReadResult(
        content=content if content is not None else text_of(outcome.output),
        start=number(file, "startLine"),
        line_count=number(file, "numLines"),
        total_lines=number(file, "totalLines"),
        truncated=flag(file, "truncatedByTokenCap"),
    )


def _image(file: Fields) -> ImageBlock:
    sides = mapping(file.get("dimensions"))
    return ImageBlock(
        media_type=text(file, "type"),
        data=text(file, "base64"),
        width=number(sides, "originalWidth", "displayWidth"),
        height=number(sides, "originalHeight", "displayHeight"),
        byte_size=number(file, "originalSize"),
    )


def _page(page: Fields) -> Block:
    error = text(page, "error")
    if error is not None:
        return TextBlock(error)
    return ImageBlock(media_type=text(page, "mediaType"), data=text(page, "base64"))


def _cell(cell: Fields) -> NotebookCell:
    outputs = collect(items(cell.get("outputs")), _cell_output)
    return NotebookCell(
        cell_type=text(cell, "cellType", "cell_type") or "code",
        source=body(cell, "source") or "",
        id=text(cell, "cell_id", "id", "cell"),
        language=text(cell, "language"),
        outputs=outputs,
    )


def _cell_output(output: Fields) -> Block | None:
    image = mapping(output.get("image"))
    if image:
        return ImageBlock(
            media_type=text(image, "media_type"), data=text(image, "image_data", "data")
        )
    said = body(output, "text", "traceback", "evalue")
    return TextBlock(said) if said is not None else None


def _cells_in(content: str) -> tuple[NotebookCell, ...]:
    """Cells of the text form `<cell id="x"><cell_type>…</cell_type>source</cell id="x">`."""
    found: list[NotebookCell] = []
    start = 0
    while (start := content.find(_CELL_OPEN, start)) >= 0:
        name, quoted, _ = content[start + len(_CELL_OPEN) : start + 400].partition('">')
        closing = f'</cell id="{name}">'
        begin = start + len(_CELL_OPEN) + len(name) + 2
        end = content.find(closing, begin)
        if not quoted or end < 0:
            break
        source = content[begin:end]
        cell_type = "code"
        if source.startswith("<cell_type>"):
            cell_type, _, source = source[len("<cell_type>") :].partition("</cell_type>")
        found.append(NotebookCell(cell_type=cell_type, source=source, id=name))
        start = end + len(closing)
    return tuple(found)


def write_file(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """Result of Write."""
    if outcome.ok is False:
        return None
    payload = call.payload
    asked = payload if isinstance(payload, WritePayload) else WritePayload("")
    fields = mapping(outcome.structured)
    if not fields:
        operation = _reported_operation(outcome)
        if operation is None:
            return None
        change = FileChange(asked.path, operation, after=asked.content)
        return ChangeResult((change,))
    if flag(fields, "staged"):
        return None
    kind = text(fields, "type")
    created = kind == "create"
    before = body(fields, "originalFile")
    after = body(fields, "content")
    change = FileChange(
        path=text(fields, "filePath") or asked.path,
        operation=FileOperation.CREATE if created else FileOperation.UPDATE,
        hunks=_hunks(fields, unchanged=before is not None and before == after),
        before=before,
        after=after if after is not None else asked.content,
    )
    return ChangeResult((change,), by_person=flag(fields, "userModified"))


def edit_file(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """Result of Edit and MultiEdit. The file after the edit is never recorded."""
    if outcome.ok is False:
        return None
    payload = call.payload
    asked = payload.files[0].path if isinstance(payload, EditPayload) and payload.files else ""
    fields = mapping(outcome.structured)
    if not fields:
        operation = _reported_operation(outcome)
        return ChangeResult((FileChange(asked, operation),)) if operation is not None else None
    if flag(fields, "staged"):
        return None
    change = FileChange(
        path=text(fields, "filePath") or asked,
        hunks=_hunks(fields),
        before=body(fields, "originalFile", "originalFileContents"),
    )
    return ChangeResult((change,), by_person=flag(fields, "userModified"))


def _hunks(fields: Fields, *, unchanged: bool = False) -> tuple[Hunk, ...] | None:
    """The recorded patch; an empty list says nothing unless the file is known to be unchanged.

    The client leaves it empty for a new file, and when a diff took too long.
    """
    hunks = patch.recorded_hunks(fields.get("structuredPatch"))
    return hunks or (() if unchanged else None)


def _reported_operation(outcome: ToolResult) -> FileOperation | None:
    said = text_of(outcome.output) or ""
    if said.startswith(_CREATED):
        return FileOperation.CREATE
    head = said[:1_000]
    return FileOperation.UPDATE if any(words in head for words in _UPDATED) else None


def edit_notebook(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """Result of NotebookEdit: `before` and `after` are the source of the cell, not the file.

    Newer clients (2.1) record the file too, as `original_file` and `updated_file`.
    """
    fields = mapping(outcome.structured)
    payload = call.payload
    if outcome.ok is False or text(fields, "error"):
        return None
    asked = payload if isinstance(payload, NotebookEditPayload) else NotebookEditPayload("")
    if not fields and not (text_of(outcome.output) or "").startswith(_CELL_CHANGED):
        return None
    mode = text(fields, "edit_mode") or asked.mode
    after = body(fields, "new_source") if fields else asked.source
    old, new = body(fields, "original_file"), body(fields, "updated_file")
    change = FileChange(
        path=text(fields, "notebook_path") or asked.path,
        before="" if mode == "insert" else body(fields, "old_source"),
        after="" if mode == "delete" else after,
        whole=(old, new) if old is not None and new is not None else None,
    )
    return ChangeResult((change,))
