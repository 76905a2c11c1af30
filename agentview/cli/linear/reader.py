"""Which activities are printed: those that come, and those that a person asks for."""

from collections.abc import Iterable, Iterator
from time import monotonic

from agentview.cli.linear.spoken import full_text, spoken_line, spoken_status
from agentview.domain.activity import Activity
from agentview.domain.events import Message, Reasoning
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.errors import UsageError
from agentview.facts.search.matcher import matcher_test
from agentview.query.parser import parse_query
from agentview.query.vocabulary import Surface
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.filter.filters import row_filter
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.titles.title import StatusIcon, mark_of

_UNSETTLED = frozenset({StatusIcon.RUNNING, StatusIcon.STREAMING})
_WRITES = frozenset({SessionState.WORKING, SessionState.UNKNOWN})
_STILL = 1.0
"""Seconds without a change after which the text at the end of a live session is printed."""
_AT_START = 10
"""Activities of a live session that are printed at first."""


class LinearReader:
    """The activities of a session as lines; `live`: print those that come.

    A call is printed when it begins and again when it ends. A text that may still grow is printed
    once something follows it or it stays as it is.
    """

    def __init__(self, store: SessionStore, *, live: bool) -> None:
        self._store = store
        self._live = live
        self._next = store.end
        """Rows before it were printed as they came, or were there before."""
        self._open: set[int] = set()
        """Calls that were printed without their end."""
        self._growing: tuple[int, int, float] | None = None
        """The last text, its length, and when it was first seen so."""
        self._status: SessionStatus | None = None
        self._query = ""
        self.at: int | None = None
        """The activity that was printed last for the person."""
        self.behind = False
        """The person reads earlier activities: what comes is counted, not printed."""
        store.subscribe(self._changed)

    # What comes

    def beginning(self) -> Iterator[str]:
        """Yield the newest activities of a live session, none of a past one."""
        if not self._live:
            return
        rows = self._shown_before(self._store.end, _AT_START)
        for row in rows:
            yield from self._print(row)
        self._next = self._store.end
        self.at = rows[-1] if rows else None

    def news(self, status: SessionStatus) -> Iterator[str]:
        """Yield what came since the last call, and the state where it is another one."""
        if self._live and not self.behind:
            yield from self._ended()
            yield from self._appended(status.state in _WRITES)
        before, self._status = self._status, status
        if before is not None and _key(before) != _key(status):
            yield spoken_status(status)

    @property
    def waits(self) -> bool:
        return self._growing is not None

    def _ended(self) -> Iterator[str]:
        for row in sorted(self._open):
            activity = self._store.activity(row)
            if mark_of(activity) not in _UNSETTLED:
                self._open.remove(row)
                if self._store.shown(row):
                    yield spoken_line(activity)

    def _appended(self, writes: bool) -> Iterator[str]:
        """`writes`: the agent may be at work."""
        store = self._store
        while self._next < store.end:
            row = self._next
            if store.shown(row):
                if writes and self._may_grow(row):
                    return
                yield from self._print(row)
                self.at = row
            self._next = row + 1
        self._growing = None

    def _may_grow(self, row: int) -> bool:
        """True for a text at the end that changed within the last second."""
        store = self._store
        if not store.live or any(map(store.shown, range(row + 1, store.end))):
            return False
        body = store.activity(row).body
        if not isinstance(body, Message | Reasoning):
            return False
        now, seen = monotonic(), (row, len(body.text))
        if self._growing is None or self._growing[:2] != seen:
            self._growing = (*seen, now)
            return True
        return now - self._growing[2] < _STILL

    def _print(self, row: int) -> Iterator[str]:
        activity = self._store.activity(row)
        if mark_of(activity) in _UNSETTLED:
            self._open.add(row)
        yield spoken_line(activity)
        if isinstance(activity.body, Message):
            yield from _rest_of(activity)

    def _changed(self, change: RowsChanged) -> None:
        if change.reset:
            self._next, self._open, self._growing = self._store.first, set(), None
            self.at, self.behind = None, False

    # What a person asks for

    def page(self, size: int, direction: int) -> Iterator[str]:
        """Yield the next or the previous activities, a line each."""
        rows = (
            self._shown_after(self.at, size)
            if direction > 0
            else self._shown_before(self._first_of_page(size), size)
        )
        yield from self._lines(rows, "End." if direction > 0 else "Beginning.")

    def step(self, direction: int) -> Iterator[str]:
        """Yield the activity after or before the current one."""
        here = self._store.end if self.at is None else self.at
        rows = self._shown_after(self.at, 1) if direction > 0 else self._shown_before(here, 1)
        yield from self._lines(rows, "End." if direction > 0 else "Beginning.")

    def ends(self, direction: int) -> Iterator[str]:
        """Yield the last (1) or the first activity; what comes is printed again at the last one."""
        store = self._store
        if direction < 0:
            yield from self._lines(self._shown_after(store.first - 1, 1), "No activity.")
            return
        yield from self._lines(self._shown_before(store.end, 1), "No activity.")
        self._next, self.behind = store.end, False

    def whole(self) -> Iterator[str]:
        """Yield all of the current activity."""
        if self.at is None:
            yield "No activity."
            return
        yield from full_text(self._store.activity(self.at))

    def search(self, query: str, direction: int = 1) -> Iterator[str]:
        """Yield the next or previous activity that matches; an empty query is the last one."""
        self._query = query or self._query
        parsed = parse_query(self._query, Surface.ACTIVITIES)
        if parsed.error is not None:
            raise UsageError(parsed.error.short, "See 'agentview help query'.")
        wanted = row_filter(parsed, self._store, matcher_test)
        if wanted is None:
            yield "Nothing to search for."
            return
        for row in self._from(direction):
            if self._store.shown(row) and wanted.passes(self._store, row):
                yield from self._lines([row], "")
                return
        yield f"No further match {'below' if direction > 0 else 'above'}."

    def _from(self, direction: int) -> Iterable[int]:
        store = self._store
        if direction > 0:
            return range(store.first if self.at is None else self.at + 1, store.end)
        return range((store.end if self.at is None else self.at) - 1, store.first - 1, -1)

    def _lines(self, rows: list[int], nothing: str) -> Iterator[str]:
        if not rows:
            yield nothing
            return
        for row in rows:
            yield spoken_line(self._store.activity(row))
        self.at = rows[-1]
        self.behind = self._live and bool(self._shown_after(self.at, 1))

    def missed(self) -> str | None:
        """Return how many activities came while the person read earlier ones."""
        if not self.behind:
            return None
        count = sum(map(self._store.shown, range(self._next, self._store.end)))
        return f"{counted(count, 'new row')} at the end. G goes there." if count else None

    def _first_of_page(self, size: int) -> int:
        """The first row of the page that was printed last."""
        if self.at is None:
            return self._store.end
        rows = self._shown_before(self.at + 1, size)
        return rows[0] if rows else self.at

    def _shown_after(self, row: int | None, most: int) -> list[int]:
        store = self._store
        start = store.first if row is None else row + 1
        return _first_shown(store, range(start, store.end), most)

    def _shown_before(self, row: int, most: int) -> list[int]:
        store = self._store
        return _first_shown(store, range(row - 1, store.first - 1, -1), most)[::-1]


def _key(status: SessionStatus) -> tuple[object, ...]:
    return status.state, status.certain, status.subject


def _first_shown(store: SessionStore, rows: Iterable[int], most: int) -> list[int]:
    found: list[int] = []
    for row in rows:
        if store.shown(row):
            found.append(row)
            if len(found) == most:
                break
    return found


def _rest_of(activity: Activity) -> Iterator[str]:
    """All of an answer: its line has only the beginning."""
    lines = list(full_text(activity))[1:]
    if len(lines) > 1:
        yield from lines
