"""How much of the limits of an account is left, as a log states it, in `ls`, `status`, `watch`."""

import json
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.cli.codex_log import CodexLog
from tests.cli.conftest import CommandLine

HOUR = 3600.0


def session(home: Path, now: float) -> CodexLog:
    log = CodexLog(home, now - 60, "/home/dev/shop")
    log.say(now - 59, "user", "Fix the parser")
    log.say(now - 50, "assistant", "Done.")
    return log


def rows(agentview: CommandLine, command: str) -> list[dict[str, Any]]:
    return json.loads(agentview.ok(command, "--json"))


@pytest.mark.slow
def test_the_newest_figures_of_a_session_are_printed_with_their_resets(
    agentview: CommandLine,
) -> None:
    now = time.time()
    log = session(agentview.home, now)
    log.limits(now - 49, 10.0, now + HOUR)
    log.limits(now - 48, 42.5, now + HOUR)
    for command in ("ls", "status"):
        (row,) = rows(agentview, command)
        first, second = row["limits"]
        assert (first["limit"], first["window"], first["used"], first["left"]) == (
            "codex",
            18_000.0,
            0.425,
            0.575,
        )
        assert first["resets"].endswith("Z")
        assert first["at"].endswith("Z")
        assert (second["window"], second["left"]) == (604_800.0, 0.93)
        assert first["full_at"] is None


@pytest.mark.slow
def test_a_limit_that_will_be_full_before_its_reset_says_when(agentview: CommandLine) -> None:
    now = time.time()
    log = session(agentview.home, now)
    # 80 % in two of five hours: all of it in two and a half.
    log.limits(now - 48, 80.0, now - 48 + 3 * HOUR)
    (row,) = rows(agentview, "status")
    full = datetime.fromisoformat(row["limits"][0]["full_at"]).timestamp()
    assert abs(full - (now - 48 + 0.5 * HOUR)) < 2


@pytest.mark.slow
def test_a_figure_whose_reset_has_passed_is_not_printed(agentview: CommandLine) -> None:
    now = time.time()
    log = session(agentview.home, now)
    log.limits(now - 48, 99.0, now - 1)
    for command in ("ls", "status"):
        (row,) = rows(agentview, command)
        assert [limit["window"] for limit in row["limits"]] == [604_800.0]


@pytest.mark.slow
def test_a_kept_answer_of_status_ends_with_the_first_reset(agentview: CommandLine) -> None:
    now = time.time()
    log = session(agentview.home, now)
    log.limits(now - 48, 99.0, now + 4)
    time.sleep(0.1)
    (row,) = rows(agentview, "status")
    assert len(row["limits"]) == 2
    while time.time() < now + 4:
        time.sleep(0.1)
    (row,) = rows(agentview, "status")
    assert [limit["window"] for limit in row["limits"]] == [604_800.0]


def test_sessions_without_figures_have_none(agentview: CommandLine) -> None:
    session(agentview.home, time.time())
    (row,) = rows(agentview, "ls")
    assert row["limits"] is None


def test_what_the_printed_stream_of_claude_reports(agentview: CommandLine, tmp_path: Path) -> None:
    sample = sample_sessions_dir() / "claude_stream" / "reports.jsonl"
    line = next(line for line in sample.read_text().splitlines() if '"allowed_warning"' in line)
    record = json.loads(line)
    record["rate_limit_info"]["resetsAt"] = int(time.time() + HOUR)
    (agentview.home / ".claude" / "projects" / "-x").mkdir(parents=True)
    events = agentview.ok("events", "-", stdin=(json.dumps(record) + "\n").encode())
    (limit,) = json.loads(events.splitlines()[0])["facts"]["limits"]
    assert (limit["group"], limit["used"], limit["window"]) == ("five_hour", 0.91, 18_000.0)


@pytest.mark.slow
def test_hostile_figures_end_no_command(agentview: CommandLine) -> None:
    now = time.time()
    log = session(agentview.home, now)
    hostile: list[Any] = [
        {"limit_id": "\x1b[2J" * 99, "limit_name": "\ud800", "primary": {"used_percent": 1e300}},
        {"primary": {"used_percent": -5, "window_minutes": -300, "resets_at": 10**17}},
        {"primary": {"used_percent": 1, "window_minutes": 10**17, "resets_at": "soon"}},
        {"primary": {"used_percent": 1, "resets_in_seconds": 10**17}},
    ]
    for number, stated in enumerate(hostile * 20):
        named = {"limit_id": f"x{number}", **stated}
        log.report(now - 30, "token_count", info=None, rate_limits=named)
    for command in ("ls", "status"):
        (row,) = rows(agentview, command)
        assert row["limits"] is None or len(row["limits"]) <= 16
    assert "\x1b" not in agentview.ok("cat", str(log.path))
