"""Divides a history: chats, prompts, and responses with the words of the client behind them.

The client writes a line of a prompt as `#### ` and a line of its own as `> `, with two blanks at
its end, which headings and quotes in responses do not have. Of its words in several lines only the
first line begins so, and only the last one ends so.
"""

import re
from collections.abc import Iterator
from enum import StrEnum

from agentview.normalize.raw_span import Span

BEGIN = b"# aider chat started at "
PROMPT = b"####"
OWN = b"> "
_END = b"  "
_MARKED = (PROMPT + b" ", OWN)
_MARKS = (b"#", b">")
_NEXT = re.compile(rb"\n(?=[#>])")
_STRICT = re.compile(rb"^(?:####|>)(?= ).*  \r?$", re.MULTILINE)


class Sort(StrEnum):
    """Who wrote a line."""

    CHAT = "chat"
    PROMPT = "prompt"
    OWN = "own"
    MODEL = "model"
    BLANK = "blank"


def sorts(data: bytes) -> Iterator[tuple[Sort, int, int]]:
    """The sort of each line, and where it starts and ends without its line feed.

    Neighboring lines of the model are one, without the blank lines around them; so are blank lines.
    """
    # Where nothing ends so, somebody has cut the blanks, and all lines that begin so count.
    strict = _STRICT.search(data) is not None
    before, inside, at = Sort.BLANK, False, 0
    while at <= len(data):
        if inside or data[at : at + 1] in _MARKS:
            stop = data.find(b"\n", at)
            stop = len(data) if stop < 0 else stop
            text = data[at:stop].removesuffix(b"\r")
            sort, end = _sort(text, strict=strict, before=before), at + len(text)
            if inside and sort is not Sort.CHAT and not text.startswith(PROMPT + b" "):
                sort, inside = Sort.OWN, not _is_ended(text)
            else:
                inside = sort is Sort.OWN and strict and not _is_ended(text)
        else:
            found = _NEXT.search(data, at)
            stop = len(data) if found is None else found.start()
            sort, at, end = _run(data, at, stop)
        yield sort, at, end
        before, at = sort, stop + 1


def _run(data: bytes, start: int, stop: int) -> tuple[Sort, int, int]:
    """Lines without a mark: those of the model from the first to the last one, or blank ones."""
    size = len(data[start:stop].rstrip())
    if not size:
        return Sort.BLANK, start, stop
    last = data.find(b"\n", start + size, stop)
    line = data[start : last if last >= 0 else stop].removesuffix(b"\r")
    blank = len(line) - len(line.lstrip())
    begin = line.rfind(b"\n", 0, blank) + 1
    return Sort.MODEL, start + begin, start + len(line)


def _sort(line: bytes, *, strict: bool, before: Sort) -> Sort:
    if not line.strip():
        return Sort.BLANK
    if line.startswith(BEGIN):
        return Sort.CHAT
    if line.startswith(PROMPT + b" ") and (_is_ended(line) or not strict):
        return Sort.PROMPT
    if line.startswith(OWN) and (_is_ended(line) or not strict or before is Sort.OWN):
        return Sort.OWN
    return Sort.MODEL


def _is_ended(line: bytes) -> bool:
    return line.removesuffix(b"\r").endswith(_END)


def blocks(data: bytes) -> list[Span]:
    """Start and end of each record: a chat's first line, a prompt, or a response and what follows.

    Words of the client that follow no response are a record of their own.
    """
    found: list[Span] = []
    kind: Sort | None = None
    start = end = 0
    apart = False
    for sort, begin, stop in sorts(data):
        if sort is Sort.BLANK:
            apart = True
            continue
        # A prompt is written twice where a command has one: a blank line is between them.
        joins = sort is kind and sort is not Sort.CHAT and not (apart and sort is Sort.PROMPT)
        apart = False
        if kind is Sort.MODEL and sort is Sort.OWN:
            # From here on only words of the client belong to the response.
            kind, joins = Sort.OWN, True
        if not joins:
            if kind is not None:
                found.append((start, end))
            start, kind = begin, sort
        end = stop
    return [*found, (start, end)] if kind is not None else found
