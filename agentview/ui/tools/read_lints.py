"""Diagnostics of linters and language servers, grouped by file."""

from typing import ClassVar

from rich.style import Style

from agentview.domain.activity import Activity, Kind
from agentview.domain.results import Diagnostic, LintsResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.levels import DetailLevel
from agentview.timeline.wording import cwd_of, shown_path
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import Piece, Rows, text_rows, wrap
from agentview.ui.tool_widget import ToolWidget, shortened, untyped


class ReadLintsTool(ToolWidget):
    """Findings about files."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.READ_LINTS,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: Space
    ) -> Body | None:
        """A file's name above its findings, each with place and severity."""
        result = call.result
        if not isinstance(result, LintsResult):
            return untyped(call, level, space)
        if result.text is not None:
            body = text_rows(result.text, space, space.palette.text)
        else:
            body = _findings(result.diagnostics, cwd_of(activity), level, space)
        return shortened(body, level, "lines", space)


def _findings(
    diagnostics: tuple[Diagnostic, ...], cwd: str | None, level: DetailLevel, space: Space
) -> Body:
    palette = space.palette
    rows: list[list[Piece]] = []
    path = None
    for item in sorted(diagnostics, key=lambda item: item.path):
        if item.path != path:
            rows.append([(shown_path(item.path, cwd), palette.path)])
            path = item.path
        place = "" if item.line is None else str(item.line)
        if item.column is not None:
            place += f":{item.column}"
        severity = item.severity or "problem"
        before: list[Piece] = [
            (f"  {place:>7}  ", palette.dim),
            (f"{severity:<8}", _style(severity, space)),
        ]
        source = f"  {item.source}" if item.source else ""
        message: list[Piece] = [(item.message, palette.text), (source, palette.dim)]
        room = max(12, space.width - 19)
        wrapped = wrap(message, room) if level is DetailLevel.FULL else [message]
        indent: list[Piece] = [(" " * 19, palette.dim)]
        rows += [
            [*(indent if number else [*before, (" ", palette.dim)]), *row]
            for number, row in enumerate(wrapped)
        ]
    return Rows(rows, space)


def _style(severity: str, space: Space) -> Style:
    palette = space.palette
    known = {"error": palette.error, "warning": palette.warning}
    return known.get(severity.lower(), palette.accent)
