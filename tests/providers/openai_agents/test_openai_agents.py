"""Sessions in a database, exported traces and streams, against what a plain reading counts."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock, ResourceBlock
from agentview.domain.events import Compaction, Message, Notification, Topic, User
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "openai_agents"
PROVIDER = load_provider("openai_agents")
each_way = pytest.mark.parametrize("backward", [False, True])


def records(name: str) -> list[Any]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]


@each_way
def test_every_call_of_a_session_is_shown_once_and_answered(backward: bool):
    items = [row["item"] for row in records("demo.jsonl") if "item" in row]
    asked = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answers = [item for item in items if item.get("type") == "function_call_output"]
    store = joined(PROVIDER, FOLDER / "demo.jsonl", backward=backward)
    bodies = [each.body for each in shown(store)]
    made = [body for body in bodies if isinstance(body, ToolCall)]
    assert sorted(call.call_id for call in made) == sorted(asked)
    assert len(answers) == len(asked) == 6
    assert ToolState.INPUT_AVAILABLE not in {call.state for call in made}
    prompts = [body.text for body in bodies if isinstance(body, User)]
    assert prompts == [item["content"] for item in items if item.get("role") == "user"]


def test_failures_and_handing_over():
    found = calls(joined(PROVIDER, FOLDER / "demo.jsonl"))
    made = {call.provider_name: call for call in found.values()}
    assert made["boom"].ok is False
    assert made["transfer_to_helper"].kind is ToolKind.SUBAGENT_TASK
    shell = [call.result for call in found.values() if isinstance(call.result, ShellResult)]
    assert [result.exit_code for result in shell] == [0, 3, 0, 0]


def test_a_session_is_listed_in_its_database():
    (ref,) = PROVIDER.scan(FOLDER / "sessions.db")
    info = PROVIDER.info(ref)
    assert ref.session_id == "mock-session"
    assert info.title == "Please do the scripted work. [[SCRIPT:oa]]"
    assert info.state is SessionState.YOUR_TURN


def test_rows_that_are_added_come_next(tmp_path: Path):
    database = Path(shutil.copy(FOLDER / "sessions.db", tmp_path))
    (ref,) = PROVIDER.scan(database)
    before = PROVIDER.info(ref)
    item = {"type": "function_call", "call_id": "call_late", "name": "bash", "arguments": "{}"}
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "INSERT INTO agent_messages (session_id, message_data, created_at) VALUES (?, ?, ?)",
            ("mock-session", json.dumps(item), "2026-11-23 02:13:00"),
        )
    after = PROVIDER.info(ref)
    assert (before.state, after.state) == (SessionState.YOUR_TURN, SessionState.WORKING)
    assert (after.last_activity or 0) > (before.last_activity or 0)


def test_tokens_of_a_trace_are_those_of_its_responses():
    spans = [each["span_data"] for each in records("traces.jsonl") if "span_data" in each]
    used = [span["usage"] for span in spans if span["type"] == "response"]
    totals = [span["data"]["usage"] for span in spans if span.get("name") == "task"]
    usage = joined(PROVIDER, FOLDER / "traces.jsonl").summary.usage
    given = (usage.input_uncached or 0) + (usage.input_cached or 0)
    assert given == sum(each["input_tokens"] for each in used)
    assert given == sum(each["input_tokens"] for each in totals)
    assert usage.output == sum(each["output_tokens"] for each in used)


@each_way
def test_every_function_of_a_trace_is_a_call(backward: bool):
    spans = [each for each in records("traces.jsonl") if "span_data" in each]
    functions = {each["id"] for each in spans if each["span_data"]["type"] == "function"}
    made = calls(joined(PROVIDER, FOLDER / "traces.jsonl", backward=backward))
    assert set(made) == functions
    failed = {name for name, call in made.items() if call.ok is False}
    assert len(failed) == 2
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "traces.jsonl"))
    assert info.state is SessionState.YOUR_TURN
    assert info.ref.session_id == records("traces.jsonl")[0]["id"]


def test_a_trace_of_generations_has_its_messages_once():
    store = joined(PROVIDER, FOLDER / "exported.jsonl")
    bodies = [each.body for each in shown(store)]
    assert [body.text for body in bodies if isinstance(body, User)] == ["Unload."]
    call = calls(store)["call_a"]
    assert (call.kind, call.state) == (ToolKind.SHELL, ToolState.OUTPUT_AVAILABLE)
    notes = [body.topic for body in bodies if isinstance(body, Notification)]
    assert notes == [Topic.HOOK, Topic.LIMIT, Topic.TURN_END]
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "exported.jsonl"))
    assert (info.ref.session_id, info.title) == ("harbour-7", "Unload a ship")
    assert info.model == "quay-1"


def test_tools_of_the_service_have_their_kinds_and_results():
    store = joined(PROVIDER, FOLDER / "items.jsonl")
    made = calls(store)
    kinds = {call.provider_name: call.kind for call in made.values()}
    assert kinds["shell_call"] is kinds["local_shell_call"] is ToolKind.SHELL
    assert kinds["apply_patch_call"] is ToolKind.EDIT
    assert kinds["web_search_call"] is ToolKind.WEB_SEARCH
    assert kinds["file_search_call"] is ToolKind.SEM_SEARCH
    assert kinds["moor"] is ToolKind.MCP
    shell = made["call_shell"]
    assert isinstance(shell.result, ShellResult)
    assert (shell.ok, shell.result.exit_code, shell.result.stderr) == (False, 2, "no rice\n")
    assert made["mcp_2"].error == "berth 8 is taken"
    assert made["call_no"].state is ToolState.OUTPUT_DENIED
    assert made["ig_1"].output == (ImageBlock(data="iVBORw0KGgo="),)


def test_messages_have_pictures_files_and_refusals():
    store = joined(PROVIDER, FOLDER / "items.jsonl")
    bodies = [each.body for each in shown(store)]
    prompt = next(body for body in bodies if isinstance(body, User))
    assert prompt.blocks == (
        ImageBlock("image/png", "iVBORw0KGgo="),
        ResourceBlock(None, "cargo.pdf"),
    )
    assert any(isinstance(body, Compaction) for body in bodies)
    assert [body.text for body in bodies if isinstance(body, Message)] == [
        "All is unloaded.\nI do not sail."
    ]
    usage = store.summary.usage
    assert (usage.input_uncached, usage.input_cached, usage.output) == (200, 100, 40)


def test_a_stream_of_responses():
    store = joined(PROVIDER, FOLDER / "stream.jsonl")
    assert calls(store)["call_7"].kind is ToolKind.READ
    assert store.summary.usage.output == 9
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "stream.jsonl"))
    assert (info.ref.session_id, info.state) == ("resp_7", SessionState.FAILED)


def test_other_objects_are_not_taken():
    probe = PROVIDER.discovery.probe
    assert probe(b'{"object": "trace", "id": "trace_1"}', Path("x")) == 0
    assert probe(b'{"type": "response.created"}', Path("x")) == 0
    assert probe(b'{"table":"agent_messages","rowid":1}', Path("x")) == 0
