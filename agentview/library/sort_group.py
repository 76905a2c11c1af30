"""The lines of the library: filtered, sorted, grouped, in steps that do not hold the event loop."""

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TypeVar

from agentview.domain.sort_order import Column, Grouping
from agentview.domain.value import Value
from agentview.library.columns import DESCENDING, Key, fact_key, figure_key
from agentview.library.filters import LibraryFilter
from agentview.library.groups import Heading, grouped
from agentview.library.liveness import SILENT, activity_time, is_live
from agentview.library.session_list import (
    SLICE,
    Entry,
    Listing,
    newest_key,
    sorted_in_steps,
)

Row = Entry | Heading
Result = TypeVar("Result")


class Wanted(Value):
    """Which sessions are to be listed, and how. `reverse` turns the usual order of a column."""

    filter: LibraryFilter | None = None
    sort: Column = Column.ACTIVE
    reverse: bool = False
    group: Grouping = Grouping.NONE
    agents: bool = False
    """With the agents of each session below it."""


class Arranged(Value):
    """What is listed.

    `untold` sessions are left out: only their contents show whether they pass, and these have not
    been indexed, as of `unindexed` logs in all.
    """

    rows: Sequence[Row] = ()
    sessions: int = 0
    live: int = 0
    untold: int = 0
    unindexed: int = 0


def arrange(listing: Listing, wanted: Wanted, now: float) -> Generator[None, None, Arranged]:
    """The lines of the library at a time, in steps of about a millisecond."""
    entries = yield from listing.entries()
    passing, untold = yield from _passing(entries, wanted)
    live = sum(1 for entry in _recent(passing, now) if is_live(entry.info, now))
    yield
    ordered = yield from _sorted(passing, wanted, listing, now)
    rows: Sequence[Row] = ordered
    if wanted.agents:
        ordered = yield from _with_agents(ordered, wanted.filter)
        rows = ordered
    if wanted.group is not Grouping.NONE:
        rows = yield from grouped(
            ordered, wanted.group, listing, now=now, sort=wanted.sort, reverse=wanted.reverse
        )
    return Arranged(rows, len(passing), live, untold, listing.unindexed())


def finished(work: Generator[None, None, Result]) -> Result:
    """What work in steps comes to, at once."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value


def _passing(
    entries: Sequence[Entry], wanted: Wanted
) -> Generator[None, None, tuple[Sequence[Entry], int]]:
    """The sessions that pass, newest first, and how many of the others cannot be told."""
    test = wanted.filter
    if test is None:
        return entries, 0
    found: list[Entry] = []
    untold = 0
    for number, entry in enumerate(entries):
        verdict = test.passes(entry.facts, entry.agents)
        if verdict is not True and wanted.agents:
            # Where agents are listed, one that passes brings its session along.
            verdict = any(test.passes(agent) for agent in entry.agents) or verdict
        if verdict:
            found.append(entry)
        elif verdict is None:
            untold += 1
        if number % SLICE == SLICE - 1:
            yield
    return found, untold


def _recent(entries: Sequence[Entry], now: float) -> Iterator[Entry]:
    """Those of the newest first that may be live."""
    for entry in entries:
        if now - activity_time(entry.info) >= SILENT:
            return
        yield entry


def _sorted(
    entries: Sequence[Entry], wanted: Wanted, listing: Listing, now: float
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
    entries: Sequence[Entry], test: LibraryFilter | None
) -> Generator[None, None, list[Entry]]:
    """Each session with its agents below it: all of them, or those that pass where it does not."""
    rows: list[Entry] = []
    for number, entry in enumerate(entries):
        rows.append(entry)
        if entry.agents:
            whole = test is None or test.passes(entry.facts, entry.agents) is True
            kept = [one for one in entry.agents if whole or (test and test.passes(one))]
            rows.extend(Entry(one, nested=True) for one in sorted(kept, key=newest_key))
        if number % SLICE == SLICE - 1:
            yield
    return rows
