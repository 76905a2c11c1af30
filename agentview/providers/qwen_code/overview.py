"""What a session is about and what it is doing, from the records at its two ends."""

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize import overview as events_overview
from agentview.providers.qwen_code.decode import decode


def overview(ref: SessionRef, head: bytes, tail: bytes, tail_start: int) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    An agent has the title that stands beside its log: what it was started for.
    """
    events = events_overview.end_lines(head, tail, tail_start, ref, decode)
    return events_overview.overview(ref, events, name=ref.label)
