"""Prices of tokens of each sort, and the cost of the tokens of a response."""

from bisect import bisect_left, bisect_right

from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.facts.usage.tally import Price

DAY = 86_400


class Rates(Value):
    """US dollars a token; those of fresh input, read from a cache, written to one, and output.

    `written_hour` is that of what a cache keeps for an hour.
    """

    uncached: float
    cached: float
    written: float
    output: float
    written_hour: float
    whole: bool = True
    """False where it costs more by a speed whose price is not known."""

    def price(self, usage: Usage) -> Price | None:
        """The price of tokens; None where neither input nor output is known."""
        if usage.input_uncached is None and usage.output is None:
            return None
        hour = usage.cache_write_1h or 0
        cost = (
            (usage.input_uncached or 0) * self.uncached
            + (usage.input_cached or 0) * self.cached
            + ((usage.cache_write or 0) - hour) * self.written
            + hour * self.written_hour
            + (usage.output or 0) * self.output
        )
        known = usage.input_uncached is not None and usage.output is not None
        return Price(cost, whole=known and self.whole)


class RatesBySize(Value):
    """Rates by how many tokens go in: all tokens of a response cost what its size says."""

    starts: tuple[int, ...]
    rates: tuple[Rates, ...]
    """One more than `starts`: those below the first, then those above each."""


class RatesByHour(Value):
    """Rates by the time of the day, which nearly all models ignore."""

    starts: tuple[float, ...]
    """Seconds after midnight, UTC."""
    sizes: tuple[RatesBySize, ...]
    """One more than `starts`."""


class ModelRates(Value):
    """Present and earlier prices of a token of a model."""

    starts: tuple[float, ...]
    """Epoch seconds at which its prices changed."""
    days: tuple[RatesByHour, ...]
    """One more than `starts`."""

    def at(self, time: float, size: int) -> Rates:
        """The rates of a response at a time, epoch seconds, into which `size` tokens went."""
        day = self.days[bisect_right(self.starts, time)]
        sizes = day.sizes[bisect_right(day.starts, time % DAY)]
        return sizes.rates[bisect_left(sizes.starts, size)]
