"""A record of any of the client's logs."""

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.normalize.json_values import Fields, text_of, time_of
from agentview.providers._kit.event_builder import EventBuilder


class CursorRecord(EventBuilder):
    """A record; its time is None in logs that have no times.

    `response_id` says that the log continued behind a call whose result it does not have.
    """

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        if session.stream.kind is not StreamKind.MAIN:
            # No record of the session that started the agent has this name.
            self.record_id = f"{session.stream.id}@{source.offset}"
        self.time = time_of(fields.get("timestamp_ms"))
        self.response_id = text_of(fields.get("model_call_id"))
