"""Only `sources` opens what others write, be it a file or a database."""

import ast
from pathlib import Path

from tests.architecture.sources import MODULES, PACKAGE, parse

OPENS = {"open", "read_bytes", "read_text"}
OWN_FILES = {
    "sessions/annotations/session_file.py": "bookmarks",
    "sessions/archive/copying.py": "the archive, which is ours",
    "sessions/archive/manifest.py": "a manifest of ours",
    "reports/blame/lines.py": "a file of the project",
    "reports/export/parquet_manifest.py": "a manifest of ours",
    "reports/export/parquet_partitions.py": "rows on their way to a table",
    "notify/budgets.py": "of which budgets there was a notice",
    "notify/once.py": "when occasions began",
    "cli/commands/dev/census.py": "a census of our own",
    "sessions/clients/seen.py": "which process had which session",
    "cli/closed_streams.py": "the null device",
    "cli/commands/dev/fixtures.py": "a list of keys",
    "cli/commands/trace.py": "a trace of our own",
    "drift/fixtures.py": "a list of keys",
    "cli/kept_status.py": "the kept answer of a command, and start times of processes",
    "drift/trace_session.py": "a trace of our own",
    "system/platforms.py": "the terminal, and files without names",
    "system/file_writing.py": "what we write",
    "facts/kept/index_file.py": "what we keep of logs",
    "facts/search/indexer.py": "the lock of our index",
    "settings/toml_file.py": "settings and themes",
    "settings/writing.py": "settings",
    "facts/usage/kept_prices.py": "prices that were looked up",
}
"""Modules that open files which are no logs, and which."""
OWN_DATABASES = {
    "cli/doctor_report/environment.py",
    "facts/kept/facts_db.py",
    "facts/usage/kept_usage.py",
    "reports/away/kept_work.py",
    "sessions/library/cache_db.py",
    "system/own_database.py",
    "facts/search/all_sessions.py",
    "facts/search/fts_index.py",
    "facts/search/indexer.py",
}
"""Modules that deal with the catalogue and the index."""


def modules() -> list[tuple[str, Path]]:
    named = ((path.relative_to(PACKAGE).as_posix(), path) for path in MODULES)
    return [(name, path) for name, path in named if not name.startswith("sources/")]


def opens_files(path: Path) -> bool:
    """Whether a module calls `open`, `os.open`, or what opens a path."""
    text = path.read_text()
    if not any(name in text for name in OPENS):
        return False
    for node in ast.walk(parse(path)):
        if not isinstance(node, ast.Call):
            continue
        call = node.func
        if isinstance(call, ast.Name) and call.id == "open":
            return True
        if not isinstance(call, ast.Attribute) or call.attr not in OPENS:
            continue
        owner = ast.unparse(call.value)
        # Methods of our own and of libraries have the name too.
        is_path = owner == "os" or owner.rpartition(".")[2] in {"path", "log", "target", "_MOUNTS"}
        if is_path or call.attr == "read_bytes":
            return True
    return False


def test_no_other_package_opens_a_log():
    found = {name for name, path in modules() if opens_files(path)}
    assert found == set(OWN_FILES)


def test_no_other_module_reads_a_database():
    def imports_sqlite(path: Path) -> bool:
        return "sqlite3" in path.read_text() and any(
            (isinstance(node, ast.Import) and any(a.name == "sqlite3" for a in node.names))
            or (isinstance(node, ast.ImportFrom) and node.module == "sqlite3")
            for node in ast.walk(parse(path))
        )

    found = {name for name, path in modules() if imports_sqlite(path)}
    assert found == OWN_DATABASES
