r"""How a text that somebody looks for may stand in the bytes of a log.

JSON writes the same text in several ways: quotes and backslashes escaped, line ends as letters,
other characters as they are or as `\uXXXX`, and once more escaped where a string holds JSON. What
is found this way is a candidate: the decoded text has the last word.
"""

import re
from itertools import groupby

_SLASHES = rb"\\{1,8}"
_LONGEST_SLASHES = 8
_SHORT = {"\n": b"n", "\t": b"t", "\r": b"r", "\b": b"b", "\f": b"f"}
_MAYBE_ESCAPED = frozenset("\"\\/<>&'`=+")
"""Characters that some writer escapes."""

_LAYOUT = re.compile(r"(?<=[:,{\[])[ \n]+|[ \n]+(?=[\]}])")
_GAP = "\U0010fffe"
"""Stands for white space that may be there or not; no text has this character."""
_SPACE = rb"(?:[ \n\r\t]|\\{1,8}[nrt]){0,64}"
_LONGEST_SPACE = 64 * 9
_REPLACEMENT = "\ufffd"


class Needle:
    """The ways to write `query`; upper and lower case are the same unless it has a capital."""

    def __init__(self, query: str) -> None:
        self.cased = query != query.lower()
        parts = _parts(query)
        runs = ["".join(run) for plain, run in groupby(parts, _is_plain) if plain]
        anchor = max(runs, key=len, default="")
        if len(anchor) == 1 < len(query):
            anchor = ""
        self._anchor = anchor.encode()
        self._whole = anchor == query
        before = _parts(query[: query.find(anchor)]) if anchor else []
        self._before = sum(map(_longest, before))
        self.longest = sum(map(_longest, parts))
        """Bytes that the longest way of writing it takes."""
        pattern = b"".join(_pattern(part, cased=self.cased) for part in parts)
        self._pattern = re.compile(pattern, re.DOTALL)

    def prepare(self, data: bytes) -> bytes:
        """The form of the bytes in which `find` looks; places stay where they are."""
        return data if self.cased else data.lower()

    def find(self, data: bytes, start: int) -> int:
        """Where the text stands first in prepared bytes, at or after `start`; -1 for nowhere."""
        if not self._anchor:
            found = self._pattern.search(data, start)
            return found.start() if found else -1
        at = data.find(self._anchor, start)
        while at >= 0 and not self._whole:
            # Plain substring search is many times faster: the pattern only confirms.
            window = max(start, at - self._before)
            found = self._pattern.search(data, window, at + self.longest)
            if found:
                return found.start()
            at = data.find(self._anchor, at + 1)
        return at


def _parts(query: str) -> list[str]:
    """The characters, but the white space between signs of JSON in one: it is shown laid out."""
    return list(_LAYOUT.sub(_GAP, query))


def _is_plain(char: str) -> bool:
    """Whether every writer of JSON writes the character as it is."""
    return char.isascii() and char.isprintable() and char not in _MAYBE_ESCAPED


def _variants(char: str, *, cased: bool) -> list[str]:
    if cased:
        return [char]
    return sorted(other for other in {char, char.lower(), char.upper()} if len(other) == 1)


def _pattern(char: str, *, cased: bool) -> bytes:
    if char == _GAP:
        return _SPACE
    if _is_plain(char):
        return re.escape(char.encode())
    ways = [way for each in _variants(char, cased=cased) for way in _ways(each)]
    return b"(?:" + b"|".join(ways) + b")"


def _ways(char: str) -> list[bytes]:
    ways = [re.escape(char.encode("utf-8", "surrogatepass"))]
    if char in _SHORT:
        ways.append(_SLASHES + _SHORT[char])
    elif char in _MAYBE_ESCAPED:
        ways.append(_SLASHES + re.escape(char.encode()))
    if char == _REPLACEMENT:
        # What is read for bytes that are no character, and for half of one.
        ways += [rb"[\x80-\xff]{1,4}", _SLASHES + rb"u[dD][89a-fA-F][0-9a-fA-F]{2}"]
    units = char.encode("utf-16-be", "surrogatepass")
    escape = b"".join(
        _SLASHES + b"u" + _any_hex(units[at : at + 2]) for at in range(0, len(units), 2)
    )
    return [*ways, escape]


def _any_hex(unit: bytes) -> bytes:
    digits = unit.hex()
    return "".join(
        f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits
    ).encode()


def _longest(char: str) -> int:
    if _is_plain(char):
        return 1
    if char == _GAP:
        return _LONGEST_SPACE
    return (_LONGEST_SLASHES + 5) * (2 if ord(char) > 0xFFFF else 1)
