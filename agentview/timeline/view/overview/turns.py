"""The turns of a session: where each begins and ends, and how its calls went."""

from collections.abc import Iterable, Iterator

from agentview.domain.activity import Activity, Kind
from agentview.domain.index_entry import KINDS, PROBLEMS, SOUND, Flag
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.view.filter.row_search import RowSearch, codes_of
from agentview.timeline.view.rows_protocol import JudgedRows, Rows

_CALLS = bytes(isinstance(kind, ToolKind) for kind in KINDS).ljust(256, b"\0")
_SHOWN = bytes(not flags & (Flag.ABSENT | Flag.SIDE) for flags in range(256))


class TurnCounts(Value):
    """How the calls of a turn went, those of agents in the same log too.

    `last` is the last row of the turn that stands somewhere, in the stream that the log is of;
    `open` counts calls that are under way, or of which it is not known how they went.
    """

    fine: int
    failed: int
    last: int
    open: int = 0


class TurnOutline:
    """The turns of a log by number, from 0; counted when they are asked for, and kept."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._begins = RowSearch(rows, _begins_turn)
        self._counts: dict[int, TurnCounts] = {}

    def __len__(self) -> int:
        return len(self._begins)

    @property
    def complete(self) -> bool:
        return self._begins.complete

    def row(self, turn: int) -> int:
        return self._begins[turn]

    def rows(self, turn: int) -> range:
        """The rows of a turn, its prompt first, up to the next prompt."""
        last = turn + 1 == len(self._begins)
        return range(self._begins[turn], self._rows.end if last else self._begins[turn + 1])

    def turn_of(self, row: int) -> int | None:
        """The turn that a row is part of; None before the first prompt."""
        return self._begins.at_or_before(row)

    def counts(self, turn: int) -> TurnCounts:
        """How the calls of a turn went."""
        begin = self._begins[turn]
        known = self._counts.get(begin)
        if known is None:
            known = self._counts[begin] = turn_counts(self._rows, begin, self.rows(turn).stop)
        return known

    def forget(self) -> None:
        """Look at all rows again."""
        self._begins.forget()
        self._counts.clear()

    def take(self, updated: Iterable[int]) -> None:
        """Look again at rows that changed, and at the newest turn, which may have continued."""
        updated = tuple(updated)
        known = len(self._begins)
        for turn in {self._begins.at_or_before(row) for row in updated} | {known - 1}:
            if turn is not None and turn >= 0:
                self._counts.pop(self._begins[turn], None)
        self._begins.take(updated)
        if len(self._begins) != known:
            self._counts.clear()

    def catch_up(self) -> Iterator[None]:
        return self._begins.catch_up()

    def finish(self) -> None:
        for _ in self.catch_up():
            pass


def turn_seconds(prompt: Activity, last: Activity) -> float | None:
    """Seconds from a prompt to the end of the last activity of its turn; None where unknown.

    Of an activity whose end has no time, its beginning counts.
    """
    ended = last.started if last.ended is None else last.ended
    if ended is None or prompt.started is None:
        return None
    return max(0.0, ended - prompt.started)


def _begins_turn(kind: Kind, flags: int) -> bool:
    del kind
    return flags & Flag.ASIDE == Flag.TURN and not flags & Flag.ABSENT


def turn_counts(rows: Rows, begin: int, end: int) -> TurnCounts:
    """How the calls went in the turn of the rows from `begin` to `end`."""
    kinds, flags = codes_of(rows, begin, end)
    calls = int.from_bytes(kinds.translate(_CALLS), "little")
    sound, failed = (
        (calls & int.from_bytes(flags.translate(table), "little")).bit_count()
        for table in (SOUND, PROBLEMS)
    )
    fine = rows.ended_well(begin, end).count(255) if isinstance(rows, JudgedRows) else sound
    last = begin + max(0, flags.translate(_SHOWN).rfind(1))
    return TurnCounts(fine, failed, last, sound - fine)
