"""Sessions in the order of time, each day, month and what is between them under a heading."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

from agentview.domain.value import Value
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.session_list import Entry

_WEEK = 6
"""Days before today that have their names for headings."""
_NO_TIME = "No time"


class Period(Value):
    """The line above the sessions whose last record is of the same day or month."""

    label: str
    sessions: int


class _Span(Value):
    """A period from `begin` to `end`, epoch seconds; `end` is not in it."""

    label: str
    begin: float
    end: float


def in_periods(entries: Sequence[Entry], now: float, *, descending: bool) -> list[Entry | Period]:
    """The entries, which are in the order of their last records, under headings.

    Those without a time are the last ones. Takes a search in the entries for each heading.
    """
    rows: list[Entry | Period] = []
    timed = len(entries)
    while timed and not activity_time(entries[timed - 1].info):
        timed -= 1
    start = 0
    while start < timed:
        span = _span_of(activity_time(entries[start].info), now)
        if descending:
            end = bisect_right(entries, -span.begin, start, timed, key=_from_newest)
        else:
            end = bisect_left(entries, span.end, start, timed, key=_from_oldest)
        end = max(end, start + 1)
        rows += (_period(span.label, end - start), *entries[start:end])
        start = end
    if timed < len(entries):
        rows += (_period(_NO_TIME, len(entries) - timed), *entries[timed:])
    return rows


def _from_newest(entry: Entry) -> float:
    return -activity_time(entry.info)


def _from_oldest(entry: Entry) -> float:
    return activity_time(entry.info)


@lru_cache(maxsize=256)
def _period(label: str, sessions: int) -> Period:
    return Period(label, sessions)


def _span_of(moment: float, now: float) -> _Span:
    """The period that a moment is in, as one calls it at the time `now`."""
    year, month, day = time.localtime(now)[:3]
    days = [_midnight(year, month, day - back) for back in range(-1, _WEEK + 1)]
    if moment >= days[0]:
        return _Span("Later", days[0], float("inf"))
    for back, begin in enumerate(days[1:]):
        if moment >= begin:
            names = ("Today", "Yesterday")
            label = names[back] if back < len(names) else time.strftime("%A", _noon(begin))
            return _Span(label, begin, days[back])
    try:
        then = time.localtime(moment)
        begin = _midnight(then.tm_year, then.tm_mon, 1)
        end = min(days[-1], _midnight(then.tm_year, then.tm_mon + 1, 1))
    except (OverflowError, ValueError, OSError):
        return _Span(_NO_TIME, float("-inf"), moment)
    if (then.tm_year, then.tm_mon) == (year, month):
        return _Span("This month", begin, end)
    label = time.strftime("%B" if then.tm_year == year else "%B %Y", then)
    return _Span(label, begin, end)


def _midnight(year: int, month: int, day: int) -> float:
    """When a day begins where this machine is; days and months may be beyond their ends."""
    return time.mktime((year, month, day, 0, 0, 0, 0, 0, -1))


def _noon(midnight: float) -> time.struct_time:
    return time.localtime(midnight + 43_200.0)
