"""A sieve leaves in what looking at each row leaves in, and decodes only where it must."""

from pathlib import Path

import pytest

from agentview.providers import recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sessions.following.live_session import LiveSession
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.detail_levels import DetailPreferences
from agentview.timeline.view.filter.row_flags import RowFilter, traits_of
from agentview.timeline.view.filter.row_search import codes_of
from agentview.timeline.view.filter.two_stage_filter import TwoStageFilter
from agentview.timeline.view.titles.title import StatusIcon, mark_of
from agentview.timeline.view.view_state.visible_rows import VisibleRows
from tests.claude_log import ClaudeLog, conversation, write
from tests.query.asked import parse_filter
from tests.timeline.view.memory import MemorySession, answer, prompt, read, shell

SAMPLES = sorted(
    path
    for path in sample_sessions_dir().rglob("*.jsonl")
    if recognise(path.read_bytes()[:HEAD_BYTES], path) is not None
)


def opened(path: Path) -> LiveSession:
    provider = recognise(path.read_bytes()[:HEAD_BYTES], path)
    assert provider is not None
    session = LiveSession(provider, provider.discovery.ref(path))
    session.open()
    return session


def sieve_of(session: LiveSession | MemorySession, line: str, start: int = 0) -> TwoStageFilter:
    wanted = parse_filter(line, session.store)
    assert wanted is not None
    return TwoStageFilter(
        session.store, wanted.content_tests, start, lambda kinds, _flags, _first: full(kinds)
    )


def full(kinds: bytes) -> bytes:
    return b"\xff" * len(kinds)


def left_in(session: LiveSession | MemorySession, line: str) -> list[int]:
    sieve, store = sieve_of(session, line), session.store
    while not sieve.step(1.0):
        pass
    kinds, flags = codes_of(store, store.first, store.end)
    mask = sieve.mask(kinds, traits_of(flags), store.first)
    found = [store.first + at for at, passes in enumerate(mask) if passes]
    assert found == [row for row in range(store.first, store.end) if sieve.passes(row)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_state_is_told_of_calls_as_their_activities_tell_it(path: Path) -> None:
    session = opened(path)
    shown = [
        row for row in range(session.store.first, session.store.end) if session.store.shown(row)
    ]
    marks = {row: mark_of(session.store.activity(row)) for row in shown}
    well = session.store.ended_well(session.store.first, session.store.end)
    known = [
        row
        for row in range(session.store.first, session.store.end)
        if well[row - session.store.first]
    ]
    assert {marks[row] for row in known} <= {StatusIcon.OK}
    for line in ("state:ok", "-state:ok", "state:error", "state:abandoned", "state:warning"):
        wanted = parse_filter(line)
        assert wanted is not None
        assert left_in(session, line) == [row for row in shown if wanted.passes(session.store, row)]


def test_of_calls_that_went_well_none_is_decoded(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 12))
    session = opened(path)
    before = session.store.decoded
    assert len(left_in(session, "state:ok")) >= 12
    assert session.store.decoded == before


def test_rows_that_come_or_change_are_looked_at() -> None:
    session = MemorySession([prompt("one"), shell("ls"), answer("two")])
    sieve = sieve_of(session, "two", start=2)
    while not sieve.step(1.0):
        pass
    assert list(sieve.hits) == [2]
    session.append(read("two.py"), answer("three"))
    assert sieve.passes(3)
    assert not sieve.passes(4)
    assert sieve.done
    session.prepend(answer("two before"))
    while not sieve.step(1.0):
        pass
    assert list(sieve.hits) == [-1, 2, 3]


def taken(shown: VisibleRows, change: RowsChanged) -> None:
    shown.take(change)


def test_a_filter_applied_in_steps_takes_in_what_changes_meanwhile() -> None:
    session = MemorySession([shell("ls") if row % 3 else answer("text") for row in range(200)])
    shown = VisibleRows(session, DetailPreferences())
    session.subscribe(lambda change: taken(shown, change))
    wanted = parse_filter("kind:shell")
    assert wanted is not None
    passes = RowFilter(
        lambda row: wanted.passes_row(session, row),
        lambda kinds, flags, _first: wanted.mask(kinds, flags),
    )
    steps = shown.filtering(passes)
    next(steps)
    session.append(*(shell("pwd") if row % 2 else answer("more") for row in range(80)))
    session.prepend(shell("first"), answer("of all"))
    session.change(1, answer("no shell any more"))
    session.change(3, shell("was a text"))
    assert shown.heights.total > 0
    assert shown.is_shown(0)
    for _ in steps:
        pass
    found = [row for row in range(session.first, session.end) if shown.is_shown(row)]
    rows = range(session.first, session.end)
    assert found == [row for row in rows if wanted.passes_row(session, row)]
    at_once = VisibleRows(session, DetailPreferences())
    at_once.set_filter(passes)
    assert shown.heights.total == at_once.heights.total


def test_a_filter_that_knows_of_no_row_yet_leaves_what_is_shown() -> None:
    session = MemorySession([shell("ls"), answer("text")])
    shown = VisibleRows(session, DetailPreferences())
    nothing = RowFilter(lambda _row: False, lambda kinds, _flags, _first: bytes(len(kinds)))
    before = shown.heights.total
    assert list(shown.filtering(nothing, partly=True))
    assert shown.heights.total == before
    shown.set_filter(nothing)
    assert shown.heights.total == 0
