"""`agentview doctor`."""

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import agentview as program
from agentview.providers import load_evidence, load_provider, provider_names
from agentview.system.zstd import zstd
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.broken_providers import OTHERS, VICTIMS, places
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.cli.test_targets import without_privileges
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_sessions"
DEMO = SAMPLES / "claude_code" / "demo.jsonl"
DAMAGED = str(SAMPLES / "claude_code" / "damaged.jsonl")


def told(agentview: CommandLine, *arguments: str) -> dict[str, Any]:
    done = agentview("doctor", "--json", *arguments)
    assert done.stderr == ""
    return json.loads(done.stdout)


def adds_up(found: dict[str, Any], size: int) -> None:
    fates = found["fates"].values()
    assert sum(fate["records"] for fate in fates) == found["records"]
    assert sum(fate["bytes"] for fate in fates) + found["between"]["bytes"] == size
    assert (found["bytes"], found["whole"]) == (size, True)
    assert found["between"]["unaccounted"] == 0


@pytest.mark.slow
def test_a_session_is_told_record_by_record_with_its_agents(agentview: CommandLine):
    found = told(agentview, str(DEMO))
    paths = [Path(file["path"]) for file in found["files"]]
    assert paths == [DEMO, *sorted((SAMPLES / "claude_code" / "demo").rglob("*.jsonl"))]
    for path, file in zip(paths, found["files"], strict=True):
        adds_up(file, path.stat().st_size)
        assert file["lines"] == path.read_bytes().count(b"\n")
        assert sum(each["records"] for each in file["types"]) == file["records"]
        assert {each["version"] for each in file["client_versions"]} <= {None, "2.1.329"}
    assert [file["agent"] is None for file in found["files"]] == [True, False]
    adds_up(found["total"], sum(path.stat().st_size for path in paths))
    assert found["not_read"] == []


@pytest.mark.slow
def test_what_could_not_be_read_is_told_with_its_place(agentview: CommandLine):
    text = agentview.ok("doctor", DAMAGED)
    assert "What could not be read" in text
    file = told(agentview, DAMAGED)["files"][0]
    data = Path(DAMAGED).read_bytes()
    malformed = file["fates"]["malformed"]
    assert malformed["records"] > 0
    for place in malformed["examples"]:
        assert place["line"] == data[: place["offset"]].count(b"\n") + 1
        assert f"line {place['line']} " in text
        assert place["reason"]


@pytest.mark.slow
def test_a_directory_stands_for_all_logs_below_it(agentview: CommandLine, projects: Path):
    (projects / "empty.jsonl").touch()
    (projects / "notes.md").write_text("# Notes\n")
    found = told(agentview, str(projects))
    assert {file["session_id"] for file in found["files"]} == {FIRST, SECOND, THIRD}
    adds_up(found["total"], sum(each.stat().st_size for each in projects.rglob("*-*.jsonl")))
    assert [(Path(each["path"]).name, each["why"]) for each in found["not_read"]] == [
        ("empty.jsonl", "empty"),
        ("notes.md", "no provider claims it"),
    ]
    text = agentview.ok("doctor", str(projects))
    assert "Claude Code: 3 sessions" in text
    assert "No sessions: 2 files" in text


@pytest.mark.slow
def test_side_files_of_one_sort_are_one_line(agentview: CommandLine, projects: Path):
    folder = projects / "-home-dev-shop" / FIRST
    kept = folder / "tool-results"
    kept.mkdir(parents=True)
    for number in range(40):
        (kept / f"b{number}.txt").write_text("An output.\n")
    (folder / "notes.md").write_text("# Notes\n")
    lines = agentview.ok("doctor", str(projects)).splitlines()
    listed = lines[lines.index("No sessions: 41 files") + 1 :]
    assert listed[0].split()[-3] == "40"
    assert listed[0].endswith("-home-dev-shop/*/tool-results/*.txt")
    assert listed[1].endswith("notes.md")
    assert len([line for line in listed if line.strip()]) == 2
    assert len(told(agentview, str(projects))["not_read"]) == 41


@pytest.mark.slow
def test_sessions_are_named_as_everywhere(agentview: CommandLine, projects: Path):
    by_id = told(agentview, FIRST[:8], f"claude_code:{THIRD[:8]}", FIRST)
    assert [file["session_id"] for file in by_id["files"]] == [FIRST, THIRD]
    path = next(projects.rglob(f"{FIRST}.jsonl"))
    done = agentview("doctor", "--json", "-", stdin=path.read_bytes())
    assert done.returncode == 0
    adds_up(json.loads(done.stdout)["total"], path.stat().st_size)
    assert [file["path"] for file in json.loads(done.stdout)["files"]] == ["-"]
    assert "No session id begins with" in agentview.fails(1, "doctor", "beef")
    assert "Unknown provider" in agentview.fails(2, "doctor", "--provider", "nobody")
    assert "Standard input is empty." in agentview.fails(1, "doctor", "-")


@pytest.mark.slow
def test_a_compressed_log_is_told_in_both_sizes(agentview: CommandLine, tmp_path: Path):
    name = "rollout-2026-11-21T00-08-35-01a1fb6e-f722-7853-b71d-aeb3f6ceefc4.jsonl"
    plain = (SAMPLES / "codex" / "agents" / name).read_bytes()
    path = tmp_path / f"{name}.zst"
    path.write_bytes(zstd.compress(plain))
    found = told(agentview, str(path))["files"][0]
    adds_up(found, len(plain))
    assert found["file_bytes"] == path.stat().st_size
    assert "on disk" in agentview.ok("doctor", str(path))


@pytest.mark.slow
def test_a_version_that_nobody_has_seen_is_an_early_warning(agentview: CommandLine, tmp_path: Path):
    path = tmp_path / f"{FIRST}.jsonl"
    records = conversation(ClaudeLog(FIRST), 2)
    write(path, [record.replace(b"2.1.329", b"99.1.0") for record in records])
    text = agentview.ok("doctor", str(path))
    evidence = load_evidence("claude_code")
    assert evidence is not None
    assert "99.1.0 has not been seen yet; seen: " in text
    assert evidence.verified_versions[-1] in text
    (version,) = (
        each
        for each in told(agentview, str(path))["files"][0]["client_versions"]
        if each["version"] is not None
    )
    assert (version["version"], version["newer_than_seen"]) == ("99.1.0", True)
    assert "has not been seen" not in agentview.ok("doctor", str(DEMO))
    place = agentview.home / ".claude" / "projects" / "-home-dev-shop"
    place.mkdir(parents=True)
    path.rename(place / path.name)
    assert "Claude Code 99.1.0 has not been seen yet; seen: " in agentview.ok("doctor")


def as_anybody(agentview: CommandLine, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        agentview.command("doctor", *arguments),
        capture_output=True,
        text=True,
        check=False,
        cwd=agentview.cwd,
        env=agentview.environment,
        timeout=PATIENCE,
        preexec_fn=without_privileges if os.geteuid() == 0 else None,
    )


@pytest.mark.slow
def test_what_may_not_be_read_is_told_and_the_rest_is_counted(
    agentview: CommandLine, projects: Path
):
    locked = next(projects.rglob(f"{FIRST}.jsonl"))
    locked.chmod(0)
    closed = projects / "-home-dev-blog"
    closed.chmod(0)
    try:
        done = as_anybody(agentview, str(projects), "--json")
        found = json.loads(done.stdout)
        assert (done.returncode, done.stderr) == (1, "")
        assert [file["session_id"] for file in found["files"]] == [SECOND]
        why = {Path(each["path"]).name: each["why"] for each in found["not_read"]}
        assert set(why) == {locked.name, closed.name}
        assert "Permission denied" in why[locked.name]

        machine = json.loads(as_anybody(agentview, "--json").stdout)
        claude = next(each for each in machine["providers"] if each["name"] == "claude_code")
        assert claude["sessions"] == 1
        assert {Path(each["path"]).name for each in claude["not_read"]} == set(why)
        assert claude["not_read_count"] == 2
        text = as_anybody(agentview).stdout
        assert "Not read: 2 files" in text
        assert "Permission denied" in text
    finally:
        closed.chmod(0o755)


@pytest.mark.slow
def test_the_machine_is_told(agentview: CommandLine, projects: Path):
    found = told(agentview)
    assert found["program"]["version"] == program.__version__
    assert found["program"]["textual"]
    providers = {each["name"]: each for each in found["providers"]}
    assert set(providers) == set(provider_names())
    claude = providers["claude_code"]
    assert (claude["sessions"], claude["agents"]) == (3, 0)
    assert claude["bytes"] == sum(each.stat().st_size for each in projects.rglob("*.jsonl"))
    assert claude["client_versions"] == ["2.1.329"]
    states = {place["path"]: place["state"] for place in claude["places"]}
    assert states[str(projects)] == "there"
    assert set(states.values()) == {"there", "missing"}
    assert found["settings"]["changed"] == []
    assert found["terminal"]["terminal"] is False
    text = agentview.ok("doctor")
    none = len(provider_names()) - 1
    said = f"{none} other formats have no log here; 'agentview providers' lists all formats"
    assert [line.strip() for line in text.splitlines() if "log here" in line] == [said]
    others = (load_provider(name).label for name in ("aider", "gptme", "zencoder"))
    assert not any(label in text for label in others)
    missing = sum(
        place["state"] == "missing" for each in providers.values() for place in each["places"]
    )
    assert f"  {missing} other directories are not there; --json lists them" in text
    one = agentview.ok("doctor", "--provider", "claude_code")
    assert one.count("not there\n") == sum(state == "missing" for state in states.values())
    assert "Settings that are not the defaults" in text


@pytest.mark.slow
def test_files_without_a_session_are_told(agentview: CommandLine, projects: Path):
    (projects / "-home-dev-shop" / "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0003.jsonl").touch()
    (projects / "other.jsonl").write_text("hello\n")
    claude = next(each for each in told(agentview)["providers"] if each["name"] == "claude_code")
    assert claude["sessions"] == 3
    why = {each["why"] for each in claude["not_read"]}
    assert (claude["not_read_count"], why) == (2, {"empty", "no provider claims it"})
    assert "Not read: 2 files" in agentview.ok("doctor")


@pytest.mark.slow
def test_sessions_of_all_kinds_of_logs_are_counted(
    agentview: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    places(tmp_path, {**VICTIMS, **OTHERS, "amp": "amp/demo.json"}, monkeypatch)
    agentview.env["AGENTVIEW_CONFIG"] = os.environ["AGENTVIEW_CONFIG"]
    found = {each["name"]: each for each in told(agentview)["providers"]}
    listed = Counter(each["provider"] for each in json.loads(agentview.ok("ls", "--json")))
    assert {*listed} >= {*VICTIMS, *OTHERS}
    for name, sessions in listed.items():
        assert (name, found[name]["sessions"]) == (name, sessions)
        assert sum(place["logs"] for place in found[name]["places"]) >= sessions
        assert found[name]["not_read"] == []
    assert (found["goose"]["bytes"], found["codex"]["bytes"] > 0) == (None, True)


@pytest.mark.slow
def test_without_a_home_it_says_that_it_looks_nowhere(agentview: CommandLine, tmp_path: Path):
    env = {"PATH": os.environ["PATH"], "AGENTVIEW_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        agentview.command("doctor"), capture_output=True, text=True, check=True, env=env, cwd=ROOT
    )
    assert "nowhere: no home directory" in done.stdout
    assert done.stderr == ""


@pytest.mark.slow
def test_one_provider_alone_is_told(agentview: CommandLine, projects: Path):
    found = told(agentview, "--provider", "codex")
    assert [each["name"] for each in found["providers"]] == ["codex"]


@pytest.mark.slow
def test_a_place_behind_a_link_is_told(agentview: CommandLine, projects: Path, tmp_path: Path):
    away = tmp_path / "away"
    projects.rename(away)
    projects.symlink_to(away)
    claude = next(each for each in told(agentview)["providers"] if each["name"] == "claude_code")
    place = next(each for each in claude["places"] if each["path"] == str(projects))
    assert (place["leads_to"], place["logs"]) == (str(away), 3)
    assert "leads to" in agentview.ok("doctor")


@pytest.mark.slow
def test_a_place_that_is_no_directory_or_closed_is_told(agentview: CommandLine, projects: Path):
    (agentview.home / ".codex").mkdir()
    (agentview.home / ".codex" / "sessions").write_text("no directory\n")
    projects.chmod(0)
    try:
        found = json.loads(as_anybody(agentview, "--json").stdout)["providers"]
    finally:
        projects.chmod(0o755)
    states = {place["path"]: place["state"] for each in found for place in each["places"]}
    assert states[str(projects)] == "unreadable"
    assert states[str(agentview.home / ".codex" / "sessions")] == "no directory"


@pytest.mark.slow
def test_settings_are_told_with_who_set_them(agentview: CommandLine, tmp_path: Path):
    config = tmp_path / "config.toml"
    config.write_text('theme = "nord"\n[detail.by_tool]\nshell = "full"\n')
    agentview.env["AGENTVIEW_CONFIG"] = str(config)
    agentview.env["AGENTVIEW_TIMELINE_DENSITY"] = "compact"
    found = told(agentview, "--set", "diff.mode=split")["settings"]
    changed = {each["key"]: (each["value"], each["source"]) for each in found["changed"]}
    assert changed == {
        "theme": ("nord", "file"),
        "detail.by_tool.shell": ("full", "file"),
        "timeline.density": ("compact", "environment"),
        "diff.mode": ("split", "flag"),
    }
    assert (found["path"], found["exists"], found["trouble"]) == (str(config), True, None)


@pytest.mark.slow
def test_wrong_settings_are_told_and_all_the_rest_too(
    agentview: CommandLine, projects: Path, tmp_path: Path
):
    config = tmp_path / "config.toml"
    config.write_text('[timeline]\ndensity = "vast"\n')
    agentview.env["AGENTVIEW_CONFIG"] = str(config)
    found = told(agentview)
    assert "density" in found["settings"]["trouble"]
    assert sum(each["sessions"] for each in found["providers"]) == 3
    config.write_text('[sessions.roots]\nnobody = ["~/x"]\n')
    assert "nobody" in told(agentview)["settings"]["trouble"]


@pytest.mark.slow
def test_a_damaged_cache_is_told_and_done_without(
    agentview: CommandLine, projects: Path, tmp_path: Path
):
    cache = tmp_path / "cache"
    agentview.env["AGENTVIEW_CACHE_DIR"] = str(cache)
    assert told(agentview)["cache"] == {"path": str(cache), "state": "missing", "files": []}
    files = told(agentview)["cache"]["files"]
    assert [each["state"] for each in files] == ["sound"]
    catalogue = cache / files[0]["name"]
    assert files[0]["bytes"] == catalogue.stat().st_size
    assert files[0]["version"]
    catalogue.write_bytes(os.urandom(5000))
    found = told(agentview)
    assert "damaged" in found["cache"]["files"][0]["state"]
    assert sum(each["sessions"] for each in found["providers"]) == 3
    assert "sound" in agentview.ok("doctor")
    agentview.env["AGENTVIEW_CACHE_DIR"] = str(catalogue)
    assert told(agentview)["cache"]["state"].startswith("no directory")


@pytest.mark.slow
def test_looking_at_the_cache_leaves_it_as_it_is(agentview: CommandLine, tmp_path: Path):
    cache = tmp_path / "cache"
    cache.mkdir()
    agentview.env["AGENTVIEW_CACHE_DIR"] = str(cache)
    with closing(sqlite3.connect(cache / "words.sqlite")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE word (text)")
        database.execute("PRAGMA user_version = 7")
        database.commit()
        agentview.ok("doctor")
        beside = {"words.sqlite-shm", "words.sqlite-wal"}
        assert beside <= {each.name for each in cache.iterdir()}
    before = (cache / "words.sqlite").read_bytes()
    files = {each["name"]: each for each in told(agentview)["cache"]["files"]}
    assert (files["words.sqlite"]["state"], files["words.sqlite"]["version"]) == ("sound", 7)
    assert not beside & {each.name for each in cache.iterdir()}
    assert (cache / "words.sqlite").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["40", "80", "160"])
@pytest.mark.parametrize("target", [(), (DAMAGED,)])
def test_no_line_is_wider_than_the_terminal(
    agentview: CommandLine, columns: str, target: tuple[str, ...]
):
    lines = agentview.ok("doctor", *target, COLUMNS=columns).splitlines()
    assert max(map(cell_len, lines)) <= int(columns)


@pytest.mark.slow
def test_colours_are_for_terminals_that_want_them(agentview: CommandLine):
    assert "\x1b[" not in agentview.ok("doctor", DAMAGED)
    assert "\x1b[31m" in agentview.ok("doctor", DAMAGED, FORCE_COLOR="1")
    command = agentview.command("doctor", DAMAGED)
    for env, coloured in ({}, True), ({"NO_COLOR": "1"}, False):
        wanted = agentview.environment | env
        with PseudoTerminal(command, wanted, agentview.cwd, rows=80) as terminal:
            assert terminal.wait() == 0
            assert (b"\x1b[" in terminal.output) is coloured
            assert "What became of the records" in terminal.text


@pytest.mark.slow
def test_the_terminal_is_told(agentview: CommandLine):
    command = agentview.command("doctor", "--json")
    env = agentview.environment | {"COLORTERM": "truecolor", "NO_COLOR": "1", "TMUX": "socket,1,0"}
    with PseudoTerminal(command, env, agentview.cwd, columns=120, rows=200) as terminal:
        assert terminal.wait() == 0
        found = json.loads(terminal.output)["terminal"]
    assert (found["terminal"], found["columns"], found["lines"]) == (True, 120, 200)
    assert (found["term"], found["colours"], found["inside"]) == (
        "xterm-256color",
        16_777_216,
        ["tmux"],
    )
    assert (found["no_color"], found["coloured"], found["unicode"]) == (True, False, True)


@pytest.mark.slow
def test_letters_that_the_output_does_not_have_are_left_out(agentview: CommandLine):
    for target in ([], [DAMAGED]):
        agentview.ok("doctor", *target, PYTHONIOENCODING="ascii").encode("ascii")


@pytest.mark.slow
def test_nothing_in_a_log_or_a_name_acts_on_the_terminal(agentview: CommandLine, tmp_path: Path):
    log = ClaudeLog(FIRST)
    bad = b'{"type":"\\u001b]0;owned\\u0007\\u202e","sessionId":"s"}\n'
    folder = tmp_path / "logs\x1b[2J"
    path = folder / f"{FIRST}.jsonl"
    write(path, [log.prompt("a").replace(b"2.1.329", b"9\\u001b[31m"), bad])
    for target in (str(path), str(folder)):
        text = agentview.ok("doctor", target)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "unknown type" in text


@pytest.mark.slow
def test_a_long_log_shows_how_far_it_is_and_can_be_broken_off(
    agentview: CommandLine, tmp_path: Path
):
    log = ClaudeLog(FIRST)
    records = b"".join(conversation(log, 300))
    path = tmp_path / f"{FIRST}.jsonl"
    with path.open("wb") as file:
        for _ in range(60_000_000 // len(records)):
            file.write(records)
    command = agentview.command("doctor", str(path))
    with PseudoTerminal(command, agentview.environment, agentview.cwd) as terminal:
        assert "file 1: " in terminal.wait_for("MB of 60 MB")
        terminal.press("\x03")
        assert terminal.wait() == 130
        assert "MB of" not in terminal.text
        assert "Traceback" not in terminal.text


PEAK = """
import resource, sys
from agentview.cli import main
main(["doctor", sys.argv[1]])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_log(agentview: CommandLine, tmp_path: Path):
    peaks: list[int] = []
    sizes: list[int] = []
    for turns in (100, 9000):
        path = tmp_path / f"{turns}.jsonl"
        write(path, conversation(ClaudeLog(FIRST), turns, size=2000))
        sizes.append(path.stat().st_size)
        # By a shell, since a process that this one starts begins with the memory of this one.
        command = ["sh", "-c", '"$0" -c "$1" "$2"; :', sys.executable, PEAK, str(path)]
        done = subprocess.run(
            command, capture_output=True, check=True, env=agentview.environment, cwd=ROOT
        )
        peaks.append(int(done.stdout.split()[-1]))
    assert peaks[1] - peaks[0] < (sizes[1] - sizes[0]) / 2


@pytest.mark.slow
def test_a_comparison_needs_a_census(agentview: CommandLine):
    assert "dev census" in agentview.fails(2, "doctor", "--diff", "before.json")
