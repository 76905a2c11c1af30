"""Writes a log of given records, and joins a whole log as it is shown."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentview.domain.activity import Activity
from agentview.domain.tools import ToolCall
from agentview.providers import Provider
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore

_ALL = 1 << 30


def write(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    """A log of these records."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def joined(provider: Provider, path: Path, *, backward: bool = False) -> SessionStore:
    """A whole log, read as one piece or record by record from its end."""
    ref = provider.discovery.ref(path)
    reader = log_reader(provider, path)
    items = [*reader.poll(_ALL).items, *reader.finish()]
    lines = [item for item in items if isinstance(item, Line)]
    store = SessionStore(provider, ref)
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


def texts(store: SessionStore) -> list[str]:
    """The texts of everything that has one."""
    found = (getattr(activity.body, "text", None) for activity in shown(store))
    return [text for text in found if text is not None]


def calls(store: SessionStore) -> dict[str, ToolCall]:
    """The calls that stand in the timeline, by id."""
    bodies = [activity.body for activity in shown(store)]
    return {body.call_id: body for body in bodies if isinstance(body, ToolCall)}
