"""Events to what the assembler needs to know of them."""

from collections.abc import Iterable, Iterator, Sequence

from agentview.domain.activity import RowKind, row_kind
from agentview.domain.events import (
    Body,
    Event,
    Level,
    Notification,
    Reset,
    Title,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
    Unparsed,
    User,
    runs,
)
from agentview.domain.index_entry import (
    KIND_CODES,
    PROMPT_CHARS,
    CallFact,
    EventFact,
    EventLinks,
    Flag,
    Nesting,
    RecordFacts,
    Role,
)
from agentview.domain.session import MAIN_STREAM, Stream
from agentview.domain.session_times import row_code
from agentview.domain.tool_inputs import (
    ApprovalPayload,
    DeletePayload,
    EditPayload,
    NotebookEditPayload,
    Payload,
    ShellPayload,
    SubagentPayload,
    WritePayload,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.session_state import signal_of

_HIDDEN = KIND_CODES[RowKind.HIDDEN]


def light_events(
    events: Sequence[Event | EventFact], main: Stream = MAIN_STREAM
) -> Sequence[EventFact]:
    """The light events of one record in a log of which `main` is the stream."""
    light: list[EventFact] = []
    for sub, event in enumerate(events):
        if isinstance(event, EventFact):
            event.sub = sub
            light.append(event)
        else:
            light.append(light_event(event, sub, main))
    return light


def reduce_record(
    offset: int, length: int, events: Iterable[EventFact], *, calls: bool = True
) -> RecordFacts:
    """Reduce the light events of one record at `offset` to facts: none can be made any more.

    With `calls` all calls have their `call`, for which some bodies are made.
    """
    facts = tuple(events)
    for fact in facts:
        if calls and fact.role == Role.CALL and fact.call is None:
            fact.call = _call(fact.event().body)
        # What is left of it joins it with others, and holds nothing of the record.
        fact.origin = fact.make = None
        fact.suffix, fact.args = "", ()
    return RecordFacts(offset, length, facts)


def light_event(event: Event, sub: int = 0, main_stream: Stream = MAIN_STREAM) -> EventFact:
    """The light form of an event, which is number `sub` of its record."""
    body = event.body
    main = event.stream in (main_stream, MAIN_STREAM)
    flags = 0 if main else Flag.SIDE
    role, key = _role(event)
    replaces = None if role == Role.VERSION else event.replaces
    kind, code = row_kind(body), row_code(body)
    if code == _HIDDEN:
        flags |= Flag.BOOKKEEPING
    if main and isinstance(body, User):
        flags |= Flag.TURN
    if _is_problem(event):
        flags |= Flag.PROBLEM
    return EventFact(
        sub=sub,
        kind=code,
        flags=flags,
        role=role,
        key=key,
        dedupe=event.dedupe_key,
        replaces=replaces,
        replaces_all=event.resets is Reset.REPLACED,
        response=event.response_id,
        stream=None if main else event.stream,
        child=event.child,
        signal=signal_of(event),
        time=event.time,
        usage=body if isinstance(body, TokenUsage) else None,
        title=body if isinstance(body, Title) else None,
        facts=event.facts,
        prompt=_prompt(event),
        tie=_tie(event),
        record=event.record_id,
        parent=event.parent_id,
        tool=body.canonical_name
        if isinstance(body, ToolCall) and kind is ToolKind.UNKNOWN
        else None,
        call=_call(body),
        path=event.path,
        asked_for=body.payload.asked_for
        if isinstance(body, ToolCall) and isinstance(body.payload, ApprovalPayload)
        else None,
        process=_process(body),
        nesting=nesting_of(body),
        made_by=body.made_by if isinstance(body, ToolCall) else None,
        suffix=event.suffix,
        origin=event,
    )


def nesting_of(body: Body) -> int:
    """Nesting of a call; `Nesting.NONE` for any other event."""
    if not isinstance(body, ToolCall):
        return Nesting.NONE
    if body.is_container:
        return Nesting.CONTAINER
    return Nesting.NONE if body.via is None else Nesting.NESTED


def _process(body: Body) -> str | None:
    payload = body.payload if isinstance(body, ToolCall) else None
    return (runs(payload.process) or None) if isinstance(payload, ShellPayload) else None


def _call(body: Body) -> CallFact | None:
    if not isinstance(body, ToolCall):
        return None
    return CallFact(body.provider_name, tuple(filter(None, changed_paths(body.payload))))


def changed_paths(payload: Payload) -> Iterator[str]:
    if isinstance(payload, WritePayload | NotebookEditPayload):
        yield payload.path
    elif isinstance(payload, DeletePayload):
        yield from payload.paths
    elif isinstance(payload, EditPayload):
        for edit in payload.files:
            yield edit.path
            if edit.move_to:
                yield edit.move_to


def _tie(event: Event) -> EventLinks | None:
    if event.run is None and event.rewinds is None and not (event.whole or event.amends):
        return None
    return EventLinks(event.run, event.whole, event.amends, event.rewinds)


def _role(event: Event) -> tuple[int, str | None]:
    body = event.body
    if isinstance(body, ToolCall):
        return Role.CALL, body.call_id
    if isinstance(body, ToolResult):
        return Role.RESULT, body.call_id
    if isinstance(body, ToolProgress):
        return Role.PROGRESS, body.call_id
    if event.amends and event.replaces is not None:
        return Role.VERSION, event.replaces
    if isinstance(body, Notification) and body.call_id is not None:
        return Role.OUTCOME if body.topic is Topic.BACKGROUND else Role.NONE, body.call_id
    if isinstance(body, Notification) and body.topic is Topic.BACKGROUND and event.path:
        # It names what ended, and not the call that began it.
        return Role.OUTCOME, event.path
    return Role.NONE, None


def _is_problem(event: Event) -> bool:
    body = event.body
    if isinstance(body, ToolResult):
        return body.ok is False or body.denial is not None
    if isinstance(body, Notification):
        return body.level is Level.ERROR
    return isinstance(body, Unparsed)


def _prompt(event: Event) -> str | None:
    body = event.body
    if isinstance(body, User):
        return body.text[:PROMPT_CHARS]
    if isinstance(body, ToolCall) and isinstance(body.payload, SubagentPayload):
        return body.payload.prompt[:PROMPT_CHARS] if body.payload.prompt else None
    return None
