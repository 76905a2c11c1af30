"""What happened: the events of an entry, of a turn that is over, or of the session as a whole."""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import Block, JsonBlock, TextBlock
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
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, texts
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.images import words_and_blocks
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.vibe.shared.tools import find_tool
from agentview.providers.vibe.vibe.folder import entry_key
from agentview.providers.vibe.vibe.results import with_patch

_RUNNING = ("running", "in_progress", "pending", "open")
_STOPPED = ("cancelled", "canceled", "interrupted", "aborted")
_REFUSERS = {"user": DeniedBy.PERSON, "config": DeniedBy.RULE}
_OWN_WORDS = "Tool execution denied"


class VibeRecord(EventBuilder):
    """An entry, which has an id and is written again with it, or what is said of the session."""

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        if "type" in fields:
            self.record_id, self.rewritten_id = text_of(fields.get("id")), entry_key(fields)
            self.keeps_place = True
        self.time = time_of(fields.get("createdAt"))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: VibeRecord) -> list[Event]:
    fields = record.fields
    kind = text_of(fields.get("type"))
    if kind is not None:
        make = ENTRIES.get(kind)
        return [record.unknown(kind)] if make is None else make(record, fields)
    if "latestTurn" in fields:
        return _turn(record, fields_of(fields.get("latestTurn")))
    if "session" in fields:
        return _session(record, fields_of(fields.get("session")))
    if "call" in fields and "answer" in fields:
        return _not_run(record, fields_of(fields.get("call")), fields_of(fields.get("answer")))
    if "callback_resolved" in fields:
        return _resolved(record, fields_of(fields.get("callback_resolved")))
    if "session_id" in fields and "environment" in fields:
        return _meta(record, fields)
    if "missing_chunk" in fields:
        return [record.unreadable("the chunk that has these entries is missing")]
    return [record.unknown("(none)")]


def _message(record: VibeRecord, fields: Fields) -> list[Event]:
    words, others = words_and_blocks(fields.get("content"), _images)
    if fields.get("role") == "user":
        source = text_of(fields.get("source"))
        via = None if source == "turn_start" else source
        return [record.event("prompt", spoken(words, others, via))]
    return [record.event("said", Message(words, others))]


def _images(part: Fields) -> list[str] | None:
    data, media = text_of(part.get("data")), text_of(part.get("mimeType"))
    if data is not None and media is not None and media.startswith("image/"):
        return [f"data:{media};base64,{data}"]
    uri = text_of(fields_of(part.get("image_url")).get("url")) or text_of(part.get("url"))
    return [uri] if uri is not None and part.get("type") in ("image", "image_url") else None


def _reasoning(record: VibeRecord, fields: Fields) -> list[Event]:
    said = text_of(fields.get("text")) or "\n".join(texts(fields.get("summary")))
    return [record.event("thought", Reasoning(said, withheld=not said))]


def _effect(record: VibeRecord, fields: Fields) -> list[Event]:
    """A call, with what came of it so far."""
    detail, state = fields_of(fields.get("detail")), fields_of(fields.get("state"))
    name = text_of(detail.get("toolName")) or text_of(detail.get("kind")) or "(none)"
    given = detail.get("input")
    args = fields_of(given)
    own = record.name
    call = tool_call(
        call_id=own,
        name=name,
        arguments=given if isinstance(given, str) else args,
        raw=None if isinstance(given, str) else record.text_at("detail", "input"),
        spec=find_tool(name, args),
    )
    events = [record.event("call", call)]
    so_far = text_of(state.get("outputText"))
    if state.get("status") not in _RUNNING:
        ended = time_of(fields.get("updatedAt"))
        events.append(record.event("result", _outcome(own, state), time=ended))
    elif so_far is not None:
        events.append(record.event("progress", ToolProgress(own, so_far)))
    return events


def _outcome(call_id: str, state: Fields) -> ToolResult:
    output, error = fields_of(state.get("output")), fields_of(state.get("error"))
    status = text_of(state.get("status"))
    structured = output.get("structured_content")
    words, others = words_and_blocks(output.get("content"), _images)
    words = words or text_of(state.get("outputText")) or ""
    blocks: tuple[Block, ...] = (*((TextBlock(words),) if words else ()), *others)
    if not blocks and structured is None and output and "content" not in output:
        blocks = (JsonBlock(output),)
    code = whole_of(fields_of(structured).get("returncode"))
    failed = status == "failed" or fields_of(state.get("display")).get("success") is False
    said = text_of(error.get("message"))
    denied = error.get("code") == "tool_denied" or state.get("decision") == "skip"
    ok = True if status == "completed" else None
    return ToolResult(
        call_id,
        False if failed or (code is not None and code != 0) else ok,
        blocks or ((JsonBlock(structured),) if structured is not None else ()),
        structured=with_patch(structured, output),
        error=said if failed and not denied else None,
        denial=_denial(text_of(state.get("approvalSource")), said) if denied else None,
        interrupted=status in _STOPPED,
    )


def _denial(source: str | None, words: str | None) -> Denial:
    own = words is None or words.startswith(_OWN_WORDS)
    return Denial(_REFUSERS.get(source or "", DeniedBy.UNKNOWN), None if own else words)


def _not_run(record: VibeRecord, call: Fields, answer: Fields) -> list[Event]:
    """A call that got no entry, and what the model was given for it."""
    own = record.record_id = text_of(call.get("id")) or record.name
    record.time = time_of(call.get("time"))
    name = text_of(call.get("name")) or "(none)"
    given = text_of(call.get("arguments_json"))
    made = tool_call(call_id=own, name=name, arguments=given, spec=find_tool(name, mapping(given)))
    if not answer:
        # The client asked the model again, as if it had not answered.
        dropped = ToolResult(own, None, interrupted=True)
        return [record.event("call", made), record.event("result", dropped)]
    said, others = words_and_blocks(answer.get("content"), _images)
    failed = answer.get("outcome") != "success"
    reason = text_of(fields_of(fields_of(mapping(said).get("result")).get("error")).get("message"))
    said = reason or said
    result = ToolResult(
        own,
        not failed,
        (*((TextBlock(said),) if said else ()), *others),
        error=said if failed else None,
    )
    return [record.event("call", made), record.event("result", result)]


def _checkpoint(record: VibeRecord, fields: Fields) -> list[Event]:
    """A compaction, from the moment when it begins."""
    kind = text_of(fields.get("kind"))
    if kind != "compaction":
        return [record.unknown(f"checkpoint/{kind}")]
    status = text_of(fields.get("generationStatus"))
    if status in _RUNNING:
        return [record.event("compacted", Hidden("a compaction has begun", "checkpoint"))]
    if status != "completed":
        said = text_of(fields.get("message")) or "The compaction failed"
        return [record.event("compacted", Notification(Topic.SYSTEM, said, Level.WARNING))]
    trigger = text_of(fields_of(fields.get("details")).get("trigger"))
    body = Compaction(trigger=trigger)
    return [record.event("compacted", body, resets=Reset.COMPACTED)]


def _callback(record: VibeRecord, fields: Fields) -> list[Event]:
    """The client waits for the person: whether a call may be made, or for an answer."""
    detail = fields_of(fields.get("detail"))
    if detail.get("kind") != "approval":
        # A question is a call of its own, which waits as well.
        return [record.hidden("a question that its call has", "callback")]
    effect = fields_of(detail.get("effect"))
    asked_for = text_of(fields.get("relatedEntryId")) or text_of(detail.get("relatedEntryId"))
    question = text_of(fields.get("title")) or "Approve this call?"
    call = permission_request(
        record.name, question, asked_for, fields_of(effect.get("input")),
        record.text_at("detail", "effect", "input"),
    )  # fmt: skip
    return [record.event("ask", call)]


def _resolved(record: VibeRecord, payload: Fields) -> list[Event]:
    output = fields_of(fields_of(payload.get("result")).get("output"))
    own = text_of(payload.get("callback_id"))
    if own is None or text_of(output.get("type")) not in (None, "approval"):
        return [record.hidden("the answer to a question, which its call has", "callback_resolved")]
    said = text_of(fields_of(output.get("decision")).get("type"))
    words = text_of(output.get("feedback"))
    record.record_id = f"{own}/resolved"
    return [record.event("answer", decision(own, said, words))]


def _turn(record: VibeRecord, turn: Fields) -> list[Event]:
    """A turn is over, and how it ended."""
    own, status = text_of(turn.get("id")), text_of(turn.get("status"))
    record.record_id = record.rewritten_id = own
    record.time = time_of(turn.get("completedAt"))
    began = time_of(turn.get("startedAt"))
    took = None if began is None or record.time is None else max(0.0, record.time - began)
    error = fields_of(turn.get("error"))
    if status in _STOPPED:
        body = Notification(Topic.INTERRUPT, "stopped by the person", duration=took)
    elif error or status == "failed":
        details = fields_of(error.get("details"))
        said = text_of(error.get("message")) or "The turn failed"
        topic = error_topic(said, status=whole_of(details.get("httpStatus")))
        body = Notification(topic, said, Level.ERROR, text_of(error.get("code")), duration=took)
    else:
        body = Notification(Topic.TURN_END, "Turn complete", duration=took)
    return [record.event("end", body)]


def _session(record: VibeRecord, session: Fields) -> list[Event]:
    """Return what is counted of the session, or what its requests add up to where that is more."""
    record.record_id = "session"
    record.time = time_of(session.get("updatedAt"))
    state = Hidden("the state of the session", "session")
    events = [record.event("session", state, replaces="session")]
    counted = fields_of(session.get("tokenUsage")), fields_of(record.fields.get("requests"))
    most = max(counted, key=lambda each: whole_of(each.get("inputTokens")) or 0)
    given, cached = whole_of(most.get("inputTokens")), whole_of(most.get("cachedInputTokens"))
    if given is not None:
        # The tokens that go in include what a cache gave or took.
        written = whole_of(most.get("cacheWriteTokens")) or None
        fresh = max(0, given - (cached or 0) - (written or 0))
        usage = Usage(fresh, cached, written, whole_of(most.get("outputTokens")))
        body = TokenUsage("session", usage, total=True)
        events.append(record.event("usage", body, replaces="usage"))
    return events


def _meta(record: VibeRecord, fields: Fields) -> list[Event]:
    """Where and when the session is, and what the person calls it."""
    config = fields_of(fields.get("config"))
    facts = Facts(
        cwd=text_of(fields_of(fields.get("environment")).get("working_directory")),
        branch=text_of(fields.get("git_branch")),
        model=text_of(config.get("model_name")) or text_of(config.get("active_model")),
    )
    record.record_id = "meta"
    record.time = time_of(fields.get("start_time"))
    kept = Hidden("what is kept of the session", "meta")
    events = [record.event("meta", kept, replaces="meta", facts=facts)]
    title = text_of(fields.get("title"))
    if title is not None:
        by_client = fields.get("title_source") == "auto"
        body = Title(title, TitleSource.AI if by_client else TitleSource.CUSTOM)
        events.append(record.event("title", body, replaces="title"))
    return events


ENTRIES: Mapping[str, Callable[[VibeRecord, Fields], list[Event]]] = {
    "message": _message,
    "reasoning": _reasoning,
    "effect": _effect,
    "checkpoint": _checkpoint,
    "callback": _callback,
}
"""Makers of events by the types of entries."""

LINES = RecordDecoder(
    VibeRecord,
    _record_events,
    re.compile(r'\{\s*"(?:content|createdAt|callbackId|latestTurn|session|artifacts|answer)"\s*:'),
    discovery_keys=(
        "sessionId",
        "turnId",
        "generationStatus",
        "relatedEntryId",
        "session_id",
        "parent_session_id",
        "child_sessions",
    ),
)
