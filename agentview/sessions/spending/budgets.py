"""Budgets: what may be spent in a day, week or month, by a project or session, and what was."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from time import localtime

from agentview.domain.period import Period
from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.value import Value
from agentview.facts.usage.aggregate import hour_of
from agentview.facts.usage.group_by import GroupKey, by_time, time_key
from agentview.facts.usage.report import UsageSums
from agentview.facts.usage.tally import Tally
from agentview.query.values import moment
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions
from agentview.sessions.library.filters import active_with_agents, oldest_first
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.session_query import in_project
from agentview.settings.values import BudgetSettings
from agentview.sources.one_look import one_look
from agentview.timeline.view.cost import NO_COST, Cost
from agentview.timeline.view.format_numbers import dollars, share
from agentview.timeline.view.limit_text import LimitWords, Meter
from agentview.timeline.view.sanitize import one_line

LEVELS = (1.0, 0.8)
"""Used parts of a budget at which its person is notified, the highest first."""

_HOUR = 3600.0
_LEAST_RATE = 0.005
"""US dollars an hour from which the rate is shown."""
_NAME = 40
_MOST = 20
"""Sessions that are reported."""


class BudgetKind(StrEnum):
    """The period, the project or the session that a budget limits."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    PROJECT = "project"
    SESSION = "session"


_TIMES = {
    BudgetKind.DAY: GroupKey.DAY,
    BudgetKind.WEEK: GroupKey.WEEK,
    BudgetKind.MONTH: GroupKey.MONTH,
}
_WORDS = {
    BudgetKind.DAY: "today",
    BudgetKind.WEEK: "this week",
    BudgetKind.MONTH: "this month",
}


class Spending(Value):
    """The cost that counts for a budget."""

    kind: BudgetKind
    limit: float
    """US dollars."""
    cost: Cost
    begun: str
    """The day, week or month, as `stats` names it; of a session its id."""
    name: str | None = None
    """Of a project as the settings name it, of a session its title."""
    ref: SessionRef | None = None

    @property
    def used(self) -> float:
        """The used part of the budget; 1 is all of it."""
        return (self.cost.shown or 0.0) / self.limit

    @property
    def level(self) -> float | None:
        """The highest of `LEVELS` that was reached."""
        return next((level for level in LEVELS if self.used >= level), None)

    @property
    def key(self) -> str:
        """Identity of the budget in its period, for one notification at each level."""
        name = self.name if self.kind is BudgetKind.PROJECT else ""
        return f"{self.kind}:{name}:{self.begun}:{self.limit:g}"

    @property
    def label(self) -> str:
        """The subject of the budget, in a few words."""
        if self.kind is BudgetKind.PROJECT:
            return f"{one_line(self.name or '', _NAME)} this month"
        if self.kind is BudgetKind.SESSION:
            return f"session {one_line(self.name or self.begun[:8], _NAME)}"
        return _WORDS[self.kind]

    @property
    def text(self) -> str:
        """Cost and limit: `~$18.40 of $30.00, 61 %`."""
        return f"{self.cost.text()} of {dollars(self.limit)}, {self.used:.0%}"


class Spent(Value):
    """Cost of today and of the last hour, and of each budget."""

    today: Cost = NO_COST
    rate: float | None = None
    """US dollars an hour since the last full hour began; None where nothing is known."""
    budgets: tuple[Spending, ...] = ()


def spending(
    settings: BudgetSettings,
    sessions: Iterable[SessionFacts],
    catalogue: SessionCache,
    now: float,
    *,
    reads: bool,
) -> Spent:
    """Cost of today and of each budget; of sessions, of those of today at a level.

    The figures are those of `stats --by day`, `week`, `month` and `session`. Unless it `reads`, a
    log that nothing is kept of does not count.
    """
    today, week, month = (moment(name, now) or now for name in ("today", "this week", "this month"))
    begin = min(today, now - 2 * _HOUR)
    if settings.any:
        begin = min(begin, week, month)
    wanted = oldest_first(active_with_agents(list(sessions), Period(begin, None)))
    infos = {facts.info.ref.path: facts.info for facts in wanted}
    refs = [info.ref for info in infos.values()]
    sums = _Sums(settings, now)
    with one_look(len(refs), {ref.path: ref for ref in refs}):
        for outcome in CountedSessions(refs, catalogue, reads=reads).each():
            if outcome.usage is not None:
                sums.add(outcome.usage, infos[outcome.ref.path], today)
    return sums.spent()


class _Sums:
    def __init__(self, settings: BudgetSettings, now: float) -> None:
        self._settings = settings
        self._now = now
        self._recent = {hour_of(now - _HOUR), hour_of(now)}
        self._lately = Tally()
        hour = hour_of(now)
        self._begun = {kind: time_key(hour, key) for kind, key in _TIMES.items()}
        self._times = {kind: Tally() for kind in _TIMES}
        self._projects = {name: Tally() for name in settings.projects}
        self._sessions: list[Spending] = []

    def add(self, usage: UsageSums, info: SessionInfo, today: float) -> None:
        """Count a session."""
        for begun in self._recent & usage.by_hour.keys():
            self._lately.merge(usage.by_hour[begun])
        for kind, key in _TIMES.items():
            used = by_time(usage.by_hour, key).get(self._begun[kind])
            if used is None:
                continue
            self._times[kind].merge(used)
            for name, tally in self._projects.items() if kind is BudgetKind.MONTH else ():
                if in_project(info, name):
                    tally.merge(used)
        limit, ref = self._settings.session, usage.ref
        if limit is not None and (usage.ended or 0.0) >= today:
            kind = BudgetKind.SESSION
            spent = Spending(kind, limit, usage.cost, ref.session_id, info.title, ref)
            self._sessions += [spent] if spent.level is not None else []

    def spent(self) -> Spent:
        today = self._times[BudgetKind.DAY].worth()
        return Spent(today, self._rate(), tuple(self._budgets()))

    def _rate(self) -> float | None:
        cost = self._lately.worth().shown
        now = localtime(self._now)
        seconds = _HOUR + 60 * now.tm_min + now.tm_sec
        return None if cost is None else cost * _HOUR / seconds

    def _budgets(self) -> Iterator[Spending]:
        settings = self._settings
        limits = (settings.day, settings.week, settings.month)
        for (kind, tally), limit in zip(self._times.items(), limits, strict=True):
            if limit is not None:
                yield Spending(kind, limit, tally.worth(), self._begun[kind] or "")
        month = self._begun[BudgetKind.MONTH] or ""
        for name, limit in settings.projects.items():
            tally = self._projects[name]
            yield Spending(BudgetKind.PROJECT, limit, tally.worth(), month, name)
        yield from sorted(self._sessions, key=lambda each: -each.used)[:_MOST]


def meters(spent: Iterable[Spending]) -> tuple[Meter, ...]:
    return tuple(Meter(each.label, each.text, each.used, each.level is not None) for each in spent)


def today_words(spent: Spent) -> tuple[str, ...]:
    """Cost of today and an hour, from the longest text to the shortest; none if unknown."""
    if spent.today.shown is None:
        return ()
    rate = [f"~{dollars(spent.rate or 0.0)}/h"] if (spent.rate or 0.0) >= _LEAST_RATE else []
    if any(each.kind is BudgetKind.DAY for each in spent.budgets):
        # What the day has cost so far is with its budget.
        return tuple(rate)
    today = f"today {spent.today.text()}"
    return tuple(dict.fromkeys((" · ".join([today, *rate]), today)))


def budget_words(spent: Sequence[Spending]) -> LimitWords:
    """Budgets in a bar: all of them, else the one of which most is used."""
    if not spent:
        return LimitWords()
    most = max(spent, key=lambda each: each.used)
    pieces: list[tuple[str, bool]] = []
    for each in spent:
        pieces += [(" · ", False)] if pieces else []
        pieces.append((_short(each), each.level is not None))
    near = most.level is not None
    forms = (tuple(pieces), ((_short(most), near),), ((f"budget {share(most.used)}", near),))
    return LimitWords(tuple(dict.fromkeys(forms)), near)


def _short(each: Spending) -> str:
    return f"{each.label} {each.cost.text()}/{dollars(each.limit)}"
