"""Where the time of a session went: to the model, to tools, to waiting for a person."""

from dataclasses import dataclass, field
from enum import Enum

from agentview.domain.activity import RowKind
from agentview.domain.index_entry import (
    FAILURES,
    KIND_CODES,
    KINDS,
    NO_ROW,
    EventFact,
    Flag,
    Role,
    Signal,
)
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session_state import SILENT
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value


class TimeSplit(Value):
    """Seconds by who was waited for; each None where the log has no times for it.

    Of several things at once the one counts that the next record ends: a call that runs counts as
    tools, unless it asks a person. `unknown` is between records that do not show it: the log broke
    off in the middle of the agent's work and continued later.
    """

    model: float | None = None
    tools: float | None = None
    person: float | None = None
    unknown: float | None = None

    @property
    def total(self) -> float | None:
        """All of it together, None where nothing is known."""
        parts = (self.model, self.tools, self.person, self.unknown)
        known = [part for part in parts if part is not None]
        return sum(known) if known else None

    def plus(self, other: "TimeSplit") -> "TimeSplit":
        return TimeSplit(
            add_seconds(self.model, other.model),
            add_seconds(self.tools, other.tools),
            add_seconds(self.person, other.person),
            add_seconds(self.unknown, other.unknown),
        )


def add_seconds(left: float | None, right: float | None) -> float | None:
    """The sum; a side that is not known does not count, and the sum of two such is not known."""
    if left is None or right is None:
        return left if right is None else right
    return left + right


@dataclass(slots=True)
class Extent:
    """From when to when the events of a log are."""

    period: Period = ALL_TIME
    began: float | None = None
    """Time of the first event."""
    started: float | None = None
    ended: float | None = None
    """Times of the first and the last event in the period."""
    _first: float | None = None
    _last: float | None = None
    has_untimed: bool = False
    """Whether a response, a prompt, a call or a compaction has no time."""

    def take(self, fact: EventFact) -> None:
        """Take an event, in any order."""
        if fact.time is None:
            counts = fact.usage is not None or fact.flags & Flag.TURN or fact.role == Role.CALL
            if counts or fact.kind == _COMPACTION:
                self.has_untimed = True
            return
        time = fact.time
        if self._last is None or time > self._last:
            self._last = time
        if self._first is None or time < self._first:
            self._first = time
        if fact.flags & Flag.BOOKKEEPING:
            return
        if self.began is None or time < self.began:
            self.began = time
        if self.period.has(time):
            if self.started is None or time < self.started:
                self.started = time
            if self.ended is None or time > self.ended:
                self.ended = time

    @property
    def span(self) -> tuple[float, float] | None:
        """The first and the last time of all records."""
        return None if self._first is None or self._last is None else (self._first, self._last)

    @property
    def is_cut(self) -> bool:
        """True if something may be outside the period."""
        if self.period.is_all:
            return False
        return self.has_untimed or self.span is None or not self.period.has_all(*self.span)


class _Span(Enum):
    MODEL = "model"
    TOOLS = "tools"
    PERSON = "person"
    UNKNOWN = "unknown"


_COMPACTION = KIND_CODES[RowKind.COMPACTION]
_FROM_MODEL = frozenset({RowKind.MESSAGE, RowKind.REASONING, RowKind.REQUEST, *ToolKind})
_ASKING = (Signal.QUESTION, Signal.APPROVAL)
_DONE = (Signal.PERSON, Signal.DONE, Signal.OVER, *FAILURES, Signal.INTERRUPTED)


@dataclass(slots=True)
class Clock:
    """Gives the time between two records to what the second one ended.

    Records that say nothing about whose turn it is (bookkeeping, notices, attachments) end nothing:
    the time continues until one that does. With a `period` only what ended in it counts.
    """

    period: Period = ALL_TIME
    signal: int = Signal.NONE
    waiting: dict[str, int] = field(default_factory=dict[str, int])
    """Signal of each call that has no result yet, by its id."""
    last: float | None = None
    spent: dict[_Span, float] = field(default_factory=dict[_Span, float])
    seen: bool = False
    """True if there was time between records at all."""

    def take(self, fact: EventFact) -> None:
        """Take an event of the main stream, in file order."""
        went = self._ends(fact)
        if went is not None and fact.time is not None:
            self._until(fact.time, went)
        self._remember(fact)

    def _ends(self, fact: EventFact) -> _Span | None:
        """Who had been waited for until this; None for an event that does not show it."""
        if fact.flags & Flag.TURN or fact.signal == Signal.INTERRUPTED:
            return self._broken_off(fact)
        if fact.flags & Flag.BOOKKEEPING or fact.kind == NO_ROW:
            return None
        if fact.role == Role.RESULT and fact.key not in self.waiting:
            return None
        if fact.role in (Role.RESULT, Role.PROGRESS) or _by_model(fact):
            return self._at_work()
        return None

    def _at_work(self) -> _Span:
        if not self.waiting:
            return _Span.MODEL
        asked = any(signal in _ASKING for signal in self.waiting.values())
        return _Span.PERSON if asked else _Span.TOOLS

    def _broken_off(self, fact: EventFact) -> _Span:
        """Who had been waited for when a person spoke."""
        if not self.waiting and self.signal in _DONE:
            return _Span.PERSON
        late = self.last is not None and (fact.time or 0.0) - self.last >= SILENT
        return _Span.UNKNOWN if late else self._at_work()

    def _until(self, time: float, went: _Span) -> None:
        if self.last is not None and time > self.last and self.period.has(time):
            self.spent[went] = self.spent.get(went, 0.0) + time - self.last
            self.seen = True
        self.last = time if self.last is None else max(self.last, time)

    def _remember(self, fact: EventFact) -> None:
        if fact.role == Role.CALL and fact.key is not None:
            self.waiting.setdefault(fact.key, fact.signal)
        elif fact.role == Role.RESULT and fact.key is not None:
            self.waiting.pop(fact.key, None)
        if fact.flags & Flag.TURN or fact.signal == Signal.INTERRUPTED:
            self.waiting.clear()
        if fact.signal != Signal.NONE:
            self.signal = fact.signal

    @property
    def split(self) -> TimeSplit:
        """The seconds so far; all None for a log without times."""
        if not self.seen:
            return TimeSplit()
        return TimeSplit(*(self.spent.get(went, 0.0) for went in _Span))


def _by_model(fact: EventFact) -> bool:
    return fact.kind < len(KINDS) and KINDS[fact.kind] in _FROM_MODEL
