"""Events of messages, by their roles.

Source: `messages.ts` of the client and `types.ts` of its library pi-ai, which are public.
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Level,
    Notification,
    Reset,
    Rewind,
    SlashCommand,
    TokenUsage,
    ToolResult,
    Topic,
    runs,
)
from agentview.domain.tools import DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import (
    fields_of,
    real_of,
    text_of,
    whole_of,
)
from agentview.normalize.output_text import text_of as text_in
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.result_text import refusal
from agentview.providers._kit.speakers import spoken_events
from agentview.providers._kit.typed_records import LightEvent, Records, hidden, read_as
from agentview.providers.pi.shared.content import blocks_of, words_of
from agentview.providers.pi.shared.event_builder import PiRecord
from agentview.providers.pi.shared.schema import Details, Nested, Part, ResultDetails, Tokens

_REFUSALS = (
    (r"(?i)\s*(?:blocked by|denied by|rejected by)(?: the)? user\b", DeniedBy.PERSON),
    (r"(?i)\s*tool execution was blocked\b", DeniedBy.RULE),
)
_STOPPED = re.compile(r"(?:^|\n)(?:Command|Operation|Tool execution) (?:was )?aborted\.?\s*$")
_FILE = re.compile(r"\s*(<file name=\"[^\"\n]{1,4096}\">.*?</file>)[ \t]*\n", re.DOTALL)
"""A file that the person named on the command line, in front of the prompt."""
_NESTED = "openclaw.nested-tool.v1"
"""OpenClaw's name for the record of a call that another one made."""
_WRAPPER = "tool_call"
"""Tool of OpenClaw that calls another one, which has a record of its own."""
_SAID_CHARS = 400
_STOPS = frozenset({"stop", "toolUse"})
"""Reasons for which a response ends that is complete."""
_FAILURES = frozenset({"failed", "error", "timeout"})

records = Records[PiRecord](
    hidden={
        "message/system": "instructions of the client",
        "message/developer": "instructions of the client",
        "thinking_level_change": "how much the model thinks",
        "configuration_update": "a setting of the session",
        "label": "a bookmark of the person",
    }
)
"""Decoders of an entry, by its type, and of a message by its role."""


@records.on("message/user")
def _user(record: PiRecord) -> Sequence[LightEvent]:
    content = record.message.content
    said, files, at = words_of(content) or "", list[str](), 0
    whole = isinstance(content, list) and any(_is_other(part) for part in content)
    blocks = record.blocks() if whole else ()
    rest = tuple(block for block in blocks if not isinstance(block, TextBlock))
    while (file := _FILE.match(said, at)) is not None and said[file.end() :].strip():
        files.append(file[1])
        at = file.end()
    return spoken_events(record, record.divided(said[at:]), rest, files)


def _is_other(part: Part | str | None) -> bool:
    return not isinstance(part, Part) or part.type != "text" or part.text is None


@records.on("message/assistant")
def _assistant(record: PiRecord) -> Sequence[LightEvent]:
    """A response, also one that failed or was stopped: what there is of it, then how it ended."""
    message = record.message
    content, model = message.content, message.response_model or message.model or None
    record.response_id = message.response_id or record.name
    record.facts = model_facts(model) if model is not None else None
    parts = [Part("text", content)] if isinstance(content, str) and content else content or ()
    events = [_part(record, part, at) for at, part in enumerate(parts)]
    if message.stop_reason in _STOPS:
        events = whole_response(events)
    notice = _ending(message.stop_reason, message.error_message or None)
    if notice is not None:
        events.append(record.event("notice", notice))
    events += usage_events(record, message.usage, model)
    return events or [hidden(record, "a response without words", "message/assistant")]


def _part(record: PiRecord, part: Part | str | None, at: int) -> LightEvent:
    part, suffix = part if isinstance(part, Part) else Part(), f"part{at}"
    kind = part.type or "(none)"
    if kind == "text":
        said = part.text or ""
        if not said or said.isspace():
            return hidden(record, "an empty text", "message/assistant/text", suffix=suffix)
        return record.text_part(suffix, said)
    if kind == "thinking":
        said = part.thinking or ""
        return record.thought_part(suffix, said, withheld=not said or part.redacted is True)
    if kind != "toolCall":
        return record.unknown(f"message/assistant/{kind}", suffix)
    name, call_id = part.name or "(none)", f"{record.name}:{at}" if part.id is None else part.id
    made = (record, part, at, name, call_id)
    return record.call_event(suffix, call_id, record.known.get(name), _call, made)


def _call(record: PiRecord, part: Part, at: int, name: str, call_id: str) -> ToolCall:
    """A call. Where its arguments were not written to their end, they are what came of them."""
    given = record.value_of(part.arguments)
    exact = record.exact(part.arguments, *record.place, "content", at, "arguments")
    is_object = exact.startswith(b"{")
    wraps = name == _WRAPPER
    call = tool_call(
        call_id=call_id,
        name=name,
        arguments=given if is_object else as_text(given),
        raw=exact if is_object else None,
        spec=record.tools.get(name),
        title=text_of(fields_of(given).get("id")) if wraps else None,
    )
    return replace(call, is_container=True) if wraps else call


def _ending(stop: str | None, words: str | None) -> Notification | None:
    if stop == "aborted":
        return Notification(Topic.INTERRUPT, "Interrupted", Level.WARNING, words)
    if stop == "error":
        return Notification(error_topic(words), words or "The request failed", Level.ERROR)
    if stop == "length":
        text = "The response was cut off at the limit of its length"
        return Notification(Topic.SYSTEM, text, Level.WARNING)
    return None


def usage_events(record: PiRecord, tokens: Tokens | None, model: str | None) -> list[LightEvent]:
    """Tokens and cost of a request; none where nothing is known of it."""
    usage = usage_of(record.response_id or record.name, tokens, model)
    return [record.usage_part(usage)] if usage is not None else []


def usage_of(
    response: str, tokens: Tokens | None, model: str | None, cost: object = None
) -> TokenUsage | None:
    """Tokens and cost of a response; None where nothing is known of it.

    A request that failed has zeros throughout. A cost of 0 is that of a model whose price the
    client does not know.
    """
    if tokens is None:
        return None
    usage = Usage(
        whole_of(tokens.input),
        whole_of(tokens.cache_read),
        whole_of(tokens.cache_write),
        whole_of(tokens.output),
        whole_of(tokens.reasoning),
        whole_of(tokens.cache_write_1h),
    )
    paid = real_of(tokens.cost.total if tokens.cost is not None else cost) or None
    return TokenUsage(response, usage, model, cost=paid) if usage.context else None


@records.on("message/toolResult")
def _answered(record: PiRecord) -> Sequence[LightEvent]:
    message = record.message
    if message.tool_call_id is None:
        return [record.unknown("message/toolResult")]
    outcome = result_event(record, message.tool_call_id, message.is_error)
    return [outcome, *usage_events(record, message.usage, None)]


def result_event(record: PiRecord, call_id: str, failed: bool | None) -> LightEvent:
    """The outcome of a call, of which the message is the result."""
    details = record.message.details
    known = details if isinstance(details, Details) else Details()
    ok = _went_well(failed, known.exit_code, known.status)
    made = (record, call_id, ok, record.place)
    polls = record.message.tool_name == "process"
    path = record.result_path or ("" if polls else _running(known.status, known.session_id))
    if ok is None:
        return record.event("result", _result(*made), path=path)
    light = record.result_part("result", call_id, _result, made, failed=not ok)
    light.path = path
    return light


def _running(status: object, process: object) -> str:
    """The path of the result of a command that OpenClaw lets run on."""
    return runs(text_of(process)) if status == "running" else ""


def _went_well(failed: object, code: object, status: object) -> bool | None:
    """`isError` is all that says whether a call failed; OpenClaw's commands have an exit code."""
    ok = not failed if isinstance(failed, bool) else None
    return False if ok and (whole_of(code) or text_of(status) in _FAILURES) else ok


def _result(record: PiRecord, call_id: str, ok: bool | None, at: tuple[str, ...]) -> ToolResult:
    fields = record.values_at(*at)
    content, details = fields.get("content"), fields.get("details")
    blocks = blocks_of(content)
    said = text_in(blocks) or ""
    return ToolResult(
        call_id,
        ok,
        blocks,
        structured=fields_of(details) or None,
        error=(read_as(details, ResultDetails).error or said or None) if ok is False else None,
        denial=refusal(said, _REFUSALS) if ok is False else None,
        interrupted=ok is False and _STOPPED.search(said[-_SAID_CHARS:]) is not None,
    )


@records.on("message/bashExecution")
def _command(record: PiRecord) -> Sequence[LightEvent]:
    """A shell command of the person (`!command`, or `!!command`, which the model does not see)."""
    message, error = record.message, None
    code = whole_of(message.exit_code)
    if message.cancelled is True:
        error = "cancelled"
    elif code not in (None, 0):
        error = f"exit code {code}"
    command = SlashCommand(message.command or "", "", message.output or None, error, True)
    return [record.event("command", command)]


@records.on("custom_message", "message/custom", "message/hookMessage")
def _custom_message(record: PiRecord) -> Sequence[LightEvent]:
    """A message of an extension to the model: `display` says whether the person sees it."""
    message = record.message
    name = message.custom_type or "extension"
    if name == _NESTED:
        return _nested(record, (*record.place, "details"))
    if message.display is False:
        return [hidden(record, "a message of an extension to the model alone", f"custom/{name}")]
    return [record.event("note", Attachment(name, "note", words_of(message.content)))]


def _nested(record: PiRecord, place: tuple[str, ...]) -> list[LightEvent]:
    """A call that another one made, with its result: the model asked for that one only."""
    details = record.values_at(*place)
    nested = read_as(details, Nested)
    name = nested.tool_name or "(none)"
    call_id = f"{record.name}:nested" if nested.tool_call_id is None else nested.tool_call_id
    call = tool_call(
        call_id=call_id,
        name=name,
        arguments=fields_of(nested.input),
        raw=record.text_at(*place, "input"),
        spec=record.tools.get(name),
        via=_WRAPPER,
    )
    call = replace(call, made_by=nested.parent_tool_call_id or None)
    events: list[LightEvent] = [record.event("part0", call)]
    if "result" in details:
        own = record.values_at(*place, "result", "details")
        ok = _went_well(nested.is_error, own.get("exitCode"), own.get("status"))
        path = _running(own.get("status"), own.get("sessionId"))
        body = _result(record, call_id, ok, (*place, "result"))
        events.append(record.event("result", body, path=path))
    return events


@records.on("compaction", "message/compactionSummary")
def _compaction(record: PiRecord) -> Sequence[LightEvent]:
    return compacted(record, None)


def compacted(record: PiRecord, trigger: str | None) -> Sequence[LightEvent]:
    """A summary of the records before, which may have cost tokens."""
    message = record.message
    body = Compaction(
        trigger="extension" if message.from_hook is True else trigger,
        tokens_before=whole_of(message.tokens_before),
        tokens_after=whole_of(message.tokens_after or message.estimated_tokens_after),
        summary=message.summary or None,
    )
    event = record.event("compaction", body, resets=Reset.COMPACTED)
    return [event, *usage_events(record, message.usage, None)]


@records.on("branch_summary", "message/branchSummary")
def _branch_summary(record: PiRecord) -> Sequence[LightEvent]:
    """The person went back in the tree, and the branch that was left was summed up."""
    summary = record.message.summary or None
    body = Notification(Topic.REWIND, "The branch that was left, summed up", detail=summary)
    # The entry is the first one of the branch that continues.
    is_entry = record.parent_id is not None and not record.place
    back = Rewind(after=record.parent_id) if is_entry else None
    event = record.event("notice", body, rewinds=back)
    return [event, *usage_events(record, record.message.usage, None)]
