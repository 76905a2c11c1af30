"""`agentview blame --commit`: the sessions that wrote the lines of a commit."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, Refused
from tests.cli.test_blame import FIRST, SECOND, Keep, client
from tests.cli.test_blame import keep as keep  # noqa: PLC0414
from tests.cli.test_blame import project as project  # noqa: PLC0414


def git(project: Path, *arguments: str) -> None:
    who = ("-c", "user.email=a@example.com", "-c", "user.name=A")
    subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True)


def written(project: Path, tree: dict[str, str]) -> None:
    for name, text in tree.items():
        (project / name).write_text(text)


@pytest.fixture
def committed(agentview: CommandLine, keep: Keep, project: Path) -> Path:
    """A commit of the work of two sessions and of a person, after one of a person alone."""
    written(project, {"app.py": "by hand\n", "other.py": "x\n"})
    git(project, "add", "-A")
    git(project, "commit", "-qm", "Begin")
    one = client({"app.py": b"by hand\n"}, FIRST, "Write the app")
    one.edit("app.py", "by hand\n", "by hand\nfirst\n")
    one.write("new file.py", "a\nb\n")
    keep(one, FIRST, 20)
    two = client(one.left(), SECOND, "Add more")
    two.edit("app.py", "first\n", "first\nsecond\n")
    keep(two, SECOND, 21)
    written(project, two.tree)
    with (project / "new file.py").open("a") as file:
        file.write("person\n")
    git(project, "mv", "other.py", "renamed.py")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "Do it")
    agentview.cwd = project
    return project


def test_each_line_has_its_session(agentview: CommandLine, committed: Path):
    found = json.loads(agentview.ok("blame", "--commit", "HEAD", "--json"))
    assert found["subject"] == "Do it"
    assert {
        each["file"]: [(line["line"], line["session"]) for line in each["lines"]]
        for each in found["files"]
    } == {
        "app.py": [(2, FIRST), (3, SECOND)],
        "new file.py": [(1, FIRST), (2, FIRST), (3, None)],
    }, "a rename adds no lines"


def test_the_text_says_how_many_lines_each_session_wrote(agentview: CommandLine, committed: Path):
    lines = agentview.ok("blame", "--commit", "HEAD").splitlines()
    assert lines[0].startswith("commit ")
    assert lines[0].endswith(" Do it")
    assert lines[1].split()[:3] == ["3", "lines", "11111111"]
    assert lines[2].split()[:3] == ["1", "line", "22222222"]
    assert lines[3].split() == ["1", "line", "–"]
    assert "new file.py" in lines


def test_a_commit_before_the_sessions_has_none_of_them(agentview: CommandLine, committed: Path):
    found = json.loads(agentview.ok("blame", "--commit", "HEAD~1", "--json"))
    assert all(line["session"] is None for each in found["files"] for line in each["lines"])


def test_later_changes_do_not_count(
    agentview: CommandLine, committed: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-11-20T23:00:00Z")
    git(committed, "commit", "-q", "--amend", "--no-edit")
    found = json.loads(agentview.ok("blame", "--commit", "HEAD", "--json"))
    (app,) = (each for each in found["files"] if each["file"] == "app.py")
    assert [line["session"] for line in app["lines"]] == [FIRST, None]


def test_the_form_for_tools(agentview: CommandLine, committed: Path):
    text = agentview.ok("blame", "--commit", "HEAD", "--porcelain")
    assert text.count("filename app.py") == 2
    assert "summary Add more" in text


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--commit", "nothing"), 1, "no commit nothing"),
        (("--commit=-x",), 2, "not a revision"),
        (("--commit", "HEAD", "app.py"), 2, "Give a file, or --commit REV"),
        ((), 2, "Give a file, or --commit REV"),
    ],
)
def test_a_wrong_command_line_is_a_sentence(
    refused: Refused, committed: Path, arguments: tuple[str, ...], code: int, words: str
):
    assert words in refused(code, "blame", *arguments)


def test_outside_of_a_repository_is_a_sentence(agentview: CommandLine):
    assert "not a git repository" in agentview.fails(1, "blame", "--commit", "HEAD")


def test_of_what_git_says_the_reason_is_printed(refused: Refused, committed: Path):
    # The reason is the first of several lines.
    git(committed, "config", "core.repositoryFormatVersion", "1")
    git(committed, "config", "extensions.unheardOf", "true")
    said = refused(1, "blame", "--commit", "HEAD")
    assert "git says: fatal: unknown repository extension" in said
