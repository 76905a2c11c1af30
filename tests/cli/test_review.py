"""`agentview review`: the prompts, calls and test runs behind each hunk of a range."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine, Printed, Refused
from tests.cli.test_blame import FIRST, SECOND, Keep, client
from tests.cli.test_blame import keep as keep  # noqa: PLC0414
from tests.cli.test_blame import project as project  # noqa: PLC0414
from tests.cli.test_blame_recorded import RUNS, lay_out
from tests.facts.edits.clients import ROOT, Codex

PASSED = "....\n4 passed in 0.10s\n"
FAILED = "F...\nFAILED test_app.py::test_hi - assert 1\n1 failed, 3 passed in 0.10s\n"
BASE = "".join(f"line {number}\n" for number in range(1, 41))


def git(project: Path, *arguments: str, at: str = "2026-11-20T00:00:00Z") -> str:
    who = ("-c", "user.email=a@example.com", "-c", "user.name=A", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *who, *arguments],
        cwd=project,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at},
    )
    return done.stdout


def commit(project: Path, message: str, at: str = "2026-11-23T00:00:00Z") -> None:
    git(project, "add", "-A")
    git(project, "commit", "-qm", message, at=at)


def write(project: Path, tree: dict[str, str]) -> None:
    for name, text in tree.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)


@pytest.fixture
def branch(agentview: CommandLine, keep: Keep, project: Path) -> Path:
    """A branch with the work of two clients and of a person, after work on the main branch."""
    agentview.cwd = project
    git(project, "symbolic-ref", "HEAD", "refs/heads/main")
    write(project, {"app.py": BASE, "moved.py": BASE.replace("line", "word"), "gone.py": "gone\n"})
    (project / "logo.png").write_bytes(bytes(range(256)))
    commit(project, "Begin", "2026-11-19T00:00:00Z")
    git(project, "checkout", "-qb", "work")
    claude(keep)
    codex(agentview.home, project)
    write(project, {"app.py": edited(), "util.py": "def use():\n    return 2\n"})
    (project / "logo.png").write_bytes(bytes(range(255)))
    git(project, "mv", "moved.py", "there.py")
    git(project, "rm", "-q", "gone.py")
    commit(project, "Do it")
    git(project, "checkout", "-q", "main")
    write(project, {"main.py": "later on main\n"})
    commit(project, "Go on", "2026-11-24T00:00:00Z")
    git(project, "checkout", "-q", "work")
    return project


def claude(keep: Keep) -> None:
    made = client({"app.py": BASE.encode()}, FIRST, "Make line two loud")
    made.edit("app.py", "line 2\n", "LINE 2\n")
    made.command("pytest -q", FAILED)
    made.records.append(made.log.prompt("Drop line 30 and say why"))
    made.edit("app.py", "line 30\n", "")
    made.edit("app.py", "line 31\n", "# thirty was wrong\nline 31\n")
    made.command("pytest -q tests", PASSED)
    keep(made, FIRST, 20)


def edited() -> str:
    text = BASE.replace("line 2\n", "LINE 2\n").replace("line 30\n", "# thirty was wrong\n")
    return text.replace("line 15\n", "line 15, by hand\n")


def codex(home: Path, project: Path) -> None:
    made = Codex({})
    for kind, payload in (
        ("response_item", {"type": "message", "role": "user", "content": [TEXT]}),
        ("event_msg", {"type": "user_message", "message": TEXT["text"]}),
    ):
        made.add_record(kind, payload)
    made.add("util.py", "def use():\n    return 2\n")
    data = b"".join(made.records).replace(ROOT.encode(), str(project).encode())
    path = home / ".codex" / "sessions" / "2026" / "11" / "21"
    path.mkdir(parents=True)
    (path / "rollout-2026-11-21T10-00-00-01a1fb6e-0000-7ab3-a297-304538f3c5a9.jsonl").write_bytes(
        data
    )


TEXT = {"type": "input_text", "text": "Write a helper"}


def reviewed(agentview: CommandLine, *arguments: str) -> dict[str, Any]:
    return json.loads(agentview.ok("review", *arguments, "--format", "json"))


def prompts(found: dict[str, Any]) -> dict[str, list[list[str]]]:
    """The prompts of each hunk by file."""
    return {
        file["file"]: [[each["prompt"] for each in hunk["origins"]] for hunk in file["hunks"]]
        for file in found["files"]
    }


def test_each_hunk_has_its_prompt(agentview: CommandLine, branch: Path):
    found = reviewed(agentview, "main..HEAD")
    assert prompts(found) == {
        "app.py": [["Make line two loud"], [], ["Drop line 30 and say why"]],
        "gone.py": [[]],
        "logo.png": [],
        "there.py": [],
        "util.py": [["Write a helper"]],
    }, "the work on main since is not part of the range"
    app, gone, logo, there, util = found["files"]
    assert [hunk["lines_without_call"] for hunk in app["hunks"]] == [0, 2, 0]
    assert [hunk["lines_without_call"] for hunk in gone["hunks"]] == [1]
    assert (gone["status"], util["status"]) == ("D", "A")
    assert (logo["binary"], there["before"]) == (True, "moved.py")
    assert util["hunks"][0]["origins"][0]["calls"][0]["tool"] == "apply_patch"


def test_removed_lines_and_calls_have_their_turn(agentview: CommandLine, branch: Path):
    app = reviewed(agentview, "main..")["files"][0]
    (origin,) = app["hunks"][2]["origins"]
    assert (origin["session"], origin["turn"]) == (FIRST, 2)
    assert [(call["added"], call["removed"]) for call in origin["calls"]] == [(0, 1), (1, 0)]
    changed = [line for line in app["hunks"][2]["lines"] if line["sign"] != " "]
    assert [(line["sign"], line["old"], line["new"], line["origin"]) for line in changed] == [
        ("-", 30, None, 0),
        ("+", None, 30, 0),
    ]


def test_the_test_runs_after_a_call_are_those_of_its_session(agentview: CommandLine, branch: Path):
    app, *_, util = reviewed(agentview, "main...work")["files"]
    first, third = (app["hunks"][at]["origins"][0]["test_runs"] for at in (0, 2))
    assert (first["count"], first["failed"]) == (2, 1)
    assert first["first"]["failures"] == ["test_hi"]
    assert (third["count"], third["first"]["passed"]) == (1, 4)
    assert third["last"]["command"] == "pytest -q tests"
    assert util["hunks"][0]["origins"][0]["test_runs"]["count"] == 0


def test_the_text_fits_the_width(agentview: CommandLine, branch: Path):
    text = agentview.ok("review", "main..HEAD")
    assert text.splitlines()[0] == (
        "main..HEAD  1 commit, 5 files, 5 hunks; 6 of 9 changed lines by recorded calls"
    )
    assert "1 11111111 turn 1  Make line two loud" in text
    assert "    Edit, 2026-11-20 10:00, +1 −1" in text
    assert "2 test runs after it, 1 failed; the last: 2026-11-20 10:00, 4 passed" in text
    assert "1 -line 2\n1 +LINE 2\n" in text
    assert "– 2 lines by no recorded call" in text
    assert "– +line 15, by hand" in text
    assert "there.py  (renamed from moved.py)" in text
    assert "logo.png  (binary)" in text
    narrow = agentview.ok("review", "main..HEAD", COLUMNS="40")
    assert max(map(len, narrow.splitlines())) == 40


def test_one_commit_and_a_merge(agentview: CommandLine, branch: Path):
    assert reviewed(agentview, "HEAD")["files"] == reviewed(agentview, "main..HEAD")["files"]
    git(branch, "merge", "-q", "--no-ff", "-m", "Merge", "main", at="2026-11-25T00:00:00Z")
    merge = reviewed(agentview, "HEAD")
    assert [file["file"] for file in merge["files"]] == ["main.py"]
    assert "not one range of commits" in agentview.fails(2, "review", "HEAD^@")
    both = reviewed(agentview, "main..HEAD")
    assert both["commits"] == 2
    assert prompts(both)["util.py"] == [["Write a helper"]]
    root = reviewed(agentview, "main~1")
    assert (root["base"], root["lines_without_call"]) == (None, 81)


def test_work_after_the_range_does_not_count(agentview: CommandLine, branch: Path):
    git(branch, "commit", "-q", "--amend", "--no-edit", at="2026-11-20T12:00:00Z")
    assert prompts(reviewed(agentview, "main..HEAD"))["util.py"] == [[]]


def test_a_file_that_a_person_renamed_keeps_its_writer_with_a_doubt(
    agentview: CommandLine, keep: Keep, branch: Path
):
    made = client({"main.py": b"later on main\n"}, SECOND, "Say more")
    git(branch, "checkout", "-q", "main")
    made.edit("main.py", "later on main\n", "later on main\nmuch later\n")
    keep(made, SECOND, 26)
    write(branch, made.tree)
    git(branch, "mv", "main.py", "named.py")
    commit(branch, "Rename", "2026-11-27T00:00:00Z")
    (file,) = reviewed(agentview, "HEAD")["files"]
    assert (file["before"], file["status"]) == ("main.py", "R")
    (origin,) = file["hunks"][0]["origins"]
    assert (origin["prompt"], origin["exact"]) == ("Say more", False)
    assert "turn 1?" in agentview.ok("review", "HEAD")


@pytest.mark.parametrize("provider", RUNS)
def test_the_hunks_of_real_clients_have_the_prompts_of_the_script(
    agentview: CommandLine, printed: Printed, tmp_path: Path, provider: str
):
    root = tmp_path / "repo"
    files = lay_out(provider, agentview.home, root)
    agentview.cwd = root
    commit(root, "All", "2026-11-28T00:00:00Z")
    found = json.loads(printed("review", "HEAD", "--format", "json"))
    assert {file["file"] for file in found["files"]} >= set(files)
    for file in found["files"]:
        (hunk,) = file["hunks"]
        for line, (text, author) in zip(hunk["lines"], files[file["file"]], strict=True):
            origin = None if line["origin"] is None else hunk["origins"][line["origin"]]
            assert line["text"] == text
            assert (origin is None) == (author is None), text
            if origin is not None and author is not None:
                assert origin["prompt"].startswith(author.run.prompt)


def test_secrets_are_masked_unless_asked_for(agentview: CommandLine, keep: Keep, project: Path):
    agentview.cwd = project
    secret = "ghp_" + "a1B2c3D4e5" * 4
    made = client({}, FIRST, f"Use {secret} for it")
    made.write("app.py", f'KEY = "{secret}"\n')
    keep(made, FIRST, 20)
    write(project, made.tree)
    commit(project, "Add")
    for form in FORMS:
        assert secret not in agentview.ok("review", "HEAD", "--format", form), form
    assert secret in agentview.ok("review", "HEAD", "--no-mask")


FORMS = ("text", "json", "markdown", "html", "git-note", "agent-trace")


def test_nothing_in_a_log_or_a_file_acts_on_a_reader(
    agentview: CommandLine, keep: Keep, project: Path
):
    agentview.cwd = project
    evil = "<script>alert(1)</script>\x1b]0;x\x07 `@you` ![](http://x.example/) #12\n# -->"
    made = client({}, FIRST, evil)
    made.write("a <b>`.py", f"{evil}\n```\n</details>\n")
    keep(made, FIRST, 20)
    write(project, made.tree)
    commit(project, "Add")
    texts = {form: agentview.ok("review", "HEAD", "--format", form) for form in FORMS}
    assert not any("\x1b" in text for text in texts.values())
    assert "<script" not in texts["html"]
    assert "<b>" not in texts["html"]
    assert "default-src 'none'" in texts["html"]
    assert "````diff" in texts["markdown"], "no text ends its block"
    assert not re.search(r"(?<!\\)<script", texts["markdown"].split("````diff")[0])


def test_a_git_note_is_taken_by_git(agentview: CommandLine, branch: Path):
    note = agentview.ok("review", "HEAD", "--format", "git-note")
    subprocess.run(
        ["git", "-c", "user.email=a@example.com", "-c", "user.name=A", "notes", "add", "-F", "-"],
        cwd=branch,
        input=note,
        text=True,
        check=True,
    )
    assert git(branch, "notes", "show").strip() == note.strip()
    assert f"    session: claude_code {FIRST}, turn 2\n" in note
    assert "    prompt: Drop line 30 and say why\n" in note
    assert "    test runs: 2 (2026-11-20 10:00, 4 passed)\n" in note


def test_the_markdown_has_prompts_and_folded_patches(agentview: CommandLine, branch: Path):
    text = agentview.ok("review", "main..HEAD", "--format", "markdown")
    assert "### Lines 27 to 33 `line 26`\n" in text
    assert "### Removed line 1\n" in text
    assert "> Drop line 30 and say why" in text
    assert "2 lines by no recorded call." in text
    assert text.count("<details><summary>patch</summary>") == 5


def test_an_agent_trace_has_the_added_lines_by_conversation(agentview: CommandLine, branch: Path):
    record = json.loads(agentview.ok("review", "HEAD", "--format", "agent-trace"))
    assert re.fullmatch(r"[0-9]+\.[0-9]+", record["version"])
    assert record["vcs"] == {"type": "git", "revision": git(branch, "rev-parse", "HEAD").strip()}
    app, util = record["files"]
    assert [(each["contributor"]["type"], each["ranges"]) for each in app["conversations"]] == [
        ("ai", [{"start_line": 2, "end_line": 2}, {"start_line": 30, "end_line": 30}]),
        ("unknown", [{"start_line": 15, "end_line": 15}]),
    ]
    assert util["conversations"][0]["ranges"] == [{"start_line": 1, "end_line": 2}]
    assert record["metadata"]["agentview"]["sessions"]["app.py"] == [FIRST, None]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nothing..HEAD",), 1, "There are no commits nothing..HEAD"),
        (("app.py",), 1, "There are no commits app.py"),
        (("HEAD:app.py",), 1, "There is no commit"),
        (("--", "-x"), 2, "not a revision"),
        (("HEAD..alone",), 1, "no commit in common"),
        (("HEAD", "--provider", "none"), 2, "Unknown provider"),
        ((), 2, "RANGE"),
    ],
)
def test_a_wrong_command_line_is_a_sentence(
    refused: Refused, branch: Path, arguments: tuple[str, ...], code: int, words: str
):
    tree = git(branch, "write-tree").strip()
    git(branch, "branch", "alone", git(branch, "commit-tree", tree, "-m", "Alone").strip())
    assert words in refused(code, "review", *arguments)


def test_an_empty_range_has_no_files(agentview: CommandLine, branch: Path):
    found = reviewed(agentview, "HEAD..HEAD")
    assert (found["commits"], found["files"]) == (0, [])
    assert agentview.ok("review", "HEAD..HEAD") == "HEAD..HEAD  no commits\n"


def test_outside_of_a_repository_is_a_sentence(agentview: CommandLine):
    assert "not a git repository" in agentview.fails(1, "review", "main..HEAD")


@pytest.mark.parametrize("setting", ["diff.noprefix=true", "diff.suppressBlankEmpty=true"])
def test_settings_of_git_do_not_matter(agentview: CommandLine, branch: Path, setting: str):
    before = reviewed(agentview, "HEAD")
    git(branch, "config", *setting.split("="))
    assert reviewed(agentview, "HEAD") == before


def test_a_file_that_became_a_link_and_a_mode(agentview: CommandLine, branch: Path):
    (branch / "util.py").unlink()
    (branch / "util.py").symlink_to("app.py")
    (branch / "app.py").chmod(0o755)
    commit(branch, "Link", "2026-11-26T00:00:00Z")
    app, util = reviewed(agentview, "HEAD")["files"]
    assert (app["hunks"], app["status"], util["status"]) == ([], "M", "T")
    assert [hunk["lines_without_call"] for hunk in util["hunks"]] == [2, 1]
    text = agentview.ok("review", "HEAD")
    assert "app.py  (mode changed)" in text


def test_ranges_are_completed(agentview: CommandLine, branch: Path):
    line = "agentview review main..w"
    done = subprocess.run(
        agentview.command(),
        cwd=branch,
        env=agentview.environment
        | {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
        | {
            "_ARGCOMPLETE_STDOUT_FILENAME": str(branch.parent / "answers"),
            "_ARGCOMPLETE_IFS": "\n",
        },
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0
    assert (branch.parent / "answers").read_text().split() == ["main..work"]
