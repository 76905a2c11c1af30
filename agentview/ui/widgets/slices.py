"""Work on the event loop that continues in slices, and reports every now and then how far it is."""

import asyncio
from collections.abc import Callable
from time import perf_counter

SLICE = 0.002
"""Seconds of work at a time, between which keys and frames have their turn."""

TURNS = 6
"""Turns of the event loop between two slices: a key takes several until it is painted."""


class TimeSlicer:
    """Calls `work` with the seconds it may take until it gives True: nothing is left for now.

    `on_change` is called at the end, and before that when `pause` seconds have gone by.
    """

    def __init__(
        self, work: Callable[[float], bool], on_change: Callable[[], None], pause: float
    ) -> None:
        self._work = work
        self._on_change = on_change
        self._pause = pause
        self._task: asyncio.Task[None] | None = None

    def ensure_running(self) -> None:
        """See to it that the work is under way."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        """Leave the work where it is."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        on_change = 0.0
        while True:
            done = self._work(SLICE)
            now = perf_counter()
            if done or now - on_change > self._pause:
                on_change = now
                self._on_change()
            if done:
                return
            for _ in range(TURNS):
                await asyncio.sleep(0)
