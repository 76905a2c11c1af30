"""Sessions without a log: read in a thread when the list is first asked for them."""

import asyncio
from collections.abc import Callable, Sequence

from agentview.sessions.library.session_list import Listing
from agentview.sessions.library.session_record import SessionFacts


class DeletedSessions:
    """Their listing, which is empty until they are read; `found` is called then."""

    def __init__(self, found: Callable[[], None]) -> None:
        self._listing = Listing()
        self._found = found
        self._task: asyncio.Task[None] | None = None

    @property
    def listing(self) -> Listing:
        """The sessions that are known; with the first call they are looked for."""
        if self._task is None:
            self._task = asyncio.create_task(self._read())
        return self._listing

    def stop(self) -> None:
        """Look no longer."""
        if self._task is not None:
            self._task.cancel()

    async def _read(self) -> None:
        self._listing.add(await asyncio.to_thread(_deleted))
        self._found()


def _deleted() -> Sequence[SessionFacts]:
    # Imported in the thread: few ask for what is gone.
    from agentview.sessions.targets.deleted_sessions import deleted_sessions

    return [each.facts() for each in deleted_sessions()]
