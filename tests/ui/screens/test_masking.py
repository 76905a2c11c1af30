"""x masks secrets wherever they would be seen, and in what is copied."""

import stat
from pathlib import Path

import orjson
import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from agentview.ui.screens.detail import DetailScreen
from agentview.ui.widgets.status_line import StatusLine
from tests.timeline.view.memory import MemorySession, answer, prompt, shell
from tests.ui.app_under_test import app_over, bar_text, screen_text, until

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fRaB3d"
SIZE = (100, 40)


def _session(path: Path = Path("memory.jsonl")) -> MemorySession:
    return MemorySession(
        [
            prompt(f"use {TOKEN} from /home/ana/shop"),
            shell(f"curl -H 'Authorization: Bearer {TOKEN}'", f"DB_PASSWORD=correcthorse\n{TOKEN}"),
            answer(f"Done with `{TOKEN}`."),
        ],
        path,
    )


def _log(folder: Path) -> Path:
    log = folder / "log.jsonl"
    line = orjson.dumps({"text": TOKEN, "password": "correcthorse", "cwd": "/home/ana/x"}) + b"\n"
    log.write_bytes(line * 3)
    return log


SECRETS = (TOKEN, TOKEN[4:], "correcthorse", "/home/ana")


def _hidden(text: str) -> bool:
    return not any(secret in text for secret in SECRETS)


async def _detail(pilot: Pilot[None]) -> None:
    await pilot.press("g", "j", "o")
    await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))


async def test_x_masks_the_timeline_and_shows_it_again() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        await pilot.press("3")
        before = screen_text(pilot)
        assert TOKEN in before
        await pilot.press("x")
        await pilot.pause()
        after = screen_text(pilot)
        assert _hidden(after)
        assert "ghp_****" in after
        status = bar_text(pilot.app.screen.query_one(StatusLine), 400)
        assert "secrets are masked" in status
        assert "secrets masked" in status
        assert [len(row) for row in after.split("\n")] == [len(row) for row in before.split("\n")]
        await pilot.press("x")
        await pilot.pause()
        assert TOKEN in screen_text(pilot)


@pytest.mark.parametrize("tab", "12345")
async def test_every_tab_is_masked(tab: str, tmp_path: Path) -> None:
    async with app_over(_session(_log(tmp_path))).run_test(size=(100, 90)) as pilot:
        await pilot.press("x")
        await _detail(pilot)
        await pilot.press(tab, "y")
        await pilot.pause()
        assert _hidden(screen_text(pilot))
        assert "****" in screen_text(pilot)
        await until(pilot, lambda: bool(pilot.app.clipboard))
        assert _hidden(pilot.app.clipboard)
        await pilot.press("x")
        await pilot.pause()
        assert not _hidden(screen_text(pilot))


async def test_raw_cards_are_masked(tmp_path: Path) -> None:
    async with app_over(_session(_log(tmp_path))).run_test(size=(120, 90)) as pilot:
        await pilot.press("x", "g", "r")
        await pilot.pause()
        shown = screen_text(pilot)
        assert "as written" in shown
        assert _hidden(shown)


async def test_what_is_copied_is_masked() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        await pilot.press("x", "g", "j", "Y")
        await until(pilot, lambda: bool(pilot.app.clipboard))
        assert pilot.app.clipboard == "DB_PASSWORD=************\nghp_" + "*" * 36


async def test_the_header_is_masked() -> None:
    session = _session()
    session.facts = replace(session.facts, title=f"deploy with {TOKEN}")
    async with app_over(session).run_test(size=(160, 20)) as pilot:
        assert TOKEN in screen_text(pilot)
        await pilot.press("x")
        await pilot.pause()
        assert _hidden(screen_text(pilot))


async def test_the_platform_gets_what_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, program = tmp_path / "taken", tmp_path / "wl-copy"
    program.write_text(f'#!/bin/sh\ncat > "{taken}.new" && mv "{taken}.new" "{taken}"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.delenv("SSH_TTY")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    long = "\n".join(["x" * 99] * 3_000)
    session = MemorySession([shell("ls", "a\nb"), shell("cat", long)])
    async with app_over(session).run_test(size=SIZE) as pilot:
        await pilot.press("g", "Y")
        await until(pilot, taken.exists)
        assert taken.read_text() == pilot.app.clipboard == "a\nb"
        taken.unlink()
        await pilot.press("j", "Y")
        await until(pilot, taken.exists)
        assert taken.read_text() == long
        assert pilot.app.clipboard == "a\nb", "too long for a terminal"
        status = bar_text(pilot.app.screen.query_one(StatusLine), 400)
        assert f"copied output, {len(long):,} characters in 3,000 lines" in status


async def test_without_a_platform_a_long_copy_is_cut_and_said() -> None:
    session = MemorySession([shell("cat", "x" * 300_000)])
    async with app_over(session).run_test(size=SIZE) as pilot:
        await pilot.press("g", "Y")
        await until(pilot, lambda: bool(pilot.app.clipboard))
        assert pilot.app.clipboard == "x" * 100_000
        status = bar_text(pilot.app.screen.query_one(StatusLine), 400)
        assert "the first 100,000 characters of the output, which has 300,000" in status
