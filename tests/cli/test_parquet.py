"""Sessions as Parquet files: the queries of docs/scale.md give the figures of `agentview stats`.

Needs DuckDB, one test chdb as well: `pip install duckdb chdb`.
"""

import json
import re
import shutil
import stat
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine
from tests.redaction.planted import VENDORS

duckdb = pytest.importorskip("duckdb", reason="needs DuckDB: pip install duckdb")

Rows = list[dict[str, Any]]
Query = Callable[[str], Rows]
TABLES = ("sessions", "turns", "calls", "responses", "edits")
PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


def queries() -> dict[int, str]:
    """The queries of the page by their numbers."""
    (block,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)
    parts = re.split(r"^-- (\d+): .*\n", block, flags=re.MULTILINE)[1:]
    return {
        int(number): text.strip().rstrip(";")
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.fixture
def home(agentview: CommandLine) -> Path:
    """The samples of three clients at their places."""
    samples = sample_sessions_dir()
    claude = agentview.home / ".claude" / "projects" / "-home-dev-ws-till"
    shutil.copytree(samples / "claude_code", claude)
    codex = agentview.home / ".codex" / "sessions" / "2026" / "11" / "21"
    codex.mkdir(parents=True)
    for path in (samples / "codex").glob("*.jsonl"):
        shutil.copy(path, codex / f"rollout-2026-11-21T00-00-00-{path.name}")
    opencode = agentview.home / ".local" / "share" / "opencode"
    opencode.mkdir(parents=True)
    shutil.copy(samples / "opencode" / "opencode.db", opencode)
    return agentview.home


@pytest.fixture
def tables(agentview: CommandLine, home: Path, tmp_path: Path) -> Path:
    assert home.is_dir()
    place = tmp_path / "it's" / "tables"
    said = agentview.ok("events", "@all", "--format", "parquet", "--output", str(place))
    assert said.splitlines() == [str(place / f"{name}.parquet") for name in TABLES]
    return place


def by_duckdb(place: Path) -> Query:
    database = duckdb.connect(":memory:")
    database.execute("SET TimeZone = 'UTC'")
    for name in TABLES:
        path = str(place / f"{name}.parquet").replace("'", "''")
        database.execute(f"CREATE VIEW {name} AS FROM '{path}'")

    def ask(query: str) -> Rows:
        found = database.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    return ask


def by_clickhouse(place: Path) -> Query:
    reason = "needs the embedded ClickHouse: pip install chdb"
    session = pytest.importorskip("chdb.session", reason=reason).Session()
    session.query("CREATE DATABASE agentview ENGINE = Atomic")
    session.query("USE agentview")
    for name in TABLES:
        path = str(place / f"{name}.parquet").replace("'", "\\'")
        session.query(f"CREATE VIEW {name} AS SELECT * FROM file('{path}', 'Parquet')")  # noqa: S608

    def ask(query: str) -> Rows:
        lines = str(session.query(query, "JSONEachRow")).splitlines()
        return [json.loads(line) for line in lines if line]

    return ask


def same(found: object, expected: object) -> bool:
    """Whether two figures are the same; a database may give a count as a text."""
    if found is None or expected is None:
        return found is expected or not (found or expected)
    return isclose(float(str(found)), float(str(expected)), abs_tol=1e-9)


def moment(value: object) -> float:
    text = value.isoformat() if isinstance(value, datetime) else str(value).replace(" ", "T")
    parsed = datetime.fromisoformat(text if "+" in text else f"{text}+00:00")
    return parsed.timestamp()


class Stats:
    """`agentview stats --json`, asked once for each grouping."""

    def __init__(self, agentview: CommandLine) -> None:
        self._agentview = agentview
        self.all = self._read()

    def _read(self, *options: str) -> Mapping[str, Any]:
        return json.loads(self._agentview.ok("stats", "--json", *options))

    def by(self, key: str) -> dict[str, tuple[Any, Any]]:
        """Output tokens and estimated cost by the name of a group, where there is any."""
        name = "path" if key == "session" else "key"
        return {
            str(each[name]): (each["output"], each["cost_estimate"])
            for each in self._read("--by", key)["groups"]
            if each["responses"] or each["output"]
        }


def check_groups(
    rows: Sequence[Mapping[str, Any]], expected: Mapping[str, tuple[Any, Any]]
) -> None:
    names = [str(row["name"]) for row in rows]
    assert sorted(names) == sorted(expected)
    for row in rows:
        output, cost = expected[str(row["name"])]
        assert same(row["output"], output)
        assert same(row["cost"], cost)


@pytest.mark.parametrize("engine", [by_duckdb, by_clickhouse])
def test_the_queries_of_the_page_give_the_figures_of_stats(
    agentview: CommandLine, tables: Path, engine: Callable[[Path], Query]
) -> None:
    ask, stats, query = engine(tables), Stats(agentview), queries()
    assert sorted(query) == list(range(1, 11))
    total = stats.all["total"]
    (row,) = ask(query[1])
    for name in ("responses", "input_uncached", "input_cached", "cache_write", "output"):
        assert same(row[name], total[name])
        assert total[name]
    assert same(row["cost"], total["cost_estimate"])
    check_groups(ask(query[2]), stats.by("model"))
    days = [{**row, "name": str(row["name"])[:10]} for row in ask(query[3])]
    check_groups(days, {day: sums for day, sums in stats.by("day").items() if day != "None"})
    # Who a home directory belongs to is masked.
    projects = {name.replace("/dev/", "/***/"): sums for name, sums in stats.by("project").items()}
    check_groups(ask(query[4]), projects)
    check_groups(ask(query[5]), stats.by("session"))
    check_groups(ask(query[6]), stats.by("provider"))
    parts = {str(row["is_agent"]).lower(): row for row in ask(query[7])}
    for part, name in (("false", "own"), ("true", "subagents")):
        assert same(parts[part]["responses"], stats.all[name]["responses"])
        assert same(parts[part]["output"], stats.all[name]["output"])
    tools = {each["kind"]: each for each in stats.all["tools"] if each["kind"] != "unknown"}
    calls = {row["name"]: row for row in ask(query[8]) if row["name"] != "unknown"}
    assert calls.keys() == tools.keys()
    for kind, tool in tools.items():
        assert same(calls[kind]["calls"], tool["calls"]), kind
        assert same(calls[kind]["problems"], tool["problems"]), kind
    assert same(ask(query[9])[0]["turns"], stats.all["turns"])
    (row,) = ask(query[10])
    for name in ("sessions", "agents", "compactions"):
        assert same(row[name], stats.all[name])
    for name in ("started", "ended"):
        assert isclose(moment(row[name]), moment(stats.all[name].replace("Z", "+00:00")))


def test_edits_are_those_of_the_calls(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [
        log.prompt("Write"),
        log.call("w", "Write", file_path="/home/dev/shop/a.py", content="one\ntwo\n"),
        log.result("w", "File created successfully at: /home/dev/shop/a.py"),
    ]
    path = write(tmp_path / "log.jsonl", records)
    agentview.ok("events", str(path), "--format", "parquet", "-o", str(tmp_path / "out"))
    (row,) = by_duckdb(tmp_path / "out")("SELECT * FROM edits")
    assert (row["path"], row["action"], row["added"], row["agent"]) == (
        "/home/***/shop/a.py", "write", 2, None,
    )  # fmt: skip


def test_files_are_private_masked_and_whole(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog()
    token, secret = VENDORS["GitHub"]
    hostile = "'); ATTACH 'x' AS y; -- \x1b]0;title\x07 \u202e \x00"
    path = write(tmp_path / "log.jsonl", [log.prompt(f"{token} {hostile}"), log.text("Done.")])
    place = tmp_path / "out"
    for _ in range(2):
        agentview.ok("events", str(path), "--format", "parquet", "-o", str(place))
    files = sorted(place.iterdir())
    assert [file.name for file in files] == sorted(f"{name}.parquet" for name in TABLES)
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    ((prompt,),) = [row.values() for row in by_duckdb(place)("SELECT prompt FROM turns")]
    assert secret not in prompt
    assert "ATTACH 'x' AS y" in prompt


def test_a_log_that_cannot_be_read_is_named_and_left_out(
    agentview: CommandLine, projects: Path, tmp_path: Path
) -> None:
    (projects / "-home-dev-shop" / "gone.jsonl").symlink_to("nowhere")
    (projects / "-home-dev-shop" / "bad.jsonl").write_bytes(b'{"type": "user"\xff\x00{{{\n' * 9)
    done = agentview("events", "@all", "--format", "parquet", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    rows = by_duckdb(tmp_path / "out")("SELECT session FROM sessions")
    assert {FIRST, SECOND, THIRD} <= {row["session"] for row in rows}


def test_what_cannot_be_is_a_sentence(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", [ClaudeLog().prompt("Go")])
    form = ("events", str(path), "--format", "parquet")
    assert "--output DIR" in agentview.fails(2, *form)
    assert "jsonl" in agentview.fails(2, *form, "--follow", "-o", str(tmp_path / "a"))
    assert "otlp" in agentview.fails(2, *form, "--endpoint", "http://x", "-o", str(tmp_path / "a"))
    assert "Cannot write" in agentview.fails(1, *form, "-o", str(path))
    assert "parquet" in agentview.fails(2, "events", str(path), "-o", "x")
    assert "parquet" in agentview.fails(2, "events", str(path), "--format", "otlp", "-o", "x")
