"""The list of prices, read in a thread: importing it takes longer than the first frame."""

import asyncio
from importlib import import_module

from agentview.accounting.estimate import Estimate


async def estimate() -> Estimate:
    """An estimate by the list of prices, which is read when it is first asked for."""
    module = await asyncio.to_thread(import_module, "agentview.accounting.prices")
    return Estimate(module.PriceList())
