"""Events of one record that the client printed."""

from collections.abc import Callable, Sequence

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
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    real_of,
    seconds_of,
    text_of,
    whole_of,
)
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
from agentview.providers.claude.claude_stream.schema import Delta, Printed, StreamEvent
from agentview.providers.claude.claude_stream.system import notice, system_events
from agentview.providers.claude.claude_stream.to_transcript import PrintedRecord, printed_record
from agentview.providers.claude.shared.assistant_records import (
    is_call,
    tool_name,
    usage_of,
)
from agentview.providers.claude.shared.event_builder import (
    RECORD_START,
    ClaudeRecord,
    facts_of,
    is_record,
)
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

_COUNTS = (
    "inputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
    "outputTokens",
    "thinkingTokens",
)


def result_events(record: ClaudeRecord) -> list[Event]:
    """The end of a run, with the tokens and the cost of all that was done until now.

    A client that takes several prompts prints one for each; counts and cost continue in it.
    """
    fields = record.fields
    cost = real_of(fields.get("total_cost_usd"))
    facts = Facts(cost=cost) if cost is not None else None
    events = [record.event("end", _ending(record), facts=facts)]
    total = _total(fields)
    if total is not None:
        body = TokenUsage("", total, total=True)
        events.append(record.event("usage", body))
    return events


def _ending(record: ClaudeRecord) -> Notification:
    fields = record.fields
    subtype = text_of(fields.get("subtype")) or "(none)"
    failed = fields.get("is_error") is True or subtype.startswith("error")
    text = _ENDS.get(subtype) or f"The run ended: {subtype}"
    topic, level = Topic.TURN_END, Level.INFO
    if (text_of(fields.get("terminal_reason")) or "").startswith(_ABORTED):
        topic, level, text = Topic.INTERRUPT, Level.WARNING, "The run was interrupted"
    elif failed:
        level = Level.ERROR
        if subtype in ("success", "error_during_execution"):
            text = ": ".join(filter(None, (_ENDS["error_during_execution"], _cause(fields))))
    return Notification(
        topic, text, level, _detail(fields), duration=seconds_of(fields.get("duration_ms"))
    )


def _cause(fields: Fields) -> str | None:
    """The first line of the error that ended a run."""
    errors = (text_of(item) for item in items_of(fields.get("errors")))
    said = next(filter(None, errors), None) or text_of(fields.get("result"))
    return said.strip().partition("\n")[0][:_CAUSE_CHARS] or None if said is not None else None


def _detail(fields: Fields) -> str | None:
    """Details next to the text of the answer, which was a message of its own."""
    turns = whole_of(fields.get("num_turns"))
    cost = real_of(fields.get("total_cost_usd"))
    refused = [
        text_of(fields_of(item).get("tool_name")) or "a tool"
        for item in items_of(fields.get("permission_denials"))
    ]
    figures = [
        f"{turns} turn{'' if turns == 1 else 's'}" if turns is not None else None,
        f"${cost:.4f}" if cost is not None else None,
        f"refused: {', '.join(refused)}" if refused else None,
    ]
    lines = [" · ".join(part for part in figures if part)]
    lines += [said for item in items_of(fields.get("errors")) if (said := text_of(item))]
    # Nothing else has the text of a failed run, or of a command that no model answered.
    if fields.get("is_error") is True or fields.get("local_command") or turns == 0:
        lines.append(text_of(fields.get("result")) or "")
    return "\n".join(line for line in lines if line) or None


def _total(fields: Fields) -> Usage | None:
    """All tokens so far: of all models where they are reported, which are those that cost."""
    models = [fields_of(usage) for usage in fields_of(fields.get("modelUsage")).values()]
    if any("inputTokens" in usage for usage in models):
        return Usage(*(_sum(models, name) for name in _COUNTS))
    usage = fields_of(fields.get("usage"))
    return usage_of(usage) if usage else None


def _sum(models: list[Fields], name: str) -> int | None:
    known = [count for usage in models if (count := whole_of(usage.get(name))) is not None]
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
        return make(record, record.fields)
    return [record.hidden(BOOKKEEPING[name], name)] if name in BOOKKEEPING else None


def _tool_progress(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """How long a call has run; its output is not reported."""
    call_id = text_of(fields.get("tool_use_id"))
    elapsed = real_of(fields.get("elapsed_time_seconds"))
    if call_id is None:
        return [record.hidden("a call is at work", "tool_progress")]
    return [record.event("progress", ToolProgress(call_id, "", elapsed))]


def _tool_use_summary(record: ClaudeRecord, fields: Fields) -> list[Event]:
    return notice(record, Topic.SYSTEM, text_of(fields.get("summary")) or "A summary of calls")


def _auth_status(record: ClaudeRecord, fields: Fields) -> list[Event]:
    lines = [line for item in items_of(fields.get("output")) if (line := text_of(item))]
    error = text_of(fields.get("error"))
    if error is not None:
        text = f"Sign-in failed: {error}"
        return notice(record, Topic.SYSTEM, text, Level.ERROR, "\n".join(lines))
    if fields.get("isAuthenticating") is not True:
        return [record.hidden("the sign-in is done", "auth_status")]
    return notice(record, Topic.SYSTEM, "Signing in", detail="\n".join(lines))


def _conversation_reset(record: ClaudeRecord, fields: Fields) -> list[Event]:
    trigger = text_of(fields.get("trigger")) or ""
    return notice(record, Topic.SYSTEM, _RESETS.get(trigger, "A new conversation began"))


def _command_lifecycle(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """Fate of a prompt that the host sent (2.1.2xx); nothing for one that was taken up."""
    state = text_of(fields.get("state"))
    if state not in _LOST:
        return [record.hidden("a prompt waits, or is answered", "command_lifecycle")]
    return notice(record, Topic.SYSTEM, f"A prompt was {state}", Level.WARNING)


def _notice_error(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """An error of the vendor's API, as it came."""
    error = fields_of(fields.get("error"))
    text = text_of(error.get("message")) or text_of(fields.get("error")) or "The request failed"
    return notice(record, Topic.API_ERROR, text, Level.ERROR, text_of(error.get("type")))


MAKERS: dict[str, Callable[[ClaudeRecord, Fields], list[Event]]] = {
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
    event = record.printed.event
    kind = (event.type if event is not None else None) or "(none)"
    record.response_id = record.printed.api_message_id or None
    make = _DELTA_MAKERS.get(kind)
    if make is None:
        return [record.unknown(f"stream_event/{kind}")]
    return make(record)


def _bookkeeping(record: ClaudeRecord, reason: str, kind: str, run: str | None = None) -> EventFact:
    """Nothing that is shown; with an empty `run` it ends the text before it."""
    light = hidden(record, reason, f"stream_event/{kind}")
    return light if run is None else in_run(light, EventLinks(run))


def _event_fields(record: ClaudeRecord) -> Fields:
    return fields_of(record.fields.get("event"))


def _message_start(record: ClaudeRecord) -> Sequence[LightEvent]:
    """A response begins. The deltas repeat what its message holds already (2.0.76)."""
    model = text_of(fields_of(_event_fields(record).get("message")).get("model"))
    record.facts = facts_of(record.record, model)
    return [_bookkeeping(record, "a response begins", "message_start", "")]


def _block_start(record: ClaudeRecord) -> Sequence[LightEvent]:
    event = _event_fields(record)
    block = fields_of(event.get("content_block"))
    if not is_call(block):
        kind = text_of(block.get("type")) or "(none)"
        reason = "a part of a response begins"
        return [_bookkeeping(record, reason, f"content_block_start/{kind}", "")]
    name = tool_name(block)
    draft = tool_call(
        call_id=call_id_of(block.get("id"), f"{record.name}:draft"),
        name=name,
        arguments=None,
        spec=SPECS.get(name),
        state=ToolState.INPUT_STREAMING,
    )
    child = agent_of(draft)
    return [
        record.event(
            "draft",
            draft,
            run=_input_run(event.get("index")),
            amends=True,
            child=child,
            path="draft",
        )
    ]


_IN_TEXT, _IN_THOUGHT = EventLinks(TEXT), EventLinks(THOUGHT)


def _block_delta(record: PrintedRecord) -> Sequence[LightEvent]:
    return [_piece(record, record.printed.event or StreamEvent())]


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


def _block_stop(record: ClaudeRecord) -> Sequence[LightEvent]:
    return [_bookkeeping(record, "a part of a response ends", "content_block_stop")]


def _message_delta(record: ClaudeRecord) -> Sequence[LightEvent]:
    """The response ends; its counts are whole now, and named by its id since 2.1.3xx."""
    ended = _bookkeeping(record, "a response ends", "message_delta")
    usage = fields_of(_event_fields(record).get("usage"))
    response = record.response_id
    if response is None or "input_tokens" not in usage:
        return [ended]
    body = TokenUsage(response, usage_of(usage))
    return [ended, record.event("usage", body, replaces=f"usage:{response}")]


def _message_stop(record: ClaudeRecord) -> Sequence[LightEvent]:
    return [_bookkeeping(record, "a response has ended", "message_stop", "")]


def _ping(record: ClaudeRecord) -> Sequence[LightEvent]:
    return [_bookkeeping(record, "the connection is alive", "ping")]


def _error(record: ClaudeRecord) -> Sequence[LightEvent]:
    error = fields_of(_event_fields(record).get("error"))
    said = text_of(error.get("message")) or text_of(error.get("type")) or "The request failed"
    return [record.event("error", Notification(Topic.API_ERROR, said, Level.ERROR))]


_DELTA_MAKERS: dict[str, Callable[[PrintedRecord], Sequence[LightEvent]]] = {
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
    """Events of one record: pure, never raises, never gives an empty list.

    Two records on one line are both decoded; what cannot be read becomes `Unparsed`.
    """
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
