"""Headings of days and months above sessions in the order of time."""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.sessions.library.periods import Period, in_periods
from agentview.sessions.library.session_list import Entry
from tests.sessions.library.listed import facts

THURSDAY = datetime(2026, 11, 19, 15, 30, tzinfo=UTC)
NOW = THURSDAY.timestamp()
DAY = 86_400.0


@pytest.fixture(autouse=True, scope="module")
def zone() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def entries(moments: Sequence[float]) -> list[Entry]:
    return [Entry(facts(str(number), moment)) for number, moment in enumerate(moments)]


def labels(moments: Sequence[float], *, descending: bool = True) -> list[str]:
    found = in_periods(entries(moments), NOW, descending=descending)
    return [f"{row.label} {row.sessions}" for row in found if isinstance(row, Period)]


def at(*date: int) -> float:
    return datetime(*date, tzinfo=UTC).timestamp()  # type: ignore[arg-type]


MOMENTS = [
    (at(2026, 11, 21), "Later"),
    (NOW, "Today"),
    (at(2026, 11, 19), "Today"),
    (at(2026, 11, 18, 23, 59), "Yesterday"),
    (at(2026, 11, 17, 12), "Tuesday"),
    (at(2026, 11, 13), "Friday"),
    (at(2026, 11, 12, 23, 59), "This month"),
    (at(2026, 11, 1), "This month"),
    (at(2026, 10, 31, 23, 59), "October"),
    (at(2026, 1, 1), "January"),
    (at(2025, 12, 31, 23, 59), "December 2025"),
    (at(1970, 1, 2), "January 1970"),
    (0.0, "No time"),
]


@pytest.mark.parametrize(("moment", "label"), MOMENTS)
def test_a_period_has_the_name_that_one_calls_it(moment: float, label: str) -> None:
    assert labels([moment]) == [f"{label} 1"]


def test_both_orders_have_the_same_periods() -> None:
    moments = [moment for moment, _ in MOMENTS[:-1]]
    newest = labels(moments)
    assert "Today 2" in newest
    assert "This month 2" in newest
    assert labels(moments[::-1], descending=False) == newest[::-1]


@given(st.lists(st.floats(-400 * DAY, 3 * DAY).map(lambda ago: NOW + ago)), st.booleans())
def test_each_session_is_listed_once_below_its_period(
    moments: list[float], descending: bool
) -> None:
    listed = entries(sorted(moments, reverse=descending))
    rows = in_periods(listed, NOW, descending=descending)
    assert [row for row in rows if isinstance(row, Entry)] == listed
    heads = [row for row in rows if isinstance(row, Period)]
    assert sum(head.sessions for head in heads) == len(listed)
    assert len({head.label for head in heads}) == len(heads)


def test_the_week_of_a_month_that_has_just_begun() -> None:
    now = (THURSDAY - timedelta(days=17)).timestamp()
    rows = in_periods(entries([now - day * DAY for day in range(9)]), now, descending=True)
    names = [row.label for row in rows if isinstance(row, Period)]
    assert names == [
        "Today", "Yesterday", "Saturday", "Friday", "Thursday", "Wednesday", "Tuesday", "October",
    ]  # fmt: skip
