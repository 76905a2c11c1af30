"""What happened: the events of one record of a stream, a transcript, or of the SDK's messages."""

import re

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import fields_of, text_of
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.cursor.cursor.stream import stream_events
from agentview.providers.cursor.cursor.text_transcript import is_plain, plain_events
from agentview.providers.cursor.cursor.transcript import transcript_events
from agentview.providers.cursor.shared.event_builder import CursorRecord

_RECORD_START = re.compile(r'\{\s*"(?:type|role|subtype|message|session_id|agent_id|run_id)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    if is_plain(record):
        return plain_events(CursorRecord({}, record, source, session))
    return line_events(record, source, session, LINES)


def _record_events(record: CursorRecord) -> list[Event]:
    record_type = text_of(record.fields.get("type"))
    if record_type is not None:
        return stream_events(record, record_type)
    if "role" in record.fields and fields_of(record.fields.get("message")):
        return transcript_events(record)
    return [record.unknown("(none)")]


LINES = RecordDecoder(
    CursorRecord, _record_events, _RECORD_START, discovery_keys=("session_id", "agent_id")
)
