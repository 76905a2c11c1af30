"""Calls whose document is not complete yet: their results and what else is told of them."""

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from agentview.domain.events import Event, ToolProgress, ToolResult
from agentview.domain.tools import ToolCall
from agentview.providers.base import Provider
from agentview.search.documents import Document, Record, document_of
from agentview.store.merge_calls import fold_run

_HELD = 256
_LAG = 64
"""Events for which a call that has its result waits for what other records say of it."""


@dataclass(slots=True)
class _Open:
    document: Document
    event: Event
    call: ToolCall
    input: list[Event] = field(default_factory=list[Event])
    results: list[ToolResult] = field(default_factory=list[ToolResult])
    progress: ToolProgress | None = None


class OpenCalls:
    """Calls by their id, each held until nothing more is to be expected of it."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._answered: deque[tuple[int, str]] = deque()
        self._count = 0

    def held(self) -> list[Document]:
        """Documents of all calls that are held, without their texts."""
        return [each.document for each in self._open.values()]

    def settled(self, count: int) -> Iterator[Document]:
        """Count events; gives calls that have had their result for long enough."""
        self._count += count
        while self._answered and self._count - self._answered[0][0] > _LAG:
            yield from self._release(self._answered.popleft()[1])
        while len(self._open) > _HELD:
            yield from self._release(next(iter(self._open)))

    def give_up(self, below: int) -> Iterator[Document]:
        """Hand out calls that begin below a byte."""
        names = [name for name, each in self._open.items() if each.document.place[0] < below]
        for name in names:
            yield from self._release(name)

    def call(self, call: ToolCall, event: Event, record: Record, sub: int) -> None:
        """Take a call, or what another record says of it."""
        known = self._open.get(call.call_id)
        if known is None:
            self._open[call.call_id] = _Open(document_of(event, record, sub), event, call)
        elif event.replaces is not None and event.replaces == known.document.key:
            fresh = document_of(event, record, sub)
            fresh.extend_over(Record(known.document.last, known.document.end - known.document.last))
            known.document, known.event, known.call, known.input = fresh, event, call, []
        else:
            known.document.extend_over(record)
            if event.amends:
                known.call = self._provider.amend(self._with_input(known), call)
                known.input = []
        if call.ok is not None:
            self._answered.append((self._count, call.call_id))

    def written(self, call_id: str, event: Event, record: Record) -> None:
        """Take a piece of the arguments of a call."""
        known = self._open.get(call_id)
        if known is not None:
            known.input.append(event)
            known.document.extend_over(record)

    def answer(self, body: ToolResult | ToolProgress, record: Record) -> bool:
        """Take a result, or how far a call has come; false when the call is not known."""
        known = self._open.get(body.call_id)
        if known is None:
            return False
        known.document.extend_over(record)
        if isinstance(body, ToolProgress):
            known.progress = body
        else:
            known.results.append(body)
            self._answered.append((self._count, body.call_id))
        return True

    def _with_input(self, known: _Open) -> ToolCall:
        if not known.input:
            return known.call
        body = fold_run(replace(known.event, body=known.call), known.input, self._provider.amend)
        return body if isinstance(body, ToolCall) else known.call

    def _release(self, name: str) -> Iterator[Document]:
        known = self._open.pop(name, None)
        if known is None:
            return
        call, document = self._with_input(known), known.document
        document.texts.clear()
        results = known.results
        if results and (self._provider.tied or not all(result.output for result in results)):
            # Only both together tell what came back: it may stand in a structured form alone.
            document.say(self._provider.answer(call, _merged(results)))
        else:
            document.say(call)
            for result in results:
                document.say(result)
        if known.progress is not None and not known.results:
            document.say(known.progress)
        document.kind = call.kind
        yield document


def _merged(results: list[ToolResult]) -> ToolResult:
    output = tuple(block for result in results for block in result.output)
    structured = next((r.structured for r in reversed(results) if r.structured is not None), None)
    return replace(results[-1], output=output, structured=structured)
