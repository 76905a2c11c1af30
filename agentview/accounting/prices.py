"""Prices of models from the table of `genai-prices`, as installed: nothing is ever fetched.

Importing it takes longer than starting a command, so only who shows prices imports this module.
"""

from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from genai_prices import Usage as Tokens
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

from agentview.accounting.tally import Price
from agentview.domain.usage import Usage

_MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class _Rates:
    """US dollars a token; those of fresh input, read from a cache, written to one, and output."""

    uncached: float
    cached: float
    written: float
    output: float


@dataclass(frozen=True, slots=True)
class _Steps:
    """Rates by how many tokens go in: all tokens of a response cost what its size says."""

    starts: tuple[int, ...]
    rates: tuple[_Rates, ...]
    """One more than `starts`: those below the first, then those above each."""


class PriceList:
    """Prices at the time of each response; models are looked for once each."""

    def __init__(self) -> None:
        self._models: dict[str, ModelInfo | None] = {}
        self._steps: dict[int, tuple[ModelPrice, _Steps]] = {}

    def __call__(
        self, model: str | None, usage: Usage, time: float | None, size: int | None = None
    ) -> Price | None:
        """The price of a response; `time` in epoch seconds, None for the prices of now.

        With `size` that of many responses added up, to each of which so many tokens were given.
        None for a model that the list does not have, and where neither input nor output is known.
        """
        if model is None or (usage.input_uncached is None and usage.output is None):
            return None
        found = self._model(model)
        if found is None:
            return None
        rates = self._rates(found, time, _tokens_in(usage) if size is None else size)
        cost = (
            (usage.input_uncached or 0) * rates.uncached
            + (usage.input_cached or 0) * rates.cached
            + (usage.cache_write or 0) * rates.written
            + (usage.output or 0) * rates.output
        )
        return Price(cost, whole=usage.input_uncached is not None and usage.output is not None)

    def _model(self, name: str) -> ModelInfo | None:
        if name not in self._models:
            self._models[name] = find_model(name)
        return self._models[name]

    def _rates(self, model: ModelInfo, time: float | None, size: int) -> _Rates:
        price = model.get_prices(_moment(time))
        known = self._steps.get(id(price))
        if known is None:
            # The price is kept too: while it is, no other can have its identity.
            known = self._steps[id(price)] = (price, _steps(price))
        steps = known[1]
        return steps.rates[bisect_left(steps.starts, size)]


def _tokens_in(usage: Usage) -> int:
    given = (usage.input_uncached, usage.input_cached, usage.cache_write)
    return sum(count for count in given if count is not None)


def find_model(name: str) -> ModelInfo | None:
    """The model that a log calls `name`, None when the list does not have it.

    Clients put a variant in brackets behind it, and gateways whose model it is in front of it.
    """
    plain = name.partition("[")[0].strip()
    tried = (plain, plain.rpartition("/")[2], plain.rpartition(":")[2])
    for candidate in dict.fromkeys(tried):
        if not candidate:
            continue
        try:
            return get_snapshot().find_provider_model(candidate, None, None, None)[1]
        except LookupError:
            continue
    return None


def _moment(time: float | None) -> datetime:
    try:
        return datetime.now(UTC) if time is None else datetime.fromtimestamp(time, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.now(UTC)


def _steps(price: ModelPrice) -> _Steps:
    """What the library asks for a token, on each side of the sizes where a price changes."""
    tiers = [value for value in vars(price).values() if isinstance(value, TieredPrices)]
    starts = sorted({tier.start for tiered in tiers for tier in tiered.tiers})
    return _Steps(tuple(starts), tuple(_rates_at(price, size + 1) for size in (0, *starts)))


def _rates_at(price: ModelPrice, size: int) -> _Rates:
    def of_input(**kinds: int) -> float:
        asked = price.calc_price(Tokens(input_tokens=size, **kinds))
        return _each(asked["input_price"], size)

    said = price.calc_price(Tokens(input_tokens=size, output_tokens=_MANY))
    return _Rates(
        of_input(),
        of_input(cache_read_tokens=size),
        of_input(cache_write_tokens=size),
        _each(said["output_price"], _MANY),
    )


def _each(total: Decimal, count: int) -> float:
    return float(total / count)
