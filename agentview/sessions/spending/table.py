"""What the sessions of this machine used, as a table: what a screen asks for and what it gets."""

from collections.abc import Mapping

from msgspec import field

from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.usage.group_by import TIMES, Breakdown, Group, GroupKey
from agentview.facts.usage.tally import Tally
from agentview.settings.values import BudgetSettings
from agentview.timeline.view.cost import NO_COST, Cost

MOST_ROWS = 400
"""Rows that are given; of more, those that used most, or the latest times."""


class UsageRow(Value):
    """All that has the same key."""

    key: str | None
    cost: Cost
    tally: Tally
    sessions: int
    ref: SessionRef | None = None
    """The session, where each has a row of its own."""
    title: str | None = None
    project: str | None = None


class Shortfalls(Value):
    """Why what was counted is a lower bound: how many of each."""

    pending: int = 0
    """Sessions that were not counted yet."""
    unreadable: int = 0
    """Sessions whose logs cannot be read."""
    untimed: int = 0
    """Sessions in which something has no time, and so is in no period."""
    unfinished: int = 0
    """Responses without a final count of their output."""
    unpriced: tuple[str | None, ...] = ()
    """Models whose tokens have no known price, or only for a part."""
    silent: tuple[str, ...] = ()
    """Why other machines did not answer, a sentence each."""

    @property
    def any(self) -> bool:
        return self != Shortfalls()


class UsageTable(Value):
    """Usage in a period, by a key; times begin with the latest."""

    by: GroupKey
    period: Period = ALL_TIME
    rows: tuple[UsageRow, ...] = ()
    more: int = 0
    """Rows that are left out."""
    total: Tally = field(default_factory=Tally)
    cost: Cost = NO_COST
    sessions: int = 0
    agents: int = 0
    turns: int = 0
    counted: int = 0
    """Sessions that were looked at, of `all_sessions`."""
    all_sessions: int = 0
    done: bool = False
    short: Shortfalls = Shortfalls()
    asking: bool = False
    """Whether other machines have not answered yet."""

    @property
    def whole(self) -> bool:
        return self.cost.whole and not self.short.any


class Asked(Value):
    """A question to the worker; it replaces the one before.

    With `look` it finds out which sessions there are; unless it `reads`, logs that nothing is kept
    of are not read: somebody else does that.
    """

    number: int
    by: GroupKey
    period: Period
    look: bool = False
    reads: bool = False


class BudgetQuestion(Value):
    """Asks what was spent; unless it `reads`, logs that nothing is kept of do not count."""

    budgets: BudgetSettings
    reads: bool = False


class Answered(Value):
    """A table for the question of a number; a later one of the same number replaces it."""

    number: int
    table: UsageTable


Names = Mapping[str, tuple[str | None, str | None]]
"""Title and project of sessions by their logs."""


def rows_of(breakdown: Breakdown, names: Names) -> list[UsageRow]:
    """The rows that are shown, in their order."""
    ordered = breakdown.ordered()
    if breakdown.by in TIMES:
        known = [item for item in ordered if item[0] is not None]
        ordered = [*reversed(known), *(item for item in ordered if item[0] is None)]
    return [_row(breakdown, key, group, names) for key, group in ordered[:MOST_ROWS]]


def _row(breakdown: Breakdown, key: str | None, group: Group, names: Names) -> UsageRow:
    title, project = names.get(group.ref.path, (None, None)) if group.ref else (None, None)
    cost = breakdown.cost(group)
    return UsageRow(key, cost, group.tally, group.sessions, group.ref, title, project)
