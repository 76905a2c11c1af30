"""Usage of many sessions by group."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import lru_cache

from agentview.domain.session import HERE, SessionRef
from agentview.facts.usage.report import ToolUsage, UsageSums
from agentview.facts.usage.tally import Tally
from agentview.facts.usage.time_breakdown import TimeSplit
from agentview.timeline.view.cost import NO_COST, Cost, cost_of_all


class GroupKey(StrEnum):
    """The property by which sessions are grouped."""

    HOUR = "hour"
    """The time of each response where this machine is, as in the three that follow."""
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    PROJECT = "project"
    MODEL = "model"
    TOOL = "tool"
    """The kinds of tools that each response called."""
    PROVIDER = "provider"
    HOST = "host"
    SESSION = "session"


TIMES = (GroupKey.HOUR, GroupKey.DAY, GroupKey.WEEK, GroupKey.MONTH)


@lru_cache(maxsize=1024)
def time_key(hour: str | None, by: GroupKey) -> str | None:
    """The day, week or month of an hour, as 2026-11-21, 2026-W47, 2026-11; of another key itself.

    `moment` takes each of them.
    """
    if hour is None or by is GroupKey.HOUR:
        return hour
    if by is GroupKey.WEEK:
        year, week, _ = date.fromisoformat(hour[: len("2026-11-21")]).isocalendar()
        return f"{year:04}-W{week:02}"
    return hour[: len("2026-11" if by is GroupKey.MONTH else "2026-11-21")]


@dataclass(slots=True)
class Group:
    """All that has the same key; what only whole sessions have is None in groups of parts."""

    tally: Tally = field(default_factory=Tally)
    sessions: int = 0
    time: TimeSplit = field(default_factory=TimeSplit)
    client_cost: float | None = None
    client_sessions: int = 0
    """Sessions whose client reported a cost."""
    cost: Cost = NO_COST
    ref: SessionRef | None = None
    """The session, where each has a group of its own."""

    def add(self, usage: UsageSums) -> None:
        """Count a whole session."""
        self.tally.merge(usage.own)
        self.tally.merge(usage.agents)
        self.add_facts(usage)

    def add_facts(self, usage: UsageSums) -> None:
        """Count a session without its tokens."""
        self.sessions += 1
        self.time = self.time.plus(usage.time)
        cost = usage.cost
        if cost.client is not None:
            self.client_cost = (self.client_cost or 0.0) + cost.client
            self.client_sessions += 1
        self.cost = cost_of_all((self.cost, cost))


class Breakdown:
    """Sums of sessions by one key."""

    def __init__(self, by: GroupKey) -> None:
        self.by = by
        self.groups: dict[str | None, Group] = {}

    @property
    def of_sessions(self) -> bool:
        return self.by in (GroupKey.PROJECT, GroupKey.PROVIDER, GroupKey.HOST, GroupKey.SESSION)

    def cost(self, group: Group) -> Cost:
        return group.cost if self.of_sessions else group.tally.worth()

    def ordered(self) -> list[tuple[str | None, Group]]:
        """Times in order, the rest by what they used, the most first; the unknown last."""
        if self.by in TIMES:
            return sorted(self.groups.items(), key=lambda item: (item[0] is None, item[0] or ""))
        return sorted(self.groups.items(), key=lambda item: self._by_size(*item))

    def _by_size(self, key: str | None, group: Group) -> tuple[bool, float, int, str]:
        shown = self.cost(group).shown
        return (key is None, -(shown or 0.0), -(group.tally.tokens or 0), key or "")

    def add(self, usage: UsageSums, project: str | None) -> None:
        """Count a session."""
        ref = usage.ref
        if self.by in TIMES:
            self._parts(by_time(usage.by_hour, self.by))
        elif self.by is GroupKey.MODEL:
            self._parts(usage.by_model)
        elif self.by is GroupKey.TOOL:
            self._parts(usage.by_tool)
        elif self.by is GroupKey.PROVIDER:
            self._of(ref.provider).add(usage)
        elif self.by is GroupKey.HOST:
            self._of(ref.host or HERE).add(usage)
        elif self.by is GroupKey.PROJECT:
            self._of(project).add(usage)
        else:
            group = self._of(ref.path)
            group.ref = ref
            group.add(usage)

    def _parts(self, tallies: Mapping[str | None, Tally]) -> None:
        for key, tally in tallies.items():
            group = self._of(key)
            group.tally.merge(tally)
            group.sessions += 1

    def _of(self, key: str | None) -> Group:
        return self.groups.setdefault(key, Group())


class Totals:
    """Adds sessions up; keeps sums only, so that their number does not matter for memory."""

    def __init__(self, by: GroupKey | None) -> None:
        self.breakdown = None if by is None else Breakdown(by)
        self.all = Group()
        self.own = Tally()
        self.agents = Tally()
        self.abandoned = Tally()
        """Use of both on abandoned branches."""
        self.agent_logs = 0
        self.turns = 0
        self.compactions = 0
        self.tools: dict[str, ToolUsage] = {}
        self.days: dict[str | None, Tally] = {}
        self.unpriced: set[str | None] = set()
        """Models whose tokens have no known price, or only for a part."""
        self.started: float | None = None
        self.ended: float | None = None
        self.untimed = 0
        """Sessions in which something has no time."""

    def add(self, usage: UsageSums, project: str | None = None, *, agent: bool = False) -> None:
        """Count a session, if anything of it is in the period that was asked for.

        With `agent` it is one that is an agent's, whose session was not found.
        """
        self.untimed += usage.has_untimed
        if not usage.is_inside:
            return
        self.all.add(usage)
        self.own.merge(Tally() if agent else usage.own)
        self.agents.merge(usage.total if agent else usage.agents)
        self.abandoned.merge(usage.abandoned)
        self.agent_logs += usage.agent_logs + agent
        self.compactions += usage.compactions
        self.turns += usage.standing
        for tool, more in usage.tools.items():
            self.tools[tool] = self.tools[tool].plus(more) if tool in self.tools else more
        for day, tally in by_time(usage.by_hour, GroupKey.DAY).items():
            self.days.setdefault(day, Tally()).merge(tally)
        self.unpriced.update(name for name, tally in usage.by_model.items() if tally.partly)
        self.started = _pick(min, self.started, usage.started)
        self.ended = _pick(max, self.ended, usage.ended)
        if self.breakdown is not None:
            self.breakdown.add(usage, project)


def by_time(hours: Mapping[str | None, Tally], by: GroupKey) -> dict[str | None, Tally]:
    """Tallies of hours added up by `by`, which is one of `TIMES`."""
    found: dict[str | None, Tally] = {}
    for hour, tally in hours.items():
        found.setdefault(time_key(hour, by), Tally()).merge(tally)
    return found


def _pick(
    choose: Callable[[Iterable[float]], float], left: float | None, right: float | None
) -> float | None:
    known = [time for time in (left, right) if time is not None]
    return choose(known) if known else None
