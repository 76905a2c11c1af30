"""A record of a log of the library, or of llm-do."""

from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, text_of, whole_of
from agentview.providers._kit.event_builder import EventBuilder


class RunRecord(EventBuilder):
    """A message or an event of a run, in the stream of the agent that it is of."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.stream = _stream(fields)


def _stream(fields: Fields) -> Stream:
    """The stream of an agent that another one called; runs of one agent are not distinguished."""
    depth = whole_of(fields.get("depth"))
    name = text_of(fields.get("agent")) or text_of(fields.get("worker"))
    if depth is None or depth <= 0 or name is None:
        return MAIN_STREAM
    return Stream(StreamKind.SUBAGENT, f"{name}@{depth}")
