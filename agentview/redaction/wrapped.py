"""Tokens that line breaks divide."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from agentview.redaction.forms import Span

_SHORTEST_TOKEN = 16
"""Characters that a token of any vendor has."""
_BREAK = re.compile(r"\r?\n|\\n")
"""The end of a line; it may be escaped, in what is JSON in JSON."""


def wrapped(text: str, tokens: Callable[[str], Iterable[Span]]) -> list[Span]:
    """Parts of tokens that line breaks divide: the last word of a line and the first of the next.

    Between the two there may be lines that are one word.
    """
    if "\n" not in text:
        return []
    found: list[Sequence[Span]] = []
    chain: list[Span] = []
    for before, after in pairwise(_ends(text)):
        if before is None or after is None:
            found.append(chain)
            chain = []
            continue
        found.append((before[1], after[0]))
        chain = chain or [before[1]]
        chain.append(after[0])
        if after[0] != after[1]:
            found.append(chain)
            chain = []
    return _divided(text, [*found, chain], tokens)


def _ends(text: str) -> Iterator[tuple[Span, Span] | None]:
    """The first and the last word of each line; None for a line without words."""
    start = 0
    for stop in (*(match.span() for match in _BREAK.finditer(text)), (len(text), len(text))):
        words = text[start : stop[0]].rstrip()
        inner = words.lstrip()
        if inner:
            first = start + len(words) - len(inner)
            head, tail = inner.split(None, 1)[0], inner.rsplit(None, 1)[-1]
            end = start + len(words)
            yield (first, first + len(head)), (end - len(tail), end)
        else:
            yield None
        start = stop[1]


def _divided(
    text: str,
    groups: Iterable[Sequence[Span]],
    tokens: Callable[[str], Iterable[Span]],
) -> list[Span]:
    """Parts of tokens that are in several words of a group; all groups are looked at together."""
    joined: list[str] = []
    words: list[Span] = []
    starts: list[int] = []
    position = 0
    for group in groups:
        if sum(end - start for start, end in group) < _SHORTEST_TOKEN:
            continue
        for start, end in group:
            starts.append(position)
            words.append((start, end))
            joined.append(text[start:end])
            position += end - start
        joined.append("\n")
        position += 1
    return [
        (words[index][0] + start, words[index][0] + end)
        for first, stop in tokens("".join(joined))
        for index, start, end in _parts(starts, words, first, stop)
    ]


def _parts(
    starts: Sequence[int], words: Sequence[Span], first: int, stop: int
) -> Iterator[tuple[int, int, int]]:
    """Which words lie between two places of the joined ones, and from where to where in each."""
    inside = range(bisect_right(starts, first) - 1, bisect_right(starts, stop - 1))
    for index in inside if len(inside) > 1 else ():
        length = words[index][1] - words[index][0]
        yield index, max(0, first - starts[index]), min(stop - starts[index], length)
