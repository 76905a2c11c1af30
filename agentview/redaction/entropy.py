"""Words that look made by chance, as tokens do, whatever vendor they are of.

What is spelled in hexadecimal may as well be a hash, and is none of them: only its name tells.
"""

import re
from collections.abc import Container, Iterator

_WORD = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9](?:[A-Za-z0-9_-]{18,4094})[A-Za-z0-9_-]=*")
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{40,4096}(?![A-Za-z0-9+/_-])=*")
"""Base64, whose strokes may also be those of a path."""

_PART = re.compile(r"[a-z0-9]{32,}|[A-Z0-9]{32,}")
_HEX = re.compile(r"[0-9a-fA-F_-]+")
_PREFIXED = re.compile(r"[a-z][a-z0-9]{1,9}(?:_[a-z0-9]{1,5})?_[0-9a-f]{32,}")
"""How many vendors write a token in hexadecimal."""
_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=[0-9])[A-Za-z]")
"""Where letters of one case or digits follow what they are not: names change at their words."""

_OF_CHANCE = 0.4
"""Changes by characters; 0.62 for chance, up to 0.33 for long names in camel case."""
_OF_CHANCE_ENCODED = 0.45
_OF_CHANCE_FOLDED = 0.25
"""The same for one case with digits, which chance has 0.4 of."""

_DATA = re.compile(
    r"(?:;base64,|(?<![A-Za-z0-9+/_-])(?=iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0|PHN2Zy))"
    r"[A-Za-z0-9+/_=-]+|[A-Za-z0-9+/_-]{4097,}"
)
"""Images, documents and other data in base64."""
_NAMED_HASH = re.compile(r"sha(?:1|224|256|384|512)[-:=]", re.IGNORECASE)
_LONGEST_NAME = 7


def random_spans(text: str, known: Container[str]) -> Iterator[tuple[int, int]]:
    """Start and end of words that look random; those that are known to be ids are none."""
    for start, end in _without_data(text):
        for pattern, least in ((_WORD, _OF_CHANCE), (_ENCODED, _OF_CHANCE_ENCODED)):
            for match in pattern.finditer(text, start, end):
                if _is_random(match[0], least) and match[0] not in known:
                    named = max(0, match.start() - _LONGEST_NAME), match.start() + _LONGEST_NAME
                    if _NAMED_HASH.search(text, *named) is None:
                        yield match.span()


def _without_data(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _DATA.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _is_random(word: str, least: float) -> bool:
    if word.islower() or word.isupper():
        return _PREFIXED.fullmatch(word) is not None or any(
            _is_folded(part[0]) for part in _PART.finditer(word)
        )
    if _HEX.fullmatch(word) is not None or not re.search(r"\d", word):
        return False
    if len(re.findall("[A-Z]", word)) < 2 or len(re.findall("[a-z]", word)) < 2:
        return False
    return len(_CHANGE.findall(word)) >= least * len(word)


def _is_folded(part: str) -> bool:
    """Whether a word in one case is one of chance, with digits in it."""
    return _HEX.fullmatch(part) is None and len(_CHANGE.findall(part)) >= _OF_CHANCE_FOLDED * len(
        part
    )
