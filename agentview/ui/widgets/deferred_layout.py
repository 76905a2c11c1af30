"""Finishes what was too long to be laid out at once, between keys and frames."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping

from agentview.ui.render.containers import LayoutWork

SLICE = 0.004
"""Seconds of laying out at a time."""

_TURNS = 3
"""Turns of the event loop between two slices: a key takes several until it is painted."""


class Steps:
    """Work in many short steps."""

    def __init__(self, steps: Iterator[None]) -> None:
        self._steps = steps

    def continue_for(self, seconds: float) -> bool:
        """Take steps for about so long; true when there are none left."""
        end = time.perf_counter() + seconds
        return all(time.perf_counter() < end for _ in self._steps)


class DeferredLayout:
    """Continues with one work after the other; `done` gets whose work that was."""

    def __init__(self, done: Callable[[int], None]) -> None:
        self._done = done
        self._wanted: dict[int, LayoutWork] = {}
        self._task: asyncio.Task[None] | None = None

    def want(self, works: Mapping[int, LayoutWork]) -> None:
        """These are wanted now, and no others any more."""
        self._wanted = dict(works)
        if works and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        """Stop."""
        self._wanted.clear()
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while self._wanted:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            row, work = next(iter(self._wanted.items()), (0, None))
            if work is not None and work.continue_for(SLICE):
                del self._wanted[row]
                self._done(row)
