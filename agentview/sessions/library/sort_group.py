"""The lines of the library: filtered, sorted, grouped, in steps that do not hold the event loop."""

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from agentview.domain.sort_order import Column, Grouping
from agentview.domain.value import Value
from agentview.sessions.library.columns import DESCENDING, Key, fact_key, figure_key
from agentview.sessions.library.filters import LibraryFilter
from agentview.sessions.library.liveness import KEPT, activity_time, standing
from agentview.sessions.library.periods import Period, in_periods
from agentview.sessions.library.session_list import (
    SLICE,
    Entry,
    Listing,
    newest_key,
    on_host,
    project_name,
    sorted_in_steps,
)
from agentview.timeline.view.cost import Cost, cost_of_all

# Sessions of one project or one day together, under a heading that adds them up.

_DAY = 86_400.0
_FEW_COSTS = 10
"""Sessions with a cost, of fewer than which none stands out."""
NO_HEAT = float("inf"), float("inf")


class Heading(Value):
    """The line above a group. Tokens and cost are of all its sessions together.

    Not `whole` where it is at least so much: the logs of some are not indexed.
    """

    label: str
    detail: str
    sessions: int
    tokens: int | None
    cost: Cost
    whole: bool


@dataclass(slots=True)
class _Group:
    """A group while it is added up."""

    label: str
    detail: str
    entries: list[Entry] = field(default_factory=list[Entry])
    tokens: int | None = None
    costs: list[Cost] = field(default_factory=list[Cost])
    whole: bool = True

    def add(self, entry: Entry, listing: Listing) -> None:
        self.entries.append(entry)
        figures = listing.figures(entry.facts, entry.agents)
        known = entry.facts.totals is not None
        self.whole = self.whole and known and figures.whole
        self.costs.append(figures.cost if known else Cost(priced=False))
        if figures.tokens is not None:
            self.tokens = (self.tokens or 0) + figures.tokens

    def heading(self) -> Heading:
        return Heading(
            self.label,
            self.detail,
            len(self.entries),
            self.tokens,
            cost_of_all(self.costs),
            self.whole,
        )


def grouped(
    entries: Sequence[Entry],
    by: Grouping,
    listing: Listing,
    *,
    now: float,
    sort: Column,
    reverse: bool,
) -> Generator[None, None, list[Entry | Heading]]:
    """The entries in groups, each under its heading, in steps.

    Groups are in the order of their first sessions; days are newest first, whatever the sessions of
    a day are sorted by.
    """
    groups: dict[str, _Group] = {}
    for number, entry in enumerate(entries):
        key = _day(entry) if by is Grouping.DAY else on_host(entry.info, entry.info.project or "")
        group = groups.get(key)
        if group is None:
            group = groups[key] = _group(entry, key, by, now)
        group.add(entry, listing)
        if number % SLICE == SLICE - 1:
            yield
    keys = list(groups)
    if by is Grouping.DAY:
        keys.sort(reverse=not (reverse and sort in (Column.ACTIVE, Column.STARTED)))
    rows: list[Entry | Heading] = []
    for key in keys:
        rows.append(groups[key].heading())
        rows += groups[key].entries
    return rows


def _group(entry: Entry, key: str, by: Grouping, now: float) -> _Group:
    if by is Grouping.DAY:
        return _Group(*_day_label(key, now))
    if not key:
        return _Group("no project", "")
    name = project_name(entry.info) or key
    return _Group(name, key if name != key.lstrip("/") else "")


def _day(entry: Entry) -> str:
    return _date(activity_time(entry.info))


def _date(moment: float) -> str:
    try:
        return time.strftime("%Y-%m-%d", time.localtime(moment)) if moment else ""
    except (OverflowError, ValueError, OSError):
        return ""


def _day_label(day: str, now: float) -> tuple[str, str]:
    if not day:
        return "no time", ""
    weekday = time.strftime("%a", time.strptime(day, "%Y-%m-%d"))
    if day == _date(now):
        return "today", f"{weekday} {day}"
    if day == _date(now - _DAY):
        return "yesterday", f"{weekday} {day}"
    return f"{weekday} {day}", ""


Row = Entry | Heading | Period
Result = TypeVar("Result")


class ListQuery(Value, gc=True):
    """Which sessions are to be listed, and how. `reverse` turns the usual order of a column."""

    filter: LibraryFilter | None = None
    sort: Column = Column.ACTIVE
    reverse: bool = False
    group: Grouping = Grouping.NONE
    agents: bool = False
    """With the agents of each session below it."""
    hidden: bool = True
    """With sessions that their person hid."""
    periods: bool = False
    """With headings of days and months, where sessions that are not grouped are sorted by time."""


class ListView(Value):
    """The listed sessions and their order.

    `undecided` sessions are left out: only their contents show whether they pass, and these have
    not been indexed, as of `unindexed` sessions in all.
    """

    rows: Sequence[Row] = ()
    sessions: int = 0
    live: int = 0
    undecided: int = 0
    unindexed: int = 0
    heat: tuple[float, float] = NO_HEAT
    """Above which costs a session is among the most expensive tenth and fiftieth."""


def arrange(listing: Listing, wanted: ListQuery, now: float) -> Generator[None, None, ListView]:
    """The lines of the library at a time, in steps of about a millisecond."""
    entries = yield from listing.entries()
    passing, undecided = yield from _passing(entries, wanted)
    live = yield from _live(passing, now)
    unindexed = yield from _unindexed(entries)
    ordered = yield from _sorted(passing, wanted, listing, now)
    rows: Sequence[Row] = ordered
    if wanted.group is not Grouping.NONE:
        rows = yield from grouped(
            ordered, wanted.group, listing, now=now, sort=wanted.sort, reverse=wanted.reverse
        )
    elif wanted.periods and wanted.sort is Column.ACTIVE:
        rows = in_periods(ordered, now, descending=not wanted.reverse)
    if wanted.agents:
        rows = yield from _with_agents(rows, wanted.filter)
    heat = (yield from _heat(passing, listing)) if wanted.periods else NO_HEAT
    return ListView(rows, len(passing), live, undecided, unindexed, heat)


def finished(work: Generator[None, None, Result]) -> Result:
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def _passing(
    entries: Sequence[Entry], wanted: ListQuery
) -> Generator[None, None, tuple[Sequence[Entry], int]]:
    """Return the sessions that pass, newest first, and how many of the others are undecided."""
    if not wanted.hidden:
        entries = [entry for entry in entries if not entry.facts.added.hidden]
    test = wanted.filter
    if test is None:
        return entries, 0
    found: list[Entry] = []
    undecided = 0
    for number, entry in enumerate(entries):
        verdict = test.passes(entry.facts, entry.agents)
        if verdict is not True and wanted.agents:
            # Where agents are listed, one that passes brings its session along.
            verdict = any(test.passes(agent) for agent in entry.agents) or verdict
        if verdict:
            found.append(entry)
        elif verdict is None:
            undecided += 1
        if number % SLICE == SLICE - 1:
            yield
    return found, undecided


def _live(entries: Sequence[Entry], now: float) -> Generator[None, None, int]:
    """Return how many of sessions that are given newest first are live."""
    live = 0
    for entry in entries:
        if now - activity_time(entry.info) >= KEPT:
            break
        live += standing(entry.info, now).live
        yield
    return live


def _heat(entries: Sequence[Entry], listing: Listing) -> Generator[None, None, tuple[float, float]]:
    """Return above which costs sessions are among the most expensive tenth and fiftieth."""
    costs: list[float] = []
    for number, entry in enumerate(entries):
        if entry.facts.totals is not None:
            cost = listing.figures(entry.facts, entry.agents).cost.shown
            if cost:
                costs.append(cost)
        if number % SLICE == SLICE - 1:
            yield
    if len(costs) < _FEW_COSTS:
        return NO_HEAT
    ordered = yield from sorted_in_steps(costs, lambda cost: cost, reverse=True)
    return ordered[max(1, len(ordered) // 10)], ordered[max(1, len(ordered) // 50)]


def _unindexed(entries: Sequence[Entry]) -> Generator[None, None, int]:
    """How many have a log, their own or that of an agent, whose contents are not known."""
    count = 0
    for number, entry in enumerate(entries):
        logs = entry.facts, *entry.agents
        count += any(facts.totals is None for facts in logs)
        if number % SLICE == SLICE - 1:
            yield
    return count


def _sorted(
    entries: Sequence[Entry], wanted: ListQuery, listing: Listing, now: float
) -> Generator[None, None, Sequence[Entry]]:
    """The entries, which come newest first, by the column; those it does not know stand last."""
    column = wanted.sort
    descending = (column in DESCENDING) != wanted.reverse
    if column is Column.ACTIVE and descending:
        return entries
    look = _look(column, listing, now)
    keys: dict[str, Key] = {}
    known: list[Entry] = []
    unknown: list[Entry] = []
    for number, entry in enumerate(entries):
        key = look(entry)
        if key is None:
            unknown.append(entry)
        else:
            keys[entry.path] = key
            known.append(entry)
        if number % SLICE == SLICE - 1:
            yield
    ordered = yield from sorted_in_steps(known, lambda entry: keys[entry.path], reverse=descending)
    return ordered + unknown


def _look(column: Column, listing: Listing, now: float) -> Callable[[Entry], Key | None]:
    by_facts = fact_key(column)
    if by_facts is not None:
        return lambda entry: by_facts(entry.facts, now)
    return lambda entry: figure_key(column, listing.figures(entry.facts, entry.agents))


def _with_agents(
    rows: Sequence[Row], test: LibraryFilter | None
) -> Generator[None, None, list[Row]]:
    """Each session with its agents below it: all of them, or those that pass where it does not."""
    found: list[Row] = []
    for number, entry in enumerate(rows):
        found.append(entry)
        if isinstance(entry, Entry) and entry.agents:
            whole = test is None or test.passes(entry.facts, entry.agents) is True
            kept = [one for one in entry.agents if whole or (test and test.passes(one))]
            found.extend(Entry(one, nested=True) for one in sorted(kept, key=newest_key))
        if number % SLICE == SLICE - 1:
            yield
    return found
