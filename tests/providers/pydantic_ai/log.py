"""Decodes single records, and joins whole logs as they are shown."""

import json
from pathlib import Path
from typing import Any

from agentview.domain.activity import Activity
from agentview.domain.events import Body, Event
from agentview.domain.session import SessionRef
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall
from agentview.paths import sample_sessions_dir
from agentview.providers.pydantic_ai import PROVIDER
from agentview.store.reading import log_reader
from agentview.store.reducing import reduce_lines
from agentview.store.session_store import SessionStore
from agentview.tailing import Line

SAMPLES = sample_sessions_dir() / "pydantic_ai"
REF = SessionRef("pydantic_ai", "s", "log.jsonl")

Record = dict[str, Any]


def events(record: Record | bytes) -> list[Event]:
    """Events of one record."""
    raw = record if isinstance(record, bytes) else json.dumps(record).encode()
    return PROVIDER.decode(raw, SourceRef("log.jsonl", 100, len(raw), 3), REF)


def bodies(record: Record | bytes) -> list[Body]:
    return [event.body for event in events(record)]


def write(path: Path, records: list[Record]) -> Path:
    """A log of these records."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def joined(path: Path, *, backward: bool = False) -> SessionStore:
    """A whole log, read as one piece or record by record from its end."""
    ref = PROVIDER.discovery.ref(path)
    reader = log_reader(PROVIDER, path)
    lines = [item for item in (*reader.poll().items, *reader.finish()) if isinstance(item, Line)]
    store = SessionStore(PROVIDER, ref)
    facts = reduce_lines(ref, lines)
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


def calls(store: SessionStore) -> dict[str, ToolCall]:
    """The calls that stand in the timeline, by id."""
    bodies = [activity.body for activity in shown(store)]
    return {body.call_id: body for body in bodies if isinstance(body, ToolCall)}
