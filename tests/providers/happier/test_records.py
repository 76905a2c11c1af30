"""Records that are neither calls nor results: edits that are told of, output, ends of turns."""

from pathlib import Path

from agentview.domain.activity import RowKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import ApprovalPayload
from agentview.domain.tools import Denial, DeniedBy, ToolKind, ToolState
from agentview.providers.happier import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log


def test_all_that_a_client_may_trace_is_told():
    store = joined_log.joined(PROVIDER, sample_sessions_dir() / "happier" / "records.jsonl")
    calls = joined_log.calls(store)
    kinds = [(call.kind, call.ok) for call in calls.values()]
    assert kinds == [(ToolKind.SHELL, True), (ToolKind.EDIT, True), (ToolKind.EDIT, True)]
    rows = [store.kind(row) for row in range(store.first, store.end) if store.shown(row)]
    assert rows.count(RowKind.NOTICE) == 2
    (request,) = calls["c1"].requests
    assert isinstance(request.payload, ApprovalPayload)
    assert [option.label for option in request.payload.questions[0].options] == ["Allow", "Reject"]
    assert request.state is ToolState.OUTPUT_AVAILABLE
    assert RowKind.UNPARSED not in rows
    assert store.status(1772200009.0).state is SessionState.INTERRUPTED


def test_a_request_that_a_person_refused_says_so(tmp_path: Path):
    sample = sample_sessions_dir() / "happier" / "records.jsonl"
    path = tmp_path / "t.jsonl"
    path.write_text(sample.read_text().replace('"approved":true', '"approved":false'))
    (request,) = joined_log.calls(joined_log.joined(PROVIDER, path))["c1"].requests
    assert request.denial == Denial(DeniedBy.PERSON)
