"""The last turn of a session on another machine: its records, which are read here."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from agentview.domain.remote_place import parse_place
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError, NotFound
from agentview.providers import load_provider
from agentview.sessions.fleet.connection import answers_of
from agentview.sessions.fleet.hosts import Host
from agentview.sessions.fleet.protocol import Turn, TurnRequest
from agentview.sessions.following.live_session import open_tail
from agentview.sessions.library.last_turn import turn_rows
from agentview.sessions.library.session_record import LastTurn
from agentview.sources.line_splitter import Line
from agentview.sources.open_file import read_at
from agentview.timeline.rows.reading import decode_light
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore

_MOST = 8 * 1024 * 1024
"""Bytes of records that are sent."""


def turn_here(request: TurnRequest) -> Turn:
    """The records of the last turn of a session that a preview shows. Raises AgentViewError."""
    path = os.fsdecode(request.path)
    try:
        ref = load_provider(request.provider).discovery.ref(Path(path))
    except (KeyError, OSError, ValueError) as error:
        raise NotFound(f"There is no session {path[-200:]}.") from error
    session = open_tail(ref, live=False)
    try:
        rows, cut = turn_rows(session)
        store = session.store
        wanted = {each for row in rows for each in (row, *store.joined(row))}
        places = {source.offset: source.length for source in map(store.source, wanted)}
        sizes = sum(places.values())
        if sizes > _MOST:
            raise AgentViewError(f"Its last turn is too long to be sent: {sizes:,} bytes.")
        log = Path(ref.log.path)
        found = ((at, read_at(log, at, length)) for at, length in sorted(places.items()))
        return Turn(tuple(found), tuple(map(store.place, rows)), cut)
    finally:
        session.close()


def turn_there(
    hosts: Sequence[Host], ref: SessionRef, stopped: Callable[[], bool], *, live: bool
) -> LastTurn:
    """The last turn of a session of one of the machines; for a thread.

    Empty once `stopped` says so. Raises AgentViewError.
    """
    host = next((host for host in hosts if host.name == ref.host), None)
    path = parse_place(ref.path).path
    if host is None or path is None:
        raise NotFound("Its machine is not known here.")
    request = TurnRequest(ref.provider, os.fsencode(path))
    for answer in answers_of(host, request, stopped):
        if isinstance(answer, Turn):
            return _read(ref, answer, live=live)
    return LastTurn((), False)


def _read(ref: SessionRef, turn: Turn, *, live: bool) -> LastTurn:
    provider = load_provider(ref.provider)
    store = SessionStore(provider, ref, live=live)
    lines = [Line(at, len(data), data) for at, data in turn.records]
    for line in lines:
        store.remember(line.offset, line.length, decode_light(provider, ref, line))
    store.append(reduce_lines(ref, lines))
    rows = [store.row_of(*place) for place in turn.rows]
    return LastTurn(tuple(store.activity(row) for row in rows if row is not None), turn.cut)
