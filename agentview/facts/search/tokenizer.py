"""Texts to words: one form that the index, the direct look at a log and queries all share.

A word is a run of letters and digits without case and diacritics. The characters of scripts that
are written without spaces are words each, so that any part of a sentence is found. A name such as
`RetryPolicy` is one word; its parts are said again behind the text.
"""

import re
import unicodedata
from functools import cache, lru_cache

LONGEST_NAME = 64
"""Characters of a name whose parts are distinguished; what is longer is not a name but data."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9d"
    "\U00020000-\U000323af"
)
_MARKS = re.compile("[\u0300-\u036f]+")
_APART = re.compile(r"[^\w]|_")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_NAME = re.compile(r"[A-Za-z0-9]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST_CHUNK = 400
_ESCAPES = re.compile("\x1b\\[[0-9;:?<=>]{0,64}[ -/]?[@-~]")

WORD = re.compile(r"[^\x00-/:-`{-\x7f]+")
"""A word of a text that was `folded`, as the index cuts it: all but ASCII that is in no word."""


@cache
def _each() -> re.Pattern[str]:
    # Takes milliseconds to compile, which who reads ASCII does not wait for.
    return re.compile(f"([{_UNSPACED}])")


def folded(text: str) -> str:
    """The text in lower case, without diacritics; only words and what stands between them."""
    if text.isascii():
        return text.lower()
    return _FOREIGN.sub(_folded_run, text.lower())


def words_of(text: str) -> list[str]:
    return WORD.findall(folded(text))


def name_parts(text: str) -> list[str]:
    """Return the parts of mixed-case names in the text, each once, in lower case."""
    found: set[str] = set()
    for chunk in set(text.split()):
        # Most chunks are in lower case and hold no such name.
        if not chunk.islower() and len(chunk) <= _LONGEST_CHUNK:
            found.update(_parts_of(chunk))
    return sorted(found)


def indexed(text: str) -> str:
    """Words of a text for the index, and behind them the parts of its names."""
    parts = name_parts(text)
    return f"{folded(text)}\n{' '.join(parts)}" if parts else folded(text)


def without_escapes(text: str) -> str:
    return _ESCAPES.sub("", text) if "\x1b" in text else text


def bounded(text: str, head: int, tail: int) -> str:
    """The text, or its first and last characters when it is longer than both together."""
    if len(text) <= head + tail:
        return text
    return f"{text[:head]}\n{text[len(text) - tail :]}"


def _folded_run(match: re.Match[str]) -> str:
    return _fold(match[0])


@lru_cache(maxsize=16384)
def _fold(run: str) -> str:
    """Characters beyond ASCII, of which few runs differ: signs, rules, the letters of a word."""
    run = _MARKS.sub("", unicodedata.normalize("NFKD", run))
    # Some scripts are folded to capitals, which the text in lower case has not.
    run = unicodedata.normalize("NFC", run).casefold().lower()
    return _each().sub(r" \1 ", _APART.sub(" ", run))


@lru_cache(maxsize=65536)
def _parts_of(chunk: str) -> tuple[str, ...]:
    if _HUMP.search(chunk) is None:
        return ()
    return tuple(
        part.lower()
        for name in _NAME.findall(chunk)
        if len(name) <= LONGEST_NAME and _HUMP.search(name) is not None
        for part in _PARTS.findall(name)
        if len(part) > 1
    )
