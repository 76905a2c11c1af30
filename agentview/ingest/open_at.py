"""A session whose log may be awaited, go away, come back and move to another place."""

from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.ingest.long_lists import LongListsSession
from agentview.providers.base import Provider
from agentview.sources.document_lines import LogReader
from agentview.sources.lines import LineReader
from agentview.timeline.header import LogPresence


class PlacedSession(LongListsSession):
    """Knows where the log is, and reads on there."""

    def __init__(self, provider: Provider, ref: SessionRef, *, live: bool = False) -> None:
        super().__init__(provider, ref, live=live)
        self.presence = LogPresence.PRESENT
        self._path = Path(ref.path)
        self._reader: LogReader = LineReader(self._path)

    @property
    def ref(self) -> SessionRef:
        """The log that is read."""
        return self.session

    def move(self, ref: SessionRef) -> None:
        """Go on where the log is now."""
        self.relocate(ref)
        self._path = Path(ref.path)
        self._reader.move(self._path)
        self._set_presence(LogPresence.MOVED)

    def _set_presence(self, presence: LogPresence) -> None:
        if presence is not self.presence:
            self.presence = presence
            self.announce_state()
