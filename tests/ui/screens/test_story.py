"""A session reads as a story: headings of turns, prose without labels, times by the minute."""

from msgspec.structs import replace
from textual.pilot import Pilot

from agentview.domain.session_state import Looping, Repeated, SessionState, SessionStatus
from agentview.domain.tool_inputs import EditPayload, FileEdit, TextEdit
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.timeline.turn_heading import TurnInView
from agentview.ui.widgets.session_header import SessionHeader
from tests.timeline.view.memory import MemorySession, answer, prompt, read, shell
from tests.ui.app_under_test import app_over, bar_text, screen_text, session_screen, until

SIZE = (100, 30)


def _session() -> MemorySession:
    return MemorySession(
        [
            prompt("find the needle"),
            *[answer(f"line {number}") for number in range(40)],
            shell("make", "no rule", exit_code=2),
            prompt("now fix it"),
            *[answer(f"step {number}") for number in range(70)],
        ]
    )


def _on_top(pilot: Pilot[None]) -> str:
    return bar_text(pilot.app.screen.query_one(TurnInView))


async def test_the_turn_in_view_has_its_heading_on_top() -> None:
    app = app_over(_session())
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _on_top(pilot) == "2  now fix it  1m10s")
        await pilot.press("left_curly_bracket")
        await until(pilot, lambda: session_screen(pilot).timeline.selected == 42)
        # The prompt is in view, and above it the end of the turn before.
        await until(pilot, lambda: "── 2 ──" in screen_text(pilot))
        assert _on_top(pilot) == "1  find the needle  42s · 1 call · 1 problem"
        await pilot.press("g")
        await until(pilot, lambda: "── 1 ──" in screen_text(pilot))
        assert "42s · 1 call · 1 problem ──" in screen_text(pilot)
        assert _on_top(pilot) == ""


async def test_what_is_asked_is_on_top_until_it_is_answered() -> None:
    session = _session()
    asks = SessionStatus(
        SessionState.NEEDS_APPROVAL,
        certain=False,
        about="rm -rf build\n\x1b]52;c;eA==\x07",
        agent="Cleans up",
        requests=2,
    )
    app = app_over(session)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _on_top(pilot).startswith("2  now fix it"))
        session.facts = replace(session.facts, status=asks)
        session.append(answer("step"))
        await until(pilot, lambda: _on_top(pilot).startswith("1 of 2: Cleans up: rm -rf build"))
        assert "\x1b" not in _on_top(pilot)
        assert "needs-approval?" in bar_text(pilot.app.screen.query_one(SessionHeader))
        session.facts = replace(session.facts, status=SessionStatus(SessionState.WORKING))
        session.append(answer("step"))
        await until(pilot, lambda: _on_top(pilot).startswith("2  now fix it"))


async def test_an_agent_in_circles_is_marked_with_the_evidence() -> None:
    session = _session()
    works = SessionStatus(SessionState.WORKING)
    app = app_over(session)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: _on_top(pilot).startswith("2  now fix it"))
        looping = Looping(calls=Repeated(5, "Shell pytest -x"))
        session.facts = replace(session.facts, status=works, looping=looping)
        session.append(answer("step"))
        said = "looping? 5 times with the same result: Shell pytest -x"
        await until(pilot, lambda: _on_top(pilot) == said)
        assert "looping?" in bar_text(pilot.app.screen.query_one(SessionHeader))
        session.facts = replace(session.facts, looping=None)
        session.append(answer("step"))
        await until(pilot, lambda: _on_top(pilot).startswith("2  now fix it"))
        assert "looping?" not in bar_text(pilot.app.screen.query_one(SessionHeader))


async def test_a_click_on_the_heading_leads_to_the_prompt() -> None:
    app = app_over(_session())
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _on_top(pilot).startswith("2"))
        await pilot.click(TurnInView)
        await until(pilot, lambda: session_screen(pilot).timeline.selected == 42)


async def test_a_heading_follows_what_is_appended() -> None:
    session = _session()
    app = app_over(session)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _on_top(pilot) == "2  now fix it  1m10s")
        session.append(shell("make", "no rule", exit_code=2))
        await until(pilot, lambda: _on_top(pilot) == "2  now fix it  1m12s · 1 call · 1 problem")


def _edit(path: str, old: str, new: str, *, ok: bool | None = True) -> ToolCall:
    """An edit; `ok` None is one that still runs."""
    payload = EditPayload((FileEdit(path, (TextEdit(old, new),)),))
    states = {
        True: ToolState.OUTPUT_AVAILABLE,
        False: ToolState.OUTPUT_ERROR,
        None: ToolState.INPUT_AVAILABLE,
    }
    call = read(path)
    return replace(call, kind=ToolKind.EDIT, payload=payload, state=states[ok], ok=ok, output=())


async def test_a_heading_has_the_lines_that_its_turn_changed() -> None:
    session = MemorySession(
        [
            prompt("correct the delay"),
            _edit("a.py", "one", "1\n2\n3"),
            _edit("b.py", "never", "applied", ok=False),
            prompt("and the other"),
            *[answer(f"step {number}") for number in range(40)],
            _edit("a.py", "x", "", ok=None),
        ]
    )
    app = app_over(session)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "2  and the other" in _on_top(pilot))
        assert "−" not in _on_top(pilot)
        session.change(44, _edit("a.py", "x", ""))
        await until(pilot, lambda: _on_top(pilot).endswith(" · 1 call · −1"))
        session.append(_edit("b.py", "x\n", "x\ny\n"))
        await until(pilot, lambda: _on_top(pilot).endswith(" · 2 calls · +1 −1"))
        # The same file again: the lines of both calls, not those of the file.
        session.append(_edit("b.py", "y\n", "z\n"))
        await until(pilot, lambda: _on_top(pilot).endswith(" · 3 calls · +2 −2?"))
        # A call whose lines nobody knows: at least so many.
        unknown = EditPayload((FileEdit("c.py", (TextEdit("a", "b", replace_all=True),)),))
        session.append(replace(_edit("c.py", "a", "b"), payload=unknown))
        await until(pilot, lambda: _on_top(pilot).endswith(" · 4 calls · +2 −2?+"))
        await pilot.press("g")
        await until(pilot, lambda: "2 calls · +3 −1 · 1 problem ──" in screen_text(pilot))


async def test_prose_has_no_label_and_a_time_where_the_minute_changes() -> None:
    app = app_over(_session())
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "step 69" in screen_text(pilot))
        lines = [line for line in screen_text(pilot).splitlines() if "step" in line]
        assert "assistant" not in screen_text(pilot)
        timed = [line.split()[-1] for line in lines if ":" in line]
        # All in view are of one minute: the first has a time, and the selected one.
        assert [line.split()[-1] for line in (lines[0], lines[-1])] == timed
        session_screen(pilot).timeline.set_level_all(DetailLevel.TITLE)
        await until(pilot, lambda: "assistant" in screen_text(pilot))


async def test_calls_that_ended_well_have_the_sign_of_their_family() -> None:
    app = app_over(
        MemorySession(
            [prompt("go"), shell("make", "ok"), answer("made"), read("a.py"), answer("!")]
        )
    )
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "$ Shell" in screen_text(pilot))
        assert "◦ Read" in screen_text(pilot)


async def test_a_claim_that_the_log_contradicts_leads_to_its_evidence() -> None:
    failed = "FAILED tests/test_a.py::test_delay - assert 1 == 2\n1 failed, 12 passed in 0.1s"
    session = MemorySession(
        [
            prompt("correct the delay"),
            shell("pytest -q", failed, exit_code=1),
            *[answer(f"line {number}") for number in range(40)],
            answer("I corrected it. All tests pass."),
            prompt("thanks"),
        ]
    )
    said = "says tests pass? last run: 1 failed: test_delay (pytest -q)  !"
    app = app_over(session)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: said in _on_top(pilot))
        timeline = session_screen(pilot).timeline
        await pilot.press("k", "exclamation_mark")
        await until(pilot, lambda: timeline.selected == 1)
        await until(pilot, lambda: said in screen_text(pilot))
        await pilot.press("exclamation_mark")
        await until(pilot, lambda: timeline.selected == 42)
        await pilot.click(TurnInView)
        await until(pilot, lambda: timeline.selected == 1)
        await pilot.press("G", "exclamation_mark")
        await until(pilot, lambda: "are not contradicted" in screen_text(pilot))
        await pilot.press("g")
        await until(pilot, lambda: "── 1 " in screen_text(pilot))
        row = next(at for at, line in enumerate(screen_text(pilot).splitlines()) if "── 1 " in line)
        await pilot.click(offset=(30, row))
        await until(pilot, lambda: timeline.selected == 1)
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: "── 1 " in screen_text(pilot))
        line = next(line for line in screen_text(pilot).splitlines() if "── 1 " in line)
        assert "says tests pass? last run: 1 fail" in line
