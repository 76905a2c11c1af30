"""Writes small logs, decodes single records, and joins a log as it is shown."""

import json
from functools import partial
from typing import Any

from agentview.domain.events import Body, Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.providers.codex import PROVIDER
from agentview.providers.codex.decode import decode
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log

SAMPLES = sample_sessions_dir() / "codex"
THREAD = "019cb1a0-1111-7aaa-8bbb-0123456789ab"
EARLIER_TURN = "019cb19f-1111-7aaa-8bbb-0123456789ab"
REF = SessionRef("codex", THREAD, "log.jsonl")
AGENT = SessionRef(
    "codex", "root", "log.jsonl", Stream(StreamKind.SUBAGENT, THREAD), parent_id="root"
)
AT = "2026-03-02T10:00:01.000Z"

Record = dict[str, Any]


def item(at: str | None = AT, **payload: Any) -> Record:
    """A response item."""
    return {"timestamp": at, "type": "response_item", "payload": payload}


def report(at: str | None = AT, **payload: Any) -> Record:
    """An event for the screen."""
    return {"timestamp": at, "type": "event_msg", "payload": payload}


def finished(at: str | None = AT, **fields: Any) -> Record:
    """A finished item of a paginated log."""
    return report(at, type="item_completed", thread_id=THREAD, item=fields)


def said(role: str, *texts: str, at: str | None = AT, **fields: Any) -> Record:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return item(at, type="message", role=role, content=content, **fields)


def called(name: str, arguments: object, call_id: str = "call_1", **fields: Any) -> Record:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return item(type="function_call", name=name, arguments=text, call_id=call_id, **fields)


def answered(output: object, call_id: str = "call_1") -> Record:
    return item(type="function_call_output", call_id=call_id, output=output)


def events(record: Record | bytes, ref: SessionRef = REF) -> list[Event]:
    """Events of one record."""
    raw = record if isinstance(record, bytes) else json.dumps(record).encode()
    return decode(raw, SourceRef("log.jsonl", 100, len(raw), 3), ref)


def bodies(record: Record | bytes, ref: SessionRef = REF) -> list[Body]:
    return [event.body for event in events(record, ref)]


joined = partial(joined_log.joined, PROVIDER)
