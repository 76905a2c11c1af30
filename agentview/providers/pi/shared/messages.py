"""Events of messages, by their roles.

Source: `messages.ts` of the client and `types.ts` of its library pi-ai, which are public.
"""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    SlashCommand,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.tools import DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    parts_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.normalize.output_text import text_of as text_in
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.result_text import refusal
from agentview.providers.pi.shared.content import blocks_of
from agentview.providers.pi.shared.event_builder import PiRecord

Place = tuple[str | int, ...]
"""Where in the record the message is."""

_REFUSALS = (
    (r"(?i)\s*(?:blocked by|denied by|rejected by)(?: the)? user\b", DeniedBy.PERSON),
    (r"(?i)\s*tool execution was blocked\b", DeniedBy.RULE),
)
_STOPPED = re.compile(r"(?:^|\n)(?:Command|Operation|Tool execution) (?:was )?aborted\.?\s*$")
_FILE = re.compile(r"\s*(<file name=\"[^\"\n]{1,4096}\">.*?</file>)[ \t]*\n", re.DOTALL)
"""A file that the person named on the command line, in front of the prompt."""
_NESTED = "openclaw.nested-tool.v1"
"""What OpenClaw calls the record of a call that another one made."""
_SAID_CHARS = 400
_STOPS = frozenset({"stop", "toolUse"})
"""Reasons for which a response ends that is complete."""


def message_events(record: PiRecord, message: Fields, place: Place) -> list[Event]:
    """Events of a message; its own time is that at which it began."""
    role = text_of(message.get("role")) or "(none)"
    if record.time is None:
        record.time = time_of(message.get("timestamp"))
    make = _ROLES.get(role)
    return make(record, message, place) if make is not None else [record.unknown(f"role {role}")]


def _user(record: PiRecord, message: Fields, _place: Place) -> list[Event]:
    blocks = blocks_of(message.get("content"))
    rest = tuple(block for block in blocks if not isinstance(block, TextBlock))
    said = text_in(blocks) or ""
    files: list[str] = []
    at = 0
    while (file := _FILE.match(said, at)) is not None and said[file.end() :].strip():
        files.append(file[1])
        at = file.end()
    found = record.divided(message, said[at:])
    events = [record.event(f"note{n}", note) for n, note in enumerate(found.notes)]
    if found.words.strip() or rest or not events:
        context = (*files, *found.context)
        events.append(record.event("prompt", spoken(found.words, rest, found.via, context=context)))
    return events


def _assistant(record: PiRecord, message: Fields, place: Place) -> list[Event]:
    """A response, also one that failed or was stopped: what there is of it, then how it ended."""
    model = text_of(message.get("responseModel")) or text_of(message.get("model"))
    record.response_id = text_of(message.get("responseId")) or record.name
    record.facts = Facts(model=model) if model is not None else None
    stop = text_of(message.get("stopReason"))
    events: list[Event] = []
    for index, item in enumerate(parts_of(message.get("content"))):
        part = fields_of(item)
        where = (*place, "content", index)
        events.append(_part(record, part, f"part{index}", where))
    if stop in _STOPS:
        events = whole_response(events)
    events += _ending(record, message, stop)
    events += usage_event(record, fields_of(message.get("usage")), model)
    return events or [record.hidden("a response without words", "message/assistant")]


def _part(record: PiRecord, part: Fields, suffix: str, place: Place) -> Event:
    kind = text_of(part.get("type")) or "(none)"
    if kind == "text":
        said = text_of(part.get("text")) or ""
        if not said.strip():
            return record.hidden("an empty text", "message/assistant/text", suffix=suffix)
        return record.event(suffix, Message(said))
    if kind == "thinking":
        said = text_of(part.get("thinking")) or ""
        withheld = not said or part.get("redacted") is True
        return record.event(suffix, Reasoning(said, withheld=withheld))
    if kind == "toolCall":
        return record.event(suffix, call_of(record, part, place))
    return record.unknown(f"message/assistant/{kind}", suffix)


def call_of(record: PiRecord, part: Fields, place: Place) -> ToolCall:
    """A call. Where its arguments were not written to their end, they are what came of them."""
    name = text_of(part.get("name")) or "(none)"
    args = fields_of(part.get("arguments"))
    is_object = isinstance(part.get("arguments"), dict)
    return tool_call(
        call_id=call_id_of(part.get("id"), f"{record.name}:{place[-1]}"),
        name=name,
        arguments=args if is_object else as_text(part.get("arguments")),
        raw=record.text_at(*place, "arguments") if is_object else None,
        spec=record.find_tool(name, args),
        title=text_of(args.get("id")) if name == "tool_call" else None,
    )


def _ending(record: PiRecord, message: Fields, stop: str | None) -> list[Event]:
    words = text_of(message.get("errorMessage"))
    if stop == "aborted":
        body = Notification(Topic.INTERRUPT, "Interrupted", Level.WARNING, words)
    elif stop == "error":
        body = Notification(error_topic(words), words or "The request failed", Level.ERROR)
    elif stop == "length":
        text = "The response was cut off at the limit of its length"
        body = Notification(Topic.SYSTEM, text, Level.WARNING)
    else:
        return []
    return [record.event("notice", body)]


def usage_event(record: PiRecord, counts: Fields, model: str | None) -> list[Event]:
    """Tokens and cost of a request; `input` is without what a cache gave or took.

    A request that failed has zeros throughout: nothing is known of it. A cost of 0 is that of a
    model whose price the client does not know.
    """
    usage = Usage(
        whole_of(counts.get("input")),
        whole_of(counts.get("cacheRead")),
        whole_of(counts.get("cacheWrite")),
        whole_of(counts.get("output")),
        whole_of(counts.get("reasoning")),
        whole_of(counts.get("cacheWrite1h")),
    )
    if not usage.context:
        return []
    cost = real_of(fields_of(counts.get("cost")).get("total")) or None
    body = TokenUsage(record.response_id or record.name, usage, model, cost=cost)
    return [record.event("usage", body)]


def _result(record: PiRecord, message: Fields, _place: Place) -> list[Event]:
    call_id = call_id_of(message.get("toolCallId"), None)
    if call_id is None:
        return [record.unknown("message/toolResult")]
    outcome = result_of(call_id, message, message.get("isError"))
    return [
        record.event("result", outcome),
        *usage_event(record, fields_of(message.get("usage")), None),
    ]


def result_of(call_id: str, fields: Fields, failed: object) -> ToolResult:
    """The outcome of a call; `isError` is all that says whether it failed."""
    blocks = blocks_of(fields.get("content"))
    said = text_in(blocks) or ""
    ok = not failed if isinstance(failed, bool) else None
    details = fields_of(fields.get("details"))
    code = whole_of(details.get("exitCode"))
    # OpenClaw's commands have an exit code of their own.
    if ok and (code not in (None, 0) or text_of(details.get("status")) in _FAILURES):
        ok = False
    return ToolResult(
        call_id,
        ok,
        blocks,
        structured=details or None,
        error=(text_of(details.get("error")) or said or None) if ok is False else None,
        denial=refusal(said, _REFUSALS) if ok is False else None,
        interrupted=ok is False and _STOPPED.search(said[-_SAID_CHARS:]) is not None,
    )


_FAILURES = frozenset({"failed", "error", "timeout"})


def _command(record: PiRecord, message: Fields, _place: Place) -> list[Event]:
    """A shell command of the person (`!command`, or `!!command`, which the model does not see)."""
    code = whole_of(message.get("exitCode"))
    output = text_of(message.get("output"))
    error = None
    if message.get("cancelled") is True:
        error = "cancelled"
    elif code not in (None, 0):
        error = f"exit code {code}"
    command = text_of(message.get("command")) or ""
    return [record.event("command", SlashCommand(command, "", output, error, True))]


def custom_events(record: PiRecord, message: Fields, _place: Place = ()) -> list[Event]:
    """A message of an extension to the model: `display` says whether the person sees it."""
    name = text_of(message.get("customType")) or "extension"
    if name == _NESTED:
        return _nested(record, fields_of(message.get("details")))
    if message.get("display") is False:
        return [record.hidden("a message of an extension to the model alone", f"custom/{name}")]
    text = text_in(blocks_of(message.get("content")))
    return [record.event("note", Attachment(name, "note", text))]


def _nested(record: PiRecord, details: Fields) -> list[Event]:
    """A call that another one made, with its result: the model asked for that one only."""
    name = text_of(details.get("toolName")) or "(none)"
    args = fields_of(details.get("input"))
    call_id = call_id_of(details.get("toolCallId"), f"{record.name}:nested")
    call = tool_call(
        call_id=call_id,
        name=name,
        arguments=args,
        raw=record.text_at("message", "details", "input"),
        spec=record.find_tool(name, args),
        via="tool_call",
    )
    events = [record.event("part0", call)]
    if "result" in details:
        result = fields_of(details.get("result"))
        failed = details.get("isError")
        events.append(record.event("result", result_of(call_id, result, failed)))
    return events


def _compacted(record: PiRecord, message: Fields, _place: Place) -> list[Event]:
    before = whole_of(message.get("tokensBefore"))
    body = Compaction(tokens_before=before, summary=text_of(message.get("summary")))
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _branch(record: PiRecord, message: Fields, _place: Place) -> list[Event]:
    text, summary = "The branch that was left, summed up", text_of(message.get("summary"))
    return [record.event("notice", Notification(Topic.REWIND, text, detail=summary))]


def _system(record: PiRecord, _message: Fields, _place: Place) -> list[Event]:
    return [record.hidden("instructions of the client", "message/system")]


_ROLES: Mapping[str, Callable[[PiRecord, Fields, Place], list[Event]]] = {
    "user": _user,
    "assistant": _assistant,
    "toolResult": _result,
    "bashExecution": _command,
    "custom": custom_events,
    "hookMessage": custom_events,
    "branchSummary": _branch,
    "compactionSummary": _compacted,
    "system": _system,
    "developer": _system,
}
ROLES = frozenset(_ROLES)
"""Roles that messages may have."""
