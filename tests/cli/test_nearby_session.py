"""A file that a client keeps next to its logs: the error says where the session is."""

from pathlib import Path

from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine

_ID = "5755424c-1dd3-485a-8ab3-106dad8b104b"


def _claude(home: Path) -> Path:
    folder = home / ".claude" / "projects" / "-home-dev-shop"
    folder.mkdir(parents=True)
    log = folder / f"{_ID}.jsonl"
    log.write_bytes((sample_sessions_dir() / "claude_code" / "demo.jsonl").read_bytes())
    (folder / "00000000-1dd3-485a-8ab3-106dad8b104b.jsonl").write_bytes(log.read_bytes())
    return log


def test_an_output_that_lies_below_the_folder_of_a_session(agentview: CommandLine):
    log = _claude(agentview.cwd)
    for place in (log.with_suffix("") / "tool-results", agentview.cwd / ".claude" / "tasks" / _ID):
        place.mkdir(parents=True)
        (place / "1.txt").write_text("what a command wrote\n")
        error = agentview.fails(1, "cat", str(place / "1.txt"))
        assert "is not a session log of a known format." in error
        assert f"A session of Claude Code is next to it: {log}" in error


def test_a_folder_of_several_sessions_is_named(agentview: CommandLine):
    log = _claude(agentview.cwd)
    (log.parent / "index.json").write_text("{}")
    error = agentview.fails(1, "cat", str(log.parent / "index.json"))
    assert f"Sessions of Claude Code are next to it, in {log.parent}" in error


def test_a_part_of_a_session_that_is_a_directory(agentview: CommandLine):
    session = agentview.cwd / "conversations" / "401d2f2321ff48cba97d89524e0f7158"
    (session / "events").mkdir(parents=True)
    (session / "base_state.json").write_text("{}")
    log = sample_sessions_dir() / "openhands" / "demo.jsonl"
    for number, line in enumerate(log.read_text().splitlines()):
        (session / "events" / f"event-{number:05}-{number}.json").write_text(line)
    error = agentview.fails(1, "cat", str(session / "base_state.json"))
    assert f"A session of OpenHands is next to it: {session}" in error


def test_a_repository_around_a_file_is_not_searched(agentview: CommandLine):
    log = _claude(agentview.cwd)
    (log.parent / ".git").mkdir()
    (log.parent / "notes.txt").write_text("x")
    assert "--provider" in agentview.fails(1, "cat", str(log.parent / "notes.txt"))
