"""The library says how many sessions their client deletes soon."""

import os
import time
from pathlib import Path

import pytest

from agentview.ui.widgets.home_header import HomeHeader
from tests.claude_log import ClaudeLog
from tests.ui.app_under_test import bar_text, typed, until
from tests.ui.screens.homes import all_indexed, header_text, library_over


@pytest.mark.slow
async def test_the_header_says_how_many_sessions_their_client_deletes_soon(tmp_path: Path) -> None:
    for number, days in enumerate((40, 25, 12)):
        log = tmp_path / "claude_code" / "-home-dev-ws-shop" / f"{number}.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        moment = time.time() - days * 86_400
        client = ClaudeLog(f"0b5f3a52-0000-4000-8000-00000000000{number}", began=moment)
        log.write_bytes(client.prompt("Fix the parser"))
        os.utime(log, (moment, moment))
    async with library_over(tmp_path, "claude_code").run_test(size=(140, 20)) as pilot:
        words = "1 session deleted by tomorrow (cleanupPeriodDays)"
        await until(pilot, lambda: words in header_text(pilot))
        await all_indexed(pilot)
        header = pilot.app.screen.query_one(HomeHeader)
        assert "1 session deleted by tomorrow" in bar_text(header, 100)
        assert "1 deleted soon" in bar_text(header, 90)
        for width in range(56, 140):
            shown = bar_text(header, width)
            assert "4 Usage" in shown or "deleted" not in shown
        await pilot.press("f")
        await typed(pilot, "parser")
        await until(pilot, lambda: words not in header_text(pilot))
