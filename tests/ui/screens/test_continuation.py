"""From a session whose client is gone to the one with which it continued."""

import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.widgets.key_hints import bound_actions
from tests.claude_log import ClaudeLog, conversation, write
from tests.sessions.clients.running_client import SESSION, log_of, process, started, write_entry
from tests.ui.app_under_test import screen_text, session_screen, until

FOLLOWING = "3f2a0c41-77aa-4a3b-9a53-5a3f6d1c2e77"


def _write(home: Path, session: str, began: float, *, cwd: str = "/home/dev/shop") -> Path:
    log = ClaudeLog(session, began=began)
    records = [each.replace(b"/home/dev/shop", cwd.encode()) for each in conversation(log, 2)]
    return write(log_of(home, session), records)


async def _see(pilot: Pilot[None], text: str) -> None:
    await until(pilot, lambda: text in screen_text(pilot))


@pytest.mark.parametrize("listed", [True, False])
async def test_the_status_line_names_it_and_a_key_leads_there_and_back(
    tmp_path: Path, listed: bool
) -> None:
    now = time.time()
    path = _write(tmp_path, SESSION, now - 600)
    # Neither one of before, nor one of another directory, is what the client continued with.
    _write(tmp_path, "11111111-77aa-4a3b-9a53-5a3f6d1c2e77", now - 900)
    _write(tmp_path, "22222222-77aa-4a3b-9a53-5a3f6d1c2e77", now - 30, cwd="/home/dev/other")
    ref = load_provider("claude_code").discovery.ref(path)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref, live=True))
    with process() as client:
        begun = started(client.pid)
        entry = write_entry(tmp_path, client.pid, procStart=begun)
        async with app.run_test(size=(120, 30)) as pilot:
            await _see(pilot, "your-turn")
            # Who looks at earlier activities is not led away.
            await pilot.press("F")
            await pilot.press("C")
            await _see(pilot, "it is not known to continue in another session")
            if listed:
                write_entry(tmp_path, client.pid, FOLLOWING, procStart=begun)
                await _see(pilot, " continued in 3f2a0c41; C opens it")
            else:
                entry.unlink()
                await _see(pilot, "ended")
                _write(tmp_path, FOLLOWING, now - 60)
                await _see(pilot, " probably continued in 3f2a0c41; C opens it")
            (action,) = (
                each for each in bound_actions(pilot.app.screen) if each.action == "continuation"
            )
            assert action.sentence == "Open the session with which its client continued"
            await pilot.press("C")
            await until(pilot, lambda: session_screen(pilot).session.ref.session_id == FOLLOWING)
            if listed:
                await _see(pilot, "waiting for the session to begin")
                _write(tmp_path, FOLLOWING, now)
            await _see(pilot, "Step 1 is done.")
            await pilot.press("q")
            await until(pilot, lambda: session_screen(pilot).session.ref.session_id == SESSION)


async def test_a_followed_client_leads_to_its_next_session_and_back(tmp_path: Path) -> None:
    now = time.time()
    path = _write(tmp_path, SESSION, now - 600)
    ref = load_provider("claude_code").discovery.ref(path)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref, live=True))
    with process() as client:
        begun = started(client.pid)
        write_entry(tmp_path, client.pid, procStart=begun)
        async with app.run_test(size=(120, 30)) as pilot:
            await _see(pilot, "your-turn")
            write_entry(tmp_path, client.pid, FOLLOWING, procStart=begun)
            await until(pilot, lambda: session_screen(pilot).session.ref.session_id == FOLLOWING)
            await _see(pilot, "its client continues here; q returns to the one before")
            _write(tmp_path, FOLLOWING, now)
            await _see(pilot, "Step 1 is done.")
            await pilot.press("q")
            await until(pilot, lambda: session_screen(pilot).session.ref.session_id == SESSION)
            await _see(pilot, " continued in 3f2a0c41; C opens it")


async def test_a_log_that_names_the_session_with_which_it_continued_leads_there(
    tmp_path: Path,
) -> None:
    now = time.time()
    path = _write(tmp_path, SESSION, now - 9_000)
    named = ClaudeLog(SESSION, began=now - 8_000)
    with path.open("ab") as file:
        file.write(named.record("continued-in", continuedInSessionId=FOLLOWING))
    # Began later in the same directory, and is not what the log names.
    _write(tmp_path, "11111111-77aa-4a3b-9a53-5a3f6d1c2e77", now - 60)
    ref = load_provider("claude_code").discovery.ref(path)
    async with AgentViewApp(LaunchOptions(Screen.SESSION, ref)).run_test(size=(120, 30)) as pilot:
        await _see(pilot, "Continues in session 3f2a0c41")
        _write(tmp_path, FOLLOWING, now - 7_000)
        await _see(pilot, " continued in 3f2a0c41; C opens it")
        await pilot.press("C")
        await until(pilot, lambda: session_screen(pilot).session.ref.session_id == FOLLOWING)
