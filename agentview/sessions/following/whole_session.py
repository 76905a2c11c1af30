"""All of a session, read at once: its log and the logs of the agents that it started."""

from agentview.domain.session import SessionRef
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.facts.usage.estimate import listed
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.timeline.rows.reducing import Keep
from agentview.timeline.rows.session_store import SessionStore


def load_session(ref: SessionRef) -> SessionStore:
    """Read a session and the logs of its agents at all levels, all of each.

    Raises AgentViewError.
    """
    with reading(ref):
        store = SessionStore(load_provider(ref.provider), ref, folding=True, at_once=True)
        store.price_of = listed
        read_log(store, keep=store.keep_first)
        attach_agents(store)
        return store


def attach_agents(store: SessionStore) -> None:
    """Read the logs of the session's agents at all levels, and join them with `store`."""
    agents = [
        SessionStore(store.provider, child, at_once=True)
        for child in session_logs(store.provider.discovery, store.session)[1:]
    ]
    for agent in agents:
        read_log(agent)
    # Whose call started an agent shows only from the calls: each log looks in its own.
    for parent in (store, *agents):
        for agent in agents:
            if agent is not parent:
                parent.set_child(agent.session.stream, agent, agent.session.parent_call)


def read_log(store: SessionStore, *, keep: Keep | None = None) -> None:
    """Read a log for its rows; of what is kept of it, no record is read again."""
    with IndexedLog(store.session, for_rows=True, keep=keep) as log:
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
