"""Themes of the person's own are shown as their files change."""

from pathlib import Path

import pytest

from agentview.system.paths import config_dir
from agentview.ui.app import AgentViewApp
from tests.timeline.view.memory import MemorySession, prompt
from tests.ui.app_under_test import app_over, screen_text, until

MINE = """
name = "mine"
[colors]
background = "{background}"
text = "#f0f0f0"
accent = "#7fb4f5"
success = "#84c98b"
warning = "#e2b765"
error = "#f28b82"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return config_dir() / "themes"


def red(app: AgentViewApp) -> int:
    """How red the background of the screen is; the screen may round by one."""
    return app.screen.styles.background.r


async def test_a_changed_theme_is_shown_at_once(folder: Path) -> None:
    folder.mkdir(parents=True)
    mine = folder / "mine.toml"
    mine.write_text(MINE.format(background="#101010"))
    app = app_over(MemorySession([prompt("go")]), theme="mine")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: red(app) == 16)
        mine.write_text(MINE.format(background="#301010"))
        await until(pilot, lambda: red(app) > 40)

        mine.write_text("colors = 1")
        await until(pilot, lambda: "theme: mine has no [colors]" in screen_text(pilot))
        assert red(app) > 40


async def test_a_theme_that_is_made_while_the_program_runs_can_be_chosen(folder: Path) -> None:
    app = app_over(MemorySession([prompt("go")]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.3)
        folder.mkdir(parents=True)
        (folder / "mine.toml").write_text(MINE.format(background="#101010"))
        await until(pilot, lambda: "mine" in app.available_themes)
        app.theme = "mine"
        await until(pilot, lambda: red(app) == 16)
