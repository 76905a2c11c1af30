"""Events of one record `{type, data, id, timestamp, parentId}`."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

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
from agentview.domain.index_entry import Flag, Role, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, text
from agentview.normalize.json_values import Fields, call_id_of, text_of, whole_of
from agentview.normalize.tools.mcp import of_server
from agentview.normalize.tools.specs import KnownCall, ToolSpec, known_call
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.result_text import refusal
from agentview.providers._kit.typed_records import (
    HIDDEN,
    MESSAGE,
    REASONING,
    LightEvent,
    hidden,
    read_as,
    same,
)
from agentview.providers.copilot.event_builder import CopilotRecord, copilot_record, usage_of
from agentview.providers.copilot.flat_records import moment_of, said_by, words_of
from agentview.providers.copilot.results import COMMAND
from agentview.providers.copilot.schema import (
    Attached,
    Data,
    Decided,
    Ended,
    Permission,
    Prompt,
    Record,
    Request,
    Returned,
)
from agentview.providers.copilot.session_records import records
from agentview.providers.copilot.tools import ELICITATION, SPECS, find_tool

_START = re.compile(r'\{\s*"(?:type|data|id|timestamp|parentId|session_id|role)"\s*:')
_REFUSALS = (
    (
        r"(?is).{0,400}?(?:could.?not.?request|no interactive user|no approval rule)",
        DeniedBy.APPROVAL,
    ),
    (
        (
            r"(?is).{0,400}?(?:\buser\b.{0,40}(?:reject|den|declin)|by.?user|interactively)"
            r"(?:.{0,200}?\bfeedback: (?P<words>.+))?"
        ),
        DeniedBy.PERSON,
    ),
    (r"(?is).{0,400}?\b(?:rule|policy|hook|content.exclusion)", DeniedBy.RULE),
)
"""Who refused a call, by the words of the client."""
_REFUSED = frozenset({"denied", "rejected", "permission_denied"})
_REFUSING = ("denied", "rejected")
_SUBJECTS = ("fullCommandText", "fileName", "path", "url", "toolName", "fact")
"""Keys of the subject of a request for permission."""
_FINE = (None, 0)


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _record_events(record: CopilotRecord) -> Sequence[LightEvent]:
    if not record.record.data:
        speaker = said_by(record.fields)
        if speaker is not None:
            return _flat_events(record, speaker)
    return records(record, record.record.type or None)


def _around(record: CopilotRecord) -> Sequence[LightEvent]:
    """Facts of a document around the messages: the directory."""
    folder = record.record.workspace_path or record.record.cwd
    facts = Facts(cwd=folder) if folder is not None else None
    return [hidden(record, "what is around the messages", "document", facts=facts)]


LINES = TypedDocuments(Record, copilot_record, _record_events, _START, around=_around)


def _flat_events(record: CopilotRecord, speaker: str) -> Sequence[LightEvent]:
    """Events of a record of the first versions."""
    fields, words = record.fields, words_of(record.fields) or ""
    folder = text(fields, "cwd", "workspacePath")
    record.time = moment_of(fields)
    record.facts = Facts(cwd=folder) if folder is not None else None
    if speaker == "user":
        return [record.event("prompt", spoken(words))]
    return [record.event("text", Message(words))]


@records.on("user.message")
def _user(record: CopilotRecord) -> Sequence[LightEvent]:
    """A prompt, with what the client put in front of it for the model."""
    data = read_as(record.values, Prompt)
    said, source = data.content or "", data.source or "user"
    if source != "user" and not source.startswith("agent"):
        return [record.event("note", Attachment(source, "note", said))]
    if data.is_autopilot_continuation is True:
        return [record.event("note", Attachment("autopilot", "note", said))]
    sent = data.transformed_content or ""
    before = sent.removesuffix(said).strip() if said and sent.endswith(said) else ""
    blocks = tuple(_attached(each or Attached()) for each in data.attachments or ())
    # A prompt mostly comes while the client is idle; others are queued, or come from a program.
    via = data.delivery or None
    if via in (None, "idle"):
        via = "agent" if record.stream.kind is StreamKind.SUBAGENT else None
    return [record.event("prompt", User(said, blocks, via, (before,) if before else ()))]


def _attached(item: Attached) -> Block:
    media, path = item.mime_type or None, item.path or item.file_path or None
    if media is not None and media.startswith("image/"):
        return ImageBlock(media, item.data or None, path or item.asset_id or None)
    name = item.display_name or item.title or None
    return ResourceBlock(path or item.url or None, name, media, item.text or None)


@records.on("assistant.message")
def _assistant(record: CopilotRecord) -> Sequence[LightEvent]:
    """A response: a thought, words, and the calls that it asks for."""
    data = record.data
    record.response_id = data.api_call_id or data.message_id or None
    record.facts = model_facts(data.model) if data.model else None
    events: list[LightEvent] = []
    thought = data.reasoning_text or None
    if thought is not None or data.reasoning_opaque:
        events.append(_thought(record, thought))
    said = text_of(data.content)
    if said is not None:
        events.append(record.part("text", MESSAGE, 0, Message, (said, ()), signal=Signal.PERSON))
    for number, request in enumerate(data.tool_requests or ()):
        asked = request or Request()
        place = ("data", "toolRequests", number, "arguments")
        events.append(_call(record, f"call{number}", asked, asked.name, place))
    written = whole_of(data.output_tokens)
    if written is not None and record.response_id is not None:
        # Nothing else reports it in versions without records of usage.
        usage = TokenUsage(record.response_id, Usage(output=written), data.model or None)
        events.append(record.usage_part(usage))
    return whole_response(events) or [
        hidden(record, "a response without words", "assistant.message")
    ]


@records.on("assistant.reasoning")
def _reasoning(record: CopilotRecord) -> Sequence[LightEvent]:
    return [_thought(record, text_of(record.data.content) or "")]


def _thought(record: CopilotRecord, said: str | None) -> LightEvent:
    made = (said or "", said is None)
    return record.part("thought", REASONING, 0, Reasoning, made, signal=Signal.AGENT)


@records.on("tool.execution_start", "tool.user_requested")
def _started(record: CopilotRecord) -> Sequence[LightEvent]:
    """A call is done now; it says again what the response asked for."""
    data = record.data
    return [_call(record, "call", data, data.tool_name, ("data", "arguments"), "started")]


@records.on("external_tool.requested")
def _handed(record: CopilotRecord) -> Sequence[LightEvent]:
    """A call that the host does: where no response asked for it, nothing else has it."""
    data = record.data
    if data.tool_call_id is None:
        return [hidden(record, "a call that the host does", "external_tool.requested")]
    return [_call(record, "call", data, data.tool_name, ("data", "arguments"), "handed")]


def _call(
    record: CopilotRecord,
    suffix: str,
    asked: Request | Data,
    named: str | None,
    place: tuple[str | int, ...],
    path: str = "",
) -> LightEvent:
    """The call of a request, or of the record that says that it is done now."""
    name = named or "(none)"
    call_id = call_id_of(asked.tool_call_id, f"{record.name}:{place[-2]}")
    known = _known(name, asked.mcp_server_name or None, asked.mcp_tool_name or None)
    made = (record, call_id, name, asked, place)
    if known is None:
        return record.event(suffix, _whole_call(*made), path=path)
    light = record.call_part(suffix, call_id, known, _whole_call, made)
    light.path = path
    return light


@lru_cache(maxsize=256)
def _known(name: str, server: str | None, tool: str | None) -> KnownCall | None:
    return known_call(name, _of_server(name, server, tool) or SPECS.get(name))


def _of_server(name: str, server: str | None, tool: str | None) -> ToolSpec | None:
    return None if server is None else of_server(server, tool or name.removeprefix(f"{server}-"))


def _whole_call(
    record: CopilotRecord,
    call_id: str,
    name: str,
    asked: Request | Data,
    place: tuple[str | int, ...],
) -> ToolCall:
    given = record.value_of(asked.arguments)
    arguments: Mapping[str, object] | str | None = None
    raw: bytes | None = None
    if isinstance(given, dict):
        arguments, raw = cast("Fields", given), record.exact(asked.arguments, *place)
    elif given is not None:
        arguments = as_text(given) or ""
        if name == "apply_patch" and not mapping(arguments):
            arguments = {"input": arguments}
    args = arguments if isinstance(arguments, Mapping) else mapping(arguments)
    spec = _of_server(name, asked.mcp_server_name or None, asked.mcp_tool_name or None)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        raw=raw,
        spec=spec or find_tool(name, args),
        title=asked.intention_summary or None,
    )


@records.on("tool.execution_complete")
def _ended(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.data
    call_id = data.tool_call_id
    if call_id is None:
        return [record.unknown("tool.execution_complete")]
    shell, printed = data.shell_execution, data.printed
    code = whole_of(shell.exit_code) if shell is not None else None
    if code is None and printed is not None and not bytes(data.file_edits):
        code = COMMAND.exit_code(printed)
    ok = False if data.success and code not in _FINE else data.success
    made = (record, call_id, ok, printed)
    light = record.result_part("result", call_id, _result, made, failed=ok is False)
    if ok is None:
        light.signal |= Signal.OUTCOME_UNKNOWN
    return [light]


def _result(
    record: CopilotRecord, call_id: str, ok: bool | None, printed: str | None
) -> ToolResult:
    data, failure = record.data, record.data.failure
    ended = read_as(record.values, Ended)
    output = read_as(ended.result, Returned)
    words = failure.message or None
    structured = {
        "detail": output.detailed_content,
        "shell": ended.shell_execution,
        "edits": ended.file_edits,
    }
    refused = data.success is False and failure.code in _REFUSED
    return ToolResult(
        call_id,
        ok,
        (*((TextBlock(printed),) if printed else ()), *_images(output)),
        structured={key: value for key, value in structured.items() if value},
        error=(words or printed) if data.success is False else None,
        denial=_denial(words or "") if refused else None,
    )


def _images(result: Returned) -> tuple[Block, ...]:
    return tuple(
        ImageBlock(
            each.mime_type or None,
            each.data or None,
            each.asset_id or None,
            byte_size=whole_of(each.byte_length),
        )
        for each in result.binary_results_for_llm or ()
        if each is not None and each.type == "image"
    )


def _denial(words: str) -> Denial:
    return refusal(words, _REFUSALS) or Denial(DeniedBy.UNKNOWN)


@records.on("tool.execution_progress", "tool.execution_partial_result")
def _progress(record: CopilotRecord) -> Sequence[LightEvent]:
    call_id, data = record.data.tool_call_id, record.data
    said = data.partial_output or data.progress_message
    if call_id is None or not said:
        return [hidden(record, "a call is at work", "tool.execution_progress")]
    made = (ToolProgress(call_id, said),)
    return [record.part("progress", HIDDEN, Flag.BOOKKEEPING, same, made, Role.PROGRESS, call_id)]


@records.on("session.usage_record", "assistant.usage")
def _usage(record: CopilotRecord) -> Sequence[LightEvent]:
    counts = record.data.usage or record.data
    usage = usage_of(
        counts.input_tokens, counts.cache_read_tokens, counts.cache_write_tokens,
        counts.output_tokens, counts.reasoning_tokens,
    )  # fmt: skip
    if usage is None:
        return [hidden(record, "a request without counts", "session.usage_record")]
    record.response_id = name = counts.api_call_id or record.name
    return [record.usage_part(TokenUsage(name, usage, counts.model or None))]


@records.on("subagent.started")
def _agent_began(record: CopilotRecord) -> Sequence[LightEvent]:
    """An agent begins: its records have its id, or that of the call that started it."""
    call_id = record.data.tool_call_id
    agent = record.record.agent_id or call_id
    if call_id is None or agent is None:
        return [hidden(record, "an agent begins", "subagent.started")]
    name = text(record.values, "agentDisplayName") or text(record.values, "agentName") or ""
    child = Stream(StreamKind.SUBAGENT, agent)
    return [record.event("began", ToolProgress(call_id, name), child=child)]


@records.on("permission.requested")
def _asked(record: CopilotRecord) -> Sequence[LightEvent]:
    """The client asks whether a call may be done."""
    data = read_as(record.values, Permission)
    request = mapping(data.permission_request) or mapping(data.prompt_request)
    subject = next(filter(None, (text(request, key) for key in _SUBJECTS)), None)
    intention = text(request, "intention") or text(request, "kind") or "Permission"
    call = permission_request(
        record.data.request_id or record.name,
        f"{intention}: {subject}" if subject else intention,
        call_id_of(request.get("toolCallId"), None),
        request,
        record.text_at("data", "permissionRequest"),
        detail=text(request, "diff") or None,
    )
    return [record.event("ask", call)]


@records.on("permission.completed")
def _decided(record: CopilotRecord) -> Sequence[LightEvent]:
    """Return the outcome of that question: the result of the call itself says more."""
    result = read_as(record.values, Permission).result or Decided()
    call_id = record.data.request_id or None
    if call_id is None:
        return [hidden(record, "a question was answered", "permission.completed")]
    said, words = result.kind or "answered", result.feedback or None
    refused = Denial(_denial(said).by, words) if said.startswith(_REFUSING) else None
    return [record.event("answer", decision(call_id, said, words, refused=refused))]


@records.on("elicitation.requested")
def _elicited(record: CopilotRecord) -> Sequence[LightEvent]:
    """A server asks the person. What the agent asks in this way is a call that says so itself."""
    data = record.values
    if record.data.tool_call_id is not None and not data.get("elicitationSource"):
        return [hidden(record, "a question, which its call asks too", "elicitation.requested")]
    question = tool_call(
        call_id=record.data.request_id or record.name,
        name=ELICITATION,
        arguments=data,
        raw=record.text_at("data"),
        spec=SPECS[ELICITATION],
    )
    return [record.event("ask", question)]


@records.on("elicitation.completed")
def _answered(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    call_id, action = record.data.request_id or None, text(data, "action")
    if call_id is None:
        return [hidden(record, "an answer to a server", "elicitation.completed")]
    refused = None if action in (None, "accept") else Denial(DeniedBy.PERSON)
    said = as_text(data.get("content")) or action
    return [record.event("answer", decision(call_id, said, refused=refused))]
