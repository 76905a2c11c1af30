"""Records that are neither calls nor results: edits that are told of, output, ends of turns."""

from agentview.domain.activity import RowKind
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolKind
from agentview.providers.happier import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log


def test_all_that_a_client_may_trace_is_told():
    store = joined_log.joined(PROVIDER, sample_sessions_dir() / "happier" / "records.jsonl")
    calls = joined_log.calls(store)
    kinds = [(call.kind, call.ok) for call in calls.values()]
    assert kinds == [(ToolKind.SHELL, True), (ToolKind.EDIT, True), (ToolKind.EDIT, True)]
    rows = [store.kind(row) for row in range(store.first, store.end) if store.shown(row)]
    assert rows.count(RowKind.NOTICE) == 3
    assert RowKind.UNPARSED not in rows
    assert store.status(1772200009.0).state is SessionState.INTERRUPTED
