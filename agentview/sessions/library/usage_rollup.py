"""Usage of a session together with that of the agents that it started."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from agentview.domain.value import Value
from agentview.sessions.library.session_record import SessionFacts, SessionTotals
from agentview.timeline.view.cost import NO_COST, Cost

Number = TypeVar("Number", int, float)


class UsageRollup(Value):
    """Counts of a session with its agents; None is unknown.

    `turns` are those of the session alone. Not `whole` where it is at least so much: a log of an
    agent has not been indexed.
    """

    turns: int | None = None
    calls: int | None = None
    problems: int | None = None
    tokens: int | None = None
    cost: Cost = NO_COST
    whole: bool = True


UNKNOWN_FIGURES = UsageRollup()


def figures_of(facts: SessionFacts, agents: Sequence[SessionFacts] = ()) -> UsageRollup:
    """The figures; all unknown as long as the log of the session itself has not been indexed."""
    own = facts.totals
    if own is None:
        return UNKNOWN_FIGURES
    if not agents:
        return UsageRollup(
            own.turns,
            sum(own.calls.values()),
            own.problems,
            own.usage.context,
            own.cost,
        )
    known = [own, *(agent.totals for agent in agents if agent.totals is not None)]
    whole = len(known) == len(agents) + 1
    return UsageRollup(
        own.turns,
        sum(sum(totals.calls.values()) for totals in known),
        sum(totals.problems for totals in known),
        added(totals.usage.context for totals in known),
        _cost_of(known, whole=whole),
        whole,
    )


def _cost_of(known: Sequence[SessionTotals], *, whole: bool) -> Cost:
    """Return the cost of a session, the first one, with its agents, which its client counts too."""
    estimate = added(totals.cost.estimate for totals in known)
    priced = whole and all(totals.cost.priced for totals in known)
    return Cost(known[0].cost.client, estimate, priced)


def added(values: Iterable[Number | None]) -> Number | None:
    """The sum of what is known; None when nothing is."""
    total: Number | None = None
    for value in values:
        if value is not None:
            total = value if total is None else total + value
    return total
