"""Reading a file: its text with line numbers, a notebook's cells, or what an image is."""

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import ReadPayload
from agentview.domain.tool_results import NotebookCell, ReadResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import without_escapes
from agentview.ui.render.blocks import blocks_body, media_body
from agentview.ui.render.code import binary_facts, code_rows
from agentview.ui.render.containers import Indented, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows, text_rows
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class ReadTool(ToolWidget):
    """A file that was read."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.READ,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """Return the read text, from its first line's number on."""
        del activity
        result = call.result
        if not isinstance(result, ReadResult):
            return untyped(call, level, space)
        path = call.payload.path if isinstance(call.payload, ReadPayload) else ""
        return Stack(list(_parts(result, path, level, space)))


def _parts(
    result: ReadResult, path: str, level: DetailLevel, space: RenderContext
) -> Iterator[LazyLines]:
    full = level is DetailLevel.FULL
    if result.unchanged:
        yield _note("the file is as it was when it was last read", space)
    if result.content and (facts := binary_facts(result.content)):
        yield _note(facts, space)
    elif result.content:
        yield from _code(result, path, level, space)
    elif result.content is not None and not result.media and not result.unchanged:
        yield _note("the file is empty", space)
    if result.cells:
        cells = [body for n, cell in enumerate(result.cells) for body in _cell(cell, n, space)]
        yield shortened(Stack(cells), level, "lines", space)
    yield media_body(result.media, space, opened=full)
    if result.note:
        yield shortened(text_rows(result.note, space, space.palette.dim), level, "lines", space)


def _code(
    result: ReadResult, path: str, level: DetailLevel, space: RenderContext
) -> Iterator[LazyLines]:
    """The text between words about what of the file was not read."""
    content = result.content or ""
    start = result.start or 1
    full = level is DetailLevel.FULL
    dots = space.glyphs.ellipsis
    if start > 1 and full:
        yield _note(f"{dots} {counted(start - 1, 'line')} before not read", space)
    code = code_rows(without_escapes(content), path, space, start=start, fold=full)
    yield shortened(code, level, "lines", space)
    # Some clients count an empty line after the last line end.
    lines = max(content.count("\n") + (not content.endswith("\n")), result.line_count or 0)
    left = 0 if result.total_lines is None else result.total_lines - (start - 1 + lines)
    if left > 0:
        more = "more line" if left == 1 else "more lines"
        yield _warning(f"{dots} {left:,} {more} not read", space)
    elif result.truncated:
        yield _warning(f"{dots} the rest was not read", space)


def _cell(cell: NotebookCell, number: int, space: RenderContext) -> Iterator[LazyLines]:
    name = " ".join(part for part in (cell.cell_type, cell.id) if part)
    yield Rows([[(f"[{number + 1}] ", space.palette.number), (name, space.palette.dim)]], space)
    language = cell.language or ("markdown" if cell.cell_type == "markdown" else "python")
    inner = replace(space, width=max(1, space.width - 2))
    gutter = [(f"{space.glyphs.gutter} ", space.palette.border)]
    yield Indented(code_rows(cell.source, language, inner, start=None), gutter)
    if cell.outputs:
        yield _note("output", space)
        yield Indented(
            blocks_body(cell.outputs, inner, name=f"cell{number}"), [("  ", inner.palette.dim)]
        )


def _note(text: str, space: RenderContext) -> LazyLines:
    return Rows([[(text, space.palette.dim)]], space)


def _warning(text: str, space: RenderContext) -> LazyLines:
    return Rows([[(text, space.palette.warning)]], space)
