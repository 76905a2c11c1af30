"""What happened: the events of an item of the history, or of what is around it."""

import re
from collections import Counter

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Message,
    Reasoning,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolProgress,
    ToolResult,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    real_of,
    text_of,
    whole_of,
)
from agentview.normalize.partial_json import begun
from agentview.normalize.project_path import project_path
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.images import words_and_blocks
from agentview.providers._kit.json_documents import document_events, name_surroundings
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers.continue_cli.tools import SPECS, known_spec

_BEGIN = re.compile(r'\{\s*"(?:message|sessionId|contextItems)"\s*:')
_TAIL = re.compile(rb"^\s*\]\s*,?")
_UNTITLED = frozenset({"Untitled Session", "New Session"})
_RULE = re.compile(r"(?i)blocked by|security policy|excluded|not allowed")
_CALLING = frozenset({"generating", "generated", "calling"})


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    if record[:1] == b"]":
        members = begun("{" + _TAIL.sub(b"", record).decode("utf-8", "replace"))
        return _around(name_surroundings(EventBuilder(members or {}, record, source, session)))
    return document_events(record, source, session, FORM, _around)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    if "sessionId" in fields:
        return _around(record)
    message = fields_of(fields.get("message"))
    role = text_of(message.get("role"))
    if role == "user":
        return _user(record, message)
    if role in ("assistant", "thinking"):
        return _assistant(record, message, role)
    if role == "system":
        return [record.hidden("instructions", "system")]
    if role == "tool":
        return _result_message(record, message)
    return [record.unknown(role or "(none)")]


def _around(record: EventBuilder) -> list[Event]:
    """Return what is in front of the history, or behind it."""
    fields = record.fields
    usage = fields_of(fields.get("usage"))
    facts = Facts(
        cwd=project_path(text_of(fields.get("workspaceDirectory")) or "") or None,
        model=text_of(fields.get("chatModelTitle")),
        mode=text_of(fields.get("mode")),
    )
    title = text_of(fields.get("title"))
    events = [record.hidden("what is around the history", "document", facts=facts)]
    if title is not None and title not in _UNTITLED:
        events.append(record.event("title", Title(title, TitleSource.AI)))
    given, output = whole_of(usage.get("promptTokens")), whole_of(usage.get("completionTokens"))
    if given is not None or output is not None:
        # Each response has its own tokens, with what a cache gave, which this does not count.
        events.append(record.hidden("tokens of the whole session", "usage", suffix="usage"))
    return events


def _user(record: EventBuilder, message: Fields) -> list[Event]:
    words, others = _content(message.get("content"))
    added = tuple(filter(None, map(_context, items_of(record.fields.get("contextItems")))))
    return [record.event("prompt", User(words, others, context=added)), *_summary(record)]


def _context(item: object) -> str | None:
    fields = fields_of(item)
    return text_of(fields.get("content")) or text_of(fields.get("name"))


def _assistant(record: EventBuilder, message: Fields, role: str) -> list[Event]:
    """A response: a thought, words, calls with what became of them, and its tokens."""
    usage = fields_of(message.get("usage"))
    model = text_of(usage.get("model"))
    record.facts = Facts(model=model) if model is not None else None
    record.response_id = record.name
    words, others = _content(message.get("content"))
    thought = text_of(fields_of(record.fields.get("reasoning")).get("text"))
    if role == "thinking":
        thought, words = words or thought, ""
    events: list[Event] = []
    if thought:
        events.append(record.event("thought", Reasoning(thought)))
    if words.strip() or others:
        events.append(record.event("said", Message(words, others)))
    events += _calls(record, message)
    events += _usage(record, usage, model)
    events += _summary(record)
    return whole_response(events) or [record.hidden("a response without words", "assistant")]


def _calls(record: EventBuilder, message: Fields) -> list[Event]:
    """The calls of a response, each with its state; a state may have one that is nowhere else."""
    states = [fields_of(item) for item in items_of(record.fields.get("toolCallStates"))]
    asked = [fields_of(item) for item in items_of(message.get("toolCalls"))]
    known = {text_of(call.get("id")) for call in asked}
    asked += [
        fields_of(s.get("toolCall")) for s in states if text_of(s.get("toolCallId")) not in known
    ]
    stated: dict[str | None, list[Fields]] = {}
    for state in states:
        stated.setdefault(text_of(state.get("toolCallId")), []).append(state)
    more = Counter(text_of(call.get("id")) for call in asked)
    events: list[Event] = []
    for at, call in enumerate(asked):
        given_id = text_of(call.get("id"))
        call_id = given_id or f"{record.name}/{at}"
        function = fields_of(call.get("function"))
        name, given = text_of(function.get("name")) or "(none)", function.get("arguments")
        arguments = given if isinstance(given, str) else fields_of(given)
        more[given_id] -= 1
        left = stated.get(given_id, [])
        # Calls of a response that have one id have a state each, in their order.
        own = [left.pop(0)] if left and more[given_id] else left
        missing = any(f"Tool {name} not found" in _printed(state) for state in own)
        spec = SPECS.get(name) if missing else known_spec(name, mapping(given))
        made = tool_call(call_id=call_id, name=name, arguments=arguments, spec=spec)
        events.append(record.event(f"call/{at}", made))
        for state in own:
            events += _outcome(record, call_id, state, at)
    return events


def _outcome(record: EventBuilder, call_id: str, state: Fields, at: int) -> list[Event]:
    status = text_of(state.get("status"))
    said = _printed(state)
    if status in _CALLING:
        return [record.event(f"progress/{at}", ToolProgress(call_id, said))] if said else []
    ok = {"done": True, "errored": False, "canceled": False}.get(status or "")
    denial = None
    if status == "canceled":
        by = DeniedBy.RULE if _RULE.search(said[:400]) is not None else DeniedBy.PERSON
        denial = Denial(by, said or None)
    result = ToolResult(
        call_id,
        ok,
        (TextBlock(said),) if said else (),
        error=said if ok is False and denial is None else None,
        denial=denial,
    )
    return [record.event(f"result/{at}", result)]


def _printed(state: Fields) -> str:
    words = [_content(fields_of(item).get("content"))[0] for item in items_of(state.get("output"))]
    return "\n".join(filter(None, words))


def _result_message(record: EventBuilder, message: Fields) -> list[Event]:
    """A result as a message of its own, as older versions have it."""
    call_id = text_of(message.get("toolCallId"))
    words, others = _content(message.get("content"))
    if call_id is None:
        return [record.event("output", Attachment("output", "output", words))]
    output = (*((TextBlock(words),) if words else ()), *others)
    return [record.event("result", ToolResult(call_id, True, output))]


def _usage(record: EventBuilder, usage: Fields, model: str | None) -> list[Event]:
    """Tokens of a response; what a cache gave is part of its input."""
    given = whole_of(usage.get("prompt_tokens", usage.get("promptTokens")))
    output = whole_of(usage.get("completion_tokens", usage.get("completionTokens")))
    if given is None and output is None:
        return []
    details = fields_of(usage.get("prompt_tokens_details") or usage.get("promptTokensDetails"))
    cached = whole_of(details.get("cached_tokens", details.get("cachedTokens")))
    written = whole_of(details.get("cache_write_tokens", details.get("cacheWriteTokens")))
    uncached = None if given is None else max(0, given - (cached or 0) - (written or 0))
    cents = real_of(usage.get("cost_cents"))
    body = TokenUsage(
        record.name,
        Usage(uncached, cached, written, output),
        model,
        cost=cents / 100 if cents else None,
    )
    return [record.event("usage", body)]


def _summary(record: EventBuilder) -> list[Event]:
    """Return what came up to this item was replaced by a summary."""
    summary = as_text(record.fields.get("conversationSummary"))
    if not summary:
        return []
    return [record.event("compacted", Compaction(summary=summary), resets=Reset.COMPACTED)]


def _content(content: object) -> tuple[str, tuple[Block, ...]]:
    """The words of a content, and what is not words."""
    return words_and_blocks(content, _images)


def _images(part: Fields) -> list[str] | None:
    link = fields_of(part.get("imageUrl")) or fields_of(part.get("image_url"))
    uri = text_of(link.get("url"))
    return None if uri is None else [uri]


FORM = RecordDecoder(EventBuilder, _record_events, _BEGIN, discovery_keys=("editorState",))
