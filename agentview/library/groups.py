"""Sessions of one project or one day together, under a heading that adds them up."""

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from agentview.domain.sort_order import Column, Grouping
from agentview.domain.value import Value
from agentview.library.liveness import activity_time
from agentview.library.session_list import SLICE, Entry, Listing, project_name
from agentview.timeline.cost import Cost, cost_of_all

_DAY = 86_400.0


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
    sessions: int = 0
    tokens: int | None = None
    costs: list[Cost] = field(default_factory=list[Cost])
    whole: bool = True

    def add(self, entry: Entry, listing: Listing) -> None:
        self.entries.append(entry)
        if entry.nested:
            return
        self.sessions += 1
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
            self.sessions,
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
    """The entries in groups, each under its heading, in steps; agents stay with their sessions.

    Groups stand in the order of their first sessions; days from the newest on, whatever the
    sessions of a day are sorted by.
    """
    groups: dict[str, _Group] = {}
    group: _Group | None = None
    for number, entry in enumerate(entries):
        if not entry.nested or group is None:
            key = _day(entry) if by is Grouping.DAY else entry.info.project or ""
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
        return _Group(*_told_day(key, now))
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


def _told_day(day: str, now: float) -> tuple[str, str]:
    if not day:
        return "no time", ""
    weekday = time.strftime("%a", time.strptime(day, "%Y-%m-%d"))
    if day == _date(now):
        return "today", f"{weekday} {day}"
    if day == _date(now - _DAY):
        return "yesterday", f"{weekday} {day}"
    return f"{weekday} {day}", ""
