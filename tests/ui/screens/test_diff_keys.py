"""Keys and clicks that turn diffs and fold their files, in the timeline and on a screen alone."""

from textual.pilot import Pilot

from agentview.domain.tool_inputs import EditPayload, FileEdit
from agentview.domain.tool_results import ChangeResult, FileChange
from agentview.domain.tools import ToolKind
from agentview.ui.screens.detail import DetailScreen
from agentview.ui.widgets.pager import Pager
from tests.timeline.view.memory import MemorySession, prompt
from tests.ui.activities import CWD, HUNK, HUNK_BELOW, call
from tests.ui.app_under_test import app_over, screen_text, session_screen, until

WIDE, NARROW = (160, 40), (80, 40)


def _session() -> MemorySession:
    changes = (
        FileChange(f"{CWD}/src/retry.py", hunks=(HUNK,)),
        FileChange(f"{CWD}/src/client.py", hunks=(HUNK_BELOW,)),
    )
    asked = EditPayload(tuple(FileEdit(change.path) for change in changes))
    return MemorySession([prompt("edit"), call(ToolKind.EDIT, asked, ChangeResult(changes))])


def _beside(pilot: Pilot[None]) -> bool:
    """Whether old and new text stand on one row."""
    rows = screen_text(pilot).splitlines()
    return any("timeout = 10" in row and "timeout = 30" in row for row in rows)


async def _opened(pilot: Pilot[None]) -> DetailScreen:
    await pilot.press("o")
    await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, DetailScreen)
    return screen


async def test_d_turns_diffs_where_there_is_room_and_back_on_all_screens() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        await pilot.press("3")
        await pilot.pause()
        assert _beside(pilot)
        await pilot.press("d")
        await pilot.pause()
        assert not _beside(pilot)
        assert "diffs: unified" in screen_text(pilot)
        await _opened(pilot)
        assert not _beside(pilot)
        await pilot.press("d")
        await pilot.pause()
        assert _beside(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, DetailScreen))
        await pilot.pause()
        assert _beside(pilot)


async def test_d_never_squeezes_two_columns_into_a_narrow_screen() -> None:
    async with app_over(_session()).run_test(size=NARROW) as pilot:
        await pilot.press("3", "d")
        await pilot.pause()
        assert "split if wide enough" in screen_text(pilot)
        assert not _beside(pilot)


async def test_z_folds_all_files_of_the_selected_activity_and_opens_them() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        await pilot.press("3", "z")
        await pilot.pause()
        text = screen_text(pilot)
        assert "▸ " in text
        assert "▾ " not in text
        assert "timeout" not in text
        assert "client.py  changed  +1  −1" in text
        await pilot.press("z")
        await pilot.pause()
        assert _beside(pilot)
        assert session_screen(pilot).timeline.selected == 1


async def test_a_click_on_a_file_folds_it_alone_on_both_screens() -> None:
    async with app_over(_session()).run_test(size=WIDE) as pilot:
        await pilot.press("3")
        await pilot.pause()
        await _click(pilot, "src/retry.py  changed")
        text = screen_text(pilot)
        assert "def attempts" not in text
        assert _beside(pilot)
        await _opened(pilot)
        assert "def attempts" in screen_text(pilot)
        await _click(pilot, "client.py  changed")
        assert not _beside(pilot)
        assert "def attempts" in screen_text(pilot)
        await pilot.press("z")
        await pilot.pause()
        assert "def attempts" not in screen_text(pilot)
        assert pilot.app.screen.query_one("#content", Pager).scroll_offset.y == 0


async def _click(pilot: Pilot[None], words: str) -> None:
    rows = screen_text(pilot).splitlines()
    line = next(at for at, row in enumerate(rows) if words in row)
    await pilot.click(offset=(rows[line].index(words), line))
    await pilot.pause()
