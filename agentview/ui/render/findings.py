"""Findings of linters and compilers, grouped by file."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.style import Style

from agentview.domain.tool_results import Diagnostic
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.titles.findings import severity_of
from agentview.ui.render.containers import Stack
from agentview.ui.render.file_tree import path_pieces
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.section import Section
from agentview.ui.render.text_lines import Piece, Rows, wrap

_ORDER = ("error", "warning", "problem", "info", "hint")
_MESSAGE = 20
"""Column in which messages begin."""


def findings_body(
    diagnostics: Sequence[Diagnostic], cwd: str | None, level: DetailLevel, space: RenderContext
) -> LazyLines:
    """The files one below another, the gravest findings of each first."""
    ordered = sorted(diagnostics, key=lambda item: item.path)
    parts: list[LazyLines] = []
    for number, (path, group) in enumerate(groupby(ordered, key=lambda item: item.path)):
        found = sorted(group, key=lambda item: (_rank(item), item.line or 0))
        counts = Counter(severity_of(item) for item in found)
        words = ", ".join(counted(count, name) for name, count in counts.items())
        head = [*path_pieces(path, cwd, space), (f"  {words}", space.palette.dim)]
        rows = Rows([row for item in found for row in _rows(item, level, space)], space)
        parts.append(Section(f"lints:{number}", head, lambda rows=rows: rows, space, begins=True))
    return Stack(parts)


def _rows(item: Diagnostic, level: DetailLevel, space: RenderContext) -> Iterator[list[Piece]]:
    palette = space.palette
    place = "" if item.line is None else str(item.line)
    if item.column is not None:
        place += f":{item.column}"
    severity = severity_of(item)
    before: list[Piece] = [
        (f"  {place:>7}  ", palette.number),
        (f"{severity:<8} ", _style(severity, space)),
    ]
    source = f"  {item.source}" if item.source else ""
    message: list[Piece] = [(item.message, palette.text), (source, palette.dim)]
    room = max(12, space.width - _MESSAGE)
    wrapped = wrap(message, room) if level is DetailLevel.FULL else [message]
    for number, row in enumerate(wrapped):
        yield [*([(" " * _MESSAGE, palette.dim)] if number else before), *row]


def _rank(item: Diagnostic) -> int:
    severity = severity_of(item)
    return _ORDER.index(severity) if severity in _ORDER else len(_ORDER)


def _style(severity: str, space: RenderContext) -> Style:
    palette = space.palette
    known = {"error": palette.error, "warning": palette.warning, "hint": palette.dim}
    return known.get(severity, palette.accent)
