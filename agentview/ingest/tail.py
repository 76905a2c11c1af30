"""A session of which only the end is read, and then what is appended to it."""

from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.ingest.live_session import LiveSession
from agentview.providers import load_provider
from agentview.sources.lines import LineReader
from agentview.sources.reverse_lines import tail_lines
from agentview.store.reducing import reduce_lines


class TailSession(LiveSession):
    """What a session did last; nothing is read in the background."""

    async def read_on(self) -> None:
        """Read what was appended since, and notice what else happened to the file."""
        await self._read_on()

    def read_further(self, lines: int, size: int) -> bool:
        """Begin again with more of the end: at most so many lines and bytes.

        Return False if everything has been read. Of a document, all that is left is read.
        """
        if self._earlier:
            self.prepend(reduce_lines(self.session, self._earlier))
            self._earlier = []
            self._start = self._unread = 0
            return True
        if self._start == 0 or not isinstance(self._reader, LineReader):
            return False
        try:
            tail = tail_lines(Path(self.ref.path), lines, size)
        except AgentViewError:
            return False
        self.reset()
        self._start = tail.start
        self._reader = LineReader(Path(self.ref.path), mark=tail.mark)
        self.take(tail.lines)
        self._read_rest()
        return True


def open_tail(ref: SessionRef, *, live: bool) -> TailSession:
    """The session of a log with its end read; `live`: somebody is at work in it."""
    session = TailSession(load_provider(ref.provider), ref, live=live)
    session.open()
    return session
