"""Events of one record of a session file, or of the stream of `droid exec`."""

import re
from collections.abc import Sequence
from hashlib import sha1

from msgspec import UNSET, Raw

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
    Compaction,
    Facts,
    Level,
    Notification,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
)
from agentview.domain.index_entry import EventLinks
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, number, text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.images import picture
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import split_context, spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
    in_run,
)
from agentview.providers.droid.schema import Message, Part, Record, Tokens
from agentview.providers.droid.tools import COMMAND, KNOWN, SPECS

_ENDS = frozenset({"completed", "spec_handoff"})
_STOPS = frozenset({"cancelled", "permission_rejected", "process_exit"})
_LIMITS = frozenset({"model_rate_limited", "model_usage_exhausted"})
"""Reasons why a turn ended, as the client has them (0.225.2); the others are errors."""
_UNTITLED = "New Session"
_EXIT = re.compile(r"(?:Error: )?Command failed \(exit code: (\d{1,10})\)")
_TIMED_OUT = re.compile(r"Command timed out after [\d.]{1,20} seconds\.[^\n]{0,200}\s*")
_REFUSED = re.compile(
    r"(?:Error: )?(?:The )?(?:user|tool execution (?:was )?)[^.\n]{0,40}"
    r"(?:reject|declin|den(?:y|ied)|cancel)",
    re.IGNORECASE,
)


class DroidRecord(TypedBuilder[Record], gc=False):
    """A record of a session file, or of the stream."""

    def call(
        self, suffix: str, call_id: str, name: str, given: Raw, *path: str | int
    ) -> LightEvent:
        """A call, whose arguments are at a path of the record."""
        made = (self, call_id, name, given, path)
        return self.call_event(suffix, call_id, KNOWN.get(name), _call_body, made)


records = Records[DroidRecord](
    hidden={"todo_state": "the list of todos, which the call for it has"},
)


def _record_events(record: DroidRecord) -> Sequence[LightEvent]:
    record.time = time_of(record.record.timestamp)
    return records(record, record.record.type or None)


LINES = TypedLines(
    Record,
    DroidRecord.of,
    _record_events,
    re.compile(r'\{\s*"(?:type|id|timestamp|session_id)"\s*:'),
)


@records.on("session_start")
def _start(record: DroidRecord) -> Sequence[LightEvent]:
    """The beginning of a session."""
    own = record.record
    version = own.version if isinstance(own.version, str) else None
    facts = Facts(cwd=own.cwd or None, client_version=version or None)
    events: list[LightEvent] = [hidden(record, "the session itself", "session_start", facts=facts)]
    given = own.session_title
    title = own.title if given in (None, "", _UNTITLED) else given
    if title and title != _UNTITLED:
        _, words = split_context(title)
        events.append(record.event("title", Title(words, TitleSource.AI)))
    return events


@records.on("message")
def _message(record: DroidRecord) -> Sequence[LightEvent]:
    own, message = record.record, record.record.message
    if not isinstance(message, Message):
        return _said(record)
    record.record_id = own.id if isinstance(own.id, str) and own.id else None
    record.parent_id = own.parent_id or None
    role, content = message.role, message.content
    if role not in ("user", "assistant"):
        return [record.unknown(f"message/{role or None}")]
    if role == "assistant":
        record.response_id = record.record_id
        record.facts = Facts(model=message.model_id) if message.model_id else None
    parts = [Part("text", content)] if isinstance(content, str) else content or ()

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> LightEvent:
        said = "\n".join(words)
        if role == "assistant":
            return record.text_part(suffix, said, blocks)
        return record.event(suffix, _by_person(said, blocks, message))

    made = (_part(record, at, part) for at, part in enumerate(parts))
    events = in_order(made, say, merged=role == "user")
    if role == "assistant":
        events = whole_response(events)
    return events or [hidden(record, "a message without words", "message")]


def _by_person(said: str, blocks: tuple[Block, ...], message: Message) -> Body:
    """A prompt; what only the person, or only the model, is to see is a note of the client."""
    if message.visibility == "llm_only":
        return Attachment("note of the client", "instructions", said)
    if message.visibility == "user_only":
        level = Level.ERROR if error_topic(said) is Topic.LIMIT else Level.INFO
        return Notification(Topic.LIMIT if level is Level.ERROR else Topic.SYSTEM, said, level)
    return spoken(said, blocks)


def _part(record: DroidRecord, at: int, part: Part | str | None) -> LightEvent | Block | str:
    """The event of a part, or what it adds to what the message says."""
    if not isinstance(part, Part):
        return _block(fields_of(None))
    if part.type == "text":
        return part.text or ""
    if part.type in ("thinking", "redacted_thinking"):
        thought = part.thinking or ""
        return record.thought_part(f"thought/{at}", thought, withheld=not thought)
    if part.type == "tool_use":
        call_id, path = _id_of(record, part.id, at), ("message", "content", at, "input")
        return record.call(f"call/{at}", call_id, part.name or "(none)", part.input, *path)
    if part.type == "tool_result":
        content: object = record.value_of(part.content)
        body = _result(_id_of(record, part.tool_use_id, at), content, _flag(part.is_error))
        return record.event(f"result/{at}", body)
    return _block(record.values_at("message", "content", at))


def _id_of(record: DroidRecord, own: str | None, at: int) -> str:
    return f"{record.name}/{at}" if own is None else own


def _call_body(
    record: DroidRecord, call_id: str, name: str, given: Raw, path: tuple[str | int, ...]
) -> ToolCall:
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=fields_of(record.value_of(given)),
        raw=record.exact(given, *path) or None,
        spec=SPECS.get(name),
    )


def _block(part: Fields) -> Block:
    source = fields_of(part.get("source"))
    if part.get("type") == "image":
        return picture(source)
    return JsonBlock(part)


def _flag(given: object) -> bool | None:
    return given if isinstance(given, bool) else None


def _result(call_id: str, content: object, failed: bool | None) -> ToolResult:
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
    failed = True if _TIMED_OUT.fullmatch(head) else failed
    # What runs on has no outcome yet.
    launched = "launched" in COMMAND.parse(head)[1]
    known = not launched and (failed is not None or code is not None)
    ok = not failed and code in (None, 0) if known else None
    denial = Denial(DeniedBy.PERSON, head) if failed and _REFUSED.match(head) else None
    return ToolResult(
        call_id,
        ok,
        tuple(blocks),
        structured=structured or None,
        error=_error_of(head) if ok is False and denial is None else None,
        denial=denial,
    )


def _error_of(head: str) -> str | None:
    """An error in the words of the client; None where they say only the exit code."""
    return head if _EXIT.match(head) is None else COMMAND.parse(head)[0] or None


@records.on("compaction_state")
def _compacted(record: DroidRecord) -> Sequence[LightEvent]:
    own = record.record
    summary = own.summary if own.summary_text is None else own.summary_text
    body = Compaction(summary=summary, tokens_after=whole_of(own.summary_tokens))
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


@records.on("agent_turn_outcome")
def _turn_ended(record: DroidRecord) -> Sequence[LightEvent]:
    """How a turn ended; a note before it says more of an error."""
    reason = record.record.reason or "unknown"
    words = reason.replace("_", " ")
    if reason in _ENDS:
        body = Notification(Topic.TURN_END, f"Turn ended: {words}")
    elif reason in _STOPS:
        body = Notification(Topic.INTERRUPT, f"Interrupted: {words}", Level.WARNING)
    elif reason in _LIMITS:
        body = Notification(Topic.LIMIT, f"Turn failed: {words}", Level.ERROR)
    else:
        by_model = reason.startswith("model_")
        topic = Topic.API_ERROR if by_model else Topic.TURN_END
        body = Notification(topic, f"Turn failed: {words}", Level.ERROR)
    return [record.event("end", body)]


@records.on("system")
def _system(record: DroidRecord) -> Sequence[LightEvent]:
    facts = Facts(cwd=record.record.cwd or None, model=record.record.model or None)
    return [hidden(record, "the run begins", "system", facts=facts)]


def _said(record: DroidRecord) -> Sequence[LightEvent]:
    """A message of the stream."""
    said, role = record.record.text, record.record.role
    if not said or role not in ("user", "assistant"):
        return [record.unknown(f"message/{role or None}")]
    if role == "user":
        return [record.event("said", spoken(said))]
    return [in_run(record.text_part("said", said), EventLinks(run=_run_of(said)))]


def _run_of(said: str) -> str:
    """The end of a run says the last message again: the same words next to each other are one."""
    return sha1(said.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:20]


@records.on("reasoning")
def _thought(record: DroidRecord) -> Sequence[LightEvent]:
    own = record.record
    return [record.thought_part("thought", (own.content if own.text is None else own.text) or "")]


@records.on("tool_call")
def _call(record: DroidRecord) -> Sequence[LightEvent]:
    own = record.record
    name = own.tool_name or own.tool_id or "(none)"
    return [record.call("call", _call_id(record), name, own.parameters, "parameters")]


def _call_id(record: DroidRecord) -> str:
    own = record.record
    return as_text(own.id if own.tool_call_id is None else own.tool_call_id) or record.name


@records.on("tool_result")
def _outcome(record: DroidRecord) -> Sequence[LightEvent]:
    own = record.record
    value: object = record.value_of(own.error if own.value is UNSET else own.value)
    if own.value is UNSET:
        value = text(fields_of(value), "message") or value
    body = _result(_call_id(record), value, _flag(own.is_error))
    return [record.event("result", body)]


@records.on("completion")
def _completion(record: DroidRecord) -> Sequence[LightEvent]:
    """The end of a run, with its last message and the tokens of all of it."""
    own, events = record.record, list[LightEvent]()
    said, used = own.final_text, _usage(own.usage or Tokens())
    if said:
        links = EventLinks(run=_run_of(said), whole=True)
        events.append(in_run(record.text_part("final", said), links))
    if used is not None:
        events.append(record.usage_part(TokenUsage("run", used, total=True)))
    taken = seconds_of(own.duration_ms)
    note = Notification(Topic.TURN_END, "The run has ended", duration=taken)
    return [*events, record.event("end", note)]


def _usage(tokens: Tokens) -> Usage | None:
    given, output = whole_of(tokens.input_tokens), whole_of(tokens.output_tokens)
    if given is None and output is None:
        return None
    cached = whole_of(tokens.cache_read_input_tokens)
    return Usage(given, cached, whole_of(tokens.cache_creation_input_tokens), output)


@records.on("error")
def _error(record: DroidRecord) -> Sequence[LightEvent]:
    words = as_text(record.value_at("message")) or "The run failed"
    return [record.event("error", Notification(error_topic(words), words, Level.ERROR))]
