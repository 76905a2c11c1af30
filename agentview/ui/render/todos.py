"""Todo lists and steps: marks by status, and what changed against the list before."""

from collections.abc import Sequence

from rich.style import Style

from agentview.domain.tool_inputs import TodoItem, TodoStatus
from agentview.domain.value import Value
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.style.palette import Palette
from agentview.ui.render.text_lines import Piece, Rows, wrap

_WORDS = {
    TodoStatus.PENDING: "put back",
    TodoStatus.IN_PROGRESS: "started",
    TodoStatus.COMPLETED: "done",
    TodoStatus.CANCELLED: "cancelled",
    TodoStatus.DELETED: "removed",
    TodoStatus.UNKNOWN: "status unknown",
}
_MAX_WIDTH = 100
"""Cells of a row: a word at the far end of a wide screen is not seen next to its item."""


class Line(Value):
    """An item of a list with what changed in it: `was` is its text before it was reworded."""

    item: TodoItem
    change: str = ""
    was: str | None = None


def changes(items: Sequence[TodoItem], before: Sequence[TodoItem] | None) -> list[Line]:
    """The items in order, each with what changed in it, then those that are gone.

    A list of which nothing was before is new as a whole, which need not be said of each item.
    """
    if not before:
        return [Line(item) for item in items]
    earlier = {_key(item): item for item in before}
    kept = {_key(item) for item in items}
    gone = [item for item in before if _key(item) not in kept]
    lines: list[Line] = []
    for place, item in enumerate(items):
        old = earlier.get(_key(item))
        if old is None:
            old = _reworded(item, place, before, gone)
            if old is None:
                lines.append(Line(item, "new"))
                continue
            gone.remove(old)
        lines.append(_against(item, old))
    return lines + [Line(item, "removed") for item in gone]


def _reworded(
    item: TodoItem, place: int, before: Sequence[TodoItem], gone: Sequence[TodoItem]
) -> TodoItem | None:
    """The item without an id that stood in the same place, with at least half of the same words."""
    if item.id or place >= len(before) or before[place] not in gone:
        return None
    old = before[place]
    words, others = set(item.text.lower().split()), set(old.text.lower().split())
    return old if 2 * len(words & others) >= max(len(words), len(others)) else None


def _against(item: TodoItem, old: TodoItem) -> Line:
    words: list[str] = []
    if item.status is not old.status:
        words.append(_WORDS[item.status])
    reworded = bool(item.text) and bool(old.text) and item.text != old.text
    if reworded:
        words.append("reworded")
    if (item.note or "") != (old.note or "") and item.note:
        words.append("noted")
    return Line(item, ", ".join(words), old.text if reworded else None)


def changed_first(lines: Sequence[Line], count: int) -> list[Line]:
    """At most so many lines in their order: what changed or is being worked on, then the rest."""
    heart = [n for n, line in enumerate(lines) if line.change]
    heart += [n for n, line in enumerate(lines) if n not in heart and _current(line)]
    rest = [n for n in range(len(lines)) if n not in heart]
    return [lines[number] for number in sorted((heart + rest)[:count])]


def _current(line: Line) -> bool:
    return line.item.status is TodoStatus.IN_PROGRESS


def todos_body(
    lines: Sequence[Line], space: RenderContext, *, notes: bool = True, numbered: bool = False
) -> LazyLines:
    """One item below another, what changed behind it; with `notes`, these and old wordings below.

    `numbered` items stand behind their ids, by which calls name them one at a time.
    """
    numbers = max((len(line.item.id or "") for line in lines), default=0) if numbered else 0
    rows: list[list[Piece]] = []
    # With single items that are worked on, each step would repeat the rest.
    brief = numbered and any(line.change for line in lines)
    for line in lines:
        shown = notes and (bool(line.change) or not brief)
        rows += _item(line, numbers if numbers < 6 else 0, space, notes=shown)
    return Rows(rows, space)


def _item(line: Line, number_width: int, space: RenderContext, *, notes: bool) -> list[list[Piece]]:
    palette, item, gone = space.palette, line.item, line.change == "removed"
    text = item.text or (f"#{item.id}" if item.id else "no text")
    if item.status is TodoStatus.IN_PROGRESS and item.active and not gone:
        text = item.active
    style = palette.dim + Style(strike=True) if gone else todo_text_style(item.status, palette)
    if not palette.colored:
        style = Style.null()
    pieces: list[Piece] = [(text, style)]
    if item.priority:
        pieces.append((f"  {item.priority}", palette.dim))
    if line.change:
        pieces.append((f"  {line.change}", palette.warning if gone else palette.accent))
    if line.was is not None and notes:
        pieces.append((f"\nwas: {line.was}", palette.dim))
    if item.note and notes:
        pieces.append((f"\n{item.note}", palette.dim))
    mark = space.glyphs.todos[TodoStatus.DELETED if gone else item.status]
    number = f"#{item.id}"[: number_width + 1] if item.id and number_width else ""
    number = f"{number:<{number_width + 1}} " if number_width else ""
    room = min(_MAX_WIDTH, space.width) - 2 - len(number)
    rows = wrap(pieces, max(8, room))
    first: list[Piece] = [
        (f"{mark} ", palette.error if gone else todo_mark_style(item.status, palette)),
        (number, palette.dim),
    ]
    hanging: list[Piece] = [(" " * (2 + len(number)), palette.dim)]
    return [[*(hanging if place else first), *row] for place, row in enumerate(rows)]


def _key(item: TodoItem) -> str:
    return f"#{item.id}" if item.id else item.text


def todo_mark_style(status: TodoStatus, palette: Palette) -> Style:
    return {
        TodoStatus.COMPLETED: palette.success,
        TodoStatus.IN_PROGRESS: palette.running,
        TodoStatus.CANCELLED: palette.warning,
        TodoStatus.DELETED: palette.error,
    }.get(status, palette.dim)


def todo_text_style(status: TodoStatus, palette: Palette) -> Style:
    """Style of the text of an item."""
    if status is TodoStatus.IN_PROGRESS:
        return palette.strong
    return palette.text if status is TodoStatus.PENDING else palette.dim
