"""Each screen as it looked when somebody last said that it is right: see `--snapshot-update`."""

import os
import shutil
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.settings import LaunchOptions, Screen
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.timeline.minimap import Minimap
from agentview.ui.widgets.session_header import SessionHeader
from tests.ui.app_under_test import bar_text, screen_text, until
from tests.ui.screens.homes import all_indexed

SIZES = [(80, 24), (160, 45)]
SCREENS: dict[str, tuple[str, ...]] = {
    "session": ("g", "e"),
    "end": (),
    "detail": ("g", "e", "o"),
    "raw": ("g", "e", "r"),
    "help": ("question_mark",),
    "search": ("g", "slash", "s", "p", "l", "i", "t"),
    "turns": ("s",),
    "todos": ("s", *2 * ("right_square_bracket",)),
    "problems": ("s", "left_square_bracket", "G"),
}
"""Keys that lead from the demo session to each screen."""

MINUTES_LATER = 240.0
WRITTEN = 1_763_700_000.0
"""When the files of the library were written."""

Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def place_and_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let paths and times on the screen be the same everywhere."""
    monkeypatch.chdir(sample_sessions_dir().parent)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def _demo() -> tuple[AgentViewApp, Callable[[Pilot[None]], Awaitable[None]]]:
    provider = load_provider("claude_code")
    path = Path("sample_sessions") / provider.name / "demo.jsonl"
    ref = provider.discovery.ref(path)
    last = provider.info(ref).last_activity
    assert last is not None
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref), clock=lambda: last + MINUTES_LATER)

    async def indexed(pilot: Pilot[None]) -> None:
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        await until(pilot, lambda: screen.session.header().indexed == 1.0)
        # What comes after the first frame: the strip, the lines of turns, the price.
        await until(pilot, lambda: "3 calls · +3" in screen_text(pilot))
        await until(pilot, lambda: bool(screen.query(Minimap)))
        header = screen.query_one(SessionHeader)
        await until(pilot, lambda: "~$" in bar_text(header, 400))
        session = screen.session
        assert isinstance(session, LiveSession)
        agents = session.store.children.values()
        await until(
            pilot, lambda: all(session.store.price_of(each.summary.spent) for each in agents)
        )
        session.store.announce_children()

    return app, indexed


async def _at_rest(pilot: Pilot[None], looks: int = 2) -> None:
    """Wait until what is on the screen stays as it is for so many looks at it."""
    before, same = "", 0
    while same < looks:
        await pilot.pause(0.15)
        text = screen_text(pilot)
        same = same + 1 if text == before else 0
        before = text


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=["narrow", "wide"])
@pytest.mark.parametrize("name", SCREENS)
def test_demo_session(name: str, size: tuple[int, int], snap_compare: Compare) -> None:
    app, indexed = _demo()

    async def press(pilot: Pilot[None]) -> None:
        await indexed(pilot)
        for key in SCREENS[name]:
            await pilot.press(key)
            await pilot.pause(0.05)
        for line in pilot.app.screen.query(Input):
            line.cursor_blink = False
        await _at_rest(pilot)

    assert snap_compare(app, terminal_size=size, run_before=press)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=["narrow", "wide"])
@pytest.mark.parametrize("keys", [(), ("b", "a", "j")], ids=["list", "groups"])
def test_library(
    size: tuple[int, int],
    keys: tuple[str, ...],
    snap_compare: Compare,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "claude_code"
    root = Path("sample_sessions") / name
    shutil.copytree(sample_sessions_dir() / name, tmp_path / root)
    monkeypatch.chdir(tmp_path)
    for path in root.rglob("*"):
        # Sessions that state no times are listed by those of their files.
        os.utime(path, (WRITTEN, WRITTEN))
    refs = [ref for ref in load_provider(name).scan(root) if ref.parent_id is None]
    infos = [load_provider(name).info(ref) for ref in refs]
    newest = max(info.last_activity or 0.0 for info in infos)
    app = AgentViewApp(
        LaunchOptions(Screen.LIBRARY), clock=lambda: newest + MINUTES_LATER, roots=[(name, root)]
    )

    async def found(pilot: Pilot[None]) -> None:
        await all_indexed(pilot)
        if size[0] > 100:
            # The files are so old that their client is about to delete them.
            await until(pilot, lambda: "deleted" in screen_text(pilot))
        await until(pilot, lambda: "1 needs you" in screen_text(pilot))
        await pilot.press(*keys)
        await pilot.pause(0.3)
        # Agents and the search are indexed a little later, which a narrow header shows too.
        await _at_rest(pilot, looks=20)
        await until(pilot, lambda: "indexed" not in screen_text(pilot))
        await _at_rest(pilot)

    assert snap_compare(app, terminal_size=size, run_before=found)
