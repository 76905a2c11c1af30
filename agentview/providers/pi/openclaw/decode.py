"""What happened: the events of one row of a session, or of a line that older versions wrote."""

import re

from agentview.domain.events import Event, Facts, Level, Notification, Title, TitleSource, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.pi.shared.entries import entry_events
from agentview.providers.pi.shared.event_builder import OpenClawRecord

_ENDS = {
    "failed": ("The run failed", Level.ERROR),
    "timeout": ("The run took too long", Level.ERROR),
    "killed": ("The run was stopped", Level.WARNING),
}


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: OpenClawRecord) -> list[Event]:
    fields = record.fields
    table = text_of(fields.get("table"))
    if table is None:
        return entry_events(record)
    if table == "session_windows":
        return _window(record, fields)
    if table != "transcript_events":
        return [record.unknown(table)]
    for name, inside in (("event_json", ()), ("event_zstd", ("zstd",))):
        entry = fields_of(fields.get(name))
        for key in inside:
            entry = fields_of(entry.get(key))
        if entry:
            record.fields, record.path = entry, (name, *inside)
            return entry_events(record)
    return [record.unreadable("an event that is neither JSON nor a zstd frame of JSON")]


def _window(record: OpenClawRecord, fields: Fields) -> list[Event]:
    """The session itself: its row is written again as things happen."""
    record.rewritten_id = "session"
    facts = Facts(model=text_of(fields.get("model")))
    events = [record.hidden("the session", "session_windows", facts=facts)]
    name = text_of(fields.get("name"))
    if name is not None:
        events.append(record.event("title", Title(name, TitleSource.CUSTOM)))
    end = _ENDS.get(text_of(fields.get("status")) or "")
    if end is not None:
        events.append(record.event("end", Notification(Topic.SYSTEM, *end)))
    return events


LINES = RecordDecoder(
    OpenClawRecord,
    _record_events,
    re.compile(r'\{\s*"(?:table|type)"\s*:'),
    discovery_keys=("session_id", "session_key", "previous_session_id", "reason", "parent", "seq"),
)
