"""Texts of a log as Markdown that stays in its block: no HTML, image, link or mention in it."""

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape

from agentview.timeline.view.sanitize import clean

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]{0,40})[^`]*$")
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`)(.+?)(?<!`)\1(?!`)")
_NAMED = re.compile(
    r"""(?ix)
    (?: [a-z][a-z0-9+.-]{0,30}:(?=/)[^\s<>`|]{1,4000} | (?:mailto|xmpp):[^\s<>`|]{0,4000}
      | www\.[^\s<>`|]{0,4000}
      | (?<![\w.+-])[\w.+-]{1,200}@[\w-][\w.-]{0,200}
      | @(?=\w)[\w/-]{1,100}
      | (?: [!&\#] | GH- )\d\w{0,40}
    )+
    """
)
"""Addresses, which are links without any brackets, and what a forge links to a person, who is
notified, or to an issue or change, which may be closed.

Source: GitHub Flavored Markdown 0.29 §6.9; the documents of GitHub and GitLab on references.
"""
_ACTIVE = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)|[`\[]|<(?=\S|$)|&(?=[#\w])")
"""Signs that begin code, a link, HTML or a reference to a character; backslashes that escape."""
_MARKED = re.compile(
    rf"{_ACTIVE.pattern}|\*|(?<![^\W_])_|_(?![^\W_])|(?<!\s)[~]|(?<!\s)\$(?!\d)|#(?=#*\s*$)"
)
"""Also those of emphasis, and what may end text that is struck out, a formula or a heading.

An underscore within a word, a tilde behind a space and a dollar sign in front of an amount do not.
"""
_BLOCK = re.compile(r"^( *)([#>+-](?=[\s#>+-]|$)|=(?==*\s*$))")
_NUMBERED = re.compile(r"^( *\d{1,9})([.)])(?=\s|$)")
"""Signs that make a line a heading, an item of a list or a quote."""
_QUOTE = re.compile(r"^( *)(>)")
_TICKS = re.compile(r"`+")


def fenced(text: str, language: str = "") -> list[str]:
    """Lines of a code block that no text ends early, its control characters made visible."""
    lines = [clean(line) for line in text.split("\n")]
    longest = max((len(run) for line in lines for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *lines, fence]


def code(text: str) -> str:
    """A text as code within a line: no sign in it means anything; empty for an empty text."""
    line = clean(text.replace("\n", " ")).strip()
    ticks = "`" * (max((len(run) for run in _TICKS.findall(line)), default=0) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}" if line else ""


def html_code(text: str) -> str:
    """The same within a line of HTML, where Markdown means nothing."""
    return f"<code>{escape(clean(text.replace(chr(10), ' ')), quote=False)}</code>"


def plain(text: str) -> str:
    """A text within a line of which no sign means anything; what a forge links is code."""
    line = clean(text.replace("\n", " "))
    line = _with_code(_NAMED, line, 0, lambda part: _MARKED.sub(_escaped, part))
    return _NUMBERED.sub(r"\1\\\2", _BLOCK.sub(r"\1\\\2", line))


def quoted(text: str) -> list[str]:
    """A Markdown text as a block quote, its lists, headings and code kept.

    A block that is not closed ends with the quote. Brackets, angle brackets and ampersands are
    shown as they are, so there are neither links, images nor HTML; addresses, `@name` and `#12`
    are code.
    """
    return [f"> {line}".rstrip() for line in _safe_lines(text)]


def _safe_lines(text: str) -> Iterator[str]:
    held: list[str] = []
    opened: re.Match[str] | None = None
    for raw in text.replace("\r\n", "\n").split("\n"):
        line = clean(raw)
        if opened is None:
            opened = _FENCE.match(line)
            if opened is None:
                yield _QUOTE.sub(r"\1\\\2", _with_code(_CODE, line, 2, _inline))
        elif _closes(line, opened["fence"]):
            yield from fenced("\n".join(held), opened["language"])
            held, opened = [], None
        else:
            held.append(line)
    if opened is not None:
        yield from fenced("\n".join(held), opened["language"])


def _closes(line: str, fence: str) -> bool:
    sign = line.strip()
    return len(sign) >= len(fence) and set(sign) == {fence[0]}


def _inline(text: str) -> str:
    return _with_code(_NAMED, text, 0, lambda part: _ACTIVE.sub(_escaped, part))


def _with_code(pattern: re.Pattern[str], text: str, group: int, other: Callable[[str], str]) -> str:
    """The text with a group of each match as code, and `other` of what is between matches."""
    parts: list[str] = []
    position = 0
    for match in pattern.finditer(text):
        # Without its blank code, what stands around it would be one word.
        parts += (other(text[position : match.start()]), code(match[group]) or " ")
        position = match.end()
    return _apart([*parts, other(text[position:])])


def _apart(parts: Iterable[str]) -> str:
    """The parts as one text, with a space where their ticks would be read as one sign."""
    whole: list[str] = []
    last = ""
    for part in filter(None, parts):
        whole.append(f" {part}" if last == part[0] == "`" else part)
        last = part[-1]
    return "".join(whole)


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}"
