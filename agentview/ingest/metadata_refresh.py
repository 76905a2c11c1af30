"""Metadata of an open session, read again in the background as its log grows."""

import asyncio

from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.providers.base import Provider
from agentview.sources.files import END_BYTES
from agentview.sources.lines import LineReader, LogReader
from agentview.store.session_refresh import SessionRefresher
from agentview.store.session_summary import Summary


class MetadataRefresher:
    """Reads the metadata again until it is complete."""

    def __init__(self, provider: Provider, ref: SessionRef) -> None:
        self._provider = provider
        self._growing = SessionRefresher(provider, ref)
        self._asked: SessionRef | None = None
        self._prompted = False
        self._looked = 0

    async def again(self) -> SessionRef | None:
        """Return the session if the log now identifies it differently, else None."""
        return await asyncio.to_thread(self._growing.again) if self._growing.asks else None

    async def look(
        self, known: SessionInfo | None, ref: SessionRef, reader: LogReader, summary: Summary
    ) -> SessionInfo:
        """Facts about the session of a log that was read so far, and came to so much.

        What is `known` stays while the log cannot be read.
        """
        self._asked, self._looked, self._prompted = ref, _position(reader), summary.turns > 0
        found = await asyncio.to_thread(self._provider.info, ref)
        if found.ref.fault is None:
            return found
        return known or replace(found, title=None)

    def forget(self) -> None:
        """Ask for the facts again: another log may be there."""
        self._asked = None

    async def look_again(
        self, info: SessionInfo | None, ref: SessionRef, reader: LogReader, summary: Summary
    ) -> SessionInfo | None:
        """The facts, again where they may have changed; None where nobody wanted any.

        Their title comes with the head of the log, if at all; until the first prompt, an answer may
        be used as the title.
        """
        before, self._looked = self._looked, _position(reader)
        if info is None:
            return None
        untitled = info.title in (None, info.ref.label) or not self._prompted
        unread = info.ref.fault is not None
        outdated = unread or ref is not self._asked or (untitled and before < END_BYTES)
        return await self.look(info, ref, reader, summary) if outdated else info


def _position(reader: LogReader) -> int:
    """How much of a log of lines was read; 0 of a document, which is always read whole."""
    return reader.position if isinstance(reader, LineReader) else 0
