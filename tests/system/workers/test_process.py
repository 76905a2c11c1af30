"""A worker is there while it is wanted, and is gone after that."""

import asyncio
import gc
import os
import signal
import sys
from pathlib import Path

import pytest

from agentview.system.workers.process import BACKGROUND, Worker, messages_of, worker_process
from tests.patience import PATIENCE

HANDLERS = """
import os, sys, time

def sleep(connection):
    connection.send("up")
    time.sleep(60)

def talk(connection):
    while True:
        connection.send("x" * 1000)

def echo(connection):
    while (message := connection.receive()) is not None:
        connection.send((message, os.nice(0)))

def count(connection):
    for number in range(1000):
        connection.send(number)
        time.sleep(0.01)

def fill(connection):
    import mmap, resource
    with open(os.environ["LARGE_FILE"], "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    connection.send((len(mapped), resource.getrlimit(resource.RLIMIT_DATA)[0]))
    try:
        bytearray(9 * 1024**3)
        connection.send("has it")
    except MemoryError:
        connection.send("refused")

def fail(connection):
    connection.send("before")
    raise SystemExit(3)
"""


@pytest.fixture(autouse=True)
def _handlers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "handlers.py").write_text(HANDLERS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_it_answers_messages_of_any_size_in_their_order() -> None:
    wanted = ["one", {"two": 2}, b"x" * 3_000_000]
    found: list[object] = []
    async with asyncio.timeout(PATIENCE), worker_process("handlers:echo", nice=7) as worker:
        for message in wanted:
            sending = asyncio.create_task(worker.send(message))
            found.append(await anext(worker.messages()))
            await sending
    nice = min(os.nice(0) + 7, 19)
    assert found == [(message, nice) for message in wanted]


async def test_it_has_the_priority_of_its_parent_unless_nobody_waits_for_it() -> None:
    found: list[object] = []
    handler = "handlers:echo"
    for start in (worker_process(handler), worker_process(handler, nice=BACKGROUND)):
        async with asyncio.timeout(PATIENCE), start as worker:
            await worker.send("which")
            found.append(await anext(worker.messages()))
    assert found == [("which", os.nice(0)), ("which", 19)]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems count something else")
async def test_its_memory_is_bounded_and_files_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(9 * 1024**3)
    monkeypatch.setenv("LARGE_FILE", str(large))
    async with asyncio.timeout(PATIENCE), worker_process("handlers:fill") as worker:
        messages = worker.messages()
        size, most = await anext(messages)
        assert size == 9 * 1024**3
        assert 0 < most <= 8 * 1024**3
        assert await anext(messages) == "refused"


async def test_it_answers_where_memory_cannot_be_bounded(tmp_path: Path) -> None:
    (tmp_path / "resource.py").write_text("raise ImportError")
    async with asyncio.timeout(PATIENCE), worker_process("handlers:echo") as worker:
        await worker.send("which")
        assert await anext(worker.messages()) == ("which", os.nice(0))


async def test_it_ends_when_it_is_left() -> None:
    async with worker_process("handlers:sleep") as worker:
        assert await anext(worker.messages()) == "up"
        assert alive(worker.pid)
    assert not alive(worker.pid)
    assert worker.returncode == -9


async def test_it_ends_with_much_that_nobody_has_read() -> None:
    async with asyncio.timeout(PATIENCE), worker_process("handlers:talk") as worker:
        await anext(worker.messages())
        # More than asyncio reads ahead.
        await asyncio.sleep(0.1)
    assert worker.returncode == -9


@pytest.mark.parametrize("times", [1, 3])
async def test_it_ends_when_who_wanted_it_is_given_up(times: int) -> None:
    started: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def want() -> None:
        async with worker_process("handlers:sleep") as worker:
            started.set_result(worker.pid)
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
async def test_it_can_be_given_up_at_any_time_while_it_starts(turns: int) -> None:
    async def want() -> None:
        async with worker_process("handlers:sleep"):
            await asyncio.sleep(60)

    async with asyncio.timeout(PATIENCE):
        task = asyncio.create_task(want())
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("handler", ["handlers:fail", "handlers:missing", "no_such_module:serve"])
async def test_the_end_of_a_worker_is_reported_once_whatever_the_reason(handler: str) -> None:
    messages: list[object] = []
    ends: list[None] = []
    ended = asyncio.Event()

    def on_end() -> None:
        ends.append(None)
        ended.set()

    Worker(handler, messages.append, on_end)
    async with asyncio.timeout(PATIENCE):
        await ended.wait()
    assert messages == (["before"] if handler == "handlers:fail" else [])
    assert ends == [None]


async def test_nothing_is_reported_of_a_worker_that_was_closed() -> None:
    reported: list[object] = []
    worker = Worker("handlers:echo", reported.append, lambda: reported.append("ended"))
    worker.send("one")
    async with asyncio.timeout(PATIENCE):
        while not reported:
            await asyncio.sleep(0.01)
    pid = worker.pid
    worker.send("two")
    worker.close()
    async with asyncio.timeout(PATIENCE):
        while pid is not None and alive(pid):
            await asyncio.sleep(0.01)
    assert [message for message in reported if message == "ended"] == []
    assert len(reported) == 1


@pytest.mark.slow
async def test_a_worker_that_nobody_keeps_goes_on() -> None:
    messages: list[object] = []
    Worker("handlers:count", messages.append)
    async with asyncio.timeout(PATIENCE):
        while len(messages) < 20:
            gc.collect()
            await asyncio.sleep(0.005)
    assert messages[:20] == list(range(20))


def test_a_thread_reads_until_it_wants_no_more() -> None:
    messages = messages_of("handlers:talk", None, lambda: False)
    assert [next(messages) for _ in range(3)] == ["x" * 1000] * 3
    messages.close()  # type: ignore[attr-defined]
    assert list(messages_of("handlers:talk", None, lambda: True)) == []
    assert list(messages_of("handlers:fail", None, lambda: False)) == ["before"]


async def test_what_is_sent_to_a_worker_that_was_killed_is_dropped() -> None:
    async with worker_process("handlers:echo") as worker:
        os.kill(worker.pid, signal.SIGKILL)
        for _ in range(3):
            await worker.send(b"x" * 1_000_000)
        assert [message async for message in worker.messages()] == []
