"""The cost of a session by one rule: the client's own figure, else an estimate."""

from collections.abc import Iterable

from agentview.domain.value import Value
from agentview.timeline.view.format_numbers import dollars, estimated


class Cost(Value):
    """US dollars; None is unknown.

    What is shown is what the client counted, else the estimate, which is marked with `~`.
    """

    client: float | None = None
    """The client's own count for the whole session, if its log has one."""
    estimate: float | None = None
    """Cost of the tokens by a list of prices."""
    priced: bool = True
    """False when a part of the tokens has no known price: the estimate is at least so much."""

    @property
    def shown(self) -> float | None:
        """The figure that is shown, and that is sorted, filtered and added up by."""
        return self.estimate if self.client is None else self.client

    @property
    def whole(self) -> bool:
        """False when it was at least what is shown."""
        return self.client is not None or self.priced

    @property
    def source(self) -> str | None:
        """Whose figure is shown: `client`, `estimate`, None where none is known."""
        if self.client is not None:
            return "client"
        return None if self.estimate is None else "estimate"

    def text(self) -> str:
        """The figure as text: `$1.93`, `~$1.93` for an estimate, `~$1.93+` where it was more."""
        if self.client is not None:
            return dollars(self.client)
        return estimated(self.estimate, whole=self.priced)


NO_COST = Cost()
"""Of what used nothing, or is not known to have used anything."""


def cost_of_all(costs: Iterable[Cost]) -> Cost:
    """Cost of several sessions together: an estimate, unless all of it was counted by clients."""
    text = [cost for cost in costs if cost != NO_COST]
    shown = [cost.shown for cost in text if cost.shown is not None]
    if not shown:
        return Cost(priced=all(cost.whole for cost in text))
    if all(cost.client is not None for cost in text):
        return Cost(client=sum(shown))
    return Cost(estimate=sum(shown), priced=all(cost.whole for cost in text))
