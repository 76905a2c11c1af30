"""Readings of a text: without colors, line breaks, frames and the columns of a dump.

A reading leads back to the text that it was made of.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from agentview.redaction.forms import Span

_WITHOUT_WIDTH = (
    r"[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_WIDTHLESS = re.compile(_WITHOUT_WIDTH)
_ESCAPED_SIGNS = ("\\u", "\\x1", "\\033", "\\e[")
"""Prefixes of escaped sequences."""
_UNSEEN = re.compile(
    # Sequences that set colors, their first character escaped or not.
    r"(?:\x1b|\\{1,16}(?:u001[bB]|x1[bB]|033|e))\[[0-9;:?]{0,40}[A-Za-z@~]"
    r"|\x1b\([A-Z0-9]"
    # Characters without width.
    rf"|{_WITHOUT_WIDTH}"
    r"|\\{1,16}u(?:00[aA][dD]|200[b-fB-F]|202[a-eA-E]|206[0-9a-fA-F]|[fF][eE]0[0-9a-fA-F]"
    r"|[fF][eE][fF]{2})"
    # Lines of frames, where they are escaped.
    r"|\\{1,16}u25[0-9][0-9a-fA-F]"
)
_FRAME = "".join(map(chr, range(0x2500, 0x25A0))) + "|"
"""Lines of frames, and blocks."""
_PADDING = _FRAME + " \t\r\\"
"""Characters between a piece of text and the end of its line."""
_LED = frozenset("0123456789+>#*-/")
_SHORTEST_TOKEN = 16
_LEAST_WORDS = 2
_LEADING = re.compile(rf"(?:\d{{1,6}}(?:→|[:\t]|- )[ \t{_FRAME}]*)?(?:([+>#*-]|//)[ \t{_FRAME}]*)?")
"""Prefix of a line, before its text: a number, a frame, a sign.

The sign is one where the line before has the same, too.
"""

_CLASSES = bytes(
    ord("d") if chr(code) in "0123456789"
    else ord("l") if code < 128 and chr(code).islower()
    else ord("u") if code < 128 and chr(code).isupper()
    else ord("a") if chr(code) in "_.~=$%!@&^"
    else code if chr(code) in ":-+>#*/\n"
    else ord(" ") if chr(code) in " \t\r\\?|"
    else ord(",")
    for code in range(256)
)  # fmt: skip
"""Kinds of characters at the ends of lines; `?` is any that is not ASCII."""
_LINE_ENDS = re.compile(rb"\n(?:d{1,6}(?:[ :]|- ) *)?(?:(?:[+>#*-]|//) *)?")
_OF_WORD = bytes(ord("a") if code in b"adlu:+#*/-" else code for code in range(256))
_LONG_PARTS = (b"aaaaaaaa\na", b"a\naaaaaaaa")
_SHORT_LINE = re.compile(rb"\nd{0,6}+[alu:+#*/-][adlu:+#*/-]{0,6}(?=\n[adlu:+#*/-])")
"""The parts of a token on both sides of ends of lines: one of them is long or a whole line."""
_PLAIN_SHAPE = re.compile(rb"[^dlu\n ]{0,9}[lu]?l*+[^dlu\n ]{0,9}(?![^\n ])")
_LONGEST_PLAIN = 80

_PLAIN = re.compile(r"[^A-Za-z0-9]{0,9}[A-Za-z]?[a-z]*[^A-Za-z0-9]{0,9}")

_DUMPED = re.compile(
    rf"(?:^|(?<=\\n))[ \t{_FRAME}>]{{0,20}}[0-9A-Fa-f]{{4,16}}(:?) {{1,4}}"
    r"((?:[0-9A-Fa-f]{2,8} {1,2}){0,32}[0-9A-Fa-f]{2,8})((?: [^\n\\]{0,80})?)(?=\r?$|\\)",
    re.MULTILINE,
)
"""A line of what `xxd`, `hexdump` and `od` write: an offset, bytes, and mostly their characters."""
_OFFSET = re.compile(r"000[0-9A-Fa-f]{0,13}:? {1,4}[0-9A-Fa-f]{2}")
_OF_BYTES = re.compile(r"[|>](.*)[|<]")
_BYTES = re.compile("[0-9A-Fa-f]+")
_BYTE, _WORD = 2, 4
"""Digits of a byte, and of a word of two, whose bytes are swapped where no column repeats them."""


class Reading:
    """A text that is put together of what parts of another mean."""

    def __init__(self, parts: Iterable[tuple[Span, str]]) -> None:
        self._places: list[Span] = []
        self._starts: list[int] = []
        self._meant: list[str] = []
        length = 0
        for place, meant in parts:
            if meant:
                self._places.append(place)
                self._starts.append(length)
                self._meant.append(meant)
                length += len(meant)
        self.text = "".join(self._meant)

    def _place_of(self, at: int) -> Span:
        """Where a character is; one that means as many as it has is taken by itself."""
        index = bisect_right(self._starts, at) - 1
        start, end = self._places[index]
        if len(self._meant[index]) != end - start:
            return start, end
        return start + at - self._starts[index], start + at - self._starts[index] + 1

    def whole(self, start: int, end: int) -> Span:
        """Where a span of the reading is, with all that the reading leaves out within."""
        return self._place_of(start)[0], self._place_of(end - 1)[1]

    def parts(self, start: int, end: int) -> Iterator[Span]:
        """Where each part of a span is."""
        first = bisect_right(self._starts, start) - 1
        for index in range(first, bisect_left(self._starts, end)):
            begin = max(start, self._starts[index])
            stop = min(end, self._starts[index] + len(self._meant[index]))
            yield self.whole(begin, stop)


class Joined(Reading):
    """Lines without what divides them: the words on both sides of their ends."""

    def __init__(self, chains: Iterable[Sequence[tuple[Span, str]]]) -> None:
        parts: list[tuple[Span, str]] = []
        self.joints: list[int] = []
        """Where the text of a line continues that of the line before, in order."""
        length = 0
        for chain in chains:
            for number, (place, word) in enumerate(chain):
                parts.append((place, word))
                if number:
                    self.joints.append(length)
                length += len(word)
            place = chain[-1][0]
            parts.append(((place[1], place[1]), "\n"))
            length += 1
        super().__init__(parts)

    def likely(self) -> str:
        """The text with blanks in the place of words that are hardly a part of a token."""
        words = self._meant
        return "".join(
            " " * len(word) if _PLAIN.fullmatch(word) is not None else word for word in words
        )

    def inside(self, start: int, end: int) -> Sequence[int]:
        return self.joints[bisect_right(self.joints, start) : bisect_left(self.joints, end)]


def uncolored(text: str) -> Reading | None:
    """The text without colors and characters that nobody sees; None if there are none."""
    escaped = "\\" in text and any(sign in text for sign in _ESCAPED_SIGNS)
    if not escaped and "\x1b" not in text and (text.isascii() or _WIDTHLESS.search(text) is None):
        return None
    if _UNSEEN.search(text) is None:
        return None
    return Reading(_seen(text))


def _seen(text: str) -> Iterator[tuple[Span, str]]:
    position = 0
    for match in _UNSEEN.finditer(text):
        yield (position, match.start()), text[position : match.start()]
        yield match.span(), "│" if "u25" in match[0] else ""
        position = match.end()
    yield (position, len(text)), text[position:]


def joined(text: str) -> Joined | None:
    """The words that are next to the ends of lines, put together; None if there are none.

    Left out are ends of lines with words on both sides that together are too short for a token,
    or are spelled as names are.
    """
    # As long as it was, so that each place stays.
    text = text.replace("\\n", "\n ") if "\\n" in text else text
    if "\n" not in text:
        return None
    ends = _likely_ends(text)
    if not ends:
        return None
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    chains = [
        chain
        for first, last in _blocks(lines, ends)
        for chain in _chains(lines[first:last], starts[first:last])
    ]
    return Joined(chains) if chains else None


def _likely_ends(text: str) -> list[int]:
    """The numbers of ends of lines that a token may be on both sides of."""
    shape = text.encode("ascii", "replace").translate(_CLASSES)
    shape = b"\n".join([line.strip(b" ") for line in shape.split(b"\n")])
    shape = _LINE_ENDS.sub(b"\n", shape)
    words = shape.translate(_OF_WORD)
    places = {match.start() for match in _SHORT_LINE.finditer(shape)}
    for parts in _LONG_PARTS:
        at = words.find(parts)
        while at >= 0:
            end = words.index(b"\n", at)
            if not _are_plain(shape, end):
                places.add(end)
            at = words.find(parts, end)
    found: list[int] = []
    number = counted = 0
    for at in sorted(places):
        number += shape.count(b"\n", counted, at)
        counted = at
        found.append(number)
    return found


def _are_plain(shape: bytes, end: int) -> bool:
    """True if the words on both sides of the end of a line are spelled as names are."""
    if _PLAIN_SHAPE.match(shape, end + 1) is None:
        return False
    least = max(end - _LONGEST_PLAIN, 0)
    begin = max(shape.rfind(b" ", least, end), shape.rfind(b"\n", least, end), least - 1) + 1
    return _PLAIN_SHAPE.match(shape, begin) is not None


def _blocks(lines: Sequence[str], ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of the lines, the latter exclusive, of which ends are among those given.

    With them are lines of one word, and the line in front of them, whose sign counts.
    """
    begin = end = 0
    for number in ends:
        if number + 1 < end:
            continue
        first, last = number, number + 2
        while first > end and _is_word(lines[first]):
            first -= 1
        if lines[first].lstrip(_PADDING)[:1] in _LED:
            first = max(first - 1, 0)
        while last < len(lines) and _is_word(lines[last - 1]):
            last += 1
        if first >= end:
            if begin < end:
                yield begin, end
            begin = first
        end = last
    yield begin, end


def _is_word(line: str) -> bool:
    """True if a line may be one word, behind a number, a frame or a sign."""
    inner = line.strip(_PADDING)
    leading = _LEADING.match(inner) if inner[:1] in _LED else None
    return len(inner[leading.end() if leading else 0 :].split(None, 1)) < _LEAST_WORDS


def _chains(lines: Sequence[str], starts: Sequence[int]) -> Iterator[Sequence[tuple[Span, str]]]:
    """Words of which each but the last ends its line, and each but the first begins its own."""
    chain: list[tuple[Span, str]] = []
    sign = ""
    for start, line in zip(starts, lines, strict=True):
        inner = line.lstrip(_PADDING)
        at = start + len(line) - len(inner)
        if inner[:1] in _LED:
            begin, sign = _begin(inner, sign)
            inner, at = inner[begin:], at + begin
        else:
            sign = ""
        words = inner.rstrip(_PADDING)
        head = words.split(None, 1)[0] if words else ""
        if chain and head:
            chain.append(((at, at + len(head)), head))
        if chain and len(head) == len(words) != 0:
            continue
        if _may_hold(chain):
            yield chain
        tail = words.rsplit(None, 1)[-1] if words else ""
        end = at + len(words)
        chain = [((end - len(tail), end), tail)] if tail else []
    if _may_hold(chain):
        yield chain


def _may_hold(chain: Sequence[tuple[Span, str]]) -> bool:
    """True if words together are as long as a token, and spelled as no name is."""
    if len(chain) < _LEAST_WORDS or sum(len(word) for _, word in chain) < _SHORTEST_TOKEN:
        return False
    return any(_PLAIN.fullmatch(word) is None for _, word in chain)


def _begin(line: str, before: str) -> tuple[int, str]:
    """Where the text of a line begins, and the sign in front of it."""
    leading = _LEADING.match(line)
    if leading is None or leading[1] is None:
        return 0 if leading is None else leading.end(), ""
    return leading.end() if leading[1] == before else leading.start(1), leading[1]


class Dump:
    """Text of bytes that are written as numbers, with the places of its characters."""

    def __init__(self, lines: Sequence["_Line"]) -> None:
        self._lines = lines
        self._starts: list[int] = []
        said: list[str] = []
        length = end = 0
        for line in lines:
            if said and line.start - end > _APART:
                said.append("\n")
                length += 1
            self._starts.append(length)
            said.append(line.said)
            length += len(line.said)
            end = line.end
        self.text = "".join(said)

    def parts(self, start: int, end: int) -> Iterator[Span]:
        """Where the numbers and the characters of a span are."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        for index in range(first, bisect_left(self._starts, end)):
            line = self._lines[index]
            begin = max(start - self._starts[index], 0)
            stop = min(end - self._starts[index], len(line.said))
            if begin < stop:
                yield from line.parts(begin, stop)


_APART = 24
"""Characters between two lines of a dump: the end of one, and what a frame has at both."""


class _Line:
    __slots__ = ("_bytes", "_characters", "end", "said", "start")

    def __init__(self, match: re.Match[str]) -> None:
        self.start, self.end = match.span()
        groups = [each.span() for each in _BYTES.finditer(match.string, *match.span(2))]
        column = match[3].rstrip(_FRAME.replace("|", "") + " ")
        pairs = [(at, at + _BYTE) for start, end in groups for at in range(start, end - 1, _BYTE)]
        if not column and not match[1] and all(end - at == _WORD for at, end in groups):
            pairs = [pairs[at ^ 1] for at in range(len(pairs))]
        self._bytes = pairs
        self.said = "".join(chr(int(match.string[at:end], 16)) for at, end in pairs)
        enclosed = _OF_BYTES.search(column)
        at = match.start(3)
        if enclosed is not None:
            self._characters = at + enclosed.start(1), at + enclosed.end(1)
        else:
            end = match.start(3) + len(match[3].rstrip("\r"))
            self._characters = max(at, end - len(pairs)) if column else end, end

    def parts(self, begin: int, stop: int) -> Iterator[Span]:
        taken = self._bytes[begin:stop]
        yield min(at for at, _ in taken), max(end for _, end in taken)
        start, end = self._characters
        if end - start == len(self._bytes):
            yield start + begin, start + stop
        elif start < end:
            yield start, end


def dumped(text: str) -> Dump | None:
    """The text of a dump; None if there is none."""
    # The offsets of the first million bytes begin so.
    if _OFFSET.search(text) is None:
        return None
    lines = [_Line(match) for match in _DUMPED.finditer(text)]
    return Dump(lines) if lines else None
