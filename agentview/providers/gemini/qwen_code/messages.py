"""Events of prompts, responses and results."""

import re
from typing import cast

from msgspec.structs import replace

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolResult,
    Topic,
    runs,
)
from agentview.domain.session import StreamKind
from agentview.normalize.error_text import section
from agentview.normalize.json_values import Fields, call_id_of, fields_of, items_of, text_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.raw_span import Span, element_spans, value_span
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.gemini.qwen_code.tools import SPECS, find_tool
from agentview.providers.gemini.shared.content import (
    Part,
    media_block,
    parts_of,
    prompt_of,
    shell_command,
)
from agentview.providers.gemini.shared.event_builder import GeminiRecord
from agentview.providers.gemini.shared.tool_outcome import agent_stream, launched_agent, result_of
from agentview.providers.gemini.shared.tools import kind_of, make_call
from agentview.providers.gemini.shared.usage import interface_usage

_PARTS = ("message", "parts")
_NOTIFICATION = re.compile(r"<task-notification>\n?(.*?)</task-notification>", re.DOTALL)
_REPORTS = frozenset({"notification", "background_task_completed", "cron"})
_TYPED = {"mid_turn_user_message": "mid-turn", "realtime_message": "spoken"}


def user_events(record: GeminiRecord, fields: Fields) -> list[Event]:
    """Events of a prompt, or of what the client put in the person's place."""
    subtype = text_of(fields.get("subtype"))
    payload = fields_of(fields.get("systemPayload"))
    content = fields_of(fields.get("message")).get("parts")
    if subtype in _REPORTS:
        return _reports(record, content, text_of(payload.get("displayText")))
    prompt = prompt_of(content, payload.get("displayText"))
    if prompt.injected is not None:
        return [record.hidden(f"context that the client put in: {prompt.injected}", "user")]
    if text_of(fields.get("provenance")) in ("system", "goal_control", "goal_runtime"):
        name = subtype or text_of(fields.get("provenance")) or "user"
        return [record.event("context", Attachment(name, "note", prompt.text))]
    if not prompt.text.strip() and not prompt.blocks:
        return [record.hidden("an empty message", "user")]
    ran = shell_command(prompt.text)
    if ran is not None:
        return [record.event("command", ran)]
    via = _TYPED.get(subtype or "")
    events = [record.event("prompt", spoken(prompt.text, prompt.blocks, via))]
    events += [
        record.event(f"file{index}", Attachment(name, "file", text, path=name or None))
        for index, (name, text) in enumerate(prompt.files)
    ]
    hook = text_of(payload.get("hookContext"))
    if hook is not None:
        events.append(record.event("hook", Attachment("hook", "note", hook)))
    return events


def _reports(record: GeminiRecord, content: object, shown: str | None) -> list[Event]:
    """Events of a report on agents and commands in the background: one for each of them."""
    text = "".join(part.text for part in parts_of(content) if part.text is not None)
    events: list[Event] = []
    for index, match in enumerate(_NOTIFICATION.finditer(text)):
        report = match[1]
        words = section(report, "summary") or section(report, "status") or "Background task"
        body = Notification(
            Topic.BACKGROUND,
            words.strip(),
            detail=section(report, "result"),
            call_id=section(report, "tool-use-id"),
        )
        task = section(report, "task-id")
        child = agent_stream(task) if "/subagents/" in report else None
        events.append(record.event(f"report{index}", body, child=child, path=runs(task)))
    if events:
        return events
    note = Notification(Topic.BACKGROUND, shown or text.strip(), detail=text if shown else None)
    return [record.event("report", note)]


def assistant_events(record: GeminiRecord, fields: Fields) -> list[Event]:
    """Events of a response, or of a part of one: thoughts, texts, calls, tokens."""
    content = fields_of(fields.get("message")).get("parts")
    usage = interface_usage(fields_of(fields.get("usageMetadata")))
    own = text_of(fields.get("uuid"))
    # Calls of agents are in records of their own, which name no response.
    record.response_id = own if usage is not None else None
    events = _part_events(record, parts_of(content))
    if not events and isinstance(content, list):
        events = [record.hidden("a response without text", "assistant")]
    elif not events:
        events = [record.unreadable("a response without parts")]
    if usage is not None:
        if record.stream.kind is StreamKind.MAIN:
            events = whole_response(events)
        model = text_of(fields.get("model"))
        body = TokenUsage(own or record.name, usage, model)
        events.append(record.event("usage", body))
    return events


def _part_events(record: GeminiRecord, parts: list[Part]) -> list[Event]:
    spans = _part_spans(record.raw)
    events: list[Event] = []
    said: list[Part] = []
    for part in parts:
        if said and (part.text is None or part.thought != said[0].thought):
            events.append(_said(record, said))
            said = []
        if part.call is not None:
            span = spans[part.index] if part.index < len(spans) else None
            events.append(_call(record, part, part.call, span))
        elif part.text is not None:
            said.append(part)
        elif part.block is not None:
            events.append(record.event(f"block{part.index}", Message("", (part.block,))))
    if said:
        events.append(_said(record, said))
    return events


def _said(record: GeminiRecord, parts: list[Part]) -> Event:
    """Neighbouring texts, which are pieces of one."""
    text = "".join(part.text or "" for part in parts)
    if parts[0].thought:
        return record.event(f"thought{parts[0].index}", Reasoning(text))
    return record.event(f"text{parts[0].index}", Message(text))


def _part_spans(raw: bytes) -> list[Span]:
    span = value_span(raw, _PARTS)
    return element_spans(raw, span[0]) if span is not None and raw[span[0] :][:1] == b"[" else []


def _call(record: GeminiRecord, part: Part, call: Fields, span: Span | None) -> Event:
    call_id = call_id_of(call.get("id"), f"{record.name}#{part.index}")
    name, args = text_of(call.get("name")) or "", call.get("args")
    inner = record.raw[slice(*span)] if span is not None else b""
    found = value_span(inner, ("functionCall", "args")) if inner else None
    raw = inner[slice(*found)] if found is not None else None
    body = make_call(call_id, name, args, find_tool(name, fields_of(args)), raw=raw)
    return record.event(f"call{part.index}", body)


def result_events(record: GeminiRecord, fields: Fields) -> list[Event]:
    """Events of the answers to calls; media behind an answer belong to it."""
    recorded = fields_of(fields.get("toolCallResult"))
    parts = parts_of(fields_of(fields.get("message")).get("parts"))
    results: list[ToolResult] = []
    for part in parts:
        if part.response is not None:
            results.append(_result(record, part.index, part.response, recorded))
        elif results:
            last = results[-1]
            results[-1] = replace(last, output=(*last.output, *_blocks(part)))
    if not results and recorded:
        alone = _result(record, 0, _recorded_response(recorded), recorded)
        said = tuple(block for part in parts for block in _blocks(part))
        results = [replace(alone, output=alone.output or said)]
    events = [
        record.event(f"result{index}", result, child=agent_stream(agent), path=runs(agent))
        for index, result in enumerate(results)
        for agent in [launched_agent(_said_in(result))]
    ]
    if recorded.get("status") == "cancelled":
        # The person stopped or refused it, and the model is not asked again.
        events.append(
            record.event("stopped", Notification(Topic.INTERRUPT, "A call was cancelled"))
        )
    return events or [record.hidden("an answer without content", "tool_result")]


def _said_in(result: ToolResult) -> str | None:
    """The text of an answer that was shown as the work of an agent."""
    shown = fields_of(fields_of(result.structured).get("display"))
    return text_in(result.output) if shown.get("type") == "task_execution" else None


def _blocks(part: Part) -> tuple[Block, ...]:
    block = TextBlock(part.text) if part.text is not None else part.block
    return (block,) if block is not None else ()


def _recorded_response(recorded: Fields) -> Fields:
    """The answer among the parts that are recorded next to the message."""
    for item in items_of(recorded.get("responseParts")):
        response = fields_of(fields_of(item).get("functionResponse"))
        if response:
            return response
    return {}


def _result(record: GeminiRecord, index: int, response: Fields, recorded: Fields) -> ToolResult:
    own = call_id_of(recorded.get("callId"), None)
    call_id = call_id_of(response.get("id"), f"{record.name}#{index}" if own is None else own)
    mine: Fields = recorded if own in (None, call_id) else {}
    content: dict[str, object] = {"response": response.get("response")}
    content["parts"] = [part for part in items_of(response.get("parts")) if _is_media(part)]
    return result_of(
        call_id,
        cast("object", content),
        kind=kind_of(text_of(response.get("name")) or "", SPECS),
        status=text_of(mine.get("status")),
        display=mine.get("resultDisplay"),
        error_type=text_of(mine.get("errorType")),
    )


def _is_media(part: object) -> bool:
    return media_block(fields_of(part)) is not None
