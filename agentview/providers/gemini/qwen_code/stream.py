"""Output of `--output-format stream-json`: messages in the form of another vendor's interface."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Hidden,
    Level,
    Notification,
    Reset,
    TokenUsage,
    ToolInput,
    ToolResult,
    Topic,
)
from agentview.domain.index_entry import EventLinks, Flag
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall, ToolState
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import HIDDEN, LightEvent, hidden, in_run, read_as
from agentview.providers.gemini.qwen_code.event_builder import QwenRecord, known_tool
from agentview.providers.gemini.qwen_code.schema import (
    Block,
    Delta,
    Failure,
    Message,
    Report,
    StreamEvent,
)
from agentview.providers.gemini.qwen_code.tools import SPECS, find_tool
from agentview.providers.gemini.shared.content import prompt_of
from agentview.providers.gemini.shared.tool_outcome import agent_stream, result_of
from agentview.providers.gemini.shared.tools import make_call
from agentview.providers.gemini.shared.usage import PrintedTokens

_AGENT = SPECS["agent"]
_TEXT, _THOUGHT, _BEGINS = EventLinks("text"), EventLinks("thought"), EventLinks("")
_WHOLE_TEXT, _WHOLE_THOUGHT = EventLinks("text", whole=True), EventLinks("thought", whole=True)
_AMENDS = EventLinks(amends=True)
_CONTENT = ("message", "content")
_ENDED = re.compile(r'Background \w+ ".*" \w+\.', re.DOTALL)
TYPES = frozenset({"system", "assistant", "user", "stream_event", "result"})
CONTROL = frozenset({"control_request", "control_response", "control_cancel_request"})

_KEPT = {
    "session_start": "the session began",
    "session_end": "the session ended",
    "task_started": "an agent was started",
}
_NOTICES = {
    "continue_turn_failed": "The turn could not go on",
    "model_fallback": "Another model answers",
    "tool_denied": "A call was refused",
    "ui_log": "A note of an extension",
}
"""Reports that are shown by their own words, or by these where they have none."""


def is_printed(fields: Fields) -> bool:
    """True if a record is a line of a printed stream: its session is named in another way."""
    kind = text_of(fields.get("type"))
    if kind in CONTROL:
        return True
    return "session_id" in fields and "sessionId" not in fields and kind in TYPES


def printed_events(record: QwenRecord) -> Sequence[LightEvent]:
    """Events of one line of a printed stream; an agent's lines name the call that started it."""
    own, kind = record.record, record.record.type or ""
    record.record_id = own.uuid or record.name
    record.suffix_end = f"@{record.source.offset}"
    record.stream = agent_stream(own.parent_tool_use_id) or record.stream
    if kind in CONTROL:
        return [hidden(record, "a request between client and host", kind)]
    if kind == "stream_event":
        return [_piece(record, own.event or StreamEvent())]
    if kind == "assistant":
        return _response(record, record.message)
    if kind == "user":
        return _answers(record, record.value_of(record.message.content))
    if kind == "result":
        return _result(record)
    return [_system(record)]


def _piece(record: QwenRecord, event: StreamEvent) -> LightEvent:
    """A piece of a response while the model writes it."""
    kind, delta = event.type or "(none)", event.delta or Delta()
    begun = event.content_block if kind == "content_block_start" else None
    if begun is not None and begun.type == "tool_use":
        return _draft(record, event)
    if delta.type == "text_delta":
        return in_run(record.text_part("piece", delta.text or ""), _TEXT)
    if delta.type == "thinking_delta":
        return in_run(record.thought_part("piece", delta.thinking or ""), _THOUGHT)
    if delta.type == "input_json_delta":
        made = (delta.partial_json or "",)
        light = record.part("piece", HIDDEN, Flag.BOOKKEEPING, ToolInput, made)
        return in_run(light, EventLinks(f"input:{event.index}"))
    light = hidden(record, "how a response is written", f"stream_event/{kind}")
    begins = kind in ("message_start", "content_block_start", "message_stop")
    return in_run(light, _BEGINS) if begins else light


def _draft(record: QwenRecord, event: StreamEvent) -> LightEvent:
    """A call whose arguments the model still writes."""
    draft = _call(record, event.content_block or Block(), None)
    draft = replace(draft, args_json="", args=None, state=ToolState.INPUT_STREAMING)
    run, child = f"input:{event.index}", _started(draft)
    return record.event("draft", draft, run=run, amends=True, child=child, path="draft")


def _response(record: QwenRecord, message: Message) -> Sequence[LightEvent]:
    """Events of a whole part of a response, which takes the place of its pieces."""
    record.facts = Facts(model=message.model or None)
    events: list[LightEvent] = []
    for index, item in enumerate(items_of(record.value_of(message.content))):
        block = read_as(item, Block)
        made = _whole(record, block, index)
        events.append(made or record.unknown(f"assistant/{block.type or None}", f"b{index}"))
    usage = _usage(message.usage or PrintedTokens())
    if usage is not None and message.id:
        events.append(record.used(message.id, usage, message.model or None))
    return events or [hidden(record, "a response without content", "assistant")]


def _whole(record: QwenRecord, block: Block, index: int) -> LightEvent | None:
    if block.type == "text":
        return in_run(record.text_part(f"text{index}", block.text or ""), _WHOLE_TEXT)
    if block.type == "thinking":
        return in_run(record.thought_part(f"thought{index}", block.thinking or ""), _WHOLE_THOUGHT)
    if block.type != "tool_use":
        return None
    suffix, path, known = f"call{index}", "whole", known_tool(block.name or "")
    if known is None:
        call = _call(record, block, index)
        return record.event(suffix, call, amends=True, child=_started(call), path=path)
    call_id = block.id or record.name
    return record.call(suffix, call_id, known, _call, (record, block, index), _AMENDS, path=path)


def _started(call: ToolCall) -> Stream | None:
    return agent_stream(call.call_id) if call.canonical_name == _AGENT.canonical_name else None


def _call(record: QwenRecord, block: Block, index: int | None) -> ToolCall:
    """The call of a block; of a draft, which has no `index`, the arguments are still to come."""
    name, args = block.name or "", block.input
    raw = None if index is None else record.text_at(*_CONTENT, index, "input")
    return make_call(block.id or record.name, name, args, find_tool(name, fields_of(args)), raw=raw)


def _answers(record: QwenRecord, content: object) -> Sequence[LightEvent]:
    """Events of results, of an agent's task, and of a report that an agent has ended."""
    events: list[LightEvent] = []
    said = content if isinstance(content, str) else ""
    for index, item in enumerate(items_of(content)):
        block = read_as(item, Block)
        if block.type != "tool_result":
            said += block.text or ""
            continue
        call_id = record.name if block.tool_use_id is None else block.tool_use_id
        ok = block.is_error is not True
        events.append(record.result(f"result{index}", call_id, ok, _answer, (call_id, ok, block)))
    if _ENDED.fullmatch(said.strip()) is not None:
        events.append(record.event("report", Notification(Topic.BACKGROUND, said.strip())))
    elif said.strip():
        prompt = prompt_of(said)
        reason = f"context that the client put in: {prompt.injected}"
        body = spoken(prompt.text) if prompt.injected is None else Hidden(reason, "user")
        events.append(record.event("prompt", body))
    return events or [hidden(record, "an empty message", "user")]


def _answer(call_id: str, ok: bool, block: Block) -> ToolResult:
    said = as_text(block.content)
    key = "output" if ok else "error"
    result = result_of(call_id, {"response": {key: said}} if said else {})
    return replace(result, ok=ok and result.denial is None)


def _system(record: QwenRecord) -> LightEvent:
    own = record.record
    subtype, data = own.subtype or "(none)", own.data or Report()
    if subtype == "init":
        facts = Facts(
            cwd=own.cwd or None,
            model=own.model or None,
            mode=own.permission_mode or None,
            client_version=own.qwen_code_version or None,
        )
        return hidden(record, "the session itself", "init", facts=facts)
    if subtype == "task_notification":
        words, call_id = f"Agent {data.status or 'reported'}", data.tool_use_id or None
        return record.event("report", Notification(Topic.BACKGROUND, words, call_id=call_id))
    if subtype == "retry":
        return record.event("retry", Notification(Topic.API_ERROR, "Trying again", Level.WARNING))
    if subtype in _KEPT:
        return hidden(record, _KEPT[subtype], subtype)
    if subtype in _NOTICES:
        said = (data.message, data.text, data.error, data.detail)
        words = as_text(next((each for each in said if each is not None), None))
        topic = Topic.MODEL if subtype == "model_fallback" else Topic.SYSTEM
        level = Level.INFO if subtype == "ui_log" else Level.WARNING
        return record.event("notice", Notification(topic, words or _NOTICES[subtype], level))
    if subtype in ("compaction", "compact_boundary"):
        about = data if own.compact_metadata in (None, Report()) else own.compact_metadata
        body = Compaction(about.trigger or None, whole_of(about.pre_tokens))
        return record.event("compaction", body, resets=Reset.COMPACTED)
    return record.unknown(f"system/{subtype}")


def _result(record: QwenRecord) -> Sequence[LightEvent]:
    own, error = record.record, record.value_of(record.record.error)
    duration = seconds_of(own.duration_ms)
    events: list[Event] = []
    if own.is_error or fields_of(error):
        words = read_as(error, Failure).message or "The session ended with an error"
        events.append(record.event("failed", Notification(error_topic(words), words, Level.ERROR)))
    ended = Notification(Topic.TURN_END, "Turn complete", duration=duration)
    events.append(record.event("ended", ended))
    usage = _usage(own.usage or PrintedTokens())
    if usage is not None:
        events.append(record.event("usage", TokenUsage(record.name, usage, total=True)))
    return events


def _usage(counts: PrintedTokens) -> Usage | None:
    """Counts of a response; parts that come before its end have none, though they say 0."""
    given, said = whole_of(counts.input_tokens), whole_of(counts.output_tokens)
    if not given and not said:
        return None
    cached = whole_of(counts.cache_read_input_tokens)
    uncached = given - (cached or 0) if given is not None else None
    return Usage(input_uncached=uncached, input_cached=cached, output=said)
