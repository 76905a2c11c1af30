"""The event loop of the library touches no file: file systems may be slow."""

import os
import threading
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.sessions.archive.copying import archive_session
from agentview.settings import LaunchOptions, Screen
from agentview.timeline.view.header import OpenSession
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.session_screens import open_log
from agentview.ui.widgets.lists.session_list import SessionList
from tests.claude_log import ClaudeLog, write
from tests.patience import PATIENCE
from tests.ui.app_under_test import screen_text, until
from tests.ui.screens.homes import all_indexed, library_over

NAME = "claude_code"
FIRST, SECOND = (
    f"{digit * 8}-{digit * 4}-4{digit * 3}-8{digit * 3}-{digit * 12}" for digit in "12"
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_DATA_DIR", str(tmp_path / "data"))
    for number, session in enumerate((FIRST, SECOND), 1):
        path = tmp_path / NAME / "-home-dev-shop" / f"{session}.jsonl"
        write(path, [ClaudeLog(session).prompt(f"Order {number}")])
    return tmp_path


def ref_of(root: Path, session: str) -> SessionRef:
    path = root / NAME / "-home-dev-shop" / f"{session}.jsonl"
    found = load_provider(NAME).session_in(path)
    assert found is not None
    return found


async def test_keys_reach_the_list_while_a_session_is_slow_to_open(root: Path) -> None:
    released = threading.Event()

    def slowly(ref: SessionRef, live: bool) -> OpenSession:
        assert threading.current_thread() is not threading.main_thread()
        assert released.wait(PATIENCE)
        return open_log(ref, live)

    start = LaunchOptions(Screen.LIBRARY)
    app = AgentViewApp(start, open_session=slowly, roots=[(NAME, root / NAME)])
    async with app.run_test(size=(120, 30)) as pilot:
        await all_indexed(pilot)
        listed = pilot.app.screen.query_one(SessionList)
        chosen = listed.current
        await pilot.press("enter")
        await until(pilot, lambda: "opening" in screen_text(pilot))
        await pilot.press("j")
        await until(pilot, lambda: listed.current is not chosen)
        released.set()
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        assert chosen is not None
        assert chosen.info.title is not None
        await until(pilot, lambda: str(chosen.info.title) in screen_text(pilot))


async def test_which_sessions_are_archived_is_not_asked_while_rows_are_drawn(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive_session(load_provider(NAME).info(ref_of(root, SECOND)))
    asked: list[str] = []

    def noting(name: str) -> None:
        real = getattr(os, name)

        def noted(path: object, *more: object, **named: object) -> object:
            if threading.current_thread() is threading.main_thread():
                asked.append(str(path))
            return real(path, *more, **named)

        monkeypatch.setattr(os, name, noted)

    for name in ("stat", "lstat", "open", "scandir"):
        noting(name)
    async with library_over(root, NAME).run_test(size=(160, 30)) as pilot:
        await all_indexed(pilot)
        await until(pilot, lambda: screen_text(pilot).count("archived") == 1)
        asked.clear()
        listed = pilot.app.screen.query_one(SessionList)
        for key in "jkjk":
            await pilot.press(key)
            listed.refresh_view()
            await pilot.pause()
        line = next(line for line in screen_text(pilot).splitlines() if "archived" in line)
        assert "Order 2" in line
    inside = [path for path in asked if path.startswith((str(root / NAME), str(root / "data")))]
    assert not inside
