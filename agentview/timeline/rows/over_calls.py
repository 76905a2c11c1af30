"""Facts of calls that are over, on disk until a record with their id comes in front."""

from collections.abc import Sequence

import msgspec

from agentview.normalize.call_occurrences import Entry, SameId
from agentview.timeline.rows.tables.key_table import PAGE, shared_pages
from agentview.timeline.rows.tables.sparse_array import SparseIntMap

_ARRAY = b"\xdd"
"""The type of an array of up to 2^32 values in MessagePack; their number follows."""
_NUMBER = 4
"""Bytes of a number: of the length in front of a page, of values."""
_MOST = PAGE - len(_ARRAY) - 2 * _NUMBER

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[tuple[str, list[Entry]]]).decode


class OverCalls:
    """Records by the id of their calls, in pages of a file that nobody else can open.

    Only of ids of which nothing is known from row `end` on.
    """

    def __init__(self, end: int) -> None:
        self._end = end
        self._file = shared_pages()
        self._pages = SparseIntMap()
        """The page of each id, by the row of its newest call."""
        self._number: int | None = None
        """The page that is being filled."""
        self._held: list[bytes] = []
        self._size = 0

    def takes(self, row: int, key: str, same: SameId, entries: Sequence[Entry]) -> bool:
        """Take the records of an id, whose newest call is at a row.

        False where its calls are not over, or there is no room.
        """
        if self._file is None or not same.idle or same.begun or same.end >= self._end:
            return False
        try:
            packed = _encode((key, entries))
        except UnicodeEncodeError:
            return False
        if len(packed) > _MOST or (self._size + len(packed) > _MOST and not self._write()):
            return False
        if self._number is None:
            self._number = self._file.take()
        self._held.append(packed)
        self._size += len(packed)
        self._pages[row] = self._number
        return True

    def entries(self, row: int, key: str) -> list[Entry]:
        """The records of an id in file order; none where none were taken."""
        number = self._pages.get(row)
        if number is None or self._file is None:
            return []
        page = self._filled() if number == self._number else self._file.read(number)
        length = int.from_bytes(page[:_NUMBER], "big")
        found = _decode(page[_NUMBER : _NUMBER + length])
        # What was taken last of an id has all of it.
        for each, entries in reversed(found):
            if each == key:
                return entries
        return []

    def _write(self) -> bool:
        """Begin another page; False where there is no room on disk for the one before."""
        if self._file is None or self._number is None:
            return False
        try:
            self._file.write(self._number, self._filled())
        except OSError:
            return False
        self._number, self._held, self._size = None, [], 0
        return True

    def _filled(self) -> bytes:
        values = _ARRAY + len(self._held).to_bytes(_NUMBER, "big") + b"".join(self._held)
        return len(values).to_bytes(_NUMBER, "big") + values
