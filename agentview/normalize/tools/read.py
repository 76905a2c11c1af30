"""Reading files: arguments to a ReadPayload, and texts with line numbers to their contents."""

import json
import re

from agentview.domain.content import Block, ImageBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import ReadPayload
from agentview.domain.tool_results import NotebookCell, ReadResult
from agentview.domain.tools import ToolCall
from agentview.domain.value import Value
from agentview.normalize.json_fields import (
    Fields,
    body,
    collect,
    items,
    mapping,
    number,
    path,
    text,
)
from agentview.normalize.output_text import media_of, text_of

_ARROWED = re.compile(r"[ ]{0,12}(\d{1,9})[→\t]")
_PADDED = re.compile(r"(0\d{4})\| ?")
_BARRED = re.compile(r"[ ]{0,12}(\d{1,9})\|")
_COLONED = re.compile(r"(\d{1,9}):(?: |$)")
_OPENING = re.compile(r"\s*(?:<path>[^<\n]*</path>\s*)?(?:<type>\w+</type>\s*)?<(file|content)>\n?")
_SEPARATOR = "--- FILE CONTENT (truncated) ---\n"
_REMARKS = ("(", "[", "<", "...", "…")
_RANGE = re.compile(r"(?i)\blines? (\d{1,9})\s?(?:-|–|to)\s?(\d{1,9}) of (\d{1,9})\b")
_TOTAL = re.compile(r"(?i)\btotal (\d{1,9}) lines\b")
_CUT = re.compile(r"(?i)truncated|more lines|to continue|cut off")


def payload(fields: Fields) -> ReadPayload:
    """Read a file. A range may be given as start and count, as start and end, or as a pair."""
    pair = items(fields.get("view_range"))
    ends: dict[str, object] = dict(zip(("start", "end"), pair, strict=False))
    start = number(fields, "offset", "line", "start_line", "startLine", "line_start", "StartLine")
    start = number(ends, "start") if start is None else start
    limit = number(fields, "limit", "num_lines", "max_lines")
    if limit is None:
        last = number(fields, "end_line", "endLine", "line_end", "EndLine")
        last = number(ends, "end") if last is None else last
        if last is not None and last >= (start or 1):
            limit = last - (start or 1) + 1
    return ReadPayload(
        path=path(fields) or "",
        start=start,
        limit=limit,
        pages=text(fields, "pages"),
    )


class ReadText(Value):
    """A text out of what a tool printed around it; `start` is the number of its first line."""

    content: str
    start: int | None = None
    note: str | None = None


def bare_text(printed: str) -> ReadText:
    """The text without the tags, line numbers and remarks that tools put around it.

    Line numbers are taken off only where each line carries the number after the one before it:
    else the digits may be the file's own. What follows the last of them is a remark.
    """
    content, note = _out_of_tags(printed)
    before, separator, rest = content.partition(_SEPARATOR)
    if separator and _RANGE.search(before):
        content, note = rest, _notes(before, note)
    numbered = _without_numbers(content, framed=content is not printed)
    if numbered is None:
        shown = _RANGE.search(note or "")
        return ReadText(content, int(shown[1]) if shown else None, note)
    lines, start, remark = numbered
    return ReadText("\n".join(lines), start, _notes(remark, note))


def _out_of_tags(printed: str) -> tuple[str, str | None]:
    """Return the text within `<file>` or `<content>`, and the text that follows it."""
    opening = _OPENING.match(printed)
    if opening is None:
        return printed, None
    begin, closing = opening.end(), f"\n</{opening[1]}>"
    end = printed.rfind(closing)
    if end < begin:
        return printed, None
    return printed[begin:end], _notes(printed[end + len(closing) :])


def _without_numbers(content: str, *, framed: bool) -> tuple[list[str], int, str] | None:
    """Lines without their numbers, the first number, and what stands below the last.

    `1: a` may well be the text of a file, unless it is framed by what only a tool prints.
    """
    lines = content.split("\n")
    numbered = next(
        (form for form in (_ARROWED, _PADDED, _BARRED, _COLONED) if form.match(lines[0])), None
    )
    if numbered is None:
        return None
    bare: list[str] = []
    start = 0
    for line in lines:
        match = numbered.match(line)
        if match is None or (bare and int(match[1]) != start + len(bare)):
            break
        if not bare:
            start = int(match[1])
        bare.append(line[match.end() :])
    rest = "\n".join(lines[len(bare) :]).strip("\n")
    certain = numbered is _ARROWED or framed or (bool(rest) and numbered is _COLONED)
    certain = certain or (len(bare) > 1 and numbered is not _COLONED)
    if not certain or (rest and not rest.startswith(_REMARKS)):
        return None
    return bare, start, rest


def _notes(*notes: str | None) -> str | None:
    return "\n".join(note.strip() for note in notes if note and note.strip()) or None


def result(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """The text that came back, and the images and documents with it."""
    fields = mapping(outcome.structured)
    content = body(fields, "content", "text")
    if content is None:
        content = text_of(outcome.output)
    media = media_of(outcome.output)
    if outcome.ok is False or (content is None and not media):
        return None
    place = call.payload.path if isinstance(call.payload, ReadPayload) else ""
    return read_text(content, media_from=outcome, total=number(fields, "totalLines"), place=place)


def read_text(
    content: str | None, *, media_from: ToolResult, total: int | None = None, place: str = ""
) -> ReadResult:
    """A ReadResult of a text that may carry line numbers; the cells of a notebook at `place`."""
    media = media_of(media_from.output)
    if content is None:
        return ReadResult(total_lines=total, media=media)
    found = bare_text(content)
    note = found.note or ""
    whole = _RANGE.search(note) or _TOTAL.search(note)
    if total is None and whole is not None:
        total = int(whole[whole.re.groups])
    cells = notebook_cells(found.content) if place.lower().endswith(".ipynb") else ()
    known = found.start is not None
    return ReadResult(
        content=None if cells else found.content,
        start=found.start,
        line_count=found.content.count("\n") + 1 if known and not cells else None,
        total_lines=total,
        media=media,
        cells=cells,
        truncated=_CUT.search(note) is not None,
        note=found.note,
    )


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
