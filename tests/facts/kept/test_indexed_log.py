"""What is kept of a log gives the same facts as the log, whatever happens to either."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.index_entry import RecordFacts
from agentview.domain.session import SessionRef
from agentview.facts.kept import indexed_log
from agentview.facts.kept.eviction import evict
from agentview.facts.kept.index_file import index_folder
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.providers import load_provider
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Chunk
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.reducing import reduce_lines
from tests.samples import Sample, all_samples, line_samples
from tests.sessions.following.test_index_history import (
    facts,
    handed_over,
    in_one_pass,
    lines_of,
    picture,
)

pytestmark = pytest.mark.slow

CLAUDE = "claude_code"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts of small logs are kept too, in a directory of this test."""
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(indexed_log, "_LEAST_ADDED", 1)
    monkeypatch.setattr(indexed_log, "_BLOCK_RECORDS", 7)


def read(ref: SessionRef) -> list[RecordFacts]:
    """All facts of a log by way of what is kept, and keep them."""
    with IndexedLog(ref) as log:
        return taken(log)


def taken(log: IndexedLog) -> list[RecordFacts]:
    found: list[RecordFacts] = []
    more = True
    while more:
        chunk = log.poll()
        found = [*([] if chunk.reset else found), *chunk.records]
        more = chunk.more
    return [*found, *log.finish(), *log.finish_torn()]


def straight(ref: SessionRef) -> list[RecordFacts]:
    """All facts of a log, read from its bytes."""
    reader = log_reader(load_provider(ref.provider), Path(ref.path))
    lines: list[Line] = []
    chunk = Chunk([], more=True)
    while chunk.more:
        chunk = reader.poll()
        lines += [item for item in chunk.items if isinstance(item, Line)]
    return reduce_lines(ref, [*lines, *reader.finish(), *reader.finish_torn()], calls=True)


def files() -> list[Path]:
    return sorted(path for path in index_folder().rglob("*") if path.is_file())


def claude_sample() -> Sample:
    found = (each for each in all_samples() if each.provider.name == CLAUDE)
    return max(found, key=lambda each: len(each.data))


@pytest.fixture
def log(tmp_path: Path) -> SessionRef:
    """A log of some hundred records, which a test may change."""
    sample = claude_sample()
    path = tmp_path / "project" / sample.path.name
    path.parent.mkdir()
    shutil.copy(sample.path, path)
    return sample.provider.discovery.ref(path)


def test_each_sample_gives_the_same_facts_twice():
    for sample in all_samples():
        ref = sample.ref
        expected = straight(ref)
        assert read(ref) == expected, sample
        kept = len(files())
        assert read(ref) == expected, sample
        assert len(files()) == kept, sample
    assert len(files()) > 100


def test_what_is_kept_is_for_this_user_alone(log: SessionRef):
    read(log)
    (kept,) = files()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert index_folder().stat().st_mode & 0o777 == 0o700


def test_a_log_that_grew_is_read_from_where_its_facts_end(log: SessionRef):
    path = Path(log.path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:40]))
    read(log)
    (kept,) = files()
    before = kept.read_bytes()
    with path.open("ab") as file:
        file.write(b"".join(lines[40:]))
    assert read(log) == straight(log)
    assert kept.read_bytes().startswith(before)
    assert len(kept.read_bytes()) > len(before)


def test_a_line_without_its_end_is_not_kept(log: SessionRef):
    path = Path(log.path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert read(log) == straight(log)
    path.write_bytes(whole)
    assert read(log) == straight(log)


def test_a_record_whose_line_ends_after_it_was_given_is_not_lost(log: SessionRef):
    path = Path(log.path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:40])[:-1])
    with IndexedLog(log) as followed:
        found = taken(followed)
        assert len(found) == 40
        with path.open("ab") as file:
            file.write(b"\n" + b"".join(lines[40:60]))
        assert [*found, *taken(followed)] == straight(log)
    assert read(log) == straight(log)


def test_what_is_followed_is_kept_bit_by_bit(log: SessionRef):
    path = Path(log.path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"")
    sizes: list[int] = []
    with IndexedLog(log) as followed:
        for at in range(0, len(lines), 30):
            with path.open("ab") as file:
                file.write(b"".join(lines[at : at + 30]))
            taken(followed)
            followed.keep()
            sizes.append(sum(file.stat().st_size for file in files()))
    assert sizes == sorted(set(sizes))
    assert read(log) == straight(log)


@pytest.mark.parametrize("change", ["shorter", "replaced", "rewritten", "gone"])
def test_a_log_that_is_another_one_is_read_again(log: SessionRef, change: str):
    path = Path(log.path)
    whole = path.read_bytes()
    read(log)
    if change == "shorter":
        path.write_bytes(whole[: len(whole) // 2])
    elif change == "replaced":
        other = path.with_name("other")
        other.write_bytes(whole[len(whole) // 2 :])
        other.replace(path)
    elif change == "rewritten":
        path.write_bytes(whole[:-5000] + b" " * 100 + whole[-4900:])
    else:
        path.unlink()
        assert read(log) == []
        return
    assert read(log) == straight(log)
    assert read(log) == straight(log)


def test_a_log_that_changes_while_it_is_followed_says_so(log: SessionRef):
    path = Path(log.path)
    whole = path.read_bytes()
    read(log)
    followed = IndexedLog(log)
    assert taken(followed) == straight(log)
    path.write_bytes(whole[: len(whole) // 2])
    chunk = followed.poll()
    assert chunk.reset
    followed.close()
    assert read(log) == straight(log)


def damages(data: bytes) -> Iterator[bytes]:
    """The file cut, with a byte changed, or with bytes taken out, at places all over it."""
    step = max(1, len(data) // 60)
    for at in (*range(min(200, len(data))), *range(200, len(data), step)):
        yield data[:at]
        yield data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
        yield data[:at] + data[at + 3 :]


def test_damage_anywhere_is_noticed(log: SessionRef):
    expected = read(log)
    (kept,) = files()
    data = kept.read_bytes()
    for damaged in damages(data):
        kept.write_bytes(damaged)
        assert read(log) == expected
        kept.write_bytes(data)
    kept.write_bytes(b"")
    assert read(log) == expected
    assert read(log) == expected
    assert files() == [kept]


def test_what_a_stopped_writer_left_is_cut_off(log: SessionRef):
    path = Path(log.path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:40]))
    read(log)
    (kept,) = files()
    torn = kept.read_bytes()
    with kept.open("ab") as file:
        file.write(torn[-150:-20])
    with path.open("ab") as file:
        file.write(b"".join(lines[40:]))
    assert read(log) == straight(log)
    assert read(log) == straight(log)
    assert torn in kept.read_bytes()


def test_the_history_of_each_sample_is_the_same_from_what_is_kept():
    for sample in line_samples():
        ref, lines = sample.ref, lines_of(sample.path)
        read(ref)
        whole = in_one_pass(ref, lines)
        for tail, end in ((len(lines) // 2, len(lines)), (len(lines), len(lines))):
            store = handed_over(ref, lines, tail, end, 20_000)
            assert picture(store) == picture(whole), (sample, tail)
            assert facts(store) == facts(whole), (sample, tail)


class Events:
    """What may happen to a log and to what is kept of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = claude_sample().data.splitlines(keepends=True)
        self.at = 10
        path.write_bytes(b"".join(self.lines[:10]))

    def append(self) -> None:
        with self.path.open("ab") as file:
            file.write(b"".join(self.lines[self.at : self.at + 9]))
        self.at = (self.at + 9) % (len(self.lines) - 10)

    def tear(self) -> None:
        with self.path.open("ab") as file:
            file.write(self.lines[self.at][:30])

    def cut(self) -> None:
        os.truncate(self.path, self.path.stat().st_size // 2)

    def replace(self) -> None:
        other = self.path.with_name("other")
        other.write_bytes(b"".join(self.lines[3 : self.at + 2]))
        other.replace(self.path)

    def rewrite(self) -> None:
        data = self.path.read_bytes()
        self.path.write_bytes(data[::-1] if b"\n" not in data else data.replace(b"a", b"b", 40))

    def touch(self) -> None:
        self.path.touch()

    def damage(self) -> None:
        for kept in files():
            data = kept.read_bytes()
            kept.write_bytes(data[: len(data) * 2 // 3].ljust(len(data), b"\0"))

    def delete(self) -> None:
        for kept in files():
            kept.unlink()

    def look(self) -> None:
        """Nothing happens: the facts are compared once more."""


NAMES = [name for name in vars(Events) if not name.startswith("_")]


@settings(max_examples=40)
@given(steps=st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()), min_size=3, max_size=12))
def test_whatever_happens_to_log_and_index_the_facts_are_those_of_the_log(
    log: SessionRef, steps: list[tuple[str, bool]]
):
    events = Events(Path(log.path))
    for name, compared in steps:
        getattr(events, name)()
        if compared:
            assert read(log) == straight(log), steps
    assert read(log) == straight(log)


READER = """
import sys
from pathlib import Path
from agentview.facts.kept import indexed_log
indexed_log._LEAST_ADDED = 1
indexed_log._BLOCK_RECORDS = 7
from agentview.providers import load_provider
ref = load_provider("claude_code").discovery.ref(Path(sys.argv[1]))
while True:
    with indexed_log.IndexedLog(ref) as log:
        while log.poll().more:
            pass
    print("read", flush=True)
"""


def test_readers_that_are_killed_at_any_moment_leave_nothing_wrong(log: SessionRef):
    path = Path(log.path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:20]))
    for round_ in range(4):
        readers = [
            subprocess.Popen([sys.executable, "-c", READER, log.path], stdout=subprocess.PIPE)
            for _ in range(2)
        ]
        for reader in readers:
            assert reader.stdout is not None
            assert reader.stdout.readline() == b"read\n"
        with path.open("ab") as file:
            file.write(b"".join(lines[20 + 10 * round_ : 30 + 10 * round_]))
        for reader in readers:
            reader.send_signal(signal.SIGKILL)
            reader.communicate()
        assert read(log) == straight(log)


def test_files_used_least_recently_are_removed_above_the_limit(log: SessionRef, tmp_path: Path):
    refs = [log]
    for number in range(6):
        path = tmp_path / f"other-{number}" / Path(log.path).name
        path.parent.mkdir()
        shutil.copy(log.path, path)
        refs.append(load_provider(CLAUDE).discovery.ref(path))
    for number, ref in enumerate(refs):
        known = set(files())
        read(ref)
        (made,) = set(files()) - known
        os.utime(made, (number, number))
    size = sum(path.stat().st_size for path in files())
    assert evict(size) == 0
    oldest = min(files(), key=lambda path: path.stat().st_mtime)
    read(refs[0])
    assert oldest.stat().st_mtime > 1000
    assert evict(size - 1) == 2
    assert oldest in files()
    assert len(files()) == 5
    assert read(refs[1]) == straight(refs[1])
