"""Sessions as Parquet files: the queries of docs/scale.md give the figures of `agentview stats`.

Needs DuckDB, one test chdb and one PostgreSQL as well: `pip install duckdb chdb`, `apt-get install
postgresql`.
"""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine
from tests.patience import PATIENCE
from tests.redaction.planted import VENDORS

duckdb = pytest.importorskip("duckdb", reason="needs DuckDB: pip install duckdb")

Rows = list[dict[str, Any]]
Query = Callable[[str], Rows]
TABLES = ("sessions", "turns", "calls", "responses", "edits")
FLAT = "{place}/{table}.parquet"
"""Where the tables of one session are."""
HIVE = ", hive_partitioning = true, hive_types = {'host': VARCHAR, 'day': DATE}"
PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)


def queries() -> dict[int, str]:
    """The queries of the page by their numbers."""
    parts = re.split(r"^-- (\d+): .*\n", blocks("sql")[1], flags=re.MULTILINE)[1:]
    return {
        int(number): text.strip().rstrip(";")
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    }


def views() -> list[str]:
    """The statements that make the views of the page."""
    return [statement for each in blocks("sql")[0].split(";") if (statement := each.strip())]


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
    assert re.fullmatch(r"\d+ sessions written to \d+ days of tables in .*/tables\.\n", said)
    return place


def by_duckdb(place: Path, files: str = "{place}/{table}/*/*/*.parquet") -> Query:
    database = duckdb.connect(":memory:")
    database.execute("SET TimeZone = 'UTC'")
    for name in TABLES:
        path = files.format(place=place, table=name).replace("'", "''")
        options = "" if files == FLAT else HIVE
        rows = f"SELECT * FROM read_parquet('{path}'{options})"  # noqa: S608
        database.execute(f"CREATE VIEW all_{name} AS {rows}")
    for view in views():
        database.execute(view)

    def ask(query: str) -> Rows:
        found = database.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    return ask


def by_clickhouse(place: Path) -> Query:
    reason = "needs the embedded ClickHouse: pip install chdb"
    session = pytest.importorskip("chdb.session", reason=reason).Session()
    session.query("CREATE DATABASE IF NOT EXISTS agentview ENGINE = Atomic")
    session.query("USE agentview")
    for name in TABLES:
        path = f"{place}/{name}/*/*/*.parquet".replace("'", "\\'")
        session.query(f"CREATE VIEW all_{name} AS SELECT * FROM file('{path}') "  # noqa: S608
                      "SETTINGS use_hive_partitioning = 0")  # fmt: skip
    for view in views():
        session.query(view)

    def ask(query: str) -> Rows:
        lines = str(session.query(query, "JSONEachRow")).splitlines()
        return [json.loads(line) for line in lines if line]

    return ask


@contextmanager
def postgres() -> Generator[Callable[..., str]]:
    """A server of its own, which ends with the block; gives psql."""
    # Debian has what starts a server outside of the PATH.
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    path = os.pathsep.join([*map(str, found), os.environ["PATH"]])
    programs = {name: shutil.which(name, path=path) for name in ("initdb", "postgres", "psql")}
    if None in programs.values():
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    # It does not run as root.
    user = "nobody" if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="agentview-postgres-"))
    if user is not None:
        shutil.chown(folder, user)
    log = (folder / "log").open("wb")
    run: dict[str, Any] = {
        "user": user,
        "cwd": folder,
        "stdout": log,
        "stderr": log,
        "env": {"PATH": path},
    }
    data = str(folder / "data")
    subprocess.run(
        [str(programs["initdb"]), "-D", data, "-A", "trust", "-U", "me", "-E", "UTF8", "-N"],
        check=True,
        **run,
    )
    server = subprocess.Popen(
        [str(programs["postgres"]), "-D", data, "-k", str(folder), "-h", "", "-F"], **run
    )

    def psql(*arguments: str, text: bytes = b"") -> str:
        given = (
            "-h",
            str(folder),
            "-U",
            "me",
            "-d",
            "postgres",
            "-X",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
        )
        done = subprocess.run(
            [str(programs["psql"]), *given, *arguments],
            input=text,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    try:
        wait_until(lambda: (folder / ".s.PGSQL.5432").exists() or server.poll() is not None)
        assert server.poll() is None, (folder / "log").read_text()
        wait_until(lambda: b"ready to accept connections" in (folder / "log").read_bytes())
        yield psql
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(PATIENCE)
        log.close()
        shutil.rmtree(folder)


def wait_until(happens: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < limit
        time.sleep(0.02)


@contextmanager
def by_postgres(place: Path) -> Generator[Query]:
    (script,) = blocks("python")
    with postgres() as psql:
        (place.parent / "to_postgres.py").write_text(script)
        shutil.copytree(place, plain := place.parent.parent / "plain")
        statements = subprocess.run(
            [sys.executable, str(place.parent / "to_postgres.py"), str(plain)],
            check=True,
            capture_output=True,
        ).stdout
        psql(text=statements)
        psql(text=("; ".join(views()) + ";").encode())

        def ask(query: str) -> Rows:
            select = f"SET TimeZone = 'UTC'; SELECT to_json(a) FROM ({query}) AS a"  # noqa: S608
            text = psql("-A", "-t", "-c", select)
            return [json.loads(line) for line in text.splitlines() if line]

        yield ask


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
    check_queries(engine(tables), agentview)


def test_postgres_gives_the_same_figures(agentview: CommandLine, tables: Path) -> None:
    with by_postgres(tables) as ask:
        check_queries(ask, agentview)


COUNTS = ("responses", "input_uncached", "input_cached", "cache_write", "output")


def check_sums(ask: Query, stats: Stats) -> None:
    """Compare the sums of all and of each session."""
    query, total = queries(), stats.all["total"]
    (row,) = ask(query[1])
    assert all(same(row[name], total[name]) for name in COUNTS)
    assert same(row["cost"], total["cost_estimate"])
    check_groups(ask(query[5]), stats.by("session"))


def check_queries(ask: Query, agentview: CommandLine) -> None:
    """Compare what the queries of the page find with what `agentview stats` says."""
    stats, query = Stats(agentview), queries()
    assert sorted(query) == list(range(1, 11))
    assert all(stats.all["total"][name] for name in COUNTS)
    check_sums(ask, stats)
    check_groups(ask(query[2]), stats.by("model"))
    days = [{**row, "name": str(row["name"])[:10]} for row in ask(query[3])]
    check_groups(days, {day: sums for day, sums in stats.by("day").items() if day != "None"})
    # Who a home directory belongs to is masked.
    projects = {name.replace("/dev/", "/***/"): sums for name, sums in stats.by("project").items()}
    check_groups(ask(query[4]), projects)
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
    (row,) = by_duckdb(tmp_path / "out", FLAT)("SELECT * FROM edits")
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
    ((prompt,),) = [row.values() for row in by_duckdb(place, FLAT)("SELECT prompt FROM turns")]
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
