"""Source text with line numbers and syntax colours."""

import re
from collections.abc import Sequence

from agentview.timeline.view.format_numbers import byte_size, counted
from agentview.timeline.view.sanitize import clean
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.syntax import Highlighter
from agentview.ui.render.text_lines import LineRows, Piece, split_lines

_INTERPRETER = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?(?:\S*/)?)?([a-z]+)")
_INTERPRETERS = {"node": "js", "deno": "ts", "bun": "ts", "rscript": "r", "pwsh": "powershell"}
_BEGINNINGS = (
    (re.compile(r"<\?php\b"), "php"),
    (re.compile(r"<\?xml\b"), "xml"),
    (re.compile(r"<!doctype html|<html\b", re.IGNORECASE), "html"),
    (re.compile(r"(?:diff --git |--- \S.*\n\+\+\+ |Index: )"), "diff"),
    (re.compile(r"\s*[{\[]\s*[\"{\[\]}]"), "json"),
)
_SAMPLE = 8_000


def language_of(name: str, text: str) -> str:
    """Language of a text's colours: the name, or a language where the name has no suffix."""
    if "." in name.replace("\\", "/").rpartition("/")[2]:
        return name
    found = _INTERPRETER.match(text, 0, 200)
    if found is not None:
        return _INTERPRETERS.get(found[1], found[1])
    if name and "/" not in name:
        return name
    return next((language for begins, language in _BEGINNINGS if begins.match(text)), name)


def binary_facts(text: str) -> str | None:
    """Sentence on a text that is none, such as bytes read as text; None for a text."""
    if text.startswith("%PDF-"):
        return (
            f"PDF  version {text[5:8].strip()}  {byte_size(len(text.encode('utf-8', 'replace')))}"
        )
    sample = text[:_SAMPLE]
    odd = sample.count("\ufffd") + sum(map(sample.count, map(chr, (*range(1, 9), *range(14, 27)))))
    if "\x00" in sample or odd * 10 > len(sample):
        return f"binary file  {counted(len(text), 'character')} of text in the log"
    return None


def code_rows(
    text: str, language: str, space: RenderContext, *, start: int | None = 1, fold: bool = True
) -> LineRows:
    """Source text; `language` is a file name or a language's name.

    What a file without a suffix is written in is reported by how it begins.
    `start` is the number of its first line, None for no numbers. Lines are folded at the width or
    cropped to it.
    """
    lines = split_lines(text)
    name = language_of(language, text)
    highlighter = Highlighter(lines, name, space.palette, late=space.sliced)
    digits = len(str(start + len(lines) - 1)) if start is not None else 0
    # Numbers would leave too little of a narrow line.
    numbered = start is not None and space.width >= digits + 20

    def plain(index: int) -> str:
        return clean(lines[index])

    def prefix(index: int, first: bool) -> Sequence[Piece]:
        number = str((start or 0) + index) if first else ""
        return [(f"{number:>{digits}}  ", space.palette.dim)]

    return LineRows(
        len(lines),
        plain,
        highlighter.line,
        space,
        prefix=prefix if numbered else None,
        prefix_width=digits + 2 if numbered else 0,
        fold=fold,
    )
