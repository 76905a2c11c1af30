import asyncio
from collections.abc import Generator
from time import perf_counter, sleep

from agentview.ui.widgets.sliced_work import SLICE, LatestWork
from tests.patience import PATIENCE


class Counter:
    """Work of many steps over a number that changes."""

    def __init__(self, steps: int, seconds: float = 0.0) -> None:
        self.steps = steps
        self.seconds = seconds
        self.number = 0
        self.taken: list[int] = []
        self.rested: list[bool] = []
        self.work = LatestWork(self._begin, self.taken.append, rested=self._rest, least=0.001)

    def _rest(self) -> None:
        self.rested.append(self.work.busy)

    def _begin(self) -> Generator[None, None, int]:
        number = self.number
        for _ in range(self.steps):
            sleep(self.seconds)
            yield
        return number


async def until_taken(counter: Counter, taken: list[int]) -> None:
    async with asyncio.timeout(PATIENCE):
        while counter.taken != taken:
            await asyncio.sleep(0.01)


async def test_what_takes_little_is_done_at_once() -> None:
    counter = Counter(steps=0)
    counter.work.renew()
    assert counter.taken == [0]


async def test_what_takes_long_leaves_the_loop_its_turns() -> None:
    counter = Counter(steps=60, seconds=SLICE / 2)
    turns = 0
    counter.work.renew()
    assert counter.taken == []
    while not counter.taken:
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10


async def test_a_newer_wish_takes_the_place_of_what_is_under_way() -> None:
    counter = Counter(steps=20, seconds=SLICE / 2)
    counter.work.renew()
    await asyncio.sleep(0)
    counter.number = 1
    counter.work.renew()
    await until_taken(counter, [1])


async def test_steady_changes_do_not_keep_it_from_its_end_nor_at_work() -> None:
    counter = Counter(steps=10, seconds=SLICE / 2)
    counter.work.renew()
    began = perf_counter()
    while len(counter.taken) < 3:
        counter.number += 1
        counter.work.renew_later()
        await asyncio.sleep(0.001)
    # The work itself takes 10 half slices; between its ends lies the rest.
    assert perf_counter() - began > 2 * (10 * SLICE / 2) * 4
    last = counter.number
    async with asyncio.timeout(PATIENCE):
        while counter.taken[-1] != last:
            await asyncio.sleep(0.01)


async def test_stopped_work_gives_nothing() -> None:
    counter = Counter(steps=20, seconds=SLICE / 2)
    counter.work.renew()
    counter.work.stop()
    await asyncio.sleep(SLICE * 20)
    assert counter.taken == []


async def test_it_is_busy_until_it_has_rested_and_says_so_then() -> None:
    counter = Counter(steps=2, seconds=SLICE)
    counter.work.renew()
    await until_taken(counter, [0])
    assert counter.work.busy
    async with asyncio.timeout(PATIENCE):
        while not counter.rested:
            await asyncio.sleep(0.001)
    assert counter.rested == [False]


async def test_what_takes_long_comes_to_its_end_at_once_where_nothing_is_shown_yet() -> None:
    counter = Counter(steps=20, seconds=SLICE / 2)
    counter.work.renew(at_once=True)
    assert counter.taken == [0]
