"""Titles made while a log is read say what those made afterwards say."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.cli.commands.cat import KEPT_BYTES, EarlyTitles
from agentview.cli.output.title_lines import TitleLines
from agentview.domain.activity import RowKind
from agentview.domain.events import Event
from agentview.domain.index_entry import EventFact
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers.base import Reading
from agentview.sessions.following.whole_session import attach_agents, decode_log, load_session
from agentview.timeline.rows.session_store import SessionStore
from tests.samples import Sample, line_samples

WIDTH = 120

each_sample = pytest.mark.parametrize("sample", line_samples(), ids=lambda sample: sample.name)


def titles() -> TitleLines:
    return TitleLines(WIDTH, colour=False, ascii_only=False)


def lines(store: SessionStore, early: EarlyTitles) -> Iterator[str]:
    return (early.line(row) for row in range(store.first, store.end) if store.shown(row))


@pytest.mark.slow
@each_sample
@pytest.mark.parametrize("room", [KEPT_BYTES, 300, 0])
def test_a_title_is_the_same_early_and_late(sample: Sample, room: int):
    late = load_session(sample.ref)
    store = SessionStore(sample.provider, sample.ref, folding=True)
    store.price_of = late.price_of
    early = EarlyTitles(store, titles().line, None, room=room)
    decode_log(store)
    attach_agents(store)
    rows = [row for row in range(late.first, late.end) if late.shown(row)]
    assert [*lines(store, early)] == [titles().line(late.activity(row)) for row in rows]


def test_each_record_is_decoded_once(tmp_path: Path):
    sample = max(line_samples(), key=lambda sample: len(sample.data))
    log = tmp_path / "log.jsonl"
    log.write_bytes(sample.data)
    ref = sample.provider.discovery.ref(log)
    decoded: list[int] = []

    def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
        decoded.append(source.offset)
        return sample.provider.decode(record, source, session)

    def light(record: bytes, source: SourceRef, session: SessionRef) -> Sequence[EventFact | Event]:
        decoded.append(source.offset)
        own = sample.provider.reading.light
        assert own is not None
        return own(record, source, session)

    def counting() -> Reading:
        own = sample.provider.reading
        return replace(own, decode=decode, light=own.light and light)

    store = SessionStore(replace(sample.provider, load_reading=counting), ref, folding=True)
    early = EarlyTitles(store, titles().line, None)
    decode_log(store)
    shown = [*lines(store, early)]
    assert len(shown) > 5
    assert len(decoded) == len(set(decoded)) > len(shown) // 2


def test_titles_of_other_kinds_are_not_made(tmp_path: Path):
    sample = max(line_samples(), key=lambda sample: len(sample.data))
    store = SessionStore(sample.provider, sample.ref, folding=True)
    made: list[str] = []

    class Noting(TitleLines):
        def line(self, activity: object) -> str:
            made.append(type(activity).__name__)
            return super().line(activity)  # pyright: ignore[reportArgumentType]

    EarlyTitles(store, Noting(WIDTH, colour=False, ascii_only=False).line, {RowKind.USER})
    decode_log(store)
    users = [r for r in store.of_kinds({RowKind.USER}) if store.shown(r)]
    assert len(made) == len(users) > 0
