"""Events of one row of a session, or of a line that older versions wrote."""

import re
from collections.abc import Sequence
from typing import cast

from msgspec import Struct

from agentview.domain.events import Facts, Level, Notification, Title, TitleSource, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers._kit.typed_records import LightEvent, TypedLines, hidden
from agentview.providers.pi.shared.entries import entry_events
from agentview.providers.pi.shared.event_builder import OpenClawRecord
from agentview.providers.pi.shared.schema import Entry

_ENDS = {
    "failed": ("The run failed", Level.ERROR),
    "timeout": ("The run took too long", Level.ERROR),
    "killed": ("The run was stopped", Level.WARNING),
}


class Packed(Struct, gc=False):
    """Content of a zstd frame."""

    zstd: Entry | None = None


class Row(Entry, gc=False, rename={"parent_id": "parentId"}):
    """A row of a table, or an entry. The names of its columns are those of `database.py`."""

    table: str | None = None
    event_json: Entry | None = None
    event_zstd: Packed | None = None
    status: str | None = None
    # Finding sessions reads these.
    session_id: object = None
    session_key: object = None
    previous_session_id: object = None
    parent: object = None
    seq: object = None


def _row(row: Row, raw: bytes, source: SourceRef, session: SessionRef) -> OpenClawRecord:
    """The record of a row, whose entry it is where it has one."""
    packed, entry, path = row.event_zstd, row.event_json, ("event_json",)
    if entry is None and packed is not None:
        entry, path = packed.zstd, ("event_zstd", "zstd")
    if entry is None:
        return OpenClawRecord.of(row, raw, source, session, outer=row)
    return OpenClawRecord.of(entry, raw, source, session, path=path, outer=row)


def _record_events(record: OpenClawRecord) -> Sequence[LightEvent]:
    row = cast("Row", record.outer)
    if row.table is None:
        return entry_events(record)
    if row.table == "session_windows":
        return _window(record, row)
    if row.table != "transcript_events":
        return [record.unknown(row.table)]
    if record.record is not row:
        return entry_events(record)
    return [record.unreadable("an event that is neither JSON nor a zstd frame of JSON")]


def _window(record: OpenClawRecord, row: Row) -> Sequence[LightEvent]:
    """The session itself: its row is written again as things happen."""
    record.rewritten_id = "session"
    facts = Facts(model=row.model or None)
    events: list[LightEvent] = [hidden(record, "the session", "session_windows", facts=facts)]
    if row.name:
        events.append(record.event("title", Title(row.name, TitleSource.CUSTOM)))
    end = _ENDS.get(row.status or "")
    if end is not None:
        events.append(record.event("end", Notification(Topic.SYSTEM, *end)))
    return events


LINES = TypedLines(Row, _row, _record_events, re.compile(r'\{\s*"(?:table|type)"\s*:'))
