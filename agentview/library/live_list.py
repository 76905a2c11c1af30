"""The live sessions of this machine: which they are, in which order, and how many need somebody."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from agentview.clients.running import listed_clients
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence
from agentview.domain.value import Value
from agentview.library.columns import urgency
from agentview.library.liveness import is_live, status_and_client
from agentview.library.session_record import SessionFacts
from agentview.normalize.project_path import project_path


class WithState(Value):
    """A session with its agents and its state."""

    facts: SessionFacts
    agents: tuple[SessionFacts, ...]
    status: SessionStatus
    pid: int | None = None
    """The process of its client, where it is known."""


def with_states(found: Iterable[SessionFacts], now: float) -> list[WithState]:
    """The sessions in their order, each with the agents that it started and its state."""
    every = list(found)
    agents: dict[tuple[str, str], list[SessionFacts]] = {}
    for facts in every:
        ref = facts.info.ref
        if ref.parent_id is not None:
            agents.setdefault((ref.provider, ref.parent_id), []).append(facts)
    return [
        with_state(facts, agents.get((facts.info.ref.provider, facts.info.ref.session_id), ()), now)
        for facts in every
        if facts.info.ref.parent_id is None
    ]


def with_state(facts: SessionFacts, agents: Iterable[SessionFacts], now: float) -> WithState:
    """A session with the agents that it started and its state at the time `now`."""
    status, client = status_and_client(facts.info, now)
    return WithState(facts, tuple(agents), status, None if client is None else client.pid)


def live_sessions(found: Iterable[SessionFacts], now: float) -> list[WithState]:
    """Those of the sessions that their person should see, in the order of `attention_order`."""
    live = [each for each in with_states(found, now) if is_live(each.facts.info, now)]
    return sorted(live, key=lambda each: attention_order(each.status, each.facts.info.ref.path))


def starting_sessions(
    roots: Iterable[tuple[str, Path]], known: Callable[[SessionRef], bool]
) -> list[WithState]:
    """Clients that run and have no log yet, by their own lists; `known` says which have one."""
    found: list[WithState] = []
    for ref, client in listed_clients(roots):
        if known(ref) or os.path.exists(ref.path):  # noqa: PTH110
            continue
        since = client.started_at or client.since
        status = SessionStatus(SessionState.STARTING, since, StateEvidence.REGISTRY)
        folder = project_path(client.cwd) if client.cwd else None
        info = SessionInfo(
            ref, client.name, folder, started=since, last_activity=since, status=status
        )
        found.append(WithState(SessionFacts(info), (), status, client.pid))
    return found


def attention_order(status: SessionStatus, path: str) -> tuple[float, float, str]:
    """Sorts sessions: who needs its person most first; of equal ones who is so longest."""
    return urgency(status), status.since if status.since is not None else float("inf"), path


def counts(statuses: Sequence[SessionStatus], now: float) -> dict[str, int]:
    """How many are live, how many press their person now, and how many are in each state."""
    states = Counter(status.state for status in statuses)
    return {
        "live": len(statuses),
        "needs": sum(status.is_pressing(now) for status in statuses),
        **{state.value: states[state] for state in SessionState},
    }
