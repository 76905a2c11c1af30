"""A session that comes through a pipe."""

from agentview.providers import recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sessions.following.live_session import LiveSession
from agentview.sources.line_splitter import Line
from agentview.sources.pipe import PipeReader


async def piped_session(reader: PipeReader) -> LiveSession | None:
    """Return the session of a pipe, once enough of it came to identify its provider.

    None when the pipe closes before that. Raises Unreadable when it cannot be read.
    """
    batches = reader.batches()
    seen: list[Line] = []
    async for lines in batches:
        seen.extend(lines)
        head = b"\n".join(line.data or line.head for line in seen)[:HEAD_BYTES]
        provider = recognise(head, reader.path)
        if provider is not None:
            ref = provider.discovery.ref(reader.path)
            session = LiveSession(provider, ref, live=True, pipe=batches)
            session.log.take(seen)
            return session
    return None
