"""The blocks of a Markdown text as bodies: paragraphs, lists, quotes, code, tables, rules."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import Any

from msgspec.structs import replace
from rich.style import Style

from agentview.domain.tool_inputs import TodoStatus
from agentview.ui.render.code import code_rows
from agentview.ui.render.containers import Indented, Stack
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.markdown.inline import EMPHASIS, inline_pieces
from agentview.ui.render.strip import width_of
from agentview.ui.render.text_lines import Piece, Rows, text_rows, wrap

# A Markdown table as rows: columns as wide as they need and there is room, else one fact a row.

_LEAST = 4
"""Cells of a column below which the table is shown row by row."""
_ROOM = 8
"""Cells that a body has at least next to its prefix."""

_Cell = list[Piece]


def table_body(node: Any, space: RenderContext, base: Style) -> LazyLines:
    """The rows of a table; the first is its head."""
    rows: list[list[_Cell]] = []
    aligned: list[str] = []
    for part in node.children:
        head = part.type == "thead"
        style = base + EMPHASIS["strong"] if head and space.palette.colored else base
        for row in part.children:
            rows.append([list(inline_pieces(cell, space, style)) for cell in row.children])
            if head:
                aligned = [str(cell.attrs.get("style", "")) for cell in row.children]
    count = max((len(row) for row in rows), default=0)
    if not count:
        return Rows([], space)
    room = space.width - 3 * (count - 1)
    if room < count * _LEAST and len(rows) > 1:
        return Rows(list(_as_list(rows, space)), space)
    widths = _column_widths(rows, count, max(count, room))
    return Rows(
        [
            line
            for number, row in enumerate(rows)
            for line in _row(row, widths, aligned, space, number)
        ],
        space,
    )


def _row(
    row: Sequence[_Cell],
    widths: Sequence[int],
    aligned: Sequence[str],
    space: RenderContext,
    number: int,
) -> Iterator[list[Piece]]:
    border, glyphs = space.palette.border, space.glyphs
    cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=False)]
    for index in range(max((len(cell) for cell in cells), default=0)):
        line: list[Piece] = []
        for column, cell in enumerate(cells):
            if column:
                line.append((f" {glyphs.column} ", border))
            pieces = cell[index] if index < len(cell) else []
            line += _placed(pieces, widths[column], aligned[column : column + 1], border)
        yield line
    if number == 0:
        joint = f"{glyphs.rule}{glyphs.cross}{glyphs.rule}"
        yield [(joint.join(glyphs.rule * width for width in widths), border)]


def _placed(
    pieces: Sequence[Piece], width: int, aligned: Sequence[str], border: Style
) -> list[Piece]:
    room = max(0, width - sum(width_of(text) for text, _ in pieces))
    how = aligned[0] if aligned else ""
    left = room if "right" in how else room // 2 if "center" in how else 0
    return [(" " * left, border), *pieces, (" " * (room - left), border)]


def _as_list(rows: Sequence[Sequence[_Cell]], space: RenderContext) -> Iterator[list[Piece]]:
    """Each row as lines of `head: cell`, where the width is too small for columns."""
    heads = rows[0]
    for number, row in enumerate(rows[1:]):
        if number:
            yield []
        for head, cell in zip(heads, row, strict=False):
            yield from wrap([*head, (": ", space.palette.dim), *cell], space.width)


def _column_widths(rows: Sequence[Sequence[_Cell]], count: int, room: int) -> list[int]:
    """Widths of the columns: what they need, the widest cut first where there is too little."""
    widths = [1] * count
    for row in rows:
        for column, cell in enumerate(row):
            lines = "".join(text for text, _ in cell).split("\n")
            widths[column] = max(widths[column], *(width_of(line) for line in lines))
    return fitted_widths(widths, room)


def fitted_widths(widths: Sequence[int], room: int) -> list[int]:
    """Widths of columns in so many cells: the widest are cut first where there are too few."""
    fitted = list(widths)
    while (over := sum(fitted) - room) > 0:
        order = sorted(range(len(fitted)), key=fitted.__getitem__, reverse=True)
        most = fitted[order[0]]
        if most <= 1:
            break
        widest = [column for column in order if fitted[column] == most]
        next_most = max((width for width in fitted if width < most), default=1)
        cut = min(most - next_most, max(1, -(-over // len(widest))))
        for column in widest:
            step = min(cut, over, fitted[column] - 1)
            fitted[column] -= step
            over -= step
    return fitted


_TASKS = {
    "[ ] ": TodoStatus.PENDING,
    "[x] ": TodoStatus.COMPLETED,
    "[X] ": TodoStatus.COMPLETED,
}
_RULE = 40
"""Cells of a rule, and at most of the line below a title."""


def parsed_blocks(text: str, known: dict[str, Any]) -> Sequence[Any] | None:
    """The top blocks of a clean text; `known` has the targets of links that it names.

    None for blocks that are nested too deeply: the parser leaves out what is inside.
    """
    # Late, because importing the parser costs as much as drawing the first frame.
    from markdown_it.tree import SyntaxTreeNode

    parser = _parser()
    tokens = parser.parse(text, known)
    deepest = max((token.level for token in tokens), default=0)
    return SyntaxTreeNode(tokens).children if deepest < parser.options.maxNesting - 1 else None


def link_targets(definitions: str) -> dict[str, Any]:
    """Return the targets of `[name]: target` lines, to be given to `parsed_blocks`."""
    known: dict[str, Any] = {}
    if definitions:
        _parser().parse(definitions, known)
    return known


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def with_gaps(
    bodies: Iterable[LazyLines], space: RenderContext, base: Style
) -> Iterator[LazyLines]:
    for number, body in enumerate(bodies):
        if number:
            yield Rows([[("", base)]], space)
        yield body


def block_bodies(
    nodes: Sequence[Any], space: RenderContext, base: Style, *, tight: bool = False
) -> Iterator[LazyLines]:
    """Blocks one below another, with empty rows between unless they are `tight`."""
    bodies = (_block(node, space, base) for node in nodes)
    return bodies if tight else with_gaps(bodies, space, base)


def code_block(text: str, info: str, space: RenderContext, base: Style) -> LazyLines:
    """Lines of code with the colours of the language that `info` begins with, set in."""
    words = info.split()
    language = words[0].lower() if words else ""
    return _behind(
        [("  ", base)], lambda inner: code_rows(text, language, inner, start=None), space
    )


def _behind(
    prefix: Sequence[Piece],
    make: Callable[[RenderContext], LazyLines],
    space: RenderContext,
    first: Sequence[Piece] | None = None,
) -> LazyLines:
    """A body behind a prefix, which is `first` in its first row.

    Where nesting leaves no room next to it, the body is as wide as the space, below `first`.
    """
    room = space.width - sum(width_of(text) for text, _ in prefix)
    if room >= _ROOM:
        return Indented(make(replace(space, width=room)), prefix, first)
    body = make(space)
    return body if first is None else Stack([Rows([first], space), body])


def _block(node: Any, space: RenderContext, base: Style) -> LazyLines:
    palette, glyphs = space.palette, space.glyphs
    match node.type:
        case "heading":
            return _heading(node, space)
        case "fence" | "code_block":
            return code_block(node.content, node.info or "", space, base)
        case "blockquote":
            return _behind(
                [(f"{glyphs.bar} ", palette.border)],
                lambda inner: Stack(list(block_bodies(node.children, inner, palette.quote))),
                space,
            )
        case "bullet_list" | "ordered_list":
            return _list(node, space, base)
        case "table":
            return table_body(node, space, base)
        case "hr":
            return Rows([[(glyphs.rule * min(space.width, _RULE), palette.border)]], space)
        case "html_block":
            return text_rows(node.content, space, palette.dim)
        case _:
            return Rows(wrap(inline_pieces(node, space, base), space.width), space)


def _heading(node: Any, space: RenderContext) -> LazyLines:
    """Levels differ without colour: a line below the first, signs before those from the third."""
    palette, level = space.palette, int(node.tag[1:])
    style = palette.heading if level < 3 else palette.strong
    pieces: list[Piece] = list(inline_pieces(node, space, style))
    if not palette.colored or level > 2:
        pieces.insert(0, ("#" * level + " ", palette.dim))
    rows = wrap(pieces, space.width)
    if level == 1 and palette.colored:
        longest = max(sum(width_of(text) for text, _ in row) for row in rows)
        rows.append([(space.glyphs.rule * min(longest, space.width, 2 * _RULE), palette.border)])
    return Rows(rows, space)


def _list(node: Any, space: RenderContext, base: Style) -> LazyLines:
    glyphs, dim = space.glyphs, space.palette.dim
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    width = 2 if first is None else len(f"{first + len(node.children) - 1}. ")
    tight = all(
        child.hidden
        for item in node.children
        for child in item.children
        if child.type == "paragraph"
    )
    bodies: list[LazyLines] = []
    for number, item in enumerate(node.children):
        task = _take_task(item)
        sign = f"{glyphs.bullet} " if first is None else f"{first + number}. ".rjust(width)
        pieces = [(sign, dim)]
        if task is not None:
            done = task is TodoStatus.COMPLETED
            style = space.palette.success if done else dim
            pieces = [(f"{glyphs.todos[task]} ".rjust(width), style)]
        make = partial(_item, item, base, tight)
        bodies.append(_behind([(" " * width, base)], make, space, pieces))
    return Stack(bodies)


def _item(node: Any, base: Style, tight: bool, space: RenderContext) -> LazyLines:
    """Content of a list's item; an empty row of an empty one."""
    body = Stack(list(block_bodies(node.children, space, base, tight=tight)))
    return body if body.height else Rows([[("", base)]], space)


def _take_task(item: Any) -> TodoStatus | None:
    """The state of a task list's item, whose sign is taken out of its text; None for any other."""
    node = item
    while node.children and node.type != "text":
        node = node.children[0]
        if node.type not in ("paragraph", "inline", "text"):
            return None
    if node.type != "text":
        return None
    state = _TASKS.get(node.content[:4])
    if state is not None:
        node.token.content = node.content[4:]
    return state
