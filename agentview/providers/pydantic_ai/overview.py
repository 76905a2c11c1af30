"""What a session is about and what it is doing, from the records at its two ends."""

from collections.abc import Iterator

from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.raw_span import element_spans
from agentview.providers._kit import session_info as events_overview
from agentview.providers.pydantic_ai.decode import decode
from agentview.providers.pydantic_ai.probing import begins_list


def overview(ref: SessionRef, head: bytes, tail: bytes, tail_start: int) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    Of a long list of messages only its beginning is told: where a message begins cannot be known
    from its end.
    """
    if begins_list(head):
        events = _listed(head, ref)
    else:
        events = events_overview.end_lines(head, tail, tail_start, ref, decode)
    return events_overview.overview(ref, events)


def _listed(head: bytes, ref: SessionRef) -> Iterator[Event]:
    # A list that is a member of a document has no other list in front of it.
    for start, end in element_spans(head, head.index(b"[")):
        yield from decode(head[start:end], SourceRef(ref.path, start, end - start), ref)
