"""Summaries of the agents that a call started, for the card of that call."""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from agentview.domain.activity import Activity, ChildSummary
from agentview.domain.session_state import SessionState, SessionStatus
from agentview.domain.tools import ToolKind
from agentview.timeline.rows.session_summary import Summary
from agentview.timeline.rows.token_totals import Spent

PriceOf = Callable[[Spent], tuple[float, bool] | None]
"""US dollars of tokens by list prices, and whether all prices are known; None for no estimate."""

_LATEST = 5
"""Activities of an agent that the card of its call shows."""

_FIRST = (
    SessionState.NEEDS_APPROVAL, SessionState.NEEDS_ANSWER, SessionState.WORKING,
    SessionState.LIMITED, SessionState.FAILED, SessionState.UNKNOWN,
)  # fmt: skip
"""States that several agents are in together when one of them is, the first that applies."""


class AgentLog(Protocol):
    """The log of an agent."""

    @property
    def summary(self) -> Summary: ...

    @property
    def first(self) -> int: ...

    @property
    def end(self) -> int: ...

    def shown(self, row: int) -> bool: ...

    def activity(self, row: int) -> Activity: ...

    def status(self, now: float) -> SessionStatus: ...

    def running(self) -> Sequence[int]: ...


def summary_of(log: AgentLog, price_of: PriceOf) -> ChildSummary:
    """Return the summary of one agent."""
    summary = log.summary
    newest = filter(log.shown, range(log.end - 1, log.first - 1, -1))
    usage = summary.usage
    counts = (usage.input_uncached, usage.input_cached, usage.cache_write, usage.output)
    first, last = summary.times.first, summary.times.last
    price = price_of(summary.spent) if summary.cost is None else None
    state = log.status(time.time()).state
    if state is SessionState.ENDED and log.running():
        # Agents that it started work on, and report to it.
        state = SessionState.WORKING
    return ChildSummary(
        state=state,
        call_count=summary.count(*ToolKind),
        problem_count=summary.problems,
        total_tokens=_sum(counts),
        model=summary.text("model"),
        latest=tuple(map(log.activity, [*islice(newest, _LATEST)][::-1])),
        duration=None if first is None or last is None else last - first,
        cost=summary.cost,
        estimate=None if price is None else price[0],
        estimate_whole=price is None or price[1],
    )


def summary_of_run(agents: Sequence[ChildSummary]) -> ChildSummary:
    """Return the summary of several agents: sums of the known figures of each."""
    states = {agent.state for agent in agents}
    latest = sorted((each for agent in agents for each in agent.latest), key=_begun)
    return ChildSummary(
        state=next((state for state in _FIRST if state in states), agents[0].state),
        call_count=sum(agent.call_count for agent in agents),
        problem_count=sum(agent.problem_count for agent in agents),
        total_tokens=_sum(agent.total_tokens for agent in agents),
        latest=tuple(latest[-_LATEST:]),
        cost=_sum(agent.cost for agent in agents),
        estimate=_sum(agent.estimate for agent in agents),
        estimate_whole=all(agent.estimate_whole for agent in agents),
        agent_count=len(agents),
    )


_Number = TypeVar("_Number", int, float)


def _sum(counts: Iterable[_Number | None]) -> _Number | None:
    known = [count for count in counts if count is not None]
    return sum(known[1:], known[0]) if known else None


def _begun(activity: Activity) -> float:
    return activity.started or 0.0
