"""A record of a log, and the one place where its events are made."""

from dataclasses import replace

from agentview.domain.events import Body, Event, Facts, Hidden, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream
from agentview.normalize.json_values import Fields
from agentview.providers._kit.event_builder import excerpt

Path = tuple[str | int, ...]


class Frame:
    """A record with its place; `base` is where in it the message or the event stands."""

    __slots__ = ("base", "fields", "raw", "session", "source", "stream")

    def __init__(
        self,
        fields: Fields,
        raw: bytes,
        source: SourceRef,
        session: SessionRef,
        *,
        base: Path = (),
        stream: Stream = MAIN_STREAM,
    ) -> None:
        self.fields = fields
        self.raw = raw
        self.source = source
        self.session = session
        self.base = base
        self.stream = stream

    @property
    def name(self) -> str:
        """What tells this record from all others of the log."""
        return f"@{self.source.offset}"

    def event(
        self,
        suffix: str,
        body: Body,
        *,
        time: float | None = None,
        response_id: str | None = None,
        dedupe_key: str | None = None,
        run: str | None = None,
        whole: bool = False,
        amends: bool = False,
    ) -> Event:
        """An event of this record; `time` is epoch seconds."""
        return Event(
            suffix=suffix,
            session_id=self.session.session_id,
            source=self.source,
            body=body,
            stream=self.stream,
            time=time,
            response_id=response_id,
            dedupe_key=dedupe_key,
            run=run,
            whole=whole,
            amends=amends,
        )

    def hidden(
        self,
        reason: str,
        record_type: str,
        *,
        suffix: str = "hidden",
        run: str | None = None,
        facts: Facts | None = None,
    ) -> Event:
        """The record, or a part of it, is accounted for, and nothing of it is shown."""
        return replace(self.event(suffix, Hidden(reason, record_type), run=run), facts=facts)

    def unknown(self, record_type: str, suffix: str = "unknown") -> Event:
        """The record, or a part of it, has a form that nothing knows."""
        reason = f"unknown record type {record_type}"
        return self.event(suffix, Unparsed(reason, excerpt(self.raw), record_type, malformed=False))
