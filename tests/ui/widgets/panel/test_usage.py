"""The tab of usage: the same figures as `agentview stats`, plotted, while the log grows too."""

import json
import os
import signal
from pathlib import Path

import pytest
from textual.pilot import Pilot

import agentview.cli
from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from agentview.ui.widgets.panel.usage import UsageTab
from agentview.ui.widgets.session_header import SessionHeader
from tests.claude_log import ClaudeLog, conversation, write
from tests.timeline.view.memory import MemorySession, prompt
from tests.ui.app_under_test import app_over, bar_text, session_screen, until
from tests.ui.widgets.panel.panels import lines, open_tab, tab

SIZE = (160, 90)
PROVIDER = load_provider("claude_code")


def app(path: Path, *, live: bool = False) -> AgentViewApp:
    return AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path), live=live))


def usage_tab(pilot: Pilot[None]) -> UsageTab:
    found = tab(pilot)
    assert isinstance(found, UsageTab)
    return found


def line(pilot: Pilot[None], begin: str) -> list[str]:
    """The words of the first line that begins so; none without one."""
    return next((text.split() for text in lines(pilot) if text.startswith(begin)), list[str]())


async def counted(pilot: Pilot[None]) -> None:
    await open_tab(pilot, "Usage")
    await until(pilot, lambda: bool(line(pilot, "total")))


@pytest.mark.slow
async def test_the_figures_are_those_of_the_command(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    log = ClaudeLog()
    path = write(tmp_path / "s.jsonl", conversation(log, 6))
    assert agentview.cli.main(["stats", str(path), "--json"]) == 0
    told = json.loads(capsysbinary.readouterr().out)
    async with app(path).run_test(size=SIZE) as pilot:
        await counted(pilot)
        total = line(pilot, "total")
        assert total[1] == str(told["total"]["input_uncached"])
        assert total[3] == str(told["total"]["output"])
        # No response of the log has a final count.
        assert told["total"]["unfinished"] == told["total"]["responses"]
        assert total[4] == f"~${told['total']['cost_estimate']:.4f}+"
        assert line(pilot, "responses")[1] == str(told["total"]["responses"])
        assert line(pilot, "claude-opus-5-5")[1:] == total[1:]
        assert line(pilot, "shell")[1] == "6"
        assert line(pilot, "model")[0] == "model"
        assert any("waiting for you" in text for text in lines(pilot))
        header = pilot.app.screen.query_one(SessionHeader)
        await until(pilot, lambda: total[4] in bar_text(header, 300))


@pytest.mark.slow
async def test_a_turn_leads_to_its_prompt(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", conversation(ClaudeLog(), 6))
    async with app(path).run_test(size=SIZE) as pilot:
        screen = session_screen(pilot)
        await until(pilot, lambda: screen.session.header().indexed == 1.0)
        await counted(pilot)
        await until(pilot, lambda: line(pilot, "3 Step 2")[:1] == ["3"])
        await pilot.press("g", "j", "j")
        assert lines(pilot)[usage_tab(pilot).cursor].startswith("3 Step 2")
        await pilot.press("enter")
        await pilot.pause(0.1)
        row = screen.timeline.selected
        assert row is not None
        assert screen.session.store.starts_turn(row)
        assert "Step 2" in str(screen.session.store.activity(row).body)


@pytest.mark.slow
async def test_it_counts_on_while_the_log_grows(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = write(tmp_path / "s.jsonl", conversation(log, 2))
    async with app(path, live=True).run_test(size=SIZE) as pilot:
        await counted(pilot)
        assert line(pilot, "responses")[1] == "4"
        with path.open("ab") as file:
            file.write(log.prompt("more") + log.text("done"))
        await until(pilot, lambda: line(pilot, "responses")[1] == "5")
        assert line(pilot, "3 more")[:2] == ["3", "more"]


@pytest.mark.slow
async def test_the_context_is_plotted_and_its_compactions_are_marked() -> None:
    path = sample_sessions_dir() / "claude_code" / "compaction.jsonl"
    async with app(path).run_test(size=SIZE) as pilot:
        await counted(pilot)
        assert line(pilot, "context")[0] == "context"
        marked = next(text for text in lines(pilot) if "▴" in text)
        assert set(marked) <= {"▴", " "}
        assert any("compaction" in text for text in lines(pilot))
        plots = [text for text in lines(pilot) if text and set(text) <= set(" ▁▂▃▄▅▆▇█")]
        assert len(plots) >= 3


@pytest.mark.slow
async def test_a_process_that_dies_is_told_and_another_one_counts_when_the_tab_is_seen_again(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "s.jsonl", conversation(ClaudeLog(), 2))
    async with app(path).run_test(size=SIZE) as pilot:
        await counted(pilot)
        child = usage_tab(pilot)._counter  # pyright: ignore[reportPrivateUsage]
        assert child is not None
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        await until(pilot, lambda: bool(line(pilot, "counting stopped")))
        await open_tab(pilot, "Turns")
        await open_tab(pilot, "Usage")
        await until(pilot, lambda: not line(pilot, "counting stopped"))
        assert line(pilot, "responses")[1] == "4"


@pytest.mark.slow
async def test_what_is_not_known_is_a_dash(tmp_path: Path) -> None:
    session = MemorySession([prompt("hello")], tmp_path / "gone.jsonl")
    async with app_over(session).run_test(size=SIZE) as pilot:
        await counted(pilot)
        assert line(pilot, "total")[1:] == ["–"] * 4
        assert line(pilot, "responses")[1] == "0"


@pytest.mark.slow
async def test_it_fits_where_there_is_little_room(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", conversation(ClaudeLog(), 3))
    async with app(path).run_test(size=(60, 15)) as pilot:
        await counted(pilot)
        assert line(pilot, "total")[-1].startswith("~$")
        await pilot.press("G")
        await pilot.resize_terminal(24, 8)
        await pilot.pause(0.2)
        assert usage_tab(pilot).cursor > 0


@pytest.mark.slow
async def test_of_a_client_that_counts_no_tokens_it_says_so() -> None:
    path = sample_sessions_dir() / "vscode_copilot" / "demo.json"
    ref = load_provider("vscode_copilot").discovery.ref(path)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref, live=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await counted(pilot)
        assert "VS Code Copilot logs no token counts." in "\n".join(lines(pilot))
