import pytest
from textual.pilot import Pilot

from agentview.query.vocabulary import Surface
from agentview.ui.app import AgentViewApp
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from agentview.ui.screens.bindings import known_bindings
from agentview.ui.screens.help import HelpScreen, help_body
from agentview.ui.screens.session.bindings import SESSION_BINDINGS
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.key_hints import ActiveBinding, bound_actions
from agentview.ui.widgets.status_line import StatusLine
from tests.timeline.view.memory import MemorySession, prompt
from tests.ui.app_under_test import app_over, bar_text, screen_text, until


async def _help(pilot: Pilot[None]) -> None:
    await pilot.press("question_mark")
    await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))
    await pilot.pause()


async def test_every_binding_of_the_session_has_an_id_and_stands_in_the_help() -> None:
    ids = [binding.id for binding in SESSION_BINDINGS]
    assert None not in ids
    assert len(set(ids)) == len(ids)
    async with app_over(MemorySession([prompt("x")])).run_test(size=(160, 45)) as pilot:
        await _help(pilot)
        shown = screen_text(pilot)
        assert [b.tooltip for b in SESSION_BINDINGS if b.tooltip not in shown] == []
        for word in (
            "Move",
            "Detail",
            "Find",
            "⏎",
            "ctrl+d",
            "Find a command by name",
            "kind:shell",
        ):
            assert word in shown


async def test_a_rebound_key_is_told_as_it_is() -> None:
    app = app_over(MemorySession([prompt("x")]))
    app.set_keymap({"timeline.search": "ctrl+s"})
    async with app.run_test(size=(160, 45)) as pilot:
        assert "ctrl+s search" in bar_text(app.screen.query_one(StatusLine))
        await _help(pilot)
        line = next(x for x in screen_text(pilot).splitlines() if "Search for a text" in x)
        assert "ctrl+s" in line


async def test_one_column_where_it_is_narrow() -> None:
    app = app_over(MemorySession([prompt("x")]))
    async with app.run_test(size=(80, 24)) as pilot:
        actions = bound_actions(pilot.app.screen)
        narrow, wide = (help_body(actions, RenderContext(width, PLAIN)) for width in (80, 160))
        assert narrow.height > wide.height
        assert max(strip.cell_length for strip in wide.strips(0, 99)) <= 160


@pytest.mark.parametrize("surface", [None, *Surface])
@pytest.mark.parametrize("width", [36, 56, 76])
def test_no_sentence_is_cut_in_a_narrow_terminal(surface: Surface | None, width: int) -> None:
    bindings = known_bindings(AgentViewApp)
    actions = [ActiveBinding(b.group, b.keys, "", b.sentence, b.id, None) for b in bindings]
    body = help_body(actions, RenderContext(width, PLAIN), surface)
    rows = [strip.text.rstrip() for strip in body.strips(0, body.height)]
    assert [row for row in rows if row.endswith("…")] == []
    words = " ".join(" ".join(rows).split())
    missing = [b.sentence for b in bindings if b.sentence.split()[-1] not in words]
    assert len(rows) > len(bindings)
    assert missing == []


async def test_leaves_the_way_it_came() -> None:
    async with app_over(MemorySession([prompt("x")])).run_test(size=(80, 24)) as pilot:
        for key in ("escape", "q", "question_mark"):
            await _help(pilot)
            await pilot.press(key)
            await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))


@pytest.mark.slow
async def test_the_palette_finds_and_runs_an_action_by_its_name() -> None:
    session = MemorySession([prompt(str(n)) for n in range(9)])
    async with app_over(session).run_test(size=(100, 30)) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, SessionScreen)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: pilot.app.screen is not screen)
        await pilot.press(*"first activity")
        await until(pilot, lambda: "To the first activity" in screen_text(pilot))
        await pilot.pause(0.3)
        await pilot.press("enter")
        await until(pilot, lambda: screen.timeline.selected == 0)


async def test_words_leave_the_keys_that_have_them() -> None:
    async with app_over(MemorySession([prompt("x")])).run_test(size=(130, 30)) as pilot:
        await _help(pilot)
        await until(pilot, lambda: "Next activity" in screen_text(pilot))
        await pilot.press("slash", *"problem")
        await until(pilot, lambda: "Next activity" not in screen_text(pilot))
        shown = screen_text(pilot)
        assert "Next problem" in shown
        assert "Previous problem" in shown
        assert "Detail" not in shown
        await pilot.press(*"zzz")
        await until(pilot, lambda: "No key has these words." in screen_text(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: "Next activity" in screen_text(pilot))
        assert isinstance(pilot.app.screen, HelpScreen)


@pytest.mark.parametrize(("width", "columns"), [(95, 1), (96, 2), (160, 2), (200, 3)])
async def test_columns_use_the_width(width: int, columns: int) -> None:
    async with app_over(MemorySession([prompt("x")])).run_test(size=(80, 24)) as pilot:
        body = help_body(bound_actions(pilot.app.screen), RenderContext(width, PLAIN))
        rows = [strip.text for strip in body.strips(0, body.height)]
        headings = [word for word in ("Move", "Detail", "Find", "Copy and open") if word in rows[0]]
        assert len(headings) == columns
        assert max(map(len, rows)) <= width
        text = " ".join(" ".join(rows).split())
        assert all(len(row.rstrip()) <= width for row in rows)
        assert "Toggle following the newest activity" in text or columns > 1
