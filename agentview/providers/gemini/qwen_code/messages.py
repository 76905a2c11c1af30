"""Events of prompts, responses and results."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Notification,
    ToolResult,
    Topic,
    runs,
)
from agentview.domain.session import StreamKind
from agentview.domain.tools import ToolCall
from agentview.normalize.error_text import section
from agentview.normalize.json_values import call_id_of, fields_of, items_of, text_of
from agentview.normalize.output_text import text_of as text_in
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden, read_as
from agentview.providers.gemini.qwen_code.event_builder import (
    QwenRecord,
    kind_of_tool,
    known_tool,
)
from agentview.providers.gemini.qwen_code.schema import Outcome, RecordedOutcome, Shown
from agentview.providers.gemini.qwen_code.tools import find_tool
from agentview.providers.gemini.shared.content import (
    Part,
    media_block,
    parts_of,
    prompt_of,
    shell_command,
)
from agentview.providers.gemini.shared.schema import ContentPart, FunctionCall, FunctionResponse
from agentview.providers.gemini.shared.tool_outcome import (
    agent_stream,
    launched_agent,
    result_of,
    shown_of,
    went_well,
)
from agentview.providers.gemini.shared.tools import make_call
from agentview.providers.gemini.shared.usage import usage_of

_PARTS = ("message", "parts")
_NO_OUTCOME = Outcome()
_OF_AGENT = "task_execution"
"""The type of a result that is shown as the work of an agent."""
_NOTIFICATION = re.compile(r"<task-notification>\n?(.*?)</task-notification>", re.DOTALL)
_REPORTS = frozenset({"notification", "background_task_completed", "cron"})
_TYPED = {"mid_turn_user_message": "mid-turn", "realtime_message": "spoken"}


def user_events(record: QwenRecord) -> Sequence[LightEvent]:
    """Events of a prompt, or of what the client put in the person's place."""
    own, payload = record.record, record.payload
    subtype, content = own.subtype or None, record.value_of(record.message.parts)
    shown = record.value_of(payload.display_text)
    if subtype in _REPORTS:
        return _reports(record, content, text_of(shown))
    prompt = prompt_of(content, shown)
    if prompt.injected is not None:
        return [hidden(record, f"context that the client put in: {prompt.injected}", "user")]
    if own.provenance in ("system", "goal_control", "goal_runtime"):
        name = subtype or own.provenance
        return [record.event("context", Attachment(name, "note", prompt.text))]
    if not prompt.text.strip() and not prompt.blocks:
        return [hidden(record, "an empty message", "user")]
    ran = shell_command(prompt.text)
    if ran is not None:
        return [record.event("command", ran)]
    via = _TYPED.get(subtype or "")
    events = [record.event("prompt", spoken(prompt.text, prompt.blocks, via))]
    events += [
        record.event(f"file{index}", Attachment(name, "file", text, path=name or None))
        for index, (name, text) in enumerate(prompt.files)
    ]
    if payload.hook_context:
        events.append(record.event("hook", Attachment("hook", "note", payload.hook_context)))
    return events


def _reports(record: QwenRecord, content: object, shown: str | None) -> list[Event]:
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


def assistant_events(record: QwenRecord) -> Sequence[LightEvent]:
    """Events of a response, or of a part of one: thoughts, texts, calls, tokens."""
    own, content = record.record, record.value_of(record.message.parts)
    usage = usage_of(own.usage_metadata)
    # Calls of agents are in records of their own, which name no response.
    record.response_id = own.uuid or None if usage is not None else None
    events: list[LightEvent] = _part_events(record, parts_of(content))
    if not events and isinstance(content, list):
        events = [hidden(record, "a response without text", "assistant")]
    elif not events:
        events = [record.unreadable("a response without parts")]
    if usage is not None:
        if record.stream.kind is StreamKind.MAIN:
            events = whole_response(events)
        events.append(record.used(record.name, usage, own.model or None))
    return events


def _part_events(record: QwenRecord, parts: list[Part]) -> list[LightEvent]:
    events: list[LightEvent] = []
    said: list[Part] = []
    for part in parts:
        if said and (part.text is None or part.thought != said[0].thought):
            events.append(_said(record, said))
            said = []
        if part.call is not None:
            events.append(_call(record, part.index, part.call))
        elif part.text is not None:
            said.append(part)
        elif part.block is not None:
            events.append(record.text_part(f"block{part.index}", "", (part.block,)))
    if said:
        events.append(_said(record, said))
    return events


def _said(record: QwenRecord, parts: list[Part]) -> LightEvent:
    """Neighbouring texts, which are pieces of one."""
    text, first = "".join(part.text or "" for part in parts), parts[0]
    if first.thought:
        return record.thought_part(f"thought{first.index}", text)
    return record.text_part(f"text{first.index}", text)


def _call(record: QwenRecord, index: int, call: FunctionCall) -> LightEvent:
    call_id, name = call_id_of(call.id, f"{record.name}#{index}"), call.name or ""
    args = (record, index, call, call_id, name)
    return record.call(f"call{index}", call_id, known_tool(name), _call_body, args)


def _call_body(
    record: QwenRecord, index: int, call: FunctionCall, call_id: str, name: str
) -> ToolCall:
    args, raw = call.args, record.text_at(*_PARTS, index, "functionCall", "args")
    return make_call(call_id, name, args, find_tool(name, fields_of(args)), raw=raw)


def result_events(record: QwenRecord) -> Sequence[LightEvent]:
    """Events of the answers to calls; media behind an answer belong to it."""
    outcome = record.record.tool_call_result or _NO_OUTCOME
    parts = parts_of(record.value_of(record.message.parts))
    answer = parts[0].response if len(parts) == 1 else None
    only = _only(record, outcome, answer) if answer is not None else None
    events = [only] if only is not None else _results(record, parts)
    if outcome.status == "cancelled":
        # The person stopped or refused it, and the model is not asked again.
        stopped = Notification(Topic.INTERRUPT, "A call was cancelled")
        events.append(record.event("stopped", stopped))
    return events or [hidden(record, "an answer without content", "tool_result")]


def _only(record: QwenRecord, outcome: Outcome, answer: FunctionResponse) -> LightEvent | None:
    """The only answer of a record; None where all of it says how its call ended."""
    shown = outcome.result_display
    if isinstance(shown, Shown) and shown.type == _OF_AGENT:
        return None
    call_id = _call_id(record, 0, answer, outcome.call_id)
    mine = outcome.call_id in (None, call_id)
    kind = kind_of_tool(answer.name or "")
    ok = went_well(outcome.status if mine else None, kind, answer)
    if ok is None:
        return None
    return record.result("result0", call_id, ok, _only_body, (record, answer))


def _only_body(record: QwenRecord, answer: FunctionResponse) -> ToolResult:
    return _result(record, 0, answer, _recorded(record))


def _recorded(record: QwenRecord) -> RecordedOutcome:
    return read_as(record.fields.get("toolCallResult"), RecordedOutcome)


def _results(record: QwenRecord, parts: list[Part]) -> list[LightEvent]:
    recorded = _recorded(record)
    results: list[ToolResult] = []
    for part in parts:
        if part.response is not None:
            results.append(_result(record, part.index, part.response, recorded))
        elif results:
            last = results[-1]
            results[-1] = replace(last, output=(*last.output, *_blocks(part)))
    if not results and fields_of(record.fields.get("toolCallResult")):
        alone = _result(record, 0, _recorded_response(recorded), recorded)
        said = tuple(block for part in parts for block in _blocks(part))
        results = [replace(alone, output=alone.output or said)]
    return [
        record.event(f"result{index}", result, child=agent_stream(agent), path=runs(agent))
        for index, result in enumerate(results)
        for agent in [launched_agent(_said_in(result))]
    ]


def _said_in(result: ToolResult) -> str | None:
    """The text of an answer that was shown as the work of an agent."""
    shown = shown_of(result)
    return text_in(result.output) if shown.type == _OF_AGENT else None


def _blocks(part: Part) -> tuple[Block, ...]:
    block = TextBlock(part.text) if part.text is not None else part.block
    return (block,) if block is not None else ()


def _recorded_response(recorded: RecordedOutcome) -> FunctionResponse:
    """The answer among the parts that are recorded next to the message."""
    answers = (each.function_response for each in recorded.response_parts or () if each is not None)
    return next(filter(None, answers), FunctionResponse())


def _call_id(record: QwenRecord, index: int, answer: FunctionResponse, recorded: str | None) -> str:
    default = f"{record.name}#{index}" if recorded is None else recorded
    return default if answer.id is None else answer.id


def _result(
    record: QwenRecord, index: int, response: FunctionResponse, recorded: RecordedOutcome
) -> ToolResult:
    call_id = _call_id(record, index, response, recorded.call_id)
    mine = recorded if recorded.call_id in (None, call_id) else RecordedOutcome()
    media = [part for part in items_of(response.parts) if _is_media(part)]
    return result_of(
        call_id,
        replace(response, parts=media),
        kind=kind_of_tool(response.name or ""),
        status=mine.status or None,
        display=mine.result_display,
        error_type=mine.error_type or None,
    )


def _is_media(part: object) -> bool:
    return media_block(read_as(part, ContentPart)) is not None
