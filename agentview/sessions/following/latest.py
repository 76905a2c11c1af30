"""Sessions as they appear."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.sources.watch.watcher import Watcher


async def newest_sessions(
    places: Sequence[Path], scan: Callable[[Path], Sequence[SessionRef]], *, known: set[str]
) -> AsyncIterator[SessionRef]:
    """Give each session that appears under `places` and is not `known`, as it appears.

    `scan` lists the sessions under a place; it runs in a thread.
    """
    with Watcher() as watcher:
        for place in places:
            watcher.add_tree(place)
        while True:
            for place in places:
                for ref in await asyncio.to_thread(scan, place):
                    if ref.path not in known and ref.parent_id is None:
                        known.add(ref.path)
                        yield ref
            try:
                await anext(watcher)
            except StopAsyncIteration:
                return
