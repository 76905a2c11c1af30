"""`agentview ls --deleted`: sessions without a log of which the client has kept the prompts."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import FIRST, CommandLine, Printed, Refused

GONE = "77777777-aaaa-4aaa-8aaa-000000000007"
OLDER = "88888888-bbbb-4bbb-8bbb-000000000008"
MOMENT = 1_795_000_000_000


def prompt(session: Any, text: Any, at: Any, project: Any = "/home/dev/shop") -> bytes:
    fields: dict[str, Any] = {
        "display": text,
        "pastedContents": {},
        "timestamp": at,
        "project": project,
        "sessionId": session,
    }
    return json.dumps(fields).encode() + b"\n"


@pytest.fixture
def history(agentview: CommandLine, projects: Path) -> Path:
    """Prompts of two sessions that are gone, and of one that is there."""
    assert projects.is_dir()
    path = agentview.home / ".claude" / "history.jsonl"
    path.write_bytes(
        prompt(OLDER, "Begin", MOMENT - 9_000_000_000, "/home/dev/blog")
        + prompt(FIRST, "Still there", MOMENT)
        + prompt(GONE, "Cap the\nbackoff", MOMENT)
        + prompt(GONE, "/clear", MOMENT + 60_000)
    )
    return path


def deleted(printed: Printed, *options: str) -> list[dict[str, Any]]:
    return json.loads(printed("ls", "--deleted", "--json", *options))


def test_prompts_of_gone_sessions_are_listed(
    agentview: CommandLine, printed: Printed, history: Path
):
    before = history.read_bytes()
    gone, older = deleted(printed)
    assert (gone["id"], gone["project"]) == (GONE, "/home/dev/shop")
    assert [each["text"] for each in gone["prompts"]] == ["Cap the\nbackoff", "/clear"]
    assert gone["last_activity"] == gone["prompts"][1]["time"] == "2026-11-18T11:07:40.000Z"
    assert older["id"] == OLDER
    lines = agentview.ok("ls", "--deleted").splitlines()
    assert lines[1].startswith("deleted, 2 prompts kept  77777777  claude_code  Cap the backoff")
    assert lines[2].startswith("deleted, 1 prompt kept   88888888  claude_code  Begin")
    narrow = agentview.ok("ls", "--deleted", COLUMNS="60").splitlines()
    assert max(map(len, narrow)) <= 60
    assert history.read_bytes() == before


def test_project_and_period_select(printed: Printed, history: Path):
    assert history.exists()
    assert [each["id"] for each in deleted(printed, "--project", "blog")] == [OLDER]
    assert [each["id"] for each in deleted(printed, "--after", "2026-11-01")] == [GONE]


def test_other_lines_are_passed_over(printed: Printed, history: Path):
    with history.open("ab") as file:
        file.write(
            b"\xff\x00{{\n[]\n"
            + prompt(None, "x", 1)
            + prompt(GONE, 7, 1)
            + prompt(GONE, "no time", "soon")
            + prompt(GONE, "far \x1b[31m", 1e300)
            + b'{"torn": '
        )
    gone = deleted(printed)[0]
    assert len(gone["prompts"]) == 4
    assert [each["time"] for each in gone["prompts"][2:]] == [None, None]
    assert "\x1b" not in printed("ls", "--deleted")


def test_without_a_history_there_are_none(agentview: CommandLine, projects: Path):
    assert projects.is_dir()
    done = agentview("ls", "--deleted")
    assert (done.returncode, done.stdout) == (0, "")
    assert "No prompts are kept" in done.stderr
    (agentview.home / ".claude" / "history.jsonl").mkdir()
    assert json.loads(agentview.ok("ls", "--deleted", "--json")) == []


def test_marks_are_of_sessions_that_are_there(refused: Refused, history: Path):
    assert history.exists()
    assert "Leave out --starred." in refused(2, "ls", "--deleted", "--starred")
