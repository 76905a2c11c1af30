"""Facts about a whole session, kept so that the order in which rows are read does not matter."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from heapq import nlargest, nsmallest
from math import inf
from operator import attrgetter
from typing import Any, Generic, Self, TypeVar

from agentview.domain.activity import Kind, RowKind
from agentview.domain.events import Facts, TitleSource, TokenUsage
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, Signal
from agentview.domain.session import Stream
from agentview.domain.session_times import SessionTimes, TimeRange
from agentview.domain.usage import Usage
from agentview.domain.usage_limit import UsageLimits
from agentview.domain.value import Value
from agentview.normalize.project_path import project_path
from agentview.timeline.rows.tables.key_table import KeyTable
from agentview.timeline.rows.token_totals import (
    PriceTier,
    Spent,
    TokenTotals,
    difference,
    with_total,
)

_KEPT = 128
"""Responses, turns and prompts that are kept of a log that is followed."""

_RECENT = 32
"""Responses that may continue in rows which are read later."""

_GROUPS = 16
"""Groups of limits that are kept."""

_COMPACTION = KIND_CODES[RowKind.COMPACTION]
_RANK = {TitleSource.SUMMARY: 1, TitleSource.AI: 2, TitleSource.CUSTOM: 3}
_COUNTS = (
    "input_uncached", "input_cached", "cache_write", "output", "reasoning", "cache_write_1h",
    "unfinished",
)  # fmt: skip
_counts_of = attrgetter(*_COUNTS)

_Counted = tuple[int, Usage, PriceTier, float | None]
"""Row, tokens and bracket of a response, and what it cost by the client's own figure."""
_FACTS = ("cwd", "branch", "model", "client_version", "mode", "cost", "continued_in")


Latest = TypeVar("Latest")


class _Latest(Value, Generic[Latest], gc=True):
    """A value and the row that it comes from; a higher row wins."""

    row: int
    value: Latest


def _stated(total: Usage) -> Collection[str]:
    """The names of the counts that a total has."""
    counts: tuple[int | None, ...] = _counts_of(total)
    stated = [name for name, count in zip(_COUNTS, counts, strict=True) if count is not None]
    # The client knows what was not counted to its end.
    return stated if total.output is None else [*stated, "unfinished"]


def _take_later(known: dict[str, _Latest[Latest]], others: Mapping[str, _Latest[Latest]]) -> None:
    for name, latest in others.items():
        before = known.get(name)
        if before is None or latest.row > before.row:
            known[name] = latest


class Pending(Value):
    """A call without its result; `stream` is None for the one that the log is of."""

    key: str
    """The id of the call, which others may have too."""
    row: int
    signal: int
    stream: Stream | None


class Summary:
    """Facts of the header, and whether a call still runs."""

    def __init__(self) -> None:
        self.kinds: Counter[int] = Counter()
        """Rows that stand somewhere, by kind code."""
        self.problems = 0
        self.times = SessionTimes()
        """Times of all events, also of those that give way."""
        self.tokens: Counter[str] = Counter()
        self.known_counts: Counter[str] = Counter()
        self.turns = 0
        """Prompts of the main stream."""
        self.turn_rows: dict[Stream | None, set[int]] = {}
        self.prompts: dict[int, str] = {}
        self.latest: dict[str, _Latest[object]] = {}
        self.limits: dict[str, _Latest[UsageLimits]] = {}
        """Limits of the account by their group."""
        self.best_title: tuple[int, int, str] | None = None
        self.spending = TokenTotals()
        """Tokens of all responses by what their price depends on."""
        self.responses: dict[str, _Counted] = {}
        self._older: KeyTable | None = None
        """Rows of the responses that are counted and kept no longer."""
        self._packed_tokens: Counter[str] = Counter()
        """Of those that `pack_responses` packed; all rows that are read on are in front of them."""
        self._packed_counts: Counter[str] = Counter()
        self._recent: dict[str, _Counted] | None = None
        """The newest of the responses, where they are known."""
        self._recent_from = -inf
        """A response of an earlier row is none of them."""
        self.newest_usage: tuple[int, Usage] | None = None
        self.total: tuple[int, Usage] | None = None
        """The client's own newest count of all that was done until its row."""
        self.total_models: tuple[tuple[str | None, Usage], ...] = ()
        """The running count by model, in the order in which the log has them."""
        self.pending: dict[int, Pending] = {}
        """Calls that wait for their result, by row; also those of abandoned branches."""

    def add(self, row: int, fact: EventFact) -> None:
        """Count an event that counts, at its row; `take` and `note` take what it says."""
        flags = fact.flags
        if not flags & Flag.ABSENT:
            self.kinds[fact.kind] += 1
            if flags & Flag.PROBLEM:
                self.problems += 1
            if flags & Flag.TURN:
                self.turns += 1
                self.prompts[row] = fact.prompt or ""
        # What waited when the history was replaced is never answered: the model knows it no longer.
        ended = fact.signal == Signal.INTERRUPTED or fact.kind == _COMPACTION
        if flags & Flag.TURN or ended:
            self.turn_rows.setdefault(fact.stream, set()).add(row)

    def take(self, row: int, fact: EventFact) -> None:
        """Take what an event without a row says: a title, the tokens of a response."""
        if fact.title is not None and fact.title.target is None:
            candidate = (_RANK[fact.title.source], row, fact.title.text)
            if self.best_title is None or candidate > self.best_title:
                self.best_title = candidate
        if fact.usage is not None:
            self._use(row, fact, fact.usage)

    def note(self, row: int, facts: Facts) -> None:
        """Take what a record says about the session."""
        for name in _FACTS:
            value = getattr(facts, name)
            known = self.latest.get(name)
            if value is not None and (known is None or row >= known.row):
                value = project_path(value) if name == "cwd" else value
                self.latest[name] = _Latest(row, value)
        if facts.limits:
            self._note_limits(row, facts.limits)

    def _note_limits(self, row: int, limits: UsageLimits) -> None:
        """Take limits, those of each group as it was stated last; of many groups the newest."""
        for group in dict.fromkeys(limit.group for limit in limits):
            known = self.limits.get(group)
            if known is None or row >= known.row:
                of_group = tuple(limit for limit in limits if limit.group == group)
                self.limits[group] = _Latest(row, of_group)
        self._forget_limits()

    def _forget_limits(self) -> None:
        while len(self.limits) > _GROUPS:
            del self.limits[min(self.limits, key=lambda group: self.limits[group].row)]

    def _use(self, row: int, fact: EventFact, usage: TokenUsage) -> None:
        if usage.total:
            self._use_total(row, usage)
            return
        known = self.responses.get(usage.response_id)
        if known is not None and (*known[1].rank, known[0]) > (*usage.usage.rank, row):
            self._note_context(row, fact, usage, known[1])
            return
        if (
            known is None
            and self._older is not None
            and self._older.get(usage.response_id) is not None
        ):
            return
        self.responses[usage.response_id] = self._spend(row, fact, usage, known)
        if row >= self._recent_from:
            self._recent = None
        names = self._counted_at(row)
        if known is not None:
            self._tally(known[1], -1, names)
        self._tally(usage.usage, 1, names)
        # A response is as new as its last record, also where an earlier one has its counts.
        last = row if known is None else max(row, known[0])
        self._note_context(last, fact, usage, usage.usage)

    def _note_context(self, row: int, fact: EventFact, reported: TokenUsage, usage: Usage) -> None:
        """Take the context after a response, unless a later one is known."""
        if reported.aside or fact.stream is not None:
            return
        if self.newest_usage is None or row >= self.newest_usage[0]:
            self.newest_usage = (row, usage)

    def _spend(
        self, row: int, fact: EventFact, reported: TokenUsage, known: _Counted | None
    ) -> _Counted:
        """Count a response, which may be repeated, by what its price depends on."""
        usage, cost = reported.usage, reported.cost
        if known is not None:
            if known[1] == usage and known[3] == cost:
                return (row, *known[1:])
            self.spending.add(known[2], known[1], known[3], -1)
        bracket = self.spending.bracket(fact)
        self.spending.add(bracket, usage, cost)
        return row, usage, bracket, cost

    def _use_total(self, row: int, reported: TokenUsage) -> None:
        """Count what the total states again: all until this row, and the responses after it."""
        if self.total is not None and self.total[0] >= row:
            if self.total[0] == row:
                # Of events at one row the last one comes first.
                self.total_models = ((reported.model, reported.usage), *self.total_models)
            return
        self.total, self.total_models = (row, reported.usage), ((reported.model, reported.usage),)
        stated = _stated(reported.usage)
        for name in stated:
            self.tokens[name] = self._packed_tokens[name]
            self.known_counts[name] = self._packed_counts[name]
        for later, response, *_ in self.responses.values():
            if later > row:
                self._tally(response, 1, stated)
        self._tally(reported.usage, 1, stated)

    def _counted_at(self, row: int) -> Collection[str]:
        """The counts that a response at `row` adds to: a total has some of those before it."""
        if self.total is None or row > self.total[0]:
            return _COUNTS
        stated = _stated(self.total[1])
        return [name for name in _COUNTS if name not in stated]

    def _tally(self, usage: Usage, sign: int, names: Collection[str]) -> None:
        tokens, known = self.tokens, self.known_counts
        counts: tuple[int | None, ...] = _counts_of(usage)
        for name, count in zip(_COUNTS, counts, strict=True):
            if count is not None and name in names:
                tokens[name] += sign * count
                known[name] += sign

    def snapshot(self) -> "Summary":
        """A copy for `rebase`: without what only those need who read the same rows on."""
        copy = Summary()
        copy.kinds = Counter(self.kinds)
        copy.problems, copy.turns = self.problems, self.turns
        copy.times = self.times.copy()
        copy.tokens, copy.known_counts = Counter(self.tokens), Counter(self.known_counts)
        copy.turn_rows = {stream: {max(rows)} for stream, rows in self.turn_rows.items() if rows}
        first = self._turn_after_cost()
        if isinstance(first, int):
            copy.turn_rows[None].add(first)
        if self.prompts:
            first = min(self.prompts)
            copy.prompts = {first: self.prompts[first]}
        copy.latest, copy.best_title = dict(self.latest), self.best_title
        copy.limits = dict(self.limits)
        copy.newest_usage, copy.total = self.newest_usage, self.total
        copy.total_models = self.total_models
        copy.spending = self.spending.copy()
        copy.responses = dict(self._newest_responses())
        return copy

    def state(self) -> tuple[Any, ...]:
        """Return the state that `snapshot` copies, in tuples."""
        times = (self.times.conversation, self.times.bookkeeping)
        counters = (self.kinds, self.tokens, self.known_counts)
        return (
            *(tuple(counter.items()) for counter in counters),
            self.problems,
            self.turns,
            tuple((each.first, each.last) for each in times),
            tuple((stream, tuple(rows)) for stream, rows in self.turn_rows.items()),
            tuple(self.prompts.items()),
            *(
                tuple((name, each.row, each.value) for name, each in latest.items())
                for latest in (self.latest, self.limits)
            ),
            self.best_title,
            self.spending.state(),
            tuple((response, *counted) for response, counted in self.responses.items()),
            self.newest_usage,
            self.total,
            self.total_models,
        )

    @classmethod
    def of(cls, state: tuple[Any, ...], moved: Callable[[int], int]) -> Self:
        """The summary of a state; `moved` gives the new number of a row. Raises ValueError."""
        made = cls()
        (
            kinds, tokens, known, made.problems, made.turns, times, turns, prompts, latest, limits,
            title, spending, responses, usage, total, made.total_models,
        ) = state  # fmt: skip
        made.kinds, made.tokens, made.known_counts = (
            Counter(dict(each)) for each in (kinds, tokens, known)
        )
        made.times = SessionTimes(*(TimeRange(*each) for each in times))
        made.turn_rows = {stream: set(map(moved, rows)) for stream, rows in turns}
        made.prompts = {moved(row): prompt for row, prompt in prompts}
        made.latest = {name: _Latest(moved(row), value) for name, row, value in latest}
        made.limits = {name: _Latest(moved(row), value) for name, row, value in limits}
        made.best_title = None if title is None else (title[0], moved(title[1]), title[2])
        made.spending = TokenTotals.of(spending, moved)
        made.responses = {name: (moved(row), *rest) for name, row, *rest in responses}
        made.newest_usage = None if usage is None else (moved(usage[0]), usage[1])
        made.total = None if total is None else (moved(total[0]), total[1])
        return made

    def _newest_responses(self) -> dict[str, _Counted]:
        if self._recent is None:
            newest = nlargest(_RECENT, self.responses.items(), key=lambda item: item[1][0])
            self._recent = dict(newest)
            self._recent_from = newest[-1][1][0] if len(newest) == _RECENT else -inf
        return self._recent

    def rebase(self, old: "Summary", new: "Summary") -> None:
        """Put `new` in the place of `old`, of which all rows are counted here and in `new`."""
        # Where a count of all has come since, it includes these.
        counted = self.total is not None and (new.total is None or new.total[0] < self.total[0])
        self.kinds.update(new.kinds)
        self.kinds.subtract(old.kinds)
        included = _stated(self.total[1]) if counted and self.total is not None else ()
        for name in _COUNTS:
            if name not in included:
                self.tokens[name] += new.tokens[name] - old.tokens[name]
                self.known_counts[name] += new.known_counts[name] - old.known_counts[name]
        if not counted:
            self.total, self.total_models = new.total, new.total_models
        self.spending.rebase(old.spending, new.spending)
        self.problems += new.problems - old.problems
        self.turns += new.turns - old.turns
        self.times.merge(new.times)
        for stream, rows in new.turn_rows.items():
            self.turn_rows.setdefault(stream, set()).update(rows)
        self.prompts.update(new.prompts)
        _take_later(self.latest, new.latest)
        _take_later(self.limits, new.limits)
        self._forget_limits()
        self.best_title = max(filter(None, (self.best_title, new.best_title)), default=None)
        self._recent = None
        self._take_over(old, new)
        if new.newest_usage is not None and (
            self.newest_usage is None or new.newest_usage[0] > self.newest_usage[0]
        ):
            self.newest_usage = new.newest_usage

    def _take_over(self, old: "Summary", new: "Summary") -> None:
        """Take over counted responses of rows handed over, since rows here may repeat them."""
        for response, counted in new.responses.items():
            row, usage, bracket, cost = counted
            known = self.responses.setdefault(response, counted)
            # Begun in rows that are handed over here for the first time, continued in others.
            handed = known[0] > row and response not in old.responses
            if handed:
                self.spending.add(bracket, usage, cost, -1)
            if handed:
                self._tally(usage, -1, self._counted_at(row))

    def settle(self) -> None:
        """Keep only what rows that follow can still change; once all before them is read."""
        if len(self.responses) > 2 * _KEPT:
            self._older = self._older or KeyTable()
            oldest = sorted(self.responses, key=lambda response: self.responses[response][0])
            for response in oldest[:-_KEPT]:
                self._older.table[response] = self.responses.pop(response)[0]
            self._recent = None
        if self._older is not None:
            self._older.settle()
        for rows in self.turn_rows.values():
            if len(rows) > 2 * _KEPT:
                rows.difference_update(sorted(rows)[:-_KEPT])
        if len(self.prompts) > 2 * _KEPT:
            self.prompts = {row: self.prompts[row] for row in nsmallest(_KEPT, self.prompts)}

    def pack_responses(self) -> None:
        """Keep only the newest responses, where only what is in front of them is still read."""
        if len(self.responses) <= 2 * _KEPT:
            return
        self._older = self._older or KeyTable()
        kept = dict(self._newest_responses())
        for response, counted in self.responses.items():
            if response not in kept:
                self._older.table[response] = counted[0]
        self.responses = kept
        self._older.pack_oldest()
        if self.total is None:
            # A total is the newest one: none in front of it counts.
            self._count_packed()

    def _count_packed(self) -> None:
        kept = [usage for _, usage, *_ in self.responses.values()]
        for usage in kept:
            self._tally(usage, -1, _COUNTS)
        self._packed_tokens, self._packed_counts = Counter(self.tokens), Counter(self.known_counts)
        for usage in kept:
            self._tally(usage, 1, _COUNTS)

    def asked(self, call: Pending) -> None:
        self.pending[call.row] = call

    def answered(self, row: int) -> None:
        self.pending.pop(row, None)

    def problem(self, change: int) -> None:
        self.problems += change

    def left(self, row: int, kind: int, flags: int) -> None:
        """Take back a row that no longer stands anywhere."""
        self.kinds[kind] -= 1
        if flags & Flag.PROBLEM:
            self.problems -= 1
        if flags & Flag.TURN:
            self.turns -= 1
        self.gone(row)

    def gone(self, row: int) -> None:
        """Forget the turn that began or ended at a row which counts no more."""
        for turns in self.turn_rows.values():
            turns.discard(row)
        self.prompts.pop(row, None)

    def turn_after(self, row: int, stream: Stream | None) -> bool:
        """True when the stream continued to another turn, or was interrupted, after the row."""
        return max(self.turn_rows.get(stream, ()), default=row) > row

    def count(self, *kinds: Kind) -> int:
        """Rows of these kinds that stand somewhere."""
        return sum(self.kinds[KIND_CODES[kind]] for kind in kinds)

    def text(self, name: str) -> str | None:
        """The newest value of a text fact, as `cwd` or `model`."""
        known = self.latest.get(name)
        return known.value if known is not None and isinstance(known.value, str) else None

    @property
    def account_limits(self) -> UsageLimits:
        """Limits of the account, each as it was stated last, in the order of the log."""
        found = sorted(self.limits.values(), key=lambda latest: latest.row)
        return tuple(limit for latest in found for limit in latest.value)

    @property
    def usage(self) -> Usage:
        """Tokens of all responses in this log, side streams included, each response once."""
        known = {name: self.tokens[name] for name in _COUNTS if self.known_counts[name]}
        return Usage(**known)

    @property
    def spent(self) -> Spent:
        """The same tokens by what their price depends on."""
        spent = self.spending.spent
        if self.total is None:
            return spent
        # Of a count by model the last one has everything; what came after it is in all of them.
        (model, _), *others = reversed(self.total_models)
        since = difference(self.usage, self.total[1])
        for each, usage in reversed(others):
            spent = with_total(spent, usage.plus(since), each)
        return with_total(spent, self.usage, model)

    @property
    def cost(self) -> float | None:
        """US dollars as the client counted them, None when the log does not say, or went on since.

        The log has it for all, or for each response, and then this is their sum. The usage of a
        turn may be reported after its cost, so only a response of a later turn, or after a count of
        all, is one that the figure does not include.
        """
        known = self.latest.get("cost")
        if known is None or not isinstance(known.value, float):
            return self.spending.client_cost if self.total is None else None
        used = known.row if self.newest_usage is None else self.newest_usage[0]
        turn = self._turn_after_cost()
        continued = turn < used or (self.total is not None and used > self.total[0])
        return None if continued and used > known.row else known.value

    def _turn_after_cost(self) -> float:
        """The first row at which a turn began or ended behind the client's cost."""
        known = self.latest.get("cost")
        row = -1 if known is None else known.row
        return min((turn for turn in self.turn_rows.get(None, ()) if turn > row), default=inf)

    @property
    def first_prompt(self) -> str | None:
        return self.prompts[min(self.prompts)] if self.prompts else None

    @property
    def own_title(self) -> str | None:
        return self.best_title[2] if self.best_title is not None else None

    @property
    def title(self) -> str | None:
        return self.best_title[2] if self.best_title is not None else self.first_prompt

    @property
    def context(self) -> int | None:
        """Tokens in the model's context after its newest response."""
        return self.newest_usage[1].context if self.newest_usage is not None else None
