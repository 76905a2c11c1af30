"""Writes small sessions, decodes single records, and joins a session as it is shown."""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from agentview.domain.events import Body, Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers.gemini.gemini_cli import PROVIDER
from agentview.providers.gemini.gemini_cli.decode import decode
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log

SAMPLES = sample_sessions_dir() / "gemini_cli"
REF = SessionRef("gemini_cli", "s-1", "session.jsonl")
AT = "2026-05-04T09:00:00.000Z"

Record = dict[str, Any]

META: Record = {
    "sessionId": "s-1",
    "projectHash": "8c1f",
    "startTime": AT,
    "lastUpdated": AT,
    "kind": "main",
}


def user(own: str, *parts: Any, **fields: Any) -> Record:
    listed = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"id": own, "timestamp": AT, "type": "user", "content": listed, **fields}


def model(own: str, content: Any = "", calls: Sequence[Record] = (), **fields: Any) -> Record:
    record = {"id": own, "timestamp": AT, "type": "gemini", "content": content, **fields}
    return {**record, "toolCalls": list(calls)} if calls else record


def response(call_id: str, name: str = "run_shell_command", **told: Any) -> Record:
    return {"functionResponse": {"id": call_id, "name": name, "response": told}}


def call(call_id: str, name: str, args: Any, output: str | None = None, **fields: Any) -> Record:
    """A call as the client keeps it, done unless told otherwise."""
    made: Record = {"id": call_id, "name": name, "args": args, "status": "success"}
    if output is not None:
        made["result"] = [response(call_id, name, output=output)]
    return {**made, "timestamp": AT, **fields}


def events(record: Record | bytes, ref: SessionRef = REF, offset: int = 100) -> list[Event]:
    """Events of one record."""
    raw = record if isinstance(record, bytes) else json.dumps(record).encode()
    return decode(raw, SourceRef("session.jsonl", offset, len(raw), 3), ref)


def bodies(record: Record | bytes) -> list[Body]:
    return [event.body for event in events(record)]


joined = partial(joined_log.joined, PROVIDER)
