"""Telemetry of generative AI, as several versions of the conventions have it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Message, Notification, Reasoning, Topic, User
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import ShellResult
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
