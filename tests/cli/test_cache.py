"""`agentview cache`, and numbers that are the same with and without what it holds."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.facts.kept.indexed_log import LEAST
from tests.claude_log import ClaudeLog, conversation
from tests.cli.conftest import CommandLine

SESSION = "11111111-aaaa-4aaa-8aaa-000000000001"


def turns(begin: int, count: int) -> bytes:
    """Turns of one session, from a number on."""
    return b"".join(conversation(ClaudeLog(SESSION), begin + count, size=10_000)[4 * begin :])


@pytest.fixture
def long_log(agentview: CommandLine) -> Path:
    """A session that is long enough for its facts to be kept."""
    path = agentview.home / ".claude" / "projects" / "-home-dev-shop" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(turns(0, 80))
    assert path.stat().st_size > LEAST
    return path


def parts(agentview: CommandLine) -> dict[str, dict[str, Any]]:
    found = json.loads(agentview.ok("cache", "--json"))
    return {part["name"]: part for part in found["parts"]}


def numbers(agentview: CommandLine, path: Path) -> tuple[Any, Any, Any]:
    stats = json.loads(agentview.ok("stats", "--json", str(path)))
    by_tool = json.loads(agentview.ok("stats", "--json", "--by", "tool", str(path)))
    return stats["total"], stats["turns"], by_tool["groups"]


def test_an_empty_cache_is_shown(agentview: CommandLine):
    assert all(part["files"] == part["bytes"] == 0 for part in parts(agentview).values())
    lines = agentview.ok("cache").splitlines()
    assert lines[0] == "~/.cache/agentview"
    assert lines[-1].split() == ["total", "0", "0", "B"]
    assert agentview.ok("cache", "clear") == "Removed 0 files, 0 B.\n"


@pytest.mark.slow
def test_numbers_are_the_same_from_what_is_kept_and_as_the_log_grows(
    agentview: CommandLine, long_log: Path
):
    first = numbers(agentview, long_log)
    assert parts(agentview)["logs"]["files"] == 1
    assert numbers(agentview, long_log) == first
    before = parts(agentview)["logs"]["bytes"]
    with long_log.open("ab") as file:
        file.write(turns(80, 60))
    grown = numbers(agentview, long_log)
    assert (first[1], grown[1]) == (80, 140)
    assert grown[0]["tokens"] > first[0]["tokens"]
    assert parts(agentview)["logs"]["bytes"] > before
    agentview.ok("cache", "clear")
    assert numbers(agentview, long_log) == grown
    long_log.write_bytes(long_log.read_bytes()[:600_000])
    cut = numbers(agentview, long_log)
    agentview.ok("cache", "clear")
    assert numbers(agentview, long_log) == cut


@pytest.mark.slow
def test_clearing_removes_what_is_kept_and_nothing_else(agentview: CommandLine, long_log: Path):
    cache = agentview.home / ".cache" / "agentview"
    agentview.ok("ls")
    agentview.ok("status")
    agentview.ok("stats", "--json", str(long_log))
    own = cache / "notes.txt"
    own.write_text("not ours")
    found = parts(agentview)
    assert found["sessions"]["files"] == found["logs"]["files"] == found["prices"]["files"] == 1
    count = sum(part["files"] for part in found.values())
    assert agentview.ok("cache", "clear").startswith(f"Removed {count} files, ")
    assert [path for path in cache.rglob("*") if path.is_file()] == [own]
    assert agentview.ok("ls").count("claude_code") == 1


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_changes_no_number(agentview: CommandLine, long_log: Path):
    expected = numbers(agentview, long_log)
    agentview.ok("cache", "clear")
    agentview.env["AGENTVIEW_CACHE_DIR"] = "/dev/null/cache"
    assert numbers(agentview, long_log) == expected
    assert all(part["files"] == 0 for part in parts(agentview).values())
