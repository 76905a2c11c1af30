"""`agentview blame`: lines of a file with the sessions that wrote them."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.claude_log import ClaudeLog
from tests.cli.conftest import CommandLine
from tests.facts.edits.clients import ROOT, Claude

FIRST = "11111111-aaaa-4aaa-8aaa-000000000001"
SECOND = "22222222-bbbb-4bbb-8bbb-000000000002"
THIRD = "33333333-cccc-4ccc-8ccc-000000000003"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "shop"
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    return project


Keep = Callable[..., Path]


@pytest.fixture
def keep(agentview: CommandLine, project: Path) -> Keep:
    """Writes the log of a session into the home, as of the directory of the project."""

    def kept(client: Claude, session: str, day: int, root: Path = project) -> Path:
        client.flush()
        data = b"".join(client.records)
        data = data.replace(ROOT.encode(), str(root).encode()).replace(
            b"2026-11-21T", b"2026-11-%02dT" % day
        )
        path = agentview.home / ".claude" / "projects" / "-shop" / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    return kept


def client(tree: dict[str, bytes], session: str, prompt: str) -> Claude:
    made = Claude(tree)
    made.log = ClaudeLog(session)
    made.records[:] = [made.log.prompt(prompt)]
    return made


@pytest.fixture
def two_sessions(keep: Keep, project: Path) -> Path:
    """A file that one session wrote and another one changed, and then a person did."""
    one = client({}, FIRST, "Write the app")
    one.write("app.py", "import os\n\ndef main():\n    pass\n")
    keep(one, FIRST, 20)
    two = client(one.left(), SECOND, "Print something")
    two.read("app.py")
    two.edit("app.py", "    pass\n", "    print('hi')\n    return 0\n")
    keep(two, SECOND, 21)
    path = project / "app.py"
    path.write_text(two.tree["app.py"].replace("import os\n", "import sys\n"))
    return path


def blamed(agentview: CommandLine, target: str) -> list[dict[str, Any]]:
    return json.loads(agentview.ok("blame", "--json", target))["lines"]


@pytest.mark.slow
def test_lines_are_blamed_over_sessions(agentview: CommandLine, two_sessions: Path):
    found = blamed(agentview, str(two_sessions))
    assert [line["session"] for line in found] == [None, FIRST, FIRST, SECOND, SECOND]
    assert [line.get("prompt") for line in found[1:4:2]] == ["Write the app", "Print something"]
    assert found[3]["turn"] == 1
    assert found[3]["tool"] == "Edit"
    assert found[3]["time"].startswith("2026-11-21T10:00:")
    assert all(line.get("exact", True) for line in found)
    assert [line["line"] for line in found] == [1, 2, 3, 4, 5]


def test_a_log_that_the_index_knows_to_leave_the_file_alone_is_not_opened(
    agentview: CommandLine, keep: Keep, two_sessions: Path
):
    """Its bytes are replaced by such as write the file, and nothing else says so."""
    wrote, other = (client({}, THIRD, "Write it again") for _ in range(2))
    wrote.write("app.py", two_sessions.read_text())
    other.write("xyz.py", two_sessions.read_text())
    path = keep(wrote, THIRD, 22)
    content = path.read_bytes()
    assert {line["session"] for line in blamed(agentview, str(two_sessions))} == {THIRD}
    keep(other, THIRD, 22)
    assert path.stat().st_size == len(content)
    for log in path.parent.iterdir():
        os.utime(log, (1.79e9, 1.79e9))
    before = blamed(agentview, str(two_sessions))
    assert {line["session"] for line in before} == {None, FIRST, SECOND}
    agentview("search", "--index", "nothing")
    assert blamed(agentview, str(two_sessions)) == before
    path.write_bytes(content)
    os.utime(path, (1.79e9, 1.79e9))
    assert blamed(agentview, str(two_sessions)) == before
    os.utime(path, (1.791e9, 1.791e9))
    assert {line["session"] for line in blamed(agentview, str(two_sessions))} == {THIRD}


def test_the_table_shows_a_writer_once(agentview: CommandLine, two_sessions: Path):
    lines = agentview.ok("blame", str(two_sessions)).splitlines()
    assert lines[0].split() == ["–", "1", "│", "import", "sys"]
    assert lines[1].startswith("11111111 turn 1 Write the app")
    assert "2026-11-20" in lines[1]
    assert lines[2].strip() == "3 │ def main():"
    assert lines[3].startswith("22222222 turn 1 Print something")
    assert lines[4].strip() == "5 │     return 0"


@pytest.mark.slow
def test_some_lines_only(agentview: CommandLine, two_sessions: Path):
    assert [line["line"] for line in blamed(agentview, f"{two_sessions}:3-4")] == [3, 4]
    assert [line["line"] for line in blamed(agentview, f"{two_sessions}:5")] == [5]
    error = agentview.fails(2, "blame", f"{two_sessions}:9")
    assert "app.py has 5 lines." in error


def test_the_form_for_tools_is_that_of_git(agentview: CommandLine, two_sessions: Path):
    text = agentview.ok("blame", "--porcelain", f"{two_sessions}:1-4")
    heads = [
        line.split()
        for line in text.splitlines()
        if line[:1] in "0123456789abcdef" and len(line.split()[0]) == 40
    ]
    assert [head[1] for head in heads] == ["1", "2", "3", "4"]
    assert heads[0][0] == "0" * 40
    assert heads[1][0] == heads[2][0] != heads[3][0]
    assert "\tdef main():" in text
    assert "summary Print something" in text


def test_a_file_is_followed_through_its_names(agentview: CommandLine, keep: Keep, project: Path):
    one = client({}, FIRST, "Write it")
    one.write("old.py", "first\nsecond\n")
    one.command("mv old.py new.py")
    keep(one, FIRST, 20)
    (project / "new.py").write_text("first\nsecond\n")
    assert [line["session"] for line in blamed(agentview, str(project / "new.py"))] == [FIRST] * 2


def test_a_file_is_followed_through_the_names_that_other_sessions_gave_it(
    agentview: CommandLine, keep: Keep, project: Path
):
    one = client({}, FIRST, "Write it")
    one.write("old/first.py", "first\nsecond\n")
    keep(one, FIRST, 20)
    two = client({}, SECOND, "Tidy up")
    two.command("mv old/first.py old/second.py")
    two.command("git mv old new")
    keep(two, SECOND, 21)
    three = client({}, THIRD, "Something else with the old name")
    three.write("old/first.py", "second\n")
    keep(three, THIRD, 22)
    (project / "new").mkdir()
    (project / "new" / "second.py").write_text("first\nsecond\n")
    found = blamed(agentview, str(project / "new" / "second.py"))
    assert [(line["session"], line["exact"]) for line in found] == [(FIRST, False)] * 2
    (project / "old").mkdir()
    (project / "old" / "first.py").write_text("second\n")
    found = blamed(agentview, str(project / "old" / "first.py"))
    assert [(line["session"], line["exact"]) for line in found] == [(THIRD, True)]


def test_a_copy_of_a_session_has_written_nothing(agentview: CommandLine, keep: Keep, project: Path):
    one = client({}, FIRST, "Write it")
    one.write("a.py", "first\n")
    path = keep(one, FIRST, 20)
    copy = path.with_name(f"{SECOND}.jsonl")
    one.log = ClaudeLog(SECOND)
    later = one.log.prompt("Go on").replace(b"2026-11-21T", b"2026-11-23T")
    copy.write_bytes(path.read_bytes().replace(FIRST.encode(), SECOND.encode()) + later)
    (project / "a.py").write_text("first\n")
    assert [line["session"] for line in blamed(agentview, str(project / "a.py"))] == [FIRST]


@pytest.mark.parametrize("name", ['quo"te\\.py', "größe 😀.py"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_name_is_found_however_the_log_writes_it(
    agentview: CommandLine, keep: Keep, project: Path, name: str, ascii_only: bool
):
    one = client({}, FIRST, "Write it")
    one.write(name, "first\n")
    one.flush()
    one.records[:] = [
        json.dumps(json.loads(record), ensure_ascii=ascii_only).encode() + b"\n"
        for record in one.records
    ]
    keep(one, FIRST, 20)
    (project / name).write_text("first\n")
    assert [line["session"] for line in blamed(agentview, str(project / name))] == [FIRST]


@pytest.mark.slow
def test_work_in_a_worktree_counts(
    agentview: CommandLine, keep: Keep, project: Path, tmp_path: Path
):
    for command in (
        ("config", "user.email", "a@example.com"),
        ("config", "user.name", "A"),
        ("commit", "-q", "--allow-empty", "-m", "x"),
        ("worktree", "add", "-q", str(tmp_path / "tree")),
    ):
        subprocess.run(["git", *command], cwd=project, check=True)
    one = client({}, FIRST, "Write it")
    one.write("src.py", "first\n")
    keep(one, FIRST, 20, tmp_path / "tree")
    for root in (project, tmp_path / "tree"):
        (root / "src.py").write_text("first\nother\n")
        found = blamed(agentview, str(root / "src.py"))
        assert [line["session"] for line in found] == [FIRST, None]


@pytest.mark.slow
def test_secrets_are_masked_when_asked(agentview: CommandLine, keep: Keep, project: Path):
    secret = "sk-ant-" + "api03-" + "aB3dE5gH7jK9" * 8 + "-AAAAAA"
    text = f"key = '{secret}'\nplain\n"
    one = client({}, FIRST, "Write it")
    one.write("s.py", text)
    keep(one, FIRST, 20)
    (project / "s.py").write_text(text)
    assert secret in agentview.ok("blame", str(project / "s.py"))
    for form in ((), ("--json",), ("--porcelain",)):
        shown = agentview.ok("blame", "--mask", *form, str(project / "s.py"))
        assert secret not in shown
        assert "plain" in shown


@pytest.mark.slow
def test_what_is_not_a_file_is_refused(agentview: CommandLine, tmp_path: Path):
    assert "There is no file nothing.py." in agentview.fails(1, "blame", "nothing.py")
    assert "There is no file" in agentview.fails(1, "blame", str(tmp_path))


def test_a_session_that_cannot_be_read_is_named_and_the_others_count(
    agentview: CommandLine, two_sessions: Path
):
    if os.geteuid() == 0:
        broken = agentview.home / ".claude" / "projects" / "-shop" / f"{FIRST}.jsonl"
        data = broken.read_bytes()
        broken.write_bytes(data[:-40] + b"\x00\xff{{{\n")
    found = blamed(agentview, str(two_sessions))
    assert found[-1]["session"] == SECOND


@pytest.mark.slow
def test_escapes_in_a_file_reach_no_terminal(agentview: CommandLine, keep: Keep, project: Path):
    text = "a\x1b[31mb\x1b]0;title\x07\n"
    one = client({}, FIRST, "\x1b[2JWrite it")
    one.write("e.py", text)
    keep(one, FIRST, 20)
    (project / "e.py").write_text(text)
    shown = agentview.ok("blame", str(project / "e.py"))
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\x1b" not in agentview.ok("blame", "--porcelain", str(project / "e.py"))
