"""Rows by key: a table for what is new, and hashes in pages on disk for all the others."""

import os
import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from threading import Lock
from weakref import finalize

from agentview.domain.value import Value

# A page file: numbered pages of bytes in a nameless file, for data too large for memory.

_DIRECTORIES = ("/var/tmp", "/tmp")  # noqa: S108  (the file has no name there)


PAGE = 4096
"""Bytes of a page."""


class PageFile:
    """Pages of bytes; nobody else can open the file, and it goes with the process.

    Raises OSError if the disk is full, when it is made or written to.
    """

    def __init__(self) -> None:
        self._fd = _nameless()
        self._count = 0
        self._free: list[int] = []
        self._lock = Lock()
        finalize(self, os.close, self._fd)

    def take(self) -> int:
        """Number of a page that nobody uses."""
        with self._lock:
            if self._free:
                return self._free.pop()
            self._count += 1
            return self._count - 1

    def give_back(self, numbers: Iterable[int]) -> None:
        """Let others use these pages."""
        self._free.extend(numbers)

    def read(self, number: int) -> bytes:
        """The bytes of a page that was written."""
        return os.pread(self._fd, PAGE, number * PAGE)

    def write(self, number: int, data: bytes) -> None:
        """Write a page again; fewer bytes than its size are filled up."""
        os.pwrite(self._fd, data.ljust(PAGE, b"\0"), number * PAGE)


@cache
def shared_pages() -> PageFile | None:
    """The page file of this process; None where none can be made."""
    try:
        return PageFile()
    except OSError:
        return None


def _nameless() -> int:
    places = (os.environ.get("TMPDIR"), *_DIRECTORIES)
    refused: OSError | None = None
    for place in filter(None, places):
        path = Path(place) / f"agentview-{os.urandom(8).hex()}"
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            refused = error
        else:
            path.unlink()
            return fd
    raise refused or OSError("no directory for temporary files")


RECENT = 4096
"""Keys that are kept as they are, since what names them mostly follows soon."""

PART = 32_768
"""Keys that are handed over at a time."""

_ENTRIES = 340
"""Entries of a page of 4,096 bytes: 8 bytes of hash and 4 of row each, behind 4 of their number."""
_FILL = 300
"""Entries of a page that is filled at once, so that there is room for more."""
_HELD = 64
"""Pages in memory."""
_BATCH = 256


class PackedKeys(Value):
    """Hashes of keys in order, and the row of each."""

    hashes: "array[int]"
    rows: "array[int]"


def pack_keys(table: Mapping[str, int]) -> PackedKeys:
    """Pack a table of rows by key."""
    hashes = array("Q", b"".join([_digest(key) for key in table]))
    if sys.byteorder == "little":
        hashes.byteswap()
    rows = [*table.values()]
    order = sorted(range(len(rows)), key=hashes.tolist().__getitem__)
    return PackedKeys(
        array("Q", [hashes[at] for at in order]), array("i", [rows[at] for at in order])
    )


def cut_keys(packed: PackedKeys, part: int) -> PackedKeys:
    """Part number `part` (from 0) of packed keys; empty behind the last."""
    start = part * PART
    stop = start + PART
    return PackedKeys(packed.hashes[start:stop], packed.rows[start:stop])


class KeyTable:
    """Rows by key; what was put in last counts before what was packed."""

    def __init__(self) -> None:
        self.table: dict[str, int] = {}
        self._packed = PagedKeys()

    def get(self, key: str) -> int | None:
        """The row of a key, None when it has none."""
        known = self.table.get(key)
        return known if known is not None else self.packed_row(key)

    def claimer(self) -> Callable[[str, int], int]:
        """Return a function that gives a key a row unless it has one, and returns the key's row.

        Ask for a new function after keys were packed.
        """
        return self._claim if self._packed.count else self.table.setdefault

    def _claim(self, key: str, row: int) -> int:
        if key not in self.table:
            known = self.packed_row(key)
            if known is not None:
                return known
        return self.table.setdefault(key, row)

    def packed_row(self, key: str) -> int | None:
        """The row that was packed for a key."""
        return self._packed.get(_hash(key)) if self._packed.count else None

    def packed(self) -> PackedKeys:
        """All keys, as another process takes them over."""
        if not self._packed.count:
            return pack_keys(self.table)
        for key, row in self.table.items():
            self._packed.put(_hash(key), row)
        return self._packed.all()

    def forget_packed(self) -> None:
        """Begin to take over again what another process has read."""
        self._packed = PagedKeys()

    def pack(self, packed: PackedKeys) -> None:
        """Take over what another process has read, in parts whose hashes go up."""
        self._packed.extend(packed)

    def settle(self) -> None:
        """Pack the oldest keys when there are more than recent ones; a bounded number a time."""
        excess = len(self.table) - RECENT
        if excess < _BATCH:
            return
        for key in list(islice(self.table, min(excess, 2 * _BATCH))):
            self._packed.put(_hash(key), self.table.pop(key))


class PagedKeys:
    """Rows by hash in pages, in order of the hashes; only the last used are in memory.

    Where no file can be made for them, all stay in memory.
    """

    def __init__(self) -> None:
        self.count = 0
        self._lows = array("Q")
        """Lowest hash that each page may hold, in order."""
        self._numbers = array("I")
        """Number of each of these pages in the file."""
        self._held: OrderedDict[int, PackedKeys] = OrderedDict()
        self._changed: set[int] = set()
        self._file: PageFile | None = None
        self._full = False

    def get(self, value: int) -> int | None:
        """The row of a hash."""
        if not self.count:
            return None
        page = self._page(bisect_right(self._lows, value) - 1)
        hashes, rows = page.hashes, page.rows
        at = bisect_left(hashes, value)
        return rows[at] if at < len(hashes) and hashes[at] == value else None

    def all(self) -> PackedKeys:
        """All hashes in order, with their rows."""
        found = PackedKeys(array("Q"), array("i"))
        for place in range(len(self._numbers)):
            page = self._page(place)
            found.hashes.extend(page.hashes)
            found.rows.extend(page.rows)
        return found

    def put(self, value: int, row: int) -> None:
        """Give a hash a row, in the place of another one it may have."""
        self._begin()
        place = bisect_right(self._lows, value) - 1
        page = self._page(place)
        hashes, rows = page.hashes, page.rows
        at = bisect_left(hashes, value)
        self._changed.add(self._numbers[place])
        if at < len(hashes) and hashes[at] == value:
            rows[at] = row
            return
        hashes.insert(at, value)
        rows.insert(at, row)
        self.count += 1
        if len(hashes) > _ENTRIES:
            self._split(place, hashes, rows)

    def extend(self, packed: PackedKeys) -> None:
        """Add keys whose hashes are all higher than those that are here."""
        self._begin()
        hashes, rows = packed.hashes, packed.rows
        for start in range(0, len(hashes), _FILL):
            stop = start + _FILL
            page = PackedKeys(hashes[start:stop], rows[start:stop])
            self._add_page(len(self._lows), page.hashes[0], page)
        self.count += len(hashes)

    def _split(self, place: int, hashes: "array[int]", rows: "array[int]") -> None:
        middle = len(hashes) // 2
        upper = PackedKeys(hashes[middle:], rows[middle:])
        del hashes[middle:], rows[middle:]
        self._add_page(place + 1, upper.hashes[0], upper)

    def _begin(self) -> None:
        if self._numbers:
            return
        self._file = shared_pages()
        if self._file is not None:
            finalize(self, self._file.give_back, self._numbers)
        self._add_page(0, 0, PackedKeys(array("Q"), array("i")))

    def _add_page(self, place: int, low: int, page: PackedKeys) -> None:
        number = len(self._numbers) if self._file is None else self._file.take()
        self._lows.insert(place, low)
        self._numbers.insert(place, number)
        self._changed.add(number)
        self._hold(number, page)

    def _page(self, place: int) -> PackedKeys:
        number = self._numbers[place]
        page = self._held.get(number)
        if page is not None:
            self._held.move_to_end(number)
        elif self._file is not None:
            page = _unpacked(self._file.read(number))
            self._hold(number, page)
        else:
            raise KeyError(number)
        return page

    def _hold(self, number: int, page: PackedKeys) -> None:
        self._held[number] = page
        if self._file is None or self._full or len(self._held) <= _HELD:
            return
        oldest = next(iter(self._held))
        try:
            if oldest in self._changed:
                self._file.write(oldest, _packed(self._held[oldest]))
        except OSError:
            # No room on disk: what is in memory must stay there.
            self._full = True
        else:
            self._changed.discard(oldest)
            del self._held[oldest]


def _packed(page: PackedKeys) -> bytes:
    return len(page.hashes).to_bytes(4, "little") + page.hashes.tobytes() + page.rows.tobytes()


def _unpacked(data: bytes) -> PackedKeys:
    count = int.from_bytes(data[:4], "little")
    middle = 4 + 8 * count
    page = PackedKeys(array("Q"), array("i"))
    page.hashes.frombytes(data[4:middle])
    page.rows.frombytes(data[middle : middle + 4 * count])
    return page


def _hash(key: str) -> int:
    return int.from_bytes(_digest(key), "big")


def _digest(key: str) -> bytes:
    # The hash of the language differs from process to process.
    return blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()
