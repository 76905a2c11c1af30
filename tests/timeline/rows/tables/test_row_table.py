"""Packed rows give back what was put in, whatever lies between the records."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.timeline.rows.tables.row_table import SEGMENT_ROWS, PackedRows, Place

_RECORDS = st.lists(
    st.tuples(
        st.integers(0, 5000),  # length
        st.sampled_from([1, 1, 1, 2, 40]),  # bytes up to the next record
        st.lists(st.integers(0, 6), max_size=3, unique=True).map(sorted),  # events with a row
    ),
    min_size=1,
    max_size=60,
)


def _places(records: list[tuple[int, int, list[int]]], offset: int = 0) -> list[Place]:
    places: list[Place] = []
    for number, (length, gap, subs) in enumerate(records):
        places += [Place(offset, length, sub, number % 29, number % 7, 1) for sub in subs or [0]]
        offset += length + gap
    return places


def _place(rows: PackedRows, row: int) -> Place:
    return Place(*rows.span(row), rows.kind(row), rows.flags(row), 1)


@given(_RECORDS, st.data())
def test_rows_come_back_as_they_were_put_in(
    records: list[tuple[int, int, list[int]]], data: st.DataObject
) -> None:
    places = _places(records)
    cut = data.draw(st.integers(0, len(places)))
    rows = PackedRows()
    rows.append(places[cut:])
    rows.prepend(places[:cut])
    assert [_place(rows, row) for row in range(rows.first, rows.end)] == places


@given(_RECORDS)
def test_rows_added_one_by_one_are_the_same(records: list[tuple[int, int, list[int]]]) -> None:
    places = _places(records)
    rows = PackedRows()
    for place in places:
        rows.append([place])
    assert [_place(rows, row) for row in range(rows.end)] == places


def test_rows_of_many_segments_and_far_records() -> None:
    places = [
        Place(number * (1 << 22) * (1 + number // 3000), 10, 0, 1, 0, 1) for number in range(5000)
    ]
    rows = PackedRows()
    rows.append(places)
    for row in (0, 1, SEGMENT_ROWS - 1, SEGMENT_ROWS, 2999, 3000, 4999):
        assert _place(rows, row) == places[row]
        assert rows.row_at_offset(places[row].offset) == row


def test_a_link_reaches_any_row_and_can_be_undone() -> None:
    rows = PackedRows()
    rows.append([Place(number * 11, 10, 0, 1, 0) for number in range(70_000)])
    for row, other in ((5, 6), (5, 69_999), (69_999, 5), (5, 4)):
        rows.set_link(row, other)
        assert rows.link(row) == other
    rows.set_link(69_999, None)
    assert rows.link(69_999) is None
    assert rows.link(5) == 4


def test_a_row_takes_ten_bytes_when_it_is_sent() -> None:
    rows = PackedRows()
    start = 0
    places: list[Place] = []
    for number in range(SEGMENT_ROWS * 4):
        places.append(Place(start, 1000 + number % 500, 0, 3, 0))
        start += places[-1].length + 1
    rows.prepend(places)
    sent = pickle.dumps(rows.front(len(places)), pickle.HIGHEST_PROTOCOL)
    assert len(sent) < 10 * len(places)


def test_records_behind_carriage_returns_need_no_length_of_their_own() -> None:
    places = [Place(number * 102, 100, 0, 3, 0, 1) for number in range(100)]
    rows = PackedRows()
    rows.prepend(places)
    assert _place(rows, rows.first) == places[0]
    (segment,) = rows.front(100)
    assert segment.lengths is None


@pytest.mark.slow
@given(st.integers(0, 5000), st.integers(0, 5000), st.integers(0, 5000))
def test_codes_of_many_rows_are_those_of_each(cut: int, one: int, other: int) -> None:
    places = [Place(number * 11, 10, 0, number % 29, number % 120) for number in range(5000)]
    rows = PackedRows()
    rows.append(places[cut:])
    rows.prepend(places[:cut])
    start, stop = sorted((one - cut, other - cut))
    kinds, flags = rows.codes(start, stop)
    assert list(kinds) == [rows.kind(row) for row in range(start, stop)]
    assert list(flags) == [rows.flags(row) for row in range(start, stop)]


def test_rows_that_are_joined_with_none_are_told_together() -> None:
    rows = PackedRows()
    rows.append([Place(number * 10, 9, 0, 1, 0) for number in range(3 * SEGMENT_ROWS)])
    rows.set_link(5, 6)
    rows.set_link(6, 5)
    rows.set_link(SEGMENT_ROWS + 1, SEGMENT_ROWS - 300)
    rows.set_link(7, 9)
    rows.set_link(7, None)
    unlinked = rows.unlinked(3, 2 * SEGMENT_ROWS)
    assert len(unlinked) == 2 * SEGMENT_ROWS - 3
    joined = [3 + at for at, free in enumerate(unlinked) if not free]
    assert joined == [5, 6, SEGMENT_ROWS + 1]
    assert rows.unlinked(7, 7) == b""
