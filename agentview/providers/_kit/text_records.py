"""Decodes the records of a format that is text: they declare no fields."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers._kit.json_line import UNREADABLE
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, event_of


class _Undeclared(Struct, gc=False):
    pass


class TextRecord(TypedBuilder[_Undeclared], gc=False):
    """A record that is text."""


class TextRecords:
    """How the records of a format that is text are read."""

    def __init__(self, decode_record: Callable[[TextRecord, bytes], Sequence[LightEvent]]) -> None:
        self._decode_record = decode_record

    def events(self, record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
        return [event_of(each) for each in self.light(record, source, session)]

    def light(self, record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        """The same, light where they have such a form."""
        made = TextRecord.of(_Undeclared(), record, source, session)
        try:
            return self._decode_record(made, record)
        except UNREADABLE as error:
            return [made.unreadable(f"a form that could not be read: {error}")]
