"""Ways into a session and out of it: agents, hits of a search elsewhere, the command to resume."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.tools import ToolKind
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.settings import LaunchOptions, Screen
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.app import AgentViewApp
from agentview.ui.messages import SessionChosen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.timeline.minimap import Minimap
from agentview.ui.widgets.breadcrumb import Breadcrumb
from agentview.ui.widgets.status_line import StatusLine
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.nested_agents import nested_logs
from tests.ui.app_under_test import bar_text, screen_text, session_screen, until

PROVIDER = load_provider("claude_code")


@asynccontextmanager
async def _opened(
    path: Path, size: tuple[int, int] = (100, 30)
) -> AsyncGenerator[tuple[Pilot[None], LiveSession]]:
    app = AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path)))
    async with app.run_test(size=size) as pilot:
        session = session_screen(pilot).session
        assert isinstance(session, LiveSession)
        await until(pilot, lambda: session.header().indexed == 1.0 and session.store.indexed)
        yield pilot, session


def _status(pilot: Pilot[None]) -> str:
    return bar_text(pilot.app.screen.query_one(StatusLine), 400)


def _agent_call(session: LiveSession) -> int:
    (stream,) = (s for s in session.store.children if session.store.child_call(s) is not None)
    row = session.store.child_call(stream)
    assert row is not None
    return row


# Agents


@pytest.mark.slow
async def test_enter_leads_into_agents_and_escape_out_of_them_at_any_depth(tmp_path: Path) -> None:
    async with _opened(nested_logs(tmp_path, 3)) as (pilot, session):
        await until(pilot, lambda: len(session.store.children) == 3)
        outer = session_screen(pilot)
        assert not outer.query(Breadcrumb)
        for depth, way in enumerate(
            ("kind1", "kind1 ›  kind2", "kind1 ›  kind2 ›  kind3"), start=1
        ):
            screen = session_screen(pilot)
            inner = screen.session
            assert isinstance(inner, LiveSession)
            row = _agent_call(inner)
            await until(pilot, lambda screen=screen, row=row: screen.timeline.select(row))
            await pilot.press("enter")
            await until(pilot, lambda depth=depth: len(pilot.app.screen_stack) == depth + 1)
            trail = bar_text(session_screen(pilot).query_one(Breadcrumb), 300)
            assert trail == f"Step 0: please go on ›  {way}"
        await pilot.press("q")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3)
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2)
        await pilot.click(Breadcrumb)
        await until(pilot, lambda: session_screen(pilot) is outer)


async def test_space_expands_the_card_of_an_agent_and_enter_expands_what_has_no_log(
    tmp_path: Path,
) -> None:
    async with _opened(nested_logs(tmp_path, 1)) as (pilot, session):
        await until(pilot, lambda: len(session.store.children) == 1)
        timeline = session_screen(pilot).timeline
        row = _agent_call(session)
        timeline.select(row)
        timeline.set_level(row, DetailLevel.TITLE)
        await pilot.press("space")
        assert timeline.level(row) is DetailLevel.SUMMARY
        assert len(pilot.app.screen_stack) == 1
    log = ClaudeLog()
    records = [log.prompt("go"), log.call("t", "Task", subagent_type="x", prompt="Do it.")]
    async with _opened(write(tmp_path / "other" / "log.jsonl", records)) as (pilot, session):
        timeline = session_screen(pilot).timeline
        row = session.store.end - 1
        timeline.set_level(row, DetailLevel.TITLE)
        await pilot.press("enter")
        assert timeline.level(row) is DetailLevel.SUMMARY


async def test_the_card_tells_what_the_agent_did_while_it_is_at_work(tmp_path: Path) -> None:
    path = nested_logs(tmp_path, 1)
    async with _opened(path) as (pilot, session):
        await until(pilot, lambda: len(session.store.children) == 1)
        row = _agent_call(session)
        session_screen(pilot).timeline.select(row)
        await until(pilot, lambda: "1 call ·" in screen_text(pilot))
        (agent,) = (path.parent / SESSION / "subagents").glob("*.jsonl")
        log = ClaudeLog(agent="a1")
        conversation(log, 1)  # Records that follow have ids of their own.
        more = [log.call("more", "Bash", command="false"),
                log.result("more", "Exit code 1", is_error=True)]  # fmt: skip
        with agent.open("ab") as file:
            file.write(b"".join(more))
        await until(pilot, lambda: "2 calls · 1 problem" in screen_text(pilot))


# The command to resume


async def test_c_copies_the_command_that_resumes_the_session(tmp_path: Path) -> None:
    async with _opened(nested_logs(tmp_path, 1)) as (pilot, session):
        await until(pilot, lambda: len(session.store.children) == 1)
        line = f"cd /home/dev/shop && claude --resume {SESSION}"
        await pilot.press("c")
        await until(pilot, lambda: f"copied: {line}" in _status(pilot))
        assert pilot.app.clipboard == line
        pilot.app.copy_to_clipboard("")
        session_screen(pilot).timeline.select(_agent_call(session))
        await pilot.press("enter")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2)
        await pilot.press("c")
        await until(pilot, lambda: pilot.app.clipboard == line)


async def test_where_nothing_can_be_resumed_that_is_said(tmp_path: Path) -> None:
    log = ClaudeLog()
    hostile = log.prompt("go").replace(b"/home/dev/shop", b"/tmp/\\u001b[201~rm")
    async with _opened(write(tmp_path / "log.jsonl", [hostile])) as (pilot, _):
        await pilot.press("c")
        await until(pilot, lambda: "no command that resumes" in _status(pilot))
        assert pilot.app.clipboard == ""


# Hits


def _long(turns: int = 30, size: int = 40) -> tuple[list[bytes], int, int]:
    """A log, and the byte offsets of a call in the middle of it and of its result."""
    log = ClaudeLog()
    records = conversation(log, turns, size=size)
    output = "\n".join(["nothing here"] * 60 + ["the zebra crossing"] + ["nor here"] * 20)
    middle = len(records) // 2
    found = [log.call("z", "Bash", command="cat zoo.txt"), log.result("z", output)]
    records[middle:middle] = found
    call = sum(map(len, records[:middle]))
    return records, call, call + len(found[0])


async def _choose(
    pilot: Pilot[None], path: Path, place: tuple[int, int] | None, query: str
) -> SessionScreen:
    """Have a session chosen as a list of hits does."""
    before = session_screen(pilot)
    before.post_message(SessionChosen(PROVIDER.discovery.ref(path), place, query))
    await until(pilot, lambda: pilot.app.screen is not before)
    return session_screen(pilot)


def _marked(pilot: Pilot[None]) -> Sequence[str]:
    """The rows of the screen that hold what was searched for."""
    return [line for line in screen_text(pilot).splitlines() if "zebra" in line]


@pytest.mark.parametrize("which", ["call", "result"])
async def test_a_hit_opens_the_session_at_its_activity_with_the_match_in_sight(
    tmp_path: Path, which: str
) -> None:
    records, call, result = _long()
    path = write(tmp_path / "log.jsonl", records)
    other = write(tmp_path / "other.jsonl", conversation(ClaudeLog(), 1))
    async with _opened(other) as (pilot, _):
        place = (call if which == "call" else result, 0)
        screen = await _choose(pilot, path, place, "zebra")
        session, timeline = screen.session, screen.timeline
        assert isinstance(session, LiveSession)
        await until(pilot, lambda: timeline.selected == session.store.row_of(call, 0))
        assert timeline.selected is not None
        assert timeline.level(timeline.selected) is DetailLevel.FULL
        await until(pilot, lambda: any("zebra crossing" in line for line in _marked(pilot)))
        await until(pilot, lambda: "/zebra  1 of 1" in _status(pilot))
        await pilot.press("n")
        await pilot.pause()
        assert timeline.selected == session.store.row_of(call, 0)


@pytest.mark.slow
async def test_a_hit_that_is_not_read_yet_is_gone_to_once_it_is(tmp_path: Path) -> None:
    records, call, _ = _long(600, 4_000)
    path = write(tmp_path / "log.jsonl", records)
    other = write(tmp_path / "other.jsonl", conversation(ClaudeLog(), 1))
    async with _opened(other) as (pilot, _):
        screen = await _choose(pilot, path, (call, 0), "zebra")
        session = screen.session
        assert isinstance(session, LiveSession)
        await until(
            pilot, lambda: screen.timeline.selected == session.store.row_of(call, 0) is not None
        )
        await until(pilot, lambda: any("zebra crossing" in line for line in _marked(pilot)))


async def test_a_place_that_is_gone_is_said_and_a_session_without_one_opens_at_its_end(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 3))
    other = write(tmp_path / "other.jsonl", conversation(ClaudeLog(), 1))
    async with _opened(other) as (pilot, _):
        screen = await _choose(pilot, path, (5, 0), "")
        await until(pilot, lambda: "not in the log any more" in _status(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1)
        screen = await _choose(pilot, path, None, "")
        await until(pilot, lambda: screen.timeline.selected == screen.session.store.end - 1)
        assert screen.timeline.follow


# The strip


async def test_the_strip_comes_where_there_is_room_and_moves_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 30))
    async with _opened(path) as (pilot, _):
        screen = session_screen(pilot)
        place = screen.timeline.region
        await until(pilot, lambda: bool(screen.query(Minimap)))
        await pilot.pause(0.1)
        assert screen.timeline.region == place
        strip = screen.query_one(Minimap)
        assert strip.region.bottom == screen.query_one(StatusLine).region.y
        await pilot.click(strip, offset=(1, 0))
        await until(pilot, lambda: (screen.timeline.selected or 0) < 5)
        await pilot.resize_terminal(100, 15)
        await until(pilot, lambda: strip.region.height == 0)
        assert screen.timeline.region.bottom == screen.query_one(StatusLine).region.y


# Agents in the log of their session


@pytest.mark.slow
async def test_an_agent_without_a_log_of_its_own_has_a_timeline_too() -> None:
    sample = sample_sessions_dir() / "claude_stream" / "agents.jsonl"
    app = AgentViewApp(
        LaunchOptions(Screen.SESSION, load_provider("claude_stream").discovery.ref(sample))
    )
    async with app.run_test(size=(100, 30)) as pilot:
        screen = session_screen(pilot)
        session = screen.session
        assert isinstance(session, LiveSession)
        await until(pilot, lambda: session.store.indexed)
        call = session.store.of_kinds({ToolKind.SUBAGENT_TASK})[0]
        screen.timeline.select(call)
        await pilot.press("enter")
        await until(pilot, lambda: session_screen(pilot) is not screen)
        await until(pilot, lambda: "src has 180 lines" in screen_text(pilot))
        assert "docs has one guide" not in screen_text(pilot)
        await pilot.press("g")
        await pilot.pause()
        inner = session_screen(pilot)
        assert inner.timeline.selected is not None
        stream = session.store.activity(call).child
        assert inner.session.store.activity(inner.timeline.selected).first.stream == stream
        await pilot.press("escape")
        await until(pilot, lambda: session_screen(pilot) is screen)
        assert screen.timeline.selected == call
