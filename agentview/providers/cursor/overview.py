"""What a session is about and what it is doing, from the records at its two ends."""

from collections.abc import Iterator
from dataclasses import replace

from agentview.domain.events import Event, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef
from agentview.providers._kit import session_info as events_overview
from agentview.providers.cursor.decode import decode
from agentview.providers.cursor.text_transcript import begins_plain, split_plain


def overview(ref: SessionRef, head: bytes, tail: bytes, tail_start: int) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    A transcript has times of prompts at most: then that of the file tells when something came last.
    """
    cut, _, rest = tail.partition(b"\n")
    events = (*_events(head, 0, ref), *_events(rest, tail_start + len(cut) + 1, ref))
    info = events_overview.overview(ref, events)
    timed = any(event.time is not None and not isinstance(event.body, User) for event in events)
    if timed or info.started is None or events[-1].time is not None:
        return info
    untimed = events_overview.overview(ref, (replace(event, time=None) for event in events))
    return replace(untimed, started=info.started)


def _events(block: bytes, start: int, ref: SessionRef) -> Iterator[Event]:
    """Events of the whole records of a block."""
    if not begins_plain(block):
        yield from events_overview.whole_lines(block, start, ref, decode)
        return
    for begin, end in split_plain(block):
        place = SourceRef(ref.path, start + begin, end - begin)
        yield from decode(block[begin:end], place, ref)
