"""Which words of a line changed, against the line that it was."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MAX_LINE = 2_000
_MAX_WORDS = 300
_ALIKE = 0.32
"""Share of a line's characters in common from which two lines count as versions of one."""

Spans = tuple[tuple[int, int], ...]
"""Stretches of a line, from and up to an index."""

_Ranges = list[tuple[int, int, int, int]]


def changed_words(old: str, new: str) -> tuple[Spans, Spans] | None:
    """Spans of the words that differ in each of two lines; None when little is in common."""
    if len(old) > _MAX_LINE or len(new) > _MAX_LINE:
        return None
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    if len(left) > _MAX_WORDS or len(right) > _MAX_WORDS:
        return None
    changed = _changed(left, right)
    differ = sum(len(word) for a, b, _, _ in changed for word in left[a:b])
    same = len(old) - differ - sum(word.isspace() for word in left)
    if same < _ALIKE * max(len(old.strip()), len(new.strip())):
        return None
    return (
        _spans(left, [(a, b) for a, b, _, _ in changed]),
        _spans(right, [(c, d) for _, _, c, d in changed]),
    )


def changed_space(text: str) -> Spans:
    """The span of the white space that a line begins with, for one that changed in nothing else."""
    indent = len(text) - len(text.lstrip())
    return ((0, indent),) if indent else ()


def _changed(left: Sequence[str], right: Sequence[str]) -> _Ranges:
    """Ranges of words that differ; most lines begin and end alike, which costs nothing."""
    start, end = 0, 0
    limit = min(len(left), len(right))
    while start < limit and left[start] == right[start]:
        start += 1
    while end < limit - start and left[-1 - end] == right[-1 - end]:
        end += 1
    old, new = left[start : len(left) - end], right[start : len(right) - end]
    if not old or not new or len(old) == len(new) == 1:
        found = [(0, len(old), 0, len(new))] if old or new else []
    else:
        codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        found = [code[1:] for code in codes if code[0] != "equal"]
    return [(a + start, b + start, c + start, d + start) for a, b, c, d in found]


def _spans(words: Sequence[str], ranges: Sequence[tuple[int, int]]) -> Spans:
    """Word ranges as character spans, spans joined where only a space is between them."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    text = "".join(words)
    spans: list[tuple[int, int]] = []
    for first, last in ranges:
        if first == last:
            continue
        start, end = starts[first], starts[last]
        if spans and text[spans[-1][1] : start].isspace():
            start = spans.pop()[0]
        spans.append((start, end))
    return tuple(spans)
