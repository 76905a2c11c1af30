"""Counts calls by tool: how many, how many went wrong, how long they took.

A tool is named by its kind; where that is unknown, by its canonical name.
"""

from dataclasses import dataclass

from agentview.domain.index_entry import KINDS, REQUEST, EventFact, Flag, Role
from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.facts.usage.report import ToolUsage
from agentview.normalize.calls_in_order import CallsInOrder

_KNOWN = frozenset(kind.value for kind in ToolKind if kind is not ToolKind.UNKNOWN)
_REMEMBERED = 4096
"""Calls to which a later record may still belong."""


@dataclass(slots=True)
class _Call:
    tool: str
    time: float | None
    failed: bool = False
    request: str | None = None
    """Id of its last request for permission."""
    refused: bool = False
    """That was refused."""
    ended: bool = False

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
    """Takes events in file order; a call counts once, if it began in the period."""

    def __init__(self, period: Period = ALL_TIME) -> None:
        self._period = period
        self._order = CallsInOrder()
        self._calls: dict[int, _Call] = {}
        self._sums: dict[str, _Sum] = {}
        self._other: dict[str, _Sum] = {}
        """Of calls that began outside the period."""
        self._made: dict[Stream | None, list[tuple[str, str | None]]] = {}
        """Tool and response, as far as it is reported, of calls that none was charged with."""

    def take(self, fact: EventFact) -> None:
        """Take the next event."""
        record = self._order.take(fact)
        if record is None:
            return
        if record.new:
            self._begin(fact, record.call)
            return
        call = self._calls.get(record.call)
        if call is None:
            return
        if record.asks:
            self._ask(fact, call)
        elif fact.role == Role.CALL:
            self._amend(fact, call)
        else:
            self._result(fact, call)

    def made(self, stream: Stream | None, response: str) -> list[str]:
        """Tools of the calls that a response made, each once: its own, else all that are left.

        Some logs report the tokens of a response after it without saying which they are of.
        """
        left = self._made.get(stream, [])
        mine = [tool for tool, of in left if of == response]
        if mine:
            self._made[stream] = [call for call in left if call[1] != response]
            return mine
        return [tool for tool, _ in self._made.pop(stream, [])]

    def usage(self) -> dict[str, ToolUsage]:
        """Return what the calls came to, by tool."""
        return {
            tool: ToolUsage(each.calls, each.problems, each.seconds if each.timed else None)
            for tool, each in self._sums.items()
            if each.calls
        }

    def _begin(self, fact: EventFact, number: int) -> None:
        tool = _tool(fact)
        call = self._calls[number] = _Call(tool, fact.time)
        if len(self._calls) > _REMEMBERED:
            del self._calls[next(iter(self._calls))]
        self._sum(call).calls += 1
        self._made.setdefault(fact.stream, []).append((tool, fact.response))

    def _amend(self, fact: EventFact, known: _Call) -> None:
        """Count a call as of the kind that a later record of it has, as the timeline does."""
        if fact.replaces is None and (not fact.amends or known.tool in _KNOWN):
            return
        self._sum(known).calls -= 1
        known.tool = _tool(fact)
        self._sum(known).calls += 1

    def _result(self, fact: EventFact, call: _Call) -> None:
        each = self._sum(call)
        # As in the timeline: of several results one that shows a problem is enough.
        self._mark(call, failed=call.failed or bool(fact.flags & Flag.PROBLEM))
        if call.ended:
            return
        call.ended = True
        if call.time is not None and fact.time is not None:
            each.seconds += max(0.0, fact.time - call.time)
            each.timed += 1

    def _ask(self, fact: EventFact, call: _Call) -> None:
        """Take a request for permission, or an answer, of which one that refuses is enough."""
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

    def _sum(self, call: _Call) -> _Sum:
        sums = self._sums if self._period.has(call.time) else self._other
        return sums.setdefault(call.tool, _Sum())


def _tool(fact: EventFact) -> str:
    return fact.tool or KINDS[fact.kind].value
