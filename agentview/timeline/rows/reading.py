"""How a log is read: as lines that are appended or as a document, and each line to its events."""

from collections.abc import Sequence
from pathlib import Path

from agentview.domain.events import Event, Unparsed
from agentview.domain.index_entry import EventFact
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.normalize.light_events import light_events
from agentview.providers.base import HEAD_BYTES, Provider
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader, LogReader
from agentview.sources.open_file import read_head

_EXCERPT = 200


def log_reader(provider: Provider, path: Path) -> LogReader:
    """A reader from the start of the file; of lines where nothing says that it is a document."""
    documents = provider.documents
    if documents is None:
        return LineReader(path)
    try:
        head = read_head(path, HEAD_BYTES)
    except AgentViewError:
        head = b""
    if not provider.is_document(head):
        return LineReader(path)
    # Most logs are lines.
    from agentview.sources.document import DocumentLines

    return DocumentLines(path, documents.split)


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
