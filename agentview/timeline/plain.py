"""Text of a log made harmless: nothing in it acts on a terminal or breaks its columns."""

import re
import unicodedata
from functools import lru_cache

TAB_SIZE = 4

# Controls, lone surrogates, characters without width and those that reorder or replace text. Emoji
# modifiers and variation selectors are in it because terminals do not agree on their width.
_ODD = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001f3fb-\U0001f3ff"
    "\U000e0000-\U000e0fff\U0010fffe\U0010ffff]"
)
_MANY_MARKS = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_REPLACEMENT = "\ufffd"
_FIRST_ODD = "\u0300"
"""Printable characters below this one are harmless each: letters of Latin scripts and signs."""


def clean(line: str, tab_size: int = TAB_SIZE) -> str:
    """A line without anything that a terminal acts on.

    Tabs become spaces, control characters their pictures (`␛`), what reorders text and lone
    surrogates `�`; invisible characters are dropped. Cleaning twice changes nothing.
    """
    if line.isascii():
        if line.isprintable():
            return line
        line = line.expandtabs(tab_size)
        return line if line.isprintable() else _ODD.sub(_harmless, line)
    if line.isprintable() and max(line) < _FIRST_ODD:
        return line
    if "\t" in line:
        line = line.expandtabs(tab_size)
    line = _MANY_MARKS.sub(r"\1", _ODD.sub(_harmless, line))
    if line and unicodedata.category(line[0]) in ("Mn", "Me"):
        # A mark without its letter would be drawn onto the cell before the line.
        return "\u25cc" + line
    return line


def one_line(text: str, limit: int = 500) -> str:
    """The text as one clean line: white space runs become a space; cut after `limit` characters."""
    return clean(" ".join(text[: limit * 2].split()))[:limit]


def first_line(text: str, limit: int = 500) -> str:
    """The first line that says something, as one clean line; empty when none does."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = one_line(text[start : min(end, start + 4 * limit)], limit)
        if line:
            return line
        start = end + 1
    return ""


def _harmless(match: re.Match[str]) -> str:
    return _picture(match[0])


@lru_cache(maxsize=1024)
def _picture(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code in (0x2028, 0x2029):
        return " "
    reorders = code in (0x061C, 0x200E, 0x200F) or 0x202A <= code <= 0x202E
    reorders = reorders or 0x2066 <= code <= 0x2069
    if reorders or 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000:
        return _REPLACEMENT
    return (
        _REPLACEMENT
        if code >= 0xFFF0
        and unicodedata.category(char) in ("So", "Cn")
        and not (0x1F3FB <= code <= 0x1F3FF or 0xE0000 <= code < 0xE1000)
        else ""
    )
