"""A record of these clients, or a part of one."""

import re
from typing import Self

from msgspec.structs import replace

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.normalize.json_values import Fields
from agentview.providers._kit.event_builder import EventBuilder

RECORD_START = re.compile(
    r'\{\s*"(?:uuid|sessionId|\$set|\$rewindTo|(?:id|type)"\s*:\s*"[^"]*"\s*,\s*"timestamp)"\s*:'
)
"""How records of these clients begin; what is inside of them begins otherwise."""


def owner_of(session: SessionRef) -> str | None:
    """What the names of records begin with that have no id: they count in all of a session."""
    return session.session_id if session.stream.kind is StreamKind.MAIN else session.stream.id


class GeminiRecord(EventBuilder):
    """A record of which no more is known than where it is, until its form is known."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.record_id = f"{owner_of(session)}@{source.offset}"

    def part(self, fields: Fields, start: int, end: int, pointer: str) -> Self:
        """The bytes from `start` to `end` of this record as one of their own."""
        made = self.copy()
        offset = self.source.offset + start
        made.source = replace(self.source, offset=offset, length=end - start, pointer=pointer)
        made.fields, made.raw, made.time = fields, self.raw[start:end], None
        made.record_id = f"{self.name}:{pointer}"
        return made
