"""Raw names, metadata beside them, results, and the document of fixtures."""

import json
import time
from typing import Any

import pytest

from agentview.domain.events import Event, Hidden, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tool_results import ChangeResult, ReadResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.providers.happier import PROVIDER
from agentview.sessions.library.liveness import current_status
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined

REF = SessionRef("happier", "s", "log")

RAW: list[tuple[str, dict[str, Any], str, str]] = [
    ("execute", {}, "Bash", "shell"),
    ("shell", {}, "Bash", "shell"),
    ("GeminiBash", {}, "Bash", "shell"),
    ("CodexBash", {}, "Bash", "shell"),
    ("read", {}, "Read", "read"),
    ("write", {"content": ""}, "Write", "write"),
    ("write", {"todos": []}, "TodoWrite", "todos"),
    ("edit", {"changes": {}}, "Patch", "edit"),
    ("edit", {"edits": []}, "MultiEdit", "edit"),
    ("edit", {"file_path": "a", "content": "x"}, "Write", "write"),
    ("edit", {"old_string": "x", "content": "y"}, "Edit", "edit"),
    ("delete", {"file_paths": ["a"]}, "Delete", "delete"),
    ("delete", {"changes": {}}, "Patch", "edit"),
    ("search", {"query": "x"}, "CodeSearch", "sem_search"),
    ("fetch", {"url": "http://a"}, "WebFetch", "web_fetch"),
    ("fetch", {"query": "x"}, "WebSearch", "web_search"),
    ("taskStatus", {}, "Task", "subagent_task"),
    ("CodexPatch", {"changes": {}}, "Patch", "edit"),
    ("CodexDiff", {"unified_diff": ""}, "Diff", "edit"),
    ("think", {}, "Reasoning", "unknown"),
    ("GeminiReasoning", {}, "Reasoning", "unknown"),
    ("CodexReasoning", {}, "Reasoning", "unknown"),
    ("change_title", {}, "change_title", "unknown"),
    ("mcp__a__b", {}, "mcp__a__b", "mcp"),
]

CANONICAL = {
    "shell": "Bash",
    "read": "Read",
    "write": "Write",
    "edit": "Edit MultiEdit Patch Diff",
    "delete": "Delete",
    "glob": "Glob",
    "grep": "Grep",
    "ls": "LS",
    "sem_search": "CodeSearch",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "todos": "TodoWrite TodoRead",
    "subagent_task": "SubAgent Task Workflow SubAgentRun AgentTeamCreate AgentTeamDelete "
    "AgentTeamSendMessage",
    "plan": "EnterPlanMode ExitPlanMode",
    "ask": "AskUserQuestion",
    "mcp": "mcp__a__b",
    "unknown": "Reasoning change_title AcpHistoryImport WorkspaceIndexingPermission Levitate",
}


def decode(kind: str, **payload: Any) -> list[Event]:
    fields = {"v": 1, "ts": 1, "direction": "outbound", "sessionId": "s", "protocol": "acp"}
    record = json.dumps({**fields, "kind": kind, "payload": payload}).encode()
    return PROVIDER.decode(record, SourceRef("log", 0, len(record)), REF)


def call(name: str, arguments: dict[str, Any], call_id: str = "c") -> ToolCall:
    events = decode("tool-call", type="tool-call", callId=call_id, name=name, input=arguments)
    body = events[0].body
    assert isinstance(body, ToolCall)
    return body


def result(output: Any) -> ToolResult:
    body = decode("tool-result", type="tool-result", callId="c", output=output)[0].body
    assert isinstance(body, ToolResult)
    return body


@pytest.mark.parametrize(("name", "arguments", "canonical", "kind"), RAW, ids=str)
def test_a_raw_name_gives_the_canonical_one(
    name: str, arguments: dict[str, Any], canonical: str, kind: str
):
    made = call(name, arguments)
    assert (made.canonical_name, made.kind) == (canonical, ToolKind(kind))
    assert made.provider_name == name


@pytest.mark.parametrize("key", ["_happy", "_happier"])
@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in CANONICAL.items() for name in names.split()]
)
def test_metadata_wins_over_the_name(key: str, kind: str, name: str):
    told = {"v": 2, "rawToolName": "raw_one", "canonicalToolName": name}
    made = call("execute", {key: told})
    assert (made.canonical_name, made.kind) == (name, ToolKind(kind))
    assert made.provider_name == "raw_one"


def test_ids_tell_what_names_do_not():
    assert call("write", {}, "write_todos-1").canonical_name == "TodoWrite"
    assert call("x", {}, "workspace-indexing-permission").canonical_name == (
        "WorkspaceIndexingPermission"
    )


def test_results_of_every_form():
    read = PROVIDER.reading.attach_result(
        call("read", {"file_path": "a"}), result({"file": {"content": "x\n", "totalLines": 9}})
    )
    assert isinstance(read.result, ReadResult)
    assert (read.result.content, read.result.total_lines) == ("x\n", 9)
    diff = [{"type": "diff", "path": "a", "oldText": "x", "newText": "y"}]
    edited = PROVIDER.reading.attach_result(call("edit", {}), result(diff))
    assert isinstance(edited.result, ChangeResult)
    for failed in ({"error": "no"}, {"applied": False}, {"exit_code": 2}, {"status": "failed"}):
        assert result(failed).ok is False
    assert result("text").ok is True


def test_a_document_of_fixtures_is_cut_into_its_records():
    data = (sample_sessions_dir() / "happier" / "fixtures.json").read_bytes()
    documents = PROVIDER.documents
    assert documents is not None
    assert documents.begin(data[:200])
    spans = documents.split(data)
    covered = b"".join(data[start:end] for start, end in spans)
    assert covered == data
    bodies = [
        event.body
        for start, end in spans
        for event in PROVIDER.decode(data[start:end], SourceRef("x", start, end - start), REF)
    ]
    assert sum(isinstance(body, ToolCall) for body in bodies) == 2
    assert sum(isinstance(body, ToolResult) for body in bodies) == 2
    assert all(isinstance(body, ToolCall | ToolResult | Hidden) for body in bodies)


def test_the_list_and_the_session_tell_the_same_of_a_document():
    store = joined(PROVIDER, sample_sessions_dir() / "happier" / "fixtures.json")
    info, told = PROVIDER.info(store.session), store.summary
    assert info.project == told.text("cwd") is not None
    assert (info.started, info.last_activity) == (told.times.first, told.times.last)
    assert current_status(info, time.time()).state is store.status(time.time()).state
