"""Subject and state of a session, from its events alone."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Message,
    SlashCommand,
    Title,
    TitleSource,
    User,
)
from agentview.domain.index_entry import (
    FAILURES,
    KIND_CODES,
    SAID,
    EventFact,
    LightEvent,
    Role,
    Signal,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionStatus
from agentview.domain.session_times import SessionTimes
from agentview.domain.usage_limit import UsageLimits, merged
from agentview.normalize.calls_in_order import CallsOfFacts
from agentview.normalize.json_values import Fields
from agentview.normalize.light_events import light_event
from agentview.normalize.project_path import project_path
from agentview.normalize.session_state import (
    NO_HABITS,
    LogHabits,
    agent_name,
    deciding_call,
    is_request,
    log_status,
)
from agentview.sources.files import END_BYTES, lines_of_tail

TITLE_CHARS = 200
_BETWEEN = 64
"""Bytes that may be between two records of which nothing was left out."""

_EDGE = 24
"""Lines at each end of a log that show the first messages and the current work."""
_MOST = 1_000
"""Lines at each end of a block that are decoded at all."""
_LIMITS = 16
"""Limits of the account that are kept of a log."""
_TAG = re.compile(r"</?[\w-]{1,40}>")
"""Tags of an agent around an answer that a client asked for in this form."""
_BOM = b"\xef\xbb\xbf"
"""May be in front of the first line of a log."""
_WHOLE = (b"{}", b"[]")
"""Ends of a line that may be a whole record."""
_TYPE_WITHIN = 400
"""Bytes of a line that say what sort of record it is."""

Each = TypeVar("Each", Event, LightEvent)
Decode = Callable[[bytes, SourceRef, SessionRef], Sequence[Each]]
"""Returns the events of a record, or the light ones."""
FindInLine = Callable[[bytes, int, int], object]
"""As `search` of a pattern: finds something in a line, from one byte to another, or None."""


_USER, _MESSAGE, _COMMAND, _ATTACHMENT, _HIDDEN, _COMPACTION, _REASONING = (
    KIND_CODES[kind]
    for kind in (
        RowKind.USER, RowKind.MESSAGE, RowKind.COMMAND, RowKind.ATTACHMENT, RowKind.HIDDEN,
        RowKind.COMPACTION, RowKind.REASONING,
    )
)  # fmt: skip

_UNREAD = -1
"""Stands for the row of a call that was not read."""


@dataclass(slots=True)
class _Seen:
    habits: LogHabits
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
    """The first message of another agent."""
    command: str | None = None
    """The first command that the person gave to the client."""
    answer: str = ""
    answering: str | None = None
    """The run of which the answer is, as long as more of it may come."""
    signal: int = Signal.NONE
    last: EventFact | None = None
    """The event that the signal is of."""
    over: EventFact | None = None
    """The event that ended the turn."""
    plan: EventFact | None = None
    """The call of a plan on which nothing is known to be decided, where only words followed it."""
    turn: float | None = None
    """Time of the newest prompt."""
    calls: set[str] = field(default_factory=set[str])
    """Ids of the calls so far."""
    joins: CallsOfFacts = field(default_factory=CallsOfFacts)
    said: set[str] = field(default_factory=set[str])
    """Keys of the records of calls and results that other records may say again."""
    waiting: dict[int, EventFact] = field(default_factory=dict[int, EventFact])
    """Calls without a result, by row, since the last part of the log that was not read."""
    answered: set[int] = field(default_factory=set[int])
    asked_for: dict[int, int | str] = field(default_factory=dict[int, int | str])
    """The call that a request for permission names, by the row of the request: its row, or its id
    where the call comes later."""
    running: set[int] = field(default_factory=set[int])
    """Calls that have reported progress."""
    agents: dict[Stream, str] = field(default_factory=dict[Stream, str])
    """The id of the call that started an agent whose records are in this log too."""
    requests: dict[str, tuple[Stream, EventFact]] = field(
        default_factory=dict[str, tuple[Stream, EventFact]]
    )
    """Requests and questions of such agents without an answer, the oldest first."""
    end: int = 0
    """Where the last record ends."""


def decoded(fields: Fields, ref: SessionRef, decode: Decode[Each]) -> Sequence[Each]:
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
    events: Iterable[LightEvent],
    *,
    name: str | None = None,
    project: str | None = None,
    habits: LogHabits = NO_HABITS,
    only_timed: Callable[[EventFact], bool] = lambda _: False,
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
    seen, times = _Seen(habits), list[tuple[int, float | None]]()
    for fact in light_forms(events, ref):
        times.append((fact.kind, fact.time))
        if not only_timed(fact):
            _take(seen, fact, ref)
    seen.times.take(times)
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
        status=_status(seen, ref, length),
        limits=seen.facts.limits or (),
    )


def light_forms(events: Iterable[LightEvent], ref: SessionRef) -> Iterator[EventFact]:
    """The events of a session in their light form, each with its place in its record."""
    offset, sub = -1, 0
    for event in events:
        begins = event.source.offset
        offset, sub = begins, sub + 1 if begins == offset else 0
        fact = event if isinstance(event, EventFact) else light_event(event, sub, ref.stream)
        fact.sub = sub
        yield fact


def whole_lines(
    block: bytes,
    start: int,
    ref: SessionRef,
    decode: Decode[Each],
    relevant: FindInLine | None = None,
    edges: tuple[int, int] = (_EDGE, _EDGE),
) -> Iterator[Each]:
    """Events of the lines of a block that hold a whole JSON object or list each.

    The block begins `start` bytes into the log; its first and its last line may be cut. With
    `relevant`, lines other than the first and last ones, as many as `edges` says, are left out
    unless it finds in their beginnings that they describe the session.
    """
    whole = block.removeprefix(_BOM) if start == 0 else block
    offset = start + len(block) - len(whole)
    lines = whole.split(b"\n")
    for number, line in enumerate(lines):
        amidst = edges[0] <= number < len(lines) - edges[1]
        silent = amidst and relevant is not None and relevant(line, 0, _TYPE_WITHIN) is None
        far = _MOST <= number < len(lines) - _MOST
        if not (silent or far) and _may_be_whole(line):
            yield from decode(line, SourceRef(ref.path, offset, len(line)), ref)
        offset += len(line) + 1


def _may_be_whole(line: bytes) -> bool:
    """Return True if a line begins and ends as an object or a list does."""
    if line[:1] + line[-1:] in _WHOLE:
        return True
    bare = line.strip(b" \t\r\x00")
    return bare[:1] + bare[-1:] in _WHOLE


def end_lines(
    head: bytes,
    tail: bytes,
    tail_start: int,
    ref: SessionRef,
    decode: Decode[Each],
    relevant: FindInLine | None = None,
) -> Iterator[Each]:
    """Events of the whole lines of the head of a log and of its tail, which begins anywhere."""
    # The end of a head and the beginning of a tail are nothing special if more is between them.
    inner = 0 if tail and tail_start > len(head) else _EDGE
    yield from whole_lines(head, 0, ref, decode, relevant, (_EDGE, inner))
    rest, start = lines_of_tail(head, tail, tail_start)
    yield from whole_lines(rest, start, ref, decode, relevant, (inner, _EDGE))


def _take(seen: _Seen, fact: EventFact, ref: SessionRef) -> None:
    stream = fact.stream
    if stream is not None and stream.kind is not StreamKind.MAIN and stream != ref.stream:
        _take_request(seen, fact, stream)
        return
    if fact.child is not None and fact.key is not None:
        seen.agents[fact.child] = fact.key
    if fact.facts is not None:
        seen.facts = _later(seen.facts, fact.facts)
    _take_title(seen, fact, ref)
    if fact.kind == _MESSAGE:
        _answer(seen, fact)
    elif not (
        fact.kind == _HIDDEN or fact.usage is not None or fact.role in (Role.PROGRESS, Role.RESULT)
    ):
        seen.answering = None
    _follow(seen, fact)


def _take_request(seen: _Seen, fact: EventFact, agent: Stream) -> None:
    if fact.role == Role.CALL and fact.key is not None and is_request(fact.signal):
        seen.requests[fact.key] = agent, fact
    elif fact.role == Role.RESULT:
        seen.requests = {
            key: (stream, asked)
            for key, (stream, asked) in seen.requests.items()
            if fact.key not in (key, asked.asked_for)
        }


def _take_title(seen: _Seen, fact: EventFact, ref: SessionRef) -> None:
    """Take a title, or what can be one where there is none."""
    if fact.title is not None:
        _name(seen, fact.title, ref)
    elif (
        (fact.kind == _USER and seen.prompt is None)
        or (fact.kind == _COMMAND and seen.command is None)
        or (fact.kind == _ATTACHMENT and fact.signal and not seen.message)
    ):
        _take_words(seen, fact)
    seen.own = seen.summaries.get(fact.record or "") or seen.own


def _name(seen: _Seen, title: Title, ref: SessionRef) -> None:
    if title.source is TitleSource.CUSTOM:
        seen.given = title.text
    elif title.target is not None:
        seen.summaries[title.target] = title.text
    elif not _is_outcome(title, ref):
        seen.made = title.text


def _take_words(seen: _Seen, fact: EventFact) -> None:
    match fact.event().body:
        case User(text=text):
            seen.prompt = text.strip() or None
        case SlashCommand(name=name, args=args) if name not in ("", "/clear"):
            seen.command = f"{name} {args}".strip()
        case Attachment(kind="agent-message", text=text):
            seen.message = text
        case _:
            pass


def _follow(seen: _Seen, fact: EventFact) -> None:
    """Take what an event says about who has to act next."""
    role, signal = fact.role, fact.signal & ~Signal.OUTCOME_UNKNOWN
    seen.joins.count(fact)
    _skip_gap(seen, fact)
    of_call = fact.key is not None and role in (Role.CALL, Role.RESULT, Role.PROGRESS)
    if of_call and _says_again(seen, fact):
        return
    late = _is_late(seen, fact, signal)
    if signal not in (Signal.NONE, Signal.OVER, *SAID):
        seen.plan = None
    if role == Role.CALL and fact.key is not None:
        _drop_passed_over(seen, fact)
        seen.calls.add(fact.key)
        _called(seen, fact, fact.key)
    elif role in (Role.RESULT, Role.PROGRESS) and fact.key is not None:
        _answered(seen, fact, fact.key)
    elif fact.kind in (_MESSAGE, _REASONING):
        _drop_passed_over(seen, fact)
    elif _ends_calls(seen, fact, signal):
        seen.waiting.clear()
    if fact.kind == _USER:
        seen.turn = fact.time
    if not late:
        _take_signal(seen, fact, signal)


def _ends_calls(seen: _Seen, fact: EventFact, signal: int) -> bool:
    """True if no call before the event waits for anything any more."""
    if fact.kind == _USER:
        return not seen.habits.prompts_wait
    return fact.kind == _COMPACTION or signal == Signal.INTERRUPTED


def _is_late(seen: _Seen, fact: EventFact, signal: int) -> bool:
    """True if an event is of a call or a request that somebody stopped, or whose turn is over."""
    if signal in FAILURES:
        return seen.signal == Signal.INTERRUPTED
    if fact.role == Role.CALL:
        ended = None if seen.over is None else seen.over.time
        began_before = ended is not None and fact.time is not None and fact.time < ended
        if fact.key not in seen.calls and not began_before:
            return False
    elif fact.role != Role.RESULT:
        return False
    return seen.signal == Signal.INTERRUPTED or seen.over is not None


def _take_signal(seen: _Seen, fact: EventFact, signal: int) -> None:
    if signal == Signal.OVER:
        seen.over = fact
        if seen.signal in (*FAILURES, Signal.INTERRUPTED):
            return
        if seen.plan is not None:
            signal, fact = Signal.PROPOSED, seen.plan
    elif signal in FAILURES and seen.signal in FAILURES and seen.over is None:
        # The first one says why, unless a limit is why.
        if signal != Signal.LIMITED or seen.signal == Signal.LIMITED:
            return
    elif signal:
        seen.over = None
    if signal and (signal != Signal.COMMAND or not seen.signal):
        seen.signal, seen.last = signal, fact


def _undecided(call: EventFact | None, result: int) -> EventFact | None:
    """The call of a plan that the person has to decide on, with a result that says no decision."""
    if call is None or not result & Signal.OUTCOME_UNKNOWN:
        return None
    return call if call.signal == Signal.APPROVAL else None


def _skip_gap(seen: _Seen, fact: EventFact) -> None:
    """Forget calls whose results may be in a part of the log that was not read."""
    source = fact.source
    if source.offset > seen.end + _BETWEEN:
        last = seen.last
        seen.waiting = {key: call for key, call in seen.waiting.items() if call is last}
    seen.end = source.offset + source.length


def _drop_passed_over(seen: _Seen, fact: EventFact) -> None:
    """Forget calls of another response: the model went on without their results."""
    if fact.response is not None and seen.waiting:
        seen.waiting = {
            key: call
            for key, call in seen.waiting.items()
            if call.response in (None, fact.response)
        }


def _called(seen: _Seen, fact: EventFact, call_id: str) -> None:
    """Let a call wait for its result, unless it is known to have it."""
    joined = seen.joins.called(fact, call_id)
    row = joined.row
    if joined.before in seen.answered:
        return
    if joined.before is not None:
        seen.waiting.pop(joined.before, None)
    seen.waiting[row] = fact
    if fact.asked_for is not None:
        named = seen.joins.asked(fact, fact.asked_for)
        seen.asked_for[row] = fact.asked_for if named is None else named


def _answered(seen: _Seen, fact: EventFact, call_id: str) -> None:
    """Forget a call that has its result, and the question whether it may be done."""
    row = seen.joins.answered(fact, call_id)
    # One in front of all calls with its id is of a call that was not read.
    call = _UNREAD if row is None else row
    if fact.role == Role.PROGRESS:
        seen.running.add(call)
        return
    seen.plan = _undecided(seen.waiting.get(call), fact.signal)
    seen.answered.add(call)
    seen.waiting = {
        key: waits
        for key, waits in seen.waiting.items()
        if key != call and seen.asked_for.get(key) not in (call, call_id)
    }


def _says_again(seen: _Seen, fact: EventFact) -> bool:
    """Return True if another record has said this of a call."""
    key = fact.dedupe
    known = key in seen.said
    if key is not None:
        seen.said.add(key)
    return known


def _status(seen: _Seen, ref: SessionRef, length: int | None) -> SessionStatus:
    status = _status_of_last(seen, ref)
    # The last record may be longer than what was read of the end.
    unread = ((ref.size or 0) if length is None else length) - seen.end >= END_BYTES
    return replace(status, certain=False) if unread else status


def _status_of_last(seen: _Seen, ref: SessionRef) -> SessionStatus:
    calls = list(seen.waiting.items())
    signals = [call.signal & ~Signal.OUTCOME_UNKNOWN for _, call in calls]
    at = deciding_call(seen.signal, signals)
    signal, decides, running, agent = seen.signal, seen.last, False, None
    own = at is not None and is_request(signals[at])
    if seen.signal == Signal.AGENT and seen.requests and not own:
        stream, decides = next(iter(seen.requests.values()))
        signal, agent = decides.signal & ~Signal.OUTCOME_UNKNOWN, _agent_name(seen, stream)
    elif at is not None:
        signal, (row, decides) = signals[at], calls[at]
        running = row in seen.running
    status = log_status(
        signal,
        None if decides is None else decides.event(),
        habits=seen.habits,
        waiting=at is not None or agent is not None,
        running=running,
        turn=seen.turn,
        subagent=ref.stream.kind is not StreamKind.MAIN,
        mode=seen.facts.mode,
    )
    requests = sum(map(is_request, signals)) + len(seen.requests)
    return replace(status, agent=agent, requests=requests) if requests else status


def _agent_name(seen: _Seen, agent: Stream) -> str:
    """The name of an agent by the call that waits for it."""
    key = seen.agents.get(agent)
    calls = (call for call in seen.waiting.values() if key is not None and call.key == key)
    call = next(calls, None)
    return agent_name(None if call is None else call.event().body, agent.id)


def _answer(seen: _Seen, fact: EventFact) -> None:
    """Take the first words of the agent, which may come in pieces."""
    tie = fact.tie
    run = None if tie is None else tie.run
    if seen.answer and (seen.answering is None or run != seen.answering):
        seen.answering = None
        return
    body = fact.event().body
    text = body.text if isinstance(body, Message) else ""
    if not seen.answer:
        seen.answer, seen.answering = text.lstrip(), run or None
    else:
        whole = tie is not None and tie.whole
        seen.answer = text if whole else (seen.answer + text)[:TITLE_CHARS]


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
        mode=facts.mode or before.mode,
        limits=_limits(before.limits, facts.limits),
    )
