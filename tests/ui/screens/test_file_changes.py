"""The screen of one file: its steps, the difference they came to, the ways from it."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.ui.messages import CopyRequested
from agentview.ui.screens.file_changes import FileChangesScreen
from agentview.ui.widgets.status_line import StatusLine
from tests.facts.edits.applying import applied
from tests.facts.edits.clients import Claude, Codex
from tests.ui.app_under_test import bar_text, screen_text, session_screen, typed, until
from tests.ui.screens.test_masking import TOKEN
from tests.ui.widgets.panel.panels import lines, open_tab
from tests.ui.widgets.panel.test_files import BEFORE, SIZE, over


def _client() -> Claude:
    client = Claude(BEFORE)
    client.read("src/a.py")
    client.edit("src/a.py", "two", "2")
    client.edit("src/a.py", "one", "first")
    client.write("z.txt", "last\n")
    return client


async def _open(pilot: Pilot[None], path: str) -> FileChangesScreen:
    await open_tab(pilot, "Files")
    await until(pilot, lambda: any(path in line for line in lines(pilot)))
    at = next(index for index, line in enumerate(lines(pilot)) if path in line)
    await pilot.press("g", *["j"] * (at - 1), "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, FileChangesScreen))
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, FileChangesScreen)
    return screen


@pytest.mark.slow
async def test_steps_and_the_difference_of_all_of_them(tmp_path: Path) -> None:
    async with over(_client(), tmp_path).run_test(size=SIZE) as pilot:
        await _open(pilot, "src/a.py")
        shown = screen_text(pilot)
        assert "src/a.py  +2 −2  3 steps" in shown
        rows = [row.split() for row in shown.splitlines()]
        steps = [["read", "whole"], ["edit", "+1", "−1"], ["edit", "+1", "−1"]]
        assert [row[2:] for row in rows[1:4]] == steps
        assert "first" in shown
        assert "- one" in shown
        await pilot.press("J")
        await pilot.pause()
        assert "z.txt  new  +1" in screen_text(pilot)
        await pilot.press("q")
        assert session_screen(pilot)


@pytest.mark.slow
async def test_enter_on_a_step_leads_to_its_activity(tmp_path: Path) -> None:
    async with over(_client(), tmp_path).run_test(size=SIZE) as pilot:
        await _open(pilot, "src/a.py")
        await pilot.press("tab", "j", "enter")
        await until(pilot, lambda: not isinstance(pilot.app.screen, FileChangesScreen))
        screen = session_screen(pilot)
        await until(pilot, lambda: screen.timeline.selected is not None)
        row = screen.timeline.selected
        assert row is not None
        body = screen.session.store.activity(row).body
        assert "old='two'" in repr(body)


async def test_patches_of_the_file_and_of_the_session_are_copied(tmp_path: Path) -> None:
    client = _client()
    client.command("make")
    async with over(client, tmp_path).run_test(size=SIZE) as pilot:
        copied: list[CopyRequested] = []
        screen = await _open(pilot, "src/a.py")
        post = screen.post_message

        def noted(message: object) -> bool:
            if isinstance(message, CopyRequested):
                copied.append(message)
            return post(message)  # pyright: ignore[reportArgumentType]

        screen.post_message = noted
        await pilot.press("y", "Y")
        await until(pilot, lambda: len(copied) == 2)
        one = applied(BEFORE, copied[0].text)
        assert one == {**BEFORE, "src/a.py": b"first\n2\n"}
        assert applied(BEFORE, copied[1].text) == client.left()
        assert "not what 1 command did to files without naming them" in copied[1].what


async def test_what_is_missing_is_said_in_words(tmp_path: Path) -> None:
    client = Codex(BEFORE, diffs=False)
    client.delete("b.txt")
    async with over(client, tmp_path).run_test(size=SIZE) as pilot:
        await _open(pilot, "b.txt")
        assert "what the steps came to is not known:" in screen_text(pilot)
        assert "the text that it deleted is not known" in screen_text(pilot)
        await pilot.press("y")
        await pilot.pause()
        status = bar_text(pilot.app.screen.query_one(StatusLine), 400)
        assert "there is nothing to copy that is known" in status


@pytest.mark.slow
async def test_search_in_the_difference(tmp_path: Path) -> None:
    async with over(_client(), tmp_path).run_test(size=SIZE) as pilot:
        await _open(pilot, "src/a.py")
        await pilot.press("slash")
        await typed(pilot, "first")
        await pilot.press("enter")
        status = pilot.app.screen.query_one(StatusLine)
        await until(pilot, lambda: "/first  1 of 1" in bar_text(status, 400))
        await pilot.press("escape", "escape")
        assert session_screen(pilot)


async def test_the_difference_grows_with_the_log(tmp_path: Path) -> None:
    client = _client()
    async with over(client, tmp_path, live=True).run_test(size=SIZE) as pilot:
        await _open(pilot, "src/a.py")
        written = len(client.records)
        client.edit("src/a.py", "2", "2\nthree")
        with (tmp_path / "log.jsonl").open("ab") as file:
            file.write(b"".join(client.records[written:]))
        await until(pilot, lambda: "4 steps" in screen_text(pilot))
        assert "three" in screen_text(pilot)


async def test_secrets_are_masked_on_the_screen_and_in_copies(tmp_path: Path) -> None:
    client = Claude(BEFORE)
    client.edit("src/a.py", "two", f"token = '{TOKEN}'")
    async with over(client, tmp_path).run_test(size=SIZE) as pilot:
        await _open(pilot, "src/a.py")
        assert TOKEN in screen_text(pilot)
        await pilot.press("x")
        await until(
            pilot, lambda: "token" in screen_text(pilot) and TOKEN not in screen_text(pilot)
        )
        await pilot.pause(0.3)
        await pilot.press("y")
        await until(pilot, lambda: "diff --git" in pilot.app.clipboard)
        assert TOKEN not in pilot.app.clipboard
        await pilot.press("x")
        await until(pilot, lambda: TOKEN in screen_text(pilot))
