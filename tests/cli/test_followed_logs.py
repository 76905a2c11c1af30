"""What `events --follow` prints of a log from its first byte on, for every provider."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from agentview.providers import provider_names
from agentview.system.paths import sample_sessions_dir
from tests.cli.beginnings import Beginning, beginnings
from tests.cli.conftest import CommandLine
from tests.cli.follower import Follower, latest
from tests.cli.pseudo_terminal import PseudoTerminal

pytestmark = pytest.mark.slow

MOVABLE = [log for log in beginnings() if not log.is_alone]
FIRST_SAMPLES = [
    path
    for name in provider_names()
    if (path := sample_sessions_dir() / name / "demo.jsonl").is_file()
]
"""A sample of each provider whose logs are lines."""
STEP = 0.4
"""Seconds in which the program may take a wrong look at what is there so far."""


def printed(agentview: CommandLine, path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in agentview.ok("events", str(path)).splitlines()]


def take_until_whole(follower: Follower, agentview: CommandLine, path: Path) -> None:
    """Take lines until they come to those of the whole log; a reset makes earlier ones void."""
    whole = printed(agentview, path)
    wanted: dict[str, dict[str, Any]] = {line["id"]: line for line in whole}
    valid: list[dict[str, Any]] = list(follower.seen)
    while latest(valid) != wanted:
        (line,) = follower.take(1)
        valid = [] if line["type"] == "reset" else [*valid, line]
    assert {line["provider"] for line in follower.seen} == {whole[0]["provider"]}


@pytest.mark.parametrize("sample", FIRST_SAMPLES, ids=lambda path: path.parent.name)
def test_a_log_is_followed_from_its_birth(
    agentview: CommandLine, tmp_path: Path, sample: Path
) -> None:
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


@pytest.mark.parametrize("way", ["replaced", "truncated"])
@pytest.mark.parametrize("log", beginnings(), ids=str)
def test_a_log_that_is_written_again_is_read_again(
    agentview: CommandLine, log: Beginning, way: str
) -> None:
    path, data = log.path(agentview.home), log.data
    half = data.index(b"\n", len(data) // 2) + 1
    path.write_bytes(data)
    with Follower(agentview, str(path)) as follower:
        follower.take(len(printed(agentview, path)))
        if way == "replaced":
            other = path.with_suffix(".new")
            other.write_bytes(data[:half])
            other.rename(path)
        else:
            with path.open("r+b") as file:
                file.truncate(half)
        take_until_whole(follower, agentview, path)
        assert "reset" in {line["type"] for line in follower.seen}


@pytest.mark.parametrize("log", MOVABLE, ids=str)
def test_a_log_that_was_moved_is_found_again(agentview: CommandLine, log: Beginning) -> None:
    path, data = log.path(agentview.home), log.data
    half = data.index(b"\n", len(data) // 2) + 1
    path.write_bytes(data[:half])
    place = log.another_place(agentview.home)
    total = len(printed(agentview, path))
    with Follower(agentview, str(path)) as follower:
        follower.take(total)
        path.rename(place / path.name)
        assert str(place / path.name) in follower.told()
        with (place / path.name).open("ab") as file:
            file.write(data[half:])
        wanted = {line["id"] for line in printed(agentview, place / path.name)}
        while not wanted <= {line["id"] for line in follower.seen}:
            follower.take(1)
        assert "reset" not in {line["type"] for line in follower.seen}


@pytest.mark.parametrize("log", MOVABLE[:2], ids=str)
def test_the_screen_finds_a_log_that_was_moved(agentview: CommandLine, log: Beginning) -> None:
    path, data = log.path(agentview.home), log.data
    half = data.index(b"\n", len(data) // 2) + 1
    path.write_bytes(data[:half])
    place = log.another_place(agentview.home)
    command, env = agentview.command("tail", str(path)), agentview.environment
    with PseudoTerminal(command, env, agentview.cwd, columns=200, rows=40) as screen:
        screen.wait_for(lambda text: log.label in text and "untitled" not in text)
        path.rename(place / path.name)
        screen.wait_for("the log was moved")
        screen.press("q")
        assert screen.wait() == 0
