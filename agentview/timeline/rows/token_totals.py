"""Tokens added up by all that their price depends on, in whatever order rows are read."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import Any, Self

from msgspec.structs import replace

from agentview.domain.index_entry import EventFact
from agentview.domain.session import Stream
from agentview.domain.usage import Usage
from agentview.domain.value import Value

SIZES = (32_000, 100_000, 128_000, 199_999, 200_000, 256_000, 272_000, 512_000, 524_288)
"""Tokens of input above which the price of some model is another one."""

SPAN = 1800.0
"""Seconds in which no price changes: they do so at a date, or half an hour past the full hour."""

_FIELDS = ("input_uncached", "input_cached", "cache_write", "output", "cache_write_1h")
_UNFINISHED = 32
_NO_SUMS = (0, 0, 0, 0, 0, 0, 0, 0)
_PICO = 1e12
"""Parts of a dollar that are added up: whole numbers, which can be taken back."""


class PriceTier(Value):
    """Common conditions of responses that have one price for each sort of token."""

    model: str | None
    size: int = 0
    """How many of `SIZES` the tokens that went in are above."""
    span: int | None = None
    """Whole `SPAN`s since the epoch."""
    known: int = 0b1111
    """A bit for each count that was stated: uncached, cached, cache-writing input, output, and the
    part of cache-writing input that is kept for an hour; then one for unfinished output."""
    waits: tuple[Stream | None] | None = None
    """The stream whose model no known row has."""

    @property
    def time(self) -> float | None:
        """A time at which the price holds, epoch seconds."""
        return None if self.span is None else self.span * SPAN

    @property
    def tokens_in(self) -> int:
        """A number of tokens that go in for which the price holds."""
        return SIZES[self.size] if self.size < len(SIZES) else SIZES[-1] + 1


Spent = Sequence[tuple[PriceTier, Usage]]
"""All tokens, by bracket."""

_Sums = tuple[int, int, int, int, int, int, int, int]
"""Responses, the tokens of each field; for how many the cost is known, and the sum."""


class TokenTotals:
    """Sums by bracket. The model of a response may come from rows that are read after it."""

    def __init__(self) -> None:
        self.sums: dict[PriceTier, _Sums] = {}
        self.low: float = inf
        """The lowest row of which something is known."""
        self.models: dict[Stream | None, str] = {}
        """The model that each stream used last."""
        self._resolved_models: dict[Stream | None, str] = {}
        """The model that the responses of a stream waited for, where they did."""
        self._block: dict[int, str] = {}
        """Models of responses in the rows that are being taken, by identity of the fact."""
        self._spent: Spent | None = None

    def begin(
        self, start: int, facts: Sequence[EventFact], loose: Sequence[tuple[int, EventFact]]
    ) -> None:
        """Take what rows at either end, which begin at `start`, say about models.

        `loose` stand without a row of their own, each at the index of a row.
        """
        front, self.low = start < self.low, min(start, self.low)
        models: dict[Stream | None, str] = {} if front else self.models
        self._block = {}
        at = 0
        for index, fact in loose:
            _note(models, facts[at : index + 1])
            at = max(at, index + 1)
            _note(models, (fact,))
            if fact.usage is not None and fact.usage.model is None and fact.stream in models:
                self._block[id(fact)] = models[fact.stream]
        _note(models, facts[at:])
        if front:
            self._resolve(models)
            self.models = {**models, **self.models}

    def bracket(self, fact: EventFact) -> PriceTier:
        """The bracket of a response."""
        reported = fact.usage
        if reported is None:
            return PriceTier(None)
        model = reported.model or self._block.get(id(fact))
        waits = (fact.stream,) if model is None else None
        return bracket_of(model, reported.usage, fact.time, waits)

    def add(
        self, bracket: PriceTier, usage: Usage, cost: float | None = None, sign: int = 1
    ) -> None:
        """Count a response, or take back (-1) one that was counted.

        `cost` is the client's own figure in US dollars.
        """
        sums = self.sums
        if sign < 0 and bracket.waits is not None and bracket not in sums:
            model = self._resolved_models.get(bracket.waits[0])
            bracket = replace(bracket, model=model, waits=None)
        count, uncached, cached, written, output, hour, priced, paid = sums.get(bracket, _NO_SUMS)
        sums[bracket] = (
            count + sign,
            uncached + sign * (usage.input_uncached or 0),
            cached + sign * (usage.input_cached or 0),
            written + sign * (usage.cache_write or 0),
            output + sign * (usage.output or 0),
            hour + sign * (usage.cache_write_1h or 0),
            # One that used nothing has no cost.
            priced + sign * (cost is not None or not usage.context),
            paid + sign * round((cost or 0.0) * _PICO),
        )
        if sign < 0 and sums[bracket] == _NO_SUMS:
            del sums[bracket]
        self._spent = None

    def copy(self) -> "TokenTotals":
        """The same, apart from this one."""
        other = TokenTotals()
        other.sums, other.models = dict(self.sums), dict(self.models)
        other._resolved_models, other.low = dict(self._resolved_models), self.low
        return other

    def state(self) -> tuple[Any, ...]:
        """All of it, in tuples."""
        tables = (self.sums, self.models, self._resolved_models)
        return (*(tuple(table.items()) for table in tables), self.low)

    @classmethod
    def of(cls, state: tuple[Any, ...], moved: Callable[[int], int]) -> Self:
        """The totals of a state; `moved` gives the new number of a row."""
        made = cls()
        sums, models, resolved, low = state
        made.sums = {tier: tuple(each) for tier, each in sums}
        made.models, made._resolved_models = dict(models), dict(resolved)
        made.low = low if low == inf else moved(low)
        return made

    def rebase(self, old: "TokenTotals", new: "TokenTotals") -> None:
        """Put `new` in the place of `old`, of which all is counted here and in `new`."""
        self._merge(old.sums, -1)
        # What is left to wait came after the rows that are reported again.
        self._resolve(new.models)
        self._merge(new.sums, 1)
        self.models = {**new.models, **self.models}
        self.low = min(self.low, new.low)

    @property
    def spent(self) -> Spent:
        """All that was counted; the same object as long as nothing more is."""
        if self._spent is None:
            self._spent = tuple((each, _usage(each, sums)) for each, sums in self.sums.items())
        return self._spent

    @property
    def client_cost(self) -> float | None:
        """Cost of everything in US dollars, where the client reported it for each response."""
        sums = self.sums.values()
        paid = sum(each[7] for each in sums)
        return paid / _PICO if paid and all(each[0] == each[6] for each in sums) else None

    def _merge(self, sums: Mapping[PriceTier, _Sums], sign: int) -> None:
        mine = self.sums
        for bracket, (count, uncached, cached, written, output, hour, priced, paid) in sums.items():
            known = mine.get(bracket, _NO_SUMS)
            mine[bracket] = merged = (
                known[0] + sign * count,
                known[1] + sign * uncached,
                known[2] + sign * cached,
                known[3] + sign * written,
                known[4] + sign * output,
                known[5] + sign * hour,
                known[6] + sign * priced,
                known[7] + sign * paid,
            )
            if merged == _NO_SUMS:
                del mine[bracket]
        self._spent = None

    def _resolve(self, models: Mapping[Stream | None, str]) -> None:
        for bracket in [each for each in self.sums if each.waits is not None]:
            stream = bracket.waits[0] if bracket.waits is not None else None
            model = models.get(stream)
            if model is not None:
                self._resolved_models[stream] = model
                resolved = replace(bracket, model=model, waits=None)
                self._merge({resolved: self.sums.pop(bracket)}, 1)


def with_total(spent: Spent, total: Usage, model: str | None) -> Spent:
    """Return the usage where the client's own count of all is `total`.

    What the total has beyond the reported responses is added. Where it has less of something, the
    total replaces all of them, and how they were split is not known.
    """
    if total.output is not None:
        # The client knows what was not counted to its end.
        spent = tuple((bracket, replace(usage, unfinished=None)) for bracket, usage in spent)
    models = {bracket.model for bracket, _ in spent}
    model = model or (next(iter(models)) if len(models) == 1 else None)
    counts = [getattr(total, name) for name in _FIELDS]
    reported = [sum(getattr(usage, name) or 0 for _, usage in spent) for name in _FIELDS]
    left = [None if own is None else own - sum_ for own, sum_ in zip(counts, reported, strict=True)]
    if any(count is not None and count < 0 for count in left):
        return ((bracket_of(model, total, None), total),)
    if not any(left):
        return spent
    usage = _usage_of(*left)
    return (*spent, (bracket_of(model, usage, None), usage))


def difference(left: Usage, right: Usage) -> Usage:
    """Counts that `left` has beyond `right`, of those that both state."""
    pairs = ((getattr(left, name), getattr(right, name)) for name in _FIELDS)
    return _usage_of(*(None if None in pair else pair[0] - pair[1] for pair in pairs))


def bracket_of(
    model: str | None,
    usage: Usage,
    time: float | None,
    waits: tuple[Stream | None] | None = None,
) -> PriceTier:
    """The bracket of a response of a model at a time, epoch seconds."""
    uncached, cached, written = usage.input_uncached, usage.input_cached, usage.cache_write
    size = bisect_left(SIZES, (uncached or 0) + (cached or 0) + (written or 0))
    known = (
        (uncached is not None)
        + 2 * (cached is not None)
        + 4 * (written is not None)
        + 8 * (usage.output is not None)
        + 16 * (usage.cache_write_1h is not None)
        + _UNFINISHED * bool(usage.unfinished)
    )
    return _bracket(model, size, None if time is None else int(time // SPAN), known, waits)


@lru_cache(maxsize=256)
def _bracket(
    model: str | None,
    size: int,
    span: int | None,
    known: int,
    waits: tuple[Stream | None] | None,
) -> PriceTier:
    """One object for each, since millions of responses have few."""
    return PriceTier(model, size, span, known, waits)


def _note(models: dict[Stream | None, str], facts: Sequence[EventFact]) -> None:
    for fact in facts:
        if fact.facts is not None and fact.facts.model is not None:
            models[fact.stream] = fact.facts.model


def _usage(bracket: PriceTier, sums: _Sums) -> Usage:
    counts = (sums[at + 1] if bracket.known >> at & 1 else None for at in range(len(_FIELDS)))
    usage = _usage_of(*counts)
    return replace(usage, unfinished=1) if bracket.known & _UNFINISHED else usage


def _usage_of(*counts: int | None) -> Usage:
    return Usage(**dict(zip(_FIELDS, counts, strict=True)))
