"""Calls recorded in a log, compared with those shown: none may be lost among repetitions."""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Self

from agentview.domain.events import OPEN, REPEATED
from agentview.domain.index_entry import EventFact, Flag
from agentview.domain.tools import ToolCall, ToolState
from agentview.domain.value import Value

_PART = Flag.SUPERSEDED | Flag.JOINED
"""Any of these: the record of a call describes one that stands elsewhere."""
_MOST = 64
"""Calls with one id, and arguments of one call, that are compared."""
_EXAMPLES = 5
_NONE = 0
"""Stands for no mark."""
_MASK = (1 << 64) - 1


class CallCounts(Value):
    """Calls of a log; `lost` are the lines of the first records of calls that are not shown."""

    recorded: int = 0
    shown: int = 0
    """Also those on abandoned branches."""
    lost: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        return self.recorded == self.shown

    def plus(self, other: Self) -> "CallCounts":
        """Calls of several logs, without the lines, which are those of one."""
        return CallCounts(self.recorded + other.recorded, self.shown + other.shown)


class _Said(Value):
    row: int
    name: int
    arguments: dict[int, int]

    def same(self, other: "_Said") -> bool:
        """True if nothing that one says of its call differs from what the other says."""
        mine, theirs = self.arguments, other.arguments
        return self.name == other.name and all(
            mine[key] == theirs[key] for key in mine.keys() & theirs.keys()
        )


class CallAccount:
    """Records of calls as they are read: a few numbers are kept of each."""

    def __init__(self) -> None:
        self._rows = array("Q")
        self._lines = array("Q")
        self._ids = array("Q")
        self._marks = array("Q")
        """Key that equal events share, `_NONE` where there is none."""
        self._names = array("Q")
        self._ends = array("Q")
        """How many of the arguments are those of the calls up to each."""
        self._arguments = array("Q")
        """Of each argument, its name and its value."""
        self._adds = bytearray()
        """1 for a record that may say something else of its call: an update, or another path."""

    def take(self, row: int, line: int, fact: EventFact, call: ToolCall) -> None:
        """Note a record of a call at its row."""
        amends = fact.amends and fact.replaces is None
        by_path = bool(fact.path) and not fact.path.startswith((OPEN, REPEATED))
        # A row that is written again may change all but the tool of its call.
        settled = fact.replaces is None and call.state is not ToolState.INPUT_STREAMING
        known = (call.args if settled else None) or {}
        self._rows.append(row)
        self._lines.append(line)
        self._ids.append(_number(call.call_id))
        self._marks.append(_NONE if fact.dedupe is None else _number(fact.dedupe))
        self._names.append(_number(call.provider_name))
        for key, value in list(known.items())[:_MOST]:
            self._arguments.extend((_number(key), _number(repr(value))))
        self._ends.append(len(self._arguments))
        self._adds.append(amends or by_path)

    def counts(self, flags: Callable[[int], int]) -> CallCounts:
        """Compare them by the flags of their rows; only when all records are joined."""
        shown: dict[int, list[_Said]] = defaultdict(list)
        parts: list[int] = []
        total = 0
        for at, row in enumerate(self._rows):
            if flags(row) & _PART:
                parts.append(at)
                continue
            total += 1
            said = self._said(at)
            for key in {self._ids[at], self._marks[at]} - {_NONE}:
                shown[key].append(said)
        lost = [at for at in parts if not self._adds[at] and not self._is_shown(at, shown)]
        examples = tuple(self._lines[at] for at in lost[:_EXAMPLES])
        return CallCounts(total + len(lost), total, examples)

    def _is_shown(self, at: int, shown: Mapping[int, list[_Said]]) -> bool:
        """True for a record of a call that is shown; that call then says what the record says."""
        part, mark = self._said(at), self._marks[at]
        if mark != _NONE and mark not in shown:
            # It repeats an event that is not a call.
            return True
        for key in (mark, self._ids[at]):
            calls = shown.get(key, [])
            after = bisect_right(calls, part.row, key=attrgetter("row"))
            for call in calls[max(0, after - _MOST) : after + _MOST]:
                if call.same(part):
                    call.arguments.update(part.arguments)
                    return True
        return False

    def _said(self, at: int) -> "_Said":
        start = self._ends[at - 1] if at else 0
        pairs = iter(self._arguments[start : self._ends[at]])
        return _Said(self._rows[at], self._names[at], dict(zip(pairs, pairs, strict=True)))


def _number(text: str) -> int:
    return hash(text) & _MASK
