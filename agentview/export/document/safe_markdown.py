"""Texts of a log as Markdown that stays in its block: no HTML, image, link or mention in it."""

import re
from collections.abc import Iterator

from agentview.timeline.sanitize import clean

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`]*$")
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`)(.+?)(?<!`)\1(?!`)")
_PUNCTUATION = re.compile(r"[!\"#$&'()*<>@\[\\\]^_`{|}~]")
_NAMED = re.compile(r"(?<![\w&])@(?=\w)[\w/-]{1,100}|#\d{1,12}\b|\bGH-\d{1,12}\b")
"""What a forge links to a person, who is notified, or to an issue, which may be closed."""
_ACTIVE = re.compile(r"[<>&\[\]!`\\]")
_TICKS = re.compile(r"`+")


def fenced(text: str, language: str = "") -> list[str]:
    """Lines of a code block that no text ends early, its control characters made visible."""
    lines = [clean(line) for line in text.split("\n")]
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *lines, fence]


def code(text: str) -> str:
    """A text as code within a line: no sign in it means anything."""
    return f"<code>{_literal(text)}</code>"


def plain(text: str) -> str:
    """A text within a line of which no sign means anything."""
    return _literal(text)


def quoted(text: str) -> list[str]:
    """A Markdown text as a block quote, its lists, headings and code kept.

    A block that is not closed ends with the quote. Brackets, angle brackets and ampersands are
    shown as they are, so there are neither links, images nor HTML; `@name` and `#12` are code.
    """
    return [f"> {line}".rstrip() for line in _safe_lines(text)]


def _safe_lines(text: str) -> Iterator[str]:
    held: list[str] = []
    fence = ""
    for raw in text.replace("\r\n", "\n").split("\n"):
        line = clean(raw)
        if fence:
            if _closes(line, fence):
                yield from fenced("\n".join(held))
                held, fence = [], ""
            else:
                held.append(line)
            continue
        opened = _FENCE.match(line)
        if opened is not None:
            fence = opened[1]
        else:
            yield _safe(line)
    if fence:
        yield from fenced("\n".join(held))


def _closes(line: str, fence: str) -> bool:
    sign = line.strip()
    return len(sign) >= len(fence) and set(sign) == {fence[0]}


def _safe(line: str) -> str:
    parts: list[str] = []
    position = 0
    for match in _CODE.finditer(line):
        parts += (_inline(line[position : match.start()]), code(match[2]))
        position = match.end()
    return "".join([*parts, _inline(line[position:])])


def _inline(text: str) -> str:
    parts: list[str] = []
    position = 0
    for match in _NAMED.finditer(text):
        parts += (_inert(text[position : match.start()]), code(match[0]))
        position = match.end()
    return "".join([*parts, _inert(text[position:])])


def _inert(text: str) -> str:
    return _ACTIVE.sub(lambda match: f"&#{ord(match[0])};", text)


def _literal(text: str) -> str:
    line = clean(text.replace("\n", " "))
    return _PUNCTUATION.sub(lambda match: f"&#{ord(match[0])};", line)
