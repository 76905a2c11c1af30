"""Agents whose records are in the log of the session that started them, each as its own log."""

import asyncio
from collections.abc import Iterator
from time import perf_counter

from msgspec.structs import replace

from agentview.domain.events import Attachment, User
from agentview.domain.index_entry import Flag
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.sessions.following.background_index import SMALL
from agentview.sessions.following.live_session import LiveSession
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.overview.subagents import agent_name, agent_task

MOST = 24
"""Agents that are read without being asked for."""

_SLICE = 0.004
"""Seconds of looking at a time, between which keys and frames have their turn."""

_CHUNK = 8192
"""Rows whose codes are taken at a time."""

_NEAR = 64
"""Rows of agents behind a call among which the first one of its agent is looked for."""

_SIDE = bytes(bool(flags & Flag.SIDE) for flags in range(256))


async def open_side_log(session: LiveSession, stream: Stream, call: int) -> LiveSession | None:
    """Read what the log has of the agent that the call at a row started; None when it has nothing.

    It is one of the children from then on.
    """
    known = session.agent(stream)
    if known is not None:
        return known
    first = _first_row(session.store, call, stream)
    if first is None:
        return None
    records: frozenset[int] = frozenset()
    if session.store.event(first).stream != stream:
        records = await _chained(session.store, call, first)
    return _adopted(session, stream, call, records)


def open_side_logs(session: LiveSession) -> Iterator[None]:
    """Read the agents that are in the log, as far as that is quickly done; pauses between them.

    Agents that only their first prompt identifies are read on demand.
    """
    store = session.store
    if store.end == store.first or store.offset(store.end - 1) > SMALL:
        return
    calls = {row: stream for stream, row in store.side_streams().items()}
    started = (row for row in store.of_kinds({ToolKind.SUBAGENT_TASK}) if row in calls)
    for row in list(started)[:MOST]:
        stream = calls[row]
        if stream not in store.children:
            first = _first_row(store, row, stream)
            if first is not None:
                _adopted(session, stream, row, frozenset())
            yield


def _adopted(
    session: LiveSession, stream: Stream, call: int, records: frozenset[int]
) -> LiveSession:
    started = session.store.activity(call)
    ref = replace(
        session.ref,
        stream=stream,
        parent_id=session.ref.session_id,
        shared=True,
        records=records,
        label=agent_task(started) or agent_name(started),
    )
    agent = session.agent_session(ref)
    session.adopt(agent)
    return agent


def _first_row(store: SessionStore, call: int, stream: Stream) -> int | None:
    """The first row of a stream behind the call that started it, among those that are near."""
    for looked, row in enumerate(_side_rows(store, call)):
        event = store.event(row)
        if event.stream == stream or (event.record_id == stream.id and event.parent_id is None):
            return row
        if looked == _NEAR:
            return None
    return None


async def _chained(store: SessionStore, call: int, first: int) -> frozenset[int]:
    """Places of the records that follow from the record of a row, each from the one before it.

    A record that follows from no known record belongs to the conversation of the last one.
    """
    chains: dict[str, int] = {}
    newest = call
    records: set[int] = set()
    until = perf_counter() + _SLICE
    for row in _side_rows(store, call):
        event = store.event(row)
        # A client warms its agents up with a text of its own.
        begins = event.parent_id is None and isinstance(event.body, User | Attachment)
        newest = row if begins else chains.get(event.parent_id or "", newest)
        if event.record_id is not None:
            chains[event.record_id] = newest
        if newest == first:
            records.add(event.source.offset)
        if perf_counter() > until:
            await asyncio.sleep(0)
            until = perf_counter() + _SLICE
    return frozenset(records)


def _side_rows(store: SessionStore, start: int) -> Iterator[int]:
    while start < store.end:
        mask = store.joined_codes(start, min(start + _CHUNK, store.end))[1].translate(_SIDE)
        at = mask.find(1)
        while at >= 0:
            yield start + at
            at = mask.find(1, at + 1)
        start += _CHUNK
