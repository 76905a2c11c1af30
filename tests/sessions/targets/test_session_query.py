"""Sessions in the order of their last activity, each read no earlier than needed."""

import os
import random
from pathlib import Path

import pytest

from agentview.providers import load_provider
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.targets.session_query import by_activity
from tests.claude_log import ClaudeLog, write


def test_sessions_come_by_their_last_activity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are written at or after the last activity in them, by clocks that may differ."""
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    chance = random.Random(7)  # noqa: S311
    provider = load_provider("claude_code")
    paths: list[Path] = []
    for number in range(40):
        log = ClaudeLog(f"11111111-0000-4000-8000-{number:012d}")
        day = b"2026-10-%02dT" % chance.randint(1, 28)
        record = log.prompt("Go on").replace(b"2026-11-21T", day)
        paths.append(write(tmp_path / "p" / f"{log.session}.jsonl", [record]))
        at = activity_time(provider.info(provider.discovery.ref(paths[-1])))
        written = at + chance.choice((0, 1, 86_400, 10**7))
        os.utime(paths[-1], (written, written))
    found = list(by_activity(provider.discovery.ref(path) for path in paths))
    times = [activity_time(info) for info in found]
    assert len(set(times)) > 10
    assert times == sorted(times, reverse=True)
    assert {info.ref.path for info in found} == set(map(str, paths))
