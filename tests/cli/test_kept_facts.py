"""Commands that show rows take what is kept of a log, and show the same."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentview.domain.index_entry import RecordFacts
from agentview.domain.session import SessionRef
from agentview.facts.edits.session_changes import SessionChanges
from agentview.facts.kept import indexed_log
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.providers import load_provider
from agentview.reports.export.events import Fields
from agentview.reports.export.joined import JoinedLines
from agentview.reports.export.log_feed import SessionFeed
from agentview.sessions.following.whole_session import load_session
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reducing import Keep
from agentview.timeline.rows.session_store import SessionStore
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.samples import Sample, all_samples
from tests.sessions.following.test_index_history import picture


@pytest.fixture
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts of small logs are kept too, in a directory of this test."""
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(indexed_log, "LEAST", 0)


@pytest.fixture
def reduced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where the records begin that are read instead of taken from what is kept."""
    reduce, found = indexed_log.reduce_lines, list[int]()

    def noting(
        ref: SessionRef, lines: Sequence[Line], *, calls: bool = False, keep: Keep | None = None
    ) -> list[RecordFacts]:
        found.extend(line.offset for line in lines)
        return reduce(ref, lines, calls=calls, keep=keep)

    monkeypatch.setattr(indexed_log, "reduce_lines", noting)
    return found


def scan(ref: SessionRef) -> None:
    """Read a log as the worker of the library does, and keep its facts."""
    with IndexedLog(ref) as log:
        while log.poll().more:
            pass


def changed(store: SessionStore) -> list[tuple[str, int]]:
    changes = SessionChanges(store)
    changes.finish()
    return [(file.path, len(file.steps)) for file in changes.listed()]


def printed(ref: SessionRef, *, every: bool = True) -> list[Fields]:
    provider = load_provider(ref.provider)
    return [*SessionFeed(provider, ref, JoinedLines(provider, every=every)).read()]


@pytest.mark.slow
@pytest.mark.usefixtures("_own_cache")
@pytest.mark.parametrize("sample", all_samples(), ids=str)
def test_rows_and_changes_of_files_are_those_of_a_log_that_was_read(
    sample: Sample, reduced: list[int]
):
    before, lines = load_session(sample.ref), printed(sample.ref)
    scan(sample.ref)
    read = len(reduced)
    after = load_session(sample.ref)
    assert picture(after) == picture(before)
    assert printed(sample.ref) == lines
    assert changed(after) == changed(before)
    # Its last line may have no end; that is never kept.
    assert len(reduced) - read <= 2 or after.children


@pytest.mark.usefixtures("_own_cache")
def test_what_was_written_since_is_read(tmp_path: Path, reduced: list[int]):
    log = ClaudeLog()
    path = write(tmp_path / "-a" / f"{SESSION}.jsonl", conversation(log, 50))
    ref = load_provider("claude_code").discovery.ref(path)
    scan(ref)
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b"".join(conversation(log, 1)))
    reduced.clear()
    grown = load_session(ref)
    assert reduced
    assert min(reduced) >= size
    kept = picture(grown)
    os.truncate(path, size)
    assert len(picture(load_session(ref))) < len(kept)


@pytest.mark.usefixtures("_own_cache")
@pytest.mark.parametrize("end", [b"", b"\n\n", b'{"type": "user", "mess'])
@pytest.mark.parametrize("every", [True, False])
def test_lines_of_events_name_the_same_places(
    tmp_path: Path, reduced: list[int], end: bytes, every: bool
):
    log = ClaudeLog()
    records = conversation(log, 40)
    path = write(
        tmp_path / "-a" / f"{SESSION}.jsonl", [*records[:9], b"\r\n \n", *records[9:], end]
    )
    ref = load_provider("claude_code").discovery.ref(path)
    before = printed(ref, every=every)
    assert len(before) > 40
    scan(ref)
    reduced.clear()
    assert printed(ref, every=every) == before
    assert len(reduced) <= 1
    with path.open("ab") as file:
        file.write(b"\n" + b"".join(conversation(log, 1)))
    grown = printed(ref, every=every)
    assert len(grown) > len(before)
    assert all(offset >= path.stat().st_size // 2 for offset in reduced)
