"""Scans: what is known at once, what has changed since, and homes that are odd."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentview.providers import load_provider, provider_names
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.scanner import (
    find_refs,
    newest_first,
    scan_sessions,
    session_roots,
)
from agentview.sessions.library.search_roots import Roots, ScanBatch
from agentview.sessions.library.session_record import SessionFacts
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write

FIRST, SECOND = "1" * 8 + "-1111-4111-8111-" + "1" * 12, "2" * 8 + "-2222-4222-8222-" + "2" * 12
SAMPLES = [(name, sample_sessions_dir() / name) for name in provider_names()]


def log(place: Path, name: str, prompt: str, *, at: float = 1_000_000.0) -> Path:
    path = place / "-home-dev-shop" / f"{name}.jsonl"
    write(path, [ClaudeLog(name).prompt(prompt)])
    os.utime(path, (at, at))
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "projects").mkdir()
    return tmp_path / "projects"


@pytest.fixture
def roots(place: Path) -> Roots:
    return [("claude_code", place)]


@pytest.fixture
def catalogue(tmp_path: Path) -> SessionCache:
    return SessionCache(tmp_path / "cache" / "catalogue.sqlite")


def titles(found: Sequence[ScanBatch]) -> list[str | None]:
    return [facts.info.title for batch in found for facts in batch.facts]


class TestWithoutACatalogue:
    def test_finds_every_sample_session_in_batches_that_add_up(self):
        batches = list(scan_sessions(SAMPLES))
        assert batches[0].facts == ()
        paths = [facts.info.ref.path for batch in batches for facts in batch.facts]
        assert len(paths) == len(set(paths)) == batches[-1].total > 0
        assert any(path.endswith("demo.jsonl") for path in paths)
        assert [batch.done for batch in batches] == [False] * (len(batches) - 1) + [True]

    def test_progress_only_grows_until_all_is_looked_at(self):
        batches = list(scan_sessions(SAMPLES))
        checked = [batch.checked for batch in batches]
        assert checked == sorted(checked)
        assert checked[0] == 0
        assert checked[-1] >= batches[-1].total

    def test_the_newest_file_comes_first(self, place: Path, roots: Roots):
        log(place, FIRST, "older", at=1.0)
        log(place, SECOND, "newer", at=2.0)
        assert titles(list(scan_sessions(roots))) == ["newer", "older"]
        refs = newest_first(load_provider("claude_code").scan(place))
        assert [ref.session_id for ref in refs] == [SECOND, FIRST]
        assert newest_first([*refs, *refs]) == refs

    def test_stops_when_it_is_told_to(self):
        calls: list[int] = []

        def stopped() -> bool:
            calls.append(1)
            return len(calls) > 1

        batches = list(scan_sessions(SAMPLES, stopped))
        assert [facts for batch in batches for facts in batch.facts] == []
        assert not any(batch.done for batch in batches)

    def test_a_place_that_is_not_there_holds_nothing(self, tmp_path: Path):
        batches = list(scan_sessions([("claude_code", tmp_path / "none")]))
        assert {batch.total for batch in batches} == {0}
        assert [batch.done for batch in batches] == [False, True]


class TestWithACatalogue:
    def scan(self, roots: Roots, catalogue: SessionCache) -> list[ScanBatch]:
        return list(scan_sessions(roots, catalogue=catalogue))

    def test_the_second_scan_gives_the_same_at_once(self, catalogue: SessionCache):
        def facts(found: Sequence[ScanBatch]) -> set[SessionFacts]:
            return {facts for batch in found for facts in batch.facts}

        first = self.scan(SAMPLES, catalogue)
        second = self.scan(SAMPLES, catalogue)
        assert facts(first) == facts(second)
        assert set(second[0].facts) == facts(first)
        assert all(batch.facts == () and batch.checked == batch.total for batch in second[1:])

    def test_a_log_that_is_as_it_was_is_not_read_again(
        self, place: Path, roots: Roots, catalogue: SessionCache
    ):
        path = log(place, FIRST, "Mend the till")
        self.scan(roots, catalogue)
        status = path.stat()
        data = path.read_bytes().replace(b"Mend", b"Sell")
        with path.open("r+b") as file:
            file.write(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert titles(self.scan(roots, catalogue)) == ["Mend the till"]
        os.utime(path, (2_000_000.0, 2_000_000.0))
        assert titles(self.scan(roots, catalogue)) == ["Mend the till", "Sell the till"]
        assert titles(self.scan(roots, catalogue)) == ["Sell the till"]

    def test_new_logs_are_found_and_removed_ones_forgotten(
        self, place: Path, roots: Roots, catalogue: SessionCache
    ):
        path = log(place, FIRST, "One")
        self.scan(roots, catalogue)
        log(place, SECOND, "Two")
        path.unlink()
        found = self.scan(roots, catalogue)
        assert titles(found) == ["One", "Two"]
        assert [gone for batch in found for gone in batch.gone] == [str(path)]
        assert found[-1].total == 1
        assert titles(self.scan(roots, catalogue)) == ["Two"]

    def test_what_is_no_log_is_not_looked_at_twice_and_may_become_one(
        self, place: Path, roots: Roots, catalogue: SessionCache
    ):
        odd = place / "-home-dev-shop" / "notes.jsonl"
        odd.parent.mkdir()
        odd.write_text('{"note": "buy milk"}\n')
        assert self.scan(roots, catalogue)[-1].total == 1
        assert [batch.total for batch in self.scan(roots, catalogue)] == [0, 0]
        write(odd, [ClaudeLog(FIRST).prompt("Hello")])
        assert titles(self.scan(roots, catalogue)) == ["Hello"]
        odd.write_text('{"note": "no longer"}\n')
        found = self.scan(roots, catalogue)
        assert [gone for batch in found for gone in batch.gone] == [str(odd)]

    def test_another_place_does_not_take_anything_away(
        self, tmp_path: Path, place: Path, roots: Roots, catalogue: SessionCache
    ):
        log(place, FIRST, "One")
        self.scan(roots, catalogue)
        other = [("claude_code", tmp_path / "other")]
        assert titles(self.scan(other, catalogue)) == []
        assert titles(self.scan(roots, catalogue)) == ["One"]

    def test_sessions_are_found_without_their_facts(
        self, place: Path, roots: Roots, catalogue: SessionCache
    ):
        known = log(place, FIRST, "One", at=1.0)
        self.scan(roots, catalogue)
        new = log(place, SECOND, "Two", at=2.0)
        refs = find_refs(roots, catalogue)
        assert [ref.path for ref in refs] == [str(new), str(known)]
        assert catalogue.info(refs[0]) is None
        assert catalogue.info(refs[1]) is not None
        new.unlink()
        assert [ref.path for ref in find_refs(roots, catalogue)] == [str(known)]


class TestOddHomes:
    def test_a_place_and_a_link_to_it_are_one(self, tmp_path: Path, place: Path):
        log(place, FIRST, "One")
        (tmp_path / "link").symlink_to(place)
        roots = [("claude_code", place), ("claude_code", tmp_path / "link")]
        assert titles(list(scan_sessions(roots))) == ["One"]
        nested = [("claude_code", place), ("claude_code", place / "-home-dev-shop")]
        assert titles(list(scan_sessions(nested))) == ["One"]

    def test_folders_that_lead_into_themselves_end(self, place: Path, roots: Roots):
        log(place, FIRST, "One")
        (place / "-home-dev-shop" / "again").symlink_to(place)
        (place / "round").symlink_to(place / "round")
        assert titles(list(scan_sessions(roots))) == ["One"]

    def test_logs_of_other_clients_that_a_link_leads_to_are_none(
        self, place: Path, roots: Roots, tmp_path: Path
    ):
        log(place, FIRST, "One")
        other = tmp_path / "other" / "chats"
        other.mkdir(parents=True)
        shutil.copy(sample_sessions_dir() / "qwen_code" / "demo.jsonl", other / f"{SECOND}.jsonl")
        log(tmp_path / "own", SECOND, "Two")
        (place / "link").symlink_to(tmp_path / "other")
        (place / "away").symlink_to(tmp_path / "own")
        assert sorted(map(str, titles(list(scan_sessions(roots))))) == ["One", "Two"]

    def test_what_is_no_file_is_not_opened(self, place: Path, roots: Roots):
        log(place, FIRST, "One")
        os.mkfifo(place / "-home-dev-shop" / "pipe.jsonl")
        (place / "-home-dev-shop" / "nowhere.jsonl").symlink_to(place / "nowhere")
        (place / "-home-dev-shop" / f"{SECOND}.jsonl").mkdir()
        assert titles(list(scan_sessions(roots))) == ["One"]

    def test_logs_that_vanish_meanwhile_are_nothing(self, place: Path, roots: Roots):
        log(place, FIRST, "One", at=1.0)
        scan = scan_sessions(roots)
        assert next(scan).total == 1
        shutil.rmtree(place)
        assert all(facts.info.title is None for batch in scan for facts in batch.facts)

    def test_names_that_are_no_text(self, place: Path, roots: Roots, catalogue: SessionCache):
        log(place, FIRST, "Odd").rename(place / "sess\udcffion.jsonl")
        assert titles(list(scan_sessions(roots, catalogue=catalogue))) == ["Odd"]
        again = list(scan_sessions(roots, catalogue=catalogue))
        assert titles(again[:1]) == titles(again) == ["Odd"]


def test_each_place_is_named_once(tmp_path: Path):
    env = {**os.environ, "HOME": str(tmp_path)}
    roots = session_roots(env)
    real = [(name, os.path.realpath(root)) for name, root in roots]
    assert len(real) == len(set(real)) > 0
    assert session_roots(env, "claude_code")


def test_databases_of_several_projects_are_all_listed_each_once(tmp_path: Path):
    sample = sample_sessions_dir() / "crush" / "crush.db"
    roots: list[tuple[str, Path]] = []
    for project in ("one", "two"):
        (tmp_path / project).mkdir()
        shutil.copy(sample, tmp_path / project / "crush.db")
        roots.append(("crush", tmp_path / project))
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "crush.db").symlink_to(tmp_path / "one" / "crush.db")
    roots.append(("crush", tmp_path / "link"))
    own = [ref.path for ref in find_refs(roots[:1], SessionCache(tmp_path / "a.sqlite"))]
    listed = {ref.path for ref in find_refs(roots, SessionCache(tmp_path / "b.sqlite"))}
    assert own
    assert listed == {path.replace("/one/", f"/{name}/") for path in own for name in ("one", "two")}


def test_a_home_without_clients_is_asked_for_few_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def counting(name: str) -> None:
        real = getattr(os, name)

        def counted(path: object, *more: object, **named: object) -> object:
            asked.append(path)
            return real(path, *more, **named)

        monkeypatch.setattr(os, name, counted)

    for name in ("stat", "lstat", "open", "scandir", "listdir"):
        counting(name)
    (tmp_path / ".config").mkdir()
    roots = session_roots({"HOME": str(tmp_path)})
    assert len(roots) > 100
    assert list(scan_sessions(roots))[-1].total == 0
    inside = [path for path in asked if str(path).startswith(str(tmp_path))]
    assert len(inside) < 40
