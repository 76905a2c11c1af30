"""What happened: the events of one record of a session file, or of the stream of `droid exec`."""

import re
from collections.abc import Callable, Mapping
from hashlib import sha1

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    Body,
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, number, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    parts_of,
    seconds_of,
    text_of,
    time_of,
)
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import parted, spoken
from agentview.providers.droid.tools import SPECS

_UNTITLED = "New Session"
_EXIT = re.compile(r"(?:Error: )?Command failed \(exit code: (\d{1,10})\)")
_REFUSED = re.compile(
    r"(?:Error: )?(?:The )?(?:user|tool execution (?:was )?)[^.\n]{0,40}"
    r"(?:reject|declin|den(?:y|ied)|cancel)",
    re.IGNORECASE,
)


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    kind = text_of(fields.get("type")) or "(none)"
    record.time = time_of(fields.get("timestamp"))
    make = _MAKERS.get(kind)
    return make(record, fields) if make is not None else [record.unknown(kind)]


def _start(record: EventBuilder, fields: Fields) -> list[Event]:
    """The beginning of a session; a version that is a number is one of the format."""
    facts = Facts(cwd=text_of(fields.get("cwd")), client_version=text_of(fields.get("version")))
    events = [record.hidden("the session itself", "session_start", facts=facts)]
    given, made = text_of(fields.get("sessionTitle")), text_of(fields.get("title"))
    title = made if given in (None, _UNTITLED) else given
    if title is not None and title != _UNTITLED:
        _, words = parted(title)
        events.append(record.event("title", Title(words, TitleSource.AI)))
    return events


def _message(record: EventBuilder, fields: Fields) -> list[Event]:
    message = fields_of(fields.get("message"))
    if not message:
        return _said(record, fields)
    record.record_id = text_of(fields.get("id"))
    record.parent_id = text_of(fields.get("parentId"))
    role = text_of(message.get("role"))
    if role not in ("user", "assistant"):
        return [record.unknown(f"message/{role}")]
    if role == "assistant":
        record.response_id = record.record_id
    content = message.get("content")
    parts = parts_of(content)

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> Event:
        return record.event(suffix, _spoken(role, "\n".join(words), blocks, message))

    made = (_part(record, at, part) for at, part in enumerate(map(fields_of, parts)))
    events = in_order(made, say, merged=role == "user")
    if role == "assistant":
        events = whole_response(events)
    return events or [record.hidden("a message without words", "message")]


def _spoken(role: str, said: str, blocks: tuple[Block, ...], message: Fields) -> Body:
    """Return what a message says; what only the person is to see is a note of the client."""
    if message.get("visibility") == "user_only" and role == "user":
        level = Level.ERROR if error_topic(said) is Topic.LIMIT else Level.INFO
        return Notification(Topic.LIMIT if level is Level.ERROR else Topic.SYSTEM, said, level)
    return spoken(said, blocks) if role == "user" else Message(said, blocks)


def _part(record: EventBuilder, at: int, part: Fields) -> Event | Block | str:
    """The event of a part, or what it adds to what the message says."""
    kind = text_of(part.get("type"))
    if kind == "text":
        return text_of(part.get("text")) or ""
    if kind in ("thinking", "redacted_thinking"):
        thought = text_of(part.get("thinking"))
        return record.event(f"thought/{at}", Reasoning(thought or "", withheld=thought is None))
    if kind == "tool_use":
        call = tool_call(
            call_id=call_id_of(part.get("id"), f"{record.name}/{at}"),
            name=text_of(part.get("name")) or "(none)",
            arguments=fields_of(part.get("input")),
            raw=record.text_at("message", "content", at, "input"),
            spec=SPECS.get(text_of(part.get("name")) or "(none)"),
        )
        return record.event(f"call/{at}", call)
    if kind == "tool_result":
        call_id = call_id_of(part.get("tool_use_id"), f"{record.name}/{at}")
        failed = part.get("is_error")
        body = _result(call_id, part.get("content"), failed=failed is True)
        return record.event(f"result/{at}", body)
    return _block(part)


def _block(part: Fields) -> Block:
    source = fields_of(part.get("source"))
    if part.get("type") == "image":
        media = text_of(source.get("media_type"))
        return ImageBlock(media, text_of(source.get("data")), text_of(source.get("url")))
    return JsonBlock(part)


def _result(call_id: str, content: object, *, failed: bool) -> ToolResult:
    """The outcome of a call: an exit code is in its text, or in its structured form."""
    blocks: list[Block] = []
    words: list[str] = []
    for part in [content] if isinstance(content, str) else items_of(content):
        said = part if isinstance(part, str) else text_of(fields_of(part).get("text"))
        blocks.append(TextBlock(said) if said is not None else _block(fields_of(part)))
        words += [said] if said else []
    structured = mapping(content)
    head = "\n".join(words) or text(structured, "stderr", "stdout", "output", "error") or ""
    if structured and not words:
        blocks = [JsonBlock(content)]
    match = _EXIT.match(head)
    code = int(match[1]) if match is not None else number(structured, "exitCode", "exit_code")
    ok = False if failed or code not in (None, 0) else None if code is None else True
    denial = Denial(DeniedBy.PERSON, head) if failed and _REFUSED.match(head) else None
    if match is not None:
        structured = {"output": head[match.end() :].lstrip("\n"), "exit_code": code}
    return ToolResult(
        call_id,
        ok,
        tuple(blocks),
        structured=structured or None,
        error=head if ok is False and denial is None else None,
        denial=denial,
    )


def _todo_state(record: EventBuilder, fields: Fields) -> list[Event]:
    _ = fields
    return [record.hidden("the list of todos, which the call for it has", "todo_state")]


def _compacted(record: EventBuilder, fields: Fields) -> list[Event]:
    summary = text(fields, "summaryText", "summary")
    body = Compaction(summary=summary, tokens_after=number(fields, "summaryTokens"))
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _system(record: EventBuilder, fields: Fields) -> list[Event]:
    facts = Facts(cwd=text_of(fields.get("cwd")), model=text_of(fields.get("model")))
    return [record.hidden("the run begins", "system", facts=facts)]


def _said(record: EventBuilder, fields: Fields) -> list[Event]:
    """A message of the stream."""
    said, role = text_of(fields.get("text")), text_of(fields.get("role"))
    if said is None or role not in ("user", "assistant"):
        return [record.unknown(f"message/{role}")]
    if role == "user":
        return [record.event("said", spoken(said))]
    return [record.event("said", Message(said), run=_run_of(said))]


def _run_of(said: str) -> str:
    """The end of a run says the last message again: the same words next to each other are one."""
    return sha1(said.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:20]


def _thought(record: EventBuilder, fields: Fields) -> list[Event]:
    return [record.event("thought", Reasoning(text(fields, "text", "content") or ""))]


def _call(record: EventBuilder, fields: Fields) -> list[Event]:
    name = text_of(fields.get("toolName")) or text_of(fields.get("toolId")) or "(none)"
    call = tool_call(
        call_id=text(fields, "toolCallId", "id") or record.name,
        name=name,
        arguments=fields_of(fields.get("parameters")),
        raw=record.text_at("parameters"),
        spec=SPECS.get(name),
    )
    return [record.event("call", call)]


def _outcome(record: EventBuilder, fields: Fields) -> list[Event]:
    call_id = text(fields, "toolCallId", "id") or record.name
    value = fields.get("value", fields.get("error"))
    failed = fields.get("isError") is True
    return [record.event("result", _result(call_id, value, failed=failed))]


def _completion(record: EventBuilder, fields: Fields) -> list[Event]:
    """The end of a run, with its last message and the tokens of all of it."""
    said = text_of(fields.get("finalText"))
    events: list[Event] = []
    if said is not None:
        events.append(record.event("final", Message(said), run=_run_of(said), whole=True))
    usage = fields_of(fields.get("usage"))
    used = _usage(usage)
    if used is not None:
        events.append(record.event("usage", TokenUsage("run", used, total=True)))
    note = Notification(
        Topic.TURN_END, "The run has ended", duration=seconds_of(fields.get("durationMs"))
    )
    return [*events, record.event("end", note)]


def _usage(counts: Fields) -> Usage | None:
    given, output = number(counts, "input_tokens"), number(counts, "output_tokens")
    if given is None and output is None:
        return None
    cached = number(counts, "cache_read_input_tokens")
    return Usage(given, cached, number(counts, "cache_creation_input_tokens"), output)


def _error(record: EventBuilder, fields: Fields) -> list[Event]:
    words = as_text(fields.get("message")) or "The run failed"
    return [record.event("error", Notification(error_topic(words), words, Level.ERROR))]


_MAKERS: Mapping[str, Callable[[EventBuilder, Fields], list[Event]]] = {
    "session_start": _start,
    "message": _message,
    "todo_state": _todo_state,
    "compaction_state": _compacted,
    "system": _system,
    "reasoning": _thought,
    "tool_call": _call,
    "tool_result": _outcome,
    "completion": _completion,
    "error": _error,
}

LINES = RecordDecoder(
    EventBuilder, _record_events, re.compile(r'\{\s*"(?:type|id|timestamp|session_id)"\s*:')
)
