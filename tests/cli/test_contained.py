"""What one session raises, wherever it is read, ends no command and costs no other session."""

import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentview.cli import main
from agentview.domain.session import SessionRef
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.facts.usage.reader import LogUsageReader
from agentview.reports.export.log_feed import LogFeed
from agentview.sessions.targets import session_query
from agentview.timeline.rows.session_store import SessionStore
from tests.cli.broken_providers import (
    DISCOVERY,
    ERRORS,
    OTHERS,
    READING,
    SAMPLES,
    VICTIMS,
    break_provider,
    places,
    refs_of,
)  # fmt: skip


class Commands:
    """Runs commands in this process, as a person who has some sessions."""

    def __init__(self, capture: pytest.CaptureFixture[bytes]) -> None:
        self._capture = capture

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        session_query.catalogue.cache_clear()
        try:
            code = main(arguments)
        except SystemExit as error:
            code = int(error.code or 0)
        out, err = (each.decode() for each in self._capture.readouterr())
        assert "Traceback" not in err + out
        assert "Internal error" not in err, (arguments, err)
        return code, out, err


@pytest.fixture
def commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Commands:
    for name in ("cache", "data", "state"):
        monkeypatch.setenv(f"AGENTVIEW_{name.upper()}_DIR", str(tmp_path / name))
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PAGER", "cat")
    monkeypatch.chdir(home)
    return Commands(capsysbinary)


def check_all(commands: Commands, others: Sequence[str]) -> list[dict[str, Any]]:
    """Run what is about all sessions: the others are there; returns the rows of `ls --json`."""
    for arguments in (
        ("ls",), ("stats",), ("stats", "--by", "session"), ("status",), ("status", "--json"),
        ("doctor",), ("doctor", "--json"), ("archive", "--all", "--json"), ("archive", "--verify"),
        ("secrets", "--all", "--json"), ("providers",), ("blame", "nothing.py"),
        ("compare", "--json", "claude_code:none", "codex:none"), ("report", "--since", "2020"),
    ):  # fmt: skip
        commands(*arguments)
    code, out, _ = commands("search", "the", "--json", "--limit", "0")
    assert code == 0
    assert {hit["provider"] for hit in json.loads(out)} >= {*others}
    code, out, _ = commands("events", "@all")
    assert code in (0, 1)
    assert {json.loads(line).get("provider") for line in out.splitlines()} >= {*others}
    code, out, _ = commands("stats", "--by", "provider", "--json")
    assert code == 0
    assert {group["key"] for group in json.loads(out)["groups"]} >= {*others}
    code, out, _ = commands("ls", "--json")
    assert code == 0
    rows: list[dict[str, Any]] = json.loads(out)
    assert {row["provider"] for row in rows} >= {*others}
    return rows


def check_one(commands: Commands, target: str, other: str) -> dict[str, int]:
    """Run what is about one session; returns the exit codes."""
    codes: dict[str, int] = {}
    for arguments in (
        ("cat",), ("cat", "--raw"), ("events",), ("events", "--records"), ("stats",), ("diff",),
        ("export", "--format", "json"), ("export", "--format", "markdown"), ("secrets",),
        ("doctor",), ("events", "--format", "otlp"), ("wait", "--timeout", "0.01"),
        ("compare", other),
    ):  # fmt: skip
        code, _, err = commands(arguments[0], *arguments[1:], target)
        assert code in ((*range(4), *range(10, 20), 124) if arguments[0] == "wait" else (0, 1))
        assert (code == 0) or err or arguments[0] in ("doctor", "wait", "secrets"), arguments
        codes[" ".join(arguments)] = code
    return codes


METHODS = (*DISCOVERY, *READING)


@pytest.mark.parametrize("method", METHODS)
def test_what_providers_raise_costs_no_other_session(
    method: str, commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places(tmp_path, {**VICTIMS, **OTHERS}, monkeypatch)
    at = METHODS.index(method)
    known = {name: refs_of(name, tmp_path) for name in (*VICTIMS, *OTHERS)}
    for number, name in enumerate(VICTIMS):
        break_provider(name, method, ERRORS[(at + number) % len(ERRORS)], monkeypatch.setitem)
    rows = check_all(commands, [*OTHERS])
    for name in VICTIMS:
        mine = [row for row in rows if row["provider"] == name]
        if method in ("files", "session_at", "info"):
            assert any(row["title"].startswith("could not be read: ") for row in mine)
        else:
            ids = {ref.session_id for ref in known[name] if ref.parent_id is None}
            assert {row["id"] for row in mine} == ids
    one = known[[*VICTIMS][at % len(VICTIMS)]][0]
    check_one(commands, one.path, known["codex"][0].path)


PLACES: Sequence[tuple[Any, str, Callable[[Any], SessionRef]]] = (
    (IndexedLog, "poll", lambda log: log._ref),
    (SessionStore, "append", lambda store: store.session),
    (LogFeed, "poll", lambda feed: feed.ref),
    (LogUsageReader, "poll", lambda reader: reader.ref),
)


@pytest.mark.parametrize("at", range(len(PLACES)))
def test_what_joins_and_counts_raises_costs_no_other_session(
    at: int, commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places(tmp_path, {"claude_code": VICTIMS["claude_code"], **OTHERS}, monkeypatch)
    owner, name, ref_of = PLACES[at]
    plain = getattr(owner, name)

    def broken(self: Any, *arguments: Any, **named: Any) -> Any:
        if ref_of(self).provider == "claude_code":
            raise ERRORS[at]
        return plain(self, *arguments, **named)

    monkeypatch.setattr(owner, name, broken)
    rows = check_all(commands, [*OTHERS])
    assert {row["provider"] for row in rows} == {"claude_code", *OTHERS}
    victim = refs_of("claude_code", tmp_path)[0].path
    codes = check_one(commands, victim, refs_of("codex", tmp_path)[0].path)
    assert set(codes.values()) > {0}


def test_values_that_are_no_paths_and_no_texts_cost_nothing(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places(tmp_path, {"claude_code": VICTIMS["claude_code"], **OTHERS}, monkeypatch)
    folder = tmp_path / "logs" / "claude_code"
    deep = "[" * 100_000 + "]" * 100_000
    for number, (cwd, said) in enumerate(
        [('"/tmp/a\\u0000b"', '"nul"'), ('"/tmp/\\ud800"', '"\\ud83d"'), ('"/tmp"', deep)]
    ):
        record = (
            f'{{"type":"user","uuid":"1-{number}","sessionId":"s-{number}","cwd":{cwd},'
            f'"version":"2.1.300","timestamp":"2026-11-28T10:00:00.000Z",'
            f'"message":{{"role":"user","content":{said}}}}}\n'
        )
        (folder / f"s-{number}.jsonl").write_text(record.replace(deep, '"first"') + record)
    rows = check_all(commands, ["claude_code", *OTHERS])
    assert len(rows) == 6
    other = refs_of("codex", tmp_path)[0].path
    for number in range(3):
        check_one(commands, str(folder / f"s-{number}.jsonl"), other)
    for arguments in (("cat",), ("cat", "--project", "."), ("ls", "--project", "~")):
        commands(*arguments)


def renamed_column(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("ALTER TABLE messages RENAME COLUMN content_json TO body_json")
        database.commit()


def other_tables(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE dialogues (id TEXT)")
        database.commit()


def overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:4096] = bytes(3996)
    path.write_bytes(data)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def locked(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("UPDATE sessions SET description = description")
    database.commit()
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    return database


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (renamed_column, "its tables lack columns that are known"),
        (other_tables, "has no sessions that are known"),
        (overwritten, "cannot be read: "),
        (cut, "cannot be read: "),
        (locked, "cannot be read: database is locked"),
    ],
)
def test_a_store_that_cannot_be_read_says_why(
    change: Callable[[Path], sqlite3.Connection | None],
    why: str,
    commands: Commands,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    places(tmp_path, {"goose": VICTIMS["goose"], **OTHERS}, monkeypatch)
    path = tmp_path / "logs" / "goose" / "sessions.db"
    held = change(path)
    try:
        for command in ("cat", "events", "stats", "doctor", "export"):
            code, _, err = commands(command, str(path))
            assert code == 1
            assert why in err
            assert len(err.splitlines()) == 2
        rows = check_all(commands, [*OTHERS])
    finally:
        if held is not None:
            held.close()
    mine = [row["title"] for row in rows if row["provider"] == "goose"]
    assert all(title.startswith("could not be read: ") for title in mine)
    assert len(mine) == (0 if change is other_tables else 1)


def test_who_sees_a_session_of_a_damaged_database_is_told(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places(tmp_path, {"goose": VICTIMS["goose"]}, monkeypatch)
    path = tmp_path / "logs" / "goose" / "sessions.db"
    refs = refs_of("goose", tmp_path)
    data = bytearray(path.read_bytes())
    shown: Sequence[Sequence[str]] = (
        ("cat",), ("cat", "--raw"), ("events",), ("events", "--records"), ("stats", "--json"),
        ("stats",), ("diff",), ("export", "--format", "json"), ("export", "--format", "html"),
        ("export", "--format", "markdown"), ("doctor",), ("secrets",),
    )  # fmt: skip

    def told(*arguments: str) -> int:
        _, _, err = commands(*arguments)
        return err.count("is damaged, so that records may be missing")

    assert [told(*each, ref.path) for ref in refs for each in shown] == [0] * 2 * len(shown)
    for at in range(4096, len(data), 97):
        data[at] ^= 0xFF
    path.write_bytes(data)
    # SQLite raises for the first session, and reads the other without an error.
    broken, other = refs
    for arguments in shown:
        assert told(*arguments, other.path) == 1, arguments
        code, out, err = commands(*arguments, broken.path)
        assert "malformed" in out + err, (arguments, code)
    # One sentence for a database, and none of what was read before.
    assert told("stats", str(path.parent)) == 1
    assert told("stats", str(path.parent)) == 1
    assert told("ls") == told("cat", str(SAMPLES / OTHERS["codex"])) == 0
