"""Rows by key: a table for what is new, and 12 bytes a key for what a child has read."""

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from hashlib import blake2b
from typing import NamedTuple


class PackedKeys(NamedTuple):
    """Hashes of keys in order, and the row of each."""

    hashes: "array[int]"
    rows: "array[int]"


def pack_keys(table: Mapping[str, int]) -> PackedKeys:
    """Pack a table of rows by key."""
    pairs = sorted((_hash(key), row) for key, row in table.items())
    return PackedKeys(
        array("Q", [value for value, _ in pairs]), array("i", [row for _, row in pairs])
    )


class KeyTable:
    """Rows by key; what was put in last counts before what was packed."""

    def __init__(self) -> None:
        self.table: dict[str, int] = {}
        self._packed = pack_keys({})

    def get(self, key: str) -> int | None:
        """The row of a key, None when it has none."""
        known = self.table.get(key)
        return known if known is not None else self.packed_row(key)

    def packed_row(self, key: str) -> int | None:
        """The row that was packed for a key."""
        hashes = self._packed.hashes
        if not hashes:
            return None
        wanted = _hash(key)
        at = bisect_left(hashes, wanted)
        return self._packed.rows[at] if at < len(hashes) and hashes[at] == wanted else None

    def pack(self, packed: PackedKeys) -> None:
        """Take over what another process has read."""
        self._packed = packed


def _hash(key: str) -> int:
    # The hash of the language differs from process to process.
    return int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=8).digest(), "big")
