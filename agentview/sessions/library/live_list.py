"""The live sessions of this machine: which they are, in which order, and how many need somebody."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import (
    IDLE_AFTER,
    Group,
    SessionState,
    SessionStatus,
    StateEvidence,
)
from agentview.domain.usage_limit import UsageLimits
from agentview.domain.value import Value
from agentview.normalize.project_path import project_path
from agentview.sessions.clients.running import listed_clients
from agentview.sessions.library.liveness import Standing, standing
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.subagent_tree import SubagentTree
from agentview.sources.one_look import one_look

GROUPS = tuple(Group)
"""The groups in their order."""


class WithState(Value):
    """A session with its agents and its state."""

    facts: SessionFacts
    agents: tuple[SessionFacts, ...]
    status: SessionStatus
    pid: int | None = None
    """The process of its client, where it is known."""
    live: bool = True
    group: Group = Group.WORKING
    """As long as not all of it was on a screen."""

    @property
    def project(self) -> str | None:
        return self.facts.info.project

    @property
    def limits(self) -> UsageLimits:
        return self.facts.info.limits


def with_states(
    found: Iterable[SessionFacts], now: float, idle_after: float = IDLE_AFTER
) -> list[WithState]:
    """The sessions in their order, each with the agents that it started and its state."""
    own = list(_own(found))
    with one_look(len(own)):
        states = ((facts, agents, standing(facts.info, now)) for facts, agents in own)
        return [
            _with_state(*each, each[2].group(read=False, idle_after=idle_after)) for each in states
        ]


def board_sessions(
    found: Iterable[SessionFacts],
    now: float,
    read: Callable[[SessionFacts], bool] = lambda _: False,
    idle_after: float = IDLE_AFTER,
) -> list[WithState]:
    """Those of the sessions that are on the board, in its order.

    `read` says whether all of a session was on a screen, `idle_after` after how many seconds it is
    idle; see `group_of`.
    """
    listed: list[WithState] = []
    for facts, agents in _own(found):
        state = standing(facts.info, now)
        if state.in_sight:
            group = state.group(read=read(facts), idle_after=idle_after)
            if is_left_out(facts, group):
                continue
            listed.append(_with_state(facts, agents, state, group))
    return sorted(listed, key=lambda each: board_order(each.group, each.status, each.facts.info))


def _own(
    found: Iterable[SessionFacts],
) -> Iterator[tuple[SessionFacts, tuple[SessionFacts, ...]]]:
    """The sessions, and agents whose session is gone, each with the agents that it started."""
    known = {facts.info.ref.path: facts for facts in found}
    tree = SubagentTree.of(facts.info.ref for facts in known.values())
    for path, facts in known.items():
        if tree.stands_alone(path):
            yield facts, tuple(map(known.__getitem__, tree.agents_of(path)))


def _with_state(
    facts: SessionFacts,
    agents: tuple[SessionFacts, ...],
    state: Standing,
    group: Group = Group.WORKING,
) -> WithState:
    pid = None if state.client is None else state.client.pid
    return WithState(facts, agents, state.status, pid, state.live, group)


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


def board_order(group: Group, status: SessionStatus, info: SessionInfo) -> tuple[int, float, str]:
    """Sorts sessions: by their groups, and within one who is so longest first."""
    since = status.since if status.since is not None else float("inf")
    return GROUPS.index(group), since, info.ref.path


def counts(found: Sequence[WithState]) -> dict[str, int]:
    """How many are live, how many are in each group of the board, and how many in each state."""
    groups = Counter(each.group for each in found)
    states = Counter(each.status.state for each in found if is_listed(each))
    return {
        "live": sum(each.live for each in found),
        "needs": groups[Group.NEEDS_YOU],
        "done": groups[Group.DONE],
        "idle": groups[Group.IDLE],
        **{state.value: states[state] for state in SessionState},
    }


def is_left_out(facts: SessionFacts, group: Group) -> bool:
    """True if the person hid a session, unless it needs them."""
    return facts.added.hidden and group is not Group.NEEDS_YOU


def is_listed(each: WithState) -> bool:
    """True if a session is live or means something for its person: the others are idle."""
    return each.live or each.group is not Group.IDLE
