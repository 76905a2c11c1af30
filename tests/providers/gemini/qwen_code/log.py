"""Writes small sessions, decodes single records, and joins a session as it is shown."""

import json
from functools import partial
from typing import Any

from agentview.domain.events import Body, Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.providers.gemini.qwen_code import PROVIDER
from agentview.providers.gemini.qwen_code.decode import decode
from agentview.system.paths import sample_sessions_dir
from tests.providers import joined_log

SAMPLES = sample_sessions_dir() / "qwen_code"
REF = SessionRef("qwen_code", "s-1", "session.jsonl")
AT = "2026-05-04T11:00:00.000Z"

Record = dict[str, Any]


def record(kind: str, own: str = "r-1", parent: str | None = None, **fields: Any) -> Record:
    """A record of that type."""
    return {
        "uuid": own,
        "parentUuid": parent,
        "sessionId": "s-1",
        "timestamp": AT,
        "type": kind,
        "cwd": "/home/dev/shop",
        "version": "0.24.4",
        **fields,
    }


def said(kind: str, *parts: Any, **fields: Any) -> Record:
    """A record with a message of these parts; a text is a part of its own."""
    listed = [{"text": part} if isinstance(part, str) else part for part in parts]
    role = "model" if kind == "assistant" else "user"
    return record(kind, **fields, message={"role": role, "parts": listed})


def noted(subtype: str, own: str = "r-1", parent: str | None = None, **payload: Any) -> Record:
    """A record of the client about itself."""
    return record("system", own, parent, subtype=subtype, systemPayload=payload)


def asked(name: str, args: Any, call_id: str = "c-1") -> Record:
    return {"functionCall": {"id": call_id, "name": name, "args": args}}


def answered(name: str, display: Any = None, call_id: str = "c-1", **told: Any) -> Record:
    """The answer to a call; `told` is the response, `display` what was shown."""
    part = {"functionResponse": {"id": call_id, "name": name, "response": told}}
    status = "error" if "error" in told else "success"
    recorded = {"callId": call_id, "status": status, "resultDisplay": display}
    return said("tool_result", part, toolCallResult=recorded)


def events(given: Record | bytes, ref: SessionRef = REF) -> list[Event]:
    """Events of one record."""
    raw = given if isinstance(given, bytes) else json.dumps(given).encode()
    return decode(raw, SourceRef("session.jsonl", 100, len(raw), 3), ref)


def bodies(given: Record | bytes, ref: SessionRef = REF) -> list[Body]:
    """What a record says, without the mark of its end."""
    return [event.body for event in events(given, ref) if not event.suffix.startswith("end@")]


def joined_call(name: str, args: Any, answer: Record) -> ToolCall:
    """A call joined with its outcome."""
    call, outcome = bodies(said("assistant", asked(name, args)))[0], bodies(answer)[0]
    assert isinstance(call, ToolCall)
    return PROVIDER.reading.attach_result(call, outcome)  # pyright: ignore[reportArgumentType]


joined = partial(joined_log.joined, PROVIDER)
