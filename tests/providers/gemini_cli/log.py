"""Writes small sessions, decodes single records, and joins a session as it is shown."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from agentview.domain.activity import Activity
from agentview.domain.events import Body, Event
from agentview.domain.session import SessionRef
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall
from agentview.paths import sample_sessions_dir
from agentview.providers.gemini_cli import PROVIDER
from agentview.providers.gemini_cli.decode import decode
from agentview.store.facts import reduce_record
from agentview.store.reducing import reduce_lines
from agentview.store.session_store import SessionStore
from agentview.tailing.splitter import cut_lines

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


def write(path: Path, records: Iterable[Record]) -> Path:
    """A session of these records."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def joined(path: Path, *, backward: bool = False) -> SessionStore:
    """A whole session of lines, read as one piece or line by line from its end."""
    ref = PROVIDER.discovery.ref(path)
    store = SessionStore(PROVIDER, ref)
    facts = reduce_lines(ref, cut_lines(path.read_bytes(), 0, 0))
    if backward:
        for record in reversed(facts):
            store.prepend([record])
    else:
        store.append(facts)
    store.finish_indexing()
    return store


def joined_document(path: Path) -> SessionStore:
    """A whole session that is one document, divided as the provider divides it."""
    ref = PROVIDER.discovery.ref(path)
    data = path.read_bytes()
    assert PROVIDER.documents is not None
    store = SessionStore(PROVIDER, ref)
    for start, end in PROVIDER.documents.split(data):
        record = data[start:end]
        made = decode(record, SourceRef(str(path), start, len(record)), ref)
        store.append([reduce_record(start, len(record), made, ref.stream)])
    store.finish_indexing()
    return store


def shown(store: SessionStore) -> list[Activity]:
    """What stands in the timeline, from its first row on."""
    return [store.activity(row) for row in range(store.first, store.end) if store.shown(row)]


def texts(store: SessionStore) -> list[str]:
    """The texts of everything that has one."""
    found = (getattr(activity.body, "text", None) for activity in shown(store))
    return [text for text in found if text is not None]


def calls(store: SessionStore) -> dict[str, ToolCall]:
    """The calls that stand in the timeline, by id."""
    listed = [activity.body for activity in shown(store)]
    return {body.call_id: body for body in listed if isinstance(body, ToolCall)}
