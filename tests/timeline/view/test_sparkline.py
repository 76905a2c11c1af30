"""Plots as text: columns of several rows, and values put into as many cells as there are."""

from math import fsum

from hypothesis import given
from hypothesis import strategies as st

from agentview.timeline.view.sparkline import columns, resampled

VALUES = st.lists(st.floats(0, 1e6), min_size=1, max_size=300)


@given(VALUES, st.integers(1, 120))
def test_cells_hold_all_values(values: list[float], width: int) -> None:
    highest = resampled(values, width)
    assert len(highest) == width
    assert max(highest) == max(values)
    if len(values) >= width:
        assert abs(fsum(resampled(values, width, fsum)) - fsum(values)) < 1e-3


@given(VALUES, st.integers(1, 5), st.booleans())
def test_columns_stand_on_the_ground_and_show_whatever_is_not_nothing(
    values: list[float], height: int, unicode: bool
) -> None:
    rows = columns(values, max(values), height, unicode=unicode)
    assert len(rows) == height
    for at, value in enumerate(values):
        column = [row[at] for row in rows]
        assert (column[-1] != " ") == (value > 0)
        assert column == sorted(column, key=lambda sign: sign != " ")


def test_columns_are_as_high_as_the_values() -> None:
    assert columns([0, 1, 4, 8], 8, 2) == ["   █", " ▂██"]
    assert columns([0, 1, 4, 8], 8, 1) == [" ▁▄█"]
    assert columns([0, 3, 6], 6, 2, unicode=False) == ["  #", " ##"]
    assert columns([0, 0], 0, 1) == ["  "]


def test_too_few_values_are_widened_and_none_give_none() -> None:
    assert resampled([1, 2], 4) == [1, 1, 2, 2]
    assert resampled([], 4) == []
    assert resampled([1], 0) == []
