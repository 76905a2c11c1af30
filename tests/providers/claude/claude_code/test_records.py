"""The keys that shapes declare are the keys that decoding reads, no more and no less."""

import json
from collections.abc import Iterator
from typing import Any

from agentview.domain.content import JsonBlock
from agentview.domain.events import Event, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.normalize.json_values import fields_of, items_of
from agentview.providers.claude.claude_code import (
    attachments,
    metadata_records,
    system,
    unused_keys,
)
from agentview.providers.claude.claude_code.decode import decode_parsed
from agentview.providers.claude.claude_code.records import Record
from agentview.providers.claude.shared import tools
from agentview.providers.claude.shared.read_keys import Shape
from tests.providers.claude.claude_code.lines import (
    ENVELOPE,
    SAMPLES,
    assistant,
    objects,
    result,
    user,
)
from tests.providers.claude.claude_code.tracked import Path, TrackedDict, places, tracked

REF = SessionRef("claude_code", "s", "x")


def declared(value: Any, shape: type[Shape], place: Path = ()) -> Iterator[tuple[Path, bool]]:
    """Places of the keys of a value that its shape has, and whether what is below is read whole."""
    for item in items_of(value):
        yield from declared(item, shape, (*place, "*"))
    if fields := fields_of(value):
        parts = shape.narrow(fields).parts(fields)
        for key, item in fields.items():
            if key in parts:
                inner = parts[key]
                yield (*place, key), inner is None
                if inner is not None:
                    yield from declared(item, inner, (*place, key))


def shown_whole(events: list[Event], reads: set[Path]) -> None:
    """A block that has no better form is shown as JSON, every key of it."""
    for event in events:
        if isinstance(event.body, ToolResult):
            for block in event.body.output:
                if isinstance(block, JsonBlock) and isinstance(block.value, TrackedDict):
                    reads.update(places(block.value, block.value.place))


def read_and_declared() -> tuple[set[Path], set[Path], set[Path]]:
    """Over all samples: places read, places declared, and places declared to be read whole.

    A place begins with the record's type, and with the tool for what is in a call's arguments.
    """
    reads: set[Path] = set()
    known: set[Path] = set()
    whole: set[Path] = set()
    for path in sorted(SAMPLES.rglob("*.jsonl")):
        calls: dict[str, ToolCall] = {}
        for line, record in objects(path):
            noted: set[Path] = set()
            source = SourceRef("x", 0, len(line))
            events = decode_parsed(tracked(record, noted), line, source, REF)
            tool = ""
            for event in events:
                body = event.body
                if isinstance(body, ToolCall):
                    calls[body.call_id] = body
                    tool = body.provider_name
                elif isinstance(body, ToolResult) and body.call_id in calls:
                    tools.answer(calls[body.call_id], body)
            shown_whole(events, noted)
            kind = str(record.get("type"))
            reads |= {named(kind, tool, place) for place in noted}
            for place, is_whole in declared(record, Record):
                known.add(named(kind, tool, place))
                if is_whole:
                    whole.add(named(kind, tool, place))
    return reads, known, whole


def named(kind: str, tool: str, place: Path) -> Path:
    return (kind, tool, *place) if "input" in place else (kind, *place)


def test_what_is_read_is_declared_and_what_is_declared_is_read():
    reads, known, whole = read_and_declared()
    below_whole = {
        place for place in reads if any(place[:end] in whole for end in range(1, len(place)))
    }
    assert reads - known - below_whole == set()
    assert known - reads == set()


def test_unused_keys_are_those_that_nothing_reads():
    record = json.dumps(
        {**user("x"), "userType": "external", "message": {"role": "user", "content": "x"}}
    )
    assert unused_keys(record.encode()) == ["/message/role", "/userType"]


def test_unused_keys_of_calls_and_results():
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls", "sandbox": 1}}
    assert unused_keys(json.dumps(assistant(call)).encode()) == ["/message/content/0/input/sandbox"]
    free = {**call, "name": "mcp__a__b"}
    assert unused_keys(json.dumps(assistant(free)).encode()) == []
    answer = result("ok", {"stdout": "ok", "a/b~c": 1})
    assert unused_keys(json.dumps(answer).encode()) == ["/message/role", "/toolUseResult/a~1b~0c"]


def test_unused_keys_of_what_is_no_object():
    for record in (b"", b"[1]", b"null", b'{"type":"us', b"\xff"):
        assert unused_keys(record) == []


def test_every_type_that_is_known_is_in_a_sample():
    found: set[str] = set()
    for path in SAMPLES.rglob("*.jsonl"):
        for _, record in objects(path):
            inner: Any = record.get("attachment") or record.get("data") or {}
            kind = record.get("subtype") or inner.get("type")
            found.add(f"{record.get('type')}/{kind}" if kind else str(record.get("type")))
    assert {*metadata_records.BOOKKEEPING, *metadata_records.MAKERS} <= found
    for table in (attachments.BOOKKEEPING, attachments.MAKERS):
        assert {f"attachment/{name}" for name in table} <= found
    for table in (system.BOOKKEEPING, system.MAKERS):
        assert {f"system/{name}" for name in table} <= found


def test_unused_keys_of_an_unknown_type():
    assert unused_keys(json.dumps({**ENVELOPE, "type": "hologram", "x": 1}).encode()) == ["/x"]
