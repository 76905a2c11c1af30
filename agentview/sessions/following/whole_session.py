"""All of a session, read at once: its log and the logs of the agents that it started."""

from pathlib import Path

from agentview.domain.index_entry import NO_ROW, EventFact, Flag, RecordFacts
from agentview.domain.session import SessionRef
from agentview.facts.usage.estimate import listed
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reading import decode_light, log_reader
from agentview.timeline.rows.reducing import own_records
from agentview.timeline.rows.session_store import SessionStore

_AT_ONCE = 256
"""Records that are joined together, so that those that are shown next are still at hand."""


def load_session(ref: SessionRef) -> SessionStore:
    """Read a session and the logs of its agents at all levels, all of each.

    Raises AgentViewError.
    """
    with reading(ref):
        store = SessionStore(load_provider(ref.provider), ref, folding=True)
        store.price_of = listed
        read_log(store)
        attach_agents(store)
        return store


def attach_agents(store: SessionStore) -> None:
    """Read the logs of the session's agents at all levels, and join them with `store`."""
    agents = [
        SessionStore(store.provider, child)
        for child in session_logs(store.provider.discovery, store.session)[1:]
    ]
    for agent in agents:
        read_log(agent)
    # Whose call started an agent shows only from the calls: each log looks in its own.
    for parent in (store, *agents):
        for agent in agents:
            if agent is not parent:
                parent.set_child(agent.session.stream, agent, agent.session.parent_call)


def read_log(store: SessionStore) -> None:
    """Read a log for its rows; of what is kept of it, no record is read again."""
    # Imported here: titles are made of records that are decoded.
    from agentview.facts.kept.indexed_log import IndexedLog

    with IndexedLog(store.session, for_rows=True) as log:
        more = True
        while more:
            chunk = log.poll()
            if chunk.reset:
                store.reset()
            store.append(chunk.records)
            more = chunk.more
        store.append(log.finish())
        store.append(log.finish_torn())
    store.finish_indexing()


def decode_log(store: SessionStore) -> None:
    """Decode all of a log, and keep that as far as there is room, for who shows it at once."""
    provider, log = store.provider, store.session.log
    reader = log_reader(provider, Path(log.path))
    # Nothing holds on to what was appended.
    store.finish_indexing()

    def decoded(line: Line) -> RecordFacts:
        light = decode_light(provider, log, line)
        if not all(map(_bookkeeping, light)):
            store.remember(line.offset, line.length, light)
        return RecordFacts(line.offset, line.length, tuple(light))

    def take(lines: list[Line]) -> None:
        for begin in range(0, len(lines), _AT_ONCE):
            records = [decoded(line) for line in lines[begin : begin + _AT_ONCE]]
            store.append(own_records(store.session, records))

    more = True
    while more:
        chunk = reader.poll()
        take([item for item in chunk.items if isinstance(item, Line)])
        more = chunk.more
    take(reader.finish())
    take(reader.finish_torn())


def _bookkeeping(fact: EventFact) -> bool:
    return fact.kind == NO_ROW or bool(fact.flags & Flag.BOOKKEEPING)
