"""Todo lists and steps: marks by status, and what changed against the list before."""

from collections.abc import Sequence

from rich.style import Style

from agentview.domain.payloads import TodoItem, TodoStatus
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import Piece, Rows, wrap
from agentview.ui.render.palette import Palette


def todos_body(items: Sequence[TodoItem], before: Sequence[TodoItem] | None, space: Space) -> Body:
    """One item below another; with the list `before`, what changed is said behind an item."""
    rows: list[list[Piece]] = []
    earlier = None if before is None else {_key(item): item for item in before}
    for item in items:
        rows += _item(item, _change(item, earlier), space)
    if earlier is not None:
        kept = {_key(item) for item in items}
        for item in before or ():
            if _key(item) not in kept:
                rows += _item(item, "removed", space)
    return Rows(rows, space)


def _item(item: TodoItem, change: str, space: Space) -> list[list[Piece]]:
    palette = space.palette
    text = item.text or (f"#{item.id}" if item.id else "no text")
    if item.status is TodoStatus.IN_PROGRESS and item.active:
        text = item.active
    pieces: list[Piece] = [(text, _text_style(item.status, palette))]
    if item.priority:
        pieces.append((f"  {item.priority}", palette.dim))
    if change:
        pieces.append((f"  {change}", palette.dim))
    if item.note:
        pieces.append((f"\n{item.note}", palette.dim))
    mark = space.glyphs.todos[item.status]
    rows = wrap(pieces, max(8, space.width - 2))
    return [
        [("  " if number else f"{mark} ", _mark_style(item.status, palette)), *row]
        for number, row in enumerate(rows)
    ]


def _change(item: TodoItem, earlier: dict[str, TodoItem] | None) -> str:
    if earlier is None:
        return ""
    old = earlier.get(_key(item))
    if old is None:
        return "new" if earlier else ""
    if old.status is not item.status:
        return f"was {old.status.replace('_', ' ')}"
    return ""


def _key(item: TodoItem) -> str:
    return item.id or item.text


def _mark_style(status: TodoStatus, palette: Palette) -> Style:
    return {
        TodoStatus.COMPLETED: palette.success,
        TodoStatus.IN_PROGRESS: palette.running,
        TodoStatus.CANCELLED: palette.warning,
        TodoStatus.DELETED: palette.error,
    }.get(status, palette.dim)


def _text_style(status: TodoStatus, palette: Palette) -> Style:
    if status is TodoStatus.IN_PROGRESS:
        return palette.strong
    return palette.text if status is TodoStatus.PENDING else palette.dim
