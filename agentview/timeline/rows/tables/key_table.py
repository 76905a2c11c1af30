"""Rows by key: a table for what is new, and hashes for all the others.

Whoever follows a log has these in pages on disk, whoever reads all of it at once in memory.
"""

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
from agentview.system import platforms

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
        with self._lock:
            if self._free:
                return self._free.pop()
            self._count += 1
            return self._count - 1

    def give_back(self, numbers: Iterable[int]) -> None:
        self._free.extend(numbers)

    def read(self, number: int) -> bytes:
        return platforms.read_at(self._fd, PAGE, number * PAGE)

    def write(self, number: int, data: bytes) -> None:
        """Write a page again; fewer bytes than its size are filled up."""
        platforms.write_at(self._fd, data.ljust(PAGE, b"\0"), number * PAGE)


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
            return platforms.open_nameless(str(path))
        except OSError as error:
            refused = error
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

_HASH_BITS = 64
_RUN = 16_384
"""Keys that are packed at a time where a log is read as a whole."""
_FIRST_FILTER = 8 * _RUN
"""Bytes of the first filter of keys; each further one has four times as many."""
_PER_KEY = 8
"""Bytes of a filter for each of its keys."""
_OTHER = 27
"""The bit of a hash from which on it says where the second bit of a key is."""


class PackedKeys(Value):
    """Hashes of keys in order, and the row of each."""

    hashes: "array[int]"
    rows: "array[int]"


def pack_keys(table: Mapping[str, int]) -> PackedKeys:
    """Pack a table of rows by key."""
    digests, rows = _in_order(table)
    return PackedKeys(digests[::2], rows)


def _in_order(table: Mapping[str, int]) -> tuple["array[int]", "array[int]"]:
    """The digests of keys in order, each as its hash and what else it has, and their rows."""
    rows = dict(zip(map(_digest, table), table.values(), strict=True))
    order = sorted(rows)
    digests = array("Q", b"".join(order))
    if sys.byteorder == "little":
        digests.byteswap()
    return digests, array("i", map(rows.__getitem__, order))


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
        self._runs: KeyRuns | None = None
        """Keys that `pack_oldest` packed."""
        self._next_pack = RECENT + _RUN

    def get(self, key: str) -> int | None:
        """The row of a key, None when it has none."""
        known = self.table.get(key)
        return known if known is not None else self.packed_row(key)

    def claimer(self) -> Callable[[str, int], int]:
        """Return a function that gives a key a row unless it has one, and returns the key's row.

        Ask for a new function after keys were packed.
        """
        if self._runs is None and not self._packed.count:
            return self.table.setdefault
        table, packed_row = self.table, self.packed_row if self._runs is None else self._runs.get

        def claim(key: str, row: int) -> int:
            known = table.get(key)
            if known is None:
                known = packed_row(key)
                if known is None:
                    table[key] = known = row
            return known

        return claim

    def packed_row(self, key: str) -> int | None:
        """The row that was packed for a key."""
        if self._runs is not None:
            return self._runs.get(key)
        return self._packed.get(_hash(key)) if self._packed.count else None

    def packed(self) -> PackedKeys:
        """All keys, as another process takes them over; gives away what `pack_oldest` packed."""
        if self._runs is not None:
            runs, self._runs = self._runs, None
            runs.add(self.table)
            return runs.all()
        if not self._packed.count:
            return pack_keys(self.table)
        for key, row in self.table.items():
            self._packed.put(_hash(key), row)
        return self._packed.all()

    def forget_packed(self) -> None:
        self._packed = PagedKeys()

    def pack(self, packed: PackedKeys) -> None:
        """Take over what another process has read, in parts whose hashes go up."""
        self._packed.extend(packed)

    def pack_oldest(self, keeps: Callable[[str], bool] | None = None) -> None:
        """Pack the oldest keys when there are many more than recent ones, but those that it keeps.

        For whoever reads a log as a whole and takes over nothing of it.
        """
        if len(self.table) < self._next_pack:
            return
        excess = len(self.table) - RECENT
        oldest = dict(islice(self.table.items(), excess))
        recent = dict(islice(self.table.items(), excess, None))
        kept = {} if keeps is None else {key: oldest.pop(key) for key in filter(keeps, [*oldest])}
        self._runs = self._runs or KeyRuns()
        self._runs.add(oldest)
        self.table = {**kept, **recent}
        # All that are kept are looked at again: not before as many others have come.
        self._next_pack = 2 * len(kept) + RECENT + _RUN

    def settle(self) -> None:
        """Pack the oldest keys when there are more than recent ones; a bounded number a time."""
        excess = len(self.table) - RECENT
        if excess < _BATCH:
            return
        for key in list(islice(self.table, min(excess, 2 * _BATCH))):
            self._packed.put(_hash(key), self.table.pop(key))


class _Run(Value):
    """Keys in order of their digests, of which no two keys have the same, and the row of each."""

    hashes: "array[int]"
    rest: "array[int]"
    """The second half of each digest."""
    rows: "array[int]"


class KeyRuns:
    """Rows by digest in sorted runs: 20 bytes a key, and some for filters.

    The row in the last run that has a key counts.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._filters: list[bytearray] = []
        """Two bits for each key by its hash in this process; all but the last one are full."""
        self._room = 0
        """Keys that the last of them has room for."""

    def get(self, key: str) -> int | None:
        """The row of a key."""
        place = hash(key)
        bit, other = 1 << (place & 7), place >> _OTHER
        place >>= 3
        for each in self._filters:
            size = len(each)
            if each[place % size] & bit and each[other % size] & bit:
                return self._found(_digest(key))
        return None

    def _found(self, digest: bytes) -> int | None:
        value, rest = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big")
        for run in reversed(self._runs):
            hashes = run.hashes
            at = bisect_left(hashes, value)
            while at < len(hashes) and hashes[at] == value:
                if run.rest[at] == rest:
                    return run.rows[at]
                at += 1
        return None

    def add(self, table: Mapping[str, int]) -> None:
        """Add a run of rows by key."""
        if not table:
            return
        digests, rows = _in_order(table)
        self._runs.append(_Run(digests[::2], digests[1::2], rows))
        if self._room < len(table):
            size = max(_FIRST_FILTER << (2 * len(self._filters)), _PER_KEY * len(table))
            self._filters.append(bytearray(size))
            self._room = size // _PER_KEY
        self._room -= len(table)
        bits = self._filters[-1]
        size = len(bits)
        for place in map(hash, table):
            bit = 1 << (place & 7)
            bits[(place >> 3) % size] |= bit
            bits[(place >> _OTHER) % size] |= bit

    def all(self) -> PackedKeys:
        """All hashes in order, with their rows."""
        found = PackedKeys(array("Q"), array("i"))
        parts = 1 + sum(len(run.hashes) for run in self._runs) // PART
        starts = [0] * len(self._runs)
        for part in range(1, parts + 1):
            limit = (part << _HASH_BITS) // parts - 1
            rows: dict[int, int] = {}
            for at, (run, start) in enumerate(zip(self._runs, starts, strict=True)):
                starts[at] = stop = bisect_right(run.hashes, limit)
                rows.update(zip(run.hashes[start:stop], run.rows[start:stop], strict=True))
            order = sorted(rows)
            found.hashes.extend(order)
            found.rows.extend(map(rows.__getitem__, order))
        return found


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
    return int.from_bytes(_digest(key)[:8], "big")


def _digest(key: str) -> bytes:
    try:
        data = key.encode()
    except UnicodeEncodeError:
        # It has halves of characters.
        data = key.encode("utf-8", "surrogatepass")
    # The hash of the language differs from process to process.
    return blake2b(data, digest_size=16).digest()
