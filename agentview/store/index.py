"""Reads a log backwards in the background: a child process when there is much of it."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.store.decoding import decode_line
from agentview.store.facts import RecordFacts, reduce_record
from agentview.tailing import Line, blocks_backward

SMALL = 2 * 1024 * 1024
"""Bytes that are read on the event loop, in slices: starting a process would take longer."""

SLICE = 0.004
"""Seconds of work on the event loop before others get their turn."""

_SMALL_BLOCK = 64 * 1024
_BLOCK = 8 * 1024 * 1024


def reduce_lines(session: SessionRef, lines: Sequence[Line]) -> list[RecordFacts]:
    """Decode lines and keep what the assembler needs."""
    provider = load_provider(session.provider)
    return [
        reduce_record(
            line.offset, line.length, decode_line(provider, session, line), session.stream
        )
        for line in lines
    ]


async def facts_backward(
    session: SessionRef, end: int
) -> AsyncIterator[tuple[int, list[RecordFacts]]]:
    """Facts of all records before byte `end`, newest block first, each block in file order.

    Gives the byte at which the block begins with it. Raises NotFound or Unreadable when the file
    goes away or is cut meanwhile.
    """
    if end <= SMALL:
        async for block in _on_loop(session, end):
            yield block
        return
    async for block in _in_child(session, end):
        yield block


async def _on_loop(session: SessionRef, end: int) -> AsyncIterator[tuple[int, list[RecordFacts]]]:
    for block in blocks_backward(Path(session.path), end, _SMALL_BLOCK):
        facts: list[RecordFacts] = []
        began = time.perf_counter()
        for line in block.lines:
            facts.extend(reduce_lines(session, [line]))
            if time.perf_counter() - began > SLICE:
                await asyncio.sleep(0)
                began = time.perf_counter()
        yield block.start, facts
        await asyncio.sleep(0)


async def _in_child(session: SessionRef, end: int) -> AsyncIterator[tuple[int, list[RecordFacts]]]:
    # Imported here because it takes 15 ms, and most sessions need no child.
    from agentview.store.child import BrokenProcessPool, background_pool

    pool = background_pool()
    loop = asyncio.get_running_loop()
    try:
        pending = loop.run_in_executor(pool, partial(read_block, session, end))
        while end > 0:
            try:
                start, facts = await pending
            except BrokenProcessPool:
                # The child was killed; a thread is slower beside a live screen, but reads on.
                start, facts = await asyncio.to_thread(read_block, session, end)
                pool.shutdown(wait=False)
                pool = background_pool()
            end = start
            if end > 0:
                pending = loop.run_in_executor(pool, partial(read_block, session, end))
            yield end, facts
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def read_block(session: SessionRef, end: int) -> tuple[int, list[RecordFacts]]:
    """Read and reduce the block of lines before byte `end`; gives where it begins."""
    block = next(blocks_backward(Path(session.path), end, _BLOCK))
    return block.start, reduce_lines(session, block.lines)
