"""What a log tells of its session, asked again as it grows."""

import asyncio
from dataclasses import replace

from agentview.domain.session import SessionInfo, SessionRef
from agentview.files import END_BYTES
from agentview.providers.base import Provider


class Regard:
    """Asks until nothing more can be told."""

    def __init__(self, provider: Provider, ref: SessionRef) -> None:
        self._provider = provider
        self._grown = provider.grown
        self._known = ref
        self._looked = 0

    async def again(
        self, info: SessionInfo | None, position: int
    ) -> tuple[SessionRef | None, SessionInfo | None]:
        """The session, where the log tells something else of it than it did, and facts about it.

        `info` are the facts so far, None where nobody wants any; the log was read up to `position`.
        Their title comes with the head of the log, if it comes at all.
        """
        before, self._looked = self._looked, position
        found = await self._changed()
        if info is None:
            return found, None
        untitled = info.title in (None, info.ref.label) and before < END_BYTES
        if found is not None or untitled:
            ref = found or info.ref
            info = await asyncio.to_thread(self._provider.discovery.info, ref)
        return found, info

    async def _changed(self) -> SessionRef | None:
        if self._grown is None:
            return None
        try:
            found = await asyncio.to_thread(self._grown, self._known)
        except OSError:
            return None
        if found is None:
            self._grown = None
            return None
        known, self._known = self._known, found
        return None if found == replace(known, size=found.size, modified=found.modified) else found
