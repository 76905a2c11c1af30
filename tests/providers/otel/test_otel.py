"""Telemetry of generative AI, as several versions of the conventions have it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Message, Notification, Reasoning, TokenUsage, Topic, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import ChangeResult, ShellResult
from agentview.domain.tools import ToolKind, ToolState
from agentview.providers import load_provider
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "otel"
SAMPLES = sorted(FOLDER.glob("*.jsonl"))
PROVIDER = load_provider("otel")
each_way = pytest.mark.parametrize("backward", [False, True])


def found_in(value: Any, key: str) -> Iterator[Any]:
    """The values of an attribute anywhere in a record, by a reading of its own."""
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from found_in(item, key)
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        if fields.get("key") == key:
            yield next(iter(fields["value"].values()))
        for inner in fields.values():
            yield from found_in(inner, key)


def spans(path: Path) -> list[Any]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [span for line in lines for span in line["resourceSpans"][0]["scopeSpans"][0]["spans"]]


@each_way
def test_every_call_is_shown_once(backward: bool):
    path = FOLDER / "demo.jsonl"
    asked: set[str] = set()
    for span in spans(path):
        asked |= set(found_in(span, "gen_ai.tool.call.id"))
        for text in found_in(span, "gen_ai.output.messages"):
            parts = [part for message in json.loads(text) for part in message["parts"]]
            asked |= {part["id"] for part in parts if part["type"] == "tool_call"}
    store = joined(PROVIDER, path, backward=backward)
    made = calls(store)
    assert set(made) == asked
    assert len(asked) == 5
    assert all(call.state is not ToolState.INPUT_AVAILABLE for call in made.values())


@each_way
def test_what_requests_repeat_is_shown_once(backward: bool):
    bodies = [
        each.body for each in shown(joined(PROVIDER, FOLDER / "demo.jsonl", backward=backward))
    ]
    prompts = [body.text for body in bodies if isinstance(body, User)]
    assert prompts == ["Please do the scripted work. [[SCRIPT:ot]]"]
    assert [body.text for body in bodies if isinstance(body, Message)] == ["Looking.", "Done."]


def test_tokens_are_those_of_the_requests():
    path = FOLDER / "demo.jsonl"
    given = sum(int(n) for span in spans(path) for n in found_in(span, "gen_ai.usage.input_tokens"))
    written = sum(
        int(n) for span in spans(path) for n in found_in(span, "gen_ai.usage.output_tokens")
    )
    usage = joined(PROVIDER, path).summary.usage
    assert (usage.input_uncached or 0) + (usage.input_cached or 0) == given == 5500
    assert usage.input_cached == 2750
    assert usage.output == written == 600


def test_failures_are_known_by_status_and_exit_code():
    made = calls(joined(PROVIDER, FOLDER / "demo.jsonl"))
    shell = [call for call in made.values() if call.kind is ToolKind.SHELL]
    assert [call.ok for call in shell] == [True, False]
    result = shell[1].result
    assert isinstance(result, ShellResult)
    assert (result.exit_code, result.stderr) == (3, "err\n")
    failed = next(call for call in made.values() if call.args == {"key": "bad"})
    assert failed.ok is False
    assert failed.error == "no such key"


def test_session_facts():
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "demo.jsonl"))
    assert info.ref.session_id == "01a2062f-0123-7365-9c58-a7cb51aef39e"
    assert info.title == "Please do the scripted work. [[SCRIPT:ot]]"
    assert info.model == "mock-model"
    assert info.client_version == "2.68.0"
    assert info.state is SessionState.YOUR_TURN


@each_way
def test_an_event_for_each_message(backward: bool):
    store = joined(PROVIDER, FOLDER / "events.jsonl", backward=backward)
    bodies = [each.body for each in shown(store)]
    assert [body.text for body in bodies if isinstance(body, User)] == [
        "Unload the ship.",
        "Again.",
    ]
    said = [body.text for body in bodies if isinstance(body, Message)]
    assert said == ["Lifting.", "All is unloaded."]
    call = calls(store)["call_lift"]
    assert call.kind is ToolKind.SHELL
    assert "tea lifted" in str(call.output)
    limits = [body for body in bodies if isinstance(body, Notification)]
    assert [(each.topic, each.text) for each in limits] == [
        (Topic.LIMIT, "Rate limit reached for quay-1")
    ]
    assert store.summary.usage.output == 29
    info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "events.jsonl"))
    assert info.state is SessionState.LIMITED


def test_numbered_attributes():
    store = joined(PROVIDER, FOLDER / "numbered.jsonl")
    call = calls(store)["call_read"]
    assert call.kind is ToolKind.READ
    assert "quiet" in str(call.output)
    usage = store.summary.usage
    assert (usage.input_uncached, usage.input_cached, usage.output) == (80, 40, 18)


def test_log_records():
    store = joined(PROVIDER, FOLDER / "logs.jsonl")
    bodies = [each.body for each in shown(store)]
    assert calls(store)["call_find"].kind is ToolKind.GREP
    assert ImageBlock("image/png", "iVBORw0KGgo=") in [
        block for body in bodies if isinstance(body, User) for block in body.blocks
    ]
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["It is in the hold."]
    assert next(body.text for body in bodies if isinstance(body, User)) == "Where is the tea?"
    assert store.summary.usage.output == 7


def test_a_span_that_the_sdk_printed():
    path = FOLDER / "printed.jsonl"
    call = calls(joined(PROVIDER, path))["c1"]
    assert (call.kind, call.ok, call.error) == (ToolKind.LS, False, "no hold")
    info = PROVIDER.info(PROVIDER.discovery.ref(path))
    assert info.ref.session_id == "conv-7"
    assert info.state is SessionState.FAILED


def test_other_telemetry_is_not_taken():
    other = {
        "resourceSpans": [
            {"scopeSpans": [{"spans": [{"name": "GET /gen_ai.x", "traceId": "a", "spanId": "b"}]}]}
        ]
    }
    assert PROVIDER.discovery.probe(json.dumps(other).encode(), Path("x")) == 0
    assert PROVIDER.discovery.probe(b'{"text": "gen_ai.user.message"}', Path("x")) == 0


def log_records(name: str) -> list[dict[str, Any]]:
    """The attributes of all log records of a sample, by a reading of its own."""
    lines = [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
    groups = [group for line in lines for group in line.get("resourceLogs", ())]
    found = [record for group in groups for scope in group["scopeLogs"]
             for record in scope["logRecords"]]  # fmt: skip
    return [
        {each["key"]: next(iter(each["value"].values())) for each in record["attributes"]}
        for record in found
    ]


CLIENTS = ("claude_code.jsonl", "claude_code_denied.jsonl", "codex.jsonl", "codex_failed.jsonl")


@each_way
@pytest.mark.parametrize("name", CLIENTS)
def test_what_a_client_reports_is_a_session(name: str, backward: bool):
    records = log_records(name)
    store = joined(PROVIDER, FOLDER / name, backward=backward)
    bodies = [each.body for each in shown(store)]
    prompts = [record["prompt"] for record in records if "prompt" in record]
    assert [body.text for body in bodies if isinstance(body, User)] == prompts
    assert len(prompts) == 1
    said = [record["response"] for record in records if "response" in record]
    assert [body.text for body in bodies if isinstance(body, Message)] == said
    ended = {
        str(record.get("tool_use_id", record.get("call_id"))): record["success"]
        for record in records
        if "success" in record and record["event.name"].endswith("tool_result")
    }
    refused = {record["tool_use_id"] for record in records if record.get("decision") == "reject"}
    made = calls(store)
    assert set(made) == {*ended, *refused}
    for own, success in ended.items():
        state = ToolState.OUTPUT_AVAILABLE if success == "true" else ToolState.OUTPUT_ERROR
        assert made[own].state is state
    assert all(made[own].state is ToolState.OUTPUT_DENIED for own in refused)


@pytest.mark.parametrize("name", CLIENTS)
def test_tokens_and_cost_of_a_client_are_those_of_its_requests(name: str):
    records = log_records(name)
    usage = joined(PROVIDER, FOLDER / name).summary.usage
    output = ("output_tokens", "output_token_count")
    counted = [record for record in records if not output_free(record, output)]
    assert counted
    assert usage.output == sum(int(record[key]) for record in counted for key in output
                               if key in record)  # fmt: skip
    cached = ("cache_read_tokens", "cached_token_count")
    given = ("input_tokens", "input_token_count")
    apart = sum(int(record[key]) for record in counted for key in cached if key in record)
    whole = sum(int(record[key]) for record in counted for key in given if key in record)
    # Codex counts what a cache gave as input.
    assert usage.input_cached == apart
    assert usage.input_uncached == whole - (apart if name.startswith("codex") else 0)
    events = [event for event in decoded(name) if isinstance(event.body, TokenUsage)]
    costs = [record["cost_usd"] for record in records if "cost_usd" in record]
    assert [event.body.cost for event in events if event.body.cost is not None] == costs


def output_free(record: dict[str, Any], keys: tuple[str, ...]) -> bool:
    return not any(key in record for key in keys)


def decoded(name: str) -> Iterator[Any]:
    path = FOLDER / name
    ref = PROVIDER.discovery.ref(path)
    for line in path.read_bytes().splitlines():
        yield from PROVIDER.decode(line, SourceRef(name, 0, len(line)), ref)


@each_way
def test_a_call_has_the_arguments_of_its_record_and_the_output_of_its_span(backward: bool):
    store = joined(PROVIDER, FOLDER / "claude_code.jsonl", backward=backward)
    made = {
        (call.kind, call.state is ToolState.OUTPUT_AVAILABLE): call
        for call in calls(store).values()
    }
    shell = made[ToolKind.SHELL, True]
    assert isinstance(shell.result, ShellResult)
    assert shell.args == {"command": "ls -la && git status --short", "description": "List files"}
    assert (shell.result.output or "").startswith("total 200")
    assert made[ToolKind.SHELL, False].error == "Shell command failed"
    edit = made[ToolKind.EDIT, True]
    assert isinstance(edit.result, ChangeResult)
    assert edit.result.files[0].hunks
    assert made[ToolKind.MCP, False].provider_name == "mcp__mocktools__boom"


@each_way
def test_the_output_of_a_codex_command_is_read_as_codex_reads_it(backward: bool):
    store = joined(PROVIDER, FOLDER / "codex.jsonl", backward=backward)
    shell = next(call for call in calls(store).values() if call.kind is ToolKind.SHELL)
    assert isinstance(shell.result, ShellResult)
    assert shell.result.exit_code == 0
    assert (shell.result.output or "").startswith("total 200")


def test_a_failed_request_of_codex_is_a_warning():
    (note,) = [body for each in shown(joined(PROVIDER, FOLDER / "codex_failed.jsonl"))
               if isinstance(body := each.body, Notification)]  # fmt: skip
    assert (note.topic, note.text) == (Topic.API_ERROR, "http 500")


def test_a_session_of_a_client_has_its_id_and_version():
    for name, version in (("claude_code.jsonl", "2.1.329"), ("codex.jsonl", "0.169.0")):
        info = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / name))
        records = log_records(name)
        own = records[0].get("session.id", records[0].get("conversation.id"))
        assert (info.ref.session_id, info.client_version) == (own, version)
