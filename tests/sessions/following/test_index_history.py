"""What a child hands over makes the same session as one pass from the beginning."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.normalize.call_occurrences import Entry
from agentview.providers import load_provider
from agentview.sessions.following.history_request import Request
from agentview.sessions.following.index_history import read_history
from agentview.sources.line_splitter import Line, cut_lines
from agentview.timeline.rows import call_joins, session_summary
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.over_calls import OverCalls
from agentview.timeline.rows.packet_state import plain_keys, plain_rest, plain_segments
from agentview.timeline.rows.packets import Keys, Packet
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.rows.tables import key_table
from agentview.timeline.rows.tables.key_table import KeyTable, pack_keys
from tests.samples import Sample, line_samples

NOW = 2_000_000_000.0


def lines_of(path: Path) -> list[Line]:
    data = path.read_bytes()
    return cut_lines(data, 0, 0)


def picture(store: SessionStore) -> list[tuple[object, ...]]:
    return [
        (store.kind(row), store.shown(row), store.starts_turn(row))
        + ((store.problem(row), store.activity(row)) if store.shown(row) else ())
        for row in range(store.first, store.end)
    ]


def facts(store: SessionStore) -> tuple[object, ...]:
    summary = store.summary
    return (
        +summary.kinds,
        summary.problems,
        summary.turns,
        summary.usage,
        dict(summary.spent),
        summary.context,
        summary.cost,
        summary.title,
        summary.times.first,
        summary.times.last,
        [summary.text(name) for name in ("cwd", "branch", "model", "client_version", "mode")],
        store.status(NOW).state,
        [row - store.first for row in store.pending_rows()],
    )


def in_one_pass(ref: SessionRef, lines: list[Line]) -> SessionStore:
    store = SessionStore(load_provider(ref.provider), ref)
    store.append(reduce_lines(ref, lines))
    return store


def handed_over(
    ref: SessionRef, lines: list[Line], tail: int, end: int, block_size: int, *, deaths: int = 0
) -> SessionStore:
    """Lines from `tail` to `end` are read here, those before by a child, those behind come live."""
    store = SessionStore(load_provider(ref.provider), ref)
    store.append(reduce_lines(ref, lines[tail:end]))
    stop = lines[end].offset if end < len(lines) else Path(ref.path).stat().st_size
    start = lines[tail].offset if tail < len(lines) else stop
    store.begin_absorbing()
    request = Request(ref, start, stop, start)
    messages = sent(request, block_size)
    middle = len(messages) // 2
    for message in map(pickle.loads, messages[:middle]):
        store.absorb(message)
        request = Request(ref, start, stop, getattr(message, "start", start))
    store.append(reduce_lines(ref, lines[end:]))
    for message in messages[middle:] if not deaths else sent(request, block_size):
        store.absorb(pickle.loads(message))
    return store


def sent(request: Request, block_size: int) -> list[bytes]:
    """The messages of a child, each as it is when it is sent: what is read later changes it."""
    return [pickle.dumps(message) for message in read_history(request, block_size)]


@pytest.mark.slow
@pytest.mark.parametrize("sample", line_samples(), ids=str)
def test_any_cut_of_a_sample_gives_the_same_session(sample: Sample):
    ref, lines = sample.ref, lines_of(sample.path)
    whole = in_one_pass(ref, lines)
    for tail, end, block_size in (
        (len(lines) // 2, len(lines), 1),
        (len(lines) - 1, len(lines), 3_000),
        (len(lines) // 3, 2 * len(lines) // 3, 20_000),
        (len(lines), len(lines), 1 << 23),
    ):
        store = handed_over(ref, lines, tail, end, block_size)
        assert picture(store) == picture(whole), (tail, end, block_size)
        assert facts(store) == facts(whole), (tail, end, block_size)


@pytest.mark.slow
def test_a_text_whose_first_piece_is_read_last_gives_way_to_the_whole_of_it():
    sample = next(each for each in line_samples() if str(each) == "pydantic_ai/events-2.68")
    ref, lines = sample.ref, lines_of(sample.path)
    whole = in_one_pass(ref, lines)
    for end in range(len(lines) // 2):
        for tail in range(end + 1):
            store = handed_over(ref, lines, tail, end, 1)
            assert picture(store) == picture(whole), (tail, end)
            assert facts(store) == facts(whole), (tail, end)


def test_a_result_in_front_of_its_call_is_handed_over():
    sample = next(each for each in line_samples() if str(each) == "codex/events")
    ref, lines = sample.ref, lines_of(sample.path)
    whole = picture(in_one_pass(ref, lines))
    differ = [
        end
        for end in range(len(lines) + 1)
        if picture(handed_over(ref, lines, end, end, 3_000)) != whole
    ]
    assert differ == []


@pytest.mark.slow
@settings(max_examples=60)
@given(data=st.data())
def test_random_cuts_and_a_child_that_died_give_the_same_session(data: st.DataObject):
    sample = data.draw(st.sampled_from(line_samples()))
    ref, lines = sample.ref, lines_of(sample.path)
    end = data.draw(st.integers(0, len(lines)))
    tail = data.draw(st.integers(0, end))
    block_size = data.draw(st.integers(1, 60_000))
    store = handed_over(ref, lines, tail, end, block_size, deaths=1)
    assert picture(store) == picture(in_one_pass(ref, lines))
    assert facts(store) == facts(in_one_pass(ref, lines))


def said(message: Packet | Keys) -> object:
    """All of a message, comparable; not the recent calls, which are more than are packed here."""
    if isinstance(message, Keys):
        return plain_keys(replace(message, recent=()))
    rest = plain_rest(replace(message, touched=[]))
    return message.start, message.touched, list(plain_segments(message)), rest


def test_a_child_that_packs_what_is_over_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # Facts that were kept come in larger blocks.
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path))
    unpacked: list[str] = []

    def nothing(_: Assembler) -> None: ...

    found = OverCalls.entries

    def entries(over: OverCalls, row: int, key: str) -> list[Entry]:
        unpacked.extend([key] if found(over, row, key) else [])
        return found(over, row, key)

    for module, name in ((key_table, "RECENT"), (key_table, "_RUN"), (call_joins, "RECENT")):
        monkeypatch.setattr(module, name, 2)
    monkeypatch.setattr(session_summary, "_KEPT", 32)
    monkeypatch.setattr(OverCalls, "entries", entries)
    for sample in line_samples():
        size = sample.path.stat().st_size
        request = Request(sample.ref, size, size, size)
        with monkeypatch.context() as patch:
            patch.setattr(Assembler, "pack", nothing)
            whole = [said(message) for message in read_history(request, 2_000)]
        packed = [said(message) for message in read_history(request, 2_000)]
        assert packed == whole, sample
    assert unpacked


@given(st.dictionaries(st.text(), st.integers(-(2**31), 2**31 - 1)), st.text())
def test_packed_keys_are_found(table: dict[str, int], other: str):
    keys = KeyTable()
    keys.pack(pickle.loads(pickle.dumps(pack_keys(table))))
    assert all(keys.get(key) == row for key, row in table.items())
    assert keys.get(other) == table.get(other)
