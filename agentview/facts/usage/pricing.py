"""Cost of responses at their time, by the list of prices."""

import time as clock

from agentview.domain.usage import Usage
from agentview.facts.usage.kept_prices import KeptPrices
from agentview.facts.usage.rates import Rates
from agentview.facts.usage.tally import Price
from agentview.system.workers.connection import Connection
from agentview.timeline.rows.token_totals import PriceTier


class PriceList:
    """Prices at the time of each response; models are looked for once each."""

    def __init__(self) -> None:
        self._kept = KeptPrices()

    def __call__(self, model: str | None, usage: Usage, time: float | None) -> Price | None:
        """The price of a response; `time` in epoch seconds, None for the prices of now.

        None for a model that the list does not have, and where neither input nor output is known.
        """
        if usage.input_uncached is None and usage.output is None:
            return None
        rates = self._rates_of(model, time, _tokens_in(usage))
        return None if rates is None else rates.price(usage)

    def rates(self, bracket: PriceTier) -> Rates | None:
        """Return the prices of a token in responses of a bracket; None without a known price."""
        return self._rates_of(bracket.model, bracket.time, bracket.tokens_in)

    def _rates_of(self, model: str | None, time: float | None, size: int) -> Rates | None:
        found = None if model is None else self._kept.of(model)
        return None if found is None else found.at(clock.time() if time is None else time, size)


def _tokens_in(usage: Usage) -> int:
    given = (usage.input_uncached, usage.input_cached, usage.cache_write)
    return sum(count for count in given if count is not None)


def serve_rates(connection: Connection) -> None:
    """Answer a list of `PriceTier` with their rates; None for a model that has no known price."""
    brackets: list[PriceTier] = connection.receive()
    prices = PriceList()
    connection.send([prices.rates(bracket) for bracket in brackets])
