"""What a session is about and what it is doing, from its events alone."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from agentview.domain.events import (
    Attachment,
    Body,
    Compaction,
    Event,
    Facts,
    Hidden,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    User,
)
from agentview.domain.index_entry import FAILURES, SAID, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef, StreamKind
from agentview.domain.session_state import SessionStatus
from agentview.domain.session_times import SessionTimes, row_code
from agentview.domain.tool_inputs import ApprovalPayload
from agentview.domain.tools import ToolCall
from agentview.domain.usage_limit import UsageLimits, merged
from agentview.normalize.calls_in_order import CallsOfEvents
from agentview.normalize.json_values import Fields
from agentview.normalize.project_path import project_path
from agentview.normalize.session_state import (
    NO_HABITS,
    LogHabits,
    deciding_call,
    log_status,
    signal_of,
)
from agentview.sources.files import END_BYTES, lines_of_tail

TITLE_CHARS = 200
_BETWEEN = 64
"""Bytes that may be between two records of which nothing was left out."""

_EDGE = 24
"""Lines at each end of a block that show the first messages and the current work."""
_MOST = 1_000
"""Lines at each end of a block that are decoded at all."""
_LIMITS = 16
"""Limits of the account that are kept of a log."""
_TAG = re.compile(r"</?[\w-]{1,40}>")
"""What an agent puts around an answer that a client asked for in this form."""
_BOM = b"\xef\xbb\xbf"
"""May be in front of the first line of a log."""
_TYPE_WITHIN = 400
"""Bytes of a line that say what sort of record it is."""

Decode = Callable[[bytes, SourceRef, SessionRef], list[Event]]
FindInLine = Callable[[bytes, int, int], object]
"""As `search` of a pattern: finds something in a line, from one byte to another, or None."""


_UNREAD = -1
"""Stands for the row of a call that was not read."""


@dataclass(slots=True)
class _Seen:
    facts: Facts = field(default_factory=Facts)
    times: SessionTimes = field(default_factory=SessionTimes)
    given: str | None = None
    made: str | None = None
    summaries: dict[str, str] = field(default_factory=dict[str, str])
    """Titles that name the record whose session they are of."""
    own: str | None = None
    """A summary of the record whose id it names."""
    prompt: str | None = None
    message: str | None = None
    """What another agent wrote first."""
    command: str | None = None
    """The first command that the person gave to the client."""
    answer: str = ""
    answering: str | None = None
    """The run of which the answer is, as long as more of it may come."""
    signal: int = Signal.NONE
    last: Event | None = None
    """The event that the signal is of."""
    over: Event | None = None
    """What said that the turn is over."""
    plan: Event | None = None
    """The call of a plan on which nothing is known to be decided, where only words followed it."""
    turn: float | None = None
    """Time of the newest prompt."""
    calls: set[str] = field(default_factory=set[str])
    """Ids of the calls so far."""
    joins: CallsOfEvents = field(default_factory=CallsOfEvents)
    said: set[str] = field(default_factory=set[str])
    """Keys of the records of calls and results that other records may say again."""
    waiting: dict[int, Event] = field(default_factory=dict[int, Event])
    """Calls without a result, by row, since the last part of the log that was not read."""
    answered: set[int] = field(default_factory=set[int])
    asked_for: dict[int, int | str] = field(default_factory=dict[int, int | str])
    """The call that a request for permission names, by the row of the request: its row, or its id
    where the call comes later."""
    running: set[int] = field(default_factory=set[int])
    """Calls that have reported progress."""
    end: int = 0
    """Where the last record ends."""


def decoded(fields: Fields, ref: SessionRef, decode: Decode) -> list[Event]:
    """The events of an object that was read from a part of a document, as of a record.

    Members that are nested too deeply to be written again are left out.
    """
    try:
        # Not orjson: numbers may be larger than it writes.
        raw = json.dumps(fields).encode()
    except RecursionError:
        return decoded({key: fields[key] for key in fields if _is_flat(fields[key])}, ref, decode)
    return decode(raw, SourceRef(ref.path, 0, len(raw)), ref)


def _is_flat(value: object) -> bool:
    try:
        json.dumps([value])
    except RecursionError:
        return False
    return True


def overview(
    ref: SessionRef,
    events: Iterable[Event],
    *,
    name: str | None = None,
    project: str | None = None,
    habits: LogHabits = NO_HABITS,
    only_timed: Callable[[Event], bool] = lambda _: False,
    length: int | None = None,
) -> SessionInfo:
    """Facts about a session from events of its head and its tail, in file order.

    The title is the `name` that is kept next to the log, else the last one that the person gave,
    else the last that the client made, else the first prompt, else, where no prompt is recorded,
    what another agent wrote, the first command, or the first words of the agent. `project` is its
    directory where no record has it. Times: see `SessionTimes`; of an event that
    is `only_timed` nothing else counts. The status is what the records say;
    see `status_now` for the rest. `length` is the bytes of the log as it is read, where that is not
    the size of its file.
    """
    seen = _Seen()
    for event in events:
        seen.times.take([(row_code(event.body), event.time)])
        if not only_timed(event):
            _take(seen, event, ref)
    titles = (
        name, seen.given, seen.made, seen.own, seen.prompt, ref.label, seen.message, seen.command
    )  # fmt: skip
    folder = seen.facts.cwd or project
    title = next(filter(None, titles), None) or _TAG.sub("", seen.answer.partition("\n")[0])
    return SessionInfo(
        ref,
        title=" ".join(title.split())[:TITLE_CHARS] if title else None,
        project=project_path(folder) if folder else None,
        branch=seen.facts.branch,
        model=seen.facts.model,
        client_version=seen.facts.client_version,
        started=seen.times.first,
        last_activity=seen.times.last,
        status=_status(seen, ref, habits, length),
        limits=seen.facts.limits or (),
    )


def whole_lines(
    block: bytes, start: int, ref: SessionRef, decode: Decode, relevant: FindInLine | None = None
) -> Iterator[Event]:
    """Events of the lines of a block that hold a whole JSON object or list each.

    The block begins `start` bytes into the log; its first and its last line may be cut. With
    `relevant`, lines in the middle are left out unless it finds in their beginnings that they
    describe the session.
    """
    whole = block.removeprefix(_BOM) if start == 0 else block
    offset = start + len(block) - len(whole)
    lines = whole.split(b"\n")
    for number, line in enumerate(lines):
        if _MOST <= number < len(lines) - _MOST:
            offset += len(line) + 1
            continue
        bare = line.strip(b" \t\r\x00")
        amidst = _EDGE <= number < len(lines) - _EDGE
        silent = amidst and relevant is not None and relevant(line, 0, _TYPE_WITHIN) is None
        if not silent and (bare[:1] + bare[-1:]) in (b"{}", b"[]"):
            yield from decode(line, SourceRef(ref.path, offset, len(line)), ref)
        offset += len(line) + 1


def end_lines(
    head: bytes,
    tail: bytes,
    tail_start: int,
    ref: SessionRef,
    decode: Decode,
    relevant: FindInLine | None = None,
) -> Iterator[Event]:
    """Events of the whole lines of the head of a log and of its tail, which begins anywhere."""
    yield from whole_lines(head, 0, ref, decode, relevant)
    yield from whole_lines(*lines_of_tail(head, tail, tail_start), ref, decode, relevant)


def _take(seen: _Seen, event: Event, ref: SessionRef) -> None:
    if event.stream.kind is not StreamKind.MAIN and event.stream != ref.stream:
        return
    if event.facts is not None:
        seen.facts = _later(seen.facts, event.facts)
    body = event.body
    _take_title(seen, event, ref)
    if isinstance(body, Message):
        _answer(seen, event, body.text)
    elif not isinstance(body, Hidden | TokenUsage | ToolProgress | ToolResult):
        seen.answering = None
    _follow(seen, event)


def _take_title(seen: _Seen, event: Event, ref: SessionRef) -> None:
    """Take a title, or what can be one where there is none."""
    match event.body:
        case User(text=text):
            seen.prompt = seen.prompt or text.strip() or None
        case Title(text=text, source=TitleSource.CUSTOM):
            seen.given = text
        case Title(text=text, target=str(target)):
            seen.summaries[target] = text
        case Title(text=text) as title:
            seen.made = seen.made if _is_outcome(title, ref) else text
        case SlashCommand(name=name, args=args) if name not in ("", "/clear"):
            seen.command = seen.command or f"{name} {args}".strip()
        case Attachment(kind="agent-message", text=text):
            seen.message = seen.message or text
        case _:
            pass
    seen.own = seen.summaries.get(event.record_id or "") or seen.own


def _follow(seen: _Seen, event: Event) -> None:
    """Take what an event says about who has to act next."""
    body, signal = event.body, signal_of(event) & ~Signal.OUTCOME_UNKNOWN
    seen.joins.count(event)
    _skip_gap(seen, event)
    late = _is_late(seen, event)
    if signal not in (Signal.NONE, Signal.OVER, *SAID):
        seen.plan = None
    if isinstance(body, ToolCall):
        _drop_passed_over(seen, event)
        seen.calls.add(body.call_id)
        _called(seen, event, body)
    elif isinstance(body, ToolResult | ToolProgress):
        _answered(seen, event, body)
    elif isinstance(body, Message | Reasoning):
        _drop_passed_over(seen, event)
    elif isinstance(body, User | Compaction) or signal == Signal.INTERRUPTED:
        seen.waiting.clear()
    if isinstance(body, User):
        seen.turn = event.time
    if not late:
        _take_signal(seen, event, signal)


def _is_late(seen: _Seen, event: Event) -> bool:
    """True if an event is of a call or a request that somebody stopped, or whose turn is over."""
    body = event.body
    if _failed(body):
        return seen.signal == Signal.INTERRUPTED
    if isinstance(body, ToolCall):
        ended = None if seen.over is None else seen.over.time
        began_before = ended is not None and event.time is not None and event.time < ended
        if body.call_id not in seen.calls and not began_before:
            return False
    elif not isinstance(body, ToolResult):
        return False
    return seen.signal == Signal.INTERRUPTED or seen.over is not None


def _take_signal(seen: _Seen, event: Event, signal: int) -> None:
    if signal == Signal.OVER:
        seen.over = event
        if seen.signal in (*FAILURES, Signal.INTERRUPTED):
            return
        if seen.plan is not None:
            signal, event = Signal.PROPOSED, seen.plan
    elif signal in FAILURES and seen.signal in FAILURES and seen.over is None:
        # The first one says why, unless a limit is why.
        if signal != Signal.LIMITED or seen.signal == Signal.LIMITED:
            return
    elif signal:
        seen.over = None
    if signal and (signal != Signal.COMMAND or not seen.signal):
        seen.signal, seen.last = signal, event


def _undecided(call: Event | None, result: int) -> Event | None:
    """The call of a plan that the person has to decide on, with a result that says no decision."""
    if call is None or not result & Signal.OUTCOME_UNKNOWN:
        return None
    return call if signal_of(call) == Signal.APPROVAL else None


def _failed(body: Body) -> bool:
    return isinstance(body, Notification) and body.failed


def _skip_gap(seen: _Seen, event: Event) -> None:
    """Forget calls whose results may be in a part of the log that was not read."""
    source = event.source
    if source.offset > seen.end + _BETWEEN:
        last = seen.last
        seen.waiting = {key: call for key, call in seen.waiting.items() if call is last}
    seen.end = source.offset + source.length


def _drop_passed_over(seen: _Seen, event: Event) -> None:
    """Forget calls of another response: the model went on without their results."""
    if event.response_id is not None:
        seen.waiting = {
            key: call
            for key, call in seen.waiting.items()
            if call.response_id in (None, event.response_id)
        }


def _called(seen: _Seen, event: Event, call: ToolCall) -> None:
    """Let a call wait for its result, unless it is known to have it."""
    if _says_again(seen, event):
        return
    joined = seen.joins.called(event, call.call_id)
    row = joined.row
    if joined.before in seen.answered:
        return
    if joined.before is not None:
        seen.waiting.pop(joined.before, None)
    seen.waiting[row] = event
    if isinstance(call.payload, ApprovalPayload) and call.payload.asked_for is not None:
        named = seen.joins.asked(event, call.payload.asked_for)
        seen.asked_for[row] = call.payload.asked_for if named is None else named


def _answered(seen: _Seen, event: Event, body: ToolResult | ToolProgress) -> None:
    """Forget a call that has its result, and the question whether it may be done."""
    if _says_again(seen, event):
        return
    row = seen.joins.answered(event, body)
    # One in front of all calls with its id is of a call that was not read.
    call = _UNREAD if row is None else row
    if isinstance(body, ToolProgress):
        seen.running.add(call)
        return
    seen.plan = _undecided(seen.waiting.get(call), signal_of(event))
    seen.answered.add(call)
    seen.waiting = {
        key: waits
        for key, waits in seen.waiting.items()
        if key != call and seen.asked_for.get(key) not in (call, body.call_id)
    }


def _says_again(seen: _Seen, event: Event) -> bool:
    """Return True if another record has said this of a call."""
    key = event.dedupe_key
    known = key in seen.said
    if key is not None:
        seen.said.add(key)
    return known


def _status(seen: _Seen, ref: SessionRef, habits: LogHabits, length: int | None) -> SessionStatus:
    status = _status_of_last(seen, ref, habits)
    # The last record may be longer than what was read of the end.
    unread = ((ref.size or 0) if length is None else length) - seen.end >= END_BYTES
    return replace(status, certain=False) if unread else status


def _status_of_last(seen: _Seen, ref: SessionRef, habits: LogHabits) -> SessionStatus:
    calls = list(seen.waiting.items())
    signals = [signal_of(call) & ~Signal.OUTCOME_UNKNOWN for _, call in calls]
    at = deciding_call(seen.signal, signals)
    signal, event, running = seen.signal, seen.last, False
    if at is not None:
        signal, (row, event) = signals[at], calls[at]
        running = row in seen.running
    return log_status(
        signal,
        event,
        habits=habits,
        waiting=at is not None,
        running=running,
        turn=seen.turn,
        subagent=ref.stream.kind is not StreamKind.MAIN,
    )


def _answer(seen: _Seen, event: Event, text: str) -> None:
    """Take the first words of the agent, which may come in pieces."""
    if not seen.answer:
        seen.answer, seen.answering = text.lstrip(), event.run or None
    elif seen.answering is not None and event.run == seen.answering:
        seen.answer = text if event.whole else (seen.answer + text)[:TITLE_CHARS]
    else:
        seen.answering = None


def _is_outcome(title: Title, ref: SessionRef) -> bool:
    """Return True if a summary is what an agent gave back, rather than what it was about."""
    return title.source is TitleSource.SUMMARY and ref.stream.kind is not StreamKind.MAIN


def _limits(before: UsageLimits | None, later: UsageLimits | None) -> UsageLimits | None:
    return merged(before or (), later)[-_LIMITS:] if later else before


def _later(before: Facts, facts: Facts) -> Facts:
    return Facts(
        # The session is resumed from where it began, wherever it went later.
        cwd=before.cwd or facts.cwd,
        branch=facts.branch or before.branch,
        model=facts.model or before.model,
        client_version=facts.client_version or before.client_version,
        limits=_limits(before.limits, facts.limits),
    )
