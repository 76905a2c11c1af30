"""Reads a log backwards and joins it, in packets that another process takes over."""

import gc
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.log_index.eviction import evict
from agentview.log_index.indexed_log import facts_backward
from agentview.log_index.kept_rows import KeptRows, keep_rows
from agentview.providers import load_provider
from agentview.sources.line_splitter import cut_lines
from agentview.sources.open_file import read_at
from agentview.store.assembler import Assembler
from agentview.store.packets import Keys, Packet
from agentview.store.reducing import reduce_lines
from agentview.workers.connection import Connection

BLOCK = 8 * 1024 * 1024
_LINES = 1024
"""Lines that are joined at a time."""


class Request(Value):
    """Read the log before byte `end`; the rows of the lines from `tail` to `end` are known.

    Packets are wanted of what lies before `before`: a child that takes the place of another one
    reads again what that one has sent.
    """

    session: SessionRef
    tail: int
    end: int
    before: int


def read_history(request: Request, block_size: int = BLOCK) -> Iterator[Packet | Keys]:
    """Packets from the newest to the oldest, then the keys. Raises NotFound and Unreadable."""
    path = Path(request.session.path)
    provider = load_provider(request.session.provider)
    assembler = Assembler.of(provider)
    last_lines = read_at(path, request.tail, request.end - request.tail)
    assembler.append(reduce_lines(request.session, cut_lines(last_lines, 0, request.tail)))
    for start, records in facts_backward(request.session, request.tail, block_size):
        known = [record for record in records if record.offset >= request.before]
        if known:
            # Another child has sent these, though its blocks may have begun elsewhere.
            assembler.prepend(known)
        change = assembler.prepend(records[: len(records) - len(known)])
        if start < request.before:
            yield assembler.packet(start, change)
    *keys, last = assembler.keys()
    yield from keys
    # Before the last message: whoever has it ends this process.
    if _has(path, request.tail, last_lines):
        keep_rows(request.session, assembler, [*keys, last], request.end)
    yield last


def _has(path: Path, at: int, data: bytes) -> bool:
    """Whether a log still has these bytes there."""
    try:
        return read_at(path, at, len(data)) == data
    except AgentViewError:
        return False


def extend_rows(request: Request) -> None:
    """Join what was written up to byte `end` since rows of the log were kept, and keep all.

    Raises NotFound and Unreadable.
    """
    kept = KeptRows.open(request.session)
    if kept is None:
        return
    assembler = Assembler.of(load_provider(request.session.provider))
    assembler.begin_absorbing(kept.rows_end)
    fresh = read_at(Path(request.session.path), kept.end, request.end - kept.end)
    lines = cut_lines(fresh, 0, kept.end)
    for at in range(0, len(lines), _LINES):
        assembler.append(reduce_lines(request.session, lines[at : at + _LINES]))
    assembler.absorb(kept.packet(0))
    for part in kept.keys(0):
        assembler.absorb_keys(part)
    if KeptRows.open(request.session) is not None:
        # It is still the log that was read.
        keep_rows(request.session, assembler, list(assembler.keys()), request.end)


def serve(connection: Connection) -> None:
    """Answer one request with packets and keys.

    The last message of a log that cannot be read on is the sentence of the error.
    """
    # What is made here goes with its last reference; looking for cycles takes as long as the work.
    gc.disable()
    try:
        for message in read_history(connection.receive()):
            connection.send(message)
    except AgentViewError as error:
        connection.send(error.message)


def extend(connection: Connection) -> None:
    """Extend the kept rows of the log of one request, and answer when that is done."""
    gc.disable()
    with suppress(AgentViewError, ValueError):
        extend_rows(connection.receive())
    evict()
    connection.send(None)
