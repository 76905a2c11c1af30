"""What a search is asked for and what it tells: hits by session, and what was looked at."""

from dataclasses import dataclass
from enum import StrEnum

from agentview.domain.activity import Kind
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.search.documents import Place
from agentview.search.snippet import Snippet


class Order(StrEnum):
    """What comes first."""

    TIME = "time"
    """The session with the newest activity."""
    RANK = "rank"
    """The session with the best match."""


class Options(Value):
    """How to search. `per_log` is how many hits of a session are told, None for all."""

    per_log: int | None = None
    whole: frozenset[str] = frozenset()
    """Paths of logs of which all hits are told."""
    groups: int | None = None
    """How many sessions with hits are told, about; None for all."""
    full: bool = False
    """Look at all of long texts; nothing is asked of the index then."""
    masking: bool = False
    """Mask secrets in snippets."""
    order: Order = Order.TIME
    seconds: float | None = None
    """How long logs are read directly, None for as long as it takes."""


class Hit(Value):
    """An activity that is what was looked for: `place` is that of the event it begins with."""

    place: Place
    kind: Kind
    time: float | None
    snippet: Snippet


class Group(Value):
    """Hits of one session, the last ones first; a later group of the same session replaces it."""

    ref: SessionRef
    hits: tuple[Hit, ...]
    more: int = 0
    """Further ones that are not told."""
    least: bool = False
    """There are more than that: they were not all counted."""
    whole: bool = True
    """False while the log is being read."""


@dataclass(slots=True)
class Account:
    """What was looked at so far."""

    all_logs: int
    logs: int = 0
    """Sessions that are done."""
    directly: int = 0
    """Of those: read, wholly or in part, because the index does not hold them."""
    reading: str | None = None
    """Path of the log that is being read."""
    unreadable: int = 0
    too_long: int = 0
    """Records that are too long to be looked at."""
    undecided: int = 0
    """Records over which a pattern took too long."""
    late: int = 0
    """Sessions that were not read to their end, because time was up."""
    more: bool = False
    """Further sessions have hits, or may have: as many were told as were asked for."""
    done: bool = False


Told = Group | Account
