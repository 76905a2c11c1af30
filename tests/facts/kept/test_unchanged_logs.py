"""Facts are kept of logs of all sizes, and of a log that did not change without opening it."""

import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

import agentview
from agentview.domain.session import SessionRef
from agentview.facts.kept import indexed_log, rules
from agentview.facts.kept.index_file import index_folder
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.facts.kept.rules import rules_in
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.facts.kept.test_indexed_log import read, taken

YEAR_AGO = 365 * 86_400


class _Opened:
    """The files that are opened below a folder; an audit hook cannot be taken away."""

    below: str | None = None
    paths: list[str]

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if self.below is not None and event in {"open", "sqlite3.connect"}:
            path = str(args[0])
            if self.below in path:
                self.paths.append(path)


_opened = _Opened()
sys.addaudithook(_opened)


@contextmanager
def opened_below(folder: Path) -> Generator[list[str]]:
    _opened.below, _opened.paths = str(folder), []
    try:
        yield _opened.paths
    finally:
        _opened.below = None


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


def copied(provider: str, sample: str, folder: Path) -> SessionRef:
    """The first session of a sample, whose log was written long ago."""
    source = sample_sessions_dir() / provider / sample
    place = folder / source.name
    if source.is_dir():
        shutil.copytree(source, place)
    else:
        shutil.copy(source, place)
    age(place)
    loaded = load_provider(provider)
    if loaded.database is not None:
        return loaded.scan(place)[0]
    return loaded.discovery.ref(place)


def age(place: Path, seconds: int = YEAR_AGO) -> None:
    when = place.stat().st_mtime - seconds
    os.utime(place, (when, when))


@pytest.mark.parametrize(
    ("provider", "sample"),
    [
        ("claude_code", "classic.jsonl"),
        ("codex", "errors.jsonl"),
        ("gemini_cli", "document.json"),
        ("continue_cli", "demo.json"),
        ("opencode", "opencode.db"),
    ],
)
def test_a_log_that_did_not_change_is_not_opened_again(provider: str, sample: str, logs: Path):
    ref = copied(provider, sample, logs)
    first = read(ref)
    assert first
    with opened_below(logs) as opened:
        assert read(ref) == first
    assert opened == []


def test_a_log_that_grew_is_read_on(logs: Path):
    ref = copied("claude_code", "classic.jsonl", logs)
    path = Path(ref.path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    age(path)
    read(ref)
    with IndexedLog(ref) as log:
        before = taken(log)
        with path.open("ab") as file:
            file.write(lines[-2])
        grown = log.poll().records
        with path.open("ab") as file:
            file.write(lines[-1])
        assert read(ref) == [*before, *grown, *log.poll().records]
    age(path)
    whole = read(ref)
    assert [each.offset for each in whole][-2:] == [len(b"".join(lines[:at])) for at in (-2, -1)]
    with opened_below(logs) as opened:
        assert read(ref) == whole
    assert opened == []


def test_a_log_that_became_another_one_is_read_anew(logs: Path):
    ref = copied("claude_code", "classic.jsonl", logs)
    path = Path(ref.path)
    lines = path.read_bytes().splitlines(keepends=True)
    with IndexedLog(ref) as log:
        taken(log)
    with IndexedLog(ref) as log:
        assert len(taken(log)) == len(lines)
        path.write_bytes(b"".join(lines[:3]))
        chunk = log.poll()
        assert chunk.reset
        assert len(chunk.records) == 3


def test_a_last_line_without_its_end_is_given_each_time(logs: Path):
    ref = copied("claude_code", "classic.jsonl", logs)
    path = Path(ref.path)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    age(path)
    first = read(ref)
    assert read(ref) == read(ref) == first


@pytest.mark.parametrize("sample", ["classic.jsonl", "forked.jsonl"])
def test_only_records_of_large_logs_are_kept(
    sample: str, logs: Path, monkeypatch: pytest.MonkeyPatch
):
    ref = copied("claude_code", sample, logs)
    size = Path(ref.path).stat().st_size
    for least, is_kept in ((size + 1, False), (size // 2, True)):
        monkeypatch.setattr(indexed_log, "LEAST", least)
        assert read(ref)
        assert any(path.is_file() for path in index_folder().rglob("*")) == is_kept


def test_the_digest_of_the_rules_covers_every_folder_of_code(tmp_path: Path):
    package = tmp_path / "agentview"
    own = Path(agentview.__file__).parent
    for name in rules.DECIDING:
        shutil.copytree(own / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    folders = {module.parent: module for module in package.rglob("*.py")}
    assert package / "normalize" / "tools" in folders
    before = rules_in(package)
    for module in folders.values():
        module.write_bytes(module.read_bytes() + b"\n")
        assert rules_in(package) != before, module
        before = rules_in(package)
