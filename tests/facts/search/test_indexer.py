"""The index follows logs that grow, are written anew, and builders that are killed."""

import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.session import SessionRef
from agentview.facts.search import indexer
from agentview.facts.search.fts_index import SearchIndex
from agentview.facts.search.indexer import build_index, discard_index
from tests.claude_log import ClaudeLog, conversation, write
from tests.facts.search.searched import groups, index_of, places, ref_of

LINES = ("step", "echo", '"is done"', "línea 7", "step -echo", "toolu*", "kind:shell")


def settled(path: Path) -> Path:
    """A log that was written long ago."""
    os.utime(path, (1e9, 1e9))
    return path


def log_of(path: Path, turns: int, number: int = 0) -> SessionRef:
    """A session of some turns."""
    log = ClaudeLog(f"0b5f3a52-6c55-4f0e-9a51-{number:012d}")
    return ref_of(settled(write(path, conversation(log, turns))))


def same_as_reading(refs: list[SessionRef], index: SearchIndex | None) -> bool:
    """Whether the index, and reading what it does not hold, find what reading all finds."""
    return all(places(line, refs, index) == places(line, refs) for line in LINES)


def documents(index: SearchIndex) -> tuple[int, int]:
    """Documents that lead somewhere, and all."""
    return index.counts()


def test_what_is_old_is_whole_in_it(tmp_path: Path) -> None:
    ref = log_of(tmp_path / "a.jsonl", 30)
    index = index_of(tmp_path / "i.sqlite", [ref])
    log = index.logs()[ref.path]
    assert log.done == log.reached == Path(ref.path).stat().st_size
    assert documents(index) == (90, 90)
    assert groups("step", [ref], index)[1].directly == 0


def test_built_again_nothing_is_added(tmp_path: Path) -> None:
    ref = log_of(tmp_path / "a.jsonl", 10)
    index_of(tmp_path / "i.sqlite", [ref])
    assert documents(index_of(tmp_path / "i.sqlite", [ref])) == (30, 30)


@pytest.mark.slow
def test_of_a_log_that_grows_only_what_is_new_is_read(tmp_path: Path) -> None:
    path, place = tmp_path / "a.jsonl", tmp_path / "i.sqlite"
    records = conversation(ClaudeLog(), 40)
    # Every way to cut it: between calls and their results, and in the middle of a line.
    whole = b"".join(records)
    cuts = [
        len(b"".join(records[:count])) + extra for count in (3, 10, 50, 87) for extra in (0, 40)
    ]
    path.touch()
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        with path.open("ab") as file:
            file.write(whole[start:end])
        ref = ref_of(path) if end > 400 else log_of(tmp_path / "b.jsonl", 1)
        assert same_as_reading([ref], index_of(place, [ref]))
    ref = ref_of(settled(path))
    index = index_of(place, [ref])
    assert same_as_reading([ref], index)
    assert groups("step", [ref], index)[1].directly == 0
    assert documents(index)[0] == 120
    assert documents(index)[0] == documents(index)[1]


def test_what_came_since_is_found(tmp_path: Path) -> None:
    ref = log_of(tmp_path / "a.jsonl", 10)
    index = index_of(tmp_path / "i.sqlite", [ref])
    with Path(ref.path).open("ab") as file:
        file.write(ClaudeLog().prompt("Step 99 of a quokka"))
    found, account = groups("quokka", [ref], index)
    assert account.directly == 1
    assert len(found[ref.path].hits) == 1
    assert same_as_reading([ref], index)


def test_a_log_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    path, place = tmp_path / "a.jsonl", tmp_path / "i.sqlite"
    ref = log_of(path, 10)
    index = index_of(place, [ref])
    write(path, conversation(ClaudeLog(), 5, size=90))
    assert same_as_reading([ref], index)
    settled(path)
    index = index_of(place, [ref])
    assert same_as_reading([ref], index)
    assert documents(index) == (15, 45)


def test_a_log_that_was_replaced_or_cut_is_read_anew(tmp_path: Path) -> None:
    path, place = tmp_path / "a.jsonl", tmp_path / "i.sqlite"
    ref = log_of(path, 10)
    index_of(place, [ref])
    os.truncate(path, path.stat().st_size // 2)
    settled(path)
    assert same_as_reading([ref], index_of(place, [ref]))
    other = log_of(tmp_path / "b.jsonl", 7, 7)
    Path(other.path).replace(path)
    assert same_as_reading([ref], index_of(place, [ref]))


_WRITER = """
import sys, time
from tests.claude_log import ClaudeLog, conversation
with open(sys.argv[1], "ab", buffering=0) as file:
    for record in conversation(ClaudeLog(), 60)[1:]:
        file.write(record[:30]); time.sleep(0.001); file.write(record[30:])
"""


@pytest.mark.slow
def test_while_it_is_written_nothing_is_missed(tmp_path: Path) -> None:
    path, place = tmp_path / "a.jsonl", tmp_path / "i.sqlite"
    write(path, conversation(ClaudeLog(), 60)[:1])
    ref = ref_of(path)
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)])
    rounds = 0
    while writer.poll() is None:
        index = index_of(place, [ref])
        before = len(places("step", [ref]).get(ref.path, ()))
        found = len(places("step", [ref], index).get(ref.path, ()))
        assert found >= before
        index.close()
        rounds += 1
    assert writer.returncode == 0
    assert rounds > 1
    index = index_of(place, [ref_of(settled(path))])
    assert same_as_reading([ref], index)
    assert documents(index) == (180, 180)


_BUILDER = """
import sys
from pathlib import Path
from agentview.facts.search import indexer
from tests.facts.search.searched import ref_of
indexer._COMMIT_SECONDS = 0.0
refs = [ref_of(Path(name)) for name in sys.argv[2:]]
for progress in indexer.build_index(Path(sys.argv[1]), refs):
    print(progress.bytes, flush=True)
    sys.stdin.readline()
print("done", flush=True)
"""
"""Builds an index, and after each step waits for a line: it is never done before its time."""


@pytest.mark.slow
def test_a_builder_that_is_killed_is_gone_on_with(tmp_path: Path) -> None:
    refs = [log_of(tmp_path / f"{number}.jsonl", 40, number) for number in range(8)]
    refs.append(log_of(tmp_path / "long.jsonl", 400, 8))
    place = tmp_path / "i.sqlite"
    command = [sys.executable, "-c", _BUILDER, str(place), *(ref.path for ref in refs)]
    reached: list[int] = []
    for steps in (1, 3, 6, 8):
        builder = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert builder.stdin is not None
        assert builder.stdout is not None
        for _ in range(steps):
            assert builder.stdout.readline()
            builder.stdin.write("\n")
        # It may be anywhere in its next step, or at the end of it.
        builder.send_signal(signal.SIGKILL)
        assert "done\n" not in builder.stdout.readlines()
        builder.wait()
        index = SearchIndex.open(place)
        assert index is not None
        reached.append(sum(log.done for log in index.logs().values()))
        assert same_as_reading(refs[:2], index)
        index.close()
    assert reached == sorted(reached)
    assert 0 < reached[1] < reached[-1]
    index = index_of(place, refs)
    assert documents(index) == (3 * 720, 3 * 720)
    assert same_as_reading(refs, index)


def test_two_builders_do_not_work_at_once(tmp_path: Path) -> None:
    ref = log_of(tmp_path / "a.jsonl", 5)
    place = tmp_path / "i.sqlite"
    lock = os.open(f"{place}.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert list(build_index(place, [ref])) == []
    os.close(lock)
    assert documents(index_of(place, [ref])) == (15, 15)


def test_it_ends_when_it_is_told_to(tmp_path: Path) -> None:
    refs = [log_of(tmp_path / f"{number}.jsonl", 3, number) for number in range(20)]
    place = tmp_path / "i.sqlite"
    seen: list[object] = []
    seen.extend(build_index(place, refs, lambda: len(seen) >= 5))
    index = SearchIndex.open(place)
    assert index is not None
    assert len(index.logs()) == 5


@pytest.mark.slow
def test_a_damaged_index_is_done_without_and_made_anew(tmp_path: Path) -> None:
    refs = [log_of(tmp_path / f"{number}.jsonl", 8, number) for number in range(3)]
    place = tmp_path / "i.sqlite"
    index_of(place, refs).close()
    size = place.stat().st_size
    for damage in ("words", "pages", "empty"):
        if damage == "words":
            place.write_bytes(b"this is no database " * 100)
        elif damage == "pages":
            with place.open("r+b") as file:
                file.seek(4096 * 3)
                file.write(b"\xa5" * (size - 4096 * 3))
        else:
            place.write_bytes(b"")
        opened = SearchIndex.open(place)
        assert same_as_reading(refs, opened)
        if opened is not None:
            opened.close()
        index = index_of(place, refs)
        assert same_as_reading(refs, index)
        index.close()


def test_an_index_that_turned_out_damaged_is_removed(tmp_path: Path) -> None:
    place = tmp_path / "i.sqlite"
    place.write_bytes(b"x")
    discard_index(place)
    assert not place.exists()


def test_an_index_of_another_version_is_made_anew(tmp_path: Path) -> None:
    ref = log_of(tmp_path / "a.jsonl", 5)
    place = tmp_path / "i.sqlite"
    index_of(place, [ref]).close()
    with sqlite3.connect(place) as db:
        db.execute("UPDATE about SET kinds = 'others'")
    db.close()
    assert SearchIndex.open(place) is None
    assert documents(index_of(place, [ref])) == (15, 15)


def test_a_locked_index_is_read_and_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = log_of(tmp_path / "a.jsonl", 5)
    other = log_of(tmp_path / "b.jsonl", 5, 1)
    place = tmp_path / "i.sqlite"
    index_of(place, [ref]).close()
    monkeypatch.setattr("agentview.facts.search.fts_index._PATIENCE", 0.05)
    holder = sqlite3.connect(place, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    (progress,) = [each for each in build_index(place, [ref, other]) if each.trouble]
    assert progress.trouble == "the index cannot be brought up to date: database is locked"
    assert same_as_reading([ref, other], SearchIndex.open(place))
    holder.close()
    assert same_as_reading([ref, other], index_of(place, [ref, other]))


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    ref = log_of(tmp_path / "a.jsonl", 5)
    (tmp_path / "file").write_text("not a directory")
    (progress,) = build_index(tmp_path / "file" / "i.sqlite", [ref])
    assert progress.trouble is not None
    assert SearchIndex.open(tmp_path / "file" / "i.sqlite") is None
    assert progress.trouble.startswith("the index cannot be brought up to date: ")


@pytest.mark.slow
def test_a_full_disk_is_told_and_what_was_kept_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = [log_of(tmp_path / f"{number}.jsonl", 60, number) for number in range(3)]
    place = tmp_path / "i.sqlite"
    monkeypatch.setattr(indexer, "_COMMIT_SECONDS", 0.0)
    # A database that may not grow says the same as a disk without room.
    connect = sqlite3.connect

    def small(*args: Any, **options: Any) -> sqlite3.Connection:
        db = connect(*args, **options)
        db.execute("PRAGMA max_page_count = 20")
        return db

    monkeypatch.setattr(sqlite3, "connect", small)
    troubles = [each.trouble for each in build_index(place, refs) if each.trouble]
    assert troubles == ["the index cannot be brought up to date: database or disk is full"]
    opened = SearchIndex.open(place)
    assert opened is not None
    assert same_as_reading(refs, opened)


def test_a_log_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    place = tmp_path / "i.sqlite"
    first, second = (log_of(tmp_path / f"{name}.jsonl", 10, n) for n, name in enumerate("ab"))
    index_of(place, [first, second]).close()
    index = index_of(place, [first])
    assert set(index.logs()) == {first.path, second.path}
    index.close()
    Path(second.path).unlink()
    index = index_of(place, [first])
    assert set(index.logs()) == {first.path}
    assert documents(index) == (30, 60)
    assert same_as_reading([first], index)


def test_much_waste_makes_it_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer, "_LEAST_WASTED", 20)
    path, place = tmp_path / "a.jsonl", tmp_path / "i.sqlite"
    for turns in (20, 19, 18, 17):
        ref = log_of(path, turns, turns)
        index_of(place, [ref]).close()
    kept, given = documents(index_of(place, [ref_of(path)]))
    assert kept == 17 * 3
    assert given < 3 * (20 + 19 + 18 + 17)
