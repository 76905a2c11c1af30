"""The side of the protocol that answers: it reads the sessions of its own machine."""

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from typing import NoReturn

import msgspec

import agentview
from agentview.errors import AgentViewError
from agentview.sessions.fleet.changes import changes_here
from agentview.sessions.fleet.matches import matches_here
from agentview.sessions.fleet.protocol import (
    HEADER,
    TICK,
    Answer,
    Done,
    Failed,
    FollowRequest,
    Hello,
    SessionsRequest,
    TurnRequest,
    UsageRequest,
    Waiting,
    length_of,
    packed,
    protocol,
    protocols,
    unpacked_request,
)
from agentview.sessions.fleet.sessions import messages_of, stated
from agentview.sessions.fleet.turns import turn_here
from agentview.sessions.fleet.usage import used_here
from agentview.sessions.library.live_list import starting_sessions, with_states
from agentview.sessions.targets.known_totals import with_known_totals
from agentview.sessions.targets.session_query import all_sessions, known_roots
from agentview.sessions.targets.session_search import SearchRequest


def serve(incoming: int, outgoing: int) -> None:
    """Answer the one request that comes through a pipe.

    The process ends when the other side closes the connection, whatever it is doing.
    """
    sender = _Sender(outgoing)
    hello = msgspec.json.encode(Hello(agentview.__version__, protocol(), protocols()))
    sender.write(hello + b"\n")
    try:
        request = unpacked_request(_read(incoming, length_of(_read(incoming, HEADER))))
        threading.Thread(target=_end_with, args=(incoming,), daemon=True).start()
        threading.Thread(target=sender.tick, daemon=True).start()
        if isinstance(request, FollowRequest):
            asyncio.run(_follow(request, sender))
        else:
            for answer in _answers(request):
                sender.send(answer)
        sender.send(Done())
    except BrokenPipeError:
        return
    except AgentViewError as error:
        sender.send(Failed(error.message, error.hint))


async def _follow(request: FollowRequest, sender: "_Sender") -> None:
    async for answer in changes_here(request):
        # In a thread: it waits for a reader that is slow.
        await asyncio.to_thread(sender.send, answer)


def _answers(
    request: SessionsRequest | UsageRequest | SearchRequest | TurnRequest,
) -> Iterator[Answer]:
    match request:
        case SessionsRequest():
            yield from _sessions(request)
        case UsageRequest():
            yield from used_here(request)
        case SearchRequest():
            yield from matches_here(request)
        case TurnRequest():
            yield turn_here(request)


def _sessions(request: SessionsRequest) -> Iterator[Answer]:
    every = all_sessions(request.provider)
    found = with_states(every, time.time())
    if request.totals:
        found = with_known_totals(found)
    if request.starting:
        ids = {(facts.info.ref.provider, facts.info.ref.session_id) for facts in every}
        roots = known_roots(request.provider)
        found += starting_sessions(roots, lambda ref: (ref.provider, ref.session_id) in ids)
    for each in found:
        yield from messages_of((stated(each), *each.agents))


class _Sender:
    """Writes answers, and in between that the machine is there."""

    def __init__(self, outgoing: int) -> None:
        self._outgoing = outgoing
        self._writing = threading.Lock()
        self._sent = time.monotonic()

    def send(self, answer: Answer) -> None:
        """Write an answer. Raises BrokenPipeError when the other side is gone."""
        self.write(packed(answer))

    def write(self, data: bytes) -> None:
        """Write bytes that belong together."""
        rest = memoryview(data)
        with self._writing:
            while rest:
                rest = rest[os.write(self._outgoing, rest) :]
            self._sent = time.monotonic()

    def tick(self) -> None:
        """Write that the machine is there whenever nothing else was written for a while."""
        while True:
            time.sleep(TICK / 2)
            if time.monotonic() - self._sent > TICK / 2:
                try:
                    self.send(Waiting())
                except OSError:
                    return


def _read(incoming: int, length: int) -> bytes:
    parts: list[bytes] = []
    while length > 0:
        part = os.read(incoming, length)
        if not part:
            raise BrokenPipeError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _end_with(incoming: int) -> NoReturn:
    """Wait for the end of the connection, and end the process: nobody wants its answers."""
    try:
        while os.read(incoming, 1):
            pass
    finally:
        os._exit(0)
