"""What an open log tells of its session, asked again in the background as it grows."""

import asyncio

from agentview.domain.session import SessionInfo, SessionRef
from agentview.files import END_BYTES
from agentview.providers.base import Provider
from agentview.store.growing import Growing


class Regard:
    """Asks until nothing more can be told."""

    def __init__(self, provider: Provider, ref: SessionRef) -> None:
        self._provider = provider
        self._growing = Growing(provider, ref)
        self._looked = 0

    async def again(
        self, info: SessionInfo | None, position: int
    ) -> tuple[SessionRef | None, SessionInfo | None]:
        """The session, where the log tells something else of it than it did, and facts about it.

        `info` are the facts so far, None where nobody wants any; the log was read up to `position`.
        Their title comes with the head of the log, if it comes at all.
        """
        before, self._looked = self._looked, position
        asks = self._growing.asks
        found = await asyncio.to_thread(self._growing.again) if asks else None
        if info is None:
            return found, None
        untitled = info.title in (None, info.ref.label) and before < END_BYTES
        if found is not None or untitled:
            ref = found or info.ref
            info = await asyncio.to_thread(self._provider.discovery.info, ref)
        return found, info
