"""A line of what the agent prints or of a transcript, and the calls that it has."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET

from agentview.domain.events import Message
from agentview.domain.index_entry import EventFact, EventLinks, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_values import text_of, time_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.typed_records import MESSAGE, LightEvent, TypedBuilder
from agentview.providers.cursor.cursor.schema import Block, Record
from agentview.providers.cursor.cursor.schema import Message as Said
from agentview.providers.cursor.shared import tools


class CursorLine(TypedBuilder[Record], gc=False):
    """A line; its time is None in logs that have no times.

    `response_id` says that the log continued behind a call whose result it does not have.
    """

    @property
    def of_sdk(self) -> bool:
        return self.record.run_id is not UNSET or self.record.agent_id is not UNSET

    @property
    def blocks(self) -> Sequence[Block | str | None]:
        """The parts of the message."""
        message = self.record.message
        content = message.content if isinstance(message, Said) else None
        if isinstance(content, str):
            return [content] if content else []
        return content or []

    @property
    def content(self) -> object:
        return self.value_at("message", "content")

    def said(self, suffix: str, words: str, tie: EventLinks | None = None) -> EventFact:
        """A text of the agent."""
        light = self.part(suffix, MESSAGE, 0, Message, (words,), signal=Signal.PERSON)
        light.tie = tie
        return light

    def call(
        self, suffix: str, call_id: str, name: str, make: Callable[..., ToolCall],
        args: tuple[Any, ...], tie: EventLinks,
    ) -> tuple[LightEvent, ToolKind]:  # fmt: skip
        """A call, made at once where the name of its tool says too little of it; and its kind."""
        known = _known(name)
        if known is None:
            body = make(*args)
            return self.event(suffix, body, run=tie.run, amends=tie.amends), body.kind
        light = self.call_part(suffix, call_id, known, make, args)
        light.tie = tie
        return light, known.kind


def cursor_line(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> CursorLine:
    """The builder of a line."""
    stream = session.stream
    # No record of the session that started the agent has this name.
    own = f"{stream.id}@{source.offset}" if stream.kind is not StreamKind.MAIN else None
    return CursorLine(
        record, raw, source, session, session.session_id, stream, time_of(record.timestamp_ms), own,
        response_id=text_of(record.model_call_id),
    )  # fmt: skip


_known = known_calls(tools.named)
