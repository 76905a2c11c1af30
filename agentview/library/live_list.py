"""The live sessions of this machine: which they are, in which order, and how many need somebody."""

from collections import Counter
from collections.abc import Iterable, Sequence

from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.value import Value
from agentview.library.columns import urgency
from agentview.library.liveness import may_wait, status_and_client
from agentview.library.session_record import SessionFacts


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
    live = [each for each in with_states(found, now) if may_wait(each.facts.info, now)]
    return sorted(live, key=lambda each: attention_order(each.status, each.facts.info.ref.path))


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
