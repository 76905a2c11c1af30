"""Abandoned branches as rows that open in place."""

from pathlib import Path

import pytest

from agentview.domain.activity import RowKind
from agentview.providers import load_provider
from agentview.sessions.following.whole_session import read_log
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.rows.tables.row_table import PackedRows
from tests.claude_log import ClaudeLog, write


def test_no_branch_is_gone_through_for_each_of_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = ClaudeLog()
    records = [log.prompt("begin"), log.text("what now?")]
    fork = log.last
    records += [log.prompt("like that")]
    records += [log.text(f"step {number}") for number in range(300)]
    log.last = fork
    records += [log.prompt("no, like this"), log.text("as you like")]
    provider = load_provider("claude_code")
    ref = provider.discovery.ref(write(tmp_path / "log.jsonl", records))
    store = SessionStore(provider, ref, folding=True)
    read_log(store)
    examined: list[int] = []
    own = PackedRows.codes

    def counting(rows: PackedRows, start: int, stop: int) -> tuple[bytes, bytes]:
        examined.append(stop - start)
        return own(rows, start, stop)

    monkeypatch.setattr(PackedRows, "codes", counting)
    shown = [row for row in range(store.first, store.end) if store.shown(row)]
    assert [store.kind(row) for row in shown] == [
        RowKind.USER, RowKind.MESSAGE, RowKind.BRANCH, RowKind.USER, RowKind.MESSAGE,
    ]  # fmt: skip
    assert sum(examined) < 4 * (store.end - store.first)
