"""What a provider raises ends no program that goes on: `watch`, `mcp`, the library, the board."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from agentview.cli.mcp_answers import Answers
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.sessions.library.client_marks import client_marks
from agentview.settings import LaunchOptions, Screen
from agentview.settings.reading import EffectiveSettings
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.live_sessions import BoardScreen
from agentview.ui.widgets.lists.session_list import SessionList
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.broken_providers import (
    DISCOVERY,
    ERRORS,
    OTHERS,
    READING,
    VICTIMS,
    break_everywhere,
    places,
    refs_of,
)  # fmt: skip
from tests.patience import PATIENCE
from tests.ui.app_under_test import screen_text, until

pytestmark = pytest.mark.slow

METHODS = (*DISCOVERY, *READING)
ROUNDS = range(-(-len(METHODS) // len(VICTIMS)))
"""Each method of one provider; each provider has another one at a time."""


@pytest.fixture(params=ROUNDS)
def victims(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, list[str]]:
    """Paths of the sessions of providers that raise, by provider; `OTHERS` are sound."""
    for name in ("cache", "data", "state"):
        monkeypatch.setenv(f"AGENTVIEW_{name.upper()}_DIR", str(tmp_path / name))
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    places(tmp_path, {**VICTIMS, **OTHERS}, monkeypatch)
    known = {name: [ref.path for ref in refs_of(name, tmp_path)] for name in VICTIMS}
    first: int = request.param * len(VICTIMS)
    breaks = {
        name: (METHODS[(first + number) % len(METHODS)], (first + number) % len(ERRORS))
        for number, name in enumerate(VICTIMS)
    }
    break_everywhere(breaks, tmp_path, monkeypatch)
    return known


def appended_to(victims: dict[str, list[str]]) -> None:
    for path in victims["claude_code"] + victims["gemini_cli"]:
        with Path(path).open("a") as file:
            file.write("\n")


@contextmanager
def watching(tmp_path: Path) -> Generator[Callable[[str], dict[str, Any]]]:
    """`watch` as it runs; what is given waits for a line about a provider."""
    command = [sys.executable, "-m", "agentview", "watch", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None

        def line_of(name: str) -> dict[str, Any]:
            for line in process.stdout or ():
                row: dict[str, Any] = json.loads(line)
                if row["provider"] == name:
                    return row
            raise AssertionError(process.stderr and process.stderr.read().decode())

        try:
            yield line_of
            assert process.poll() is None
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
        assert process.stderr.read() == b""


def test_watch_goes_on(victims: dict[str, list[str]], tmp_path: Path) -> None:
    log = tmp_path / "logs" / "aider" / "demo.chat.history.md"
    # `watch` is about sessions of now, by what they say.
    now = f"started at {datetime.now().astimezone():%Y-%m-%d %H:%M:%S}"
    log.write_text(re.sub(r"started at [-\d]+ [:\d]+", now, log.read_text()))
    with watching(tmp_path) as line_of:
        assert line_of("aider")["before"] is None
        appended_to(victims)
        text = log.read_text()
        log.unlink()
        log.with_name("next.chat.history.md").write_text(text)
        assert line_of("aider")["before"] is None


@pytest.mark.parametrize("victims", [0], indirect=True)
async def test_mcp_answers(victims: dict[str, list[str]], tmp_path: Path) -> None:
    """Its tools run the commands that are tested elsewhere, each in a process of its own."""
    answers = Answers(mask=True)
    (other,) = refs_of("codex", tmp_path)
    assert other.session_id in await answers.list_sessions(limit=100)
    assert other.session_id in await answers.search("the", limit=200)
    assert '"codex"' in await answers.usage(by="provider")
    with pytest.raises(AgentViewError) as raised:
        await answers.read_session(Path(victims["gemini_cli"][0]).stem)
    assert "Traceback" not in answers.error(raised.value)


async def shown(pilot: Pilot[None], *words: str) -> None:
    await until(pilot, lambda: all(word in screen_text(pilot) for word in words))


async def test_the_library_and_the_board_stay(
    victims: dict[str, list[str]], tmp_path: Path
) -> None:
    own = "11111111-aaaa-4aaa-8aaa-000000000001"
    roots = [(name, tmp_path / "logs" / name) for name in (*victims, *OTHERS)]
    marks = client_marks({name: load_provider(name).label for name, _ in roots})
    sound = [f" {marks[name]} " for name in OTHERS]
    start = LaunchOptions(Screen.LIBRARY, settings=EffectiveSettings())
    async with AgentViewApp(start, roots=roots).run_test(size=(140, 60)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))
        await shown(pilot, *sound)
        rows = pilot.app.screen.query_one(SessionList)
        await until(pilot, lambda: rows.current is not None)
        log = tmp_path / "logs" / "claude_code" / f"{own}.jsonl"
        write(log, conversation(ClaudeLog(own), 1))
        appended_to(victims)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen))
        await shown(pilot, " idle")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))
        # Each row has a preview and a session screen, or says why not.
        for _ in range(8):
            screen = pilot.app.screen
            await pilot.press("enter")
            await pilot.pause(0.2)
            if pilot.app.screen is not screen:
                await pilot.press("escape")
                await until(pilot, lambda screen=screen: pilot.app.screen is screen)
            await pilot.press("j")
        await shown(pilot, *sound)
    assert pilot.app.return_code in (None, 0)
