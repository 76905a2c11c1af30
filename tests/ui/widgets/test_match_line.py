from msgspec.structs import replace
from textual.pilot import Pilot

from agentview.domain.tool_inputs import EditPayload, FileEdit
from agentview.domain.tool_results import ChangeResult, FileChange
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.render.style.highlight_matches import TextPattern
from agentview.ui.render.style.query_pattern import found_pattern
from tests.timeline.view.memory import MemorySession, answer, prompt, shell
from tests.ui.activities import CWD, HUNK, HUNK_BELOW, call
from tests.ui.app_under_test import app_over, screen_text, session_screen, until

LINES = 400


def _output(at: int) -> str:
    return "\n".join("the zebra" if n == at else f"line {n}" for n in range(LINES))


def _session(at: int) -> MemorySession:
    return MemorySession([prompt("p"), shell("cat zoo", _output(at)), answer("a")])


def _pattern(text: str) -> TextPattern:
    found = found_pattern(text)
    assert found is not None
    return found


def _sees(pilot: Pilot[None], text: str) -> bool:
    return text in screen_text(pilot)


async def test_the_line_that_has_it_comes_into_view_however_far_down_it_is() -> None:
    for at in (0, 5, 200, LINES - 1):
        async with app_over(_session(at)).run_test(size=(80, 24)) as pilot:
            timeline = session_screen(pilot).timeline
            timeline.select(1)
            timeline.set_level(1, DetailLevel.FULL)
            timeline.show_match(1, _pattern("zebra"))
            await until(pilot, lambda: _sees(pilot, "the zebra"))
            assert timeline.selected == 1


async def test_what_is_in_view_already_moves_nothing() -> None:
    async with app_over(_session(2)).run_test(size=(80, 24)) as pilot:
        timeline = session_screen(pilot).timeline
        timeline.select(1)
        timeline.set_level(1, DetailLevel.FULL)
        await until(pilot, lambda: bool(pilot.app.screen.query("#strip > *")))
        await pilot.pause()
        before = screen_text(pilot)
        assert _sees(pilot, "the zebra")
        timeline.show_match(1, _pattern("zebra"))
        await pilot.pause(0.1)
        assert screen_text(pilot) == before


async def test_a_reader_who_went_on_is_not_taken_back() -> None:
    async with app_over(_session(LINES - 1)).run_test(size=(80, 24)) as pilot:
        timeline = session_screen(pilot).timeline
        timeline.set_level(1, DetailLevel.FULL)
        timeline.select(1)
        timeline.show_match(1, _pattern("nowhere to be found"))
        timeline.select(0)
        await pilot.pause(0.3)
        assert timeline.selected == 0


async def test_a_folded_part_unfolds_for_what_is_found_in_it() -> None:
    session = MemorySession([prompt("p"), _two_files(), answer("a")])
    async with app_over(session).run_test(size=(80, 24)) as pilot:
        timeline = session_screen(pilot).timeline
        timeline.select(1)
        timeline.set_level(1, DetailLevel.FULL)
        await pilot.press("z")
        await pilot.pause()
        assert not _sees(pilot, "zebra")
        timeline.show_match(1, _pattern("zebra"))
        await until(pilot, lambda: _sees(pilot, "zebra"))


async def test_parts_fold_again_where_nothing_was_found_in_them() -> None:
    session = MemorySession([prompt("p"), _two_files(), answer("a")])
    async with app_over(session).run_test(size=(80, 24)) as pilot:
        timeline = session_screen(pilot).timeline
        timeline.select(1)
        timeline.set_level(1, DetailLevel.FULL)
        await until(pilot, lambda: bool(pilot.app.screen.query("#strip > *")))
        await pilot.pause()
        before = screen_text(pilot)
        timeline.show_match(1, _pattern("giraffe"))
        await pilot.pause(0.2)
        assert screen_text(pilot) == before


def _two_files() -> ToolCall:
    """An edit of two files, the text in the second one."""
    zebra = replace(HUNK_BELOW, lines=(" class Stable:", "-    horse", "+    zebra", " ", " "))
    changes = (
        FileChange(f"{CWD}/src/retry.py", hunks=(HUNK,)),
        FileChange(f"{CWD}/src/client.py", hunks=(zebra,)),
    )
    asked = EditPayload(tuple(FileEdit(change.path) for change in changes))
    return call(ToolKind.EDIT, asked, ChangeResult(changes))
