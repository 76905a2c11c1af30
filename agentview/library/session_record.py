"""What is known of a session without opening it: from its head and tail, and from indexing it."""

from bisect import bisect_right
from collections.abc import Mapping

from agentview.domain.activity import Activity
from agentview.domain.session import SessionInfo
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.domain.value import Value
from agentview.timeline.cost import NO_COST, Cost


class SessionTotals(Value):
    """What a session holds as a whole, as of its log's `size` and `modified` when it was indexed.

    None is unknown.
    """

    size: int
    modified: float
    turns: int
    calls: Mapping[ToolKind, int]
    """Tool calls by kind, the kinds that occur."""
    tools: tuple[str, ...]
    """Names of the tools that were called, as the provider has them."""
    problems: int
    files: tuple[str, ...]
    """Paths of files that were changed, as the log has them."""
    models: tuple[str, ...]
    usage: Usage
    cost: Cost = NO_COST
    context_tokens: int | None = None
    context_window: int | None = None
    abandoned: tuple[tuple[int, int], ...] = ()
    """Byte ranges of the abandoned branches, in order."""
    newest: tuple[int, ...] = ()
    """Byte offsets of the records of the last activities, in order, at most `unread.MOST`."""


class SessionFacts(Value):
    """A session of the library. `totals` is None until its log has been indexed."""

    info: SessionInfo
    totals: SessionTotals | None = None

    @property
    def is_current(self) -> bool:
        """Whether the log was indexed as it is now."""
        totals, ref = self.totals, self.info.ref
        known = (ref.size or 0, ref.modified or 0.0)
        return totals is not None and (totals.size, totals.modified) == known

    def is_abandoned(self, offset: int) -> bool | None:
        """Whether the record at a byte is on an abandoned branch; None where that is unknown."""
        totals = self.totals
        if totals is None or (offset >= totals.size and not self.is_current):
            return None
        at = bisect_right(totals.abandoned, offset, key=lambda span: span[0]) - 1
        return at >= 0 and offset < totals.abandoned[at][1]


class LastTurn(Value):
    """The end of a session: activities in their order.

    `cut` when there is more before them than was read and the prompt is not among them.
    """

    activities: tuple[Activity, ...]
    cut: bool = False
