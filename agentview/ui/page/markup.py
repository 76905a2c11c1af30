"""Bodies of the screen as HTML: parts that fold, diffs, and lines, each as long as it is."""

from collections.abc import Iterator

from agentview.timeline.view.diff.rows import BETWEEN
from agentview.ui.page.styles import span, spans
from agentview.ui.render.containers import Indented, Stack
from agentview.ui.render.diff.body import UnifiedDiff
from agentview.ui.render.diff.style import DiffInk
from agentview.ui.render.lazy_lines import LazyLines
from agentview.ui.render.section import Section
from agentview.ui.render.text_lines import LineRows

_STEP = 512
"""Rows that are made together."""
_SIGNS = {"+": "added", "-": "removed", "\\": "note", BETWEEN: "between"}


def markup(body: LazyLines) -> Iterator[str]:
    """The body as HTML, piece by piece; all text is escaped, and no element stays open."""
    if isinstance(body, Stack):
        for each in body.bodies:
            yield from markup(each)
    elif isinstance(body, Section):
        yield f"<details open><summary>{spans(body.head)}</summary>"
        if body.body is not None:
            yield from markup(body.body)
        yield "</details>"
    elif isinstance(body, UnifiedDiff):
        yield from _diff(body.ink)
    elif isinstance(body, LineRows):
        yield from _lines(body)
    elif isinstance(body, Indented) and not isinstance(body.body, LineRows):
        sign = body.sign
        if sign is None:
            yield '<div class="in">'
        else:
            shown = "".join(span(text, style) for text, style, _ in sign).strip()
            yield f'<div class="item"><span>{shown}</span><div>'
        yield from markup(body.body)
        yield "</div>" if sign is None else "</div></div>"
    else:
        yield from _rows(body)


def _lines(body: LineRows) -> Iterator[str]:
    if not body.count:
        return
    yield "<pre>"
    for index in range(body.count):
        before, pieces = body.line(index)
        gutter = f'<i class="n">{spans(before)}</i>' if before else ""
        yield f"{gutter}{spans(pieces)}\n"
    yield "</pre>"


def _rows(body: LazyLines) -> Iterator[str]:
    height = body.height
    if not height:
        return
    yield "<pre>"
    for start in range(0, height, _STEP):
        for strip in body.strips(start, min(height, start + _STEP)):
            yield "".join(span(text, style) for text, style, _ in strip).rstrip() + "\n"
    yield "</pre>"


def _diff(ink: DiffInk) -> Iterator[str]:
    """Lines in their order, each with the number of the row that it has side by side."""
    yield f'<div class="diff{" one" if ink.one_sided else ""}" tabindex="0" role="group" '
    yield 'aria-label="diff">'
    rows = _side_by_side(ink)
    for index, sign in enumerate(ink.lines.signs):
        kind = _SIGNS.get(sign, "kept")
        if sign == BETWEEN:
            text = "".join(span(part, style) for part, style in ink.between(index))
            yield f'<div class="l between" data-r="{rows[index]}">{text}</div>'
            continue
        old, new = ink.lines.numbers(index)
        numbers = (
            f'<i class="n">{"" if old is None else old}</i>'
            f'<i class="n">{"" if new is None else new}</i>'
            if ink.digits
            else ""
        )
        shown = {"+": "+", "-": "−"}.get(sign, " ")
        yield (
            f'<div class="l {kind}" data-r="{rows[index]}">{numbers}<i class="s">{shown}</i>'
            f"<code>{spans(ink.pieces(index))}</code></div>"
        )
    yield "</div>"


def _side_by_side(ink: DiffInk) -> dict[int, int]:
    rows: dict[int, int] = {}
    for row, pair in enumerate(zip(*ink.lines.sides(), strict=True), 1):
        rows.update((index, row) for index in pair if index is not None)
    return rows
