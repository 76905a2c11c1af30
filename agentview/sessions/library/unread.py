"""How much of a session is unread, by its index or by its end as it is read now."""

from typing import Protocol

from agentview.domain.unread import MOST, SeenPlace, Unread, unread
from agentview.sessions.library.session_record import SessionFacts
from agentview.timeline.view.header import HeaderFacts


class NewestRows(Protocol):
    """The rows of the end of a session."""

    def newest(self, most: int) -> tuple[int, ...]:
        """Byte offsets of the records of the last activities, in order."""
        ...


class FollowedEnd(Protocol):
    """The end of a session as it is read now, such as a `LiveSession`."""

    @property
    def store(self) -> NewestRows: ...

    def header(self) -> HeaderFacts: ...


def unread_of(
    facts: SessionFacts, seen: SeenPlace | None, session: FollowedEnd | None = None
) -> Unread | None:
    """How many activities came since a session was on a screen; None where that is not known.

    `session` is its end where that is followed: it is newer than the index. Nothing is read here.
    """
    if seen is None:
        return None
    if session is not None:
        newest = session.store.newest(MOST)
        whole = len(newest) < MOST and session.header().all_read
        return unread(seen, newest, whole=whole)
    totals = facts.totals
    if totals is None:
        return None
    newest = totals.newest
    return unread(seen, newest, whole=len(newest) < MOST, current=facts.is_current)
