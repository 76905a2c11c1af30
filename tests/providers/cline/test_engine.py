"""Sessions of Cline's engine, joined as they are shown, against a plain reading of the files."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import ToolResult, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import EditPayload, ShellPayload
from agentview.domain.tool_results import (
    ChangeResult,
    MatchResult,
    ReadResult,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers.cline.cline import PROVIDER
from agentview.sources.document import DocumentLines
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Reset
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "cline"
SAMPLES = sorted(FOLDER.rglob("*.messages.json"))
LOGS = {path.parent.name: path for path in SAMPLES if not path.name.startswith("agent_")}


def parts(path: Path) -> list[Any]:
    """The parts of all messages, by a reading of its own."""
    document = json.loads(path.read_bytes())
    return [part for message in document["messages"] for part in message["content"]]


def found(name: str) -> list[ToolCall]:
    return list(calls(joined(PROVIDER, LOGS[name])).values())


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name[:20])
def test_all_calls_are_shown_with_what_came_of_them(path: Path):
    made = calls(joined(PROVIDER, path))
    asked = {part["id"] for part in parts(path) if part["type"] == "tool_use"}
    answers = {part["tool_use_id"]: part for part in parts(path) if part["type"] == "tool_result"}
    assert set(made) == asked
    assert asked
    for own, call in made.items():
        if own not in answers:
            assert call.state is ToolState.INPUT_AVAILABLE
            continue
        failed = answers[own].get("is_error", False) or '"success": false' in json.dumps(
            answers[own]["content"]
        ).replace('\\"success\\":false', '"success": false')
        assert call.ok is not failed


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name[:20])
def test_tokens_of_each_response_count_once(path: Path):
    tokens = joined(PROVIDER, path).summary.tokens
    metrics = [m["metrics"] for m in json.loads(path.read_bytes())["messages"] if "metrics" in m]
    assert tokens["output"] == sum(each["outputTokens"] for each in metrics)
    given = tokens["input_uncached"] + tokens["input_cached"]
    assert given == sum(each["inputTokens"] for each in metrics)
    assert tokens["input_cached"] == sum(each["cacheReadTokens"] for each in metrics)


def test_only_tools_that_there_are_not_have_no_kind():
    unknown = {call.provider_name for call in found("tools") if call.kind is ToolKind.UNKNOWN}
    assert unknown == {"no_such_tool"}


def test_one_call_runs_several_commands():
    (call,) = [
        c for c in found("tools") if c.payload == ShellPayload("echo one\nexit 4\necho three")
    ]
    assert isinstance(call.result, ShellResult)
    assert call.result.exit_code == 4
    assert "$ echo three\nthree" in (call.result.output or "")


def test_a_command_has_its_streams_and_its_exit_code():
    made = {call.payload.command: call.result for call in found("tools")
            if isinstance(call.payload, ShellPayload)}  # fmt: skip
    assert made["echo out line; echo err line >&2; exit 3"] == ShellResult(
        stdout="out line\n", stderr="err line\n", exit_code=3
    )
    assert made["wrong key"] is not None


def test_reads_are_without_line_numbers_and_images_are_images():
    results = [call.result for call in found("tools") if isinstance(call.result, ReadResult)]
    assert any(r.start == 100 and "line 00099" in (r.content or "") for r in results)
    (image,) = [block for r in results for block in r.media]
    assert isinstance(image, ImageBlock)
    assert image.media_type == "image/png"


def test_matches_and_changes_are_typed():
    grep = next(c.result for c in found("tools") if isinstance(c.result, MatchResult))
    assert grep.match_count == 40
    assert (grep.matches[0].path, grep.matches[0].line) == ("src/util.py", 1)
    assert [m.line for m in grep.matches if not m.context][:2] == [2, 6]
    changed = [c.result for c in found("tools") if isinstance(c.result, ChangeResult)]
    assert len(changed) == 4
    failed = [c for c in found("tools") if isinstance(c.payload, EditPayload) and not c.ok]
    assert all(call.result is None for call in failed)
    assert "Could not find matching context" in (failed[0].error or "")


def test_agents_are_logs_of_their_own_with_the_call_that_started_them():
    ref = PROVIDER.discovery.ref(LOGS["tools"])
    agents = PROVIDER.discovery.children(ref)
    assert len(agents) == 2
    started = {c.call_id for c in found("tools") if c.provider_name == "spawn_agent"}
    assert {agent.parent_call for agent in agents} == started
    assert {agent.stream.kind for agent in agents} == {StreamKind.SUBAGENT}
    assert PROVIDER.resume_command(agents[0]) is None
    assert PROVIDER.resume_command(ref) == ("cline", "--id", ref.session_id)
    results = [c.result for c in found("tools") if isinstance(c.result, SubagentResult)]
    assert [(r.text, r.total_tokens) for r in results] == [
        ("src has 180 lines.", 3510),
        ("docs has one guide.", 3510),
    ]


def test_a_call_that_nobody_approved_is_denied():
    denied = found("denied")
    assert len(denied) == 4
    assert {call.state for call in denied} == {ToolState.OUTPUT_DENIED}
    assert {call.denial.by for call in denied if call.denial} == {DeniedBy.APPROVAL}


@pytest.mark.parametrize(
    ("name", "state"),
    [("tools", SessionState.YOUR_TURN), ("errors", SessionState.FAILED),
     ("live-mid", SessionState.WORKING)],
)  # fmt: skip
def test_what_a_session_is_doing_and_what_it_is_about(name: str, state: SessionState):
    info = PROVIDER.info(PROVIDER.discovery.ref(LOGS[name]))
    assert info.state is state
    assert info.title == f"Please do the scripted work. ({name.removesuffix('-mid')})"
    assert info.project == f"/home/dev/{name.removesuffix('-mid')}/repo"
    assert (info.branch, info.model, info.client_version) == ("main", "mock-model", "3.0.65")


def test_a_prompt_is_without_its_tag():
    (prompt,) = [a.body for a in shown(joined(PROVIDER, LOGS["tools"])) if isinstance(a.body, User)]
    assert prompt == User("Please do the scripted work. (tools)", via="act")


@pytest.mark.slow
def test_a_session_is_followed_while_it_is_rewritten(tmp_path: Path):
    document = json.loads(LOGS["tools"].read_bytes())
    path = tmp_path / "s.messages.json"
    assert PROVIDER.documents is not None
    reader = DocumentLines(path, PROVIDER.documents.split)
    whole = document["messages"]
    seen: set[str] = set()
    for count in (3, 6, len(whole)):
        path.write_text(json.dumps({**document, "messages": whole[:count]}))
        items = reader.poll().items
        assert isinstance(items[0], Reset) is (count > 3)
        for line in (item for item in items if isinstance(item, Line)):
            assert line.data is not None
            place = SourceRef(str(path), line.offset, line.length)
            for event in PROVIDER.decode(line.data, place, PROVIDER.discovery.ref(path)):
                if isinstance(event.body, ToolResult):
                    seen.add(event.body.call_id)
    answered = [part for part in parts(LOGS["tools"]) if part["type"] == "tool_result"]
    assert len(seen) == len(answered)


def test_where_sessions_are():
    roots = PROVIDER.discovery.roots
    assert roots({"HOME": "/h"}) == [Path("/h/.cline/data/sessions")]
    assert roots({"HOME": "/h", "CLINE_DIR": "/c"}) == [Path("/c/data/sessions")]
    assert roots({"HOME": "/h", "CLINE_DATA_DIR": "/d"}) == [Path("/d/sessions")]


def test_a_document_is_not_taken_by_one_key():
    probe = PROVIDER.discovery.probe
    assert probe(b'{"messages": [{"role": "user", "content": "x"}]}', Path("x.messages.json")) == 0
    assert probe(b'{"sessionId": "x", "messages": []}', Path("x.messages.json")) == 0
