"""A filter applied to a timeline in slices, so that keys and frames have their turn."""

import asyncio
from collections.abc import Callable, Iterator
from time import perf_counter

from agentview.timeline.traits import RowFilter
from agentview.ui.widgets.timeline_view import TimelineView

_SLICE = 0.003
"""Seconds of work at a time."""

_REST = 10.0
"""Times as long as the work took is waited before it is done again unasked."""
_LEAST_REST = 0.2
"""Seconds that are waited at least."""


class FilterSteps:
    """Applies one filter after the other; what is done within one slice is done at once.

    `applied` is called when one has taken effect, `rested` when another may follow.
    """

    def __init__(
        self,
        timeline: TimelineView,
        applied: Callable[[], None],
        rested: Callable[[], None],
    ) -> None:
        self._timeline = timeline
        self._applied = applied
        self._rested = rested
        self._spent = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether one is being applied, or was just now."""
        return self._task is not None

    def apply(self, passes: RowFilter | None, *, partly: bool) -> None:
        """Apply a filter instead of the one that is under way.

        One that knows only `partly` which rows it leaves in is applied where it knows of any.
        """
        self.close()
        self._spent = 0.0
        steps = self._timeline.filtering(passes, partly=partly)
        done = self._worked(steps)
        if done:
            self._applied()
        if not done or self._spent > _SLICE / 2:
            self._task = asyncio.create_task(self._go_on(steps, done=done))

    def close(self) -> None:
        """Give up what is under way."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _go_on(self, steps: Iterator[None], *, done: bool) -> None:
        while not done:
            await asyncio.sleep(0)
            done = self._worked(steps)
            if done:
                self._applied()
        await asyncio.sleep(max(self._spent * _REST, _LEAST_REST))
        self._task = None
        self._rested()

    def _worked(self, steps: Iterator[None]) -> bool:
        """Work for a slice; whether that was the last one."""
        began = perf_counter()
        try:
            next(steps)
            while perf_counter() - began < _SLICE:
                next(steps)
        except StopIteration:
            return True
        finally:
            self._spent += perf_counter() - began
        return False
