"""The children that scan and index: what they give, and that they end when nobody waits."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.scanner import scan_sessions
from agentview.sessions.library.scan.workers import index_in_worker, scan_in_worker
from agentview.sessions.library.search_roots import Roots, ScanBatch, SearchRoots
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, conversation, write
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

ROOTS = [(name, sample_sessions_dir() / name) for name in ("claude_code", "codex")]


@pytest.fixture(autouse=True)
def _own_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))


def scan(roots: Roots, stopped: Callable[[], bool] = lambda: False) -> Iterator[ScanBatch]:
    return scan_in_worker(SearchRoots(fixed=roots), stopped)


def index(roots: Roots) -> Iterator[ScanBatch]:
    return index_in_worker(SearchRoots(fixed=roots))


def children() -> list[int]:
    """Processes that this one has started and that still run."""
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(pid) for pid in listed if b"agentview.sessions.library" in _command(pid)]


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def many(place: Path, count: int, records: int = 1) -> Roots:
    for number in range(count):
        name = f"{number:08d}-1111-4111-8111-111111111111"
        write(place / "-w" / f"{name}.jsonl", conversation(ClaudeLog(name), records))
    return [("claude_code", place)]


class TestScanning:
    def test_a_child_finds_what_this_process_does(self):
        here = {facts for batch in scan_sessions(ROOTS) for facts in batch.facts}
        first = list(scan(ROOTS))
        second = list(scan(ROOTS))
        assert {facts for batch in first for facts in batch.facts} == here
        assert set(second[0].facts) == here
        assert first[-1].done
        assert second[-1].done
        assert children() == []

    def test_it_works_without_a_catalogue(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("AGENTVIEW_CACHE_DIR", "/proc/nowhere")
        for _ in range(2):
            found = list(scan(ROOTS))
            assert sum(len(batch.facts) for batch in found) == found[-1].total > 20

    def test_it_ends_when_nobody_wants_more(self, tmp_path: Path):
        found_by = scan(many(tmp_path / "projects", 400))
        next(found_by)
        assert len(children()) == 1
        assert isinstance(found_by, Iterator)
        found_by.close()  # type: ignore[attr-defined]
        assert children() == []

    def test_it_ends_when_it_is_told_to(self):
        assert list(scan(ROOTS, lambda: True)) == []
        assert children() == []

    def test_the_thread_goes_on_where_a_child_died(self, tmp_path: Path):
        found_by = scan(many(tmp_path / "projects", 30))
        found = [next(found_by)]
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        found += found_by
        assert found[-1].done
        assert {facts.info.ref.path for batch in found for facts in batch.facts} == {
            str(path) for path in (tmp_path / "projects" / "-w").iterdir()
        }

    def test_a_program_that_cannot_be_started_is_done_without(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr("sys.executable", str(tmp_path / "none"))
        assert list(scan(ROOTS))[-1].done
        assert list(index(ROOTS)) == []


class TestPlaces:
    def test_a_child_looks_where_the_environment_says(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
        many(tmp_path / ".claude" / "projects", 2)
        many(tmp_path / "more", 3)
        places = SearchRoots("claude_code", {"claude_code": ["~/more"]})
        found = list(scan_in_worker(places))
        assert found[-1].total == 5
        with SessionCache() as catalogue:
            assert len(catalogue.newest(10, places.test())) == 5
            assert catalogue.newest(10, SearchRoots("codex").test()) == []
            assert catalogue.labels()["claude_code"] == "Claude Code"
        (first, *_) = scan_in_worker(SearchRoots("codex"))
        assert len(first.gone) == 5
        with SessionCache() as catalogue:
            assert len(catalogue.rows()) == 5


class TestIndexing:
    def totals(self, roots: Roots) -> dict[str, int]:
        with SessionCache() as catalogue:
            found = catalogue.read(roots)
        return {f.info.ref.path: f.totals.turns for f in found if f.totals is not None}

    def index(self, roots: Roots) -> list[ScanBatch]:
        return list(index(roots))

    def test_fills_in_what_logs_hold(self, tmp_path: Path):
        roots = many(tmp_path / "projects", 5)
        list(scan(roots))
        found = self.index(roots)
        told = [facts for batch in found for facts in batch.facts]
        assert [facts.totals.turns for facts in told if facts.totals is not None] == [1] * 5
        assert (found[0].checked, found[-1].checked, found[-1].total) == (0, 5, 5)
        assert found[-1].done
        assert len(self.totals(roots)) == 5
        (listed,) = {type(f.totals) for batch in scan(roots) for f in batch.facts}
        assert listed is not type(None)

    def test_what_is_indexed_is_not_read_again_until_it_changes(self, tmp_path: Path):
        roots = many(tmp_path / "projects", 3)
        list(scan(roots))
        self.index(roots)
        assert [batch.facts for batch in self.index(roots)] == [(), ()]
        path = next((tmp_path / "projects" / "-w").iterdir())
        log = ClaudeLog(path.stem)
        write(path, [log.prompt("One"), log.text("Yes"), log.prompt("Two")])
        os.utime(path, (1_000_000.0, 1_000_000.0))
        list(scan(roots))
        (changed,) = [facts for batch in self.index(roots) for facts in batch.facts]
        assert changed.totals is not None
        assert (changed.info.ref.path, changed.totals.turns) == (str(path), 2)

    def test_a_log_that_grows_is_left_alone_for_a_minute(self, tmp_path: Path):
        roots = many(tmp_path / "projects", 1)
        list(scan(roots))
        self.index(roots)
        path = next((tmp_path / "projects" / "-w").iterdir())
        with path.open("ab") as file:
            file.write(ClaudeLog(path.stem).prompt("More"))
        list(scan(roots))
        assert [facts for batch in self.index(roots) for facts in batch.facts] == []

    def test_goes_on_where_it_was_killed(self, tmp_path: Path):
        roots = many(tmp_path / "projects", 40, records=400)
        list(scan(roots))
        work = index(roots)
        next(work)
        deadline = time.monotonic() + PATIENCE
        while not self.totals(roots) and time.monotonic() < deadline:
            time.sleep(0.02)
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        assert not any(batch.done for batch in work)
        known = len(self.totals(roots))
        assert known > 0
        found = self.index(roots)
        assert found[0].checked == known
        assert len(self.totals(roots)) == 40

    def test_the_newest_come_first(self, tmp_path: Path):
        roots = many(tmp_path / "projects", 3)
        paths = sorted((tmp_path / "projects" / "-w").iterdir())
        for day, path in enumerate(paths, 1):
            time_of_day = f"2026-11-0{day}T10:".encode()
            path.write_bytes(path.read_bytes().replace(b"2026-11-21T10:", time_of_day))
        list(scan(roots))
        told = [facts.info.ref.path for batch in self.index(roots) for facts in batch.facts]
        assert told == [str(path) for path in reversed(paths)]

    def test_without_a_catalogue_the_newest_are_indexed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setenv("AGENTVIEW_CACHE_DIR", "/proc/nowhere")
        roots = many(tmp_path / "projects", 3)
        found = self.index(roots)
        assert sum(len(batch.facts) for batch in found) == 3

    def test_a_log_that_cannot_be_read_holds_nothing(self, tmp_path: Path):
        roots = many(tmp_path / "projects", 2)
        list(scan(roots))
        gone = next((tmp_path / "projects" / "-w").iterdir())
        gone.unlink()
        assert self.index(roots)[-1].checked == 2
