"""The form in which a child hands over what it has read and joined."""

from agentview.domain.session import Stream
from agentview.domain.value import Value
from agentview.normalize.call_occurrences import OpenCall, State
from agentview.normalize.containers import Container
from agentview.timeline.rows.branches.branch_tree import BranchFacts
from agentview.timeline.rows.links import RowLinkFacts
from agentview.timeline.rows.session_summary import Summary
from agentview.timeline.rows.tables.key_table import PackedKeys
from agentview.timeline.rows.tables.row_table import Segment


class Joins(Value):
    """Joins of rows beyond their links, by row of the call."""

    progress: dict[int, int]
    outcomes: dict[int, list[int]]
    extra_results: dict[int, list[int]]
    requests: dict[int, list[int]]
    began: dict[str, list[int]]
    """Rows of the results that say that something began, by its name."""
    containers: list[Container]
    """Calls that only make others."""
    children: dict[Stream, int]
    agent_prompts: dict[str, list[int]]
    open_calls: list[OpenCall]
    links: RowLinkFacts | None
    reset_row: int | None
    """Row from which on rows stand anywhere, where an earlier history was replaced."""


class Packet(Value, gc=True):
    """Rows in front of all that was handed over before, and what they change in those."""

    start: int
    """Byte at which they begin."""
    segments: list[Segment]
    touched: list[tuple[int, int, int | None]]
    """Row, flags and link of each row that was handed over before."""
    joins: Joins
    summary: Summary
    branches: BranchFacts
    """Of all from here to the end of the request."""


class Keys(Value, gc=True):
    """A part of the rows by the keys of all that was read: the last to be handed over."""

    calls: PackedKeys
    firsts: PackedKeys
    lasts: PackedKeys
    part: int
    """Number of this part, from 0; hashes go up from part to part."""
    last: bool
    recent: tuple[tuple[str, State], ...] = ()
    """The calls of the ids that came last, with the last part."""

    @property
    def tables(self) -> tuple[PackedKeys, PackedKeys, PackedKeys]:
        return self.calls, self.firsts, self.lasts
