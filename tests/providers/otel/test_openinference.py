"""Spans with the attributes of OpenInference: flat, as an export nests them, and as OTLP."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from agentview.domain.events import Message, User
from agentview.domain.tools import ToolKind, ToolState
from agentview.providers import load_provider, recognise
from tests.providers.joined_log import calls, joined, shown

PROVIDER = load_provider("otel")
USER: dict[str, Any] = {"role": "user", "contents": [
    {"message_content": {"type": "text", "text": "Count the crates."}},
]}  # fmt: skip
CALLED: dict[str, Any] = {"role": "assistant", "tool_calls": [
    {"tool_call": {"id": "c1", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}},
]}  # fmt: skip
RESULT = {"role": "tool", "content": "crate", "tool_call_id": "c1"}
ANSWER = {"role": "assistant", "content": "One."}
SYSTEM = {"role": "system", "content": "You count."}


def request(asked: list[Any], given: Any) -> dict[str, Any]:
    tokens = {"prompt": 50, "completion": 7, "total": 57, "prompt_details": {"cache_read": 20}}
    return {
        "openinference": {"span": {"kind": "LLM"}},
        "session": {"id": "s"},
        "llm": {
            "model_name": "quay-2",
            "token_count": tokens,
            "input_messages": [{"message": each} for each in asked],
            "output_messages": [{"message": given}],
        },
    }


SPANS = [
    request([SYSTEM, USER], CALLED),
    {"openinference": {"span": {"kind": "TOOL"}}, "session": {"id": "s"}, "tool": {"name": "bash"},
     "tool_call": {"id": "c1"}, "input": {"value": '{"command": "ls"}'},
     "output": {"value": "crate"}},
    request([SYSTEM, USER, CALLED, RESULT], ANSWER),
    {"openinference": {"span": {"kind": "AGENT"}}, "session": {"id": "s"},
     "input": {"value": "Count the crates."}, "output": {"value": "One."}},
]  # fmt: skip


def flat(value: Any, name: str = "") -> dict[str, Any]:
    if isinstance(value, dict | list):
        named = cast("Any", value)
        members: Any = named.items() if isinstance(value, dict) else enumerate(named)
        found: dict[str, Any] = {}
        for key, inner in members:
            found.update(flat(inner, f"{name}.{key}" if name else str(key)))
        return found
    return {name: value}


def exported(attributes: dict[str, Any], at: int) -> dict[str, Any]:
    return {
        "name": "span", "context": {"trace_id": "t", "span_id": f"s{at}"}, "parent_id": None,
        "start_time": f"2026-11-01T10:00:0{at}Z", "end_time": f"2026-11-01T10:00:0{at}.5Z",
        "status_code": "OK", "attributes": attributes,
    }  # fmt: skip


def otlp(attributes: dict[str, Any], at: int) -> dict[str, Any]:
    def value(given: Any) -> dict[str, Any]:
        return {"intValue": str(given)} if isinstance(given, int) else {"stringValue": given}

    pairs = [{"key": key, "value": value(given)} for key, given in attributes.items()]
    span = {
        "name": "span", "traceId": "t", "spanId": f"s{at}", "attributes": pairs,
        "startTimeUnixNano": f"{1764583200 + at}000000000",
        "endTimeUnixNano": f"{1764583200 + at}500000000",
    }  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def row(record: dict[str, Any]) -> dict[str, Any]:
    """A span as a row of a table, where columns of other spans are null."""
    context, attributes = record["context"], record["attributes"]
    columns = {f"attributes.{key}": value for key, value in attributes.items()}
    rest = {key: value for key, value in record.items() if key not in ("context", "attributes")}
    own = {f"context.{key}": value for key, value in context.items()}
    return {**rest, **own, "attributes.llm.prompt_template.template": None, **columns}


FORMS = {
    "rows": [row(exported(flat(each), at)) for at, each in enumerate(SPANS)],
    "flat": [exported(flat(each), at) for at, each in enumerate(SPANS)],
    "nested": [exported(each, at) for at, each in enumerate(SPANS)],
    "otlp": [otlp(flat(each), at) for at, each in enumerate(SPANS)],
}


def written(form: str, folder: Path) -> Path:
    path = folder / "spans.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in FORMS[form]))
    return path


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_spans_of_requests_and_tools_are_a_conversation(form: str, backward: bool, tmp_path: Path):
    path = written(form, tmp_path)
    assert getattr(recognise(path.read_bytes(), path), "name", None) == "otel"
    store = joined(PROVIDER, path, backward=backward)
    bodies = [each.body for each in shown(store)]
    assert [each.text for each in bodies if isinstance(each, User)] == ["Count the crates."]
    assert [each.text for each in bodies if isinstance(each, Message)] == ["One."]
    made = calls(store)
    assert list(made) == ["c1"]
    assert made["c1"].kind is ToolKind.SHELL
    assert made["c1"].state is ToolState.OUTPUT_AVAILABLE
    tokens = store.summary.tokens
    assert (tokens["input_uncached"], tokens["input_cached"], tokens["output"]) == (60, 40, 14)


def test_a_request_without_messages_has_its_input_and_output(tmp_path: Path):
    attributes = {"openinference.span.kind": "LLM", "llm.model_name": "quay-2",
                  "input.value": "Count.", "output.value": "One."}  # fmt: skip
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps(exported(attributes, 1)) + "\n")
    bodies = [each.body for each in shown(joined(PROVIDER, path))]
    assert [each.text for each in bodies if isinstance(each, User)] == ["Count."]
    assert [each.text for each in bodies if isinstance(each, Message)] == ["One."]
