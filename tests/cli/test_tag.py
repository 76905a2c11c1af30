"""`agentview tag`: tags of sessions, and sessions that lists leave out."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine, Printed, Refused


@pytest.fixture(autouse=True)
def state(agentview: CommandLine, tmp_path: Path) -> Path:
    agentview.env["AGENTVIEW_STATE_DIR"] = str(tmp_path / "state")
    return tmp_path / "state"


def listed(printed: Printed, *options: str) -> list[str]:
    rows: list[dict[str, Any]] = json.loads(printed("ls", "--json", *options))
    return sorted(row["id"] for row in rows)


def test_tags_are_added_removed_and_listed(agentview: CommandLine, projects: Path):
    before = {path: path.read_bytes() for path in projects.rglob("*.jsonl")}
    assert agentview.ok("tag", THIRD, "#Retry", "web/api", "retry") == "retry\nweb/api\n"
    assert agentview.ok("tag", SECOND, "retry") == "retry\n"
    assert agentview.ok("tag", THIRD) == "retry\nweb/api\n"
    assert agentview.ok("tag") == "retry  2 sessions\nweb/api  1 session\n"
    assert agentview.ok("tag", THIRD, "--remove", "retry") == "web/api\n"
    assert json.loads(agentview.ok("tag", "--json")) == {
        "tags": {"retry": 1, "web/api": 1},
        "hidden": 0,
    }
    assert {path: path.read_bytes() for path in projects.rglob("*.jsonl")} == before


def test_ls_finds_sessions_by_tags(printed: Printed, projects: Path):
    assert projects.is_dir()
    printed("tag", THIRD, "one", "two")
    printed("tag", SECOND, "one")
    assert listed(printed, "--tag", "one") == [SECOND, THIRD]
    assert listed(printed, "--tag", "one", "--tag", "TWO") == [THIRD]
    (row,) = json.loads(printed("ls", "--json", "--tag", "two"))
    assert (row["tags"], row["hidden"]) == (["one", "two"], False)


def test_a_hidden_session_is_left_out_of_lists_but_not_of_usage(printed: Printed, projects: Path):
    before = printed("stats", "--json")
    assert printed("tag", FIRST, "--hide") == "hidden from lists\n"
    assert listed(printed) == [SECOND, THIRD]
    assert listed(printed, "--hidden") == [FIRST]
    assert printed("tag") == "1 session hidden from lists\n"
    assert printed("stats", "--json") == before
    assert "Step 0" in printed("cat", FIRST), "who names it sees it"
    assert printed("tag", FIRST, "--show") == ""
    assert listed(printed) == [FIRST, SECOND, THIRD]
    assert (projects / "-home-dev-shop" / f"{FIRST}.jsonl").exists()


def test_lists_of_nothing_say_why(agentview: CommandLine, projects: Path):
    assert projects.is_dir()
    for options, words in (
        (("--tag", "none"), "No session has these tags"),
        (("--hidden",), "No session is hidden."),
    ):
        done = agentview("ls", *options)
        assert (done.returncode, done.stdout) == (0, "")
        assert words in done.stderr
    for session in (FIRST, SECOND, THIRD):
        agentview.ok("tag", session, "--hide")
    assert "All sessions are hidden" in agentview("ls").stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((THIRD, "two words"), 2, "is not a tag"),
        ((THIRD, "\x1b[31m"), 2, "is not a tag"),
        ((THIRD, "x" * 41), 2, "is not a tag"),
        ((THIRD, "--remove", "-"), 2, "is not a tag"),
        (("nosuchsession",), 1, "nosuchsession"),
        (("--hide",), 2, "TARGET is missing"),
        (("-", "x"), 2, "Name a session"),
        ((THIRD, "--hide", "--show"), 2, "not allowed"),
    ],
)
def test_a_wrong_command_line_is_a_sentence(
    refused: Refused, projects: Path, arguments: tuple[str, ...], code: int, words: str
):
    assert projects.is_dir()
    assert words in refused(code, "tag", *arguments)


def test_a_damaged_entry_is_passed_over(agentview: CommandLine, projects: Path, state: Path):
    assert projects.is_dir()
    agentview.ok("tag", THIRD, "good")
    (path,) = (state / "sessions").glob("*.json")
    fields = json.loads(path.read_text())
    path.write_text(json.dumps({**fields, "tags": ["good", 7, "a b", None, "\x1b"], "hidden": "x"}))
    assert agentview.ok("tag", THIRD) == "good\n"
    path.write_text(json.dumps({**fields, "tags": {"a": 1}}))
    assert agentview.ok("tag", THIRD) == ""
