"""Heights against a plain list, at both ends of the numbering, and their cost at a million rows."""

import sys
import time
import tracemalloc
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.timeline.view.view_state.heights import SEGMENT_ROWS, Heights

SOME = st.sampled_from([0, 1, 2, 7, 254, 255, 256, 70_000])
OPERATION = st.one_of(
    st.tuples(st.just("front"), st.lists(SOME, max_size=40), st.integers(1, 120)),
    st.tuples(st.just("back"), st.lists(SOME, max_size=40), st.integers(1, 120)),
    st.tuples(st.just("set"), st.lists(SOME, min_size=1, max_size=1), st.integers(0, 10**6)),
    st.tuples(st.just("rebuild"), st.lists(SOME, min_size=1, max_size=9), st.just(0)),
)


def check(heights: Heights, first: int, model: list[int]) -> None:
    assert (heights.first, heights.end) == (first, first + len(model))
    tops = [0, *accumulate(model)]
    assert heights.total == tops[-1]
    step = max(1, len(model) // 97)
    for at in range(0, len(model), step):
        row = first + at
        assert heights.height(row) == model[at]
        assert heights.top_of(row) == tops[at]
        if model[at]:
            assert heights.row_at(tops[at]) == (row, 0)
            assert heights.row_at(tops[at + 1] - 1) == (row, model[at] - 1)
        after = next((i for i in range(at, len(model)) if model[i]), None)
        before = next((i for i in range(at, -1, -1) if model[i]), None)
        assert heights.next_shown(row) == (None if after is None else first + after)
        assert heights.previous_shown(row) == (None if before is None else first + before)
    assert heights.top_of(heights.end) == tops[-1]


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(-5000, 5000), st.lists(OPERATION, max_size=12))
def test_heights_are_those_of_a_list(
    first: int, operations: list[tuple[str, list[int], int]]
) -> None:
    heights = Heights(first)
    model: list[int] = []
    for name, values, number in operations:
        if name == "front":
            heights.extend_front(values * number)
            model[:0] = values * number
            first -= len(values) * number
        elif name == "back":
            heights.extend_back(values * number)
            model += values * number
        elif name == "rebuild":
            model = [values[at % len(values)] for at in range(len(model))]
            heights.rebuild(model)
        elif model:
            heights.set(first + number % len(model), values[0])
            model[number % len(model)] = values[0]
    check(heights, first, model)


@pytest.mark.parametrize("first", [-1, 0, 1, SEGMENT_ROWS, -SEGMENT_ROWS, SEGMENT_ROWS - 1])
def test_segments_meet_at_every_boundary(first: int) -> None:
    heights, model = Heights(first), [3] * (2 * SEGMENT_ROWS + 1)
    heights.extend_back(model)
    for count in (1, SEGMENT_ROWS, 2 * SEGMENT_ROWS + 5):
        heights.extend_front([2] * count)
        model[:0] = [2] * count
        first -= count
    check(heights, first, model)


def test_what_is_outside_is_an_error_or_the_nearest_line() -> None:
    heights = Heights(-2)
    with pytest.raises(IndexError):
        heights.row_at(0)
    assert heights.next_shown(-100) is None
    assert heights.previous_shown(100) is None
    heights.extend_back([0, 4, 0, 5, 0])
    assert heights.row_at(-7) == (-1, 0)
    assert heights.row_at(1000) == (1, 4)
    for row in (-3, 3):
        with pytest.raises(IndexError):
            heights.height(row)
        with pytest.raises(IndexError):
            heights.set(row, 1)
    with pytest.raises(IndexError):
        heights.top_of(4)
    with pytest.raises(ValueError, match="each row"):
        heights.rebuild([1])
    assert heights.next_shown(-100) == -1
    assert heights.previous_shown(100) == 1


def test_bytes_and_lists_say_the_same() -> None:
    values = [0, 1, 254, 255, 9]
    from_bytes, from_list = Heights(), Heights()
    from_bytes.extend_back(bytes(values))
    from_bytes.extend_front(bytearray(values))
    from_list.extend_back(values)
    from_list.extend_front(values)
    check(from_bytes, -5, values + values)
    check(from_list, -5, values + values)


def test_a_million_rows_cost_little() -> None:
    tracemalloc.start()
    heights = Heights()
    for _ in range(100):
        heights.extend_front(b"\x01\x06\x00\x01\x0c" * 1000)
        heights.extend_back(b"\x01\x06\x00\x01\x0c" * 1000)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert heights.end - heights.first == 1_000_000
    assert held < 2.2 * 1_000_000
    assert sys.getsizeof(heights) < 200

    started = time.process_time()
    for turn in range(200):
        row, inside = heights.row_at(turn * 19_000)
        assert heights.top_of(row) + inside == turn * 19_000
        heights.set(row, 2 + turn % 9)
    each = (time.process_time() - started) / 200
    assert each < 0.002
