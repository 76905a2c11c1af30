"""The arithmetic behind the table: ratios, goals, percentiles, and what is said of them."""

import pytest

from benchmarks import table
from benchmarks.__main__ import TABLE
from benchmarks.figures import (
    Figure,
    Goal,
    Group,
    Unit,
    at_least,
    at_most,
    goal_text,
    middle,
    percentile,
    shown,
)
from benchmarks.rows import ROWS


def test_ratio_is_ours_to_the_floor() -> None:
    assert Figure("start", 300.0, "ms", floor=200.0).ratio == 1.5


@pytest.mark.parametrize(("ours", "floor"), [(None, 2.0), (2.0, None), (2.0, 0.0)])
def test_without_both_there_is_no_ratio(ours: float | None, floor: float | None) -> None:
    assert Figure("start", ours, "ms", floor=floor).ratio is None


@pytest.mark.parametrize(
    ("ours", "floor", "goals", "reached"),
    [
        (140.0, 100.0, (at_most(1.4),), True),
        (141.0, 100.0, (at_most(1.4),), False),
        (16.7, None, (at_most(16.7, "value"),), True),
        (16.8, None, (at_most(16.7, "value"),), False),
        (45.0, None, (at_least(45.0),), True),
        (44.9, None, (at_least(45.0),), False),
        (0.4, 0.3, (at_most(1.5), at_most(0.5, "value")), True),
        (0.6, 0.5, (at_most(1.5), at_most(0.5, "value")), False),
        (0.4, 0.2, (at_most(1.5), at_most(0.5, "value")), False),
        (1.0, 1.0, (), None),
    ],
)
def test_all_goals_are_to_be_met(
    ours: float, floor: float | None, goals: tuple[Goal, ...], reached: bool | None
) -> None:
    assert Figure("figure", ours, "ms", goals, floor).reached is reached


def test_what_was_not_measured_is_not_reached() -> None:
    assert Figure("index", None, "s", (at_most(1.5),), 2.0).reached is False
    assert Figure("index", 3.0, "s", (at_most(1.5),), None).reached is False


def test_middle_is_the_median() -> None:
    assert middle([9.0, 1.0, 2.0]) == 2.0
    assert middle([1.0, 2.0]) == 1.5


@pytest.mark.parametrize(
    ("part", "value"), [(0.5, 50.0), (0.99, 99.0), (1.0, 100.0), (0.01, 1.0), (0.991, 100.0)]
)
def test_percentile_of_a_hundred(part: float, value: float) -> None:
    assert percentile([float(n) for n in range(100, 0, -1)], part) == value


def test_percentile_of_one_and_of_none() -> None:
    assert percentile([7.0], 0.5) == 7.0
    with pytest.raises(ValueError, match="no values"):
        percentile([], 0.5)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "ms", "–"),
        (1234.56, "ms", "1,234.6 ms"),
        (0.1234, "s", "0.12 s"),
        (3.0, "rows", "3 rows"),
        (1.25, "frames", "1.25 frames"),
    ],
)
def test_values_have_their_unit(value: float | None, unit: Unit, text: str) -> None:
    assert shown(value, unit) == text


def test_goals_are_said() -> None:
    assert goal_text(at_most(1.4), "ms") == "≤ 1.4 ×"
    assert goal_text(at_most(16.7, "value"), "ms") == "≤ 16.7 ms"
    assert goal_text(at_least(45.0), "frames/s") == "≥ 45 frames/s"


def test_table_says_what_is_reached_and_why_not() -> None:
    groups = [
        Group(
            "first frame",
            [
                Figure("small", 130.0, "ms", (at_most(1.4),), 100.0, "hello"),
                Figure("large", None, "ms", (at_most(1.4),), 100.0, "hello", "not done"),
            ],
            1,
        ),
        Group("memory", [Figure("of all", 40.0, "MB")]),
    ]
    head, _, name, first, second, note, other, last = table.lines(groups)
    assert head.split() == ["figure", "floor", "ours", "ratio", "to", "reach", "reached"]
    assert name.startswith("1. first frame  ")
    assert name.endswith("NOT REACHED")
    assert first.startswith("    small  ")
    assert first.endswith("yes")
    assert "1.30 ×" in first
    assert second.endswith("NOT REACHED")
    assert note.strip() == "not done"
    assert other == "memory"
    assert last.endswith("40.0 MB")
    assert first.index("130.0 ms") == head.index("ours")


def test_a_row_is_reached_when_all_its_figures_are() -> None:
    met, missed = Figure("a", 1.0, "s", (at_most(2.0, "value"),)), Figure("b", 1.0, "s")
    assert Group("x", [met, missed], 1).reached is True
    assert Group("x", [missed], 1).reached is None
    late = Figure("c", 3.0, "s", (at_most(2.0, "value"),))
    groups = [Group("x", [met, late], 1), Group("y", [met], 2), Group("z", [missed])]
    assert table.tally(groups) == "1 of 2 rows reached"


def test_figure_goes_to_json_with_its_verdict() -> None:
    found = Figure("start", 3.0, "ms", (at_most(1.4),), 2.0, "hello").as_json()
    assert found["ratio"] == 1.5
    assert found["reached"] is False
    assert found["goals"] == ({"bound": 1.4, "of": "ratio", "least": False},)


def test_each_row_is_measured_by_one_group() -> None:
    numbers = sorted(number for _, rows in TABLE.values() for number in rows)
    assert numbers == sorted(ROWS) == list(range(1, 26))
