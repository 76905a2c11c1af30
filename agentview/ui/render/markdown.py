"""Markdown as rows: what its signs mean is shown by looks, and links are text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from rich.cells import cell_len
from rich.style import Style

from agentview.timeline.plain import clean
from agentview.ui.render.body import Body, Space
from agentview.ui.render.code import code_rows
from agentview.ui.render.lines import Piece, Rows, split_lines, text_rows, wrap
from agentview.ui.render.stack import Indented, Stack

MAX_SIZE = 100_000
"""Characters from which a text is shown as it is written: parsing it would hold the screen."""

_MIN_COLUMN = 4

_SIGNS = re.compile(r"[^\w\n ,.;:'\"?!()/%$…-]|_")
"""What may mean something to Markdown, wherever in a line it stands."""


def markdown_body(text: str, space: Space, style: Style | None = None) -> Body:
    """The text laid out at the width; `style` is that of plain text."""
    base = space.palette.text if style is None else style
    if len(text) > MAX_SIZE:
        return text_rows(text, space, base)
    # Cleaned before it is parsed, so that nothing in an address trips the parser.
    cleaned = "\n".join(clean(line) for line in split_lines(text))
    if _is_plain(cleaned):
        # What the parser would give; importing it takes as long as drawing the first frame.
        paragraphs = [Rows(wrap([(part, base)], space.width), space) for part in _parts(cleaned)]
        return Stack(list(_with_gaps(paragraphs, space, base)))
    nodes = _tree(cleaned).children
    return Stack(list(_spaced(nodes, space, base)))


def _is_plain(text: str) -> bool:
    """Whether there are but paragraphs: lines that begin with a letter, without any sign."""
    if _SIGNS.search(text):
        return False
    return all(
        not line or (line[0].isalpha() and not line[-1].isspace()) for line in text.split("\n")
    )


def _parts(text: str) -> list[str]:
    return [part.strip("\n") for part in text.split("\n\n") if part.strip("\n")]


def _with_gaps(bodies: Iterable[Body], space: Space, base: Style) -> Iterator[Body]:
    for number, body in enumerate(bodies):
        if number:
            yield Rows([[("", base)]], space)
        yield body


@cache
def _parser() -> Any:
    # Late, because importing the parser costs as much as drawing the first frame.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _tree(text: str) -> Any:
    # Late for the same reason as the parser.
    from markdown_it.tree import SyntaxTreeNode

    return SyntaxTreeNode(_parser().parse(text))


def _spaced(
    nodes: Sequence[Any], space: Space, base: Style, *, tight: bool = False
) -> Iterator[Body]:
    bodies = (_block(node, space, base) for node in nodes)
    return bodies if tight else _with_gaps(bodies, space, base)


def _block(node: Any, space: Space, base: Style) -> Body:
    palette, glyphs = space.palette, space.glyphs
    match node.type:
        case "heading":
            return _paragraph(node, space, palette.heading)
        case "fence" | "code_block":
            words = (node.info or "").split()
            language = words[0].lower() if words else ""
            inner = _narrowed(space, 2)
            return Indented(code_rows(node.content, language, inner, start=None), [("  ", base)])
        case "blockquote":
            body = Stack(list(_spaced(node.children, _narrowed(space, 2), palette.quote)))
            return Indented(body, [(f"{glyphs.bar} ", palette.border)])
        case "bullet_list" | "ordered_list":
            return _list(node, space, base)
        case "table":
            return _table(node, space, base)
        case "hr":
            return Rows([[(glyphs.rule * min(space.width, 40), palette.border)]], space)
        case "html_block":
            return text_rows(node.content, space, palette.dim)
        case _:
            return _paragraph(node, space, base)


def _paragraph(node: Any, space: Space, base: Style) -> Body:
    return Rows(wrap(list(_inline(node, space, base)), space.width), space)


def _list(node: Any, space: Space, base: Style) -> Body:
    palette, glyphs = space.palette, space.glyphs
    first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
    width = 2 if first is None else len(f"{first + len(node.children) - 1}. ")
    inner = _narrowed(space, width)
    tight = all(
        child.hidden
        for item in node.children
        for child in item.children
        if child.type == "paragraph"
    )
    bodies: list[Body] = []
    for number, item in enumerate(node.children):
        sign = f"{glyphs.bullet} " if first is None else f"{first + number}. ".rjust(width)
        body = Stack(list(_spaced(item.children, inner, base, tight=tight)))
        if not body.height:
            body = Rows([[("", base)]], inner)
        bodies.append(Indented(body, [(" " * width, base)], [(sign, palette.dim)]))
    return Stack(bodies)


def _inline(node: Any, space: Space, style: Style) -> Iterator[Piece]:
    palette = space.palette
    match node.type:
        case "text" | "html_inline":
            yield node.content, style
        case "code_inline":
            yield node.content, style + palette.inline_code
        case "softbreak" | "hardbreak":
            yield "\n", style
        case "link":
            yield from _link(node, space, style)
        case "image":
            yield f"[image: {node.content}]", style + palette.dim
            yield f" ({node.attrs.get('src', '')})", style + palette.dim
        case _:
            inner = style + _EMPHASIS.get(node.type, Style.null()) if palette.colored else style
            for child in node.children:
                yield from _inline(child, space, inner)


def _link(node: Any, space: Space, style: Style) -> Iterator[Piece]:
    shown = ""
    for child in node.children:
        for text, inner in _inline(child, space, style + space.palette.link):
            shown += text
            yield text, inner
    address = str(node.attrs.get("href", ""))
    if address and address != shown:
        yield f" ({address})", style + space.palette.dim


def _table(node: Any, space: Space, base: Style) -> Body:
    rows: list[list[list[Piece]]] = []
    for part in node.children:
        style = (
            base + _EMPHASIS["strong"] if part.type == "thead" and space.palette.colored else base
        )
        rows += [
            [list(_inline(cell, space, style)) for cell in row.children] for row in part.children
        ]
    widths = _column_widths(rows, space.width)
    if not widths:
        return Rows([], space)
    laid = [
        line for number, row in enumerate(rows) for line in _table_row(row, widths, space, number)
    ]
    return Rows(laid, space)


def _table_row(
    row: Sequence[list[Piece]], widths: Sequence[int], space: Space, number: int
) -> Iterator[list[Piece]]:
    border, glyphs = space.palette.border, space.glyphs
    cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=False)]
    for index in range(max((len(cell) for cell in cells), default=0)):
        line: list[Piece] = []
        for column, cell in enumerate(cells):
            if column:
                line.append((f" {glyphs.column} ", border))
            pieces = cell[index] if index < len(cell) else []
            used = sum(cell_len(text) for text, _ in pieces)
            line += [*pieces, (" " * max(0, widths[column] - used), border)]
        yield line
    if number == 0:
        joint = f"{glyphs.rule}{glyphs.cross}{glyphs.rule}"
        yield [(joint.join(glyphs.rule * width for width in widths), border)]


def _column_widths(rows: Sequence[Sequence[Sequence[Piece]]], width: int) -> list[int]:
    """Widths of the columns: what they need, the widest cut first where there is too little."""
    count = max((len(row) for row in rows), default=0)
    widths = [_MIN_COLUMN] * count
    for row in rows:
        for column, cell in enumerate(row):
            size = max(
                (cell_len(line) for line in "".join(text for text, _ in cell).split("\n")),
                default=0,
            )
            widths[column] = max(widths[column], size)
    room = max(count * 2, width - 3 * max(0, count - 1))
    while sum(widths) > room:
        widest = max(range(count), key=widths.__getitem__)
        if widths[widest] <= 2:
            break
        others = sorted(widths)[-2] if count > 1 else 2
        over = sum(widths) - room
        widths[widest] -= min(over, max(1, widths[widest] - max(2, others)))
    return widths


def _narrowed(space: Space, cells: int) -> Space:
    return replace(space, width=max(8, space.width - cells))


_EMPHASIS = {
    "strong": Style(bold=True),
    "em": Style(italic=True),
    "s": Style(strike=True),
}
