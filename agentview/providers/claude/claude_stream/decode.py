"""Events of one record that the client printed."""

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import astuple

from agentview.domain.events import (
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolInput,
    ToolProgress,
    Topic,
)
from agentview.domain.index_entry import EventFact, EventLinks, Flag, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolState
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import real_of, seconds_of, text_of, whole_of
from agentview.normalize.session_state import SAID
from agentview.providers._kit.typed_records import (
    HIDDEN,
    MESSAGE,
    REASONING,
    LightEvent,
    TypedLines,
    hidden,
    in_run,
)
from agentview.providers.claude.claude_stream.messages import (
    TEXT,
    THOUGHT,
    agent_of,
    prompt_or_result_events,
    response_events,
)
from agentview.providers.claude.claude_stream.permissions import (
    request_events,
    response_to_request,
    withdrawn_events,
)
from agentview.providers.claude.claude_stream.rate_limits import rate_limit_events
from agentview.providers.claude.claude_stream.schema import (
    Delta,
    Failure,
    Printed,
    Report,
    StreamEvent,
)
from agentview.providers.claude.claude_stream.system import notice, system_events
from agentview.providers.claude.claude_stream.to_transcript import PrintedRecord, printed_record
from agentview.providers.claude.shared.assistant_records import (
    CALLS,
    tokens_of,
    tool_name,
)
from agentview.providers.claude.shared.event_builder import (
    RECORD_START,
    ClaudeRecord,
    facts_of,
    is_record,
)
from agentview.providers.claude.shared.schema import Block
from agentview.providers.claude.shared.tools import SPECS

# Events of `result` records: how a run ended, what it cost, what was refused.

_ENDS = {
    "success": "The run ended",
    "error_during_execution": "The run failed",
    "error_max_turns": "The run stopped: it reached its limit of turns",
    "error_max_budget_usd": "The run stopped: its budget is used up",
    "error_max_structured_output_retries": "The run failed: no valid structured output came",
}
_ABORTED = "aborted_"
"""Begin of `terminal_reason` where somebody stopped the run."""

_CAUSE_CHARS = 200


def result_events(record: ClaudeRecord) -> list[Event]:
    """The end of a run, with the tokens and the cost of all that was done until now.

    A client that takes several prompts prints one for each; counts and cost continue in it.
    """
    own = record.read_as(Report)
    cost = real_of(own.total_cost_usd)
    facts = Facts(cost=cost) if cost is not None else None
    events = [record.event("end", _ending(record.record.subtype or "(none)", own), facts=facts)]
    total = _total(own)
    if total is not None:
        events.append(record.event("usage", TokenUsage("", total, total=True)))
    return events


def _ending(subtype: str, own: Report) -> Notification:
    text = _ENDS.get(subtype) or f"The run ended: {subtype}"
    topic, level = Topic.TURN_END, Level.INFO
    if (own.terminal_reason or "").startswith(_ABORTED):
        topic, level, text = Topic.INTERRUPT, Level.WARNING, "The run was interrupted"
    elif own.is_error or subtype.startswith("error"):
        level = Level.ERROR
        if subtype in ("success", "error_during_execution"):
            text = ": ".join(filter(None, (_ENDS["error_during_execution"], _cause(own))))
    return Notification(topic, text, level, _detail(own), duration=seconds_of(own.duration_ms))


def _cause(own: Report) -> str | None:
    """The first line of the error that ended a run."""
    said = next(filter(None, own.errors or ()), None) or own.result
    return said.strip().partition("\n")[0][:_CAUSE_CHARS] or None if said else None


def _detail(own: Report) -> str | None:
    """Details next to the text of the answer, which was a message of its own."""
    turns, cost = whole_of(own.num_turns), real_of(own.total_cost_usd)
    refused = [(each and each.tool_name) or "a tool" for each in own.permission_denials or ()]
    figures = [
        f"{turns} turn{'' if turns == 1 else 's'}" if turns is not None else None,
        f"${cost:.4f}" if cost is not None else None,
        f"refused: {', '.join(refused)}" if refused else None,
    ]
    lines = [" · ".join(filter(None, figures)), *(own.errors or ())]
    # Nothing else has the text of a failed run, or of a command that no model answered.
    if own.is_error or own.local_command or turns == 0:
        lines.append(own.result)
    return "\n".join(filter(None, lines)) or None


def _total(own: Report) -> Usage | None:
    """All tokens so far: of all models where they are reported, which are those that cost."""
    models = [each for each in (own.by_model or {}).values() if each is not None]
    if any(each.input_tokens is not None for each in models):
        counts = (map(whole_of, each) for each in zip(*map(astuple, models), strict=True))
        return Usage(*map(_sum, counts))
    return None if own.usage is None else tokens_of(own.usage)


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


# Events of the small records next to the conversation: progress, limits, sign-in, requests.

BOOKKEEPING = {
    "active_goal": "the goal of the session",
    "keep_alive": "the connection is alive",
    "prompt_suggestion": "what the client suggests to ask next",
}
"""Types of records that are not shown, with the reason."""

_LOST = frozenset({"cancelled", "discarded", "refused"})
"""Ends of a prompt that was sent and that no model answered."""
_RESETS = {
    "clear": "The conversation was cleared",
    "plan_mode_exit": "The conversation was restarted to follow the plan",
}


def report_events(record: ClaudeRecord, name: str) -> list[Event] | None:
    """Events of a record of this type; None for a type that nothing knows."""
    make = MAKERS.get(name)
    if make is not None:
        return make(record, record.read_as(Report))
    return [record.hidden(BOOKKEEPING[name], name)] if name in BOOKKEEPING else None


def _tool_progress(record: ClaudeRecord, own: Report) -> list[Event]:
    """How long a call has run; its output is not reported."""
    if not own.tool_use_id:
        return [record.hidden("a call is at work", "tool_progress")]
    elapsed = real_of(own.elapsed_time_seconds)
    return [record.event("progress", ToolProgress(own.tool_use_id, "", elapsed))]


def _tool_use_summary(record: ClaudeRecord, own: Report) -> list[Event]:
    return notice(record, Topic.SYSTEM, own.summary or "A summary of calls")


def _auth_status(record: ClaudeRecord, own: Report) -> list[Event]:
    said = "\n".join(filter(None, own.output)) if isinstance(own.output, list) else ""
    error = text_of(own.error)
    if error is not None:
        return notice(record, Topic.SYSTEM, f"Sign-in failed: {error}", Level.ERROR, said)
    if not own.is_authenticating:
        return [record.hidden("the sign-in is done", "auth_status")]
    return notice(record, Topic.SYSTEM, "Signing in", detail=said)


def _conversation_reset(record: ClaudeRecord, own: Report) -> list[Event]:
    text = _RESETS.get(own.trigger or "", "A new conversation began")
    return notice(record, Topic.SYSTEM, text)


def _command_lifecycle(record: ClaudeRecord, own: Report) -> list[Event]:
    """Fate of a prompt that the host sent (2.1.2xx); nothing for one that was taken up."""
    if own.state not in _LOST:
        return [record.hidden("a prompt waits, or is answered", "command_lifecycle")]
    return notice(record, Topic.SYSTEM, f"A prompt was {own.state}", Level.WARNING)


def _notice_error(record: ClaudeRecord, own: Report) -> list[Event]:
    """An error of the vendor's API, as it came."""
    error = own.error if isinstance(own.error, Failure) else Failure(message=own.error)
    text = error.message or "The request failed"
    return notice(record, Topic.API_ERROR, text, Level.ERROR, error.type)


MAKERS: dict[str, Callable[[ClaudeRecord, Report], list[Event]]] = {
    "auth_status": _auth_status,
    "command_lifecycle": _command_lifecycle,
    "control_cancel_request": withdrawn_events,
    "control_request": request_events,
    "control_response": response_to_request,
    "conversation_reset": _conversation_reset,
    "error": _notice_error,
    "rate_limit_event": rate_limit_events,
    "tool_progress": _tool_progress,
    "tool_use_summary": _tool_use_summary,
}
"""Types of records that are shown, with what makes their events."""


# Events of `stream_event` records: pieces of a response while the model writes it.
#
# The whole `assistant` record of a block comes before the event that ends the block, and takes the
# place of its pieces. A stream that breaks off keeps what came.


def partial_events(record: PrintedRecord) -> Sequence[LightEvent]:
    """Events of a `stream_event` record: the vendor's own event is in its `event`."""
    event = record.printed.event or StreamEvent()
    kind = event.type or "(none)"
    record.response_id = record.printed.api_message_id or None
    make = _DELTA_MAKERS.get(kind)
    if make is None:
        return [record.unknown(f"stream_event/{kind}")]
    return make(record, event)


def _bookkeeping(record: ClaudeRecord, reason: str, kind: str, run: str | None = None) -> EventFact:
    """Nothing that is shown; with an empty `run` it ends the text before it."""
    light = hidden(record, reason, f"stream_event/{kind}")
    return light if run is None else in_run(light, EventLinks(run))


def _message_start(record: PrintedRecord, event: StreamEvent) -> Sequence[LightEvent]:
    """A response begins. The deltas repeat what its message holds already (2.0.76)."""
    model = event.message.model or None if event.message is not None else None
    record.facts = facts_of(record.record, model)
    return [_bookkeeping(record, "a response begins", "message_start", "")]


def _block_start(record: PrintedRecord, event: StreamEvent) -> Sequence[LightEvent]:
    block = event.content_block or Block()
    if block.type not in CALLS:
        reason, kind = "a part of a response begins", block.type or "(none)"
        return [_bookkeeping(record, reason, f"content_block_start/{kind}", "")]
    name = tool_name(block)
    draft = tool_call(
        call_id=f"{record.name}:draft" if block.id is None else block.id,
        name=name,
        arguments=None,
        spec=SPECS.get(name),
        state=ToolState.INPUT_STREAMING,
    )
    child, run = agent_of(draft), _input_run(event.index)
    return [record.event("draft", draft, run=run, amends=True, child=child, path="draft")]


_IN_TEXT, _IN_THOUGHT = EventLinks(TEXT), EventLinks(THOUGHT)


def _block_delta(record: PrintedRecord, event: StreamEvent) -> Sequence[LightEvent]:
    return [_piece(record, event)]


def _piece(record: ClaudeRecord, event: StreamEvent) -> EventFact:
    delta = event.delta or Delta()
    kind = delta.type or "(none)"
    if kind == "text_delta":
        said = (delta.text or "",)
        light = record.part("piece", MESSAGE, 0, Message, said, signal=SAID[None])
        return in_run(light, _IN_TEXT)
    if kind == "thinking_delta":
        said = (delta.thinking or "",)
        light = record.part("piece", REASONING, 0, Reasoning, said, signal=Signal.AGENT)
        return in_run(light, _IN_THOUGHT)
    if kind == "input_json_delta":
        said = (delta.partial_json or "",)
        light = record.part("piece", HIDDEN, Flag.BOOKKEEPING, ToolInput, said)
        return in_run(light, EventLinks(_input_run(event.index)))
    reason = "what no reader sees of a response"
    return _bookkeeping(record, reason, f"content_block_delta/{kind}")


def _input_run(index: object) -> str:
    """The arguments of the call at this place of its response."""
    return f"input:{index}"


def _block_stop(record: PrintedRecord, _event: StreamEvent) -> Sequence[LightEvent]:
    return [_bookkeeping(record, "a part of a response ends", "content_block_stop")]


def _message_delta(record: PrintedRecord, event: StreamEvent) -> Sequence[LightEvent]:
    """The response ends; its counts are whole now, and named by its id since 2.1.3xx."""
    ended = _bookkeeping(record, "a response ends", "message_delta")
    usage, response = event.usage, record.response_id
    if response is None or usage is None or usage.input_tokens is None:
        return [ended]
    body = TokenUsage(response, tokens_of(usage))
    return [ended, record.event("usage", body, replaces=f"usage:{response}")]


def _message_stop(record: PrintedRecord, _event: StreamEvent) -> Sequence[LightEvent]:
    return [_bookkeeping(record, "a response has ended", "message_stop", "")]


def _ping(record: PrintedRecord, _event: StreamEvent) -> Sequence[LightEvent]:
    return [_bookkeeping(record, "the connection is alive", "ping")]


def _error(record: PrintedRecord, event: StreamEvent) -> Sequence[LightEvent]:
    error = event.error or Failure()
    said = error.message or error.type or "The request failed"
    return [record.event("error", Notification(Topic.API_ERROR, said, Level.ERROR))]


_DELTA_MAKERS: dict[str, Callable[[PrintedRecord, StreamEvent], Sequence[LightEvent]]] = {
    "message_start": _message_start,
    "content_block_start": _block_start,
    "content_block_delta": _block_delta,
    "content_block_stop": _block_stop,
    "message_delta": _message_delta,
    "message_stop": _message_stop,
    "ping": _ping,
    "error": _error,
}


_MAKERS: dict[str, Callable[[PrintedRecord], Sequence[LightEvent]]] = {
    "assistant": response_events,
    "user": prompt_or_result_events,
    "stream_event": partial_events,
    "system": system_events,
    "result": result_events,
}


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _record_events(record: PrintedRecord) -> Sequence[LightEvent]:
    name = record.record.type
    if not name:
        return [record.unknown("(none)")]
    make = _MAKERS.get(name)
    if make is not None:
        return make(record)
    found = report_events(record, name)
    return found if found is not None else [record.unknown(name)]


LINES = TypedLines(Printed, printed_record, _record_events, RECORD_START, is_record)
