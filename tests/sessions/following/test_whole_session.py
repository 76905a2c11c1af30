"""A session that is read at once."""

from pathlib import Path

import pytest

from agentview.cli.output.title_lines import TitleLines
from agentview.facts.usage.estimate import listed
from agentview.providers import load_provider
from agentview.sessions.following.whole_session import attach_agents, load_session, read_log
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.rows.tables.key_table import RECENT
from tests.claude_log import ClaudeLog, write
from tests.samples import Sample, line_samples


def test_the_first_title_does_not_wait_for_the_texts_of_later_rows(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.prompt("begin"), *(log.text(f"step {number}") for number in range(300))]
    ref = load_provider("claude_code").discovery.ref(write(tmp_path / "log.jsonl", records))
    store = load_session(ref)
    first = TitleLines(100, colour=False, ascii_only=False).line(store.activity(store.first))
    assert "begin" in first
    assert store.decoded == 0


@pytest.mark.parametrize("sample", line_samples(), ids=str)
def test_a_record_is_shown_without_decoding_it_again_as_with_that(sample: Sample) -> None:
    ref = sample.ref
    again = SessionStore(load_provider(ref.provider), ref, folding=True, at_once=True)
    again.price_of = listed
    read_log(again)
    attach_agents(again)
    store = load_session(ref)
    rows = range(store.first, store.end)
    assert [*map(store.activity, rows)] == [*map(again.activity, rows)]
    assert (store.decoded, again.decoded > 0) == (0, bool(rows))


def test_of_a_log_of_many_records_the_first_ones_are_kept(tmp_path: Path) -> None:
    log, texts = ClaudeLog(), 9_000
    records = [log.prompt("begin"), *(log.text(f"step {number}") for number in range(texts))]
    ref = load_provider("claude_code").discovery.ref(write(tmp_path / "log.jsonl", records))
    store = load_session(ref)
    words = [str(store.body(row)) for row in range(store.first, store.end)]
    assert "step 8999" in words[-1]
    assert store.decoded == texts + 1 - 8_000


def test_copies_of_records_that_came_long_before_are_known(tmp_path: Path) -> None:
    log, texts = ClaudeLog(), 6 * RECENT
    records = [log.prompt("begin"), *(log.text(f"step {number}") for number in range(texts))]
    twice = [*records, records[1], records[-1]]
    ref = load_provider("claude_code").discovery.ref(write(tmp_path / "log.jsonl", twice))
    store = load_session(ref)
    assert sum(map(store.shown, range(store.first, store.end))) == texts + 1
