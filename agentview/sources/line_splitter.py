"""Cuts a growing run of bytes into whole lines, and accounts for every byte of it."""

from collections.abc import Callable

from msgspec.structs import replace

from agentview.domain.value import Value

DEFAULT_LIMIT = 16 * 1024 * 1024
"""Records above this many bytes become stubs: what a screen shows of them is read on demand."""

KEPT_OF_STUB = 64 * 1024
"""Bytes kept from each end of a stub: enough to say what it is and where it belongs."""

BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r"
_CR = 0x0D


# A named tuple, since indexing makes a million of them and a frozen dataclass takes thrice as long.
class Line(Value):
    """One record as it is in its file.

    `offset` and `length` are bytes and leave out the line terminator (LF or CRLF) and a byte order
    mark at the start of the file. `data` is None for an oversize record; `head` and `tail` then
    hold its two ends, `KEPT_OF_STUB` bytes at most. `terminated` is False for a last line that was
    asked for before its newline came. `replaces` is True when a record at the same offset was given
    earlier in its unterminated form and this one takes its place.
    """

    offset: int
    length: int
    data: bytes | None
    terminated: bool = True
    replaces: bool = False
    head: bytes = b""
    tail: bytes = b""

    @property
    def oversize(self) -> bool:
        """True if the record is a stub, whose bytes are to be read by offset and length."""
        return self.data is None


class Account(Value):
    """Where the bytes read so far went; the five add up to all of them.

    `records` counts terminated records, `terminators` their LF or CRLF, `blanks` whole lines of
    nothing but spaces and tabs (their terminators included), `bom` a byte order mark, `pending` the
    last line while it has no newline.
    """

    records: int = 0
    terminators: int = 0
    blanks: int = 0
    bom: int = 0
    pending: int = 0

    @property
    def total(self) -> int:
        return self.records + self.terminators + self.blanks + self.bom + self.pending


def make_line(raw: bytes, offset: int, limit: int = DEFAULT_LIMIT) -> Line | None:
    """Make the record out of one physical line, `raw`, given without its LF; None when blank.

    `offset` is where `raw` starts in the file; at 0 a byte order mark is left out.
    """
    if offset == 0 and raw.startswith(BOM):
        raw = raw[len(BOM) :]
        offset = len(BOM)
    if raw.endswith(b"\r"):
        raw = raw[:-1]
    if len(raw) > limit:
        return Line(offset, len(raw), None, head=raw[:KEPT_OF_STUB], tail=raw[-KEPT_OF_STUB:])
    # Stripping copies, and most lines start with a brace: look before making a copy.
    if not raw or (raw[0] in _BLANK and not raw.strip(_BLANK)):
        return None
    return Line(offset, len(raw), raw)


def longest_held(limit: int) -> int:
    """Give the size up to which a physical line is kept whole, for stubs above `limit` bytes.

    It leaves room for a byte order mark and a CR, and for both ends of a stub.
    """
    return max(limit, KEPT_OF_STUB) + len(BOM) + 1


def cut_lines(data: bytes, start: int, offset: int, limit: int = DEFAULT_LIMIT) -> list[Line]:
    """Cut the whole lines out of `data[start:]`, where `data` begins at `offset` in the file.

    What follows the last newline is left out. It gives what a `LineSplitter` gives, faster.
    """
    lines: list[Line] = []
    at = offset + start
    pieces = data[start:].split(b"\n")
    pieces.pop()
    for raw in pieces:
        length = len(raw)
        if raw and at and raw[0] not in _BLANK and raw[-1] != _CR and length <= limit:
            lines.append(Line(at, length, raw))
        elif (line := make_line(raw, at, limit)) is not None:
            lines.append(line)
        at += length + 1
    return lines


class LineSplitter:
    """Bytes in, whole lines out; the last line is held until its newline comes.

    `start` is the offset of the first byte to be fed and must be the start of a line. Memory stays
    under `limit` plus one piece, however long a line is.
    """

    def __init__(self, start: int = 0, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._line_start = start
        self._held = bytearray()
        self._dropped = 0
        self._head = b""
        self._given: tuple[int, int] | None = None
        self._records = self._terminators = self._blanks = self._bom = 0

    @property
    def account(self) -> Account:
        """Where every byte fed so far went."""
        pending = self._dropped + len(self._held)
        return Account(self._records, self._terminators, self._blanks, self._bom, pending)

    def feed(self, piece: bytes) -> list[Line]:
        """Take the next bytes and give the lines they complete, in order."""
        lines: list[Line] = []
        start = 0
        while (newline := piece.find(b"\n", start)) >= 0:
            if self._held or self._dropped:
                self._hold(piece[start:newline])
                line = self._close_held()
            else:
                line = self._close(piece[start:newline])
            if line is not None:
                lines.append(line)
            start = newline + 1
        if start < len(piece):
            self._hold(piece[start:] if start else piece)
        return lines

    def finish(self, accept: Callable[[bytes], bool] | None = None) -> Line | None:
        """Give the pending line as it is, unless it was given in this very form before.

        `accept` is asked about its bytes first; a stub has none: it is given unasked, once, and
        again when its line has ended. The bytes stay pending: a newline that comes later does not
        give the record again, and more text on the same line gives it again with `replaces` set.
        """
        line = self._pending_line()
        if line is None or self._given == (line.offset, line.length):
            return None
        if accept is not None:
            is_whole = self._given is None if line.data is None else accept(line.data)
            if not is_whole:
                return None
        replaces = self._given is not None
        self._given = (line.offset, line.length)
        return replace(line, terminated=False, replaces=replaces)

    def _pending_line(self) -> Line | None:
        if self._dropped:
            return self._stub()
        return make_line(bytes(self._held), self._line_start, self._limit)

    def _hold(self, piece: bytes) -> None:
        self._held += piece
        if len(self._held) <= longest_held(self._limit) and not self._dropped:
            return
        if not self._dropped:
            self._head = bytes(self._held[: KEPT_OF_STUB + len(BOM)])
        # One byte more than is kept, for a CR that belongs to the terminator.
        excess = len(self._held) - (KEPT_OF_STUB + 1)
        if excess > 0:
            del self._held[:excess]
            self._dropped += excess

    def _stub(self) -> Line:
        length = self._dropped + len(self._held)
        tail = bytes(self._held)
        if tail.endswith(b"\r"):
            length -= 1
            tail = tail[:-1]
        offset, head = self._line_start, self._head
        if offset == 0 and head.startswith(BOM):
            offset, head, length = len(BOM), head[len(BOM) :], length - len(BOM)
        return Line(offset, length, None, head=head[:KEPT_OF_STUB], tail=tail[-KEPT_OF_STUB:])

    def _close_held(self) -> Line | None:
        if not self._dropped:
            raw = bytes(self._held)
            self._held.clear()
            return self._close(raw)
        line = self._stub()
        size = self._dropped + len(self._held)
        self._held = bytearray()
        self._dropped = 0
        return self._settle(line, size, line.offset - self._line_start)

    def _close(self, raw: bytes) -> Line | None:
        bom = len(BOM) if self._line_start == 0 and raw.startswith(BOM) else 0
        return self._settle(make_line(raw, self._line_start, self._limit), len(raw), bom)

    def _settle(self, line: Line | None, size: int, bom: int) -> Line | None:
        given, self._given = self._given, None
        self._line_start += size + 1
        self._bom += bom
        if line is None:
            self._blanks += size + 1 - bom
            return None
        self._records += line.length
        self._terminators += size + 1 - bom - line.length
        if given is None:
            return line
        if given == (line.offset, line.length):
            return None
        return replace(line, replaces=True)
