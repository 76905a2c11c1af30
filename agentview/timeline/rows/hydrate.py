"""Rows as what they show: their record decoded, with those of all rows that are joined with it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, cast

from msgspec.structs import replace

from agentview.domain.activity import Activity, ChildSummary, RowKind
from agentview.domain.events import (
    Body,
    Event,
    Level,
    Notification,
    Reasoning,
    ToolProgress,
    ToolResult,
    User,
)
from agentview.domain.index_entry import KIND_CODES, KINDS, PROMPT_CHARS, Flag, LightEvent
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import ShellPayload, SubagentPayload
from agentview.domain.tool_results import ShellResult, SubagentResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.errors import AgentViewError
from agentview.normalize.build import with_requests
from agentview.normalize.polls import with_polls
from agentview.providers.base import Provider
from agentview.sources.files import read_ends
from agentview.sources.open_file import read_head
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.merge_calls import fold_run
from agentview.timeline.rows.record_cache import RecordCache

PIECES_LOOKED_AT = 2000
"""Rows behind a piece of a text among which the whole of it is looked for."""

# Side conversations that nothing but their first prompt joins with the call that started them.

_FAR = 4096
"""Rows behind a call among which the conversation that it started begins."""

_PROMPTS = 16
"""Prompts of side conversations that are looked at."""

_USER = KIND_CODES[RowKind.USER]
_USERS = bytes(code == _USER for code in range(256))
_SIDES = bytes(bool(flags & Flag.SIDE) for flags in range(256))


def side_chain(
    assembler: Assembler, event: Callable[[int], Event], row: int, call: ToolCall
) -> Stream | None:
    """The side conversation that the call at a row started, by what it was asked.

    Its stream has the id of its first record. Of calls that asked the same before any of them was
    begun, the first one started the first.
    """
    asked = call.payload.prompt if isinstance(call.payload, SubagentPayload) else None
    if not asked or not asked.strip():
        return None
    alike = assembler.agent_prompts.get(asked[:PROMPT_CHARS], ())
    passed = sum(1 for other in alike if other < row and not _has_side(assembler, other, row))
    for prompt in _prompts(assembler, event, row):
        body = prompt.body
        first = prompt.parent_id is None and prompt.record_id is not None
        if not first or not isinstance(body, User) or body.text.strip() != asked.strip():
            continue
        if prompt.stream in assembler.children:
            return None
        if not passed:
            return Stream(StreamKind.SIDECHAIN, prompt.record_id or "")
        passed -= 1
    return None


def _has_side(assembler: Assembler, start: int, stop: int) -> bool:
    return 1 in assembler.codes(start, stop)[1].translate(_SIDES)


def _prompts(assembler: Assembler, event: Callable[[int], Event], row: int) -> Iterator[Event]:
    """Prompts of side conversations behind a row, the first ones."""
    kinds, flags = assembler.codes(row, min(row + _FAR, assembler.rows.end))
    found = int.from_bytes(kinds.translate(_USERS), "little")
    found &= int.from_bytes(flags.translate(_SIDES), "little")
    mask = found.to_bytes(len(kinds), "little")
    at = mask.find(1)
    for _ in range(_PROMPTS):
        if at < 0:
            return
        yield event(row + at)
        at = mask.find(1, at + 1)


SPILL_BYTES = 1024 * 1024
"""Bytes that are shown of an output in a file of its own."""

PASSED_OVER = 500
"""Rows behind a call among which a later response of the model shows that it was passed over."""

_OPEN = frozenset({ToolState.INPUT_STREAMING, ToolState.INPUT_AVAILABLE})
_DONE = frozenset({SessionState.YOUR_TURN, SessionState.ENDED})
_FROM_MODEL = frozenset({*ToolKind, RowKind.MESSAGE, RowKind.REASONING})


class Agents(Protocol):
    """The agents that a session started."""

    def child_of(self, row: int) -> Stream | None:
        """The stream of the agent that the call of the row started, as far as it is known."""
        ...

    def child_summary(self, stream: Stream) -> ChildSummary | None:
        """Return the summary of a stream's agent, None where its log is not open."""
        ...


class Activities:
    """Makes activities of rows; keeps nothing that the cache of records does not."""

    def __init__(
        self,
        provider: Provider,
        session: SessionRef,
        assembler: Assembler,
        records: RecordCache,
        agents: Agents,
    ) -> None:
        self._provider = provider
        self._session = session
        self._assembler = assembler
        self._records = records
        self._agents = agents

    def event(self, row: int) -> Event:
        return self._records.event(*self._assembler.rows.span(row))

    def whole(self, row: int) -> Event:
        """The event of the row, with what all records of it say together."""
        event = self.event(row)
        body, _ = self._whole(row, event)
        return replace(event, body=body)

    def move(self, session: SessionRef) -> None:
        """Read from the log of `session` from now on: the same bytes at another path."""
        self._session = session
        self._records.move(session)

    def activity(self, row: int, *, live: bool) -> Activity:
        """The row decoded and joined; a call of a `live` session may run until it has a result."""
        event = self.event(row)
        body, parts = self._whole(row, event)
        if isinstance(body, ToolCall):
            return self._call(row, body, (event, *parts), live=live)
        started = event.time
        if isinstance(body, Reasoning) and body.duration is not None and started is not None:
            started -= body.duration
        # A notice has a duration of its own: of what it reports, not of the report.
        ended = None if isinstance(body, Notification) else (parts or (event,))[-1].time
        return Activity(body, (event, *parts), started, ended, child=event.child, cwd=self._cwd())

    def abandoned(self, row: int) -> bool:
        """True when the log continued without an answer to the call: another turn, or response."""
        call = self.event(row)
        nested = self._assembler.nested(row)
        waits = self._provider.habits.prompts_wait
        if not waits and self._assembler.summary.turn_after(row, call.stream if nested else None):
            return True
        if call.response_id is None:
            return False
        rows = self._assembler.rows
        for other in range(row + 1, min(rows.end, row + PASSED_OVER)):
            if KINDS[rows.kind(other)] not in _FROM_MODEL or self._assembler.gone(other):
                continue
            event = self.event(other)
            if event.stream == call.stream and event.response_id not in (None, call.response_id):
                return True
        return False

    def _whole(self, row: int, event: Event) -> tuple[Body, tuple[Event, ...]]:
        """Event of a row together with its other pieces and amendments, and their events."""
        links = self._assembler.links
        if links is None:
            return event.body, ()
        pieces = [self.event(piece) for piece in links.runs.pieces(row)]
        body = fold_run(event, pieces, self._provider.reading.merge_call) if pieces else event.body
        parts = list(pieces)
        for other in links.amending(row):
            amending = self.event(other)
            later, others = self._whole(other, amending)
            parts += (amending, *others)
            if not isinstance(body, ToolCall):
                body = later
            elif isinstance(later, ToolCall):
                body = self._provider.reading.merge_call(body, later)
        return body, tuple(parts)

    def _call(self, row: int, call: ToolCall, parts: tuple[Event, ...], *, live: bool) -> Activity:
        assembler = self._assembler
        call, results, answered = self._answered(row, call)
        reports = [self.event(other) for other in assembler.reported(row)]
        latest = assembler.progress.get(row)
        later = [*([] if latest is None else [self.event(latest)]), *reports]
        before = assembler.requests(row)
        makers = [self._maker(other) for other in before if assembler.is_container(other)]
        asked = [
            self._request(other, decided=answered)
            for other in before
            if not assembler.is_container(other)
        ]
        polls = [each for each, _ in asked if each.kind is ToolKind.SHELL]
        requests = [each for each, _ in asked if each.kind is not ToolKind.SHELL]
        call = self._with_whole_output(with_polls(with_requests(call, requests), polls))
        if makers:
            call = replace(call, maker=makers[0][0])
        parts = (*parts, *(part for _, events in (*makers, *asked) for part in events))
        recorded = (result.child for result in results if result.child is not None)
        child = next(recorded, None) or self._agents.child_of(row)
        if child is None and call.kind is ToolKind.SUBAGENT_TASK:
            child = side_chain(assembler, self.event, row, call)
        summary = self._agents.child_summary(child) if child is not None else None
        call = _as_in_background(call, reports, summary)
        ends = reports or (
            [part for _, events in asked[-1:] for part in events] if polls else results
        )
        over = call.state not in _OPEN
        return Activity(
            call,
            tuple(sorted((*parts, *results, *later), key=lambda each: each.source.offset)),
            next((part.time for part in parts if part.time is not None), None),
            ends[-1].time if ends and over else None,
            progress=_progress(later),
            outcome=_outcome(reports),
            child=child,
            child_summary=summary,
            cwd=self._cwd(),
            live=live and not over,
        )

    def _answered(self, row: int, call: ToolCall) -> tuple[ToolCall, list[Event], bool]:
        """The call of a row with its results, their events, and whether there are any."""
        results = [self.event(other) for other in self._assembler.results(row)]
        bodies = [each.body for each in results if isinstance(each.body, ToolResult)]
        if bodies:
            call = self._provider.reading.attach_result(call, _merge(bodies))
        elif self.abandoned(row):
            call = replace(call, state=ToolState.ABANDONED)
        return call, results, bool(bodies)

    def _maker(self, row: int) -> tuple[ToolCall, tuple[Event, ...]]:
        """The container at a row with its result and its polls, and the events of all."""
        event = self.event(row)
        body, parts = self._whole(row, event)
        call, results, answered = self._answered(row, cast("ToolCall", body))
        polled = [self._request(other, decided=answered) for other in self._assembler.requests(row)]
        call = with_polls(call, [each for each, _ in polled])
        call = _as_in_background(call, [], None)
        events = (each for _, events in polled for each in events)
        return call, (event, *parts, *results, *events)

    def _request(self, row: int, *, decided: bool) -> tuple[ToolCall, tuple[Event, ...]]:
        """The request for permission of a row with its answer, and the events of both.

        A call that acts on what another one began is like one. `decided` says that the call of a
        request has its result: nobody waits for an answer any more.
        """
        event = self.event(row)
        body, parts = self._whole(row, event)
        request, results, answered = self._answered(row, cast("ToolCall", body))
        if decided and not answered and request.kind is ToolKind.ASK:
            request = replace(request, state=ToolState.ABANDONED)
        return request, (event, *parts, *results)

    def _cwd(self) -> str | None:
        return self._assembler.summary.text("cwd")

    def _with_whole_output(self, call: ToolCall) -> ToolCall:
        """The call with its output from a file of its own, where the log has only a part.

        Of a command that runs on, that is the end of what it has written so far.
        """
        result = call.result
        if not isinstance(result, ShellResult) or result.spill_path is None:
            return call
        file = self._provider.discovery.externalized_output(self._session, result.spill_path)
        if file is None:
            return call
        try:
            data = _newest_lines(file) if result.launched else read_head(file, SPILL_BYTES)
        except AgentViewError:
            return call
        text = data.decode("utf-8", "replace")
        has_stdout = result.stdout is not None
        whole = replace(result, stdout=text) if has_stdout else replace(result, output=text)
        return replace(call, result=whole)


def _newest_lines(file: Path) -> bytes:
    """Return the end of a file that is still written, in whole lines."""
    head, tail, start = read_ends(file)
    return head + tail if start <= len(head) or not tail else tail.partition(b"\n")[2]


def _progress(later: Sequence[Event]) -> str | None:
    return next((each.body.output for each in later if isinstance(each.body, ToolProgress)), None)


def _outcome(reports: Sequence[Event]) -> Notification | None:
    """The newest report; how an agent ended and what it said may be two."""
    bodies = [report.body for report in reports if isinstance(report.body, Notification)]
    if len(bodies) < 2:
        return bodies[-1] if bodies else None
    before, last = bodies[-2:]
    state, said = (before, last) if last.detail else (last, before)
    return replace(state, detail=said.detail) if not state.detail else last


def _as_in_background(
    call: ToolCall, reports: Sequence[Event], agent: ChildSummary | None
) -> ToolCall:
    """A call whose result says only that it began runs until its end is reported.

    The log of the agent that it began says so too: an agent whose turn is over is done.
    """
    if not isinstance(call.result, ShellResult | SubagentResult) or not call.result.launched:
        return call
    if isinstance(call.payload, ShellPayload) and call.payload.process is not None:
        return call
    outcome = _outcome(reports)
    if outcome is not None and outcome.level is Level.ERROR:
        return replace(call, state=ToolState.OUTPUT_ERROR, ok=False, error=outcome.text)
    if outcome is None and agent is not None and agent.state is SessionState.FAILED:
        return replace(call, state=ToolState.OUTPUT_ERROR, ok=False)
    if outcome is not None or (agent is not None and agent.state in _DONE):
        stopped = outcome is not None and outcome.level is Level.WARNING
        return replace(call, state=ToolState.OUTPUT_AVAILABLE, ok=None if stopped else True)
    return replace(call, state=ToolState.INPUT_AVAILABLE, ok=None)


def _merge(results: Sequence[ToolResult]) -> ToolResult:
    """One result out of several for the same call: all output, and the state of the last."""
    if len(results) == 1:
        return results[0]
    output = tuple(block for result in results for block in result.output)
    structured = next((r.structured for r in reversed(results) if r.structured is not None), None)
    return replace(results[-1], output=output, structured=structured)


class Succession:
    """Parts of a session's rows, and the outcome of those that do not count any more."""

    def __init__(self, assembler: Assembler, records: RecordCache) -> None:
        self._assembler = assembler
        self._records = records

    def record(self, row: int) -> tuple[int, Sequence[LightEvent], int]:
        """The offset of the record of a row, its events, and the number of the row's among them.

        They are all events, also those that have no row of their own.
        """
        offset, length, sub = self._assembler.rows.span(row)
        return offset, self._records.record(offset, length), sub

    def part_of(self, row: int) -> int | None:
        """The row whose activity is made of this row too; None when there is none."""
        return self._assembler.part_of(row)

    def successor(self, row: int) -> int | None:
        """The row that took the place of this one or said the same before, where it is known."""
        event = self._event(row)
        found = self._assembler.successor(row, event)
        return self._whole_of(row, event) if found is None and event.run else found

    def _event(self, row: int) -> Event:
        return self._records.event(*self._assembler.rows.span(row))

    def _whole_of(self, row: int, piece: Event) -> int | None:
        """The row that says the whole of a text again, of which `row` is a piece."""
        rows = self._assembler.rows
        for other in range(row + 1, min(rows.end, row + PIECES_LOOKED_AT)):
            if rows.flags(other) & Flag.JOINED:
                continue
            event = self._event(other)
            if event.whole and event.run == piece.run and event.stream == piece.stream:
                return other
        return None
