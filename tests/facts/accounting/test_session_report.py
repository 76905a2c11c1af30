"""Fates of the rows of an open session are those that counting all of them anew gives."""

import asyncio
import random
from pathlib import Path

import pytest

from agentview.domain.index_entry import Flag
from agentview.domain.session import SessionRef
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.facts.accounting.session_report import CHUNK, LOOKED_AT, LiveOutcomes
from agentview.providers import load_provider, provider_names
from agentview.sessions.following.background_index import SMALL
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.following.whole_session import read_log
from agentview.sources.line_splitter import DEFAULT_LIMIT
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from tests.claude_log import ClaudeLog, conversation, write
from tests.patience import PATIENCE
from tests.samples import Sample, all_samples, line_samples

PROVIDER = load_provider("claude_code")


def fresh(store: SessionStore) -> dict[RecordOutcome, int]:
    """Rows by fate, each asked for its flags alone, as often as they are asked for nothing else."""
    return dict(LiveOutcomes(store).counts())


def check(store: SessionStore, fates: LiveOutcomes) -> None:
    known = dict(fates.counts())
    sorted_rows = sum(
        known[fate]
        for fate in (
            RecordOutcome.UNKNOWN,
            RecordOutcome.MALFORMED,
            RecordOutcome.OVERSIZE,
            RecordOutcome.PARTIAL,
        )
    )
    everything = fresh(store)
    assert {fate: known[fate] for fate in everything if everything[fate]} == {
        fate: count for fate, count in everything.items() if count
    }
    assert sum(known.values()) + fates.unsorted == store.end - store.first
    assert sorted_rows + fates.unsorted == LiveOutcomes(store).unsorted


def opened(ref: SessionRef) -> tuple[SessionStore, LiveOutcomes]:
    store = SessionStore(load_provider(ref.provider), ref)
    fates = LiveOutcomes(store)
    store.subscribe(fates.changed)
    return store, fates


@pytest.mark.parametrize("sample", all_samples(), ids=str)
def test_counts_follow_a_log_that_grows(sample: Sample):
    store, fates = opened(sample.ref)
    lines = sample.lines()
    while lines:
        store.append(reduce_lines(sample.ref, lines[:7]))
        lines = lines[7:]
        check(store, fates)
    for row in range(store.first, store.end):
        _, flags = store.codes(row, row + 1)
        if flags[0] & Flag.TWIN:
            assert row in fates.places(RecordOutcome.TWIN, store.end)
    for _ in fates.sorting():
        check(store, fates)
    assert fates.unsorted == 0
    assert sum(len(fates.places(fate, store.end + 1)) for fate in RecordOutcome) == store.end


def test_every_provider_has_a_sample_that_is_followed():
    assert {sample.provider.name for sample in all_samples()} == set(provider_names())


def test_counts_follow_a_log_that_is_read_backwards(tmp_path: Path):
    data = b"".join(
        sample.data for sample in line_samples() if sample.provider.name == PROVIDER.name
    )
    path = tmp_path / "log.jsonl"
    path.write_bytes(data * 3)
    ref = PROVIDER.discovery.ref(path)
    lines = Sample(PROVIDER, path, "log").lines()
    store, fates = opened(ref)
    facts = reduce_lines(ref, lines)
    chosen = random.Random(7)  # noqa: S311  (any numbers will do)
    while facts:
        count = chosen.randrange(1, 60)
        store.prepend(facts[-count:])
        facts = facts[:-count]
        check(store, fates)
    assert fates.counts()[RecordOutcome.TWIN] > 0
    assert store.first < 0


async def test_counts_follow_what_another_process_has_read(tmp_path: Path):
    log = ClaudeLog()
    records = conversation(log, 40)
    while sum(map(len, records)) < 2 * SMALL:
        records += [*conversation(log, 200), records[3], b"no JSON\n"]
    path = write(tmp_path / "log.jsonl", records)
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path))
    session.open()
    fates = LiveOutcomes(session.store)
    session.store.subscribe(fates.changed)
    checked: list[int] = []

    def told(_change: RowsChanged) -> None:
        # Between two changes rows may be judged of which nobody has been told yet.
        check(session.store, fates)
        checked.append(session.store.end - session.store.first)

    session.store.subscribe(told)
    session.start()
    async with asyncio.timeout(PATIENCE):
        while not session.store.indexed:
            await asyncio.sleep(0.02)
    session.close()
    assert checked
    check(session.store, fates)
    assert session.store.end - session.store.first > CHUNK / 2
    assert fates.counts()[RecordOutcome.TWIN] > 0
    assert fates.unsorted == records.count(b"no JSON\n")


def test_a_history_that_was_replaced_is_told():
    provider = load_provider("pydantic_ai")
    path = sample_sessions_dir() / "pydantic_ai" / "histories.jsonl"
    sample = Sample(provider, path, "histories")
    store, fates = opened(sample.ref)
    seen: list[int] = []
    for line in sample.lines():
        store.append(reduce_lines(sample.ref, [line]))
        check(store, fates)
        seen.append(fates.counts()[RecordOutcome.REPLACED])
    replaced = fates.places(RecordOutcome.REPLACED, store.end)
    assert len(replaced) == seen[-1] == max(seen)
    assert not any(store.shown(row) for row in replaced)


def test_a_log_that_was_written_anew_is_counted_anew():
    sample = next(sample for sample in line_samples() if sample.provider.name == PROVIDER.name)
    store, fates = opened(sample.ref)
    facts = reduce_lines(sample.ref, sample.lines())
    store.append(facts)
    check(store, fates)
    store.rewrite(facts[: len(facts) // 2])
    check(store, fates)
    store.reset()
    assert set(fates.counts().values()) == {0}
    store.append(facts)
    check(store, fates)


def test_why_a_row_could_not_be_read_is_looked_up_only_when_asked(tmp_path: Path):
    log = ClaudeLog()
    path = tmp_path / "log.jsonl"
    path.write_bytes(
        log.prompt("a")
        + b"no JSON\n"
        + b'{"type":"hologram","sessionId":"s"}\n'
        + log.prompt("x" * DEFAULT_LIMIT)
    )
    session, fates = opened(PROVIDER.discovery.ref(path))
    read_log(session)
    assert (fates.unsorted, session.decoded) == (3, 0)
    row = session.row_at_offset(path.read_bytes().index(b"no JSON"))
    assert row is not None
    assert fates.reason(row) is None
    steps = sum(1 for _ in fates.sorting())
    assert (steps, fates.unsorted) == (3, 0)
    counts = fates.counts()
    shown = (
        RecordOutcome.EVENT,
        RecordOutcome.MALFORMED,
        RecordOutcome.UNKNOWN,
        RecordOutcome.OVERSIZE,
    )
    assert [counts[fate] for fate in shown] == [1, 1, 1, 1]
    assert fates.places(RecordOutcome.MALFORMED) == [row]
    assert "JSON" in (fates.reason(row) or "")


def test_places_are_the_newest_and_bounded(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(ClaudeLog().prompt("a") + b"no JSON\n" * (LOOKED_AT + 100))
    session, fates = opened(PROVIDER.discovery.ref(path))
    read_log(session)
    assert sum(1 for _ in fates.sorting()) == LOOKED_AT
    assert fates.unsorted == 100
    places = fates.places(RecordOutcome.MALFORMED, 10)
    assert places == list(range(session.end - 1, session.end - 11, -1))
