"""A session as a reader sees it: each abandoned branch is one row, which opens in place."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.events import Branch as BranchBody
from agentview.domain.events import SlashCommand, User
from agentview.domain.index_entry import KIND_CODES, Flag, RecordFacts
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers.base import Provider
from agentview.sources.line_splitter import cut_lines
from agentview.sources.open_file import read_at
from agentview.store.branches import Branch
from agentview.store.changes import RowsChanged
from agentview.store.reducing import reduce_lines
from agentview.store.session_store import SessionStore

COUNTED_BYTES = 256 * 1024
"""Bytes of a branch up to which what it cost is counted when it is shown."""

_BRANCH = KIND_CODES[RowKind.BRANCH]
_UNCOUNTED = Flag.REWOUND | Flag.PROBLEM
_OPENED = bytes(
    flags & ~_UNCOUNTED | (Flag.SIDE if flags & Flag.TURN else 0) for flags in range(256)
)


class FoldedStore(SessionStore):
    """Rows of a session of which those of abandoned branches are folded into one row each.

    The row at which a branch is folded keeps the number of the first row that the branch shows.
    """

    def __init__(self, provider: Provider, session: SessionRef, *, live: bool = False) -> None:
        super().__init__(provider, session, live=live)
        self._opened: set[int] = set()
        """Rows with which the conversation continues behind the branches that are open."""
        self._known: tuple[int, list[Branch]] = (-1, [])
        self._costs: dict[tuple[int, int], tuple[float | None, bool, bool]] = {}

    def codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Kind codes and flags of rows, a byte each, as they are folded now."""
        kinds, flags = self.joined_codes(start, stop)
        for branch in self._folds():
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
        for first, behind in self._assembler.branches.copies(branch):
            low, high = max(first - start, 0), min(behind - start, len(flags))
            if low < high:
                hidden = bytes(flag | Flag.REWOUND for flag in flags[low:high])
                flags = flags[:low] + hidden + flags[high:]
        return flags

    def kind(self, row: int) -> Kind:
        """Kind of the row, without decoding it."""
        fold = self.fold(row)
        return RowKind.BRANCH if fold is not None and fold.head == row else super().kind(row)

    def shown(self, row: int) -> bool:
        """False for rows that stand nowhere, and for those of a folded branch but its first."""
        if self.fold(row) is None:
            return super().shown(row)
        return not self.codes(row, row + 1)[1][0] & Flag.ABSENT

    def problem(self, row: int) -> bool:
        """True for failures, denials, and what could not be read, on the active branch."""
        return self.fold(row) is None and super().problem(row)

    def starts_turn(self, row: int) -> bool:
        """True for a prompt of the main stream, on the active branch."""
        return self.fold(row) is None and super().starts_turn(row)

    def activity(self, row: int) -> Activity:
        """The row decoded and joined; the branch that is folded there, in its place."""
        fold, found = self.fold(row), super().activity(row)
        if fold is None:
            return found
        if fold.head != row:
            return replace(found, abandoned=True)
        counts = self.branch_counts(fold)
        cost, estimated, whole = self._cost(fold)
        said = found.body
        prompt = said.text if isinstance(said, User) else ""
        if isinstance(said, SlashCommand):
            prompt = f"{said.name} {said.args}".strip()
        body = BranchBody(counts.prompts, counts.calls, prompt, cost, estimated, whole)
        return Activity(body, found.events[:1], started=found.started, cwd=found.cwd)

    def fold(self, row: int) -> Branch | None:
        """The abandoned branch that a row is part of."""
        return self.branch(row) if self._folds() else None

    def is_folded(self, row: int) -> bool:
        """Whether a row would be shown if its branch were open."""
        fold = self.fold(row)
        if fold is None or fold.stop in self._opened:
            return False
        if any(first <= row < stop for first, stop in self._assembler.branches.copies(fold)):
            return False
        return not self.joined_codes(row, row + 1)[1][0] & Flag.ABSENT & ~Flag.REWOUND

    def is_open(self, row: int) -> bool:
        """Whether the abandoned branch that a row is part of is open."""
        fold = self.fold(row)
        return fold is not None and fold.stop in self._opened

    def open_fold(self, row: int, opened: bool = True) -> None:
        """Open the abandoned branch that a row is part of, or fold it."""
        fold = self.fold(row)
        if fold is None or opened == (fold.stop in self._opened):
            return
        self._opened ^= {fold.stop}
        self._publish(RowsChanged(updated=range(fold.start, fold.stop)))

    def open_folds(self) -> None:
        """Open all abandoned branches."""
        for branch in self._folds():
            self.open_fold(branch.head)

    def announce_children(self) -> None:
        """Tell subscribers that more is known of agents, and of what things cost."""
        super().announce_children()
        heads = [branch.head for branch in self._folds()]
        if heads:
            self._publish(RowsChanged(updated=heads))

    def branch_records(self, branch: Branch) -> frozenset[int]:
        """Byte offsets of the records of an abandoned branch."""
        rows = range(branch.start, branch.stop)
        return frozenset(self.source(row).offset for row in rows)

    def reset(self) -> None:
        """Forget all rows: the file is no longer the one that they came from."""
        self._forget()
        super().reset()

    def rewrite(self, records: Sequence[RecordFacts]) -> None:
        """Take the records of a log that was written again, from its first one on."""
        self._forget()
        super().rewrite(records)

    def _forget(self) -> None:
        self._opened.clear()
        self._costs.clear()
        self._known = (-1, [])

    def _folds(self) -> list[Branch]:
        branches = self._assembler.branches
        if self._known[0] != branches.version:
            self._known = branches.version, branches.branches()
        return self._known[1]

    def _cost(self, branch: Branch) -> tuple[float | None, bool, bool]:
        """What a branch cost, whether that is an estimate, and whether it is all of it."""
        key = branch.start, branch.stop
        known = self._costs.get(key)
        if known is None:
            known = self._counted_cost(branch)
            if known[0] is not None:
                self._costs[key] = known
        return known

    def _counted_cost(self, branch: Branch) -> tuple[float | None, bool, bool]:
        start, end = self.source(branch.start).offset, self.source(branch.stop).offset
        if end - start > COUNTED_BYTES:
            return None, True, True
        try:
            data = read_at(Path(self.session.path), start, end - start)
        except AgentViewError:
            return None, True, True
        store = SessionStore(self.provider, self.session)
        store.append(reduce_lines(self.session, cut_lines(data, 0, start)))
        told = store.summary.spending.client_cost
        if told is not None:
            return told, False, True
        estimate = self.price_of(store.summary.spent)
        return (None, True, True) if estimate is None else (estimate[0], True, estimate[1])
