"""Reads a log backwards in the background: in a worker when there is much of it."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.index_entry import RecordFacts
from agentview.domain.session import SessionRef
from agentview.errors import Unreadable
from agentview.sessions.following.history_request import Request
from agentview.sources.member import is_member
from agentview.sources.open_file import open_file
from agentview.sources.reverse_lines import blocks_backward
from agentview.system import platforms
from agentview.timeline.rows.packets import Keys, Packet
from agentview.timeline.rows.reducing import reduce_lines

SMALL = 2 * 1024 * 1024
"""Bytes that are read on the event loop, in slices: starting a process would take longer."""

SLICE = 0.004
"""Seconds of work on the event loop before others get their turn."""

_BLOCK = 64 * 1024
_HANDLER = "agentview.sessions.following.index_history:serve"
_EXTENDER = "agentview.sessions.following.index_history:extend"
_STARTS = 3
"""How often a worker is started before it is given up."""

Message = Packet | Keys


async def facts_backward(
    session: SessionRef, end: int
) -> AsyncIterator[tuple[int, list[RecordFacts]]]:
    """Facts of all records before byte `end`, newest first, each block in file order.

    Works on the event loop, in slices. Gives the byte at which the block begins with it. Raises
    NotFound or Unreadable when the file goes away or is cut meanwhile.
    """
    fd, _ = open_file(Path(session.path), length=end, again=True)
    try:
        for block in blocks_backward(fd, end, _BLOCK):
            facts: list[RecordFacts] = []
            began = time.perf_counter()
            for line in block.lines:
                facts.extend(reduce_lines(session, [line]))
                if time.perf_counter() - began > SLICE:
                    await asyncio.sleep(0)
                    began = time.perf_counter()
            yield block.start, facts
            await asyncio.sleep(0)
    finally:
        os.close(fd)


async def packets_backward(
    session: SessionRef,
    tail: int,
    end: int,
    resumed: Callable[[], None] = lambda: None,
    whole: tuple[int, bytes] | None = None,
) -> AsyncIterator[Message]:
    """The part before byte `tail`, read and joined by a worker, newest first; the keys at last.

    The lines from `tail` to `end` are known here; `whole` as in a request. A worker that dies is
    replaced by another one, and `resumed` is called; without the last `Keys` none came to an end.
    Raises Unreadable as the worker found it.
    """
    with _lines(session, end) as lines:
        request = Request(session, tail, end, before=tail, whole=whole, lines=lines)
        for start in range(_STARTS):
            if start:
                resumed()
            async for message in _from_worker(request):
                yield message
                if isinstance(message, Packet):
                    request = replace(request, before=message.start)
                elif message.last:
                    return


@contextmanager
def _lines(session: SessionRef, end: int) -> Generator[int | None]:
    """A descriptor of the lines up to a byte of a session that is not a file; None for a file.

    They are at hand here: to make them again from the rows of a database takes a worker longer
    than to join those that are wanted first. Raises NotFound and Unreadable.
    """
    if not platforms.CAN_SHARE_FILES or not is_member(Path(session.path)):
        yield None
        return
    fd, _ = open_file(Path(session.path), length=end, again=True)
    try:
        yield fd
    finally:
        os.close(fd)


async def extend_in_worker(
    session: SessionRef, end: int, whole: tuple[int, bytes] | None = None
) -> None:
    """Have a worker join what was written up to byte `end` since rows of a log were kept."""
    # Imported here: the first frame needs no worker.
    from agentview.system.workers.process import worker_process

    async with worker_process(_EXTENDER) as worker:
        await worker.send(Request(session, end, end, before=end, whole=whole))
        async for _ in worker.messages():
            return


async def _from_worker(request: Request) -> AsyncIterator[Message]:
    # Imported here: the first frame needs no worker.
    from agentview.system.workers.process import worker_process

    shared = () if request.lines is None else (request.lines,)
    async with worker_process(_HANDLER, shared=shared) as worker:
        await worker.send(request)
        async for message in worker.messages():
            if isinstance(message, str):
                raise Unreadable(message)
            yield message
