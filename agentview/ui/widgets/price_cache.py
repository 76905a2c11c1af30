"""Rates that all screens know together; those that are missing are looked up in the background."""

import asyncio
from collections.abc import Callable, Sequence

from agentview.facts.usage.estimate import Estimate
from agentview.facts.usage.rates import Rates
from agentview.facts.usage.tally import Price
from agentview.timeline.rows.token_totals import PriceTier, Spent
from agentview.timeline.view.cost import Cost

_HANDLER = "agentview.facts.usage.pricing:serve_rates"

_RATES: dict[PriceTier, Rates | None] = {}


_SOON = 1.0
"""Seconds for which it is gathered what is to be looked up, which takes a process."""


class PriceCache:
    """Prices for cards; what is not known yet is looked up, and then `on_change` is called."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self._estimate = Estimate(_RATES)
        self._wanted: set[PriceTier] = set()
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    def __call__(self, spent: Spent) -> tuple[float, bool] | None:
        """US dollars, and whether that is all; None when no price is known."""
        missing = self._estimate.missing((spent,))
        if missing:
            self._wanted.update(missing)
            if self._looking is None and not self._closed:
                self._looking = asyncio.create_task(self._look_up())
        price = self._estimate((spent,))
        return None if price is None else (price.cost, price.whole)

    def close(self) -> None:
        """Look up nothing any more."""
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()

    async def _look_up(self) -> None:
        await asyncio.sleep(_SOON)
        wanted, self._wanted = self._wanted, set()
        found = await look_up(sorted(wanted, key=repr))
        _RATES.update(dict.fromkeys(wanted) | found)
        self._looking = None
        self._on_change()


async def look_up(brackets: Sequence[PriceTier]) -> dict[PriceTier, Rates | None]:
    """The rates of brackets, from a worker that ends with it; none known where it cannot run.

    The list of prices takes more memory than a whole session.
    """
    # Imported here: the first frame needs no worker.
    from agentview.system.workers.process import worker_process

    async with worker_process(_HANDLER) as worker:
        await worker.send([*brackets])
        async for rates in worker.messages():
            return dict(zip(brackets, rates, strict=True))
    return dict.fromkeys(brackets)


async def estimate(parts: Sequence[Spent]) -> Estimate:
    """An estimate that knows the rates of these parts; it reports what others miss."""
    found = Estimate(_RATES)
    missing = found.missing(parts)
    if missing:
        _RATES.update(await look_up(missing))
    return found


def cost_of(client: float | None, price: Price | None) -> Cost:
    """Return the cost, by the client's count and by an estimate; None is not known."""
    if price is None:
        return Cost(client)
    return Cost(client, price.cost, price.whole)
