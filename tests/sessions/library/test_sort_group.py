import time
from collections.abc import Iterator

import pytest

from agentview.domain.session_state import SessionState
from agentview.domain.sort_order import Column, Grouping
from agentview.sessions.library.live_list import board_sessions, counts
from agentview.sessions.library.periods import Period
from agentview.sessions.library.session_list import Listing
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.sort_group import Heading, ListQuery, ListView, arrange, finished
from agentview.timeline.view.cost import Cost
from tests.query.asked import sessions_filter
from tests.sessions.library.listed import NOW, facts, totals

DAY = 86_400.0


@pytest.fixture(autouse=True)
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def arranged(found: list[SessionFacts], line: str = "", **wanted: object) -> ListView:
    listing = Listing()
    listing.add(found)
    asked = ListQuery(sessions_filter(line, NOW), **wanted)  # pyright: ignore[reportArgumentType]
    return finished(arrange(listing, asked, NOW))


def told(arranged: ListView) -> list[str]:
    """Names of sessions in order, those of agents indented, headings in brackets."""
    return [
        f"[{row.label}]"
        if isinstance(row, Heading | Period)
        else f"{'  ' if row.nested else ''}{row.info.ref.session_id}"
        for row in arranged.rows
    ]


SESSIONS = [
    facts(
        "a", NOW - 10, title="beta", project="/ws/one", branch="x", started=NOW - 500,
        state=SessionState.WORKING, held=totals(turns=3, calls=1, problems=2, tokens=50, cost=3.0),
    ),
    facts(
        "b", NOW - 20, title="Alpha", project="/ws/two", branch=None, started=NOW - 30,
        state=SessionState.NEEDS_APPROVAL,
        held=totals(turns=1, calls=9, problems=0, tokens=900, cost=None),
    ),
    facts(
        "c", NOW - 30, title="gamma", project="/ws/one", branch="a", started=NOW - 90,
        state=SessionState.ENDED, held=totals(turns=2, calls=5, problems=7, tokens=70, cost=0.1),
    ),
    facts("d", NOW - 40, title=None, project=None, branch="m", state=SessionState.UNKNOWN),
]  # fmt: skip


@pytest.mark.parametrize(
    ("column", "order"),
    [
        (Column.ACTIVE, "abcd"),
        (Column.STATE, "badc"),
        (Column.PROVIDER, "abcd"),
        (Column.TITLE, "bacd"),
        (Column.PROJECT, "acbd"),
        (Column.BRANCH, "cdab"),
        (Column.STARTED, "bcad"),
        (Column.LENGTH, "acbd"),
        (Column.TURNS, "acbd"),
        (Column.TOOLS, "bcad"),
        (Column.PROBLEMS, "cabd"),
        (Column.TOKENS, "bcad"),
        (Column.COST, "acbd"),
    ],
)
def test_sorts_by_each_column_and_puts_what_is_not_known_last(column: Column, order: str) -> None:
    assert "".join(told(arranged(SESSIONS, sort=column))) == order


@pytest.mark.parametrize(
    ("column", "order"),
    [(Column.ACTIVE, "dcba"), (Column.TITLE, "cabd"), (Column.COST, "cabd")],
)
def test_sorts_the_other_way_round(column: Column, order: str) -> None:
    assert "".join(told(arranged(SESSIONS, sort=column, reverse=True))) == order


def test_counts_what_passes_what_is_live_and_what_cannot_be_told() -> None:
    found = arranged(SESSIONS, "problems:>1")
    assert told(found) == ["a", "c"]
    assert (found.sessions, found.live, found.undecided, found.unindexed) == (2, 1, 1, 1)
    whole = arranged(SESSIONS)
    assert (whole.sessions, whole.live, whole.undecided) == (4, 2, 0)


def test_what_is_not_indexed_is_counted_by_session_with_its_agents() -> None:
    whole, part = facts("whole", held=totals()), facts("part", held=totals())
    agents = [facts(name, parent="part") for name in ("one", "two")]
    found = arranged([whole, part, facts("new"), *agents, facts("lost", parent="gone")])
    assert (found.sessions, found.unindexed) == (4, 3)


def test_counts_as_live_what_status_counts() -> None:
    found = [
        facts("works", NOW - 200, state=SessionState.WORKING),
        facts("done", NOW - 250, state=SessionState.YOUR_TURN),
        facts("waits", NOW - 2 * DAY, state=SessionState.YOUR_TURN),
        facts("gone", NOW - 2, state=SessionState.ENDED),
    ]
    listed = board_sessions(found, NOW)
    live = [each.facts.info.ref.session_id for each in listed if each.live]
    assert sorted(live) == ["done", "works"]
    assert arranged(found).live == counts(listed)["live"] == 2
    assert sorted(told(arranged(found, "state:live"))) == ["done", "works"]


def test_groups_by_project_in_the_order_of_their_first_sessions() -> None:
    found = arranged(SESSIONS, group=Grouping.PROJECT)
    assert told(found) == ["[ws/one]", "a", "c", "[ws/two]", "b", "[no project]", "d"]
    headings = [row for row in found.rows if isinstance(row, Heading)]
    assert headings[0] == Heading("ws/one", "", 2, 120, Cost(None, 3.1), True)
    assert (headings[1].tokens, headings[1].cost) == (900, Cost())
    unknown = headings[2]
    assert (unknown.tokens, unknown.cost, unknown.whole) == (None, Cost(priced=False), False)


def test_a_project_that_has_a_longer_path_is_told_in_full_beside_its_name() -> None:
    found = arranged([facts("a", project="/home/dev/ws/shop")], group=Grouping.PROJECT)
    assert found.rows[0] == Heading(
        "ws/shop", "/home/dev/ws/shop", 1, None, Cost(priced=False), False
    )


def test_groups_by_day_from_the_newest_on_whatever_they_are_sorted_by() -> None:
    days = [
        facts("old", NOW - 3 * DAY, held=totals(cost=9.0)),
        facts("last", NOW - 1 * DAY, held=totals(cost=5.0)),
        facts("dear", NOW - 10, held=totals(cost=7.0)),
        facts("cheap", NOW - 5, held=totals(cost=1.0)),
        facts("never", None),
    ]
    expected = ["[today]", "dear", "cheap", "[yesterday]", "last", "[Tue 2025-11-18]", "old"]
    found = arranged(days, sort=Column.COST, group=Grouping.DAY)
    assert told(found) == [*expected, "[no time]", "never"]
    turned = arranged(days[:4], sort=Column.ACTIVE, reverse=True, group=Grouping.DAY)
    assert told(turned)[:2] == ["[Tue 2025-11-18]", "old"]


FAMILY = [
    facts("main", NOW - 10, held=totals(cost=1.0, tokens=10)),
    facts("kid", NOW - 5, parent="main", title="Explore docs", held=totals(cost=2.0, tokens=5)),
    facts("other", NOW - 20, held=totals(cost=2.5, tokens=1)),
]


def test_agents_stand_below_their_sessions_when_asked_for() -> None:
    assert told(arranged(FAMILY)) == ["main", "other"]
    assert told(arranged(FAMILY, agents=True)) == ["main", "  kid", "other"]
    assert told(arranged(FAMILY, agents=True, group=Grouping.PROJECT))[1:] == [
        "main",
        "  kid",
        "other",
    ]


def test_agents_count_for_their_sessions_in_order_and_in_sums() -> None:
    assert told(arranged(FAMILY, sort=Column.COST)) == ["main", "other"]
    heading = arranged(FAMILY, agents=True, group=Grouping.PROJECT).rows[0]
    assert isinstance(heading, Heading)
    assert (heading.sessions, heading.tokens, heading.cost) == (2, 16, Cost(None, 5.5))


def test_an_agent_that_passes_brings_its_session_along() -> None:
    assert told(arranged(FAMILY, "explore", agents=True)) == ["main", "  kid"]
    assert told(arranged(FAMILY, "explore")) == []
    assert told(arranged(FAMILY, '"title of main"', agents=True)) == ["main", "  kid"]


@pytest.mark.slow
def test_twenty_thousand_sessions_are_arranged_in_short_steps() -> None:
    listing = Listing()
    listing.add(
        facts(
            str(number),
            NOW - number * 61.0,
            project=f"/ws/p{number % 200}",
            held=totals(cost=number % 97 / 10, problems=number % 5) if number % 9 else None,
        )
        for number in range(20_000)
    )
    line = sessions_filter("model:5 problems:>1 after:2w", NOW)
    wanted = ListQuery(line, Column.COST, group=Grouping.PROJECT)
    steps = sum(1 for _ in arrange(listing, wanted, NOW))
    found = finished(arrange(listing, wanted, NOW))
    assert steps > 20_000 / 256
    assert found.sessions == sum(
        1 for number in range(20_000) if number % 5 > 1 and number % 9 and number * 61.0 <= 14 * DAY
    )
    assert found.undecided == sum(
        1 for number in range(20_000) if number % 9 == 0 and number * 61.0 <= 14 * DAY
    )
