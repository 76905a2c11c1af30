"""Markdown of a log as HTML: no element, link or image that a log could have made."""

from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Any

from agentview.timeline.view.sanitize import clean
from agentview.ui.page.styles import PALETTE, spans
from agentview.ui.render.syntax import Highlighter
from agentview.ui.render.text_lines import split_lines

_HEADINGS = 3
"""Levels above those of a text: its title, its turn, its activity."""


def prose(text: str) -> str:
    """A Markdown text as HTML. What leads somewhere is text with its address behind it."""
    shown = "\n".join(clean(line) for line in split_lines(text))
    return f'<div class="md">{_parser().render(shown)}</div>'


@cache
def _parser() -> Any:
    # Late, because importing the parser takes long and most pages have it.
    from markdown_it import MarkdownIt

    parser: Any = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.renderer.rules.update(
        link_open=_link,
        link_close=_link_end,
        image=_image,
        fence=_code,
        code_block=_code,
        heading_open=_heading,
        heading_close=_heading_end,
        th_open=_cell,
        td_open=_cell,
    )
    return parser


def _link(*_: Any) -> str:
    return '<span class="p-link">'


def _heading(tokens: Sequence[Any], at: int, *_: Any) -> str:
    return f"<h{_level(tokens[at].tag)}>"


def _heading_end(tokens: Sequence[Any], at: int, *_: Any) -> str:
    return f"</h{_level(tokens[at].tag)}>"


def _level(tag: str) -> int:
    return min(6, int(tag[1:]) + _HEADINGS)


def _cell(tokens: Sequence[Any], at: int, *_: Any) -> str:
    # Not by a style attribute, which no page's policy allows.
    style = str(tokens[at].attrs.get("style", ""))
    how = next((name for name in ("right", "center") if name in style), "")
    return f'<{tokens[at].tag} class="{how}">' if how else f"<{tokens[at].tag}>"


def _link_end(tokens: Sequence[Any], at: int, *_: Any) -> str:
    depth = 0
    for token in reversed(tokens[:at]):
        depth += {"link_close": 1, "link_open": -1}.get(token.type, 0)
        if depth < 0:
            inside = "".join(each.content for each in tokens[tokens.index(token) + 1 : at])
            address = str(token.attrs.get("href", ""))
            return "</span>" if inside == address else f"</span> ({escape(address)})"
    return "</span>"


def _image(tokens: Sequence[Any], at: int, *_: Any) -> str:
    token = tokens[at]
    return f"[image: {escape(token.content)}] ({escape(str(token.attrs.get('src', '')))})"


def _code(tokens: Sequence[Any], at: int, *_: Any) -> str:
    words = (tokens[at].info or "").split()
    lines = split_lines(tokens[at].content)
    reader = Highlighter(lines, words[0].lower() if words else "", PALETTE)
    shown = "\n".join(spans(reader.line(index)) for index in range(len(lines)))
    return f"<pre>{shown}</pre>"
