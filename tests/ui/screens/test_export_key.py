"""`X`: the open session as a file, masked, with what the person added to it."""

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.redaction.planted import VENDORS
from tests.ui.app_under_test import screen_text, session_screen, typed, until

SIZE = (100, 30)
TEXT, SECRET = next(iter(VENDORS.values()))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def app(tmp_path: Path) -> AgentViewApp:
    log = ClaudeLog()
    records = [*conversation(log, 6), log.prompt(f"The token: {TEXT}"), log.text("Noted.")]
    path = write(tmp_path / "projects" / "-home-dev-shop" / f"{SESSION}.jsonl", records)
    ref = load_provider("claude_code").discovery.ref(path)
    return AgentViewApp(LaunchOptions(Screen.SESSION, ref))


async def _read(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: session_screen(pilot).session.header().indexed == 1.0)


async def _named(pilot: Pilot[None], name: str) -> None:
    await pilot.press("X", "ctrl+u")
    await typed(pilot, name)
    await pilot.press("enter")


def _done(pilot: Pilot[None], words: str) -> bool:
    return words in re.sub(r"\s+", " ", screen_text(pilot))


@pytest.mark.slow
async def test_the_proposed_name_is_written_masked_with_notes(
    app: AgentViewApp, here: Path
) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await _read(pilot)
        await pilot.press("g", "j", "m")
        await typed(pilot, "why twice?")
        await pilot.press("enter", "b", "T", "ctrl+u")
        await typed(pilot, "Wallet Bug")
        await pilot.press("enter")
        await until(pilot, lambda: "Wallet Bug" in screen_text(pilot))
        await pilot.press("X", "enter")
        await until(pilot, lambda: _done(pilot, "exported to") and _done(pilot, "masked"))
    (path,) = here.iterdir()
    assert path.name == f"wallet-bug-{SESSION.replace('-', '')[:8]}.html"
    assert path.stat().st_mode & 0o777 == 0o600
    page = path.read_text()
    assert SECRET not in page
    assert "<h1>Wallet Bug</h1>" in page
    assert "</span> why twice?</p>" in page
    assert page.count(">bookmarked</span>") == 1


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["md", "json", "svg"])
async def test_the_ending_names_the_form(app: AgentViewApp, here: Path, ending: str) -> None:
    begins = {"md": "# ", "json": '{"header"', "svg": "<svg"}[ending]
    async with app.run_test(size=SIZE) as pilot:
        await _read(pilot)
        await _named(pilot, f"session.{ending}")
        await until(pilot, lambda: _done(pilot, "exported to"))
    (path,) = here.iterdir()
    assert path.read_text().startswith(begins)
    assert SECRET not in path.read_text()


@pytest.mark.slow
async def test_what_cannot_be_written_is_said_and_the_line_stays(
    app: AgentViewApp, here: Path
) -> None:
    (here / "there.html").write_text("mine")
    async with app.run_test(size=SIZE) as pilot:
        await _read(pilot)
        await _named(pilot, "session.pdf")
        await until(pilot, lambda: _done(pilot, "unknown form"))
        for name, words in (
            ("there.html", "is there already"),
            ("nowhere/a.html", "no such directory"),
        ):
            await pilot.press("ctrl+u")
            await typed(pilot, name)
            await pilot.press("enter")
            await until(pilot, lambda words=words: _done(pilot, words))
        await pilot.press("escape")
    assert [path.name for path in here.iterdir()] == ["there.html"]
    assert (here / "there.html").read_text() == "mine"


async def test_leaving_at_once_leaves_no_part_of_a_file(app: AgentViewApp, here: Path) -> None:
    async with app.run_test(size=SIZE) as pilot:
        await _read(pilot)
        await pilot.press("X", "enter", "q")
    assert [path for path in here.iterdir() if path.name.startswith(".")] == []
