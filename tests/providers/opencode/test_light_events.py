"""Light events of rows that are written again: what is known of a body that is not made."""

from typing import Any

import orjson
import pytest

from agentview.domain.events import Event
from agentview.domain.index_entry import EventFact, Role
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import ToolCall
from agentview.providers import load_provider
from agentview.providers.base import Provider
from tests.providers.light import light_of
from tests.providers.read_keys import unused_keys
from tests.samples import all_samples

FAMILY = ("opencode", "kilo", "opencode_storage", "opencode_output")
RECORDS = [
    (sample.provider, line.data)
    for sample in all_samples()
    if sample.provider.name in FAMILY
    for line in sample.lines()
    if line.data is not None
]
STREAMS = (Stream(), Stream(StreamKind.SUBAGENT, "ses_2"))


def is_known(provider: Provider, record: bytes) -> bool:
    """Whether no body has to be made to index the record; what is known of bodies is compared."""
    return all(
        all(light_of(provider, record, SessionRef(provider.name, "s", "x", stream)))
        for stream in STREAMS
    )


def test_most_records_are_indexed_without_a_body():
    assert sum(is_known(*each) for each in RECORDS) > 0.7 * len(RECORDS)


def tool(name: str, state: object, **more: object) -> dict[str, Any]:
    data = {"type": "tool", "tool": name, "callID": "c", "state": state, **more}
    return {"table": "part", "id": "p", "message_id": "m", "time_created": 1_795_000_000_000,
            "data": data}  # fmt: skip


def part(kind: str | None, **more: object) -> dict[str, Any]:
    return {"table": "part", "id": "p", "message_id": "m", "data": {"type": kind, **more}}


def message(**data: object) -> dict[str, Any]:
    return {"table": "message", "id": "m", "data": {"role": "assistant", **data}}


DONE = {"status": "completed", "input": {"command": "ls"}, "output": "a"}
STOPPED = "x\n<shell_metadata>\nshell tool terminated command after exceeding timeout 5 ms"
RARE = [
    tool("bash", {**DONE, "metadata": {"exit": 0}}),
    tool("bash", {**DONE, "metadata": {"exit": "3"}}),
    tool("bash", {**DONE, "metadata": {"exit": True}}),
    tool("bash", {**DONE, "output": STOPPED}),
    tool("bash", {"status": "running", "input": {}, "metadata": {"output": ["a", 1]}}),
    tool("bash", {"status": "pending", "raw": '{"command": "l'}),
    tool("bash", {"status": "error", "error": ""}),
    tool("bash", None),
    tool("edit", {"status": "error", "error": "Tool execution aborted"}),
    tool("read", {**DONE, "input": ["a"]}),
    tool("question", {"status": "running", "input": {"questions": []}}),
    tool("plan_exit", DONE),
    tool("task", {**DONE, "metadata": {"sessionId": "ses_2"}}),
    tool("background_process", {**DONE, "input": {"action": "logs"}}),
    tool("invalid", DONE),
    tool("a_b", DONE),
    tool("a_b", {"status": "error", "error": "Model tried to call unavailable tool 'a_b'."}),
    tool("", {**DONE, "time": {"start": 1_795_000_000_000, "end": "1795000000500"}}),
    part("text", text="a", synthetic=True),
    part("text", text="a", metadata={"kilocode.lifecycle": "transient"}),
    {**part("text", text="a"), "summary": {"of": "m0", "auto": 1}},
    {**part("text", text="a"), "role": "user"},
    {**part("text", text="a"), "id": None},
    part("reasoning", text="", time={"start": 1_795_000_000_000, "end": 1_795_000_000_500}),
    part("compaction", auto=True),
    part("retry", error={"name": "APIError", "data": {"message": "rate limit"}}),
    part("subtask", prompt="Do it."),
    part("file", mime="image/png", source={"path": "a.png"}),
    part("step-finish", reason="stop"),
    part("of a later version"),
    part(None),
    message(tokens={"input": "5", "cache": {"read": 2**63}}, cost="0.5"),
    message(time={"completed": 1}, model={"modelID": "a"}),
    {**message(time={"completed": 1}), "parts": 0, "refused": 0},
    {**message(time={"completed": 1}), "refused": 1},
    message(error={"name": "MessageAbortedError"}),
    message(error="of another form", model="a"),
    {"table": "session", "id": "s", "title": "T", "directory": "/a"},
    {"table": "of a later version"},
    {"table": "part", "id": "p", "data": "not JSON"},
]  # fmt: skip


@pytest.mark.parametrize("record", RARE, ids=range(len(RARE)))
def test_rare_forms(record: dict[str, Any]):
    is_known(load_provider("opencode"), orjson.dumps(record))


def printed(**record: object) -> dict[str, Any]:
    return {"type": "x", "timestamp": 1_795_000_000_000, "sessionID": "ses_1", **record}


PRINTED = [
    printed(part={**tool("bash", DONE)["data"], "id": "p", "messageID": "m"}),
    printed(part={**tool("bash", DONE)["data"]}),
    printed(part={"type": "step-finish", "messageID": "m", "tokens": {"input": 3}}),
    printed(error={"name": "a", "data": {"message": "b"}}),
    printed(error="the run ended"),
    printed(),
    {"info": {"role": "assistant", "summary": True}, "parts": [part("text", text="a")["data"], 5]},
    {"info": {"id": "ses_1", "title": "T", "directory": "/a"}},
]


@pytest.mark.parametrize("record", PRINTED, ids=range(len(PRINTED)))
def test_rare_forms_of_what_is_printed(record: dict[str, Any]):
    is_known(load_provider("opencode_output"), orjson.dumps(record))


def test_rows_that_are_written_again_keep_their_keys():
    record = orjson.dumps(tool("bash", {**DONE, "metadata": {"exit": 1}}))
    provider = load_provider("opencode")
    light = provider.reading.light
    assert light is not None
    call, result = light(record, SourceRef("x", 0, 1), SessionRef("opencode", "s", "x"))
    assert isinstance(call, EventFact)
    assert isinstance(result, EventFact)
    assert (call.role, call.key, call.replaces) == (Role.CALL, "c", "p#call")
    assert (result.role, result.key, result.replaces) == (Role.RESULT, "c", None)
    record = orjson.dumps(part("text", text="a"))
    (said,) = light(record, SourceRef("x", 0, 1), SessionRef("opencode", "s", "x"))
    assert isinstance(said, EventFact)
    assert (said.role, said.key, said.replaces) == (Role.VERSION, "p#text", None)
    assert said.event().replaces == "p#text"
    assert said.event().amends


def test_arguments_that_are_no_object_are_kept():
    record = orjson.dumps(tool("read", {**DONE, "input": ["a"]}))
    (call, _) = decoded(record)
    assert isinstance(call.body, ToolCall)
    assert call.body.args_json == '["a"]'


def decoded(record: bytes) -> list[Event]:
    source = SourceRef("x", 0, len(record))
    return load_provider("opencode").decode(record, source, SessionRef("opencode", "s", "x"))


def test_a_value_that_does_not_fit_is_set_aside_and_shown():
    whole = tool("bash", {**DONE, "metadata": {"exit": 1}})
    record = tool("bash", {**DONE, "metadata": {"exit": 1, "sessionId": 5}})
    assert decoded(orjson.dumps(record))[0].body == decoded(orjson.dumps(whole))[0].body
    pointer = "/data/state/metadata/sessionId"
    assert pointer in unused_keys("opencode", record)
    assert pointer not in unused_keys("opencode", whole)
