"""Long work in slices on the event loop, so that keys and frames get their turn in between."""

import asyncio
from collections.abc import Callable, Generator, Iterator
from time import perf_counter
from typing import Generic, TypeVar

Result = TypeVar("Result")

SLICE = 0.003
"""Seconds of work at a time."""

_SHORT = 0.002
"""Seconds of a slice of work during which keys are pressed."""

TURNS = 6
"""Turns of the event loop between two slices: a key takes several until it is painted."""


class LatestWork(Generic[Result]):
    """Work that is begun again when what it works on changes; only the newest result is taken.

    What is done within one slice is done at once. `renew` gives up what is under way;
    `renew_later` lets it come to its end first, so that steady changes do not keep it from ever
    showing something, and then waits in proportion, so that they do not keep it at work. `rested`
    is called after that wait, of at least `least` seconds and `rest` times as long as the work.
    """

    def __init__(
        self,
        begin: Callable[[], Generator[None, None, Result]],
        take: Callable[[Result], None],
        *,
        rested: Callable[[], None] = lambda: None,
        rest: float = 4.0,
        least: float = 0.0,
    ) -> None:
        self._begin = begin
        self._take = take
        self._rested = rested
        self._rest = rest
        self._least = least
        self._again = False
        self._spent = 0.0
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        return self._task is not None

    def renew(self, *, at_once: bool = False) -> None:
        """Begin again; `at_once` in one slice, where nothing is on the screen yet."""
        self.stop()
        self._start(at_once=at_once)

    def renew_later(self) -> None:
        """Begin again once what is under way has come to its end."""
        if self._task is None:
            self._start()
        else:
            self._again = True

    def stop(self) -> None:
        """Give up what is under way."""
        self._again = False
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _start(self, *, at_once: bool = False) -> None:
        self._spent = 0.0
        work = self._begin()
        done = self._worked(work)
        while at_once and not done:
            done = self._worked(work)
        if not done or self._spent > SLICE / 2:
            self._task = asyncio.create_task(self._run_rest(work, done=done))

    async def _run_rest(self, work: Generator[None, None, Result], *, done: bool) -> None:
        while not done:
            # Lets the loop do all that waits, between two slices.
            await asyncio.sleep(0)
            done = self._worked(work)
        await asyncio.sleep(max(self._spent * self._rest, self._least))
        self._task = None
        if self._again:
            self._again = False
            self._start()
        self._rested()

    def _worked(self, work: Generator[None, None, Result]) -> bool:
        """Work for a slice; whether that was the last one."""
        began = perf_counter()
        try:
            next(work)
            while perf_counter() - began < SLICE:
                next(work)
        except StopIteration as done:
            self._take(done.value)
            return True
        finally:
            self._spent += perf_counter() - began
        return False


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
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        on_change = 0.0
        while True:
            done = self._work(_SHORT)
            now = perf_counter()
            if done or now - on_change > self._pause:
                on_change = now
                self._on_change()
            if done:
                return
            for _ in range(TURNS):
                await asyncio.sleep(0)


async def in_slices(work: Generator[None, None, Result]) -> Result:
    """Return the result of work in steps; the event loop has its turn between two slices."""
    until = perf_counter() + SLICE
    while True:
        try:
            next(work)
        except StopIteration as done:
            return done.value
        if perf_counter() > until:
            await asyncio.sleep(0)
            until = perf_counter() + SLICE


def work_for(steps: Iterator[None], seconds: float) -> bool:
    """Take steps for some seconds; return True when none is left."""
    until = perf_counter() + seconds
    while perf_counter() < until:
        try:
            next(steps)
        except StopIteration:
            return True
    return False
