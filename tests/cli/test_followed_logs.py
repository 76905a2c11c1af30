"""What `events --follow` prints of a log from its first byte on, for every provider."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from agentview.paths import sample_sessions_dir
from agentview.providers import provider_names
from tests.cli.conftest import CommandLine
from tests.cli.follower import Follower, latest

STEP = 0.4
"""Seconds in which the program may take a wrong look at what is there so far."""


def take_until_whole(follower: Follower, agentview: CommandLine, path: Path) -> None:
    """Take lines until they come to those of the whole log; a reset makes earlier ones void."""
    whole = [json.loads(line) for line in agentview.ok("events", str(path)).splitlines()]
    wanted: dict[str, dict[str, Any]] = {line["id"]: line for line in whole}
    valid: list[dict[str, Any]] = list(follower.seen)
    while latest(valid) != wanted:
        (line,) = follower.take(1)
        valid = [] if line["type"] == "reset" else [*valid, line]
    assert {line["provider"] for line in follower.seen} == {whole[0]["provider"]}


@pytest.mark.parametrize("provider", provider_names())
def test_a_log_is_followed_from_its_birth(
    agentview: CommandLine, tmp_path: Path, provider: str
) -> None:
    sample = sample_sessions_dir() / provider / "demo.jsonl"
    data = sample.read_bytes()
    first, path = data.index(b"\n"), tmp_path / sample.name
    path.touch()
    with Follower(agentview, str(path)) as follower, path.open("ab", buffering=0) as file:
        for part in (data[: first // 2], data[first // 2 : first + 1], data[first + 1 :]):
            time.sleep(STEP)
            assert follower.process.poll() is None
            file.write(part)
        take_until_whole(follower, agentview, path)


def test_the_next_session_is_followed_from_its_birth(agentview: CommandLine) -> None:
    data = (sample_sessions_dir() / "codex" / "demo.jsonl").read_bytes()
    name = "rollout-2026-11-23T10-00-00-0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0009.jsonl"
    path = agentview.home / ".codex" / "sessions" / "2026" / "11" / "23" / name
    path.parent.mkdir(parents=True)
    with Follower(agentview, "--wait") as follower:
        assert "Waiting for a session" in follower.told()
        path.touch()
        time.sleep(STEP)
        path.write_bytes(data)
        take_until_whole(follower, agentview, path)
