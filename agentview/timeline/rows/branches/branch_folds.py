"""Abandoned branches as a reader sees them: each is one row, which opens in place."""

from bisect import bisect_right
from collections.abc import Callable
from operator import attrgetter

from msgspec.structs import replace

from agentview.domain.activity import Activity, RowKind
from agentview.domain.events import Branch as BranchBody
from agentview.domain.events import SlashCommand, User
from agentview.domain.index_entry import KIND_CODES, Flag
from agentview.timeline.rows.branches.branch_tree import Branch, Branches

BranchCost = tuple[float | None, bool, bool]
"""US dollars or None, whether that is an estimate, and whether it is all of it."""

_BRANCH = KIND_CODES[RowKind.BRANCH]
_start = attrgetter("start")
_UNCOUNTED = Flag.REWOUND | Flag.PROBLEM
_OPENED = bytes(
    flags & ~_UNCOUNTED | (Flag.SIDE if flags & Flag.TURN else 0) for flags in range(256)
)


class BranchFolds:
    """Which of the branches are open, and how rows are shown therefore.

    The row at which a branch is folded keeps the number of the first row that the branch shows.
    """

    def __init__(
        self,
        branches: Branches,
        codes: Callable[[int, int], tuple[bytes, bytes]],
        cost: Callable[[Branch], BranchCost],
    ) -> None:
        """`codes` gives kinds and flags of rows as they are in the log; `cost` reads the log."""
        self._branches = branches
        self._codes = codes
        self._cost = cost
        self._opened: set[int] = set()
        """Rows with which the conversation continues behind the branches that are open."""
        self._known: tuple[int, list[Branch]] = (-1, [])
        self._costs: dict[Branch, BranchCost] = {}

    def all(self) -> list[Branch]:
        """The abandoned branches that have something to show, in order."""
        if self._known[0] != self._branches.version:
            self._known = self._branches.version, self._branches.branches()
        return self._known[1]

    def of(self, row: int) -> Branch | None:
        """The abandoned branch that a row is part of."""
        branches = self.all()
        at = bisect_right(branches, row, key=_start) - 1
        return branches[at] if at >= 0 and row < branches[at].stop else None

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes and flags of rows, a byte each, as they are folded now."""
        kinds, flags = self._codes(start, stop)
        for branch in self.all():
            if branch.stop <= start or branch.start >= stop:
                continue
            if branch.stop in self._opened:
                first, last = max(branch.start, start) - start, min(branch.stop, stop) - start
                opened = flags[first:last].translate(_OPENED)
                flags = flags[:first] + opened + flags[last:]
                flags = self._without_copies(branch, start, flags)
            if start <= branch.head < stop:
                at = branch.head - start
                kinds = kinds[:at] + bytes((_BRANCH,)) + kinds[at + 1 :]
                flags = flags[:at] + b"\0" + flags[at + 1 :]
        return kinds, flags

    def _without_copies(self, branch: Branch, start: int, flags: bytes) -> bytes:
        """Flags of rows from `start` on; copies of what is above an open branch stand nowhere."""
        for first, behind in self._branches.copies(branch):
            low, high = max(first - start, 0), min(behind - start, len(flags))
            if low < high:
                hidden = bytes(flag | Flag.REWOUND for flag in flags[low:high])
                flags = flags[:low] + hidden + flags[high:]
        return flags

    def is_folded(self, row: int) -> bool:
        """Return True if a row would be shown if its branch were open."""
        fold = self.of(row)
        if fold is None or fold.stop in self._opened:
            return False
        if any(first <= row < stop for first, stop in self._branches.copies(fold)):
            return False
        return not self._codes(row, row + 1)[1][0] & Flag.ABSENT & ~Flag.REWOUND

    def is_open(self, row: int) -> bool:
        """Return True if the abandoned branch that a row is part of is open."""
        fold = self.of(row)
        return fold is not None and fold.stop in self._opened

    def open(self, row: int, opened: bool) -> Branch | None:
        """Open or fold the branch that a row is part of; None where nothing changes by that."""
        fold = self.of(row)
        if fold is None or opened == (fold.stop in self._opened):
            return None
        self._opened ^= {fold.stop}
        return fold

    def activity(self, row: int, found: Activity) -> Activity:
        """Activity of a row: the branch that is folded there, in the place of its own activity."""
        fold = self.of(row)
        if fold is None:
            return found
        if fold.head != row:
            return replace(found, abandoned=True)
        counts = self._branches.counts(fold)
        if (cost := self._costs.get(fold)) is None:
            cost = self._cost(fold)
            if cost[0] is not None:
                self._costs[fold] = cost
        said = found.body
        prompt = said.text if isinstance(said, User) else ""
        if isinstance(said, SlashCommand):
            prompt = f"{said.name} {said.args}".strip()
        body = BranchBody(counts.prompts, counts.calls, prompt, *cost)
        return Activity(body, found.events[:1], started=found.started, cwd=found.cwd)
