"""Counts calls by tool: how many, how many went wrong, how long they took.

A tool is named by its kind; where that is unknown, by its canonical name.
"""

from dataclasses import dataclass

from agentview.domain.index_entry import KINDS, EventFact, Flag, Role
from agentview.domain.session import Stream
from agentview.domain.tools import ToolKind
from agentview.usage.report import ToolUsage

_KNOWN = frozenset(kind.value for kind in ToolKind if kind is not ToolKind.UNKNOWN)
_REMEMBERED = 4096
"""Calls without a result that are remembered, and calls with one."""


@dataclass(slots=True)
class _Call:
    tool: str
    time: float | None
    problem: bool = False


@dataclass(slots=True)
class _Sum:
    calls: int = 0
    problems: int = 0
    seconds: float = 0.0
    timed: int = 0


class ToolCalls:
    """Takes events in file order; a call with several records counts once."""

    def __init__(self) -> None:
        self._open: dict[str, _Call] = {}
        self._ended: dict[str, _Call] = {}
        """Calls with a result; another one may follow."""
        self._seen: set[int] = set()
        """Hashes of the ids of all calls, and of other marks of repeated calls."""
        self._sums: dict[str, _Sum] = {}
        self._made: dict[Stream | None, list[tuple[str, str | None]]] = {}
        """Tool and response, as far as it is reported, of calls that none was charged with."""

    def take(self, fact: EventFact) -> None:
        """Take an event that belongs to a call."""
        if fact.key is None:
            return
        if fact.role == Role.CALL:
            self._call(fact, fact.key)
        elif fact.role == Role.RESULT:
            self._result(fact, fact.key)

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

    def _call(self, fact: EventFact, key: str) -> None:
        known = self._open.get(key)
        if known is not None:
            self._amend(fact, known)
            return
        names = (("call", key), ("says", fact.dedupe), ("replaces", fact.replaces))
        hashes = {hash(name) for name in names if name[1] is not None}
        known_by_another = not hashes.isdisjoint(self._seen)
        self._seen |= hashes
        if known_by_another:
            return
        tool = _tool(fact)
        _remember(self._open, key, _Call(tool, fact.time))
        self._sum(tool).calls += 1
        self._made.setdefault(fact.stream, []).append((tool, fact.response))

    def _amend(self, fact: EventFact, known: _Call) -> None:
        """Count a call as of the kind that a later record of it has, as the timeline does."""
        if fact.replaces is None:
            amends = fact.tie is not None and fact.tie.amends
            if not amends or known.tool in _KNOWN:
                return
        self._sum(known.tool).calls -= 1
        known.tool = _tool(fact)
        self._sum(known.tool).calls += 1

    def _result(self, fact: EventFact, key: str) -> None:
        ended = self._ended.get(key)
        call = ended or self._open.pop(key, None)
        if call is None:
            return
        each = self._sum(call.tool)
        if fact.flags & Flag.PROBLEM and not call.problem:
            # As in the timeline: of several results one that shows a problem is enough.
            call.problem = True
            each.problems += 1
        if ended is not None:
            return
        _remember(self._ended, key, call)
        if call.time is not None and fact.time is not None:
            each.seconds += max(0.0, fact.time - call.time)
            each.timed += 1

    def _sum(self, tool: str) -> _Sum:
        return self._sums.setdefault(tool, _Sum())


def _remember(calls: dict[str, _Call], key: str, call: _Call) -> None:
    calls[key] = call
    if len(calls) > _REMEMBERED:
        del calls[next(iter(calls))]


def _tool(fact: EventFact) -> str:
    return fact.tool or KINDS[fact.kind].value
