"""Rows that are kept make the same session as one pass, wherever they end."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.session import SessionRef
from agentview.facts.kept import kept_rows
from agentview.facts.kept.index_file import index_folder
from agentview.facts.kept.kept_rows import KeptRows
from agentview.providers import load_provider
from agentview.sessions.following.background_index import SMALL
from agentview.sessions.following.history_request import Request
from agentview.sessions.following.index_history import extend_rows, read_history
from agentview.sessions.following.log_ingest import LogIngest
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.applied_record import take_records
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.samples import Sample, line_samples
from tests.sessions.following.test_index_history import facts, in_one_pass, lines_of, picture


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of small logs are kept too, in a directory of this test."""
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(kept_rows, "LEAST", 1)
    monkeypatch.setattr(kept_rows, "_SEGMENTS", 1)


def keep(ref: SessionRef, end: int) -> None:
    """Keep the rows of a log up to a byte, as the worker does that reads its history."""
    lines = [line.offset for line in lines_of(Path(ref.path)) if line.offset < end]
    tail = lines[len(lines) // 2]
    list(read_history(Request(ref, tail, end, tail), 5_000))


def offset(lines: list[Line], at: int, ref: SessionRef) -> int:
    return lines[at].offset if at < len(lines) else Path(ref.path).stat().st_size


def opened(ref: SessionRef, lines: list[Line], tail: int) -> SessionStore:
    """A session whose lines from `tail` on are read first, and then joined with what is kept."""
    store = SessionStore(load_provider(ref.provider), ref)
    late = tail + (len(lines) - tail) // 2
    kept = KeptRows.open(ref)
    assert kept is not None
    while late < len(lines) and lines[late].offset < kept.end:
        late += 1
    store.append(reduce_lines(ref, lines[tail:late]))
    between = [line for line in lines[:tail] if line.offset >= kept.end]
    earlier = reduce_lines(ref, between)
    rows = len(take_records(earlier).places)
    begin = -rows if rows or kept.end <= offset(lines, tail, ref) else store.rows_before(kept.end)
    by = begin - kept.rows_end
    joined = store.joined_behind(begin, kept.end, earlier, kept.packet(by), kept.keys(by))
    store.append(reduce_lines(ref, lines[late:]))
    store.take_over(joined, kept.end)
    store.finish_indexing()
    return store


def same(store: SessionStore, whole: SessionStore) -> bool:
    return picture(store) == picture(whole) and facts(store) == facts(whole)


@pytest.mark.slow
@pytest.mark.parametrize("sample", line_samples(), ids=str)
def test_kept_rows_make_the_same_session(sample: Sample):
    ref, lines = sample.ref, lines_of(sample.path)
    whole, count = in_one_pass(ref, lines), len(lines)
    for end, tail in ((count, count), (count, count - 1), (count // 2, 3 * count // 4)):
        if not end:
            continue
        keep(ref, offset(lines, end, ref))
        store = opened(ref, lines, tail)
        assert picture(store) == picture(whole), (end, tail)
        assert facts(store) == facts(whole), (end, tail)


@pytest.mark.slow
@settings(max_examples=40)
@given(data=st.data())
def test_rows_that_were_extended_make_the_same_session(data: st.DataObject):
    sample = data.draw(st.sampled_from(line_samples()))
    ref, lines = sample.ref, lines_of(sample.path)
    first = data.draw(st.integers(1, len(lines)))
    second = data.draw(st.integers(first, len(lines)))
    tail = data.draw(st.integers(second, len(lines)))
    keep(ref, offset(lines, first, ref))
    extend_rows(Request(ref, 0, offset(lines, second, ref), 0))
    kept = KeptRows.open(ref)
    assert kept is not None
    assert kept.end == offset(lines, second, ref)
    assert same(opened(ref, lines, tail), in_one_pass(ref, lines))


@pytest.fixture
def log(tmp_path: Path) -> SessionRef:
    """A log that a test may change, whose rows are kept."""
    sample = max(line_samples(), key=lambda each: len(each.data))
    path = tmp_path / "project" / sample.path.name
    path.parent.mkdir()
    shutil.copy(sample.path, path)
    ref = sample.provider.discovery.ref(path)
    keep(ref, path.stat().st_size)
    assert KeptRows.open(ref) is not None
    return ref


def files() -> list[Path]:
    return sorted(path for path in index_folder().rglob("*") if path.is_file())


def test_rows_of_another_log_are_dropped(log: SessionRef):
    path = Path(log.path)
    os.truncate(path, path.stat().st_size // 2)
    assert KeptRows.open(log) is None
    assert files() == []


def test_rows_of_a_log_that_was_replaced_are_dropped(log: SessionRef, tmp_path: Path):
    other = tmp_path / "other"
    other.write_bytes(Path(log.path).read_bytes())
    other.replace(log.path)
    assert KeptRows.open(log) is None


def test_damaged_rows_are_never_used(log: SessionRef):
    (kept,) = files()
    whole = kept.read_bytes()
    step = max(1, len(whole) // 150)
    for at in range(0, len(whole), step):
        kept.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        found = KeptRows.open(log)
        if found is None:
            continue
        with pytest.raises(ValueError, match=r"."):
            _ = found.packet(0), list(found.keys(0))
        assert not kept.exists()
    kept.write_bytes(whole)
    assert KeptRows.open(log) is not None


async def shown(ref: SessionRef) -> tuple[list[object], object]:
    """What a session shows once its history has been read, as the screen reads it."""
    store = SessionStore(load_provider(ref.provider), ref)
    ingest = LogIngest(store)
    ingest.read_end()
    await ingest.read_back()
    assert store.indexed
    rows = [(store.kind(row), store.shown(row)) for row in range(store.first, store.end)]
    return [*rows, store.first + len(rows) == store.end], facts(store)


@pytest.mark.slow
async def test_a_session_is_joined_once_and_then_extended(tmp_path: Path):
    log = ClaudeLog()
    path = write(tmp_path / "-a" / f"{SESSION}.jsonl", conversation(log, 1_000, size=2_000))
    ref = load_provider("claude_code").discovery.ref(path)
    first = await shown(ref)
    kept = KeptRows.open(ref)
    assert kept is not None
    assert kept.end == path.stat().st_size > SMALL
    assert await shown(ref) == first

    for turns in (20, 1_000):
        with path.open("ab") as file:
            file.write(b"".join(conversation(log, turns, size=2_000, begin=10_000 + turns)))
        grown = await shown(ref)
        whole = in_one_pass(ref, lines_of(path))
        assert len(grown[0]) == whole.end - whole.first + 1
        assert grown[1] == facts(whole)
    kept = KeptRows.open(ref)
    assert kept is not None
    # What was little was joined here, what was much by a worker, which kept it.
    assert kept.end == path.stat().st_size
