"""A record of a log of the library, or of llm-do."""

from msgspec import UNSET, field

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream, StreamKind
from agentview.normalize.json_values import whole_of
from agentview.providers._kit.typed_records import TypedBuilder
from agentview.providers.pydantic_ai.schema import Line, Said


class RunRecord(TypedBuilder[Line], gc=False):
    """A message or an event of a run, in the stream of the agent that it is of."""

    said: Said = field(default_factory=Said)
    """The message or the event: the record itself, or what llm-do puts something around."""


def run_record(line: Line, raw: bytes, source: SourceRef, session: SessionRef) -> RunRecord:
    """The record of a line."""
    made = RunRecord.of(line, raw, source, session, said=line)
    made.stream = _stream(line)
    return made


def _stream(line: Line) -> Stream:
    """The stream of an agent that another one called; runs of one agent are not distinguished."""
    depth = whole_of(line.depth)
    agent = None if line.agent is UNSET else line.agent
    worker = None if line.worker is UNSET else line.worker
    name = agent or worker
    if depth is None or depth <= 0 or not name:
        return MAIN_STREAM
    return Stream(StreamKind.SUBAGENT, f"{name}@{depth}")
