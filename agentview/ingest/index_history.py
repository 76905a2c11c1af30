"""Reads a log backwards and joins it, in packets that another process takes over."""

import gc
from collections.abc import Iterator
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.log_index.indexed_log import facts_backward
from agentview.providers import load_provider
from agentview.sources.line_splitter import cut_lines
from agentview.sources.open_file import read_at
from agentview.store.assembler import Assembler
from agentview.store.packets import Keys, Packet
from agentview.store.reducing import reduce_lines
from agentview.workers.connection import Connection

BLOCK = 8 * 1024 * 1024


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
    known = read_at(path, request.tail, request.end - request.tail)
    assembler.append(reduce_lines(request.session, cut_lines(known, 0, request.tail)))
    for start, records in facts_backward(request.session, request.tail, block_size):
        known = [record for record in records if record.offset >= request.before]
        if known:
            # Another child has sent these, though its blocks may have begun elsewhere.
            assembler.prepend(known)
        change = assembler.prepend(records[: len(records) - len(known)])
        if start < request.before:
            yield assembler.packet(start, change)
    yield from assembler.keys()


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
