"""Prices of models from the table of `genai-prices`, as installed: nothing is ever fetched.

Importing it takes longer than starting a command, so only who shows prices imports this module.
"""

from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

from genai_prices import Usage as Tokens
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelInfo, ModelPrice, TieredPrices
from genai_prices.types import Provider as Vendor

from agentview.domain.usage import Usage
from agentview.store.token_totals import PriceTier
from agentview.usage.rates import Rates
from agentview.usage.tally import Price
from agentview.workers.connection import Connection

_MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class _Steps:
    """Rates by how many tokens go in: all tokens of a response cost what its size says."""

    starts: tuple[int, ...]
    rates: tuple[Rates, ...]
    """One more than `starts`: those below the first, then those above each."""


class PriceList:
    """Prices at the time of each response; models are looked for once each."""

    def __init__(self) -> None:
        self._models: dict[str, ModelInfo | None] = {}
        self._steps: dict[int, tuple[ModelPrice, _Steps]] = {}

    def __call__(self, model: str | None, usage: Usage, time: float | None) -> Price | None:
        """The price of a response; `time` in epoch seconds, None for the prices of now.

        None for a model that the list does not have, and where neither input nor output is known.
        """
        if usage.input_uncached is None and usage.output is None:
            return None
        rates = self._rates_of(model, time, _tokens_in(usage))
        return None if rates is None else rates.price(usage)

    def rates(self, bracket: PriceTier) -> Rates | None:
        """Return what a token costs in the responses of a bracket; None without a known price."""
        return self._rates_of(bracket.model, bracket.time, bracket.tokens_in)

    def _rates_of(self, model: str | None, time: float | None, size: int) -> Rates | None:
        found = None if model is None else self._model(model)
        return None if found is None else self._rates(found, time, size)

    def _model(self, name: str) -> ModelInfo | None:
        if name not in self._models:
            self._models[name] = find_model(name)
        return self._models[name]

    def _rates(self, model: ModelInfo, time: float | None, size: int) -> Rates:
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
    found = _find(name)
    return None if found is None else found[1]


@cache
def vendor_of(model: str | None) -> str | None:
    """Whose model one of this name is, in a word such as `anthropic`; None for an unknown one."""
    found = None if model is None else _find(model)
    return None if found is None else found[0].id


def _find(name: str) -> tuple[Vendor, ModelInfo] | None:
    plain = name.partition("[")[0].strip()
    tried = (plain, plain.rpartition("/")[2], plain.rpartition(":")[2])
    for candidate in dict.fromkeys(tried):
        if not candidate:
            continue
        try:
            return get_snapshot().find_provider_model(candidate, None, None, None)
        except LookupError:
            continue
    return None


def _moment(time: float | None) -> datetime:
    try:
        return datetime.now(UTC) if time is None else datetime.fromtimestamp(time, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.now(UTC)


def _steps(price: ModelPrice) -> _Steps:
    """Return what the library asks for a token, on each side of the sizes where a price changes."""
    tiers = [value for value in vars(price).values() if isinstance(value, TieredPrices)]
    starts = sorted({tier.start for tiered in tiers for tier in tiered.tiers})
    return _Steps(tuple(starts), tuple(_rates_at(price, size + 1) for size in (0, *starts)))


def _rates_at(price: ModelPrice, size: int) -> Rates:
    def of_input(**kinds: int) -> float:
        asked = price.calc_price(Tokens(input_tokens=size, **kinds))
        return _each(asked["input_price"], size)

    said = price.calc_price(Tokens(input_tokens=size, output_tokens=_MANY))
    return Rates(
        of_input(),
        of_input(cache_read_tokens=size),
        of_input(cache_write_tokens=size),
        _each(said["output_price"], _MANY),
        of_input(cache_write_tokens=size, cache_write_1h_tokens=size),
    )


def _each(total: Decimal, count: int) -> float:
    return float(total / count)


def serve_rates(connection: Connection) -> None:
    """Answer a list of `PriceTier` with their rates; None for a model that has no known price."""
    brackets: list[PriceTier] = connection.receive()
    prices = PriceList()
    connection.send([prices.rates(bracket) for bracket in brackets])
