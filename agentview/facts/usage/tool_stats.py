"""Counts calls by tool: how many, how many went wrong, how long they took.

A tool is named by its kind; where that is unknown, by its canonical name.
"""

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import TypeVar

from agentview.domain.events import RUNS
from agentview.domain.index_entry import KINDS, REQUEST, TOPIC, EventFact, Flag, Nesting, Role
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.facts.usage.aggregate import ChargedCall
from agentview.facts.usage.report import ToolUsage
from agentview.normalize.calls_in_order import CallsInOrder
from agentview.normalize.containers import Containers

_KNOWN = frozenset(kind.value for kind in ToolKind if kind is not ToolKind.UNKNOWN)
_Key = TypeVar("_Key", int, str)
_Item = TypeVar("_Item")
_REMEMBERED = 4096
"""Calls to which a later record may still belong."""


@dataclass(slots=True)
class _Call:
    tool: str
    time: float | None
    number: int
    """Among the calls that are counted; below 0 for one outside the period."""
    failed: bool = False
    request: str | None = None
    """Id of its last request for permission, or of the last call on what it began."""
    refused: bool = False
    """That was refused, or went wrong."""
    ended: bool = False
    timed: bool = False
    """It is known how long it took."""
    contained: bool = False
    """It is the first call of a container, and the container with it."""

    @property
    def problem(self) -> bool:
        return self.failed or self.refused


@dataclass(slots=True)
class _Sum:
    calls: int = 0
    problems: int = 0
    seconds: float = 0.0
    timed: int = 0


class ToolCalls:
    """Takes events in file order; a call counts once, if it began in the period.

    A call that acts on what another one began is a part of that, as in the timeline, and so is a
    container of the first of the calls that it made.
    """

    def __init__(self, period: Period = ALL_TIME) -> None:
        self._period = period
        self._order = CallsInOrder()
        self._calls: dict[int, _Call] = {}
        self._sums: dict[str, _Sum] = {}
        self._other: dict[str, _Sum] = {}
        """Of calls that began outside the period."""
        self._places = array("Q")
        """Byte offsets of the records that began the calls which are counted, in order."""
        self._tools: dict[str, int] = {}
        self._tool_of, self._problem_of = array("L"), bytearray()
        self._seconds_of = array("d")
        """Of each of these calls; NaN is unknown."""
        self._begun: dict[str, _Call] = {}
        """Calls by the path of what they began, which runs on."""
        self._parts: dict[int, tuple[_Call, float | None]] = {}
        """Calls that are parts of others, by their numbers: of which, and when each was made."""
        self._containers = Containers()
        self._made: dict[Stream | None, list[tuple[_Call, str | None]]] = {}
        """Calls, with their response as far as it is reported, that none was charged with."""

    def take(self, fact: EventFact, offset: int) -> None:
        """Take the next event, of the record at a byte offset."""
        record = self._order.take(fact)
        if record is None or fact.kind == TOPIC:
            return
        if record.new:
            whole = None if fact.process is None else self._begun.get(fact.process)
            if whole is not None:
                self._begin_part(fact, record.call, whole)
            elif not (fact.nesting and self._is_first(fact, record.call)):
                self._begin(fact, record.call, offset)
            return
        part = self._parts.get(record.call)
        if part is not None and fact.role == Role.RESULT:
            self._end_part(fact, record.call, *part)
        call = self._calls.get(record.call)
        if call is None:
            return
        if record.asks:
            self._ask(fact, call)
        elif fact.role == Role.CALL:
            self._amend(fact, call)
        else:
            self._result(fact, call)

    def made(self, stream: Stream | None, response: str) -> list[ChargedCall]:
        """The calls that a response made, each once: its own, else all that are left.

        Some logs report the tokens of a response after it without saying which they are of.
        """
        left = self._made.get(stream, [])
        mine: list[ChargedCall] = [call for call, of in left if of == response]
        if mine:
            self._made[stream] = [call for call in left if call[1] != response]
            return mine
        return [call for call, _ in self._made.pop(stream, [])]

    def usage(self, abandoned: Sequence[tuple[int, int]] = ()) -> dict[str, ToolUsage]:
        """Return the usage of calls by tool, without those of `abandoned` byte ranges."""
        sums = (
            {tool: replace(each) for tool, each in self._sums.items()} if abandoned else self._sums
        )
        names = list(self._tools)
        for start, stop in abandoned:
            for at in range(bisect_left(self._places, start), bisect_left(self._places, stop)):
                each, seconds = sums[names[self._tool_of[at]]], self._seconds_of[at]
                each.calls -= 1
                each.problems -= self._problem_of[at]
                if not isnan(seconds):
                    each.seconds -= seconds
                    each.timed -= 1
        return {
            tool: ToolUsage(each.calls, each.problems, each.seconds if each.timed else None)
            for tool, each in sums.items()
            if each.calls
        }

    def _begin(self, fact: EventFact, number: int, offset: int) -> None:
        tool = _tool(fact)
        counts = self._period.has(fact.time)
        call = _Call(tool, fact.time, len(self._places) if counts else -1)
        _keep(self._calls, number, call)
        if counts:
            self._places.append(offset)
            self._tool_of.append(self._number_of(tool))
            self._problem_of.append(0)
            self._seconds_of.append(nan)
        self._sum(call).calls += 1
        if fact.nesting != Nesting.NESTED or self._containers.container_of(number) is None:
            # What a container made, the model did not.
            self._made.setdefault(fact.stream, []).append((call, fact.response))

    def _is_first(self, fact: EventFact, number: int) -> bool:
        """Count the first call of a container in place of that; False for any other call."""
        made_by = [self._calls.get(each) for each in self._containers.take(number, fact)]
        call = made_by[0] if made_by and fact.nesting == Nesting.NESTED else None
        if call is None or call.contained:
            return False
        before, at = self._sum(call), call.number
        before.calls -= 1
        before.problems -= call.problem
        before.timed -= call.timed
        if at >= 0 and call.timed:
            before.seconds -= self._seconds_of[at]
        call.tool, call.time, call.contained = _tool(fact), fact.time, True
        call.ended = call.timed = False
        after = self._sum(call)
        after.calls += 1
        after.problems += call.problem
        if at >= 0:
            self._tool_of[at], self._seconds_of[at] = self._number_of(call.tool), nan
        _keep(self._calls, number, call)
        return True

    def _begin_part(self, fact: EventFact, number: int, whole: _Call) -> None:
        _keep(self._parts, number, (whole, fact.time))
        whole.request = fact.key
        self._mark(whole, refused=False)
        part = _Call(_tool(fact), fact.time, -1)
        self._made.setdefault(fact.stream, []).append((part, fact.response))

    def _end_part(self, fact: EventFact, number: int, whole: _Call, began: float | None) -> None:
        if fact.key == whole.request:
            self._mark(whole, refused=whole.refused or bool(fact.flags & Flag.PROBLEM))
        if not whole.contained:
            self._took(whole, began, fact.time)
        self._parts[number] = (whole, None)

    def _amend(self, fact: EventFact, known: _Call) -> None:
        """Count a call as of the kind that a later record of it has, as the timeline does."""
        if fact.replaces is None and (not fact.amends or known.tool in _KNOWN):
            return
        self._sum(known).calls -= 1
        known.tool = _tool(fact)
        if known.number >= 0:
            self._tool_of[known.number] = self._number_of(known.tool)
        self._sum(known).calls += 1

    def _result(self, fact: EventFact, call: _Call) -> None:
        if fact.path.startswith(RUNS):
            _keep(self._begun, fact.path, call)
        # As in the timeline: of several results one that shows a problem is enough.
        self._mark(call, failed=call.failed or bool(fact.flags & Flag.PROBLEM))
        if call.ended:
            return
        call.ended = True
        self._took(call, call.time, fact.time)

    def _took(self, call: _Call, began: float | None, ended: float | None) -> None:
        if began is None or ended is None:
            return
        seconds, each = max(0.0, ended - began), self._sum(call)
        each.seconds += seconds
        each.timed += not call.timed
        if call.number >= 0:
            known = self._seconds_of[call.number] if call.timed else 0.0
            self._seconds_of[call.number] = known + seconds
        call.timed = True

    def _ask(self, fact: EventFact, call: _Call) -> None:
        if fact.kind == REQUEST:
            call.request = fact.key
            self._mark(call, refused=False)
        elif fact.key == call.request:
            self._mark(call, refused=call.refused or bool(fact.flags & Flag.PROBLEM))

    def _mark(
        self, call: _Call, *, failed: bool | None = None, refused: bool | None = None
    ) -> None:
        before = call.problem
        call.failed = call.failed if failed is None else failed
        call.refused = call.refused if refused is None else refused
        self._sum(call).problems += call.problem - before
        if call.number >= 0:
            self._problem_of[call.number] = call.problem

    def _sum(self, call: _Call) -> _Sum:
        sums = self._sums if call.number >= 0 else self._other
        return sums.setdefault(call.tool, _Sum())

    def _number_of(self, tool: str) -> int:
        return self._tools.setdefault(tool, len(self._tools))


def _keep(kept: dict[_Key, _Item], key: _Key, value: _Item) -> None:
    kept[key] = value
    if len(kept) > _REMEMBERED:
        del kept[next(iter(kept))]


def _tool(fact: EventFact) -> str:
    return fact.tool or KINDS[fact.kind].value
