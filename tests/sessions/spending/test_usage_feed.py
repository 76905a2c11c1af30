"""The table of what all sessions used: the same figures as `agentview stats`, for any question."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.domain.period import ALL_TIME, Period
from agentview.facts.usage.group_by import GroupKey, Totals
from agentview.query.values import stretch
from agentview.sessions.fleet.hosts import HERE_ALONE
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions
from agentview.sessions.library.scan.scanner import sessions_under
from agentview.sessions.library.search_roots import SearchRoots
from agentview.sessions.spending.feed import UsageFeed
from agentview.sessions.spending.table import UsageTable
from agentview.sessions.spending.worker import KEYS
from tests.claude_log import ClaudeLog, conversation, write
from tests.patience import PATIENCE

DAY = 86_400.0
BEGAN = 1_795_262_400.0
"""2026-11-21T12:00Z."""


@pytest.fixture
def places(tmp_path: Path) -> SearchRoots:
    """Five sessions of two projects, a day apart, of which the last repeats one and goes on."""
    root = tmp_path / "projects"
    past: list[bytes] = []
    for number in range(5):
        log = ClaudeLog(f"{number}0000000-0000-4000-8000-000000000000", began=BEGAN + number * DAY)
        records = [*conversation(log, 2), *(past if number == 4 else ())]
        past = records if number == 1 else past
        folder = "-home-dev-shop" if number % 2 else "-home-dev-blog"
        text = b"".join(records).replace(b"/home/dev/shop", folder.replace("-", "/").encode())
        path = write(root / folder / f"{log.session}.jsonl", [text])
        # Of a log that was written just now nothing is kept.
        os.utime(path, (log.began, log.began))
    return SearchRoots(fixed=[("claude_code", root)])


def asked(
    places: SearchRoots, *questions: tuple[GroupKey, Period], reads: bool = True
) -> Iterator[list[UsageTable]]:
    """All answers to each question, put one after the other."""
    answers: list[list[UsageTable]] = []

    async def ask() -> None:
        came = asyncio.Event()

        def take(table: UsageTable) -> None:
            answers[-1].append(table)
            if table.done:
                came.set()

        feed = UsageFeed(places, HERE_ALONE, take, came.set)
        for by, period in questions:
            came.clear()
            answers.append([])
            feed.ask(by, period, look=False, reads=reads)
            await asyncio.wait_for(came.wait(), PATIENCE)
            assert not feed.busy
        feed.close()

    asyncio.run(ask())
    return iter(answers)


def stats(places: SearchRoots, by: GroupKey, period: Period) -> Totals:
    """What `agentview stats` adds up."""
    with SessionCache() as catalogue:
        found = sessions_under(places.fixed or [], catalogue)
        infos = {facts.info.ref.path: facts.info for facts in found}
        refs = sorted((info.ref for info in infos.values()), key=lambda ref: ref.path)
        refs.sort(key=lambda ref: ref.modified or 0.0)
        totals = Totals(by)
        for outcome in CountedSessions(refs, catalogue, period=period).each():
            assert outcome.usage is not None
            project = infos[outcome.ref.path].project
            totals.add(outcome.usage, project, agent=outcome.is_agent)
    return totals


PERIODS = (
    ALL_TIME,
    Period(BEGAN + 0.5 * DAY, BEGAN + 2.5 * DAY),
    Period(BEGAN + 3.5 * DAY, None),
    Period(None, BEGAN + 30.0),
)


@pytest.mark.parametrize("period", PERIODS)
def test_the_figures_are_those_of_stats(places: SearchRoots, period: Period) -> None:
    answers = asked(places, *((by, period) for by in KEYS))
    for by, tables in zip(KEYS, answers, strict=True):
        table, totals = tables[-1], stats(places, by, period)
        assert totals.breakdown is not None
        rows = {row.key: (row.tally, row.cost, row.sessions) for row in table.rows}
        groups = totals.breakdown.groups
        assert rows == {
            key: (group.tally, totals.breakdown.cost(group), group.sessions)
            for key, group in groups.items()
        }
        assert (table.cost, table.total) == (totals.all.cost, totals.all.tally)
        assert (table.sessions, table.turns) == (totals.all.sessions, totals.turns)
        assert table.sessions > 0


def test_days_begin_with_the_latest_and_others_with_the_largest(places: SearchRoots) -> None:
    days, projects, sessions = asked(
        places,
        (GroupKey.DAY, ALL_TIME),
        (GroupKey.PROJECT, ALL_TIME),
        (GroupKey.SESSION, stretch("2026-11-25", 0.0) or ALL_TIME),
    )
    assert [row.key for row in days[-1].rows] == [f"2026-11-{day}" for day in range(25, 20, -1)]
    costs = [row.cost.shown or 0.0 for row in projects[-1].rows]
    assert costs == sorted(costs, reverse=True)
    (session,) = sessions[-1].rows
    assert (session.ref and session.ref.session_id, session.project) == (
        "40000000-0000-4000-8000-000000000000",
        "/home/dev/blog",
    )
    assert session.title


def test_what_nobody_has_counted_yet_makes_a_lower_bound(places: SearchRoots) -> None:
    (first,) = asked(places, (GroupKey.DAY, ALL_TIME), reads=False)
    assert (first[-1].sessions, first[-1].short.pending, first[-1].whole) == (0, 5, False)
    (read,) = asked(places, (GroupKey.DAY, ALL_TIME))
    assert (read[-1].sessions, read[-1].short.pending) == (5, 0)
    (kept,) = asked(places, (GroupKey.DAY, ALL_TIME), reads=False)
    assert kept[-1].rows == read[-1].rows
