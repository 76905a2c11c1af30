"""`agentview diff`: the patch, its sum, files one by one, what is missing."""

import json
import subprocess
from pathlib import Path

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.facts.edits.applying import applied, put, taken
from tests.facts.edits.clients import Claude, Codex

SAMPLES = sample_sessions_dir()
BEFORE = {"src/a.py": b"one\ntwo\n", "b.txt": b"x\n", "ünï.txt": "日本\n".encode()}


@pytest.fixture
def client() -> Claude:
    client = Claude(BEFORE)
    client.edit("src/a.py", "two", "2\nand \x1b[31mred")
    client.write("new/n.txt", "n\n")
    client.read("b.txt")
    client.edit("ünï.txt", "日本", "✅")
    return client


@pytest.fixture
def log(client: Claude, tmp_path: Path) -> Path:
    return client.written(tmp_path / "log.jsonl")


def test_the_patch_in_a_pipe_is_what_git_applies(
    agentview: CommandLine, client: Claude, log: Path, tmp_path: Path
):
    patch = agentview.ok("diff", str(log))
    assert applied(BEFORE, patch) == client.left()
    put(tmp_path / "tree", BEFORE)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "tree", check=True)
    subprocess.run(["git", "apply"], input=patch.encode(), cwd=tmp_path / "tree", check=True)
    assert taken(tmp_path / "tree") == client.left()


def test_colours_are_only_for_terminals(agentview: CommandLine, log: Path):
    assert "\x1b[1m" not in agentview.ok("diff", str(log), FORCE_COLOR="1")


@pytest.mark.slow
def test_a_log_through_a_pipe(agentview: CommandLine, log: Path):
    assert agentview.ok("diff", "-", stdin=log.read_bytes()) == agentview.ok("diff", str(log))


def test_stat_counts_lines_as_git_does(agentview: CommandLine, log: Path):
    lines = agentview.ok("diff", str(log), "--stat").splitlines()
    assert lines[0] == " src/a.py        | 3 ++-"
    assert lines[1] == " new/n.txt (new) | 1 +"
    assert lines[-1] == " 3 files changed, +4 −2"


def test_lines_are_counted_alike_everywhere(agentview: CommandLine, tmp_path: Path):
    client = Claude(BEFORE)
    client.edit("src/a.py", "two", "\n".join(map(str, range(1_234))))
    log, other = (str(client.written(tmp_path / f"{name}.jsonl")) for name in ("log", "other"))
    counts = "+1,234 −1"
    assert agentview.ok("diff", log, "--stat").endswith(f" 1 file changed, {counts}\n")
    assert f" {counts}\n" in agentview("export", log, "--format", "markdown").stdout
    assert f"changed {counts} " in agentview.ok("compare", log, other, COLUMNS="120")
    assert f" {counts} " in agentview.ok("cat", log)


@pytest.mark.slow
def test_one_file(agentview: CommandLine, log: Path):
    patch = agentview.ok("diff", str(log), "--file", "a.py")
    assert patch.startswith("diff --git a/src/a.py b/src/a.py\n")
    assert patch.count("diff --git") == 1
    error = agentview.fails(1, "diff", str(log), "--file", "nowhere.py")
    assert "The session did not touch nowhere.py." in error


@pytest.mark.slow
def test_json_tells_all_files_and_all_steps(agentview: CommandLine, log: Path):
    told = json.loads(agentview.ok("diff", str(log), "--json"))
    files = {file["path"]: file for file in told["files"]}
    assert told["root"] == "/home/dev/shop"
    assert {name: file["mark"] for name, file in files.items()} == {
        "src/a.py": "changed",
        "new/n.txt": "new",
        "b.txt": "read",
        "ünï.txt": "changed",
    }
    assert files["src/a.py"]["patch"] == agentview.ok("diff", str(log), "--file", "src/a.py")
    assert files["b.txt"]["patch"] is None
    assert [step["act"] for step in files["b.txt"]["steps"]] == ["read"]


@pytest.mark.slow
def test_what_is_missing_is_told_and_the_rest_is_printed(agentview: CommandLine, tmp_path: Path):
    client = Codex({"a.txt": b"one\n"}, diffs=False)
    client.delete("a.txt")
    log = client.written(tmp_path / "log.jsonl")
    done = agentview("diff", str(log))
    assert (done.returncode, done.stdout) == (1, "")
    assert "a.txt is not in the patch: step 1, delete at" in done.stderr
    client.add("b.txt", "b\n")
    done = agentview("diff", str(client.written(log)))
    assert done.returncode == 0
    assert done.stdout.startswith("diff --git a/b.txt b/b.txt\n")
    assert done.stderr.count("\n") == 1


def test_a_session_that_changed_nothing(agentview: CommandLine, tmp_path: Path):
    client = Claude(BEFORE)
    client.read("b.txt")
    assert agentview.ok("diff", str(client.written(tmp_path / "log.jsonl"))) == ""


def test_files_outside_are_told_apart(agentview: CommandLine, tmp_path: Path):
    client = Claude({})
    client.write("../elsewhere.txt", "x\n")
    done = agentview("diff", str(client.written(tmp_path / "log.jsonl")))
    assert (done.returncode, done.stdout) == (0, "")
    assert "/home/dev/elsewhere.txt is not in the patch: it is outside of /home/dev/shop" in (
        done.stderr
    )


def test_a_directory_that_was_guessed_is_told(agentview: CommandLine):
    log = SAMPLES / "codex/printed/code_mode.jsonl"
    done = agentview("diff", str(log))
    assert "the log does not say in which directory the session ran" in done.stderr


def test_line_ends_that_a_log_leaves_out_can_be_asked_for(agentview: CommandLine, tmp_path: Path):
    shown = {"a.txt": b"one\ntwo\nend"}
    client = Claude(shown)
    client.edit("a.txt", "two", "2\n3")
    client.write("n.txt", "new\n")
    log = client.written(tmp_path / "log.jsonl")
    patch = agentview.ok("diff", str(log), "--crlf")
    before = {"a.txt": b"one\r\ntwo\r\nend"}
    assert applied(before, patch) == {"a.txt": b"one\r\n2\r\n3\r\nend", "n.txt": b"new\n"}
