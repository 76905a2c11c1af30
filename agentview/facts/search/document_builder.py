"""Events to documents, in file order, and documents made again from their log.

A call and its result are one document, as are the pieces of one text; of what a log says twice,
one document stays. So a document is what a person sees as one row; only what a client put around
a prompt is one of its own. A document is made again from its log where the index, which holds no
text, led to it, and where a result lacks its call.
"""

import os
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from agentview.domain.activity import row_kind
from agentview.domain.events import Event, ToolInput, ToolProgress, ToolResult
from agentview.domain.session import SessionRef, Stream
from agentview.domain.tool_inputs import ApprovalPayload
from agentview.domain.tools import ToolCall
from agentview.facts.search.documents import (
    NOTHING_TO_SEE,
    Document,
    Record,
    context_of,
    document_of,
)
from agentview.facts.search.fts_index import Found
from agentview.facts.search.reading import records
from agentview.normalize.build import with_requests
from agentview.normalize.calls_in_order import CallsOfEvents, JoinedCall
from agentview.providers.base import Provider
from agentview.sources.line_splitter import DEFAULT_LIMIT, Line, make_line
from agentview.sources.open_file import read_span
from agentview.sources.seek import line_between, line_end, line_start
from agentview.timeline.rows.merge_calls import fold_run
from agentview.timeline.rows.reading import decode_line

# Calls whose document is not complete yet: their results and other records of them.

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
    requests: dict[int, "_Request"] = field(default_factory=dict[int, "_Request"])
    """The requests for permission to make it, by their rows."""


@dataclass(slots=True)
class _Request:
    asked_for: _Open
    call: ToolCall
    answers: list[ToolResult] = field(default_factory=list[ToolResult])


class PendingCalls:
    """Calls by their rows, each held until nothing more is to be expected of it."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._open: OrderedDict[int, _Open] = OrderedDict()
        self._answered: deque[tuple[int, int]] = deque()
        self._count = 0
        self._joins = CallsOfEvents()
        self._requests: dict[int, _Request] = {}
        """Requests for permission that are held with the call that they name, by their rows."""

    def held(self) -> list[Document]:
        return [each.document for each in self._open.values()]

    def pass_by(self, event: Event) -> None:
        """Count an event: what `call` and `answer` take is the last one that was counted."""
        self._count += 1
        self._joins.count(event)

    def settled(self) -> Iterator[Document]:
        """Give calls that have had their result for long enough."""
        while self._answered and self._count - self._answered[0][0] > _LAG:
            yield from self._release(self._answered.popleft()[1])
        while len(self._open) > _HELD:
            yield from self._release(next(iter(self._open)))

    def give_up(self, below: int) -> Iterator[Document]:
        """Hand out calls that begin below a byte."""
        rows = [row for row, each in self._open.items() if each.document.place[0] < below]
        for row in rows:
            yield from self._release(row)

    def call(self, call: ToolCall, event: Event, record: Record, sub: int) -> int:
        """Take a call, or what another record says of it; returns the row of the call.

        A request for permission is held with the call that it names, where that is held.
        """
        joined = self._joins.called(event, call.call_id)
        row = joined.row
        asked_for = call.payload.asked_for if isinstance(call.payload, ApprovalPayload) else None
        named = None if asked_for is None else self._joins.asked(event, asked_for)
        if named is not None and named in self._open:
            self._ask(self._open[named], call, joined, record)
            return named
        known = None if joined.before is None else self._open.pop(joined.before, None)
        if known is None:
            known = _Open(document_of(event, record, sub), event, call)
        elif event.replaces is not None and event.replaces == known.document.key:
            fresh = document_of(event, record, sub)
            fresh.extend_over(Record(known.document.last, known.document.end - known.document.last))
            known.document, known.event, known.call, known.input = fresh, event, call, []
        else:
            known.document.extend_over(record)
            if event.amends:
                known.call = self._provider.reading.merge_call(self._with_input(known), call)
                known.input = []
        self._open[row] = known
        if call.ok is not None or known.results:
            self._answered.append((self._count, row))
        return row

    def _ask(self, known: _Open, call: ToolCall, joined: JoinedCall, record: Record) -> None:
        """Hold a request for permission, or what another record says of it, with its call."""
        before = None if joined.before is None else self._requests.pop(joined.before, None)
        if before is not None and joined.before is not None:
            del before.asked_for.requests[joined.before]
        request = _Request(known, call, [] if before is None else before.answers)
        known.requests[joined.row] = self._requests[joined.row] = request
        known.document.extend_over(record)

    def written(self, row: int, event: Event, record: Record) -> None:
        """Take a piece of the arguments of a call."""
        known = self._open.get(row)
        if known is not None:
            known.input.append(event)
            known.document.extend_over(record)

    def answer(self, body: ToolResult | ToolProgress, event: Event, record: Record) -> bool:
        """Take a result, or how far a call has come; false when the call is not known."""
        row = self._joins.answered(event, body)
        request = None if row is None else self._requests.get(row)
        known = None if row is None else self._open.get(row)
        known = known if request is None else request.asked_for
        if row is None or known is None:
            return False
        known.document.extend_over(record)
        if request is not None:
            request.answers += [body] if isinstance(body, ToolResult) else []
        elif isinstance(body, ToolProgress):
            known.progress = body
        else:
            known.results.append(body)
            self._answered.append((self._count, row))
        return True

    def _with_input(self, known: _Open) -> ToolCall:
        if not known.input:
            return known.call
        body = fold_run(
            replace(known.event, body=known.call), known.input, self._provider.reading.merge_call
        )
        return body if isinstance(body, ToolCall) else known.call

    def _release(self, row: int) -> Iterator[Document]:
        known = self._open.pop(row, None)
        if known is None:
            return
        for request in known.requests:
            self._requests.pop(request, None)
        asked = known.requests.values()
        requests = [self._answered_call(each.call, each.answers) for each in asked]
        call, document = with_requests(self._with_input(known), requests), known.document
        document.texts.clear()
        results = known.results
        document.tools = call.names
        document.joined = partial(self._answered_call, call, results)
        if results and (
            self._provider.has_linked_events or not all(result.output for result in results)
        ):
            # Only both together have the whole result: it may be in a structured form alone.
            document.say(self._answered_call(call, results))
        else:
            document.say(call)
            for result in results:
                document.say(result)
        if known.progress is not None and not known.results:
            document.say(known.progress)
        document.kind = row_kind(call)
        yield document

    def _answered_call(self, call: ToolCall, results: list[ToolResult]) -> ToolCall:
        if not results:
            return call
        answered = self._provider.reading.attach_result(call, _merged(results))
        return with_requests(answered, call.requests)


def _merged(results: list[ToolResult]) -> ToolResult:
    output = tuple(block for result in results for block in result.output)
    structured = next((r.structured for r in reversed(results) if r.structured is not None), None)
    return replace(results[-1], output=output, structured=structured)


_KEYS_KEPT = 4096
_LONGEST_RUN = 1_000_000
"""Characters up to which pieces of one text are put together."""


class _Run:
    """Pieces of a text, or of the arguments of a call, that follow each other in a stream."""

    def __init__(self, name: str, document: Document, call: int | None = None) -> None:
        self.name = name
        self.document = document
        self.call = call
        """The row of the call whose arguments they are."""


class DocumentBuilder:
    """Makes documents of the records of one log.

    A document is handed out when no more is to be expected of it. Records before byte `before` are
    only remembered, for what stands behind says some of them again. One without texts is handed out
    where a document of its key counts no more.
    """

    def __init__(self, provider: Provider, before: int = 0) -> None:
        self._before = before
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._replaceable: OrderedDict[str, None] = OrderedDict()
        """Keys of documents that later ones may replace."""
        self._calls = PendingCalls(provider)
        self._runs: dict[Stream, _Run] = {}

    def feed(self, events: Sequence[Event], offset: int, length: int) -> Iterator[Document]:
        """Take the events of a record; gives what is complete with it."""
        record = Record(offset, length)
        for sub, event in enumerate(events):
            self._calls.pass_by(event)
            said_before = self._said_before(event)
            withdrawn = self._withdraws(event)
            if not said_before and offset >= self._before:
                if withdrawn:
                    document = document_of(event, record, sub)
                    document.texts.clear()
                    yield document
                yield from self._take(event, record, sub)
                context = context_of(event, record, sub)
                yield from () if context is None else (context,)
        yield from self._calls.settled()

    def held(self) -> list[Document]:
        """Return the documents that may not be complete yet, without their texts."""
        return [*self._calls.held(), *(run.document for run in self._runs.values())]

    def give_up(self, below: int) -> Iterator[Document]:
        """Hand out what is held and begins below a byte: no more is waited for."""
        for stream, run in list(self._runs.items()):
            if run.document.place[0] < below:
                yield from self._end_run(stream)
        yield from self._calls.give_up(below)

    def _said_before(self, event: Event) -> bool:
        return event.dedupe_key is not None and _is_known(event.dedupe_key, self._seen)

    def _withdraws(self, event: Event) -> bool:
        """Return True if an event without a document takes the place of one that has one."""
        if event.replaces is None:
            return False
        if isinstance(event.body, NOTHING_TO_SEE):
            return event.replaces in self._replaceable
        if not isinstance(event.body, ToolCall):
            _is_known(event.replaces, self._replaceable)
        return False

    def _take(self, event: Event, record: Record, sub: int) -> Iterator[Document]:
        body = event.body
        if isinstance(body, ToolResult | ToolProgress):
            known = self._calls.answer(body, event, record)
            if not known and isinstance(body, ToolResult):
                yield from _with_texts(document_of(event, record, sub))
        elif isinstance(body, ToolInput):
            run = self._runs.get(event.stream)
            if run is not None and run.name == event.run and run.call is not None:
                self._calls.written(run.call, event, record)
        elif event.run == "":
            yield from self._end_run(event.stream)
            yield from self._alone(event, record, sub)
        elif event.run is not None:
            yield from self._piece(event, event.run, record, sub)
        else:
            if event.replaces is None and not isinstance(body, NOTHING_TO_SEE):
                yield from self._end_run(event.stream)
            yield from self._alone(event, record, sub)

    def _alone(self, event: Event, record: Record, sub: int) -> Iterator[Document]:
        body = event.body
        if isinstance(body, ToolCall):
            self._calls.call(body, event, record, sub)
        elif not isinstance(body, NOTHING_TO_SEE):
            yield from _with_texts(document_of(event, record, sub))

    def _piece(self, event: Event, name: str, record: Record, sub: int) -> Iterator[Document]:
        """A piece of a text goes to the one before it; a whole one takes the place of all."""
        run = self._runs.get(event.stream)
        piece = document_of(event, record, sub)
        same = run is not None and run.name == name and run.document.kind == piece.kind
        if run is not None and same and not event.whole and run.call is None:
            _append(run.document, piece)
            run.document.extend_over(record)
            return
        if not (same and event.whole):
            yield from self._end_run(event.stream)
        body = event.body
        call = self._calls.call(body, event, record, sub) if isinstance(body, ToolCall) else None
        self._runs[event.stream] = _Run(name, piece, call)

    def _end_run(self, stream: Stream) -> Iterator[Document]:
        run = self._runs.pop(stream, None)
        if run is not None and run.call is None:
            yield from _with_texts(run.document)


def _is_known(key: str, keys: OrderedDict[str, None]) -> bool:
    """Return whether a key is among the newest ones, which it becomes the first of."""
    if key in keys:
        keys.move_to_end(key)
        return True
    keys[key] = None
    if len(keys) > _KEYS_KEPT:
        keys.popitem(last=False)
    return False


def _with_texts(document: Document) -> Iterator[Document]:
    if document.texts:
        yield document


def _append(document: Document, piece: Document) -> None:
    for column, texts in piece.texts.items():
        have = document.texts.setdefault(column, [])
        if not have:
            have.append("")
        if len(have[0]) < _LONGEST_RUN:
            have[0] += "".join(texts)


_LONGEST_SPAN = 1024 * 1024
"""Bytes up to which all records between the first and the last of a document are read."""

_CALL_WITHIN = 1024 * 1024
"""Bytes before a result in which its call is looked for."""


def rebuild(provider: Provider, ref: SessionRef, fd: int, found: Found) -> Document | None:
    """The document as the log has it now; None when it is there no more."""
    made = _rebuilt(provider, ref, fd, found, between=_has_more(found))
    if made is None or made.last == found.last:
        return made
    # Calls that share an id were apart by the records between, or by those alone that it is of.
    other = _rebuilt(provider, ref, fd, found, between=not _has_more(found))
    return made if other is None or other.last != found.last else other


def _rebuilt(
    provider: Provider, ref: SessionRef, fd: int, found: Found, *, between: bool
) -> Document | None:
    place = (found.offset, found.sub)
    gathered = _gathered(provider, ref, fd, found, between=between)
    made = [each for each in gathered if each.place == place]
    # A prompt and what the client put around it are at one place.
    made.sort(key=lambda document: document.kind is not found.kind)
    return made[0] if made else None


def is_whole(found: Found) -> bool:
    """Return True if all records of the document are read to make it again."""
    return not _has_more(found) or found.end - found.offset <= _LONGEST_SPAN


def with_call(provider: Provider, ref: SessionRef, fd: int, result: Document) -> Document:
    """The result with the call that it answers, when that stands not far before it."""
    offset, answers = result.place[0], result.answers
    base = max(0, offset - _CALL_WITHIN)
    before = read_span(fd, base, offset - base)
    at = before.rfind(answers.encode("utf-8", "replace")) if answers else -1
    while at >= 0 and answers:
        start, end = line_start(fd, base + at), line_end(fd, base + at, offset)
        called = line_between(fd, start, end)
        events = decode_line(provider, ref, called) if called is not None else []
        # A record may have several calls, and so may that of their results.
        calls = (
            number
            for number, event in enumerate(events)
            if isinstance(event.body, ToolCall) and event.body.call_id == answers
        )
        number = next(calls, None)
        if called and number is not None:
            place = called.offset, number
            last = Found(
                0, 0, called.offset, called.length, 0, result.kind, None, offset,
                offset + result.length, 2,
            )  # fmt: skip
            made = _gathered(provider, ref, fd, last, between=False)
            found = (each for each in made if each.last == offset and each.place == place)
            return next(found, result)
        at = before.rfind(answers.encode("utf-8", "replace"), 0, max(0, start - base))
    return result


def _has_more(found: Found) -> bool:
    return found.parts > 2


def _gathered(
    provider: Provider, ref: SessionRef, fd: int, found: Found, *, between: bool
) -> list[Document]:
    gathering = DocumentBuilder(provider)
    made: list[Document] = []
    for line in _lines(provider, fd, found, between=between):
        made += gathering.feed(decode_line(provider, ref, line), line.offset, line.length)
    return [*made, *gathering.give_up(found.end + 1)]


def _lines(provider: Provider, fd: int, found: Found, *, between: bool) -> Iterator[Line]:
    if between and found.end - found.offset <= _LONGEST_SPAN:
        end = os.fstat(fd).st_size
        for item in records(provider, fd, found.offset, end, torn=True):
            if not isinstance(item, int) and item.offset <= found.last:
                yield item
            elif (item if isinstance(item, int) else item.offset) > found.last:
                return
        return
    spans = [(found.offset, found.length)]
    if found.last != found.offset:
        spans.append((found.last, found.end - found.last))
    for offset, length in spans:
        line = _record(fd, offset, length)
        if line is not None:
            yield line


def _record(fd: int, offset: int, length: int) -> Line | None:
    if length > DEFAULT_LIMIT:
        return Line(offset, length, None, head=read_span(fd, offset, 256))
    return make_line(read_span(fd, offset, length), offset)
