"""Divides a prompt into the person's own words and the context in front of them.

A host application may send its own context with a prompt: instructions, an open file, a project
description. The form decides, not the name of the host: a block in a tag, or text under headings
that ends with a heading such as `## My request:`. A block is context only in front of other words.
"""

import re

from agentview.domain.content import Block
from agentview.domain.events import User

_OPEN = re.compile(r"\s*<([A-Za-z][A-Za-z0-9_:-]{0,80})(?:\s[^<>]{0,500})?>")
_NAME_PARTS = re.compile(r"[A-Za-z0-9]+")
_REQUEST = re.compile(
    r"^#{1,6} (?:my|the user'?s?|user'?s?|current user'?s?) "
    r"(?:request|prompt|message|question|query)(?: for [^\n:]{1,80})?:?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_HEADING = re.compile(r"\s*#{1,6} \S")


def _names(line: str) -> frozenset[str]:
    return frozenset(line.split())


_CONTEXT = _names(
    "attached attachment attachments background context contexts env environment guidelines info "
    "information instruction instructions memories memory metadata permissions preamble "
    "preferences reminder reminders rules selection session skills state system workspace"
)
"""Words in names of tags that say that the block is context."""
_MARKUP = _names(
    "a abbr address area article aside audio b base bdi bdo blockquote body br button canvas "
    "caption cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed "
    "fieldset figcaption figure footer form g h1 h2 h3 h4 h5 h6 head header hgroup hr html i "
    "iframe img input ins kbd label legend li link main map mark math menu meta meter nav noscript "
    "object ol optgroup option output p param path picture pre progress q rect root rp rt ruby s "
    "samp script search section select slot small source span strong style sub summary sup svg "
    "table tbody td template textarea tfoot th thead time title tr track u ul var video wbr xml"
)
"""Elements of HTML and SVG: a person may begin a prompt with one."""


def split_context(text: str) -> tuple[tuple[str, ...], str]:
    """The blocks of context in front of a prompt, exactly as recorded, and the prompt."""
    blocks: list[str] = []
    at = 0
    while (end := _block_end(text, at)) is not None:
        blocks.append(text[at:end].strip())
        at = end
    rest = text[at:]
    mark = _request_in(rest)
    if mark is not None:
        blocks.append(rest[: mark.start()].strip())
        rest = rest[mark.end() :]
    if not blocks or not rest.strip():
        return (), text
    return tuple(blocks), rest.strip("\r\n")


def spoken(
    text: str,
    blocks: tuple[Block, ...] = (),
    via: str | None = None,
    *,
    context: tuple[str, ...] = (),
) -> User:
    """The prompt in a text of the person's, with the context in front of it kept next to it.

    `context` is what the client itself put in front of the text.
    """
    more, words = split_context(text)
    return User(words, blocks, via, (*context, *more))


def _request_in(text: str) -> re.Match[str] | None:
    """The heading of the person's request, behind a text that begins with another heading."""
    if _HEADING.match(text) is None:
        return None
    marks = list(_REQUEST.finditer(text))
    return marks[-1] if marks and text[: marks[-1].start()].strip() else None


def _block_end(text: str, at: int) -> int | None:
    """Where the block of context ends that begins at `at`; None if there is none."""
    opening = _OPEN.match(text, at)
    if opening is None:
        return None
    closing = f"</{opening[1]}>"
    close = text.find(closing, opening.end())
    if close < 0:
        return None
    end = close + len(closing)
    line_rest = text[end : text.find("\n", end) if "\n" in text[end:] else len(text)]
    inner = text[opening.end() : close]
    if line_rest.strip() or not _is_context(opening[1], inner, text[end : end + 8]):
        return None
    return end


def _is_context(name: str, inner: str, behind: str) -> bool:
    """Return True if a block in this tag is context: by its name, or by its form alone."""
    if not (name.islower() or name.isupper()) or name.lower() in _MARKUP:
        return False
    is_compound = "_" in name
    is_markup = inner.lstrip().startswith("<")
    if not _CONTEXT.isdisjoint(_NAME_PARTS.findall(name.lower().replace("_", " "))):
        return is_compound or not is_markup
    on_own_lines = inner.startswith(("\n", "\r\n")) and inner.rstrip(" \t").endswith("\n")
    if is_markup or not on_own_lines or "-" in name or ":" in name:
        return False
    # A single word may be an element of the person's own: a blank line has to divide.
    return is_compound or behind.replace("\r", "").startswith("\n\n")
