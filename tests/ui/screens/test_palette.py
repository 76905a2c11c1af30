"""The command palette: what was used last comes first, then views, sessions, themes, settings."""

import time
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.palette_commands import keep_used, last_used
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.screens.settings import SettingsScreen
from agentview.ui.screens.usage.screen import UsageScreen
from tests.claude_log import ClaudeLog, write
from tests.ui.app_under_test import screen_text, until
from tests.ui.screens.homes import all_indexed, library_over

NAME = "claude_code"


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))


def listed(pilot: Pilot[None]) -> list[str]:
    """The lines of the palette."""
    (found,) = pilot.app.screen.query(OptionList)
    return [" ".join(str(option.prompt).split()) for option in found.options]


async def palette(pilot: Pilot[None], words: str = "") -> None:
    screen = pilot.app.screen
    await pilot.press("ctrl+p")
    await until(pilot, lambda: pilot.app.screen is not screen)
    await pilot.press(*words)
    await until(pilot, lambda: len(listed(pilot)) > 0 and (not words or len(listed(pilot)) < 20))


async def test_sessions_views_themes_and_settings_are_found(tmp_path: Path) -> None:
    for number, title in enumerate(("Round the shares", "Feed the okapi")):
        log = ClaudeLog(f"{number}0000000-0000-4000-8000-000000000000", began=time.time() - 60)
        write(tmp_path / NAME / "-p" / f"{log.session}.jsonl", [log.prompt(title), log.text("ok")])
    async with library_over(tmp_path, NAME).run_test(size=(100, 40)) as pilot:
        await all_indexed(pilot)
        await palette(pilot)
        lines = listed(pilot)
        views = [line for line in lines[:4] if line.partition(" ")[0] in "1234"]
        assert len(views) == 4, lines
        assert any(line.startswith("session") and "okapi" in line for line in lines)
        assert "theme agentview-dark" in lines
        assert any(line.startswith("setting timeline.wrap: ") for line in lines)
        await pilot.press(*"okapi")
        await until(pilot, lambda: listed(pilot)[:1] == ["session Feed the okapi"])
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await until(pilot, lambda: "Feed the okapi" in screen_text(pilot))
        await pilot.press("q")
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))
        await palette(pilot, "what was used, by")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, UsageScreen))
        # What was used is first, in another run too.
        await palette(pilot)
        assert listed(pilot)[0].endswith("Show what was used, by day, project, model and client")
        assert listed(pilot)[1] == "session Feed the okapi"
        await pilot.press(*"timeline.wrap")
        await until(pilot, lambda: listed(pilot)[0].startswith("setting timeline.wrap"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SettingsScreen))
        await until(pilot, lambda: "AGENTVIEW_TIMELINE_WRAP" in screen_text(pilot))
    assert last_used()[0] == "setting:timeline.wrap"


async def test_lines_are_calm_and_wrapped_below_their_text(tmp_path: Path) -> None:
    async with library_over(tmp_path, NAME).run_test(size=(60, 24)) as pilot:
        await palette(pilot, "timeline.wrap")
        await until(pilot, lambda: "always wraps" in screen_text(pilot))
        rows = screen_text(pilot).splitlines()
        top = next(number for number, row in enumerate(rows) if "timeline.wrap: " in row)
        begin = rows[top].index("timeline.wrap: ")
        assert rows[top + 1][:begin].strip() == ""
        assert rows[top + 1][begin] != " "
        strips = pilot.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
        bold = [part.text for part in strips[top + 1] if part.style and part.style.bold]
        assert "".join(bold).strip() == ""


def test_the_last_six_are_kept_each_once() -> None:
    assert last_used() == []
    for name in ("a", "b", "c", "a", "d", "e", "f", "g"):
        keep_used(name)
    keep_used("two\nlines")
    assert last_used() == ["g", "f", "e", "d", "a", "c"]
