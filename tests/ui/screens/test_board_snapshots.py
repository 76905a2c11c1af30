"""The board as it looked when somebody last said that it is right: see `--snapshot-update`."""

import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.live_sessions import BoardScreen
from tests.claude_log import ClaudeLog
from tests.cli.codex_log import CodexLog
from tests.ui.app_under_test import screen_text, until
from tests.ui.screens.homes import header_text

NOW = 1_795_640_000.0
SIZES = [(80, 24), (120, 40), (200, 60)]
LIVE, PRICED = 4, 4
LONG = (
    "docker compose -f deploy/compose.yml run --rm migrations alembic upgrade head && "
    "docker compose -f deploy/compose.yml up --detach --wait api worker scheduler"
)


@pytest.fixture(autouse=True)
def same_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


class _Sessions:
    """Sessions of one client, each in a project of its own."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._count = 0

    def add(self, cwd: str, before: float, records: Callable[[ClaudeLog], list[bytes]]) -> None:
        """Write a session whose last record was written so many seconds ago."""
        self._count += 1
        log = ClaudeLog(f"0b5f3a52-0000-4000-8000-{self._count:012d}")
        path = self._root / cwd.replace("/", "-") / f"{log.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        stamp = datetime.fromtimestamp(NOW - before, UTC).isoformat(timespec="milliseconds")
        with path.open("wb") as file:
            for record in records(log):
                fields = {**json.loads(record), "cwd": cwd, "timestamp": stamp}
                file.write(json.dumps(fields).encode() + b"\n")
        os.utime(path, (NOW - before, NOW - before))


def _error(log: ClaudeLog) -> bytes:
    message = {
        "id": "msg_e", "type": "message", "role": "assistant", "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error: 400 prompt is too long"}],
    }  # fmt: skip
    return log.record("assistant", message=message, isApiErrorMessage=True, error="invalid_request")


def _home(root: Path) -> None:
    claude = _Sessions(root / "claude_code")
    question = "Which of the two formats should dates have in the export?"
    ask: list[dict[str, Any]] = [
        {"question": question, "header": "Dates", "options": [], "multiSelect": False}
    ]
    claude.add("/home/dev/shop-api", 40, lambda log: [
        log.prompt("Run the migrations of the new order table"),
        log.call("c1", "Bash", command=LONG),
    ])  # fmt: skip
    claude.add("/home/dev/export/repo", 300, lambda log: [
        log.prompt("Export invoices as CSV"), log.call("c1", "AskUserQuestion", questions=ask),
    ])  # fmt: skip
    claude.add("/home/dev/client-a/repo", 4000, lambda log: [
        log.prompt("日本語のドキュメントを更新する"), _error(log),
    ])  # fmt: skip
    claude.add("/home/dev/client-b/repo", 7200, lambda log: [
        log.prompt("Fix the flaky retry test, then run the whole suite and write what you changed"),
        log.text("Done: the delay is bounded now."),
    ])  # fmt: skip
    claude.add("/home/dev/docs", 20, lambda log: [
        log.prompt("Write the guide"), log.text("I read the sources first."),
        log.call("c1", "Read", file_path="/home/dev/docs/guide.md"), log.result("c1", "# Guide"),
    ])  # fmt: skip
    claude.add("/home/dev/site", 90_000, lambda log: [
        log.prompt("Translate the site"),
        log.record("user", message={"role": "user", "content": [
            {"type": "text", "text": "[Request interrupted by user]"}]}),
    ])  # fmt: skip
    for number, used in enumerate((35.0, 91.0)):
        thread = f"019cb1a0-1111-7aaa-8bbb-00000000000{number}"
        before = 30.0 + number
        codex = CodexLog(root / str(number), NOW - 900, "/home/dev/tools", thread)
        codex.say(NOW - 890, "user", f"Tidy up script {number + 1}")
        codex.say(NOW - before - 1, "assistant", "It is tidy.")
        codex.report(NOW - before - 1, "task_complete", last_agent_message="It is tidy.")
        codex.limits(NOW - before, used, NOW + 5400)
        place = root / "codex" / codex.path.name
        place.parent.mkdir(exist_ok=True)
        codex.path.rename(place)
        os.utime(place, (NOW - before, NOW - before))


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40", "200x60"])
def test_board(size: tuple[int, int], snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    _home(tmp_path)
    names = ("claude_code", "codex")
    app = AgentViewApp(
        LaunchOptions(Screen.BOARD),
        clock=lambda: NOW,
        roots=[(name, tmp_path / name) for name in names],
    )

    async def at_rest(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen))
        if size[0] > 100:
            await until(pilot, lambda: f"{LIVE} live sessions" in header_text(pilot))
        # Prices are looked up after the first frame.
        await until(pilot, lambda: screen_text(pilot).count("~<$0.01") == PRICED)
        before, same = "", 0
        while same < 4:
            await pilot.pause(0.3)
            text = screen_text(pilot)
            same = same + 1 if text == before else 0
            before = text

    assert snap_compare(app, terminal_size=size, run_before=at_rest)
