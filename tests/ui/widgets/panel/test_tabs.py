"""The tabs over real logs: what each tells, where it leads, and that it is live."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.settings import LaunchOptions, Screen
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.panel.agents import AgentsTab
from agentview.ui.widgets.panel.problems import ProblemsTab
from agentview.ui.widgets.panel.side_panel import TABS
from agentview.ui.widgets.panel.todos import TodosTab
from tests.claude_log import ClaudeLog, conversation, write
from tests.nested_agents import nested_logs
from tests.timeline.view.memory import MemorySession, prompt, shell
from tests.ui.app_under_test import app_over, screen_text, session_screen, until
from tests.ui.widgets.panel.panels import lines, open_tab, panel, tab

SIZE = (140, 40)
SAMPLES = sample_sessions_dir() / "claude_code"


@asynccontextmanager
async def _opened(
    path: Path, size: tuple[int, int] = SIZE, *, live: bool = False
) -> AsyncGenerator[tuple[Pilot[None], LiveSession]]:
    ref = load_provider("claude_code").discovery.ref(path)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref, live=live))
    async with app.run_test(size=size) as pilot:
        session = session_screen(pilot).session
        assert isinstance(session, LiveSession)
        await until(pilot, lambda: session.header().indexed == 1.0 and session.store.indexed)
        yield pilot, session


def _append(path: Path, *records: bytes) -> None:
    with path.open("ab") as file:
        file.write(b"".join(records))


def _todos(*items: tuple[str, str]) -> dict[str, object]:
    return {
        "todos": [{"content": text, "status": state, "activeForm": text} for text, state in items]
    }


async def test_turns_are_told_with_what_came_of_them_and_the_selected_one_is_marked(
    tmp_path: Path,
) -> None:
    log = ClaudeLog()
    records = conversation(log, 3)
    records += [
        log.call("bad", "Bash", command="false"),
        log.result("bad", "Exit code 1", is_error=True),
    ]
    async with _opened(write(tmp_path / "log.jsonl", records)) as (pilot, session):
        await open_tab(pilot, "Turns")
        first, second, third = lines(pilot)
        assert first.startswith("1 Step 0: please go on")
        assert "1✓" in first
        assert "✗" not in first
        assert "1✓ 1✗" in third
        assert third.startswith("▎3")
        assert second.endswith(" 3.0s")
        assert "3.0s · 1 call" in screen_text(pilot), "the heading says the same"
        await pilot.press("g", "enter")
        await pilot.pause()
        assert session_screen(pilot).timeline.selected == session.store.first
        assert lines(pilot)[0].startswith("▎1")


async def test_turns_grow_with_the_log(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", conversation(log, 1))
    async with _opened(path, live=True) as (pilot, _):
        await open_tab(pilot, "Turns")
        assert len(lines(pilot)) == 1
        _append(path, log.prompt("And now the docs"), log.call("d", "Bash", command="make docs"))
        await until(pilot, lambda: len(lines(pilot)) == 2)
        assert "And now the docs" in lines(pilot)[1]
        _append(path, log.result("d", "Exit code 2", is_error=True))
        await until(pilot, lambda: "1✗" in lines(pilot)[1])


@pytest.mark.slow
async def test_todos_stand_as_after_the_newest_call_and_lead_to_their_last_change(
    tmp_path: Path,
) -> None:
    log = ClaudeLog()
    records = [
        log.prompt("go"),
        log.call("t1", "TodoWrite", **_todos(("read", "in_progress"), ("write", "pending"))),
        log.result("t1", "ok"),
        log.call("t2", "TodoWrite", **_todos(("read", "completed"), ("write", "pending"))),
        log.result("t2", "ok"),
        log.text("reading is done"),
    ]
    path = write(tmp_path / "log.jsonl", records)
    async with _opened(path, live=True) as (pilot, session):
        await open_tab(pilot, "Todos")
        heading, first, second = lines(pilot)
        assert heading.startswith("Todos  1/2 done")
        assert first.startswith("✓ read")
        assert second.startswith("○ write")
        begun, changed = session.store.of_kinds({ToolKind.TODOS})
        await pilot.press("g", "j", "enter")
        await until(pilot, lambda: session_screen(pilot).timeline.selected == changed)
        await pilot.press("j", "enter")
        await until(pilot, lambda: session_screen(pilot).timeline.selected == begun)
        _append(path, log.call("t3", "TodoWrite", **_todos(("write", "in_progress"))))
        await until(pilot, lambda: "● write" in "\n".join(lines(pilot)))
        assert "read" not in "\n".join(lines(pilot))


async def test_a_plan_is_told_too(tmp_path: Path) -> None:
    log = ClaudeLog()
    plan = "# Retry better\n\n- measure\n- back off"
    records = [
        log.prompt("go"),
        log.call("p", "ExitPlanMode", plan=plan),
        log.result("p", "User has approved your plan. You can now start coding."),
    ]
    async with _opened(write(tmp_path / "log.jsonl", records)) as (pilot, _):
        await open_tab(pilot, "Todos")
        shown = lines(pilot)
        assert shown[0].startswith("Plan  approved")
        assert [line for line in shown[1:] if line] == ["# Retry better", "- measure", "- back off"]


@pytest.mark.slow
async def test_nothing_is_said_where_there_is_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 1))
    async with _opened(path) as (pilot, _):
        for name, word in (
            ("Todos", "no list and no plan yet"),
            ("Agents", "no agent was started here"),
            ("Background", "nothing has run in the background"),
            ("Problems", "no problems"),
        ):
            await open_tab(pilot, name)
            await until(pilot, lambda word=word: word in lines(pilot)[-1])


@pytest.mark.slow
async def test_agents_at_any_depth_are_entered_from_the_panel_and_left_one_by_one(
    tmp_path: Path,
) -> None:
    async with _opened(nested_logs(tmp_path, 3)) as (pilot, session):
        await until(pilot, lambda: len(session.store.children) == 3)
        await open_tab(pilot, "Agents")
        await until(pilot, lambda: len(lines(pilot)) == 4)
        heading, *agents = lines(pilot)
        assert heading.startswith("3 agents")
        assert [line.split()[1] for line in agents] == ["kind1", "kind2", "kind3"]
        assert "Go 2 deep" in agents[1]
        assert "2 calls" in agents[0]
        rendered = [tab(pilot).render_line(y).text for y in range(1, 4)]
        indents = [len(text) - len(text.lstrip()) for text in rendered]
        assert indents[0] < indents[1] < indents[2]
        await pilot.press("G", "enter")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 4)
        inner = session_screen(pilot)
        assert inner.session.ref.stream.id == "a3"
        for depth in (3, 2, 1):
            await pilot.press("escape")
            await until(pilot, lambda depth=depth: len(pilot.app.screen_stack) == depth)
        assert session_screen(pilot).session is session


@pytest.mark.slow
async def test_the_price_of_an_agent_is_estimated_where_its_log_states_none(
    tmp_path: Path,
) -> None:
    async with _opened(nested_logs(tmp_path, 1), (160, 30)) as (pilot, session):
        await until(pilot, lambda: len(session.store.children) == 1)
        await open_tab(pilot, "Agents")
        await until(pilot, lambda: "~$0.00" in lines(pilot)[-1])


async def test_todos_of_an_agent_stand_under_its_name_and_lead_into_its_timeline(
    tmp_path: Path,
) -> None:
    path = nested_logs(tmp_path, 1)
    (agent,) = (tmp_path / path.stem / "subagents").glob("*.jsonl")
    log = ClaudeLog(agent="a1")
    conversation(log, 1)  # Records that follow have ids of their own.
    _append(agent, log.call("at", "TodoWrite", **_todos(("look around", "in_progress"))))
    async with _opened(path) as (pilot, session):
        await until(pilot, lambda: len(session.store.children) == 1)
        await open_tab(pilot, "Todos")
        await until(pilot, lambda: "look around" in lines(pilot)[-1])
        assert lines(pilot)[-2].startswith("Todos kind1")
        await pilot.press("G", "enter")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2)
        inner = session_screen(pilot)
        assert inner.timeline.selected is not None
        assert inner.session.store.kind(inner.timeline.selected) is ToolKind.TODOS


@pytest.mark.slow
async def test_problems_under_an_account_of_all_records(tmp_path: Path) -> None:
    log = ClaudeLog()
    good = log.prompt("go")
    records = [
        good,
        good,
        log.call("a", "Bash", command="false"),
        log.result("a", "Exit code 1", is_error=True),
        b'{"type": "something-new", "uuid": "n1", "sessionId": "s"}\n',
        b'{"type": "user", broken\n',
        log.call("lost", "Bash", command="sleep 99"),
        log.prompt("never mind that"),
    ]
    path = write(tmp_path / "log.jsonl", records)
    async with _opened(path, live=True) as (pilot, session):
        await open_tab(pilot, "Problems")
        await until(pilot, lambda: "3 problems" in lines(pilot))
        told = lines(pilot)
        account = told[: told.index("3 problems")]
        for word in ("duplicate", "unknown type", "malformed", "something-new"):
            assert any(word in line for line in account), word
        problems = told[told.index("3 problems") + 1 :]
        assert len(problems) == 3 == session.header().problems
        assert problems[0].startswith("✗ Shell false")
        # A call that nobody answered did not go wrong.
        assert not any("sleep 99" in line for line in problems)
        await pilot.press("G", "enter")
        await pilot.pause()
        row = session_screen(pilot).timeline.selected
        assert row is not None
        assert session.store.source(row).offset == sum(map(len, records[:5]))
        _append(path, b'{"broken again\n')
        await until(pilot, lambda: "4 problems" in lines(pilot))


@pytest.mark.slow
async def test_a_hidden_record_cannot_be_gone_to_and_that_is_said(tmp_path: Path) -> None:
    log = ClaudeLog()
    good = log.prompt("go")
    path = write(tmp_path / "log.jsonl", [good, b'{"type": "last-prompt", "lastPrompt": "x"}\n'])
    async with _opened(path) as (pilot, _):
        await open_tab(pilot, "Problems")
        await until(pilot, lambda: any("the last prompt" in line for line in lines(pilot)))
        await pilot.press("g", "enter")
        await until(pilot, lambda: "R shows those" in _status(pilot))


def _status(pilot: Pilot[None]) -> str:
    return str(session_screen(pilot).query_one("StatusLine").render_line(0).text)


@pytest.mark.slow
async def test_a_long_log_is_told_without_decoding_it(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = conversation(log, 5_000, size=300)
    records += [log.call("x", "Bash", command="false"), log.result("x", "no", is_error=True)]
    path = write(tmp_path / "log.jsonl", records)
    async with _opened(path) as (pilot, session):
        assert isinstance(pilot.app.screen, SessionScreen)
        assert session.store.end - session.store.first > 20_000
        before = session.store.decoded
        await open_tab(pilot, "Turns")
        await until(pilot, lambda: tab(pilot).cursor == 4_999)
        await until(pilot, lambda: lines(pilot)[-1].startswith("▎5000"))
        names = [kind.name for kind in TABS]
        for kind in (TodosTab, AgentsTab, ProblemsTab):
            await panel(pilot).show_tab(names.index(kind.NAME))
            await pilot.pause(0.3)
        await until(pilot, lambda: "1 problem" in lines(pilot))
        # Lines in sight, the newest of what is hidden to tell why, and what was put together anew.
        assert session.store.decoded - before < 1_000


@pytest.mark.slow
async def test_the_sample_session_tells_something_on_every_tab() -> None:
    async with _opened(SAMPLES / "demo.jsonl") as (pilot, _):
        for name in ("Turns", "Todos", "Agents", "Problems"):
            await open_tab(pilot, name)
            await until(pilot, lambda: len(lines(pilot)) > 1)


@pytest.mark.slow
async def test_what_the_reader_is_at_stays_where_it_is_while_earlier_rows_come() -> None:
    session = MemorySession([body for n in range(40) for body in (prompt(f"turn {n}"), _bad(n))])
    async with app_over(session).run_test(size=(120, 24)) as pilot:
        for name in ("Turns", "Problems"):
            await open_tab(pilot, name)
            await pilot.press("G")
            await until(pilot, lambda: tab(pilot).cursor > 30)
            end = tab(pilot).cursor
            await pilot.press("k", "k")
            # A key that is handled later would move what is held.
            await until(pilot, lambda end=end: tab(pilot).cursor == end - 2)
            await pilot.pause()
            before = lines(pilot)
            first = tab(pilot).row_of_line(tab(pilot).cursor)
            session.prepend(*(body for n in range(30) for body in (prompt("old"), _bad(n))))
            await pilot.pause(0.3)
            await until(
                pilot, lambda first=first: tab(pilot).row_of_line(tab(pilot).cursor) == first
            )
            assert [line[4:] for line in lines(pilot)] == [line[4:] for line in before]


def _bad(number: int) -> ToolCall:
    return shell(f"make {number}", exit_code=2)


@pytest.mark.slow
async def test_a_log_that_is_replaced_is_told_anew_on_every_tab(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = conversation(log, 12)
    records += [log.call("x", "Bash", command="false"), log.result("x", "no", is_error=True)]
    for name, before, after in (
        ("Turns", "12 Step 11", "1 Begin again"),
        ("Problems", "1 problem", "0 problems"),
        ("Todos", "no list", "no list"),
        ("Agents", "no agent", "no agent"),
        ("Background", "nothing has run", "nothing has run"),
    ):
        path = write(tmp_path / f"{name}.jsonl", records)
        async with _opened(path, live=True) as (pilot, _):
            await open_tab(pilot, name)
            await until(pilot, lambda before=before: before in "\n".join(lines(pilot)))
            write(path, [ClaudeLog().prompt("Begin again")])
            await until(pilot, lambda after=after: after in "\n".join(lines(pilot)))
            await until(pilot, lambda: len(lines(pilot)) < 7)
