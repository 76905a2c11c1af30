"""A record of Gemini CLI, or a message in one."""

from typing import Self
from zlib import crc32

from agentview.domain.events import REPEATED
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import Fields
from agentview.providers._kit.typed_records import copied, fitting
from agentview.providers.gemini.gemini_cli.schema import Record
from agentview.providers.gemini.shared.event_builder import GeminiBuilder, owner_of


class GeminiRecord(GeminiBuilder[Record], gc=False):
    """A record, which has a name also where it has no id."""

    history: str | None = None
    """Of a message: the name of the history that repeats it, empty where none does."""

    @property
    def ending(self) -> str:
        """One message may be written several times, and each time has events of its own."""
        if self.history is not None and not self.suffix_end:
            self.suffix_end = f"~{crc32(self.raw):08x}{self.history}"
        return self.suffix_end

    @property
    def path_again(self) -> str:
        """The path of a call, or of a result, that counts where no other record has it."""
        return REPEATED if self.history else ""

    def piece(self, message: Fields, raw: bytes, name: str) -> Self:
        """A message in this record, with a name where it has no id."""
        made = self.copy()
        made.record, _ = fitting(copied(message), Record)
        made.raw, made._fields, made.rewritten = raw, message, True
        made.record_id, made.time = f"{self.name}:{name}", None
        return made


def gemini_record(
    record: Record, raw: bytes, source: SourceRef, session: SessionRef
) -> GeminiRecord:
    return GeminiRecord(
        record, raw, source, session, session.session_id, session.stream,
        record_id=f"{owner_of(session)}@{source.offset}",
    )  # fmt: skip
