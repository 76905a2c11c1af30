"""What the program holds is looked at for garbage once, and all of it when nobody types."""

import asyncio
import gc
from collections.abc import AsyncIterator
from weakref import ref

import pytest

from agentview.ui import collecting
from agentview.ui.collecting import Collector


class Circle:
    """Refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def keys() -> list[int]:
    """How many keys there were."""
    return [0]


@pytest.fixture
async def collector(keys: list[int]) -> AsyncIterator[Collector]:
    """One at work, in this process."""
    collector = Collector(lambda: keys[0])
    collector.begin()
    yield collector
    collector.end()
    gc.unfreeze()


async def test_what_is_left_by_passes_is_not_looked_at_again(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "_REST", 0.0)
    before = [[n] for n in range(300_000)]
    collector.let_go()
    await asyncio.sleep(0.01)
    assert gc.get_freeze_count() > len(before)
    del before
    kept = [[n] for n in range(50_000)]
    frozen = gc.get_freeze_count()
    assert frozen > 30_000
    assert len(gc.get_objects()) < 30_000
    del kept
    assert gc.get_freeze_count() < frozen - 30_000


async def test_what_was_let_go_is_found_when_no_key_has_come_for_a_while(
    collector: Collector, keys: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collecting, "_REST", 0.02)
    circle = Circle()
    left = ref(circle)
    gc.freeze()
    del circle
    gc.collect()
    assert left() is not None
    collector.let_go()
    keys[0] += 1
    await asyncio.sleep(0.03)
    for _ in range(200):
        if left() is None:
            break
        await asyncio.sleep(0.02)
    assert left() is None


def test_end_leaves_python_as_it_was() -> None:
    before = gc.get_threshold(), list(gc.callbacks)

    async def run() -> None:
        collector = Collector(lambda: 0)
        collector.begin()
        assert gc.get_threshold() != before[0]
        collector.let_go()
        collector.end()

    asyncio.run(run())
    gc.unfreeze()
    assert (gc.get_threshold(), list(gc.callbacks)) == before
