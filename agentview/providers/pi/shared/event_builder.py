"""The record that is being decoded: a subclass for each program says which tools it has."""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct, field

from agentview.domain.content import Block
from agentview.domain.events import Attachment
from agentview.normalize.tools.specs import KnownCall, ToolSpec
from agentview.providers._kit.speakers import Divided, divided
from agentview.providers._kit.typed_records import TypedBuilder
from agentview.providers.pi.shared.content import blocks_of
from agentview.providers.pi.shared.openclaw_forms import FORMS, PROVENANCE
from agentview.providers.pi.shared.schema import Entry, Message
from agentview.providers.pi.shared.tools import (
    KNOWN,
    KNOWN_OF_OPENCLAW,
    OPENCLAW_SPECS,
    SPECS,
)


class PiRecord(TypedBuilder[Entry], gc=False):
    """A record with an entry of Pi."""

    tools: ClassVar[Mapping[str, ToolSpec]] = SPECS
    known: ClassVar[Mapping[str, KnownCall | None]] = KNOWN

    message: Message = field(default_factory=Message)
    """The message of the entry, or the entry itself."""
    place: tuple[str, ...] = ()
    """Where in the entry the message is."""
    outer: Struct | None = None
    """The declared form of the record, where the entry is a part of that."""
    result_path: str = ""
    """The `path` of events of results."""

    @property
    def declared(self) -> tuple[tuple[str | int, ...], Struct | None]:
        return (), self.outer or self.record

    def blocks(self) -> tuple[Block, ...]:
        return blocks_of(self.value_at(*self.place, "content"))

    def divided(self, text: str) -> Divided:
        return Divided(text)


class OpenClawRecord(PiRecord, gc=False):
    """A record with an entry of OpenClaw."""

    tools: ClassVar[Mapping[str, ToolSpec]] = OPENCLAW_SPECS
    known: ClassVar[Mapping[str, KnownCall | None]] = KNOWN_OF_OPENCLAW

    def divided(self, text: str) -> Divided:
        """The text of a message of the user by speaker."""
        provenance = self.message.provenance
        speaker = PROVENANCE.get(provenance.kind or "") if provenance is not None else None
        if provenance is not None and speaker is not None and text.strip():
            name = provenance.source_tool or "note of the client"
            return Divided("", notes=(Attachment(name, speaker.value, text.strip()),))
        return divided(text, FORMS)
