"""When a session began and when something last happened in it: one rule for list and timeline."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from agentview.domain.activity import RowKind, row_kind
from agentview.domain.events import Body, Title, TokenUsage
from agentview.domain.index_entry import KIND_CODES, NO_ROW

_BOOKKEEPING = frozenset({NO_ROW, KIND_CODES[RowKind.HIDDEN]})


def row_code(body: Body) -> int:
    """Kind code of the row of an event; `NO_ROW` for an event that has no row of its own."""
    return NO_ROW if isinstance(body, TokenUsage | Title) else KIND_CODES[row_kind(body)]


@dataclass(slots=True)
class TimeRange:
    """The first and the last of some times; None of none."""

    first: float | None = None
    last: float | None = None

    def add(self, times: list[float]) -> None:
        """Take times, in any order."""
        if not times:
            return
        first, last = min(times), max(times)
        self.first = first if self.first is None or first < self.first else self.first
        self.last = last if self.last is None or last > self.last else self.last


@dataclass(slots=True)
class SessionTimes:
    """Times of the first and last record of a conversation, epoch seconds.

    Bookkeeping, such as a title or the settings of a client, is written when a session is only
    opened. Its times count where the conversation has none.
    """

    conversation: TimeRange = field(default_factory=TimeRange)
    bookkeeping: TimeRange = field(default_factory=TimeRange)

    @property
    def first(self) -> float | None:
        """When the session began; None where no record has a time."""
        first = self.conversation.first
        return self.bookkeeping.first if first is None else first

    @property
    def last(self) -> float | None:
        """When something last happened; None where no record has a time."""
        last = self.conversation.last
        return self.bookkeeping.last if last is None else last

    def take(self, events: Iterable[tuple[int, float | None]]) -> None:
        """Take kind codes and times of events, in any order."""
        conversation: list[float] = []
        bookkeeping: list[float] = []
        for code, time in events:
            if time is not None:
                (bookkeeping if code in _BOOKKEEPING else conversation).append(time)
        self.conversation.add(conversation)
        self.bookkeeping.add(bookkeeping)

    def merge(self, other: "SessionTimes") -> None:
        for own, more in (
            (self.conversation, other.conversation),
            (self.bookkeeping, other.bookkeeping),
        ):
            own.add([time for time in (more.first, more.last) if time is not None])

    def copy(self) -> "SessionTimes":
        return SessionTimes(replace(self.conversation), replace(self.bookkeeping))
