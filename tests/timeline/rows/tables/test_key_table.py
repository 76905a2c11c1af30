"""Keys are found again however many there are, and take bounded memory."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.timeline.rows.tables.key_table import (
    PART,
    RECENT,
    KeyTable,
    PagedKeys,
    cut_keys,
    pack_keys,
)


def test_parts_of_many_keys_are_found_among_pages_on_disk():
    table = {f"key {number}": number for number in range(3 * PART)}
    packed = pack_keys(table)
    keys = KeyTable()
    for part in range(4):
        keys.pack(cut_keys(packed, part))
    assert [keys.get(f"key {number}") for number in range(0, 3 * PART, 7)] == list(
        range(0, 3 * PART, 7)
    )
    assert keys.get("another") is None
    keys.forget_packed()
    assert keys.get("key 1") is None


@settings(max_examples=25)
@given(
    st.dictionaries(st.integers(0, 2**64 - 1), st.integers(-(2**31), 2**31 - 1), max_size=300),
    st.integers(1, 2**63),
)
def test_pages_hold_what_was_put_in_last(table: dict[int, int], step: int):
    pages = PagedKeys()
    many = {number * step % 2**64: number for number in range(2000)}
    for value, row in (*many.items(), *table.items()):
        pages.put(value, row)
    assert all(pages.get(value) == row for value, row in (many | table).items())
    assert pages.count == len(many | table)


def test_old_keys_leave_the_table_and_are_found_still():
    keys = KeyTable()
    for number in range(20_000):
        keys.table[f"key {number}"] = number
        keys.settle()
    keys.table["key 3"] = 70_000
    keys.settle()
    assert len(keys.table) < 2 * RECENT
    assert [keys.get(f"key {number}") for number in range(4, 20_000)] == list(range(4, 20_000))
    assert keys.get("key 3") == 70_000


def test_oldest_keys_are_packed_and_the_row_that_was_put_in_last_counts():
    keys, known = KeyTable(), dict[str, int]()
    for number in range(60_000):
        key = f"key {number % 45_000}\ud800"
        known[key] = keys.table[key] = number
        if number % 500 == 0:
            keys.pack_oldest(lambda key: key.startswith("key 7"))
    claim = keys.claimer()
    assert len(keys.table) < 45_000
    assert all(claim(key, -1) == row for key, row in known.items())
    assert keys.get("key 7\ud801") is None
    assert "key 7\ud800" in keys.table
    assert keys.packed() == pack_keys(known)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_keys():
    pages = PagedKeys()
    multiplier = 0x9E3779B97F4A7C15
    for number in range(100_000):
        pages.put(number * multiplier % 2**64, number)
    tracemalloc.start()
    for number in range(100_000, 160_000):
        pages.put(number * multiplier % 2**64, number)
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    # Pages in memory were exchanged for others; only 12 bytes for each page of keys were added.
    assert grown < 1_500_000
    assert pages.get(5 * multiplier % 2**64) == 5
