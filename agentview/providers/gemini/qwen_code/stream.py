"""What `--output-format stream-json` prints: messages in the form of another vendor's interface."""

import re

from msgspec.structs import replace

from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    TokenUsage,
    ToolInput,
    Topic,
)
from agentview.domain.session import Stream
from agentview.domain.tools import ToolCall, ToolState
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import as_text, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.normalize.raw_span import element_spans, value_span
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.gemini.qwen_code.tools import SPECS, find_tool
from agentview.providers.gemini.shared.content import prompt_of
from agentview.providers.gemini.shared.event_builder import GeminiRecord
from agentview.providers.gemini.shared.tool_outcome import agent_stream, result_of
from agentview.providers.gemini.shared.tools import make_call

_AGENT = SPECS["agent"]
_TEXT, _THOUGHT = "text", "thought"
_CONTENT = ("message", "content")
_ENDED = re.compile(r'Background \w+ ".*" \w+\.', re.DOTALL)
TYPES = frozenset({"system", "assistant", "user", "stream_event", "result"})
_CONTROL = frozenset({"control_request", "control_response", "control_cancel_request"})

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
    if kind in _CONTROL:
        return True
    return "session_id" in fields and "sessionId" not in fields and kind in TYPES


def printed_events(record: GeminiRecord, fields: Fields) -> list[Event]:
    """Events of one line of a printed stream; an agent's lines name the call that started it."""
    kind = text_of(fields.get("type")) or ""
    record.record_id = text_of(fields.get("uuid")) or record.name
    record.suffix_end = f"@{record.source.offset}"
    record.stream = agent_stream(fields.get("parent_tool_use_id")) or record.stream
    if kind in _CONTROL:
        return [record.hidden("a request between client and host", kind)]
    if kind == "stream_event":
        return [_piece(record, fields_of(fields.get("event")))]
    if kind == "assistant":
        return _response(record, fields_of(fields.get("message")))
    if kind == "user":
        return _answers(record, fields_of(fields.get("message")))
    if kind == "result":
        return _result(record, fields)
    return [_system(record, fields)]


def _piece(record: GeminiRecord, event: Fields) -> Event:
    """A piece of a response while the model writes it."""
    kind = text_of(event.get("type")) or "(none)"
    block, delta = fields_of(event.get("content_block")), fields_of(event.get("delta"))
    sort = text_of(delta.get("type"))
    if kind == "content_block_start" and block.get("type") == "tool_use":
        draft = _call(record, block, None)
        draft = replace(draft, args_json="", args=None, state=ToolState.INPUT_STREAMING)
        run = f"input:{event.get('index')}"
        return record.event(
            "draft", draft, run=run, amends=True, child=_started(draft), path="draft"
        )
    if sort == "text_delta":
        return record.event("piece", Message(text_of(delta.get("text")) or ""), run=_TEXT)
    if sort == "thinking_delta":
        said = text_of(delta.get("thinking")) or ""
        return record.event("piece", Reasoning(said), run=_THOUGHT)
    if sort == "input_json_delta":
        written = ToolInput(text_of(delta.get("partial_json")) or "")
        return record.event("piece", written, run=f"input:{event.get('index')}")
    begins = kind in ("message_start", "content_block_start", "message_stop")
    body = Hidden("how a response is written", f"stream_event/{kind}")
    return record.event("hidden", body, run="" if begins else None)


def _response(record: GeminiRecord, message: Fields) -> list[Event]:
    """Events of a whole part of a response, which takes the place of its pieces."""
    record.facts = Facts(model=text_of(message.get("model")))
    span = value_span(record.raw, _CONTENT)
    spans = element_spans(record.raw, span[0]) if span is not None else []
    events: list[Event] = []
    for index, item in enumerate(items_of(message.get("content"))):
        block = fields_of(item)
        raw = record.raw[slice(*spans[index])] if index < len(spans) else None
        made = _whole(record, block, raw, index)
        events.append(
            made or record.unknown(f"assistant/{text_of(block.get('type'))}", f"b{index}")
        )
    usage = _usage(fields_of(message.get("usage")))
    own = text_of(message.get("id"))
    if usage is not None and own is not None:
        body = TokenUsage(own, usage, text_of(message.get("model")))
        events.append(record.event("usage", body))
    return events or [record.hidden("a response without content", "assistant")]


def _whole(record: GeminiRecord, block: Fields, raw: bytes | None, index: int) -> Event | None:
    kind = block.get("type")
    if kind == "text":
        body = Message(text_of(block.get("text")) or "")
        return record.event(f"text{index}", body, run=_TEXT, whole=True)
    if kind == "thinking":
        said = text_of(block.get("thinking")) or ""
        return record.event(f"thought{index}", Reasoning(said), run=_THOUGHT, whole=True)
    if kind == "tool_use":
        call = _call(record, block, raw)
        return record.event(f"call{index}", call, amends=True, child=_started(call), path="whole")
    return None


def _started(call: ToolCall) -> Stream | None:
    """The conversation of the agent that a call starts."""
    return agent_stream(call.call_id) if call.canonical_name == _AGENT.canonical_name else None


def _call(record: GeminiRecord, block: Fields, raw: bytes | None) -> ToolCall:
    name, args = text_of(block.get("name")) or "", block.get("input")
    span = value_span(raw, ("input",)) if raw is not None else None
    return make_call(
        text_of(block.get("id")) or record.name,
        name,
        args,
        find_tool(name, fields_of(args)),
        raw=raw[slice(*span)] if raw is not None and span is not None else None,
    )


def _answers(record: GeminiRecord, message: Fields) -> list[Event]:
    """Events of results, of an agent's task, and of a report that an agent has ended."""
    content = message.get("content")
    events: list[Event] = []
    said = content if isinstance(content, str) else ""
    for index, item in enumerate(items_of(content)):
        block = fields_of(item)
        if block.get("type") != "tool_result":
            said += text_of(block.get("text")) or ""
            continue
        content_text = as_text(block.get("content"))
        key = "error" if block.get("is_error") is True else "output"
        call_id = call_id_of(block.get("tool_use_id"), record.name)
        result = result_of(call_id, {"response": {key: content_text}} if content_text else {})
        result = replace(result, ok=block.get("is_error") is not True and result.denial is None)
        events.append(record.event(f"result{index}", result))
    if _ENDED.fullmatch(said.strip()) is not None:
        events.append(record.event("report", Notification(Topic.BACKGROUND, said.strip())))
    elif said.strip():
        prompt = prompt_of(said)
        reason = f"context that the client put in: {prompt.injected}"
        body = spoken(prompt.text) if prompt.injected is None else Hidden(reason, "user")
        events.append(record.event("prompt", body))
    return events or [record.hidden("an empty message", "user")]


def _system(record: GeminiRecord, fields: Fields) -> Event:
    subtype = text_of(fields.get("subtype")) or "(none)"
    data = fields_of(fields.get("data"))
    if subtype == "init":
        facts = Facts(
            cwd=text_of(fields.get("cwd")),
            model=text_of(fields.get("model")),
            mode=text_of(fields.get("permission_mode")),
            client_version=text_of(fields.get("qwen_code_version")),
        )
        return record.hidden("the session itself", "init", facts=facts)
    if subtype == "task_notification":
        words = f"Agent {text_of(data.get('status')) or 'reported'}"
        call_id = text_of(data.get("tool_use_id"))
        return record.event("report", Notification(Topic.BACKGROUND, words, call_id=call_id))
    if subtype == "retry":
        return record.event("retry", Notification(Topic.API_ERROR, "Trying again", Level.WARNING))
    if subtype in _KEPT:
        return record.hidden(_KEPT[subtype], subtype)
    if subtype in _NOTICES:
        words = text(data, "message", "text", "error", "detail") or _NOTICES[subtype]
        topic = Topic.MODEL if subtype == "model_fallback" else Topic.SYSTEM
        level = Level.INFO if subtype == "ui_log" else Level.WARNING
        return record.event("notice", Notification(topic, words, level))
    if subtype in ("compaction", "compact_boundary"):
        metadata = fields_of(fields.get("compact_metadata")) or data
        body = Compaction(text_of(metadata.get("trigger")), whole_of(metadata.get("pre_tokens")))
        return record.event("compaction", body, resets=Reset.COMPACTED)
    return record.unknown(f"system/{subtype}")


def _result(record: GeminiRecord, fields: Fields) -> list[Event]:
    error = fields_of(fields.get("error"))
    duration = seconds_of(fields.get("duration_ms"))
    events: list[Event] = []
    if fields.get("is_error") is True or error:
        words = text_of(error.get("message")) or "The session ended with an error"
        events.append(record.event("failed", Notification(error_topic(words), words, Level.ERROR)))
    ended = Notification(Topic.TURN_END, "Turn complete", duration=duration)
    events.append(record.event("ended", ended))
    usage = _usage(fields_of(fields.get("usage")))
    if usage is not None:
        events.append(record.event("usage", TokenUsage(record.name, usage, total=True)))
    return events


def _usage(counts: Fields) -> Usage | None:
    """Counts of a response; parts that come before its end have none, though they say 0."""
    given, said = whole_of(counts.get("input_tokens")), whole_of(counts.get("output_tokens"))
    if not given and not said:
        return None
    cached = whole_of(counts.get("cache_read_input_tokens"))
    uncached = given - (cached or 0) if given is not None else None
    return Usage(input_uncached=uncached, input_cached=cached, output=said)
