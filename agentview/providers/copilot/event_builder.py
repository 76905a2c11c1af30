"""A record with its envelope, and the stream that it is of."""

from msgspec import field

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.usage import Usage
from agentview.normalize.json_values import Fields, time_of, whole_of
from agentview.providers._kit.typed_records import TypedBuilder
from agentview.providers.copilot.schema import Data, Record

_NO_DATA = Data()


class CopilotRecord(TypedBuilder[Record], gc=False):
    """A record: `data` is what its envelope carries."""

    data: Data = field(default_factory=Data)

    @property
    def values(self) -> Fields:
        return self.values_at("data")


def copilot_record(
    record: Record, raw: bytes, source: SourceRef, session: SessionRef
) -> CopilotRecord:
    """The builder of a record."""
    data, stream = record.data or _NO_DATA, session.stream
    # The record that starts an agent has its id, and is in the stream of who started it.
    agent = record.agent_id or data.parent_tool_call_id
    if agent and not (record.type or "").startswith("subagent."):
        stream = Stream(StreamKind.SUBAGENT, agent)
    return CopilotRecord(
        record, raw, source, session, session.session_id, stream, time_of(record.timestamp),
        record.id or None, record.parent_id or None, data=data,
    )  # fmt: skip


def usage_of(
    given: object, cached: object, cache_write: object, output: object, reasoning: object = None
) -> Usage | None:
    """The tokens of a request; what a cache gave or took is part of its input. None for none."""
    whole, written, answer = whole_of(given), whole_of(cache_write), whole_of(output)
    if whole is None and answer is None:
        return None
    read = whole_of(cached)
    uncached = None if whole is None else max(0, whole - (read or 0) - (written or 0))
    return Usage(uncached, read, written, answer, whole_of(reasoning))
