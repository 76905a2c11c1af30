"""What a token of each sort costs, and what the tokens of a response cost by that."""

from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.usage.tally import Price


class Rates(Value):
    """US dollars a token; those of fresh input, read from a cache, written to one, and output.

    `written_hour` is that of what a cache keeps for an hour.
    """

    uncached: float
    cached: float
    written: float
    output: float
    written_hour: float

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
        return Price(cost, whole=usage.input_uncached is not None and usage.output is not None)
