"""Writes small logs, decodes single records, and joins a log as it is shown."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from agentview.domain.activity import Activity
from agentview.domain.events import Body, Event
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall
from agentview.paths import sample_sessions_dir
from agentview.providers.codex import PROVIDER
from agentview.providers.codex.decode import decode
from agentview.store.reducing import reduce_lines
from agentview.store.session_store import SessionStore
from agentview.tailing.splitter import cut_lines

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


def write(path: Path, records: Iterable[Record]) -> Path:
    """A log of these records."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def joined(path: Path, *, backward: bool = False) -> SessionStore:
    """A whole log, read as one piece or line by line from its end."""
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


def shown(store: SessionStore) -> list[Activity]:
    """What stands in the timeline, from its first row on."""
    return [store.activity(row) for row in range(store.first, store.end) if store.shown(row)]


def texts(store: SessionStore) -> Sequence[str]:
    """The texts of everything that has one."""
    found = (getattr(activity.body, "text", None) for activity in shown(store))
    return [text for text in found if text is not None]


def calls(store: SessionStore) -> dict[str, ToolCall]:
    """The calls that stand in the timeline, by id."""
    bodies = [activity.body for activity in shown(store)]
    return {body.call_id: body for body in bodies if isinstance(body, ToolCall)}
