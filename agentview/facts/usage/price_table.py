"""Prices of models from the table of `genai-prices`, as installed: nothing is ever fetched.

Importing it takes longer than starting a command: `kept_prices` asks it for each model once.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from functools import cache

from genai_prices import Usage as Tokens
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import (
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    StartDateConstraint,
    TieredPrices,
    TimeOfDateConstraint,
)
from genai_prices.types import Provider as Vendor

from agentview.facts.usage.rates import DAY, ModelRates, Rates, RatesByHour, RatesBySize
from agentview.normalize.model_names import names_of

FAST = "[fast]"
_MANY = 1_000_000
_MIDNIGHT = time(tzinfo=UTC)
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def model_rates(name: str) -> ModelRates | None:
    """Rates of the model that a log calls `name`; None when the list does not have it.

    Behind the name may be a speed, `[fast]`. Where that has no price of its own, the price is at
    least that of the model.
    """
    fast = name.endswith(FAST) and _find_fast(name)
    model = fast or find_model(name)
    if model is None:
        return None
    whole = bool(fast) or not name.endswith(FAST)
    conditional = [] if isinstance(model.prices, ModelPrice) else model.prices
    days = sorted({day for each in conditional for day in _first_days(each)})
    hours = sorted({hour for each in conditional for hour in _hours(each)} - {0.0})
    return ModelRates(
        tuple(day.timestamp() for day in days),
        tuple(_rates_of_day(model, day, hours, whole=whole) for day in (_LONG_AGO, *days)),
    )


def find_model(name: str) -> ModelInfo | None:
    """The model that a log calls `name`, None when the list does not have it."""
    found = _find(name)
    return None if found is None else found[1]


@cache
def vendor_of(model: str | None) -> str | None:
    """Whose model one of this name is, in a word such as `anthropic`; None for an unknown one."""
    found = None if model is None else _find(model)
    return None if found is None else found[0].id


def _find(name: str) -> tuple[Vendor, ModelInfo] | None:
    gateway, _, model = name.partition("/")
    # Of what only a gateway or a cloud has, its own list has the price.
    own = ((model, gateway), (name.rpartition("/")[2], "aws"))
    for candidate, provider in (*((each, None) for each in names_of(name)), *own):
        try:
            return get_snapshot().find_provider_model(candidate, None, provider, None)
        except LookupError:
            continue
    return None


def _find_fast(name: str) -> ModelInfo | None:
    """The entry of a model at its fast speed, which the list has of gateways only."""
    found = _find(name)
    if found is None:
        return None
    vendor = found[0].id
    for each in names_of(name):
        # Gateways write generations with a dot.
        for plain in (each, re.sub(r"(?<=\d)-(?=\d)", ".", each)):
            try:
                wanted = f"{vendor}/{plain}-fast"
                _, model = get_snapshot().find_provider_model(wanted, None, "openrouter", None)
            except LookupError:
                continue
            if model.id.endswith("-fast"):
                return model
    return None


def _first_days(price: ConditionalPrice) -> Iterator[datetime]:
    if isinstance(price.constraint, StartDateConstraint):
        yield datetime.combine(price.constraint.start_date, _MIDNIGHT)


def _hours(price: ConditionalPrice) -> Iterator[float]:
    if isinstance(price.constraint, TimeOfDateConstraint):
        for each in (price.constraint.start_time, price.constraint.end_time):
            moment = datetime.combine(_LONG_AGO, each, each.tzinfo or UTC)
            yield moment.timestamp() % DAY


def _rates_of_day(
    model: ModelInfo, day: datetime, hours: list[float], *, whole: bool
) -> RatesByHour:
    moments = (day + timedelta(seconds=hour) for hour in (0.0, *hours))
    return RatesByHour(
        tuple(hours),
        tuple(_rates_by_size(model.get_prices(moment), whole=whole) for moment in moments),
    )


def _rates_by_size(price: ModelPrice, *, whole: bool) -> RatesBySize:
    """Return the library's prices of a token, on each side of the sizes where a price changes."""
    tiers = [value for value in vars(price).values() if isinstance(value, TieredPrices)]
    starts = sorted({tier.start for tiered in tiers for tier in tiered.tiers})
    return RatesBySize(
        tuple(starts), tuple(_rates_at(price, size + 1, whole=whole) for size in (0, *starts))
    )


def _rates_at(price: ModelPrice, size: int, *, whole: bool) -> Rates:
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
        whole,
    )


def _each(total: Decimal, count: int) -> float:
    return float(total / count)
