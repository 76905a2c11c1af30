"""What happened: the events of one line of a session, or of what the client prints."""

import re

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import text_of
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.pi.pi.stream import STREAM
from agentview.providers.pi.shared.entries import entry_events
from agentview.providers.pi.shared.event_builder import PiRecord


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: PiRecord) -> list[Event]:
    make = STREAM.get(text_of(record.fields.get("type")) or "")
    return make(record) if make is not None else entry_events(record)


LINES = RecordDecoder(PiRecord, _record_events, re.compile(r'\{\s*"type"\s*:\s*"[a-z_]+"'))
