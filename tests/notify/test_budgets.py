"""Notices of budgets: each level of each budget once, whoever was told of it before."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.notify.budgets import notices
from agentview.sessions.spending.budgets import BudgetKind, Spending
from agentview.timeline.view.cost import Cost


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))


def spent(used: float, kind: BudgetKind = BudgetKind.DAY, **fields: object) -> Spending:
    found = Spending(kind, 10.0, Cost(estimate=10.0 * used), "2026-11-26")
    return replace(found, **fields)


def titles(*found: Spending) -> list[str]:
    return [f"{notice.title}, {notice.text}" for notice in notices(found)]


def test_each_level_is_notified_once() -> None:
    assert titles(spent(0.79)) == []
    assert titles(spent(0.81)) == ["budget 80% used: today, ~$8.10 of $10.00, 81%"]
    assert titles(spent(0.81), spent(0.95)) == []
    assert titles(spent(1.2)) == ["budget used up: today, ~$12.00 of $10.00, 120%"]
    assert titles(spent(1.3)) == titles(spent(0.85)) == []


def test_a_jump_over_both_levels_is_one_notice() -> None:
    assert len(titles(spent(1.5))) == 1
    assert titles(spent(1.5)) == []


def test_other_days_limits_projects_and_sessions_are_other_budgets() -> None:
    first = spent(0.9)
    assert len(titles(first)) == 1
    others = (
        replace(first, begun="2026-11-27"),
        replace(first, limit=9.0),
        spent(0.9, BudgetKind.WEEK, begun="2026-W48"),
        spent(0.9, BudgetKind.PROJECT, name="shop"),
        spent(0.9, BudgetKind.PROJECT, name="blog"),
        spent(0.9, BudgetKind.SESSION, begun="3f2a", name="Fix it"),
    )
    assert len(titles(first, *others)) == len(others)
    # A session with another title is the same.
    assert titles(spent(0.9, BudgetKind.SESSION, begun="3f2a", name="Fixed")) == []


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"a": "b"}', b"\x00" * 10, b"{" * 9000])
def test_a_damaged_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state" / "budgets.json"
    path.parent.mkdir()
    path.write_bytes(content)
    assert len(titles(spent(0.9))) == 1
    assert titles(spent(0.9)) == []
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_stops_no_notice(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    assert len(titles(spent(0.9))) == 1


def test_the_facts_and_texts_are_masked() -> None:
    (notice,) = notices([spent(1.0, BudgetKind.SESSION, begun="3f2a", name="key sk-1")])
    masked = notice.masked(lambda text: text.replace("sk-1", "***"))
    assert "sk-1" not in str(masked.facts())
    assert masked.title == "budget used up: session key ***"
    assert masked.facts()["level"] == 1.0
    assert masked.facts()["budget"] == "session"
