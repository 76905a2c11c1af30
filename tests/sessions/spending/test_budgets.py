"""What was spent of budgets: the figures of `stats` of a day, week, month, project and session."""

import os
from datetime import UTC, datetime
from math import isclose
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.facts.usage.group_by import Breakdown, GroupKey
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.counted_sessions import CountedSessions
from agentview.sessions.library.scan.scanner import sessions_under
from agentview.sessions.spending.budgets import (
    BudgetKind,
    Spending,
    budget_words,
    spending,
    today_words,
)
from agentview.settings.values import BudgetSettings
from tests.claude_log import ClaudeLog, write

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp()
"""A Thursday."""
DAY = 86_400.0
ROOT = "claude_code"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Sessions of today, of the day before, of a week before and of October."""
    for number, days in enumerate((0, 1, 7, 40)):
        log = ClaudeLog(f"{number}0000000-0000-4000-8000-000000000000", began=NOW - days * DAY)
        records = [log.prompt(f"Do part {number}"), log.text("done"), log.text("done")]
        text = b"".join(records)
        text = text if number % 2 else text.replace(b"/home/dev/shop", b"/home/dev/blog")
        path = write(tmp_path / f"{number}" / f"{log.session}.jsonl", [text])
        os.utime(path, (log.began, log.began))
    return tmp_path


def spent(root: Path, settings: BudgetSettings) -> list[Spending]:
    with SessionCache() as catalogue:
        sessions = sessions_under([("claude_code", root)], catalogue)
        return list(spending(settings, sessions, catalogue, NOW, reads=True).budgets)


def by(root: Path, key: GroupKey) -> dict[str | None, float | None]:
    """What `stats` says of each group."""
    breakdown = Breakdown(key)
    with SessionCache() as catalogue:
        refs = [facts.info.ref for facts in sessions_under([("claude_code", root)], catalogue)]
        for outcome in CountedSessions(refs, catalogue).each():
            assert outcome.usage is not None
            breakdown.add(outcome.usage, None)
    return {name: breakdown.cost(group).shown for name, group in breakdown.groups.items()}


def test_what_was_spent_is_what_stats_counts(root: Path) -> None:
    found = spent(root, BudgetSettings(day=1.0, week=2.0, month=3.0))
    shown = [(each.kind.value, each.begun, each.cost.shown) for each in found]
    assert shown == [
        ("day", "2026-11-26", by(root, GroupKey.DAY)["2026-11-26"]),
        ("week", "2026-W48", by(root, GroupKey.WEEK)["2026-W48"]),
        ("month", "2026-11", by(root, GroupKey.MONTH)["2026-11"]),
    ]
    day, week, month = (each.cost.shown or 0.0 for each in found)
    assert 0 < day < week < month
    assert isclose(week, 2 * day)
    assert isclose(month, 3 * day)
    assert [each.limit for each in found] == [1.0, 2.0, 3.0]


def test_projects_are_named_by_directory_or_its_last_part(root: Path) -> None:
    limits = {"blog": 1.0, "/home/dev/shop": 1.0, "/home/dev": 1.0, "other": 1.0}
    found = spent(root, BudgetSettings(projects=limits))
    one = (by(root, GroupKey.DAY)["2026-11-26"] or 0.0) / 1.0
    sums = [round((each.cost.shown or 0.0) / one) for each in found]
    assert sums == [2, 1, 3, 0]
    assert {each.kind for each in found} == {BudgetKind.PROJECT}
    assert found[0].label == "blog this month"


def test_sessions_of_today_that_reach_a_level_are_named(root: Path) -> None:
    cost = by(root, GroupKey.DAY)["2026-11-26"] or 0.0
    for part, level in ((0.79, None), (0.81, 0.8), (1.0, 1.0), (3.0, 1.0)):
        found = spent(root, BudgetSettings(session=cost / part))
        assert [each.level for each in found] == ([] if level is None else [level])
        if found:
            assert found[0].ref is not None
            assert (found[0].begun[0], found[0].name) == ("0", "Do part 0")


def test_nothing_is_spent_where_nothing_is_used(tmp_path: Path) -> None:
    (day,) = spent(tmp_path, BudgetSettings(day=1.0))
    assert (day.cost.shown, day.used, day.level) == (None, 0.0, None)
    assert day.text == "– of $1.00, 0%"


def test_the_words_of_a_bar_keep_the_budget_of_which_most_is_used(root: Path) -> None:
    cost = by(root, GroupKey.DAY)["2026-11-26"] or 0.0
    found = spent(root, BudgetSettings(day=cost * 2, month=cost * 3.1))
    words = budget_words(found)
    every, most, short = ("".join(text for text, _ in form) for form in words.forms)
    assert every.startswith("today ~$")
    assert " · this month ~$" in every
    assert most.startswith("this month ~$")
    assert short == "budget 97%"
    assert words.near
    assert not budget_words([replace(found[0])]).near
    assert budget_words([]).forms == ()


def test_today_and_the_rate_of_an_hour(tmp_path: Path) -> None:
    now = NOW + 20 * 60
    # An hour and 20 minutes ago, 2 minutes ago, and yesterday.
    for number, age in enumerate((4_800, 120, DAY)):
        log = ClaudeLog(f"{number}0000000-0000-4000-8000-000000000000", began=now - age - 30)
        records = [log.prompt("go"), *(log.assistant(tokens=10_000, stop="end_turn") for _ in "ab")]
        path = write(tmp_path / f"{number}" / f"{log.session}.jsonl", records)
        os.utime(path, (now - age, now - age))
    with SessionCache() as catalogue:
        sessions = sessions_under([("claude_code", tmp_path)], catalogue)
        known = spending(BudgetSettings(), sessions, catalogue, now, reads=False)
        assert known.today.shown is None
        assert today_words(known) == ()
        found = spending(BudgetSettings(), sessions, catalogue, now, reads=True)
    assert found.today.shown is not None
    assert isclose(found.today.shown, 0.8, rel_tol=0.01)
    # Since 11:00, which is 80 minutes: the one of 10:59 is of another hour.
    assert found.rate is not None
    assert isclose(found.rate, 0.4 * 60 / 80, rel_tol=0.01)
    assert today_words(found) == ("today ~$0.80 · ~$0.30/h", "today ~$0.80")
    with_budget = replace(
        found, budgets=(Spending(BudgetKind.DAY, 1.0, found.today, "2026-11-26"),)
    )
    assert today_words(with_budget) == ("~$0.30/h",)
