"""Text of a log made harmless: nothing in it acts on a terminal or breaks its columns."""

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

TAB_SIZE = 4

# Controls, lone surrogates, characters without width and those that reorder or replace text. Emoji
# modifiers and variation selectors are in it because terminals do not agree on their width.
_ODD = (
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001f3fb-\U0001f3ff"
    "\U000e0000-\U000e0fff\U0010fffe\U0010ffff]"
)
# Where scripts that have marks are encoded. Only in long runs of these are characters looked up.
_MAYBE_MARKS = (
    "[\u0300-\u20ff\u2cef-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\uabff\ud7b0-\ud7ff"
    "\ufb1e\ufe20-\ufe2f\U00010000-\U00011fff\U00016000-\U00016fff\U0001bc00-\U0001bcff"
    "\U0001cf00-\U0001d2ff\U0001da00-\U0001e94f\U0001e950-\U0001efff]{5,}"
)
_SENT = rf"(\A\r|\x1b\[[0-9;]*m|\x1b\[K|[\n\t])|{_ODD}"
"""Sequences that the program itself sends with text: colours, a line erased, line ends."""
# CSI, OSC, and DCS, SOS, PM, APC sequences as ECMA-48 has them, cut off at the end of the line;
# then all other escape sequences, and what acts on a speaker or a character set.
ESCAPES = (
    r"\x1b\[[0-?]*[ -/]*[@-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00\x05\x07\x0e\x0f\x7f\x9c]"
)
_MARKS_A_CELL = 4
_UNPRINTED = (
    "[\x7f-\xa0\xad\u0600-\u0605\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\ufff0-\ufffc\ufffe\uffff"
    "\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]"
)
# Compiled when they are first needed: they are large, and most text is ASCII.
_compiled = cache(re.compile)
_LINE_ENDS = re.compile("\r\n?")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
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
        return line if line.isprintable() else _compiled(_ODD).sub(_harmless, line)
    if line.isprintable() and max(line) < _FIRST_ODD:
        return line
    if "\t" in line:
        line = line.expandtabs(tab_size)
    line = _compiled(_MAYBE_MARKS).sub(_few_marks, _compiled(_ODD).sub(_harmless, line))
    if line and _is_mark(line[0]):
        # A mark without its letter would be drawn onto the cell before the line.
        return "\u25cc" + line
    return line


def sent(text: str) -> str:
    """Text for a terminal: colours, ends of lines and the erasing of a line stay, no other control.

    What comes from a log is cleaned before colours are added to it; this holds where it was not.
    """
    if _compiled(_ODD).search(text) is None:
        return text
    return _compiled(_SENT).sub(lambda found: found[1] or _picture(found[0]), text)


def without_escapes(text: str) -> str:
    """The text without escape sequences, as a terminal would show it; for what was printed.

    Other control characters stay as they are.
    """
    return _compiled(ESCAPES).sub("", text) if "\x1b" in text or "\x9b" in text else text


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


def first_printed_line(text: str | None, limit: int = 500) -> str:
    """The first line of what a program printed that says something, without escape sequences."""
    return first_line(without_escapes(text or ""), limit)


def last_printed_line(text: str | None, limit: int = 500) -> str:
    """The last line of what a program printed that says something, without escape sequences.

    A carriage return begins a line again, as in a progress bar.
    """
    lines = without_escapes((text or "")[-8 * limit :]).splitlines()
    return next(filter(None, (one_line(line, limit) for line in reversed(lines))), "")


def printable(text: str, instead: str | Callable[[re.Match[str]], str]) -> str:
    """The text with `instead` of each character that is not seen or acts on a terminal.

    Of the controls below U+0020 it leaves all: their meaning depends on what the text is.
    """
    return _compiled(_UNPRINTED).sub(instead, text)


def is_printable(text: str) -> bool:
    """True if `printable` leaves the text as it is."""
    return _compiled(_UNPRINTED).search(text) is None


def escaped_json(text: str) -> str:
    r"""JSON text with `\u` escapes for characters that are not seen or act on a terminal.

    Its value stays the same.
    """
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    return printable(text, _escape)


def without_controls(text: str) -> str:
    """The text without control characters, except line feeds and tabs: safe to paste.

    A line end of another system becomes a line feed.
    """
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{high:02x}{low:02x}" for high, low in zip(units[::2], units[1::2], strict=True)
    )


def _few_marks(match: re.Match[str]) -> str:
    marks = 0
    kept: list[str] = []
    for char in match[0]:
        marks = marks + 1 if _is_mark(char) else 0
        if marks <= _MARKS_A_CELL:
            kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=4096)
def _is_mark(char: str) -> bool:
    """Return True if a terminal draws the character into the cell before it.

    Besides marks these are the vowels and final consonants of Hangul, and code points of blocks of
    marks that a later Unicode may assign.
    """
    code = ord(char)
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF:
        return True
    return unicodedata.category(char) in ("Mn", "Me", "Mc", "Cn")


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
