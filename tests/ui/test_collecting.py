"""While objects are made only few are looked at for garbage, and all once nothing goes on."""

import asyncio
import gc
from collections.abc import AsyncIterator
from weakref import ref

import pytest

from agentview.ui import gc_policy
from agentview.ui.gc_policy import GcScheduler


class Circle:
    """Refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
async def collector(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[GcScheduler]:
    """One at work, in this process."""
    monkeypatch.setattr(gc_policy, "_REST", 0.02)
    collector = GcScheduler(lambda: True)
    collector.begin()
    yield collector
    collector.end()
    gc.unfreeze()


def full_passes() -> int:
    """Passes over everything so far."""
    return gc.get_stats()[2]["collections"]


@pytest.mark.usefixtures("collector")
async def test_all_is_looked_at_when_nothing_has_been_made_for_a_while() -> None:
    before, kept = full_passes(), list[list[int]]()
    circle = Circle()
    left = ref(circle)
    for number in range(100_000):
        kept.append([number])
    # It has become old among what is kept, so that no small pass comes upon it.
    del circle
    assert left() is not None
    assert full_passes() == before
    for _ in range(200):
        if left() is None:
            break
        await asyncio.sleep(0.02)
    assert left() is None
    assert full_passes() == before + 1
    await asyncio.sleep(0.06)
    assert full_passes() == before + 1


@pytest.mark.slow
async def test_what_is_over_the_first_screen_is_never_taken_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gc_policy, "_REST", 0.02)
    over = False
    collector = GcScheduler(lambda: not over)
    collector.begin()
    try:
        frozen = gc.get_freeze_count()
        kept = [[number] for number in range(10_000)]
        circle = Circle()
        left = ref(circle)
        over = True
        collector.keep()
        assert gc.get_freeze_count() <= frozen
        over = False
        collector.closed(circle)
        collector.keep()
        assert gc.get_freeze_count() <= frozen
        del circle
        for _ in range(200):
            if left() is None:
                break
            await asyncio.sleep(0.02)
        assert left() is None
        # What stays is taken out now that only it is there.
        assert gc.get_freeze_count() > frozen + len(kept) // 2
    finally:
        collector.end()
        gc.unfreeze()


def test_end_leaves_python_as_it_was() -> None:
    before = gc.get_threshold(), list(gc.callbacks)

    async def run() -> None:
        collector = GcScheduler(lambda: True)
        collector.begin()
        assert gc.get_threshold() != before[0]
        collector.end()

    asyncio.run(run())
    gc.unfreeze()
    assert (gc.get_threshold(), list(gc.callbacks)) == before
