"""What happened: the events of an entry, of a turn that is over, or of the session as a whole."""

import re
from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Hidden,
    Level,
    Notification,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, texts
from agentview.normalize.json_values import Fields, fields_of, text_of, time_of, whole_of
from agentview.providers._kit.images import words_and_blocks
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
    read_as,
)
from agentview.providers.vibe.shared.content import Content, content_of
from agentview.providers.vibe.shared.tools import find_tool, known_tool
from agentview.providers.vibe.vibe.folder import entry_key
from agentview.providers.vibe.vibe.results import with_patch
from agentview.providers.vibe.vibe.schema import (
    Answer,
    Asked,
    Config,
    Counts,
    Detail,
    Details,
    Display,
    Fault,
    Inner,
    Picture,
    Record,
    Replied,
    Reply,
    Resolved,
    Session,
    State,
    Structured,
    Turn,
)

_RUNNING = ("running", "in_progress", "pending", "open")
_STOPPED = ("cancelled", "canceled", "interrupted", "aborted")
_REFUSERS = {"user": DeniedBy.PERSON, "config": DeniedBy.RULE}
_OWN_WORDS = "Tool execution denied"


class VibeRecord(TypedBuilder[Record], gc=False):
    """An entry, which has an id and is written again with it, or what is said of the session."""

    def said(self, content: Content) -> tuple[str, tuple[Block, ...]]:
        return content_of(self, content, _images)


def _record(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> VibeRecord:
    own = record.id or None if record.type else None
    return VibeRecord.of(
        record, raw, source, session, time=time_of(record.created_at), record_id=own,
        rewritten_id=entry_key(own, record.created_at), keeps_place=own is not None,
    )  # fmt: skip


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


ENTRIES = Records[VibeRecord](hidden={})
"""Makers of events by the types of entries."""


def _record_events(record: VibeRecord) -> Sequence[LightEvent]:
    own = record.record
    if own.type:
        return ENTRIES(record, own.type)
    if own.latest_turn is not UNSET:
        return _turn(record, own.latest_turn or Turn())
    if own.session is not UNSET:
        return _session(record, own.session or Session())
    if own.call is not UNSET and own.answer is not UNSET:
        return _not_run(record, own.call or Asked(), own.answer)
    if own.callback_resolved is not UNSET:
        return _resolved(record, own.callback_resolved or Resolved())
    if own.session_id is not UNSET and own.environment is not UNSET:
        return _meta(record)
    if own.missing_chunk is not UNSET:
        return [record.unreadable("the chunk that has these entries is missing")]
    return [record.unknown("(none)")]


LINES = TypedLines(
    Record,
    _record,
    _record_events,
    re.compile(r'\{\s*"(?:content|createdAt|callbackId|latestTurn|session|artifacts|answer)"\s*:'),
)


@ENTRIES.on("message")
def _message(record: VibeRecord) -> Sequence[LightEvent]:
    words, others = record.said(record.record.content)
    if record.record.role == "user":
        source = record.record.source or None
        via = None if source == "turn_start" else source
        return [record.event("prompt", spoken(words, others, via))]
    return [record.text_part("said", words, others)]


def _images(part: Fields) -> list[str] | None:
    picture = read_as(part, Picture)
    media = picture.mime_type or ""
    if picture.data and media.startswith("image/"):
        return [f"data:{media};base64,{picture.data}"]
    uri = (picture.image_url and picture.image_url.url) or picture.url
    return [uri] if uri and picture.type in ("image", "image_url") else None


@ENTRIES.on("reasoning")
def _reasoning(record: VibeRecord) -> Sequence[LightEvent]:
    own = record.record
    said = own.text or "\n".join(texts(record.value_of(own.summary)))
    return [record.thought_part("thought", said, withheld=not said)]


@ENTRIES.on("effect")
def _effect(record: VibeRecord) -> Sequence[LightEvent]:
    """A call, with what came of it so far."""
    detail, state = record.record.detail or Detail(), record.record.state or State()
    name = detail.tool_name or detail.kind or "(none)"
    call_id = record.name
    made = (record, call_id, name, detail)
    events = [record.call_event("call", call_id, known_tool(name), _call, made)]
    if state.status not in _RUNNING:
        events.append(_outcome(record, call_id, state))
    elif state.output_text:
        events.append(record.event("progress", ToolProgress(call_id, state.output_text)))
    return events


def _call(record: VibeRecord, call_id: str, name: str, detail: Detail) -> ToolCall:
    given = record.value_of(detail.input)
    args, written = fields_of(given), isinstance(given, str)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=given if written else args,
        raw=None if written else record.exact(detail.input, "detail", "input") or None,
        spec=find_tool(name, args),
    )


def _outcome(record: VibeRecord, call_id: str, state: State) -> LightEvent:
    output = fields_of(record.value_of(state.output))
    code = whole_of(read_as(output.get("structured_content"), Structured).returncode)
    error = state.error or Fault()
    failed = state.status == "failed" or (state.display or Display()).success is False
    denied = error.code == "tool_denied" or state.decision == "skip"
    denial = _denial(state.approval_source, error.message or None) if denied else None
    ok = True if state.status == "completed" else None
    if failed or (code is not None and code != 0):
        ok = False
    said = error.message or None if failed and not denied else None
    made = (call_id, ok, state, output, said, denial)
    failed = None if ok is None and denial is None else ok is False or denial is not None
    light = record.result_part("result", call_id, _result, made, failed=failed)
    ended = time_of(record.record.updated_at)
    light.time = record.time if ended is None else ended
    return light


def _result(
    call_id: str,
    ok: bool | None,
    state: State,
    output: Fields,
    error: str | None,
    denial: Denial | None,
) -> ToolResult:
    structured = output.get("structured_content")
    words, others = words_and_blocks(output.get("content"), _images)
    words = words or state.output_text
    blocks: tuple[Block, ...] = (*((TextBlock(words),) if words else ()), *others)
    if not blocks and structured is None and output and "content" not in output:
        blocks = (JsonBlock(output),)
    return ToolResult(
        call_id,
        ok,
        blocks or ((JsonBlock(structured),) if structured is not None else ()),
        structured=with_patch(structured, output),
        error=error,
        denial=denial,
        interrupted=state.status in _STOPPED,
    )


def _denial(source: str | None, words: str | None) -> Denial:
    own = words is None or words.startswith(_OWN_WORDS)
    return Denial(_REFUSERS.get(source or "", DeniedBy.UNKNOWN), None if own else words)


def _not_run(record: VibeRecord, call: Asked, answer: Answer | None) -> Sequence[LightEvent]:
    """A call that got no entry, and what the model was given for it."""
    own = record.record_id = call.id or record.name
    record.time = time_of(call.time)
    name, given = call.name or "(none)", call.arguments_json or None
    spec = find_tool(name, mapping(given))
    made = tool_call(call_id=own, name=name, arguments=given, spec=spec)
    if answer is None:
        # The client asked the model again, as if it had not answered.
        dropped = ToolResult(own, None, interrupted=True)
        return [record.event("call", made), record.event("result", dropped)]
    said, others = record.said(answer.content)
    failed = answer.outcome != "success"
    reason = text_of(fields_of(fields_of(mapping(said).get("result")).get("error")).get("message"))
    said = reason or said
    result = ToolResult(
        own,
        not failed,
        (*((TextBlock(said),) if said else ()), *others),
        error=said if failed else None,
    )
    return [record.event("call", made), record.event("result", result)]


@ENTRIES.on("checkpoint")
def _checkpoint(record: VibeRecord) -> Sequence[LightEvent]:
    """A compaction, from the moment when it begins."""
    own = record.record
    if own.kind != "compaction":
        return [record.unknown(f"checkpoint/{own.kind or None}")]
    if own.generation_status in _RUNNING:
        return [record.event("compacted", Hidden("a compaction has begun", "checkpoint"))]
    if own.generation_status != "completed":
        said = own.message or "The compaction failed"
        return [record.event("compacted", Notification(Topic.SYSTEM, said, Level.WARNING))]
    body = Compaction(trigger=(own.details or Details()).trigger or None)
    return [record.event("compacted", body, resets=Reset.COMPACTED)]


@ENTRIES.on("callback")
def _callback(record: VibeRecord) -> Sequence[LightEvent]:
    """The client waits for the person: whether a call may be made, or for an answer."""
    own, detail = record.record, record.record.detail or Detail()
    if detail.kind != "approval":
        # A question is a call of its own, which waits as well.
        return [hidden(record, "a question that its call has", "callback")]
    given = (detail.effect or Inner()).input
    call = permission_request(
        record.name,
        own.title or "Approve this call?",
        own.related_entry_id or detail.related_entry_id or None,
        fields_of(record.value_of(given)),
        record.exact(given, "detail", "effect", "input") or None,
    )
    state = own.state or State()
    if not state.status or state.status in _RUNNING:
        return [record.event("ask", call)]
    reply = read_as(record.value_of(state.output), Reply)
    said = reply.decision.type if reply.decision is not None else None
    answer = _answer(record, record.name, said, reply.feedback or None)
    return [record.event("ask", call), answer]


def _answer(record: VibeRecord, own: str, said: str | None, words: str | None) -> Event:
    """The answer to a request, which its entry may have as well."""
    refused = Denial(DeniedBy.PERSON, words) if said == "deny" else None
    body = decision(own, said, words, refused=refused)
    return record.event("answer", body, dedupe_key=f"{own}/resolved")


def _resolved(record: VibeRecord, payload: Resolved) -> Sequence[LightEvent]:
    output = (payload.result or Replied()).output or Reply()
    own = payload.callback_id
    if not own or (output.type or "approval") != "approval":
        reason = "the answer to a question, which its call has"
        return [hidden(record, reason, "callback_resolved")]
    said = output.decision.type if output.decision else None
    record.record_id = f"{own}/resolved"
    return [_answer(record, own, said or None, output.feedback or None)]


def _turn(record: VibeRecord, turn: Turn) -> Sequence[LightEvent]:
    """A turn is over, and how it ended."""
    record.record_id = record.rewritten_id = turn.id or None
    record.time = time_of(turn.completed_at)
    began = time_of(turn.started_at)
    took = None if began is None or record.time is None else max(0.0, record.time - began)
    if turn.status in _STOPPED:
        body = Notification(Topic.INTERRUPT, "stopped by the person", duration=took)
    elif turn.error is not None or turn.status == "failed":
        error = turn.error or Fault()
        said = error.message or "The turn failed"
        topic = error_topic(said, status=whole_of((error.details or Details()).http_status))
        body = Notification(topic, said, Level.ERROR, error.code or None, duration=took)
    else:
        body = Notification(Topic.TURN_END, "Turn complete", duration=took)
    return [record.event("end", body)]


def _session(record: VibeRecord, session: Session) -> Sequence[LightEvent]:
    """The state of a session, with its counts or the sum of its requests, whichever is larger."""
    record.record_id = "session"
    record.time = time_of(session.updated_at)
    state = Hidden("the state of the session", "session")
    events = [record.event("session", state, replaces="session")]
    counted = session.token_usage or Counts(), record.record.requests or Counts()
    most = max(counted, key=lambda each: whole_of(each.input_tokens) or 0)
    given, cached = whole_of(most.input_tokens), whole_of(most.cached_input_tokens)
    if given is not None:
        # The tokens that go in include what a cache gave or took.
        written = whole_of(most.cache_write_tokens) or None
        fresh = max(0, given - (cached or 0) - (written or 0))
        usage = Usage(fresh, cached, written, whole_of(most.output_tokens))
        body = TokenUsage("session", usage, total=True)
        events.append(record.event("usage", body, replaces="usage"))
    return events


def _meta(record: VibeRecord) -> Sequence[LightEvent]:
    """Where and when the session is, and what the person calls it."""
    own, config = record.record, record.record.config or Config()
    facts = Facts(
        cwd=(own.environment.working_directory if own.environment else None) or None,
        branch=own.git_branch or None,
        model=config.model_name or config.active_model or None,
    )
    record.record_id = "meta"
    record.time = time_of(own.start_time)
    kept = Hidden("what is kept of the session", "meta")
    events = [record.event("meta", kept, replaces="meta", facts=facts)]
    if own.title:
        by_client = own.title_source == "auto"
        body = Title(own.title, TitleSource.AI if by_client else TitleSource.CUSTOM)
        events.append(record.event("title", body, replaces="title"))
    return events
