"""Notebooks as they are in files (nbformat 4, nbformat 3) to cells with their outputs."""

import json

from agentview.domain.content import Block, ImageBlock, TextBlock
from agentview.domain.tool_results import NotebookCell
from agentview.normalize.json_fields import Fields, body, collect, items, mapping, text

_MAX_TEXT = 20_000_000
_IMAGES = ("image/png", "image/jpeg", "image/gif")


def notebook_cells(content: str) -> tuple[NotebookCell, ...]:
    """Cells of a notebook; none when the text is not the JSON of a whole one."""
    if len(content) > _MAX_TEXT or not content.lstrip().startswith("{"):
        return ()
    try:
        notebook = mapping(json.loads(content))
    except (ValueError, RecursionError):
        return ()
    if "nbformat" not in notebook:
        return ()
    meta = mapping(notebook.get("metadata"))
    language = text(mapping(meta.get("language_info")), "name") or text(
        mapping(meta.get("kernelspec")), "language"
    )
    sheets = [notebook, *collect(items(notebook.get("worksheets")), lambda sheet: sheet)]
    cells = [cell for sheet in sheets for cell in items(sheet.get("cells"))]
    return collect(cells, lambda cell: _cell(cell, language))


def _cell(cell: Fields, language: str | None) -> NotebookCell:
    kind = text(cell, "cell_type") or "code"
    return NotebookCell(
        cell_type=kind,
        source=_joined(cell, "source") or _joined(cell, "input") or "",
        id=text(cell, "id"),
        language=language if kind == "code" else None,
        outputs=tuple(
            block for output in items(cell.get("outputs")) for block in _output(mapping(output))
        ),
    )


def _output(output: Fields) -> tuple[Block, ...]:
    """An image where there is one, else the text; of an error its traceback."""
    data = mapping(output.get("data"))
    for kind in _IMAGES:
        encoded = _joined(data, kind)
        if encoded is not None:
            return (ImageBlock(kind, "".join(encoded.split())),)
    said = (
        _joined(output, "text")
        or _joined(data, "text/plain")
        or "\n".join(str(line) for line in items(output.get("traceback")))
        or body(output, "evalue")
    )
    return (TextBlock(said.rstrip("\n")),) if said else ()


def _joined(fields: Fields, key: str) -> str | None:
    """A text that may be written as a list of its lines."""
    value = fields.get(key)
    if isinstance(value, str):
        return value
    lines = items(value)
    return "".join(str(line) for line in lines) if lines else None
