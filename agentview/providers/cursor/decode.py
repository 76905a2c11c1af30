"""What happened: the events of one record of a stream, a transcript, or of the SDK's messages."""

import re
from functools import partial

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.json_line import LineForm, line_events
from agentview.providers._kit.json_recovery import read_pieces
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


def _decode_record(
    fields: Fields, raw: bytes, source: SourceRef, session: SessionRef
) -> list[Event]:
    return _record_events(Frame(fields, raw, source, session))


def _record_events(frame: Frame) -> list[Event]:
    record_type = text_of(frame.fields.get("type"))
    if record_type is not None:
        return stream_events(frame, record_type)
    if "role" in frame.fields and fields_of(frame.fields.get("message")):
        return transcript_events(frame)
    return [frame.unknown("(none)")]


_LINES = LineForm(partial(read_pieces, begin=_RECORD_START), _decode_record, record_id_of)
