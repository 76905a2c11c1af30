r"""Byte patterns of a searched text as it may appear in a log.

JSON writes the same text in several ways: quotes and backslashes escaped, line ends as letters,
other characters as they are or as `\uXXXX`, and once more escaped where a string holds JSON. What
is found this way is a candidate: the decoded text has the last word.
"""

import re
from itertools import groupby

from agentview.query.text_matcher import WHITE

_SLASHES = rb"\\{1,8}"
_LONGEST_SLASHES = 8
_SHORT = {"\n": b"n", "\t": b"t", "\r": b"r", "\b": b"b", "\f": b"f"}
_MAYBE_ESCAPED = frozenset("\"\\/<>&'`=+")
"""Characters that some writer escapes."""

_COMMON_FIRST = " eatoinsrl\"0123456789dcupmh:,fbg.y_-/{}k[]()=wv';SxTIACEDRPzMLFNOBjUGHWVKYXqJQZ"
"""Characters by how often they appear in logs; those that are missing are rarer still."""
_DENSE = 2048
"""Bytes between two places of a rare character below which it is not rare in the data at hand."""
_PATIENCE = 16

_WHITE = re.compile(WHITE + "+")
_GAP = "\U0010fffe"
"""Stands for any white space: JSON is shown laid out, and a space of a phrase stands for a line end
too. No text has this character."""
_SPACE = rb"(?:[ \n\r\t]|\\{1,8}[nrt]){0,64}"
_LONGEST_SPACE = 64 * 9
_REPLACEMENT = "\ufffd"


class BytePattern:
    """The ways to write `query`; upper and lower case are the same unless it has a capital."""

    def __init__(self, query: str) -> None:
        self.cased = query != query.lower()
        parts = _parts(query)
        runs = ["".join(run) for plain, run in groupby(parts, _is_plain) if plain]
        anchor = max(runs, key=len, default="")
        if len(anchor) == 1 < len(query):
            anchor = ""
        self.anchor = anchor.encode()
        """The longest part that all write alike; empty when there is none."""
        rare = min(range(len(anchor)), key=lambda at: _rarity(anchor[at]), default=0)
        self.rare_at = rare
        """Position of the rarest character in the anchor."""
        both = anchor[rare : rare + 1]
        cases = {both} if self.cased else {both, both.upper()}
        self.rare = sorted(char.encode() for char in cases)
        """Its forms."""
        self._whole = anchor == query
        before = _parts(query[: query.find(anchor)]) if anchor else []
        self._before = sum(map(_longest, before))
        self.longest = sum(map(_longest, parts))
        """Bytes that the longest way of writing it takes."""
        pattern = b"".join(_pattern(part, cased=self.cased) for part in parts)
        self._pattern = re.compile(pattern, re.DOTALL)

    def folded(self, data: bytes) -> bytes:
        """The bytes in lower case, unless case counts; places stay where they are."""
        return data if self.cased else data.lower()

    def confirm(self, data: bytes, start: int, at: int) -> int:
        """Where the text begins, at or after `start`, whose anchor stands at `at`; -1 if nowhere.

        Without an anchor it is looked for in all that follows; `data` need not be folded then.
        """
        if self._whole:
            return at
        begin = max(start, at - self._before) if self.anchor else start
        end = at + self.longest if self.anchor else len(data)
        found = self._pattern.search(self.folded(data[begin:end]))
        return begin + found.start() if found else -1


class BytePrefilter:
    """Bytes in which a text is looked for.

    A single character is found several times as fast as a text, in either case without folding, so
    the rarest of the text is looked for as long as it is rare in these bytes too.
    """

    def __init__(self, needle: BytePattern, data: bytes, *, rare: bool = True) -> None:
        """Take `rare` to say whether the rarest character is to be tried first."""
        self._needle = needle
        self._data = data
        self._folded = None if rare else needle.folded(data)
        self._ahead = [-1] * len(needle.rare)
        """Where each form of the rare character stands next, as far as it has been looked for."""
        self._misses = 0

    def find(self, start: int) -> int:
        """Where the text stands first at or after `start`; -1 for nowhere."""
        needle = self._needle
        if not needle.anchor:
            return needle.confirm(self._data, start, start)
        at = self._anchor(start)
        while at >= 0:
            # Plain substring search is many times faster: the pattern only confirms.
            found = needle.confirm(self._data, start, at)
            if found >= 0:
                return found
            at = self._anchor(at + 1)
        return -1

    @property
    def rare(self) -> bool:
        return self._folded is None

    def _anchor(self, start: int) -> int:
        """Where the anchor stands first at or after `start`; -1 for nowhere."""
        needle, data = self._needle, self._data
        anchor, offset = needle.anchor, needle.rare_at
        at = start
        while self._folded is None:
            at = self._rare(at + offset) - offset
            if at < 0:
                return -1
            if needle.folded(data[at : at + len(anchor)]) == anchor:
                return at
            at += 1
            self._misses += 1
            if self._misses > _PATIENCE + at // _DENSE:
                self._folded = needle.folded(data)
        return self._folded.find(anchor, at)

    def _rare(self, start: int) -> int:
        """Where the rare character stands first at or after `start`; -1 for nowhere."""
        ahead, data = self._ahead, self._data
        for form, char in enumerate(self._needle.rare):
            if ahead[form] < start:
                found = data.find(char, start)
                ahead[form] = found if found >= 0 else len(data)
        nearest = min(ahead)
        return nearest if nearest < len(data) else -1


def _rarity(char: str) -> int:
    """The lower, the rarer."""
    known = _COMMON_FIRST.find(char)
    return -known if known >= 0 else -len(_COMMON_FIRST)


def _parts(query: str) -> list[str]:
    return list(_WHITE.sub(_GAP, query))


def _is_plain(char: str) -> bool:
    """Return True if every writer of JSON writes the character as it is."""
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
