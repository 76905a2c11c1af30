"""What happened: the events of one record of a stream, a transcript, or of the SDK's messages."""

import re

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.cursor.event_builder import Frame, record_id_of
from agentview.providers.cursor.stream import stream_events
from agentview.providers.cursor.text_transcript import is_plain, plain_events
from agentview.providers.cursor.transcript import transcript_events

_RECORD_START = re.compile(r'\{\s*"(?:type|role|subtype|message|session_id|agent_id|run_id)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list.

    Several records on one line are all decoded; what cannot be read becomes `Unparsed`.
    """
    if is_plain(record):
        return plain_events(Frame({}, record, source, session))
    return line_events(record, source, session, _LINES)


def _decode_record(record: EventBuilder) -> list[Event]:
    return _record_events(Frame(record.fields, record.raw, record.source, record.session))


def _record_events(frame: Frame) -> list[Event]:
    record_type = text_of(frame.fields.get("type"))
    if record_type is not None:
        return stream_events(frame, record_type)
    if "role" in frame.fields and fields_of(frame.fields.get("message")):
        return transcript_events(frame)
    return [frame.unknown("(none)")]


class _Named(EventBuilder):
    """A record with a name, for lines that cannot be read too."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.record_id = record_id_of(source, session)


_LINES = RecordDecoder(_Named, _decode_record, _RECORD_START)
