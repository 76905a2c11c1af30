"""Abandoned branches on the screen: one folded row each, opened in place or as a timeline."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.activity import RowKind
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.panel.usage import UsageTab
from tests.claude_log import ClaudeLog, write
from tests.ui.app_under_test import screen_text, session_screen, typed, until

PROVIDER = load_provider("claude_code")
ref_of = PROVIDER.discovery.ref


def rewound(log: ClaudeLog) -> list[bytes]:
    """A conversation that goes back behind its first answer, after two prompts and a command."""
    kept = [log.prompt("Fix the flaky test."), log.text("It is fixed.")]
    fork = log.last
    left = [
        log.prompt("Now write the docs."),
        log.call("toolu_docs", "Bash", command="cat notes.md", description="Read"),
        log.result("toolu_docs", "the walrus notes"),
        log.text("Written."),
        log.prompt("Make them shorter."),
        log.text("Shorter now."),
    ]
    log.last = fork
    return [*kept, *left, log.prompt("Write the docs as a table."), log.text("A table it is.")]


def app_over(path: Path, *, live: bool = False) -> AgentViewApp:
    return AgentViewApp(LaunchOptions(Screen.SESSION, ref_of(path), live=live))


async def ready(pilot: Pilot[None]) -> SessionScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
    await until(pilot, lambda: "A table it is." in screen_text(pilot))
    screen = session_screen(pilot)
    await until(pilot, lambda: screen.session.header().indexed >= 1.0)
    return screen


def select_branch(screen: SessionScreen) -> int:
    session = screen.session
    rows = [
        row for row in range(session.store.first, session.store.end) if session.store.shown(row)
    ]
    (head,) = [row for row in rows if session.store.kind(row) is RowKind.BRANCH]
    assert screen.timeline.select(head)
    return head


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "s.jsonl", rewound(ClaudeLog()))


async def test_a_branch_is_one_row_and_opens_in_place(path: Path):
    app = app_over(path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        shown = screen_text(pilot)
        assert "abandoned" in shown
        assert "2 prompts, 1 call" in shown
        assert "Shorter now." not in shown
        head = select_branch(screen)
        await pilot.press("space")
        await until(pilot, lambda: "Shorter now." in screen_text(pilot))
        assert screen.timeline.selected == head
        await pilot.press("space")
        await until(pilot, lambda: "Shorter now." not in screen_text(pilot))


async def test_a_branch_has_a_timeline_of_its_own(path: Path):
    app = app_over(path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        select_branch(screen)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app.screen is not screen)
        await until(pilot, lambda: "Shorter now." in screen_text(pilot))
        shown = screen_text(pilot)
        assert "Now write the docs." in shown
        assert "A table it is." not in shown
        assert session_screen(pilot).session.header().usage.output == 30
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is screen)


async def test_turns_of_a_branch_are_passed_over(path: Path):
    app = app_over(path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        select_branch(screen)
        await pilot.press("space", "g")
        await pilot.press("}")
        row = screen.timeline.selected
        assert row is not None
        assert "as a table" in str(screen.session.store.activity(row).body)


@pytest.mark.slow
async def test_a_match_in_a_branch_opens_it(path: Path):
    app = app_over(path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await ready(pilot)
        await pilot.press("/")
        await typed(pilot, "walrus")
        await until(pilot, lambda: "walrus notes" in screen_text(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: "abandoned branch" in screen_text(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: "walrus notes" not in screen_text(pilot))
        assert screen.timeline.selected is not None


@pytest.mark.slow
async def test_the_usage_of_a_branch_is_shown_separately(path: Path):
    app = app_over(path)
    async with app.run_test(size=(160, 45)) as pilot:
        screen = await ready(pilot)
        await pilot.press("s")
        for _ in range(8):
            if list(screen.query(UsageTab)) and screen.query_one(UsageTab).display:
                break
            await pilot.press("]")
        await until(pilot, lambda: "of it abandoned" in screen_text(pilot))


async def test_a_branch_that_is_abandoned_live_moves_nothing_that_is_looked_at(tmp_path: Path):
    log = ClaudeLog()
    records = [log.prompt("Begin."), log.text("Begun.")]
    fork = log.last
    for number in range(40):
        records += [log.prompt(f"Step {number}"), log.text(f"Answer {number}")]
    path = write(tmp_path / "s.jsonl", records)
    session = LiveSession(PROVIDER, ref_of(path), live=True)
    session.open()
    app = AgentViewApp(
        LaunchOptions(Screen.SESSION, ref_of(path), live=True),
        open_session=lambda _ref, _live: session,
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Answer 39" in screen_text(pilot))
        screen = session_screen(pilot)
        await until(pilot, lambda: screen.session.header().indexed >= 1.0)
        await pilot.press("pageup", "pageup")
        before = [line for line in screen_text(pilot).splitlines() if "Answer" in line]
        assert before
        log.last = fork
        with path.open("ab") as file:
            file.write(log.prompt("Instead.") + log.text("Else."))
        await until(pilot, lambda: bool(session.store.fold(session.store.end - 10)))
        await pilot.pause(0.3)
        after = screen_text(pilot)
        assert [line.split()[-1] for line in before] == [
            line.split()[-1] for line in after.splitlines() if "Answer" in line
        ]
