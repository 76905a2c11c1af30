"""Facts about a whole session, kept so that the order in which rows are read does not matter."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from agentview.domain.activity import Kind
from agentview.domain.events import Facts, TitleSource
from agentview.domain.outline import KINDS, NO_ROW, EventFact, Flag, Signal
from agentview.domain.session import LiveState, Stream
from agentview.domain.usage import Usage

STALE_AFTER = 30 * 60.0
"""Seconds without a record after which what should still come is no longer expected."""

_RANK = {TitleSource.SUMMARY: 1, TitleSource.AI: 2, TitleSource.CUSTOM: 3}
_COUNTS = ("input_uncached", "input_cached", "cache_write", "output", "reasoning")
_FACTS = ("cwd", "branch", "model", "client_version", "mode", "cost")


@dataclass(slots=True)
class _Latest:
    """A value and the row that it comes from; a higher row wins."""

    row: int
    value: object


@dataclass(slots=True)
class Pending:
    """A call without its result; `stream` is None for the one that the log is of."""

    row: int
    signal: int
    stream: Stream | None


class Summary:
    """What the header shows, and what tells whether a call still runs."""

    def __init__(self) -> None:
        self.kinds: Counter[int] = Counter()
        """Rows that stand somewhere, by kind code."""
        self.problems = 0
        self.first_time: float | None = None
        self.last_time: float | None = None
        self._tokens: Counter[str] = Counter()
        self._known: Counter[str] = Counter()
        self._turns: dict[Stream | None, set[int]] = {}
        self._prompts: dict[int, str] = {}
        self._facts: dict[str, _Latest] = {}
        self._noted: Facts | None = None
        self._title: tuple[int, int, str] | None = None
        self._responses: dict[str, tuple[int, Usage]] = {}
        self._context: tuple[int, Usage] | None = None
        self.pending: dict[str, Pending] = {}
        """Calls that wait for their result, by id."""

    def add(self, row: int, fact: EventFact) -> None:
        """Take an event that counts, at its row."""
        if fact.kind != NO_ROW and not fact.flags & Flag.ABSENT:
            self._count(row, fact)
        if fact.facts is not None:
            self._note(row, fact.facts)
        if fact.title is not None and fact.title.target is None:
            candidate = (_RANK[fact.title.source], row, fact.title.text)
            if self._title is None or candidate > self._title:
                self._title = candidate
        if fact.usage is not None:
            self._use(row, fact)
        if fact.flags & Flag.TURN or fact.signal == Signal.INTERRUPTED:
            self._turns.setdefault(fact.stream, set()).add(row)

    def _count(self, row: int, fact: EventFact) -> None:
        self.kinds[fact.kind] += 1
        if fact.flags & Flag.PROBLEM:
            self.problems += 1
        if fact.flags & Flag.TURN:
            self._prompts[row] = fact.prompt or ""
        if fact.time is not None:
            if self.first_time is None or fact.time < self.first_time:
                self.first_time = fact.time
            if self.last_time is None or fact.time > self.last_time:
                self.last_time = fact.time

    def _note(self, row: int, facts: Facts) -> None:
        if facts == self._noted:
            return
        self._noted = facts
        for name in _FACTS:
            value = getattr(facts, name)
            known = self._facts.get(name)
            if value is not None and (known is None or row >= known.row):
                self._facts[name] = _Latest(row, value)

    def _use(self, row: int, fact: EventFact) -> None:
        usage = fact.usage
        if usage is None:
            return
        known = self._responses.get(usage.response_id)
        if known is not None and known[0] > row:
            return
        self._responses[usage.response_id] = (row, usage.usage)
        if known is not None:
            self._tally(known[1], -1)
        self._tally(usage.usage, 1)
        if fact.stream is None and (self._context is None or row >= self._context[0]):
            self._context = (row, usage.usage)

    def _tally(self, usage: Usage, sign: int) -> None:
        for name in _COUNTS:
            count: int | None = getattr(usage, name)
            if count is not None:
                self._tokens[name] += sign * count
                self._known[name] += sign

    def asked(self, call_id: str, row: int, fact: EventFact) -> None:
        """A call waits for its result."""
        self.pending[call_id] = Pending(row, fact.signal, fact.stream)

    def answered(self, call_id: str) -> None:
        """A call waits no longer."""
        self.pending.pop(call_id, None)

    def problem(self, change: int) -> None:
        """Count a problem that showed only when rows were joined."""
        self.problems += change

    def left(self, row: int, kind: int, flags: int) -> None:
        """Take back a row that no longer stands anywhere."""
        self.kinds[kind] -= 1
        for turns in self._turns.values():
            turns.discard(row)
        if flags & Flag.PROBLEM:
            self.problems -= 1
        self._prompts.pop(row, None)

    def turn_after(self, row: int, stream: Stream | None) -> bool:
        """True when the stream went on to another turn, or was interrupted, after the row."""
        return max(self._turns.get(stream, ()), default=row) > row

    def count(self, *kinds: Kind) -> int:
        """Rows of these kinds that stand somewhere."""
        return sum(self.kinds[code] for code, kind in enumerate(KINDS) if kind in kinds)

    def text(self, name: str) -> str | None:
        """The newest value of a text fact (`cwd`, `branch`, `model`, `client_version`, `mode`)."""
        known = self._facts.get(name)
        return known.value if known is not None and isinstance(known.value, str) else None

    @property
    def usage(self) -> Usage:
        """Tokens of all responses in this log, side streams included, each response once."""
        return Usage(
            **{name: self._tokens[name] if self._known[name] else None for name in _COUNTS}
        )

    @property
    def cost(self) -> float | None:
        """US dollars as the client counted them, None when the log does not say."""
        known = self._facts.get("cost")
        return known.value if known is not None and isinstance(known.value, float) else None

    @property
    def turns(self) -> int:
        """Prompts of the main stream."""
        return len(self._prompts)

    @property
    def first_prompt(self) -> str | None:
        """The beginning of the first prompt read so far."""
        return self._prompts[min(self._prompts)] if self._prompts else None

    @property
    def own_title(self) -> str | None:
        """The newest title that the log gives itself."""
        return self._title[2] if self._title is not None else None

    @property
    def title(self) -> str | None:
        """The log's own title, else the beginning of the first prompt read so far."""
        return self._title[2] if self._title is not None else self.first_prompt

    @property
    def context(self) -> int | None:
        """Tokens in the model's context after its newest response."""
        return self._context[1].context if self._context is not None else None

    def state(self, signal: int, waiting: Iterable[Pending], now: float) -> LiveState:
        """Who has to act next at the time `now`, epoch seconds.

        `signal` is the last one of the main stream, `waiting` the calls that still may be answered.
        """
        calls = [call for call in waiting if call.stream is None]
        if calls and signal != Signal.INTERRUPTED:
            signal = max(calls, key=lambda call: call.row).signal
        state = _STATES.get(signal, LiveState.UNKNOWN)
        late = self.last_time is not None and now - self.last_time > STALE_AFTER
        return LiveState.STALE if state is LiveState.WORKING and late else state


_STATES = {
    Signal.AGENT: LiveState.WORKING,
    Signal.PERSON: LiveState.WAITING_INPUT,
    Signal.QUESTION: LiveState.WAITING_INPUT,
    Signal.APPROVAL: LiveState.WAITING_APPROVAL,
    Signal.INTERRUPTED: LiveState.INTERRUPTED,
}
