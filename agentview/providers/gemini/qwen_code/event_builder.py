"""A record of Qwen Code: a node of a tree, or a line that was printed."""

from functools import lru_cache

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolKind
from agentview.normalize.tools.specs import known_calls
from agentview.providers.gemini.qwen_code.schema import Message, Payload, Record
from agentview.providers.gemini.qwen_code.tools import SPECS
from agentview.providers.gemini.shared.event_builder import GeminiBuilder, owner_of
from agentview.providers.gemini.shared.tools import kind_of

_NO_MESSAGE, _NO_PAYLOAD = Message(), Payload()


class QwenRecord(GeminiBuilder[Record], gc=False):
    """A record of which no more is known than where it is, until its form is known."""

    @property
    def message(self) -> Message:
        return self.record.message or _NO_MESSAGE

    @property
    def payload(self) -> Payload:
        return self.record.system_payload or _NO_PAYLOAD


def qwen_record(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> QwenRecord:
    return QwenRecord(
        record, raw, source, session, session.session_id, session.stream,
        record_id=f"{owner_of(session)}@{source.offset}",
    )  # fmt: skip


known_tool = known_calls(SPECS.get)
"""Facts of calls of a tool by its name alone."""


@lru_cache(maxsize=256)
def kind_of_tool(name: str) -> ToolKind:
    return kind_of(name, SPECS)
