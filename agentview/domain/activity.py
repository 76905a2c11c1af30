"""What one row of a timeline shows: a call with its result, a message, a thought."""

from dataclasses import dataclass

from agentview.domain.events import Body, Event
from agentview.domain.session import Stream


@dataclass(frozen=True, slots=True)
class Activity:
    """A fact joined with all that later records say about it.

    `body` is the joined fact (a ToolCall carries its result); `events` are the events it was made
    of, in file order, whose sources lead to the raw bytes.
    """

    body: Body
    events: tuple[Event, ...]
    started: float | None = None
    """Epoch seconds UTC."""
    ended: float | None = None
    """Epoch seconds UTC; None while it runs, or where nothing ends."""
    progress: str | None = None
    """Output so far of a call that has no result yet."""
    child: Stream | None = None
    """Stream of the agent that this call started."""
    turn: int | None = None
    live: bool = False
    """True while more may come."""

    @property
    def first(self) -> Event:
        """The event that the activity begins with."""
        return self.events[0]

    @property
    def duration(self) -> float | None:
        """Seconds from start to end, None when either is unknown."""
        if self.started is None or self.ended is None:
            return None
        return max(0.0, self.ended - self.started)
