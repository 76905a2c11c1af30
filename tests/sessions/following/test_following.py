"""What following a log costs: each record is read and decoded once, and memory does not grow."""

import asyncio
import gc
import os
from itertools import pairwise
from pathlib import Path

import pytest

from agentview.domain.events import Message, User
from agentview.domain.session_state import SessionState
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.sources.lines import READ_SIZE
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.detail_levels import DetailPreferences
from agentview.timeline.view.header import LogPresence
from agentview.timeline.view.view_state.cursor import TimelineCursor
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.patience import until

PROVIDER = load_provider("claude_code")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "projects" / "-home-dev-shop" / f"{SESSION}.jsonl"


async def opened(path: Path) -> LiveSession:
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path), live=True)
    session.open()
    session.start()
    await until(lambda: session.store.indexed and session.log.info is not None)
    return session


def show(session: LiveSession) -> list[str]:
    """Ask for every row that stands in the timeline, as a screen does; gives the texts."""
    shown = [
        row for row in range(session.store.first, session.store.end) if session.store.shown(row)
    ]
    bodies = [session.store.activity(row).body for row in shown]
    return [body.text for body in bodies if isinstance(body, User | Message)]


def add(path: Path, records: list[bytes]) -> None:
    with path.open("ab", buffering=0) as file:
        file.write(b"".join(records))


def bytes_read() -> int:
    """Bytes that this process has asked the system for."""
    return int(Path("/proc/self/io").read_text().split()[1])


def memory() -> int:
    """Bytes that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors() -> int:
    """How many descriptors this process has open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def test_one_more_record_is_one_more_decoded_and_read_once(path: Path) -> None:
    log = ClaudeLog()
    write(path, conversation(log, 20))
    session = await opened(path)
    show(session)
    more: list[int] = []
    for number in range(5):
        before, row = session.store.decoded, session.store.end
        text = f"{number}{'x' * 100_000}"
        record = log.text(text)
        read = bytes_read()
        add(path, [record])
        await until(lambda row=row: session.store.end > row)
        more.append(bytes_read() - read - len(record))
        assert session.store.decoded == before
        assert show(session)[-1] == text
        assert session.store.decoded == before + 1
    # Besides the record itself: the samples that tell whether the file is still the same. The look
    # at the processes of the client, every two seconds, reads too, but not each time.
    assert 0 < min(more) < 40_000
    session.close()


async def test_the_state_is_decided_once_for_each_change(path: Path) -> None:
    log = ClaudeLog()
    write(path, [*conversation(log, 20), log.prompt("once more")])
    session = await opened(path)
    working = session.store.log_status()
    assert working.state is SessionState.WORKING
    assert session.store.log_status() is working
    row = session.store.end
    add(path, [log.text("Done.", stop="end_turn")])
    await until(lambda: session.store.end > row)
    assert session.store.log_status().state is SessionState.YOUR_TURN
    session.close()


async def test_what_was_shown_is_not_decoded_again(path: Path) -> None:
    records = conversation(ClaudeLog(), 100)
    write(path, records)
    session = await opened(path)
    assert session.store.decoded == 0
    first = show(session)
    once = session.store.decoded
    assert once <= len(records)
    assert show(session) == first
    assert session.store.decoded == once
    session.close()


async def test_nothing_is_read_while_nothing_is_written(path: Path) -> None:
    write(path, conversation(ClaudeLog(), 20))
    session = await opened(path)
    own = bytes_read()
    own = bytes_read() - own

    async def read_in_half_a_second() -> int:
        before = bytes_read()
        await asyncio.sleep(0.5)
        return bytes_read() - before - own

    # What began with the opening, or with an earlier test, comes to its end first, and late on a
    # busy machine. What reads on a timer does so in each half second.
    for _ in range(120):
        if await read_in_half_a_second() == 0:
            break
    else:
        pytest.fail("something was read in each half second of a minute")
    session.close()


@pytest.mark.slow
async def test_memory_and_descriptors_stay_while_records_come(path: Path) -> None:
    """40,000 records warm up what is bounded; then 10,000 more add what a row takes, and little.

    An hour at 50 records a second is 180,000: with 64 bytes for each, 11 MB. The allocator takes
    memory in steps that tell nothing, so that the least of three times counts: a leak is in each.
    """
    log = ClaudeLog()
    write(path, conversation(log, 20))
    session = await opened(path)
    reader = TimelineCursor(session.store, DetailPreferences(), lambda _row: 1)
    reader.resize(40, rewrapped=True)
    session.store.subscribe(reader.take)

    async def grow(count: int) -> None:
        for start in range(session.store.end, session.store.end + count, 400):
            calls = [f"toolu_{number}" for number in range(start, start + 400, 4)]
            for call in calls:
                told = (log.prompt(call), log.call(call, "Bash"), log.result(call, call))
                add(path, [*told, log.text(call)])
            await until(lambda last=start + 400: session.store.end >= last)
            reader.settle()
            for item in reader.window.placed:
                session.store.activity(item.row)

    await grow(40_000)
    gc.collect()
    opened_before = descriptors()
    added: list[float] = []
    for _ in range(3):
        held, rows = memory(), session.store.end
        await grow(10_000)
        gc.collect()
        assert session.store.end - rows >= 10_000
        added.append((memory() - held) / (session.store.end - rows))
    assert descriptors() <= opened_before
    assert min(added) < 64
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["cut", "replaced", "removed"])
async def test_a_file_that_goes_away_while_a_child_reads_it(path: Path, what: str) -> None:
    write(path, conversation(ClaudeLog(), 1500, size=20_000))
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path), live=True)
    session.open()
    session.start()
    tail = session.store.first
    await until(lambda: session.store.first < tail or session.store.indexed)
    fresh = conversation(ClaudeLog(), 3)
    if what == "cut":
        path.write_bytes(b"".join(fresh))
    elif what == "replaced":
        write(path.with_suffix(".new"), fresh).replace(path)
    else:
        path.unlink()
    if what == "removed":
        await until(lambda: session.log.presence is LogPresence.REMOVED)
        write(path, fresh)
    await until(lambda: session.store.indexed and len(show(session)) == 6)
    assert session.log.presence in (LogPresence.REPLACED, LogPresence.PRESENT)
    assert session.trouble is None
    assert show(session)[-1] == "Step 2 is done."
    session.close()


async def test_the_event_loop_has_its_turn_between_the_parts_of_a_burst(path: Path) -> None:
    log = ClaudeLog()
    write(path, conversation(log, 5))
    session = await opened(path)
    before, turn = session.store.end, 0
    told_in: dict[int, int] = {}

    async def count_turns() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    def told(change: RowsChanged) -> None:
        del change
        told_in[turn] = session.store.end

    counting = asyncio.create_task(count_turns())
    session.store.subscribe(told)
    # So few that those of one read are taken in less time than a slice has.
    add(path, [log.text("x" * (READ_SIZE // 4)) for _ in range(32)])
    await until(lambda: session.store.end == before + 32)
    counting.cancel()
    ends = [before, *told_in.values()]
    assert max(end - start for start, end in pairwise(ends)) <= 4
    session.close()
