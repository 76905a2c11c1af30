"""Rates that all screens know together; those that are missing are looked up beside the program."""

from collections.abc import Sequence

from agentview.accounting.estimate import Estimate
from agentview.accounting.rates import Rates
from agentview.accounting.rates_process import look_up
from agentview.store.spending import Bracket, Spent

_RATES: dict[Bracket, Rates | None] = {}


async def estimate(parts: Sequence[Spent]) -> Estimate:
    """An estimate that knows the rates of these parts; it tells what others miss."""
    found = Estimate(_RATES)
    missing = found.missing(parts)
    if missing:
        _RATES.update(await look_up(missing))
    return found
