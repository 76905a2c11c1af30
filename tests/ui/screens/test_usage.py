"""The view of what sessions used: its figures, keys, periods, reasons and the way to sessions."""

import os
import re
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from textual.pilot import Pilot

from agentview.facts.usage.group_by import GroupKey
from agentview.facts.usage.tally import Tally
from agentview.sessions.spending.table import UsageRow, UsageTable
from agentview.settings.reading import EffectiveSettings
from agentview.settings.values import BudgetSettings, Settings
from agentview.timeline.view.cost import Cost
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.live_sessions import BoardScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.screens.usage.screen import UsageScreen, UsageTotals, reasons, rows_apart
from agentview.ui.widgets.budget_meters import BudgetMeters
from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.home_header import HomeHeader
from agentview.ui.widgets.lists.session_list import SessionList
from agentview.ui.widgets.lists.usage_list import UsageList
from tests.claude_log import ClaudeLog, write
from tests.ui.app_under_test import bar_text, screen_text, typed, until
from tests.ui.screens.homes import header_text, library_over

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC).timestamp()
"""A Wednesday."""
DAY = 86_400.0
NAME = "claude_code"


def home(root: Path) -> Path:
    """Sessions of the last three days and of October: each day twice as much as the one before."""
    for number, days in enumerate((40, 2, 1, 0)):
        log = ClaudeLog(f"{number}0000000-0000-4000-8000-000000000000", began=NOW - days * DAY)
        records = [log.prompt(f"Do part {number}")]
        for _ in range(2**number):
            said = {"type": "text", "text": "done"}
            # The last response of yesterday has no final count.
            stop = None if number == 2 and len(records) == 4 else "end_turn"
            records.append(log.assistant(said, tokens=1000, stop=stop))
        folder = root / NAME / ("-home-dev-shop" if number % 2 else "-home-dev-blog")
        text = b"".join(records)
        text = text if number % 2 else text.replace(b"/home/dev/shop", b"/home/dev/blog")
        path = write(folder / f"{log.session}.jsonl", [text])
        os.utime(path, (log.began, log.began))
    return root


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows as they are drawn, blanks joined."""
    lines = pilot.app.screen.query_one(UsageList)
    drawn = (lines.render_line(y).text for y in range(lines.size.height))
    return [" ".join(text.split()) for text in drawn if text.strip()]


async def usage(pilot: Pilot[None]) -> UsageScreen:
    """Go to the view, and wait until all is counted."""
    await pilot.press("4")
    await until(pilot, lambda: isinstance(pilot.app.screen, UsageScreen))
    screen = pilot.app.screen
    assert isinstance(screen, UsageScreen)
    await until(pilot, lambda: len(rows(pilot)) > 0 and "counted" not in header_text(pilot))
    return screen


async def test_the_row_of_sums_is_never_empty_while_sessions_are_counted(tmp_path: Path) -> None:
    app = library_over(home(tmp_path), NAME, clock=lambda: NOW)
    said: set[str] = set()

    def is_counted() -> bool:
        if isinstance(pilot.app.screen, UsageScreen):
            said.add(bar_text(pilot.app.screen.query_one(UsageTotals)))
        return any("3 sessions" in words for words in said)

    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("4")
        await until(pilot, is_counted)
    assert all(said)
    assert bar_text(UsageTotals(), 100) == "–  – tokens  – sessions"


async def test_days_projects_and_other_keys_of_a_period(tmp_path: Path) -> None:
    app = library_over(home(tmp_path), NAME, clock=lambda: NOW)
    async with app.run_test(size=(100, 24)) as pilot:
        await usage(pilot)
        assert "this month" in header_text(pilot)
        # 5 tokens in and 1,000 out for each response: at 4 and 20 dollars a million.
        assert [row.rpartition(" ")[0] for row in rows(pilot)] == [
            "2026-11-25 1 40 – 8.0k ~$0.16",
            "2026-11-24 1 20 – 4.0k+ ~$0.08+",
            "2026-11-23 1 10 – 2.0k ~$0.04",
        ]
        bars = [len(row.rpartition(" ")[2]) for row in rows(pilot)]
        assert [round(size / bars[0], 1) for size in bars] == [1.0, 0.5, 0.3]
        text = screen_text(pilot)
        assert "~$0.28+" in text
        assert "3 sessions" in text
        assert "day" in text
        await pilot.press("b", "b", "b")
        await until(pilot, lambda: rows(pilot)[0].startswith("shop 2"))
        assert [row.split()[:2] for row in rows(pilot)] == [["shop", "2"], ["blog", "1"]]
        await pilot.press("b")
        await until(pilot, lambda: rows(pilot)[0].startswith("claude-opus-5-5 3"))
        await pilot.press("b")
        await until(pilot, lambda: rows(pilot)[0].startswith("Claude Code 3"))
        await pilot.press("B", "B", "B")
        await until(pilot, lambda: rows(pilot)[0].startswith("2026-11 3"))
        await pilot.press("p")
        await until(
            pilot, lambda: [row.split()[0] for row in rows(pilot)] == ["2026-11", "2026-10"]
        )
        assert "all" in header_text(pilot).split()
        await pilot.press("p")
        await until(pilot, lambda: [row.split()[1] for row in rows(pilot)] == ["1"])
        assert "today" in header_text(pilot)


async def test_a_period_is_typed_and_checked(tmp_path: Path) -> None:
    app = library_over(home(tmp_path), NAME, clock=lambda: NOW)
    async with app.run_test(size=(100, 24)) as pilot:
        await usage(pilot)
        await pilot.press("slash")
        await pilot.press("ctrl+u")
        await typed(pilot, "2026-11-23..2026-11-2")
        await until(pilot, lambda: "not a period" in screen_text(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: "not a period: 2026-11-23..2026-11-2" in screen_text(pilot))
        await pilot.press("5", "enter")
        days = ["2026-11-24", "2026-11-23"]
        await until(pilot, lambda: [row.split()[0] for row in rows(pilot)] == days)
        assert "2026-11-23..2026-11-25" in header_text(pilot)
        await pilot.press("slash", "escape")
        assert [row.split()[0] for row in rows(pilot)] == days


async def test_the_reason_of_a_lower_bound_is_one_key_away(tmp_path: Path) -> None:
    app = library_over(home(tmp_path), NAME, clock=lambda: NOW)
    async with app.run_test(size=(100, 24)) as pilot:
        screen = await usage(pilot)
        assert "+ at least: w why" in screen_text(pilot)
        await pilot.press("w")
        await until(pilot, lambda: screen.query_one(EmptyState).display)
        assert "1 response without a final count of the output." in screen_text(pilot)
        await pilot.press("w")
        await until(pilot, lambda: screen.query_one(UsageList).display)
        await pilot.press("slash", "ctrl+u")
        await typed(pilot, "today")
        await pilot.press("enter")
        await until(pilot, lambda: len(rows(pilot)) == 1)
        assert "at least" not in screen_text(pilot)


def test_rows_of_estimates_say_their_own_sum() -> None:
    days = (UsageRow("2026-11-24", Cost(estimate=1.0), Tally(), 1),)
    table = UsageTable(GroupKey.DAY, rows=days, cost=Cost(estimate=1.5), done=True)
    assert rows_apart(table) == "rows ~$1.00"
    assert [line for line in reasons(table) if "reported the cost" in line] != []
    assert rows_apart(replace(table, cost=Cost(estimate=1.0))) is None
    assert rows_apart(replace(table, more=3)) is None


@pytest.mark.parametrize(
    ("keys", "line", "found"),
    [
        ("j", "active:2026-11-24", {"2"}),
        ("b", "active:2026-W48", {"1", "2", "3"}),
        ("bbb", 'project:/home/dev/shop active:"this month"', {"1", "3"}),
        ("bbbbb", 'provider:claude_code active:"this month"', {"1", "2", "3"}),
    ],
)
async def test_a_row_leads_to_its_sessions(
    tmp_path: Path, keys: str, line: str, found: set[str]
) -> None:
    app = library_over(home(tmp_path), NAME, clock=lambda: NOW)
    async with app.run_test(size=(120, 24)) as pilot:
        screen = await usage(pilot)
        for key in keys:
            before = screen.query_one(UsageList).table.by
            await pilot.press(key)
            if key == "b":
                await until(
                    pilot, lambda before=before: screen.query_one(UsageList).table.by != before
                )
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))
        library = pilot.app.screen
        assert isinstance(library, LibraryScreen)
        assert library.filter_line == line
        await until(pilot, lambda: f"{len(found)} match" in header_text(pilot))
        entry = pilot.app.screen.query_one(SessionList).current
        assert entry is not None
        assert entry.info.ref.session_id[0] in found
        await pilot.press("4")
        await until(pilot, lambda: pilot.app.screen is screen)


async def test_a_session_opens(tmp_path: Path) -> None:
    app = library_over(home(tmp_path), NAME, clock=lambda: NOW)
    async with app.run_test(size=(100, 24)) as pilot:
        await usage(pilot)
        await pilot.press("B")
        await until(pilot, lambda: rows(pilot)[0].startswith("Do part 3 · shop"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, UsageScreen))


async def test_without_sessions_it_says_so(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    app = library_over(tmp_path, NAME, clock=lambda: NOW)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "nothing was used: this month" in screen_text(pilot))


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (60, 15), (80, 24), (200, 60)])
async def test_any_size_shows_names_and_does_not_cut_figures(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = library_over(home(tmp_path), NAME, clock=lambda: NOW)
    async with app.run_test(size=size) as pilot:
        await usage(pilot)
        (first, *_) = rows(pilot)
        assert first.startswith("2026-11-25")
        if size[0] >= 40:
            assert "~$0.16" in first
        if size[0] >= 80:
            assert "8.0k" in first


async def test_budgets_have_a_meter_and_notify_once(tmp_path: Path) -> None:
    log = ClaudeLog(began=time.time() - 60)
    records = [log.prompt("go"), *(log.assistant(tokens=10_000, stop="end_turn") for _ in range(4))]
    write(tmp_path / NAME / "shop" / f"{log.session}.jsonl", records)
    # 80 cents were spent.
    settings = EffectiveSettings(replace(Settings(), budget=BudgetSettings(day=0.9, month=10.0)))
    for run in range(2):
        app = library_over(tmp_path, NAME, settings=settings)
        async with app.run_test(size=(120, 24)) as pilot:
            await pilot.press("4")
            await until(pilot, lambda: "this month" in screen_text(pilot).partition("day  week")[0])
            await until(pilot, lambda: "~$0.80 of $0.90, 89%" in screen_text(pilot))
            assert "~$0.80 of $10.00, 8%" in screen_text(pilot)
            assert "today ~$0.80/$0.90" in header_text(pilot)
            if not run:
                await until(pilot, lambda: "budget 80% used: today" in screen_text(pilot))
            assert ("budget 80% used" in screen_text(pilot)) is not bool(run)
            await pilot.press("1")
            await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen))
            assert "today ~$0.80/$0.90" in header_text(pilot)


async def test_what_today_has_cost_is_in_the_header_of_every_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentview.ui.screens.home.budgets._AGAIN", 0.5)
    log = ClaudeLog(began=time.time() - 60)
    records = [log.prompt("go"), *(log.assistant(tokens=10_000, stop="end_turn") for _ in range(4))]
    path = write(tmp_path / NAME / "shop" / f"{log.session}.jsonl", records)
    async with library_over(tmp_path, NAME).run_test(size=(120, 24)) as pilot:
        await until(pilot, lambda: "today ~$0.80" in header_text(pilot))
        assert re.search(r"today ~\$0\.80 · ~\$0\.\d\d/h", header_text(pilot))
        await pilot.press("1")
        await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen))
        await until(pilot, lambda: "today ~$0.80" in header_text(pilot))
        header = pilot.app.screen.query_one(HomeHeader)
        assert "today ~$0.80" in bar_text(header, 60)
        # A log that is written counts without waiting until it is quiet.
        write(path, [*records, log.assistant(tokens=10_000, stop="end_turn")])
        await until(pilot, lambda: "today ~$1.00" in header_text(pilot))


async def test_columns_are_as_wide_as_names_are_in_cells(tmp_path: Path) -> None:
    name = "会計帳簿の並べ替え"
    log = ClaudeLog(began=NOW - 60)
    record = log.record("user", cwd=f"/home/dev/{name}", message={"role": "user", "content": "go"})
    write(tmp_path / NAME / "shop" / f"{log.session}.jsonl", [record, log.assistant(tokens=1000)])
    budget = BudgetSettings(day=0.9, projects={name: 10.0, "shop": 5.0})
    settings = EffectiveSettings(replace(Settings(), budget=budget))
    app = library_over(tmp_path, NAME, clock=lambda: NOW, settings=settings)
    async with app.run_test(size=(100, 24)) as pilot:
        await usage(pilot)
        await pilot.press("b", "b", "b")
        await until(pilot, lambda: rows(pilot)[0].startswith(f"{name} 1"))
        meters = pilot.app.screen.query_one(BudgetMeters)
        await until(pilot, lambda: meters.size.height == 3)
        drawn = [meters.render_line(y).text for y in range(3)]
        assert len({cell_len(re.split("[~–]", line)[0]) for line in drawn}) == 1
