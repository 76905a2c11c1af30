"""Metadata of a session, read again as its log grows."""

from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.providers.base import Provider
from agentview.sources.files import read_part


class SessionRefresher:
    """Reads the metadata again until it is complete."""

    def __init__(self, provider: Provider, ref: SessionRef) -> None:
        self._grown = provider.refresh_ref
        self._known = ref

    @property
    def asks(self) -> bool:
        return self._grown is not None

    def again(self) -> SessionRef | None:
        """Return the session if the log now identifies it differently, else None."""
        if self._grown is None:
            return None
        try:
            found = self._grown(self._known)
        except OSError:
            return None
        # A log that is gone says nothing. It may go while it is read, so this check comes last.
        if not read_part(Path(self._known.path), 0, 1):
            return None
        if found is None:
            self._grown = None
            return None
        known, self._known = self._known, found
        return None if found == replace(known, size=found.size, modified=found.modified) else found
