"""A record of Gemini CLI, or a message in one."""

from collections.abc import Callable
from typing import Any, Self
from zlib import crc32

from msgspec.json import Decoder

from agentview.domain.activity import RowKind
from agentview.domain.events import REPEATED, ToolResult
from agentview.domain.index_entry import KIND_CODES, Flag, Role, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream
from agentview.normalize.json_values import Fields
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, fitting
from agentview.providers.gemini.gemini_cli.schema import Record
from agentview.providers.gemini.shared.event_builder import owner_of

_RESULT = KIND_CODES[RowKind.RESULT]


class GeminiRecord(TypedBuilder[Record], gc=False):
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

    def result(  # noqa: PLR0913  (each is a field of the event)
        self,
        suffix: str,
        call_id: str,
        ok: bool | None,
        make: Callable[..., ToolResult],
        args: tuple[Any, ...],
        *,
        time: float | None = None,
        key: str | None = None,
        child: Stream | None = None,
        path: str = "",
    ) -> LightEvent:
        """The result of a call; `ok` is None where only the whole of it says how that ended."""
        if ok is None:
            body = make(*args)
            return self.event(suffix, body, time=time, dedupe_key=key, child=child, path=path)
        light = self.part(
            suffix, _RESULT, 0 if ok else Flag.PROBLEM, make, args, Role.RESULT, call_id,
            Signal.AGENT, child=child,
        )  # fmt: skip
        light.dedupe, light.path = key, path
        if time is not None:
            light.time = time
        return light

    def piece(self, message: Fields, raw: bytes, name: str) -> Self:
        """A message in this record, with a name where it has no id."""
        made = self.copy()
        made.record, _ = fitting(message, _read)
        made.raw, made._fields, made.rewritten = raw, message, True
        made.record_id, made.time = f"{self.name}:{name}", None
        return made


def gemini_record(
    record: Record, raw: bytes, source: SourceRef, session: SessionRef
) -> GeminiRecord:
    """The record of a line, or of a piece of a document."""
    return GeminiRecord(
        record, raw, source, session, session.session_id, session.stream,
        record_id=f"{owner_of(session)}@{source.offset}",
    )  # fmt: skip


_read = Decoder(Record).decode
