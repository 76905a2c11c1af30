"""A record of a log, and the one place where its events are made."""

from agentview.domain.events import Body, Event, Facts, Hidden, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, seconds_of, text_of
from agentview.providers._kit.event_builder import excerpt


def record_id_of(source: SourceRef, session: SessionRef) -> str | None:
    """A name for a record of an agent's own log that no record of its session has."""
    if session.stream.kind is StreamKind.MAIN:
        return None
    return f"{session.stream.id}@{source.offset}"


class Frame:
    """A record with its place; `time` is epoch seconds, None in logs that have no times.

    `response_id` tells that the log went on behind a call whose result it does not have.
    """

    __slots__ = ("fields", "raw", "response_id", "session", "source", "time")

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        self.fields = fields
        self.raw = raw
        self.source = source
        self.session = session
        at = seconds_of(fields.get("timestamp_ms"))
        self.time = at if at is not None and at > 0 else None
        self.response_id = text_of(fields.get("model_call_id"))

    @property
    def name(self) -> str:
        """What tells this record from all others of the session's logs."""
        return f"{self.session.stream.id}@{self.source.offset}"

    def event(
        self,
        suffix: str,
        body: Body,
        *,
        run: str | None = None,
        whole: bool = False,
        amends: bool = False,
        facts: Facts | None = None,
        child: Stream | None = None,
    ) -> Event:
        """An event of this record."""
        return Event(
            suffix=suffix,
            session_id=self.session.session_id,
            source=self.source,
            body=body,
            stream=self.session.stream,
            time=self.time,
            record_id=record_id_of(self.source, self.session),
            response_id=self.response_id,
            run=run,
            whole=whole,
            amends=amends,
            child=child,
            facts=facts,
        )

    def hidden(self, reason: str, record_type: str, *, facts: Facts | None = None) -> list[Event]:
        """The record is accounted for, and nothing of it is shown."""
        return [self.event("hidden", Hidden(reason, record_type), facts=facts)]

    def unknown(self, record_type: str, suffix: str = "unknown") -> Event:
        """The record, or a part of it, has a form that nothing knows."""
        reason = f"unknown record type {record_type}"
        return self.event(suffix, Unparsed(reason, excerpt(self.raw), record_type, malformed=False))
