"""What happened: the events of one record `{type, data, id, timestamp, parentId}`."""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import Block, ImageBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Message,
    Reasoning,
    TokenUsage,
    ToolProgress,
    ToolResult,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.json_documents import document_events
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers.copilot.flat_records import around_events, flat_events, said_by
from agentview.providers.copilot.results import COMMAND
from agentview.providers.copilot.session_records import MAKERS as SESSION_MAKERS
from agentview.providers.copilot.tools import find_tool

_NOBODY = re.compile(r"could.?not.?request|no interactive user|no approval rule", re.IGNORECASE)
_PERSON = re.compile(r"\buser\b.{0,40}(?:reject|den|declin)|by.?user|interactively", re.IGNORECASE)
_RULE = re.compile(r"\b(?:rule|policy|hook|content.exclusion)", re.IGNORECASE)
_REFUSED = frozenset({"denied", "rejected", "permission_denied"})
_REFUSING = ("denied", "rejected")
_SAID_CHARS = 400


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return document_events(record, source, session, LINES, around_events)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    speaker = said_by(fields)
    if speaker is not None:
        return flat_events(record, speaker)
    kind = text_of(fields.get("type")) or "(none)"
    data = fields_of(fields.get("data"))
    record.time = time_of(fields.get("timestamp"))
    record.record_id = text_of(fields.get("id"))
    record.parent_id = text_of(fields.get("parentId"))
    # The record that starts an agent has its id, and is in the stream of who started it.
    agent = text_of(fields.get("agentId")) or text_of(data.get("parentToolCallId"))
    if agent is not None and not kind.startswith("subagent."):
        record.stream = Stream(StreamKind.SUBAGENT, agent)
    make = _MAKERS.get(kind) or SESSION_MAKERS.get(kind)
    return make(record, data) if make is not None else [record.unknown(kind)]


def _user(record: EventBuilder, data: Fields) -> list[Event]:
    """A prompt, with what the client put in front of it for the model."""
    said = data.get("content")
    text = said if isinstance(said, str) else as_text(said) or ""
    source = text_of(data.get("source"))
    if source not in (None, "user") and not source.startswith("agent"):
        return [record.event("note", Attachment(source, "note", text))]
    sent = text_of(data.get("transformedContent")) or ""
    before = sent.removesuffix(text).strip() if text and sent.endswith(text) else ""
    blocks = tuple(map(_attached, map(fields_of, items_of(data.get("attachments")))))
    via = text_of(data.get("delivery"))
    return [record.event("prompt", User(text, blocks, via, (before,) if before else ()))]


def _attached(item: Fields) -> Block:
    media = text_of(item.get("mimeType"))
    path = text_of(item.get("path")) or text_of(item.get("filePath"))
    if media is not None and media.startswith("image/"):
        return ImageBlock(media, text_of(item.get("data")), path or text_of(item.get("assetId")))
    name = text_of(item.get("displayName")) or text_of(item.get("title"))
    uri = path or text_of(item.get("url"))
    return ResourceBlock(uri, name, media, text_of(item.get("text")))


def _assistant(record: EventBuilder, data: Fields) -> list[Event]:
    """A response: a thought, words, and the calls that it asks for."""
    record.response_id = text_of(data.get("apiCallId")) or text_of(data.get("messageId"))
    model = text_of(data.get("model"))
    record.facts = Facts(model=model) if model is not None else None
    events: list[Event] = []
    thought = text_of(data.get("reasoningText"))
    if thought is not None or text_of(data.get("reasoningOpaque")) is not None:
        events.append(record.event("thought", Reasoning(thought or "", withheld=thought is None)))
    said = text_of(data.get("content"))
    if said is not None:
        events.append(record.event("text", Message(said)))
    for number, request in enumerate(items_of(data.get("toolRequests"))):
        place = ("data", "toolRequests", number, "arguments")
        call = _call(record, fields_of(request), "name", place)
        events.append(record.event(f"call{number}", call))
    written = whole_of(data.get("outputTokens"))
    if written is not None and record.response_id is not None:
        # Nothing else reports it in versions without records of usage.
        usage = TokenUsage(record.response_id, Usage(output=written), model)
        events.append(record.event("usage", usage))
    hidden = record.hidden("a response without words", "assistant.message")
    return whole_response(events) or [hidden]


def _reasoning(record: EventBuilder, data: Fields) -> list[Event]:
    return [record.event("thought", Reasoning(text_of(data.get("content")) or ""))]


def _call(
    record: EventBuilder, fields: Fields, name_key: str, place: tuple[str | int, ...]
) -> ToolCall:
    """The call of a request, or of the record that says that it is done now."""
    name = text_of(fields.get(name_key)) or "(none)"
    given = fields.get("arguments")
    arguments: Mapping[str, object] | str | None = None
    raw: bytes | None = None
    if isinstance(given, dict):
        arguments, raw = fields_of(fields.get("arguments")), record.text_at(*place)
    elif given is not None:
        arguments = as_text(given) or ""
        if name == "apply_patch" and not mapping(arguments):
            arguments = {"input": arguments}
    args = arguments if isinstance(arguments, Mapping) else mapping(arguments)
    return tool_call(
        call_id=call_id_of(fields.get("toolCallId"), f"{record.name}:{place[-2]}"),
        name=name,
        arguments=arguments,
        raw=raw,
        spec=_spec(name, args, fields),
        title=text_of(fields.get("intentionSummary")),
    )


def _spec(name: str, args: Fields, fields: Fields) -> ToolSpec | None:
    server = text_of(fields.get("mcpServerName"))
    if server is None:
        return find_tool(name, args)
    return of_server(server, text_of(fields.get("mcpToolName")) or name.removeprefix(f"{server}-"))


def _started(record: EventBuilder, data: Fields) -> list[Event]:
    """A call is done now; it says again what the response asked for."""
    return [
        record.event("call", _call(record, data, "toolName", ("data", "arguments")), path="started")
    ]


def _ended(record: EventBuilder, data: Fields) -> list[Event]:
    call_id = call_id_of(data.get("toolCallId"), None)
    if call_id is None:
        return [record.unknown("tool.execution_complete")]
    result, error = fields_of(data.get("result")), fields_of(data.get("error"))
    said = result.get("content")
    text = said if isinstance(said, str) else as_text(said)
    shell = fields_of(data.get("shellExecution"))
    code = whole_of(shell.get("exitCode"))
    if code is None and text is not None and "fileEdits" not in data:
        code = COMMAND.exit_code(text)
    success = data.get("success")
    ok = success if isinstance(success, bool) else None
    words = text_of(error.get("message"))
    structured = {
        "detail": result.get("detailedContent"),
        "shell": shell,
        "edits": data.get("fileEdits"),
    }
    denial = _denial(text_of(error.get("code")) or "", words or "") if ok is False else None
    outcome = ToolResult(
        call_id,
        False if ok and code not in (None, 0) else ok,
        (*((TextBlock(text),) if text else ()), *_images(result)),
        structured={key: value for key, value in structured.items() if value},
        error=(words or text) if ok is False else None,
        denial=denial,
    )
    return [record.event("result", outcome)]


def _images(result: Fields) -> tuple[Block, ...]:
    """Images that came with a result; their bytes may be in a record of their own."""
    return tuple(
        ImageBlock(
            text_of(item.get("mimeType")),
            text_of(item.get("data")),
            text_of(item.get("assetId")),
            byte_size=whole_of(item.get("byteLength")),
        )
        for item in map(fields_of, items_of(result.get("binaryResultsForLlm")))
        if item.get("type") == "image"
    )


def _denial(code: str, words: str) -> Denial | None:
    return _refusal(words) if code in _REFUSED else None


def _refusal(words: str) -> Denial:
    """Who refused, by the words of the client."""
    head = words[:_SAID_CHARS]
    if _NOBODY.search(head) is not None:
        return Denial(DeniedBy.APPROVAL)
    if _PERSON.search(head) is not None:
        return Denial(DeniedBy.PERSON)
    return Denial(DeniedBy.RULE if _RULE.search(head) is not None else DeniedBy.UNKNOWN)


def _progress(record: EventBuilder, data: Fields) -> list[Event]:
    call_id = call_id_of(data.get("toolCallId"), None)
    said = text_of(data.get("partialOutput")) or text_of(data.get("progressMessage"))
    if call_id is None or said is None:
        return [record.hidden("a call is at work", "tool.execution_progress")]
    return [record.event("progress", ToolProgress(call_id, said))]


def _usage(record: EventBuilder, data: Fields) -> list[Event]:
    """Tokens of one request; what a cache gave or took is part of its input."""
    counts = fields_of(data.get("usage")) or data
    given, cached = whole_of(counts.get("inputTokens")), whole_of(counts.get("cacheReadTokens"))
    written = whole_of(counts.get("cacheWriteTokens"))
    uncached = None if given is None else max(0, given - (cached or 0) - (written or 0))
    output = whole_of(counts.get("outputTokens"))
    if given is None and output is None:
        return [record.hidden("a request without counts", "session.usage_record")]
    usage = Usage(uncached, cached, written, output, whole_of(counts.get("reasoningTokens")))
    name = text_of(counts.get("apiCallId")) or record.name
    record.response_id = name
    return [record.event("usage", TokenUsage(name, usage, text_of(counts.get("model"))))]


def _agent_began(record: EventBuilder, data: Fields) -> list[Event]:
    """An agent begins: its records have its id, or that of the call that started it."""
    call_id = call_id_of(data.get("toolCallId"), None)
    agent = text_of(record.fields.get("agentId")) or call_id
    if call_id is None or agent is None:
        return [record.hidden("an agent begins", "subagent.started")]
    name = text_of(data.get("agentDisplayName")) or text_of(data.get("agentName")) or ""
    child = Stream(StreamKind.SUBAGENT, agent)
    return [record.event("began", ToolProgress(call_id, name), child=child)]


def _asked(record: EventBuilder, data: Fields) -> list[Event]:
    """The client asks whether a call may be done."""
    request = fields_of(data.get("permissionRequest")) or fields_of(data.get("promptRequest"))
    subject = next(
        (
            found
            for key in ("fullCommandText", "fileName", "path", "url", "toolName", "fact")
            if (found := text_of(request.get(key))) is not None
        ),
        None,
    )
    intention = text_of(request.get("intention")) or text_of(request.get("kind")) or "Permission"
    call = permission_request(
        text_of(data.get("requestId")) or record.name,
        f"{intention}: {subject}" if subject else intention,
        call_id_of(request.get("toolCallId"), None),
        request,
        record.text_at("data", "permissionRequest"),
        detail=text_of(request.get("diff")),
    )
    return [record.event("ask", call)]


def _decided(record: EventBuilder, data: Fields) -> list[Event]:
    """Return what became of that question: the result of the call itself says more."""
    call_id, result = text_of(data.get("requestId")), fields_of(data.get("result"))
    if call_id is None:
        return [record.hidden("a question was answered", "permission.completed")]
    said = text_of(result.get("kind")) or "answered"
    words = text_of(result.get("feedback"))
    refused = Denial(_refusal(said).by, words) if said.startswith(_REFUSING) else None
    return [record.event("answer", decision(call_id, said, words, refused=refused))]


_MAKERS: Mapping[str, Callable[[EventBuilder, Fields], list[Event]]] = {
    "user.message": _user,
    "assistant.message": _assistant,
    "assistant.reasoning": _reasoning,
    "tool.execution_start": _started,
    "tool.user_requested": _started,
    "tool.execution_complete": _ended,
    "tool.execution_progress": _progress,
    "tool.execution_partial_result": _progress,
    "session.usage_record": _usage,
    "assistant.usage": _usage,
    "subagent.started": _agent_began,
    "permission.requested": _asked,
    "permission.completed": _decided,
}

LINES = RecordDecoder(
    EventBuilder,
    _record_events,
    re.compile(r'\{\s*"(?:type|data|id|timestamp|parentId|session_id|role)"\s*:'),
)
