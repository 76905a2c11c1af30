"""What divides a history: chats, prompts, and responses with the words of the client behind them.

The client writes a line of a prompt as `#### ` and a line of its own as `> `, with two blanks at
its end, which headings and quotes in responses do not have. Of its words in several lines only the
first line begins so, and only the last one ends so.
"""

from collections.abc import Iterator
from enum import StrEnum

from agentview.normalize.raw_span import Span

BEGIN = b"# aider chat started at "
PROMPT = b"####"
OWN = b"> "
_END = b"  "
_MARKED = (PROMPT + b" ", OWN)


class Sort(StrEnum):
    """Who wrote a line."""

    CHAT = "chat"
    PROMPT = "prompt"
    OWN = "own"
    MODEL = "model"
    BLANK = "blank"


def sorts(data: bytes) -> Iterator[tuple[Sort, int, int]]:
    """The sort of each line, and where it starts and ends without its line feed."""
    # Where nothing ends so, somebody has cut the blanks, and all lines that begin so count.
    strict = any(_is_ended(line) for line in data.split(b"\n") if line.startswith(_MARKED))
    at = 0
    before, inside = Sort.BLANK, False
    for line in data.split(b"\n"):
        text = line.removesuffix(b"\r")
        sort = _sort(text, strict=strict, before=before)
        if inside and sort is not Sort.CHAT and not text.startswith(PROMPT + b" "):
            sort, inside = Sort.OWN, not _is_ended(text)
        elif sort is Sort.OWN:
            inside = strict and not _is_ended(text)
        else:
            inside = False
        yield sort, at, at + len(text)
        before = sort
        at += len(line) + 1


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
