"""How far a session was read, and how much of it is new since."""

from bisect import bisect_right
from collections.abc import Sequence

from agentview.domain.value import Value

MOST = 50
"""Activities at the end of a log whose places the index keeps: more unread ones are `50+`."""


class SeenPlace(Value):
    """The last activity of a session that was on a screen.

    The event identifies it; its place in the log is a hint, since logs are moved and rewritten.
    """

    event: str
    offset: int
    """Byte offset of its record."""
    number: int = 0
    """Which of the rows of that record it is."""
    at: float | None = None
    """When it was on the screen last, epoch seconds."""
    time: float | None = None
    """When it happened, epoch seconds."""

    def is_after(self, other: "SeenPlace") -> bool:
        """Return True if it is further on in the same log."""
        return (self.offset, self.number) > (other.offset, other.number)


class Unread(Value):
    """How many activities came since; at least so many where `more`."""

    count: int
    more: bool = False

    def __str__(self) -> str:
        return f"{self.count}+" if self.more else str(self.count)


def unread(
    seen: SeenPlace | None,
    newest: Sequence[int],
    *,
    whole: bool = False,
    current: bool = True,
) -> Unread | None:
    """How much of a session is unread; None where that is not known.

    `newest` are the byte offsets of the records of its last activities, in order, and `whole`
    says that these are all there are. When they are not `current`, the log has grown since, and
    the count is the least that it can be. A session that was never on a screen has no count.
    """
    if seen is None:
        return None
    at = bisect_right(newest, seen.offset)
    count = len(newest) - at
    # With none of them read, those before may be unread as well.
    if not current and not count:
        return None
    return Unread(count, more=not current or (at == 0 and count > 0 and not whole))
