"""Reading a file: its text with line numbers, a notebook's cells, or what an image is."""

from collections.abc import Iterator
from typing import ClassVar

from agentview.domain.activity import Activity, Kind
from agentview.domain.payloads import ReadPayload
from agentview.domain.results import NotebookCell, ReadResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.ui.render.ansi import without_escapes
from agentview.ui.render.blocks import blocks_body, media_body
from agentview.ui.render.body import Body, Space
from agentview.ui.render.code import code_rows
from agentview.ui.render.lines import Rows, text_rows
from agentview.ui.render.stack import Stack
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class ReadTool(ToolWidget):
    """A file that was read."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.READ,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """What was read, from its first line's number on."""
        del activity
        result = call.result
        if not isinstance(result, ReadResult):
            return untyped(call, level, space)
        path = call.payload.path if isinstance(call.payload, ReadPayload) else ""
        return Stack(list(_parts(result, path, level, space)))


def _parts(result: ReadResult, path: str, level: DetailLevel, space: Space) -> Iterator[Body]:
    if result.unchanged:
        yield _note("the file is as it was when it was last read", space)
    if result.content:
        text = without_escapes(result.content)
        full = level is DetailLevel.FULL
        code = code_rows(text, path, space, start=result.start or 1, fold=full)
        yield shortened(code, level, "lines", space)
    elif result.content is not None and not result.media and not result.unchanged:
        yield _note("the file is empty", space)
    if result.cells:
        cells = Stack([body for cell in result.cells for body in _cell(cell, space)])
        yield shortened(cells, level, "lines", space)
    yield media_body(result.media, space)
    if result.note:
        yield shortened(text_rows(result.note, space, space.palette.dim), level, "lines", space)


def _cell(cell: NotebookCell, space: Space) -> Iterator[Body]:
    name = " ".join(part for part in (cell.cell_type, cell.id) if part)
    yield _note(name, space)
    language = cell.language or ("markdown" if cell.cell_type == "markdown" else "python")
    yield code_rows(cell.source, language, space, start=None)
    if cell.outputs:
        yield _note("output", space)
        yield blocks_body(cell.outputs, space)


def _note(text: str, space: Space) -> Body:
    return Rows([[(text, space.palette.dim)]], space)
