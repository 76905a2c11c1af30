"""Text that is selected by dragging, and what `y` copies of it."""

import pytest
from msgspec.structs import replace
from textual import events
from textual.pilot import Pilot
from textual.widget import Widget

from agentview.domain.tool_inputs import EditPayload, FileEdit, TextEdit
from agentview.domain.tools import ToolKind
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.panel.side_panel import SidePanel
from agentview.ui.widgets.panel.tab import PanelTab
from tests.timeline.view.memory import MemorySession, answer, prompt, shell
from tests.ui.app_under_test import app_over, screen_text, session_screen, until

SIZE = (100, 30)
LONG = " ".join(f"word{number}" for number in range(40))
COMMAND = "python -m pytest --color=yes " + " ".join(f"tests/test_{n}.py" for n in range(12))
EDIT = replace(
    shell(""),
    kind=ToolKind.EDIT,
    payload=EditPayload((FileEdit("a.py", (TextEdit("x = 1\n", "x = 1\ny = 22\n"),)),)),
    result=None,
)


def _place(pilot: Pilot[None], text: str) -> tuple[int, int]:
    """Where a text is on the screen."""
    rows = screen_text(pilot).splitlines()
    row = next(number for number, line in enumerate(rows) if text in line)
    return rows[row].index(text), row


async def drag(pilot: Pilot[None], begin: tuple[int, int], end: tuple[int, int]) -> None:
    """Drag with the left button from a cell of the screen to another."""
    await pilot.mouse_down(offset=begin)
    await _move(pilot, end)
    await pilot.mouse_up(offset=end)
    await pilot.pause()


async def _move(pilot: Pilot[None], to: tuple[int, int]) -> None:
    # What `hover` sends has no button.
    await pilot._post_mouse_events([events.MouseMove], offset=to, button=1)  # pyright: ignore[reportPrivateUsage]


async def _drag_over(pilot: Pilot[None], first: str, last: str) -> None:
    column, row = _place(pilot, last)
    await drag(pilot, _place(pilot, first), (column + len(last) - 1, row))


async def _copied(pilot: Pilot[None]) -> str:
    pilot.app.copy_to_clipboard("")
    await pilot.press("y")
    await until(pilot, lambda: bool(pilot.app.clipboard))
    return pilot.app.clipboard


def _session() -> MemorySession:
    return MemorySession(
        [prompt("find the needle"), answer(LONG), shell(COMMAND, "one\ntwo"), EDIT, answer("done")]
    )


async def test_dragging_selects_words_and_y_copies_them() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "word3" in screen_text(pilot))
        await _drag_over(pilot, "word3", "word5")
        assert await _copied(pilot) == "word3 word4 word5"
        assert "copied selection, 17 characters" in screen_text(pilot)
        # What was copied is selected no more: the same key copies the activity again.
        await pilot.press("G")
        assert await _copied(pilot) == "done"


async def test_wrapped_lines_are_copied_as_one_and_rows_as_lines() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "word39" in screen_text(pilot))
        await _drag_over(pilot, "find the", "word39")
        assert await _copied(pilot) == f"find the needle\n{LONG}"


async def test_a_command_is_copied_without_prompt_and_gutter() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "word39" in screen_text(pilot))
        await pilot.press("3")
        await until(pilot, lambda: "test_11.py" in screen_text(pilot))
        first, row = _place(pilot, "$ python")
        end, last = _place(pilot, "test_11.py")
        await drag(pilot, (first - 3, row), (end + 30, last))
        assert await _copied(pilot) == COMMAND


@pytest.mark.parametrize("width", [100, 160])
async def test_a_diff_is_copied_without_numbers_and_signs(width: int) -> None:
    async with app_over(_session()).run_test(size=(width, 30)) as pilot:
        await until(pilot, lambda: "y = 22" in screen_text(pilot))
        end, last = _place(pilot, "y = 22")
        rows = screen_text(pilot).splitlines()
        await drag(pilot, (rows[last - 1].rindex("x = 1"), last - 1), (end + 20, last))
        assert await _copied(pilot) == "x = 1\ny = 22"


async def test_dragging_backwards_selects_the_same() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "word5" in screen_text(pilot))
        column, row = _place(pilot, "word5")
        await drag(pilot, (column + 4, row), _place(pilot, "word3"))
        assert await _copied(pilot) == "word3 word4 word5"


async def test_a_drag_folds_and_opens_nothing_and_escape_and_a_click_end_it() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        screen = session_screen(pilot)
        await until(pilot, lambda: "word5" in screen_text(pilot))
        chosen = screen.timeline.selected
        for end in ("escape", "click"):
            await _drag_over(pilot, "word3", "word5")
            assert screen.timeline.selection
            assert screen.timeline.selected == chosen
            if end == "click":
                await pilot.click(offset=_place(pilot, "find the"))
                assert screen.timeline.selected == 0
            else:
                await pilot.press(end)
            assert not screen.timeline.selection
            assert isinstance(pilot.app.screen, SessionScreen)


async def test_dragging_over_the_edge_scrolls_and_selects_on() -> None:
    session = MemorySession([answer(f"line {number}") for number in range(90)])
    async with app_over(session).run_test(size=SIZE) as pilot:
        timeline = session_screen(pilot).timeline
        await until(pilot, lambda: "line 89" in screen_text(pilot))
        column, row = _place(pilot, "line 89")
        # The cell under the pointer is selected too.
        await pilot.mouse_down(offset=(column + len("line 89") - 1, row))
        await _move(pilot, (20, 0))
        await until(pilot, lambda: timeline.first_visible == 0)
        await pilot.mouse_up(offset=(20, 0))
        assert await _copied(pilot) == "\n".join(f"line {number}" for number in range(90))


async def test_a_selection_stays_on_its_text_while_rows_come_and_the_view_moves() -> None:
    session = _session()
    async with app_over(session).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "word5" in screen_text(pilot))
        await _drag_over(pilot, "word3", "word5")
        session.append(*[answer(f"step {number}") for number in range(60)])
        await until(pilot, lambda: "step 5" in screen_text(pilot))
        await pilot.press("G")
        await until(pilot, lambda: "step 59" in screen_text(pilot))
        assert await _copied(pilot) == "word3 word4 word5"


async def test_the_gutter_is_not_painted_as_selected() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "word39" in screen_text(pilot))
        plain = _grounds(pilot, "word39")
        await _drag_over(pilot, "word3", "word39")
        marked = _grounds(pilot, "word39")
        assert marked[:10] == plain[:10]
        assert plain[14] != marked[14]
        assert len({*marked[13:20]}) == 1


def _grounds(pilot: Pilot[None], text: str) -> list[object]:
    """The backgrounds of the cells of the row that has a text."""
    row = _place(pilot, text)[1]
    strips = pilot.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
    return [style and style.bgcolor for text, style, _ in strips[row] for _ in range(len(text))]


async def test_lines_of_the_panel_and_the_raw_view_are_selected_too() -> None:
    async with app_over(_session()).run_test(size=(140, 30)) as pilot:
        await until(pilot, lambda: "word5" in screen_text(pilot))
        await pilot.press("s")
        await until(pilot, lambda: bool(pilot.app.screen.query(PanelTab)))
        panel: Widget = pilot.app.screen.query_one(SidePanel)
        await until(pilot, lambda: "find the needle" in _region_text(pilot, panel))
        rows = screen_text(pilot).splitlines()
        x = panel.region.x
        row = next(y for y, line in enumerate(rows) if "find the needle" in line[x:])
        column = rows[row].index("the needle", x)
        timeline = session_screen(pilot).timeline
        before = timeline.selected
        await drag(pilot, (column, row), (column + len("the needle"), row))
        assert await _copied(pilot) == "the needle"
        assert timeline.selected == before
        assert not pilot.app.screen.selections


def _region_text(pilot: Pilot[None], widget: Widget) -> str:
    return "\n".join(line[widget.region.x :] for line in screen_text(pilot).splitlines())
