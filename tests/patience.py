"""How long tests wait for what must happen. A busy machine is slow, which is no failure."""

import asyncio
from collections.abc import Callable

PATIENCE = 240.0
"""Seconds. A worker has a low priority: beside busy loops its start can take half a minute."""


async def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds. Raises TimeoutError when it never does."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.005)
