"""A record with what all its events share, and the one place where these are made."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from agentview.domain.events import Body, Event, Facts, Hidden, Unparsed
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.providers._kit.event_builder import excerpt
from agentview.providers._kit.json_recovery import JsonFragment, placed, read_pieces

_RECORD_START = re.compile(
    r'\{\s*"(?:uuid|sessionId|\$set|\$rewindTo|(?:id|type)"\s*:\s*"[^"]*"\s*,\s*"timestamp)"\s*:'
)
"""How records of these clients begin; what is inside of them begins otherwise."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A record, or a part of one, at `source`; `mark` is added to the suffix of each event."""

    raw: bytes
    source: SourceRef
    session: SessionRef
    record_id: str
    mark: str = ""
    time: float | None = None
    parent_id: str | None = None
    response_id: str | None = None
    stream: Stream | None = None
    facts: Facts | None = None

    def event(
        self,
        suffix: str,
        body: Body,
        *,
        time: float | None = None,
        replaces: str | None = None,
        dedupe_key: str | None = None,
        run: str | None = None,
        child: Stream | None = None,
    ) -> Event:
        """An event of this record; `time` is when it happened, where that is not its own time."""
        return Event(
            suffix=suffix + self.mark,
            session_id=self.session.session_id,
            source=self.source,
            body=body,
            stream=self.stream or self.session.stream,
            time=self.time if time is None else time,
            record_id=self.record_id,
            parent_id=self.parent_id,
            response_id=self.response_id,
            dedupe_key=dedupe_key,
            replaces=replaces,
            run=run,
            child=child,
            facts=self.facts,
        )

    def hidden(self, reason: str, record_type: str) -> Event:
        """The record is accounted for, and nothing of it is shown."""
        return self.event("hidden", Hidden(reason, record_type))

    def unknown(self, record_type: str, suffix: str = "unknown") -> Event:
        """The record, or a part of it, has a form that nothing knows."""
        reason = f"unknown record type {record_type}"
        return self.event(suffix, Unparsed(reason, excerpt(self.raw), record_type, malformed=False))

    def unreadable(self, reason: str) -> Event:
        """The record cannot be read."""
        return self.event("unparsed", Unparsed(reason, excerpt(self.raw)))

    def part(self, start: int, end: int, pointer: str) -> "Frame":
        """The bytes from `start` to `end` of this record as one of their own."""
        place = replace(
            self.source, offset=self.source.offset + start, length=end - start, pointer=pointer
        )
        return replace(self, raw=self.raw[start:end], source=place)


def frame_of(raw: bytes, source: SourceRef, session: SessionRef) -> Frame:
    """The frame of a record of which no more is known than where it is."""
    owner = session.stream.id if session.stream.kind is not StreamKind.MAIN else session.session_id
    return Frame(raw, source, session, f"{owner}@{source.offset}")


def piece_frames(
    record: bytes, source: SourceRef, session: SessionRef
) -> Iterator[tuple[JsonFragment, Frame]]:
    """What a line that is not plainly one value consists of, in order, each with its frame."""
    for piece, place in placed(read_pieces(record, _RECORD_START), source):
        yield piece, frame_of(piece.raw, place, session)
