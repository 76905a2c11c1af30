"""A process of our own is there while it is wanted, and is gone after that."""

import asyncio
import os
from pathlib import Path

import pytest

from agentview.children import child_process


@pytest.fixture
def sleeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "sleeper.py").write_text("print('up', flush=True)\nimport time\ntime.sleep(60)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return "sleeper"


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_it_ends_when_it_is_left(sleeper: str) -> None:
    async with child_process(sleeper) as child:
        assert await child.stdout.readline() == b"up\n"
        assert alive(child.pid)
    assert not alive(child.pid)
    assert child.returncode == -9


async def test_it_ends_with_much_that_nobody_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "talker.py").write_text("while True:\n    print('x' * 1000, flush=True)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    async with asyncio.timeout(30), child_process("talker") as child:
        await child.stdout.readline()
        # More than asyncio reads ahead.
        await asyncio.sleep(0.1)
    assert child.returncode == -9


@pytest.mark.parametrize("times", [1, 3])
async def test_it_ends_when_who_wanted_it_is_given_up(sleeper: str, times: int) -> None:
    started: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def want() -> None:
        async with child_process(sleeper) as child:
            started.set_result(child.pid)
            await asyncio.sleep(60)

    task = asyncio.create_task(want())
    pid = await started
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(pid)


@pytest.mark.parametrize("turns", range(1, 12))
async def test_it_can_be_given_up_at_any_time_while_it_starts(sleeper: str, turns: int) -> None:
    async def want() -> None:
        async with child_process(sleeper):
            await asyncio.sleep(60)

    async with asyncio.timeout(30):
        task = asyncio.create_task(want())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
