"""Writes small sessions, decodes single records, and joins a session as it is shown."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentview.domain.activity import Activity
from agentview.domain.events import Body, Event
from agentview.domain.session import SessionRef
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall
from agentview.paths import sample_sessions_dir
from agentview.providers.qwen_code import PROVIDER
from agentview.providers.qwen_code.decode import decode
from agentview.store.reducing import reduce_lines
from agentview.store.session_store import SessionStore
from agentview.tailing.splitter import cut_lines

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
    return PROVIDER.answer(call, outcome)  # pyright: ignore[reportArgumentType]


def write(path: Path, records: Iterable[Record]) -> Path:
    """A session of these records."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def joined(path: Path, *, backward: bool = False) -> SessionStore:
    """A whole session, read as one piece or line by line from its end."""
    ref = PROVIDER.discovery.ref(path)
    store = SessionStore(PROVIDER, ref)
    facts = reduce_lines(ref, cut_lines(path.read_bytes(), 0, 0))
    if backward:
        for each in reversed(facts):
            store.prepend([each])
    else:
        store.append(facts)
    store.finish_indexing()
    return store


def shown(store: SessionStore) -> list[Activity]:
    """What stands in the timeline, from its first row on."""
    return [store.activity(row) for row in range(store.first, store.end) if store.shown(row)]


def texts(store: SessionStore) -> list[str]:
    """The texts of everything that has one."""
    found = (getattr(activity.body, "text", None) for activity in shown(store))
    return [text for text in found if text is not None]
