"""Light events of Gemini CLI and its forks: what is known of a body that is not made."""

from typing import Any

import orjson
import pytest

from agentview.domain.events import Unparsed
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.providers import load_provider
from agentview.providers.base import Provider
from tests.providers.gemini.gemini_cli.log import call, events, model, response, user
from tests.providers.light import light_of
from tests.providers.read_keys import unused_keys
from tests.samples import all_samples

FAMILY = ("gemini_cli", "qwen_code", "iflow")
RECORDS = [
    (sample.provider, line.data)
    for sample in all_samples()
    if sample.provider.name in FAMILY
    for line in sample.lines()
    if line.data is not None
]
STREAMS = (Stream(), Stream(StreamKind.SUBAGENT, "a-2"))


def is_known(provider: Provider, record: bytes) -> bool:
    """Whether no body has to be made to index the record; what is known of bodies is compared."""
    return all(
        all(light_of(provider, record, SessionRef(provider.name, "s", "x", stream)))
        for stream in STREAMS
    )


def test_most_records_are_indexed_without_a_body():
    assert sum(is_known(*each) for each in RECORDS) > 0.6 * len(RECORDS)


def shell(output: str, **fields: Any) -> dict[str, Any]:
    return model("g", calls=[call("c", "run_shell_command", {"command": "ls"}, output, **fields)])


def printed(kind: str, **fields: object) -> dict[str, Any]:
    return {"type": kind, "timestamp": "2026-05-04T09:00:00.000Z", **fields}


GEMINI: list[dict[str, Any]] = [
    shell("Output: a\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)"),
    shell("Output: a\nExit Code: 1"),
    shell("Output: a\nExit Code: 01\n"),
    shell("Output: a\nSignal: 9\n"),
    shell("<untrusted_context>\nOutput: a\nExit Code: 2\n</untrusted_context>"),
    shell("Command was cancelled by user."),
    shell("a", status="error"),
    shell("a", status="of a later version"),
    shell("a", result=[]),
    shell("a", result=[], status="executing", resultDisplay="so far"),
    shell("a", result=[], status="awaiting_approval"),
    shell("a", result=[response("c", error="denied by policy")]),
    shell("a", result=[response("c", error="denied by policy")], status="executing"),
    shell("a", result=[{}, response("c", output="Exit Code: 3")]),
    shell("a", result={"response": {"output": "a"}}),
    shell("a", timestamp=None, id=None, agentId="a-3", description="List."),
    model("g", calls=[call("c", "echo", {}, "a", displayName="echo (tools MCP Server)")]),
    model("g", calls=[call("c", "invoke_agent", {"prompt": "Do."}, "task_id: t\n")]),
    model("g", calls=[call("c", "ask_user", {"questions": []}), call("c", "glob", None, "a")]),
    model("g", calls=[{"id": "c", "result": [response("c", output="late")]}]),
    model("g", [{"text": "a"}, {"functionCall": {"name": "glob", "args": {}}}, {"text": "b"}]),
    model("g", "<thinking>a</thinking>b", thoughts=["a", {"subject": "S"}, 5]),
    model("", "a", tokens={"input": "5", "output": 2**63}),
    {**model("g", None), "content": None},
    user("u", response("c", output="Output: a\nExit Code: 1"), response("d", error="no")),
    user("u", response("c", "glob", content="a"), {"inlineData": {"mimeType": "image/png"}}),
    user("u", "<state_snapshot>a</state_snapshot>"),
    {"id": "i", "type": "error", "content": "[API Error: {}]"},
    {"$set": {"messages": [model("g", "a"), user("u", "b")], "lastUpdated": 1_795_000_000_000}},
    {"$set": None},
    {"$patch": {"updates": [{"id": "g", "toolCalls": [call("c", "glob", {}, "a")]}]}},
    {"$rewindTo": "u"},
    {"type": "message_update", "id": "g", "tokens": {"input": 3, "output": 1}},
    {"role": "model", "parts": [{"text": "a"}]},
    {"history": [{"role": "user", "parts": [{"text": "a"}]}], "sessionId": "s"},
    printed("init", session_id="s", model="m"),
    printed("message", role="assistant", content="a", delta=True),
    printed("message", role="user", content=["a"]),
    printed("tool_use", tool_id="c", tool_name="glob", parameters={"pattern": "*"}),
    printed("tool_use", tool_name="glob"),
    printed("tool_result", tool_id="c", status="success", output="a"),
    printed("tool_result", tool_id="c", status="success", error={"message": "denied by policy"}),
    printed("tool_result", tool_id="c", status="error", error={"type": "policy_violation"}),
    printed("result", status="success", stats={"input_tokens": 3, "output_tokens": 1}),
    printed("error", message="no"),
]


@pytest.mark.parametrize("record", GEMINI, ids=range(len(GEMINI)))
def test_rare_forms(record: dict[str, Any]):
    is_known(load_provider("gemini_cli"), orjson.dumps(record))


PLACES: list[tuple[list[Any], object, str]] = [
    (["timestamp"], [1], "/timestamp"),
    (["tokens", "input"], {}, "/tokens/input"),
    (["toolCalls", 0, "description"], 5, "/toolCalls/0/description"),
    (["thoughts", 0, "subject"], 1.5, "/thoughts/0/subject"),
]


@pytest.mark.parametrize(("path", "value", "pointer"), PLACES, ids=[each[2] for each in PLACES])
def test_a_value_that_does_not_fit_is_set_aside_and_shown(
    path: list[Any], value: object, pointer: str
):
    whole = shell("a", description="List")
    whole |= {"thoughts": [{"subject": "S", "description": "d"}], "tokens": {"input": 1}}
    record = orjson.loads(orjson.dumps(whole))
    holder = record
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    assert not any(isinstance(event.body, Unparsed) for event in events(record))
    assert pointer in unused_keys("gemini_cli", record)
    assert pointer not in unused_keys("gemini_cli", whole)


def test_a_value_whose_key_has_a_dot_is_set_aside_with_what_holds_it():
    payload = {"uiEvent": {"event.name": 5}}
    record = {"uuid": "u", "sessionId": "s", "type": "system", "subtype": "ui_telemetry"}
    record = {**record, "systemPayload": payload}
    is_known(load_provider("qwen_code"), orjson.dumps(record))
    assert "/systemPayload/uiEvent" in unused_keys("qwen_code", record)
