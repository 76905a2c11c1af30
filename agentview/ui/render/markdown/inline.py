"""Pieces of a line of Markdown: emphasis, code, links, images, footnotes."""

import re
from collections.abc import Iterator
from typing import Any

from rich.style import Style

from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.text_lines import Piece

EMPHASIS = {
    "strong": Style(bold=True),
    "em": Style(italic=True),
    "s": Style(strike=True),
}

_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,40})\](:?)")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def inline_pieces(node: Any, space: RenderContext, style: Style) -> Iterator[Piece]:
    """The text of a node and of all in it; links are followed by their target where it differs."""
    palette = space.palette
    match node.type:
        case "text":
            yield from _text(node.content, space, style)
        case "html_inline":
            is_break = _BREAK.fullmatch(node.content)
            yield ("\n", style) if is_break else (node.content, style + palette.dim)
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
            inner = style + EMPHASIS.get(node.type, Style.null()) if palette.colored else style
            for child in node.children:
                yield from inline_pieces(child, space, inner)


def _text(text: str, space: RenderContext, style: Style) -> Iterator[Piece]:
    position = 0
    if "[^" in text:
        for match in _FOOTNOTE.finditer(text):
            yield text[position : match.start()], style
            defined = match[2] and not match.start()
            yield f"[{match[1]}]", style + space.palette.link
            position = match.end() if defined else match.end(1) + 1
    yield text[position:], style


def _link(node: Any, space: RenderContext, style: Style) -> Iterator[Piece]:
    shown = ""
    for child in node.children:
        for text, inner in inline_pieces(child, space, style + space.palette.link):
            shown += text
            yield text, inner
    address = str(node.attrs.get("href", ""))
    if address.removeprefix("mailto:") != shown and address != shown and address:
        yield f" ({address})", style + space.palette.dim
