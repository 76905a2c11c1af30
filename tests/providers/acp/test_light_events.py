"""Light events of messages: what is known of a body that is not made, in any frame."""

from typing import Any

import orjson
import pytest

from agentview.domain.events import Event, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.providers.acp import PROVIDER
from tests.providers.light import light_of
from tests.samples import line_samples

RECORDS = [
    line.data
    for sample in line_samples()
    if sample.provider.name == PROVIDER.name
    for line in sample.lines()
    if line.data is not None
]
STREAMS = (Stream(), Stream(StreamKind.SIDECHAIN, "t"))


def ref(stream: Stream) -> SessionRef:
    return SessionRef(PROVIDER.name, "s", "x", stream)


def decoded(record: bytes) -> list[Event]:
    return PROVIDER.decode(record, SourceRef("x", 0, len(record)), ref(STREAMS[0]))


def unused(record: bytes) -> list[str]:
    source = SourceRef("x", 0, len(record))
    return list(PROVIDER.reading.unused_keys(record, source, ref(STREAMS[0])))


def is_known(record: bytes) -> bool:
    """Whether no body has to be made to index the record; what is known of bodies is compared."""
    return all(all(light_of(PROVIDER, record, ref(stream))) for stream in STREAMS)


def test_most_records_are_indexed_without_a_body():
    assert sum(map(is_known, RECORDS)) > 0.6 * len(RECORDS)


def update(what: str, **fields: object) -> dict[str, Any]:
    params = {"sessionId": "s", "update": {"sessionUpdate": what, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def call(**fields: object) -> dict[str, Any]:
    return update("tool_call_update", toolCallId="c", **fields)


def request(method: str, **params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 3, "method": method, "params": params}


DIFF = {"type": "diff", "path": "/a", "newText": "x\n"}
WORDS = [{"type": "content", "content": {"type": "text", "text": '{"command": "ls"}'}}]
RARE: list[dict[str, Any]] = [
    call(status="completed", content=[DIFF]),
    update("tool_call", toolCallId=7, title="Dig"),
    call(status="completed", content=[{**DIFF, "oldText": "y"}, DIFF], kind="edit"),
    call(status="in_progress", content=WORDS),
    call(status="in_progress", content=WORDS, kind="execute"),
    call(status="pending", content=WORDS),
    call(status="in_progress", content=[DIFF, *WORDS], rawInput={}),
    call(status="failed", rawOutput={"error": {"message": "no"}}, title="t" * 500),
    call(status="cancelled", rawInput="text", locations=[{"path": "/a"}]),
    call(status="completed", rawInput={"server": "a", "tool": "b"}, kind="other"),
    call(kind="think", rawInput={"subagent_type": "x", "prompt": "p"}, title="Task"),
    call(kind="switch_mode", rawInput={"plan": "1. Dig."}),
    call(title="Ask: x", rawInput={"question": "?"}, name="ask_user"),
    call(_meta={"terminal_output": {"data": "x"}}, status="in_progress", content=WORDS),
    call(_meta={"claudeCode": {"toolName": "Edit", "toolResponse": {"a": 1}}}, status="completed"),
    update("tool_call", toolCallId="c", name="mcp__a__b", _meta={"x": {"parentToolUseId": "p"}}),
    update("agent_message_chunk", content={"type": "text", "text": ""}),
    update("agent_message", content=[], _meta={"modelId": "m", "usage": {"inputTokens": 3}}),
    update("agent_thought_chunk", content={"type": "image", "data": "x"}, messageId="m"),
    update("user_message_chunk", content={"type": "text", "text": "Go on."}),
    request("session/request_permission", options=[{"optionId": "x", "kind": "reject_once"}]),
    request("session/request_permission", toolCall={"toolCallId": "c", "title": "Dig"}),
    request("session/request_permission", toolCall={"toolCallId": "c", "status": "completed"}),
    request("session/request_permission", toolCall={"toolCallId": 7}),
    request("terminal/create", command="ls", args=["-l"]),
    request("elicitation/create", message="Which?"),
    {"jsonrpc": "2.0", "id": 3, "result": {"outcome": {"optionId": "reject_once"}}},
    {"jsonrpc": "2.0", "id": 3, "result": {"outcome": {"outcome": "cancelled"}}},
    {"jsonrpc": "2.0", "id": 3, "result": {"exitStatus": {"exitCode": 1}, "output": "x"}},
    {"jsonrpc": "2.0", "id": 3, "result": [1]},
    {"jsonrpc": "2.0", "id": 3, "error": {"code": "-3", "message": "no", "data": {"why": 1}}},
    {"jsonrpc": "2.0", "id": 3, "error": None},
]


@pytest.mark.parametrize("message", RARE)
@pytest.mark.parametrize("side", ["agent", "client"])
def test_a_message_is_the_same_in_every_frame(message: dict[str, Any], side: str):
    stamp = "2026-11-02T10:00:00Z"
    bare = orjson.dumps({**message, "ts": stamp, "dir": side})
    events = decoded(bare)
    is_known(bare)
    text = orjson.dumps(message)
    for framed in (
        orjson.dumps({"t": stamp, "dir": side, "msg": message}),
        orjson.dumps({"timestamp": 1_793_613_600.0, "direction": side, "payload": message}),
        orjson.dumps({"time": 1_793_613_600_000, "from": side, "raw": text.decode()}),
        f"[{side}] {stamp} ".encode() + text,
    ):
        is_known(framed)
        # Of a list, and of text in text, the exact bytes are not there.
        for one, other in zip(events, decoded(framed), strict=True):
            assert (one.suffix, one.time, one.path) == (other.suffix, other.time, other.path)
            assert one.body == other.body
    listed = decoded(f"[{side}] ".encode() + orjson.dumps([message, message]))
    assert [event.suffix for event in listed] == [
        f"{index}:{event.suffix}" for index in (0, 1) for event in events
    ]
    assert [event.body for event in listed] == [event.body for event in (*events, *events)]


def test_an_update_that_is_logged_alone_is_the_same():
    for message in RARE:
        if message.get("method") == "session/update":
            events = decoded(orjson.dumps(message))
            for alone in (message["params"], {"x": message["params"]["update"]}):
                record = orjson.dumps({"ts": 1_793_613_600, **alone})
                is_known(record)
                assert [event.body for event in decoded(record)] == [event.body for event in events]


PLACES: list[tuple[list[str], object]] = [
    (["params", "update", "title"], 5),
    (["params", "update", "toolCallId"], ["c"]),
    (["params", "update", "_meta"], "x"),
    (["params", "update", "more"], 1),
    (["params", "more"], {}),
    (["more"], None),
]


@pytest.mark.parametrize(("path", "value"), PLACES, ids=["/".join(each[0]) for each in PLACES])
def test_what_does_not_fit_or_is_not_declared_is_shown(path: list[str], value: object):
    message: Any = orjson.loads(orjson.dumps(call(status="completed", title="Dig", rawInput={})))
    holder = message
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    whole = orjson.dumps(message)
    place = "/" + "/".join(path)
    for record in (whole, b"[agent] " + whole):
        assert [event.suffix for event in decoded(record)] == ["call", "result"]
    assert unused(whole) == unused(b"[agent] " + whole) == [place]
    assert unused(b'{"dir":"agent","msg":' + whole + b"}") == [f"/msg{place}"]
    assert unused(b'{"dir":"agent","x":' + whole + b"}") == [f"/x{place}"]
    if path[:2] == ["params", "update"]:
        alone = orjson.dumps({**message["params"]["update"], "timestamp": 5})
        assert unused(alone) == [f"/{path[2]}"]


def test_what_stands_before_a_message_or_around_it_is_kept():
    message = orjson.dumps({"jsonrpc": "2.0", "id": 3, "result": {}})
    first, second, third = decoded(b'client "x" {"a ' + message + b' "rest')
    assert isinstance(first.body, Unparsed)
    assert second.suffix == "result"
    assert isinstance(third.body, Unparsed)
