"""Decodes single records, given as objects, for tests that look at one of them."""

import json
from pathlib import Path
from typing import Any, cast

from agentview.domain.events import Body, Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers.claude.claude_code.decode import decode
from agentview.system.paths import sample_sessions_dir

SAMPLES = sample_sessions_dir() / "claude_code"
REF = SessionRef("claude_code", "s-1", "log.jsonl")
ENVELOPE = {
    "parentUuid": "p-1",
    "isSidechain": False,
    "sessionId": "s-1",
    "uuid": "u-1",
    "timestamp": "2026-11-21T10:00:00.500Z",
    "cwd": "/home/dev/shop",
    "gitBranch": "main",
    "version": "2.1.329",
}


def events(record: bytes | dict[str, Any], ref: SessionRef = REF) -> list[Event]:
    """Events of one record."""
    raw = record if isinstance(record, bytes) else json.dumps(record).encode()
    return decode(raw, SourceRef("log.jsonl", 100, len(raw), 3), ref)


def bodies(record: bytes | dict[str, Any]) -> list[Body]:
    return [event.body for event in events(record)]


def user(content: object, **fields: object) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {**ENVELOPE, "type": "user", "message": message, **fields}


def assistant(*blocks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": 5, "output_tokens": 7}
    message = {"id": "msg_1", "model": "claude-opus-5-5", "content": list(blocks), "usage": usage}
    return {**ENVELOPE, "type": "assistant", "message": {**message, **fields}}


def result(content: object, structured: object = None, **fields: object) -> dict[str, Any]:
    block: dict[str, object] = {"type": "tool_result", "tool_use_id": "toolu_1", "content": content}
    if fields.pop("is_error", False):
        block["is_error"] = True
    return user([block], toolUseResult=structured, **fields)


def objects(path: Path) -> list[tuple[bytes, dict[str, Any]]]:
    """The lines of a log that are whole objects, as text and as objects."""
    found: list[tuple[bytes, dict[str, Any]]] = []
    for line in path.read_bytes().splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append((line, cast("dict[str, Any]", value)))
    return found


def sample_records(name: str) -> list[dict[str, Any]]:
    """The records of a sample that are whole objects."""
    return [record for _, record in objects(SAMPLES / name)]
