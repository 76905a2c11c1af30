import pytest

from agentview.timeline.view.format_numbers import (
    ago,
    byte_size,
    counted,
    exact_span,
    lines_changed,
    span,
    tokens,
)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (None, "–"),
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (8_140, "8.1k"),
        (9_949, "9.9k"),
        (9_950, "10k"),
        (120_400, "120k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (1_930_000, "1.9M"),
        (3_000_000_000, "3.0G"),
        (5_000_000_000_000, "5T"),
    ],
)
def test_a_count_has_at_most_five_characters(count: int | None, text: str) -> None:
    assert tokens(count) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(None, "–"), (312, "312 B"), (4_200, "4.2 kB"), (110_000_000, "110 MB")],
)
def test_sizes(size: int | None, text: str) -> None:
    assert byte_size(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "–"),
        (-5.0, "0s"),
        (59.9, "59s"),
        (60.0, "1m"),
        (3_600.0, "1h"),
        (86_400.0 * 13, "13d"),
        (86_400.0 * 14, "2w"),
        (86_400.0 * 800, "2y"),
    ],
)
def test_spans_keep_to_one_unit(seconds: float | None, text: str) -> None:
    assert span(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59.6, "1m"), (90, "1m 30s"), (5_400, "1h 30m"), (172_800, "2d"), (-3, "0s")],
)
def test_an_exact_span_has_all_units(seconds: float, text: str) -> None:
    assert exact_span(seconds) == text


def test_ago_is_a_dash_when_the_moment_is_not_known() -> None:
    assert ago(None, 100.0) == "–"
    assert ago(99.0, 100.0) == "now"
    assert ago(40.0, 100.0) == "1m ago"


def test_changed_lines_have_separators_and_no_zero() -> None:
    assert lines_changed(1_234, 56_789) == "+1,234 −56,789"
    assert [lines_changed(3, 0), lines_changed(0, 1), lines_changed(0, 0)] == ["+3", "−1", ""]


def test_counted_minds_the_plural() -> None:
    assert [counted(n, "error") for n in (0, 1, 1_200)] == ["0 errors", "1 error", "1,200 errors"]
