"""Moments and periods in the time zone of the machine."""

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from agentview.domain.period import ALL_TIME, Period
from agentview.errors import UsageError
from agentview.query.values import moment, period, stretch

NOW = datetime.fromisoformat("2026-11-25T10:30:00+01:00").timestamp()
"""A Wednesday."""


@pytest.fixture(autouse=True)
def _zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("30m", "2026-11-25T10:00:00+01:00"),
        ("2h", "2026-11-25T08:30:00+01:00"),
        ("3d", "2026-11-22T10:30:00+01:00"),
        ("2 days", "2026-11-23T10:30:00+01:00"),
        ("1 hour  ago", "2026-11-25T09:30:00+01:00"),
        ("90min", "2026-11-25T09:00:00+01:00"),
        ("1 week", "2026-11-18T10:30:00+01:00"),
        ("today", "2026-11-25T00:00:00+01:00"),
        ("Yesterday", "2026-11-24T00:00:00+01:00"),
        ("wednesday", "2026-11-25T00:00:00+01:00"),
        ("thursday", "2026-11-19T00:00:00+01:00"),
        ("this week", "2026-11-23T00:00:00+01:00"),
        ("last  week", "2026-11-16T00:00:00+01:00"),
        ("last-month", "2026-10-01T00:00:00+02:00"),
        ("last year", "2025-01-01T00:00:00+01:00"),
        ("14:00", "2026-11-25T14:00:00+01:00"),
        ("9:05:30", "2026-11-25T09:05:30+01:00"),
        ("2026", "2026-01-01T00:00:00+01:00"),
        ("2026-07", "2026-07-01T00:00:00+02:00"),
        ("2026-W48", "2026-11-23T00:00:00+01:00"),
        ("2026-11-20", "2026-11-20T00:00:00+01:00"),
        ("2026-11-20 14:00", "2026-11-20T14:00:00+01:00"),
        ("2026-11-20T13:00Z", "2026-11-20T14:00:00+01:00"),
        ("2026-11-20T13:00:00+02:00", "2026-11-20T12:00:00+01:00"),
    ],
)
def test_moments(text: str, wanted: str) -> None:
    assert moment(text, NOW) == datetime.fromisoformat(wanted).timestamp()


@pytest.mark.parametrize(
    "text",
    ["", "soon", "25:00", "12:60", "2026-13", "2026-02-30", "2026-W54", "3x", "last day", "-3d",
     "2 dogs", "2026-11-20Tnoon", "\x00", "next week"],
)  # fmt: skip
def test_what_is_no_moment(text: str) -> None:
    assert moment(text, NOW) is None


def test_a_period_has_its_beginning_and_not_its_end() -> None:
    day = period("2026-11-20", "2026-11-21", NOW)
    start = datetime.fromisoformat("2026-11-20T00:00+01:00").timestamp()
    end = start + 86_400
    assert day == Period(start, end)
    found = [day.has(each) for each in (start - 1, start, end - 1, end)]
    assert found == [False, True, True, False]
    assert not day.has(None)
    assert period(None, None, NOW).has(None)
    assert day.has_all(start, end - 1)
    assert not day.has_all(start, end)
    assert day.has_none(end, end + 9)
    assert not day.has_none(start - 9, end + 9)
    assert period("2h", None, NOW) == Period(NOW - 7200, None)


@pytest.mark.parametrize(
    ("after", "before", "message"),
    [
        ("soon", None, "--after cannot be 'soon'."),
        (None, "", "--before cannot be ''."),
        ("today", "yesterday", "There is no time between --after today and --before yesterday."),
        ("today", "today", "There is no time between --after today and --before today."),
    ],
)
def test_what_is_no_period_is_an_error(after: str | None, before: str | None, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        period(after, before, NOW)
    assert raised.value.message == message
    assert raised.value.hint


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("today", "2026-11-25T00:00+01:00", "2026-11-26T00:00+01:00"),
        ("yesterday", "2026-11-24T00:00+01:00", "2026-11-25T00:00+01:00"),
        ("monday", "2026-11-23T00:00+01:00", "2026-11-24T00:00+01:00"),
        ("2026-10-25", "2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00"),
        ("this week", "2026-11-23T00:00+01:00", "2026-11-30T00:00+01:00"),
        ("2026-W47", "2026-11-16T00:00+01:00", "2026-11-23T00:00+01:00"),
        ("last-month", "2026-10-01T00:00+02:00", "2026-11-01T00:00+01:00"),
        ("2026-02", "2026-02-01T00:00+01:00", "2026-03-01T00:00+01:00"),
        ("2025", "2025-01-01T00:00+01:00", "2026-01-01T00:00+01:00"),
        ("7d", "2026-11-18T10:30+01:00", None),
        ("09:00", "2026-11-25T09:00+01:00", None),
        ("2026-11-20T14:00", "2026-11-20T14:00+01:00", None),
        ("2026-11-01..2026-11-08", "2026-11-01T00:00+01:00", "2026-11-08T00:00+01:00"),
        ("yesterday .. 2h", "2026-11-24T00:00+01:00", "2026-11-25T08:30+01:00"),
        ("2026-11..", "2026-11-01T00:00+01:00", None),
        ("..today", None, "2026-11-25T00:00+01:00"),
        ("All", None, None),
    ],
)
def test_stretches(text: str, after: str | None, before: str | None) -> None:
    bounds = [None if at is None else datetime.fromisoformat(at).timestamp() for at in
              (after, before)]  # fmt: skip
    assert stretch(text, NOW) == Period(*bounds)


def test_all_of_time_has_what_has_no_time() -> None:
    assert stretch("all", NOW) == ALL_TIME


@pytest.mark.parametrize(
    "text", ["", "soon", "..", "today..yesterday", "today..today", "soon..today", "2d..soon"]
)
def test_what_is_no_stretch(text: str) -> None:
    assert stretch(text, NOW) is None
