"""Tables of all sessions, brought up to date: only what changed is written, and it is right."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentview.reports.export import parquet_partitions
from agentview.system import platforms
from tests.claude_log import BEGAN, ClaudeLog, conversation, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine, Printed
from tests.cli.test_parquet import TABLES, Stats, by_duckdb, check_sums
from tests.patience import PATIENCE
from tests.redaction.planted import VENDORS

pytest.importorskip("duckdb", reason="needs DuckDB: pip install duckdb")

PATCHED = """
import os, signal, socket, sys
from pathlib import Path
host, kill_at = sys.argv[1], int(sys.argv[2])
socket.gethostname = lambda: host
replace, moved = Path.replace, 0
def replaced(path, target):
    global moved
    moved += 1
    if moved == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(path, target)
Path.replace = replaced
from agentview.cli import main
sys.exit(main(sys.argv[3:]))
"""
"""The command on a machine of another name, killed before it moves a file."""
KILLED = -9


def days_of(log: ClaudeLog, records: list[bytes], day: int) -> list[bytes]:
    return [record.replace(b"2026-11-21T", b"2026-11-%02dT" % day) for record in records]


@pytest.fixture
def logs(agentview: CommandLine) -> list[Path]:
    """Three sessions, each of a day of its own, the oldest first."""
    root = agentview.home / ".claude" / "projects" / "-home-dev-shop"
    paths: list[Path] = []
    for number, session in enumerate((FIRST, SECOND, THIRD)):
        log = ClaudeLog(session)
        records = days_of(log, conversation(log, 2 + number), 21 + number)
        paths.append(write(root / f"{session}.jsonl", records))
        os.utime(paths[-1], (1_790_000_000 + number, 1_790_000_000 + number))
    return paths


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "tables"


def update(agentview: CommandLine, place: Path, *options: str) -> str:
    said = agentview.ok("events", "@all", "--format", "parquet", "-o", str(place), *options)
    return said.partition(" tables in ")[0]


def contents(place: Path) -> dict[str, list[str]]:
    """All rows of all tables, in an order of their own."""
    ask = by_duckdb(place)
    return {
        name: sorted(json.dumps(row, default=str) for row in ask(f"SELECT * FROM all_{name}"))  # noqa: S608
        for name in TABLES
    }


def fresh(agentview: CommandLine, place: Path) -> dict[str, list[str]]:
    """What tables that are made anew have."""
    other = place.with_name("fresh")
    shutil.rmtree(other, ignore_errors=True)
    update(agentview, other)
    return contents(other)


def stamps(place: Path) -> dict[str, tuple[int, int]]:
    files = (path for path in place.rglob("*.parquet"))
    return {str(path.relative_to(place)): (s.st_ino, s.st_mtime_ns) for path in files
            for s in (path.stat(),)}  # fmt: skip


def append(path: Path, number: int = 0) -> None:
    """Another turn of a session; `number` distinguishes it from others."""
    last = json.loads(path.read_bytes().splitlines()[-1])["uuid"]
    log = ClaudeLog(path.stem, agent=f"turn{number}", began=BEGAN + 5 * 86_400 + number * 60)
    log.last = last
    records = [
        record.replace(b'"isSidechain": true', b'"isSidechain": false')
        for record in conversation(log, 1, begin=50 + number)
    ]
    with path.open("ab") as file:
        file.write(b"".join(records))


def test_nothing_is_written_where_nothing_changed(
    agentview: CommandLine, logs: list[Path], place: Path
):
    assert update(agentview, place) == "3 sessions written to 3 days of"
    before = stamps(place)
    assert len(before) == 3 * len(TABLES)
    assert update(agentview, place) == "No session changed; the tables in"
    assert stamps(place) == before
    assert {path.stat().st_mode & 0o777 for path in place.rglob("*.parquet")} == {0o600}
    assert [path.name.split(".")[-1] for path in sorted((place / "_agentview").iterdir())] == [
        "lock",
        "manifest",
    ]


def test_only_the_day_of_a_session_that_grew_is_written(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place)
    before = stamps(place)
    append(logs[1])
    assert update(agentview, place) == "1 session written to 1 day of"
    after = stamps(place)
    changed = {name for name in after if before.get(name) != after[name]}
    assert {Path(name).parent.name for name in changed} == {"day=2026-11-22"}
    assert len(changed) == len(TABLES)
    assert contents(place) == fresh(agentview, place)
    check_sums(by_duckdb(place), Stats(agentview))


def test_a_new_session_of_a_known_day_joins_the_others(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place)
    log = ClaudeLog("44444444-dddd-4ddd-8ddd-000000000004")
    write(logs[0].with_name(f"{log.session}.jsonl"), days_of(log, conversation(log, 3), 21))
    assert update(agentview, place) == "1 session written to 1 day of"
    assert contents(place) == fresh(agentview, place)


def test_responses_that_sessions_share_count_once_whoever_is_first(
    agentview: CommandLine, logs: list[Path], place: Path
):
    """A copy continues; then the original does, so that the copy is the first one."""
    copy = logs[0].with_name("55555555-eeee-4eee-8eee-000000000005.jsonl")
    copy.write_bytes(logs[0].read_bytes().replace(FIRST.encode(), copy.stem.encode()))
    append(copy)
    update(agentview, place)
    assert contents(place) == fresh(agentview, place)
    append(logs[0], 7)
    os.utime(logs[0], (1_796_000_000, 1_796_000_000))
    assert update(agentview, place) == "2 sessions written to 1 day of"
    assert contents(place) == fresh(agentview, place)
    check_sums(by_duckdb(place), Stats(agentview))


def test_rows_of_a_log_that_is_gone_stay_and_those_of_a_moved_one_are_there_once(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place)
    before = contents(place)
    logs[0].unlink()
    moved = logs[1].parent.with_name("-home-dev-elsewhere") / logs[1].name
    moved.parent.mkdir()
    logs[1].rename(moved)
    assert update(agentview, place) == "1 session written to 1 day of"
    after = contents(place)
    assert [row.replace(str(moved), str(logs[1])) for row in after["calls"]] == before["calls"]
    ask = by_duckdb(place)
    assert {row["log"] for row in ask("SELECT log FROM sessions")} == {
        str(path) for path in (logs[0], moved, logs[2])
    }


def test_a_copy_of_what_is_gone_does_not_count_its_responses_again(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place)
    (total,) = by_duckdb(place)("SELECT count(*) AS n FROM responses")
    copy = logs[0].with_name("55555555-eeee-4eee-8eee-000000000005.jsonl")
    copy.write_bytes(logs[0].read_bytes().replace(FIRST.encode(), copy.stem.encode()))
    logs[0].unlink()
    update(agentview, place)
    assert by_duckdb(place)("SELECT count(*) AS n FROM responses") == [total]


def test_an_agent_whose_session_is_found_later_has_its_rows_once(
    agentview: CommandLine, logs: list[Path], place: Path
):
    folder = logs[0].with_suffix("") / "subagents"
    agent = ClaudeLog(FIRST)
    records = [
        record.replace(b'"isSidechain":false', b'"isSidechain":true,"agentId":"a1"').replace(
            b'"isSidechain": false', b'"isSidechain": true, "agentId": "a1"'
        )
        for record in conversation(agent, 1, begin=80)
    ]
    folder.mkdir(parents=True)
    write(folder / "agent-a1.jsonl", records)
    main = logs[0].read_bytes()
    logs[0].unlink()
    update(agentview, place)
    logs[0].write_bytes(main)
    update(agentview, place)
    assert contents(place) == fresh(agentview, place)


def run_as(
    agentview: CommandLine, host: str, place: Path, kill_at: int = 0
) -> "subprocess.CompletedProcess[bytes]":
    given = ("events", "@all", "--format", "parquet", "-o", str(place))
    return subprocess.run(
        [sys.executable, "-c", PATCHED, host, str(kill_at), *given],
        cwd=agentview.cwd,
        env=agentview.environment | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
        timeout=PATIENCE,
    )


def test_sessions_that_are_on_two_machines_count_once(
    agentview: CommandLine, logs: list[Path], place: Path
):
    for host in ("one", "two"):
        done = run_as(agentview, host, place)
        assert done.returncode == 0, done.stderr
    append(logs[2])
    assert run_as(agentview, "two", place).returncode == 0
    ask = by_duckdb(place)
    assert {row["host"] for row in ask("SELECT host FROM all_calls")} == {"one", "two"}
    names = {row["login"] for row in ask("SELECT login FROM all_turns")}
    assert len(names) == 1
    # The first machine has not what was appended; it counts all the same.
    (row,) = ask("SELECT count(*) AS sessions, (SELECT count(*) FROM turns) AS turns FROM sessions")
    stats = json.loads(agentview.ok("stats", "--json"))
    assert (row["sessions"], row["turns"]) == (stats["sessions"], stats["turns"])
    (row,) = ask("SELECT count(*) AS n, sum(output) AS output FROM responses")
    assert (row["n"], row["output"]) == (stats["total"]["responses"], stats["total"]["output"])


@pytest.mark.parametrize("kill_at", [1, 2, 9, 14, 15, 16])
def test_a_run_that_is_killed_while_it_moves_files_is_finished_by_the_next(
    agentview: CommandLine, logs: list[Path], place: Path, kill_at: int
):
    assert run_as(agentview, "one", place).returncode == 0
    for number, log in enumerate(logs):
        append(log, number)
    done = run_as(agentview, "one", place, kill_at)
    assert done.returncode == KILLED, done.stderr
    assert run_as(agentview, "one", place).returncode == 0
    found = contents(place)
    shutil.rmtree(place)
    assert run_as(agentview, "one", place).returncode == 0
    assert contents(place) == found
    assert not list((place / "_agentview").glob("*.draft"))


@pytest.mark.slow
def test_a_run_may_be_killed_at_any_moment(agentview: CommandLine, logs: list[Path], place: Path):
    for number in range(12):
        append(logs[number % 3], number)
        command = agentview.command("events", "@all", "--format", "parquet", "-o", str(place))
        with subprocess.Popen(
            command, cwd=agentview.cwd, env=agentview.environment, stdout=subprocess.DEVNULL
        ) as process:
            try:
                # Later and later, until it is done before.
                process.wait(0.2 + number * 0.1)
            except subprocess.TimeoutExpired:
                process.kill()
    update(agentview, place)
    assert contents(place) == fresh(agentview, place)


def test_a_second_writer_ends_with_a_sentence(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place)
    (lock,) = (place / "_agentview").glob("*.lock")
    descriptor = os.open(lock, os.O_RDWR)
    platforms.lock(descriptor)
    append(logs[0])
    said = agentview.fails(1, "events", "@all", "--format", "parquet", "-o", str(place))
    assert f"Another process is writing tables to {place}." in said
    os.close(descriptor)
    assert update(agentview, place) == "1 session written to 1 day of"


def test_tables_of_other_options_are_left_alone(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place, "--no-subagents")
    before = stamps(place)
    given = ("events", "@all", "--format", "parquet", "-o", str(place))
    assert "other options" in agentview.fails(2, *given)
    assert "They were: --no-subagents." in agentview.fails(2, *given, "--no-mask")
    assert stamps(place) == before
    assert update(agentview, place, "--no-subagents") == "No session changed; the tables in"


def test_a_damaged_manifest_is_a_sentence_and_can_be_removed(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place)
    before = contents(place)
    (manifest,) = (place / "_agentview").glob("*.manifest")
    whole = manifest.read_bytes()
    given = ("events", "@all", "--format", "parquet", "-o", str(place))
    for data in (whole[:-1], b"", whole[:30] + b"\x00" + whole[31:], b"agentview tables 9\n"):
        manifest.write_bytes(data)
        assert "is damaged" in agentview.fails(1, *given)
    manifest.unlink()
    assert update(agentview, place) == "3 sessions written to 3 days of"
    assert contents(place) == before


def test_files_that_were_removed_are_written_again(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place)
    before = contents(place)
    shutil.rmtree(next((place / "turns").glob("host=*/day=2026-11-22")))
    assert update(agentview, place) == "1 session written to 1 day of"
    assert contents(place) == before


def test_what_is_appended_is_masked(agentview: CommandLine, logs: list[Path], place: Path):
    update(agentview, place)
    token, secret = VENDORS["GitHub"]
    log = ClaudeLog(FIRST, agent="later", began=BEGAN + 86_400)
    log.last = json.loads(logs[0].read_bytes().splitlines()[-1])["uuid"]
    with logs[0].open("ab") as file:
        prompt = log.prompt(f"Use {token}")
        file.write(prompt.replace(b'"isSidechain": true, ', b'"isSidechain": false, '))
    update(agentview, place)
    assert not any(secret in row for rows in contents(place).values() for row in rows)
    assert any("Use " in row for row in contents(place)["turns"])


def test_an_own_title_is_in_the_tables(agentview: CommandLine, logs: list[Path], place: Path):
    update(agentview, place)
    from agentview.sessions.annotations.session_file import SessionFile

    file = SessionFile("claude_code", FIRST, agentview.home / ".local/state/agentview/sessions")
    file.path.parent.mkdir(parents=True)
    file.path.write_text(
        json.dumps({"version": 1, "provider": "claude_code", "session": FIRST, "title": "Mine"})
    )
    assert update(agentview, place) == "1 session written to 1 day of"
    titles = {row["title"] for row in by_duckdb(place)("SELECT title FROM sessions")}
    assert "Mine" in titles


def test_a_log_that_has_become_unreadable_keeps_its_rows(
    agentview: CommandLine, logs: list[Path], place: Path
):
    update(agentview, place)
    before = contents(place)
    data = logs[0].read_bytes()
    logs[0].unlink()
    logs[0].symlink_to("nowhere")
    done = agentview("events", "@all", "--format", "parquet", "-o", str(place))
    assert done.returncode == 0
    assert contents(place) == before
    logs[0].unlink()
    logs[0].write_bytes(data)
    update(agentview, place)
    assert contents(place) == before


def test_many_rows_are_written_in_parts(
    printed: Printed,
    agentview: CommandLine,
    logs: list[Path],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(parquet_partitions, "_MOST_BYTES", 1)
    log = ClaudeLog("44444444-dddd-4ddd-8ddd-000000000004")
    write(logs[0].with_name(f"{log.session}.jsonl"), days_of(log, conversation(log, 3), 21))
    given = ("events", "@all", "--format", "parquet", "-o", str(place))
    assert printed(*given).startswith("4 sessions written to 3 days")
    for number, path in enumerate(logs):
        append(path, number)
    assert printed(*given).startswith("3 sessions written to 3 days")
    assert contents(place) == fresh(agentview, place)
