"""Events of one record of a stream, a transcript, or of the SDK's messages."""

import re
from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers._kit.typed_records import LightEvent, TypedLines
from agentview.providers.cursor.cursor.event_builder import CursorLine, cursor_line
from agentview.providers.cursor.cursor.schema import Message, Record
from agentview.providers.cursor.cursor.stream import stream_events
from agentview.providers.cursor.cursor.text_transcript import is_plain, plain_events
from agentview.providers.cursor.cursor.transcript import transcript_events

_RECORD_START = re.compile(r'\{\s*"(?:type|role|subtype|message|session_id|agent_id|run_id)"\s*:')


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


class _Lines(TypedLines[CursorLine]):
    def light(self, record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        if is_plain(record):
            return plain_events(cursor_line(Record(), record, source, session))
        return super().light(record, source, session)


def _record_events(record: CursorLine) -> Sequence[LightEvent]:
    own = record.record
    if own.type:
        return stream_events(record, own.type)
    message = own.message
    if own.role is not UNSET and isinstance(message, Message) and message.content is not UNSET:
        return transcript_events(record)
    return [record.unknown("(none)")]


LINES = _Lines(Record, cursor_line, _record_events, _RECORD_START)
