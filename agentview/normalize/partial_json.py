"""Arguments that are still being written: what their beginning says already."""

import re
from collections import deque
from collections.abc import Mapping
from typing import cast

import orjson

_CLOSERS = {"{": "}", "[": "]"}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}\[\],]|[^"{}\[\],\s]+', re.DOTALL)
_LAST = 5
"""An object can be closed behind one of its last tokens: `, "key" : ` and half a word."""
_DEEPEST = 1_024
"""orjson reads nothing that is nested deeper."""
_WHOLE = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CUT_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)$")

_HIGH, _LOW = "[dD][89abAB][0-9a-fA-F]{2}", "[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(rf"\\(?:u{_HIGH}\\u{_LOW}|(u{_HIGH}|u{_LOW})|.)", re.DOTALL)
_NO_CHARACTER = "\\ufffd"


def without_halves(text: str) -> str:
    """The text of JSON with U+FFFD for each half of a surrogate pair; its length stays the same.

    A strict reader refuses such an escape, and programs write one where they cut a text.
    """
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _ESCAPE.sub(lambda found: _NO_CHARACTER if found[1] else found[0], text)


def readable(data: bytes) -> bytes:
    """The bytes of JSON with each half of a surrogate pair replaced; places in it stay the same."""
    halves = b"\\ud" in data or b"\\uD" in data
    return without_halves(data.decode("latin-1")).encode("latin-1") if halves else data


def load(data: bytes | str) -> object:
    """The value of a JSON text, halves of surrogate pairs and all. Raises ValueError."""
    try:
        return cast("object", orjson.loads(data))
    except ValueError:
        whole = without_halves(data) if isinstance(data, str) else readable(data)
        if whole == data:
            raise
        return cast("object", orjson.loads(whole))


def begun(text: str) -> Mapping[str, object] | None:
    """Return the mapping of a JSON object of which `text` is the beginning.

    Members that have not begun are left out; an unfinished string is returned as far as it goes.
    What is nested too deeply to be read is a value that has not begun.
    None if there are no members yet, or if no object begins like this.
    """
    ends: deque[tuple[int, str]] = deque(maxlen=_LAST)
    closers = ""
    size, behind = len(text), 0
    for token in _TOKEN.finditer(text):
        word = token[0]
        # The first value has ended: with many tokens behind it, no text that can be closed is one.
        behind += 1 if behind or (ends and not closers) else 0
        if behind > _LAST:
            return None
        if word in _CLOSERS:
            if len(closers) == _DEEPEST:
                break
            closers = _CLOSERS[word] + closers
        elif word in "}]":
            closers = closers[1:]
        elif token.end() == size and word.startswith('"') and not _WHOLE.fullmatch(word):
            cut = _CUT_ESCAPE.search(text)
            text = f'{text[: cut.start(1)] if cut else text}"'
            ends.append((len(text), closers))
            break
        ends.append((token.start() if word == "," else token.end(), closers))
    for end, needed in reversed(ends):
        found = _object(text[:end] + needed)
        if found is not None:
            return found
    return None


def _object(text: str) -> Mapping[str, object] | None:
    try:
        value = load(text)
    except ValueError:
        return None
    return cast("dict[str, object]", value) if isinstance(value, dict) else None
