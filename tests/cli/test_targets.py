"""Which session a TARGET means, and what is said when it means none or several."""

import ctypes
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentview.sessions.targets.log_file import Choice
from agentview.sessions.targets.target import resolve
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine, Refused

_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE = 1
_CAP_DAC_READ_SEARCH = 2


def session_of(output: str) -> str:
    sessions = {json.loads(line)["session"] for line in output.splitlines()}
    assert len(sessions) == 1
    return sessions.pop()


def chosen(agentview: CommandLine, *arguments: str) -> str:
    return session_of(agentview.ok("events", *arguments))


@pytest.mark.slow
def test_a_whole_id_and_a_unique_prefix_mean_the_session(agentview: CommandLine, projects: Path):
    assert chosen(agentview, FIRST) == FIRST
    assert chosen(agentview, "11112") == SECOND
    assert chosen(agentview, "claude_code:3") == THIRD
    assert chosen(agentview, "3", "--provider", "claude_code") == THIRD


def test_a_prefix_of_two_sessions_lists_both(refused: Refused, projects: Path):
    error = refused(1, "cat", "1111")
    assert "2 sessions match 1111." in error
    _, *choices, hint = error.splitlines()
    ids = [line.split()[0] for line in choices]
    assert len(ids) == 2
    assert "one of these ids" in hint
    assert {resolve(each, Choice()).session_id for each in ids} == {FIRST, SECOND}


def test_of_many_sessions_a_few_are_listed(refused: Refused, projects: Path):
    for number in range(30):
        write(
            projects / "-many" / f"77{number:034}.jsonl",
            [ClaudeLog(f"77{number:034}").prompt("x" * 99)],
        )
    error = refused(1, "cat", "77")
    assert "30 sessions match 77." in error
    assert "… and 18 more" in error
    assert "--project" in error
    assert max(map(len, error.splitlines())) < 120


@pytest.mark.slow
def test_a_project_narrows_the_choice(agentview: CommandLine, projects: Path):
    assert chosen(agentview, "3", "--project", "blog") == THIRD
    assert chosen(agentview, "3", "--project", "/home/dev/blog") == THIRD
    assert "No session id begins with 3" in agentview.fails(1, "cat", "3", "--project", "shop")


def test_a_wrong_prefix_says_what_to_do(refused: Refused, projects: Path):
    error = refused(1, "cat", "9999")
    assert "No session id begins with 9999" in error
    assert "agentview ls" in error


def test_an_empty_prefix_is_no_target(refused: Refused, projects: Path):
    assert "empty" in refused(2, "cat", "")
    assert "empty" in refused(2, "cat", "claude_code:")


def test_two_providers_at_once_contradict_each_other(refused: Refused, projects: Path):
    assert "Unknown provider" in refused(2, "cat", "claude_code:1", "--provider", "other")


@pytest.mark.slow
def test_a_file_and_a_link_to_it_mean_the_session_in_it(agentview: CommandLine, projects: Path):
    path = next(projects.rglob(f"{FIRST}.jsonl"))
    moved = agentview.cwd / "notes.txt"
    shutil.copy(path, moved)
    (agentview.cwd / "link").symlink_to(moved)
    assert chosen(agentview, str(path)) == FIRST
    assert chosen(agentview, "notes.txt") == FIRST
    assert chosen(agentview, "link") == FIRST
    assert chosen(agentview, "~/" + str(path.relative_to(agentview.home))) == FIRST


def test_a_directory_means_the_one_session_in_it(agentview: CommandLine, projects: Path):
    assert chosen(agentview, str(projects / "-home-dev-blog")) == THIRD


def test_a_directory_of_several_sessions_lists_them(refused: Refused, projects: Path):
    error = refused(1, "cat", str(projects / "-home-dev-shop"))
    assert "2 sessions are in" in error
    assert FIRST in error


@pytest.mark.slow
def test_the_folder_of_a_session_means_the_session(agentview: CommandLine, projects: Path):
    folder = projects / "-home-dev-blog" / THIRD
    agent = conversation(ClaudeLog(THIRD, agent="a1"), 1)
    write(folder / "subagents" / "agent-a1.jsonl", agent)
    output = agentview.ok("events", "--no-subagents", str(folder))
    assert session_of(output) == THIRD
    streams = {json.loads(line)["stream"]["kind"] for line in output.splitlines()}
    assert streams == {"main"}


@pytest.mark.slow
def test_a_directory_that_sessions_ran_in_means_the_one(agentview: CommandLine, tmp_path: Path):
    work = tmp_path / "work"
    work.mkdir()
    records = conversation(ClaudeLog(FIRST), 1)
    write(
        agentview.home / ".claude" / "projects" / "-work" / f"{FIRST}.jsonl",
        [record.replace(b"/home/dev/shop", str(work).encode()) for record in records],
    )
    assert chosen(agentview, str(work)) == FIRST


def test_a_directory_without_sessions_says_so(
    agentview: CommandLine, refused: Refused, projects: Path
):
    error = refused(1, "cat", str(agentview.cwd))
    assert "No session log found in" in error


def test_a_missing_file_says_so(refused: Refused):
    error = refused(1, "cat", "nowhere/session.jsonl")
    assert "No such file: nowhere/session.jsonl." in error
    assert "--wait" in error


def test_an_empty_file_says_so(agentview: CommandLine, refused: Refused):
    (agentview.cwd / "empty.jsonl").touch()
    assert "empty.jsonl is empty." in refused(1, "cat", "empty.jsonl")
    (agentview.cwd / "blank.jsonl").write_bytes(b"\n \r\n\n")
    assert "blank.jsonl is empty." in refused(1, "cat", "blank.jsonl")


def test_a_binary_file_says_so(agentview: CommandLine, refused: Refused):
    (agentview.cwd / "program").write_bytes(b"\x7fELF\x02\x01\x00\x00" + bytes(range(256)) * 50)
    assert "program is a binary file." in refused(1, "cat", "program")


def test_a_file_of_another_format_says_so_and_where_formats_are_listed(
    agentview: CommandLine, refused: Refused
):
    (agentview.cwd / "notes.md").write_text("# Notes\n\nNothing here.\n")
    error = refused(1, "cat", "notes.md")
    assert "notes.md is not a session log of a known format." in error
    assert "--provider" in error
    assert "'agentview providers' lists the names" in error


def test_json_lines_of_something_else_are_not_taken_for_a_session(
    agentview: CommandLine, refused: Refused
):
    (agentview.cwd / "data.jsonl").write_text('{"id": 1, "name": "x"}\n{"id": 2}\n')
    assert "known format" in refused(1, "events", "data.jsonl")


def test_a_file_can_be_read_as_what_one_says_it_is(agentview: CommandLine):
    (agentview.cwd / "data.jsonl").write_text('{"id": 1}\nnot json\n')
    output = agentview.ok("events", "data.jsonl", "--provider", "claude_code")
    assert [json.loads(line)["type"] for line in output.splitlines()] == ["unparsed", "unparsed"]


def test_a_named_pipe_is_not_waited_for(agentview: CommandLine, refused: Refused):
    os.mkfifo(agentview.cwd / "pipe")
    assert "not a regular file" in refused(1, "cat", "pipe")


def test_a_dangling_link_says_so(agentview: CommandLine, refused: Refused):
    (agentview.cwd / "link.jsonl").symlink_to("nothing.jsonl")
    assert "No such file: link.jsonl." in refused(1, "cat", "link.jsonl")


def test_an_unreadable_file_says_so(agentview: CommandLine, projects: Path):
    path = next(projects.rglob(f"{FIRST}.jsonl"))
    path.chmod(0)
    done = subprocess.run(
        agentview.command("cat", str(path)),
        capture_output=True,
        text=True,
        check=False,
        cwd=agentview.cwd,
        env=agentview.environment,
        preexec_fn=without_privileges if os.geteuid() == 0 else None,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"agentview: Cannot read {path}: Permission denied.")


def without_privileges() -> None:
    """Let file permissions hold for the superuser too."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
        assert libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) == 0


def test_a_hostile_file_name_is_printed_as_escapes(refused: Refused):
    error = refused(1, "cat", "evil\x1b]0;owned\x07\x1b[2J.jsonl")
    assert "\x1b" not in error
    assert "\x07" not in error
    assert "\\x1b" in error


@pytest.mark.slow
def test_a_session_on_standard_input_is_read(agentview: CommandLine, projects: Path):
    data = next(projects.rglob(f"{FIRST}.jsonl")).read_bytes()
    output = agentview.ok("events", "-", stdin=data)
    assert session_of(output) == FIRST
    records = [record for line in output.splitlines() for record in json.loads(line)["records"]]
    assert {record["file"] for record in records} == {"-"}
    assert "Step 0" in agentview.ok("cat", "-", "--detail", "title", stdin=data)


@pytest.mark.slow
def test_closed_and_foreign_standard_input_say_so(agentview: CommandLine):
    for command in ("events", "cat"):
        assert "Standard input is empty." in agentview.fails(1, command, "-", stdin=b"")
        error = agentview.fails(1, command, "-", stdin=b"hello\nworld\n")
        assert "Standard input is not a session log of a known format." in error


@pytest.mark.slow
def test_live_lists_nothing_when_all_is_past(agentview: CommandLine, projects: Path):
    for path in projects.rglob("*.jsonl"):
        os.utime(path, (1_600_000_000, 1_600_000_000))
        path.write_bytes(path.read_bytes().replace(b"2026-11-21", b"2020-11-21"))
    assert "No session is live now." in agentview.fails(1, "events", "@live")
    assert "No session is live" in agentview.fails(1, "events", "--follow", "@live")
