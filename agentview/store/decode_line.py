"""A line of a log to its events, also where the line is too long to be held."""

from collections.abc import Sequence

from agentview.domain.events import Event, Unparsed
from agentview.domain.index_entry import EventFact
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.providers.base import Provider
from agentview.sources.line_splitter import Line
from agentview.store.index_entry import light_events

_EXCERPT = 200


def decode_line(
    provider: Provider, session: SessionRef, line: Line, number: int | None = None
) -> list[Event]:
    """Events of one line, at least one; `number` is its 1-based line number where it is known."""
    source = SourceRef(session.path, line.offset, line.length, number)
    if line.data is None:
        return [oversize_event(session, source, line.head)]
    return provider.decode(line.data, source, session)


def decode_light(provider: Provider, session: SessionRef, line: Line) -> Sequence[EventFact]:
    """Light events of one line, at least one: no body is made that its decoder leaves open."""
    source = SourceRef(session.path, line.offset, line.length)
    if line.data is None:
        return light_events([oversize_event(session, source, line.head)], session.stream)
    return light_events(provider.light(line.data, source, session), session.stream)


def oversize_event(session: SessionRef, source: SourceRef, head: bytes) -> Event:
    """Return a placeholder for a record that is too long to decode; it is read on demand."""
    return Event(
        suffix="oversize",
        session_id=session.session_id,
        source=source,
        body=Unparsed(
            reason=f"record of {source.length:,} bytes is too long to be read at once",
            excerpt=head[:_EXCERPT].decode("utf-8", "replace"),
            malformed=False,
        ),
        stream=session.stream,
    )
