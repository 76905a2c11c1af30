"""A session that is read at once."""

from pathlib import Path

from agentview.cli.output.title_lines import TitleLines
from agentview.providers import load_provider
from agentview.sessions.following.whole_session import load_session
from agentview.timeline.rows.tables.key_table import RECENT
from tests.claude_log import ClaudeLog, write


def test_the_first_title_does_not_wait_for_the_texts_of_later_rows(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.prompt("begin"), *(log.text(f"step {number}") for number in range(300))]
    ref = load_provider("claude_code").discovery.ref(write(tmp_path / "log.jsonl", records))
    store = load_session(ref)
    assert store.decoded == 0
    first = TitleLines(100, colour=False, ascii_only=False).line(store.activity(store.first))
    assert "begin" in first
    assert store.decoded == 1


def test_copies_of_records_that_came_long_before_are_known(tmp_path: Path) -> None:
    log, texts = ClaudeLog(), 6 * RECENT
    records = [log.prompt("begin"), *(log.text(f"step {number}") for number in range(texts))]
    twice = [*records, records[1], records[-1]]
    ref = load_provider("claude_code").discovery.ref(write(tmp_path / "log.jsonl", twice))
    store = load_session(ref)
    assert sum(map(store.shown, range(store.first, store.end))) == texts + 1
