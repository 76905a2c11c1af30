"""Bytes of a log at which something is: a line, or the first record of a time.

Both read the file itself, so that nothing has to be known of the rows there, and let others have
their turn on the event loop.
"""

import asyncio
import os
import time
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.sources.open_file import open_file, read_span
from agentview.sources.seek import line_between, line_end, line_start
from agentview.timeline.rows.reading import decode_line

_STEP = 1024 * 1024
_SLICE = 0.004
"""Seconds of work before others have their turn."""

_NEAR = 64 * 1024
"""Bytes that are read line by line at the end of a search by halves."""

_LONG = 1024 * 1024
"""Lines of this many bytes are not decoded for their time: their neighbours suffice."""


async def byte_of_line(path: Path, number: int) -> int | None:
    """Where line `number` (from 1) begins; None when there are fewer.

    Raises NotFound and Unreadable as opening the file does.
    """
    fd, status = open_file(path)
    try:
        missing, at = number - 1, 0
        began = time.perf_counter()
        while missing > 0 and at < status.st_size:
            data = read_span(fd, at, _STEP)
            count = data.count(b"\n")
            if count >= missing:
                return _following(at + _nth_newline(data, missing), status.st_size)
            missing -= count
            at += len(data) or _STEP
            if time.perf_counter() - began > _SLICE:
                await asyncio.sleep(0)
                began = time.perf_counter()
        return 0 if missing == 0 and status.st_size else None
    finally:
        os.close(fd)


def _nth_newline(data: bytes, count: int) -> int:
    at = -1
    for _ in range(count):
        at = data.find(b"\n", at + 1)
    return at


def _following(newline: int, size: int) -> int | None:
    return newline + 1 if newline + 1 < size else None


async def byte_of_time(session: SessionRef, moment: float) -> int | None:
    """Return the offset of the first record at or after epoch second `moment`; None if none is.

    Assumes that records are in the order of their times, as nearly all are.
    """
    fd, status = open_file(Path(session.path))
    try:
        low, high = 0, status.st_size
        while high - low > _NEAR:
            middle = (low + high) // 2
            at, record_time = await _time_after(session, fd, middle, high)
            if record_time is None or record_time >= moment:
                high = middle
            else:
                low = at
        at = line_start(fd, low)
        while at < status.st_size:
            place, record_time = await _time_after(session, fd, at, status.st_size, whole=True)
            if record_time is None:
                return None
            if record_time >= moment:
                return place
            at = line_end(fd, place, status.st_size) + 1
        return None
    finally:
        os.close(fd)


async def _time_after(
    session: SessionRef, fd: int, at: int, end: int, *, whole: bool = False
) -> tuple[int, float | None]:
    """The first record with a time that begins after byte `at` and before `end`, and the time.

    `whole`: a line begins at `at` and counts too.
    """
    provider = load_provider(session.provider)
    start = at if whole else line_end(fd, at, end) + 1
    began = time.perf_counter()
    while start < end:
        stop = line_end(fd, start, os.fstat(fd).st_size)
        line = line_between(fd, start, stop) if stop - start < _LONG else None
        events = [] if line is None else decode_line(provider, session, line)
        moment = next((event.time for event in events if event.time is not None), None)
        if moment is not None:
            return start, moment
        start = stop + 1
        if time.perf_counter() - began > _SLICE:
            await asyncio.sleep(0)
            began = time.perf_counter()
    return end, None
