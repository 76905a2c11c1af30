"""Whether a file is a log of the library, and what it is about; it keeps none of its own accord."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentview.domain.index_entry import LightEvent
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.raw_span import element_spans
from agentview.providers._kit import defaults
from agentview.providers._kit import session_info as events_overview
from agentview.providers.base import Light
from agentview.providers.pydantic_ai.probing import begins_list, probe_head
from agentview.sources.files import files_below, read_ends, read_part


def overview(
    ref: SessionRef, head: bytes, tail: bytes, tail_start: int, decode: Light
) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    Of a long list of messages only its beginning is read: its end does not show where a message
    begins.
    """
    if begins_list(head):
        events = _listed(head, ref, decode)
    else:
        events = events_overview.end_lines(head, tail, tail_start, ref, decode)
    return events_overview.overview(ref, events)


def _listed(head: bytes, ref: SessionRef, decode: Light) -> Iterator[LightEvent]:
    # A list that is a member of a document has no other list in front of it.
    for start, end in element_spans(head, head.index(b"[")):
        yield from decode(head[start:end], SourceRef(ref.path, start, end - start), ref)


NAME = "pydantic_ai"

_ENDINGS = (".json", ".jsonl", ".ndjson", ".log")
_HEAD_BYTES = 65_536


roots = defaults.roots
children = defaults.children
child_places = defaults.child_places
externalized_output = defaults.externalized_output


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` holds messages or events of the library."""
    _ = path
    return probe_head(head)


def files(root: Path) -> Iterable["os.DirEntry[str]"]:
    return files_below(root, _ENDINGS)


def session_at(path: Path) -> SessionRef | None:
    return ref(path) if probe_head(read_part(path, 0, _HEAD_BYTES)) > 0 else None


def ref(path: Path) -> SessionRef:
    """The session that a file holds: it has the name of the file, since runs in it may be many."""
    try:
        status = path.stat()
    except OSError:
        return SessionRef(NAME, path.stem, str(path))
    return SessionRef(NAME, path.stem, str(path), modified=status.st_mtime, size=status.st_size)


def info(ref: SessionRef, decode: Light) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    head, tail, start = read_ends(Path(ref.path))
    return overview(ref, head, tail, start, decode)
