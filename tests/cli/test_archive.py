"""`agentview archive`: sessions stay when their client deletes them."""

import configparser
import json
import os
import plistlib
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentview.system.paths import sample_sessions_dir
from agentview.system.zstd import zstd
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine, Refused
from tests.patience import PATIENCE
from tests.providers.vibe.test_vibe_2 import saved

DAY = 86_400


@pytest.fixture
def data(agentview: CommandLine, tmp_path: Path) -> Path:
    """The directory of the archive, which is not there yet."""
    agentview.env["AGENTVIEW_DATA_DIR"] = str(tmp_path / "data")
    agentview.env["AGENTVIEW_CACHE_DIR"] = str(tmp_path / "cache")
    return tmp_path / "data"


def listed(agentview: CommandLine) -> dict[str, dict[str, object]]:
    return {each["id"]: each for each in json.loads(agentview.ok("ls", "--json"))}


def events_of(agentview: CommandLine, target: str) -> list[str]:
    """Events without the path of the log."""
    lines = agentview.ok("events", target).splitlines()
    return [re.sub(r'"file":\s*"[^"]*"', '"file":""', line) for line in lines]


@pytest.mark.slow
def test_an_archived_session_is_read_when_the_original_is_gone(
    agentview: CommandLine, projects: Path, data: Path
):
    log = projects / "-home-dev-shop" / f"{FIRST}.jsonl"
    before = events_of(agentview, FIRST)
    said = agentview.ok("archive", FIRST)
    assert "Archived and verified 1 session" in said
    found = listed(agentview)
    assert len(found) == 3, "while the original is there, it is listed once"
    assert found[FIRST]["archived"] is True
    assert found[FIRST]["path"] == str(log)
    assert found[SECOND]["archived"] is False
    log.unlink()
    found = listed(agentview)
    assert set(found) == {FIRST, SECOND, THIRD}
    assert str(found[FIRST]["path"]).startswith(str(data))
    assert found[FIRST]["last_activity"] is not None
    assert events_of(agentview, FIRST) == before
    assert "archived" in agentview.ok("ls")
    assert agentview.ok("cat", FIRST)


@pytest.mark.slow
def test_a_moved_log_is_listed_once(agentview: CommandLine, projects: Path, data: Path):
    agentview.ok("archive", "--all")
    log = projects / "-home-dev-shop" / f"{FIRST}.jsonl"
    other = projects / "-home-dev-moved"
    other.mkdir()
    log.rename(other / log.name)
    rows = [each for each in json.loads(agentview.ok("ls", "--json")) if each["id"] == FIRST]
    assert [each["path"] for each in rows] == [str(other / log.name)]


def test_only_sessions_of_that_age_are_copied(agentview: CommandLine, projects: Path, data: Path):
    for path, days in zip(sorted(projects.rglob("*.jsonl")), (40, 21, 3), strict=True):
        moment = time.time() - days * DAY
        os.utime(path, (moment, moment))
    done = json.loads(agentview.ok("archive", "--all", "--older-than", "20d", "--json"))
    assert len(done["archived"]) == 2
    assert done["failed"] == []
    assert [
        each["original"] for each in json.loads(agentview.ok("archive", "--list", "--json"))
    ] == [True, True]


@pytest.mark.slow
def test_what_is_archived_is_not_copied_again(agentview: CommandLine, projects: Path, data: Path):
    agentview.ok("archive", "--all")
    files = {path: path.stat().st_mtime_ns for path in data.rglob("*.jsonl")}
    assert "3 sessions already archived" in agentview.ok("archive", "--all")
    assert {path: path.stat().st_mtime_ns for path in data.rglob("*.jsonl")} == files


@pytest.mark.slow
def test_a_log_that_grew_takes_the_place_of_its_copy(
    agentview: CommandLine, projects: Path, data: Path
):
    log = projects / "-home-dev-shop" / f"{FIRST}.jsonl"
    agentview.ok("archive", FIRST)
    whole = log.read_bytes()
    log.write_bytes(whole + whole.splitlines(keepends=True)[-1])
    agentview.ok("archive", FIRST)
    (one,) = json.loads(agentview.ok("archive", "--list", "--json"))
    assert one["earlier_copies"] == []
    assert one["bytes"] == log.stat().st_size


@pytest.mark.slow
def test_a_copy_of_what_is_lost_since_is_kept(agentview: CommandLine, projects: Path, data: Path):
    log = projects / "-home-dev-shop" / f"{FIRST}.jsonl"
    agentview.ok("archive", FIRST)
    whole = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(whole[:-2]))
    agentview.ok("archive", FIRST)
    (one,) = json.loads(agentview.ok("archive", "--list", "--json"))
    (earlier,) = one["earlier_copies"]
    (copy,) = Path(earlier).rglob("*.jsonl")
    assert zstd.decompress(copy.read_bytes()) == b"".join(whole)


def test_what_is_written_is_copied_while_it_follows(
    agentview: CommandLine, projects: Path, data: Path
):
    program = (
        "import agentview.cli.archive_follow as f, agentview.cli, sys\n"
        "f._PAUSE = 0.05\nsys.exit(agentview.cli.main(['archive', '--follow']))"
    )
    follower = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        cwd=agentview.cwd,
        env=agentview.environment,
    )
    assert follower.stdout is not None
    try:
        assert follower.stdout.readline().startswith("Archived and verified 3 sessions")
        log = projects / "-work-new" / "0123abcd-0000-4000-8000-000000000000.jsonl"
        write(log, conversation(ClaudeLog(), 2))
        assert follower.stdout.readline().startswith("Archived and verified 1 session")
        before = log.read_bytes()
        log.unlink()
        (copy,) = data.rglob(log.name)
        assert zstd.decompress(copy.read_bytes()) == before
    finally:
        follower.send_signal(signal.SIGINT)
        follower.communicate(timeout=PATIENCE)


def test_units_start_what_follows(agentview: CommandLine, data: Path):
    systemd = configparser.ConfigParser(interpolation=None)
    systemd.read_string(agentview.ok("archive", "--unit", "systemd", "--project", "a b%c"))
    start = systemd["Service"]["ExecStart"].replace("%%", "%")
    assert shlex.split(start)[-4:] == ["archive", "--follow", "--project", "a b%c"]
    launchd = plistlib.loads(agentview.ok("archive", "--unit", "launchd").encode())
    assert launchd["ProgramArguments"][-2:] == ["archive", "--follow"]
    assert launchd["KeepAlive"] is True


def test_nobody_else_may_read_the_archive(agentview: CommandLine, projects: Path, data: Path):
    agentview.ok("archive", "--all")
    for path in (data, *data.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_an_id_is_never_a_path(agentview: CommandLine, data: Path, tmp_path: Path):
    folder = agentview.home / ".codex" / "sessions" / "2026" / "11" / "21"
    folder.mkdir(parents=True)
    (sample,) = sample_sessions_dir().glob("codex/demo.jsonl")
    lines = sample.read_bytes().splitlines(keepends=True)
    first = json.loads(lines[0])
    first["payload"]["id"] = "../../../../escaped"
    log = folder / "rollout-2026-11-21T10-00-00-01a1fb6f-0000-7000-8000-000000000000.jsonl"
    log.write_bytes(json.dumps(first).encode() + b"\n" + b"".join(lines[1:]))
    agentview.ok("archive", str(log))
    assert not list(tmp_path.rglob("*escaped*"))
    (copy,) = data.rglob("rollout-*.jsonl")
    assert copy.is_relative_to(data / "archive" / "codex")


@pytest.mark.slow
def test_a_damaged_copy_is_found(agentview: CommandLine, projects: Path, data: Path):
    agentview.ok("archive", "--all")
    assert "all as archived" in agentview.ok("archive", "--verify")
    copy = next(data.rglob(f"{FIRST}.jsonl"))
    held = bytearray(copy.read_bytes())
    held[len(held) // 2] ^= 0xFF
    copy.write_bytes(held)
    done = agentview("archive", "--verify")
    assert done.returncode == 1
    assert FIRST in done.stderr
    assert json.loads(agentview("archive", "--verify", "--json").stdout)["faults"]


@pytest.mark.slow
def test_two_at_once_and_one_that_is_killed(agentview: CommandLine, projects: Path, data: Path):
    command = agentview.command("archive", "--all")
    keywords = {"cwd": agentview.cwd, "env": agentview.environment}
    killed = subprocess.Popen(command, **keywords)  # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownVariableType]
    while killed.poll() is None and not list(data.rglob(".lock")):
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    both = [subprocess.Popen(command, **keywords) for _ in range(2)]  # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownVariableType]
    assert [each.wait() for each in both] == [0, 0]
    assert not list(data.rglob(".draft-*"))
    assert "3 sessions" in agentview.ok("archive", "--verify")
    assert all(len(list(path.parent.glob("[0-9]*"))) == 1 for path in data.rglob("manifest.json"))


@pytest.mark.slow
def test_rows_of_a_database_are_copied(agentview: CommandLine, data: Path):
    folder = agentview.home / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    database = folder / "opencode.db"
    with sqlite3.connect(database) as made:
        made.executescript(
            """
            CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT);
            CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT REFERENCES project(id),
                parent_id TEXT, slug TEXT, directory TEXT, title TEXT, version TEXT,
                time_created INTEGER, time_updated INTEGER);
            CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT REFERENCES session(id),
                time_created INTEGER, time_updated INTEGER, data TEXT);
            CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT REFERENCES message(id),
                session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
            INSERT INTO project VALUES ('p', '/home/dev/shop');
            """
        )
        for number in (1, 2):
            own, said = f"ses_{number}aaaaaaaa", f"msg_{number}"
            made.execute(
                "INSERT INTO session VALUES (?, 'p', NULL, 's', '/home/dev/shop', ?, '1.2', 1, 2)",
                [own, f"Title {number}"],
            )
            data_of = json.dumps({"role": "user", "time": {"created": 1_790_000_000_000}})
            made.execute("INSERT INTO message VALUES (?, ?, 1, 1, ?)", [said, own, data_of])
            text = json.dumps({"type": "text", "text": f"Words of session {number}"})
            made.execute(
                "INSERT INTO part VALUES (?, ?, ?, 1, 1, ?)", [f"p{number}", said, own, text]
            )
    made.close()
    before = events_of(agentview, "ses_1aaaaaaaa")
    assert any("Words of session 1" in line for line in before)
    held = database.read_bytes()
    agentview.ok("archive", "ses_1aaaaaaaa")
    assert database.read_bytes() == held
    (copy,) = data.rglob("opencode.db")
    (one,) = json.loads(agentview.ok("archive", "--list", "--json"))
    database.unlink()
    assert events_of(agentview, "ses_1aaaaaaaa") == before
    assert "Title 1" in agentview.ok("ls")
    rows = zstd.decompress(copy.read_bytes())
    assert b"session 1" in rows
    assert b"session 2" not in rows, "rows of other sessions stay where they are"
    assert one["log"] == f"{database}/ses_1aaaaaaaa"


@pytest.mark.slow
def test_agents_and_outputs_are_copied(agentview: CommandLine, data: Path):
    folder = agentview.home / ".claude" / "projects" / "-home-dev-till"
    folder.mkdir(parents=True)
    samples = sample_sessions_dir() / "claude_code"
    shutil.copy(samples / "demo.jsonl", folder)
    shutil.copytree(samples / "demo", folder / "demo")
    shutil.copy(samples / "classic.jsonl", folder)
    before = agentview.ok("cat", str(folder / "demo.jsonl"))
    agentview.ok("archive", str(folder / "demo.jsonl"))
    (one,) = json.loads(agentview.ok("archive", "--list", "--json"))
    copied = {each["path"] for each in one["files"]}
    assert copied == {str(folder / "demo.jsonl")} | {
        str(path) for path in (folder / "demo").rglob("*") if path.is_file()
    }
    shutil.rmtree(folder)
    assert agentview.ok("cat", one["archive"]) == before


@pytest.mark.slow
def test_a_log_that_lies_among_other_files_is_copied_alone(
    agentview: CommandLine, data: Path, tmp_path: Path
):
    # A log may state the name of a folder as its id.
    for folder, session in (("elsewhere", FIRST), ("Documents", "Documents")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "private.txt").write_text("not of the session")
        log = tmp_path / folder / "log.jsonl"
        write(log, [each.replace(b"s1", session.encode()) for each in conversation(ClaudeLog(), 2)])
        agentview.ok("archive", str(log))
    found = json.loads(agentview.ok("archive", "--list", "--json"))
    assert sorted(file["path"] for one in found for file in one["files"]) == [
        str(tmp_path / "Documents" / "log.jsonl"),
        str(tmp_path / "elsewhere" / "log.jsonl"),
    ]


@pytest.mark.slow
def test_counts_of_the_sessions_before_a_compaction_are_copied(agentview: CommandLine, data: Path):
    folder = agentview.home / ".vibe" / "logs" / "session"
    before = {
        "session_id": "837669d1-09e0-4d38-a5c7-5b66c4ad600a",
        "parent_session_id": None,
        "title": "Round the shares",
        "stats": {"session_cost": 0.5, "session_prompt_tokens": 70, "session_completion_tokens": 7},
    }
    saved(folder / "session_20261123_022604_837669d1", "compact", **before)
    own = saved(folder / "session_20261123_022605_65d7a355", "compact")
    shown = listed(agentview)["65d7a355-45ee-fbd7-dd0c-5b66c4ad600a"]
    assert shown["title"] == before["title"]
    lines = events_of(agentview, str(own))
    agentview.ok("archive", str(own))
    shutil.rmtree(folder)
    (copy,) = json.loads(agentview.ok("ls", "--json"))
    assert {**copy, "archived": False, "path": None, "size": None} == {
        **shown, "path": None, "size": None,
    }  # fmt: skip
    assert events_of(agentview, str(copy["path"])) == lines


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ((), "--all"),
        (("--all", "3f2a"), "not both"),
        (("--all", "--older-than", "soon"), "20d"),
        (("--all", "--older-than", "2026-11-20"), "20d"),
        (("-",), "Give a session"),
    ],
)
def test_a_wrong_command_line_is_a_sentence(
    refused: Refused, data: Path, arguments: tuple[str, ...], hint: str
):
    assert hint in refused(2, "archive", *arguments)


def test_a_directory_that_cannot_be_written_is_a_sentence(
    agentview: CommandLine, projects: Path, data: Path
):
    data.write_text("a file")
    done = agentview("archive", "--all")
    assert done.returncode == 1
    assert "cannot be archived" in done.stderr
    assert "Traceback" not in done.stderr
