"""Notes, the star and the own title of a session: set by keys, shown, searched, kept."""

import os
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.annotations import Annotations
from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.sessions.annotations.all_sessions import annotations_of
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import set_tags
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.widgets.session_header import SessionHeader
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.ui.app_under_test import bar_text, screen_text, session_screen, typed, until

SIZE = (100, 30)
PROVIDER = load_provider("claude_code")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "projects"


@pytest.fixture
def log(home: Path) -> Path:
    return write(home / "-home-dev-shop" / f"{SESSION}.jsonl", conversation(ClaudeLog(), 6))


def _app(log: Path) -> AgentViewApp:
    return AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(log)))


def _kept() -> Annotations:
    return annotations_of(SessionRef("claude_code", SESSION, ""))


def _header(pilot: Pilot[None]) -> str:
    return bar_text(session_screen(pilot).query_one(SessionHeader), 200)


async def _read(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: session_screen(pilot).session.header().indexed == 1.0)


@pytest.mark.slow
async def test_a_note_stands_below_its_activity_and_is_found(log: Path) -> None:
    async with _app(log).run_test(size=SIZE) as pilot:
        await _read(pilot)
        await pilot.press("g", "j", "m")
        await typed(pilot, "why ztwice?")
        await pilot.press("enter")
        await until(pilot, lambda: "✎ why ztwice?" in screen_text(pilot))
        timeline = session_screen(pilot).timeline
        row = timeline.selected
        await pilot.press("G", "apostrophe")
        await until(pilot, lambda: timeline.selected == row)
        await pilot.press("G", "slash")
        await typed(pilot, "ztwice")
        await until(pilot, lambda: "1 of 1" in screen_text(pilot))
        await pilot.press("enter")
        assert timeline.selected == row
    assert [note.text for note in _kept().notes] == ["why ztwice?"]
    # It is there the next time, also where the log is in another place.
    moved = log.rename(log.parent.parent / log.name)
    async with _app(moved).run_test(size=SIZE) as pilot:
        await _read(pilot)
        await pilot.press("g")
        await until(pilot, lambda: "✎ why ztwice?" in screen_text(pilot))
        await pilot.press("j", "m")
        await typed(pilot, "")
        await pilot.press("ctrl+u", "enter")
        await until(pilot, lambda: "✎" not in screen_text(pilot))
        await until(pilot, lambda: not _kept().notes)


async def test_escape_leaves_a_note_as_it_was(log: Path) -> None:
    async with _app(log).run_test(size=SIZE) as pilot:
        await _read(pilot)
        await pilot.press("m")
        await typed(pilot, "draft")
        await pilot.press("escape", "m")
        await typed(pilot, "kept")
        await pilot.press("enter")
        await until(pilot, lambda: "✎ kept" in screen_text(pilot))
    assert [note.text for note in _kept().notes] == ["kept"]


@pytest.mark.slow
async def test_the_header_has_the_star_and_the_own_title(log: Path) -> None:
    async with _app(log).run_test(size=SIZE) as pilot:
        await _read(pilot)
        assert "Step 0: please go on" in _header(pilot)
        await pilot.press("asterisk", "T")
        await typed(pilot, "Retry hunt")
        await pilot.press("enter")
        await until(pilot, lambda: "★ Retry hunt" in _header(pilot))
        await until(pilot, lambda: (_kept().starred, _kept().title) == (True, "Retry hunt"))
    async with _app(log).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "★ Retry hunt" in _header(pilot))
        await pilot.press("asterisk", "T")
        await typed(pilot, "")
        await pilot.press("ctrl+u", "enter")
        await until(pilot, lambda: "★" not in _header(pilot))
        await until(pilot, lambda: "Step 0: please go on" in _header(pilot))


@pytest.mark.slow
async def test_the_library_sets_filters_and_shows_them(home: Path, log: Path) -> None:
    other = write(
        home / "-home-dev-blog" / f"{'2' * 36}.jsonl", conversation(ClaudeLog("2" * 36), 2)
    )
    os.utime(other, (1_790_000_000, 1_790_000_000))
    app = AgentViewApp(LaunchOptions(Screen.LIBRARY), roots=[("claude_code", home)])
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: screen_text(pilot).count("Step 0: please go on") == 2)
        await pilot.press("asterisk")
        await until(pilot, lambda: "★ Step 0" in screen_text(pilot))
        await pilot.press("T")
        await typed(pilot, "Retry hunt")
        await pilot.press("enter")
        await until(pilot, lambda: "★ Retry hunt" in screen_text(pilot))
        for line, shown in (
            ("is:starred", "1 match"), ("-is:starred", "1 match"), ("is:titled", "1 match"),
            ("title:hunt", "1 match"), ("please", "2 match"), ("is:noted", "no matches"),
        ):  # fmt: skip
            await pilot.press("slash")
            await typed(pilot, line)
            await until(pilot, lambda shown=shown: shown in screen_text(pilot))
            await pilot.press("escape")
            await until(pilot, lambda: "2 sessions" in screen_text(pilot))
        await pilot.press("slash")
        await typed(pilot, "is:starred")
        await pilot.press("enter")
        await until(pilot, lambda: "1 match" in screen_text(pilot))
        await pilot.press("asterisk")
        await until(pilot, lambda: "no matches" in screen_text(pilot))


async def test_the_library_sets_tags_and_hides(home: Path, log: Path) -> None:
    other = write(
        home / "-home-dev-blog" / f"{'2' * 36}.jsonl", conversation(ClaudeLog("2" * 36), 2)
    )
    os.utime(other, (1_790_000_000, 1_790_000_000))
    app = AgentViewApp(LaunchOptions(Screen.LIBRARY), roots=[("claude_code", home)])

    async def shows(pilot: Pilot[None], words: str) -> None:
        await until(pilot, lambda: words in screen_text(pilot))

    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: screen_text(pilot).count("Step 0: please go on") == 2)
        await pilot.press("t")
        await typed(pilot, "Retry #web/api")
        await pilot.press("enter")
        await shows(pilot, "#retry  #web/api")
        assert _kept().tags == ("retry", "web/api")
        await pilot.press("t")
        await typed(pilot, " no!")
        await pilot.press("enter")
        await shows(pilot, 'not a tag: "no!"')
        # What was typed can be mended.
        await pilot.press("backspace")
        await typed(pilot, "w")
        await pilot.press("enter")
        await shows(pilot, "#now")
        await until(pilot, lambda: _kept().tags == ("now", "retry", "web/api"))
        await pilot.press("H")
        await shows(pilot, "1 session")
        assert _kept().hidden
        for line, shown in (("is:hidden", "1 match"), ("tag:ret", "no matches")):
            await pilot.press("slash")
            await typed(pilot, line)
            await shows(pilot, shown)
            await pilot.press("escape")
        await pilot.press("H")
        await shows(pilot, "all sessions are hidden")
        await pilot.press("slash")
        await typed(pilot, "is:hidden")
        await shows(pilot, "2 match")
        await pilot.press("enter", "H")
        await shows(pilot, "1 match")
        await pilot.press("escape")
        await shows(pilot, "1 session")


async def test_tags_leave_room_for_the_title(home: Path, log: Path) -> None:
    ref = PROVIDER.discovery.ref(log)
    tags = [f"tag-number-{number}" for number in range(6)]
    set_tags(SessionFile(ref.provider, ref.session_id), tags)
    app = AgentViewApp(LaunchOptions(Screen.LIBRARY), roots=[("claude_code", home)])
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "#tag" in screen_text(pilot))
        assert "Step 0: please" in screen_text(pilot)
