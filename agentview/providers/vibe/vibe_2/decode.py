"""What happened: the events of one message, or of what is counted of the session."""

import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Hidden,
    Message,
    Reasoning,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.images import words_and_blocks
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.vibe.shared.tools import find_tool
from agentview.providers.vibe.vibe_2.results import ERROR

_CONTINUED = "You are continuing a trajectory after a context compaction."
_SUMMARY = re.compile(r"<compaction_summary>\s*(.*?)\s*</compaction_summary>", re.DOTALL)
_SCRATCHPAD = re.compile(r"Scratchpad directory: [^\n]*\n[^\n]*without permission prompts\.\n\n")
"""What the client puts in front of the prompt of an agent."""
_DENIED = "Tool execution not permitted."
_NONE = "(no summary available)"


class VibeMessage(EventBuilder):
    """A message, which has an id unless it is a result, or what is counted of the session."""

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.record_id = text_of(fields.get("message_id"))
        if fields.get("role") == "assistant":
            self.response_id = self.record_id


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: VibeMessage) -> list[Event]:
    fields = record.fields
    role = text_of(fields.get("role"))
    if role is None:
        if "session_id" in fields and "environment" in fields:
            return _meta(record, fields)
        return [record.unknown("(none)")]
    make = ROLES.get(role)
    return [record.unknown(role)] if make is None else make(record, fields)


def _user(record: VibeMessage, fields: Fields) -> list[Event]:
    words, others = words_and_blocks(fields.get("content"), _images)
    if fields.get("injected") is True:
        return [_injected(record, words)]
    own = _SCRATCHPAD.match(words)
    if own is None:
        return [record.event("prompt", spoken(words, others))]
    prompt = spoken(words[own.end() :], others)
    context = (own[0].strip(), *prompt.context)
    return [record.event("prompt", replace(prompt, context=context))]


def _injected(record: VibeMessage, words: str) -> Event:
    """What the client itself put there: the summary with which a session continues, or a note."""
    if not words.startswith(_CONTINUED):
        return record.event("note", Attachment("note", "note", words))
    found = _SUMMARY.search(words)
    summary = found[1] if found is not None and found[1] != _NONE else None
    return record.event("compacted", Compaction(summary=summary), resets=Reset.COMPACTED)


def _images(part: Fields) -> list[str] | None:
    uri = text_of(fields_of(part.get("image_url")).get("url"))
    return [uri] if uri is not None else None


def _assistant(record: VibeMessage, fields: Fields) -> list[Event]:
    events: list[Event] = []
    thought = text_of(fields.get("reasoning_content"))
    if thought is not None:
        events.append(record.event("thought", Reasoning(thought)))
    words, others = words_and_blocks(fields.get("content"), _images)
    if words.strip() or others:
        events.append(record.event("said", Message(words, others)))
    for at, asked in enumerate(map(fields_of, items_of(fields.get("tool_calls")))):
        function = fields_of(asked.get("function"))
        name = text_of(function.get("name")) or "(none)"
        given = function.get("arguments")
        call = tool_call(
            call_id=call_id_of(asked.get("id"), f"{record.name}/{at}"),
            name=name,
            arguments=given if isinstance(given, str) else fields_of(given),
            raw=None
            if isinstance(given, str)
            else record.text_at("tool_calls", at, "function", "arguments"),
            spec=find_tool(name, mapping(given)),
        )
        events.append(record.event(f"call/{at}", call))
    return events or [record.hidden("a response without words", "assistant")]


def _tool(record: VibeMessage, fields: Fields) -> list[Event]:
    own = call_id_of(fields.get("tool_call_id"), None)
    if own is None:
        return [record.unknown("tool without a call")]
    words, others = words_and_blocks(fields.get("content"), _images)
    failed = ERROR.match(words)
    said = failed[1] if failed is not None else words
    denied = words.strip() == _DENIED
    result = ToolResult(
        own,
        failed is None and not denied,
        (*((TextBlock(said),) if said else ()), *others),
        error=said if failed is not None else None,
        denial=Denial(DeniedBy.UNKNOWN) if denied else None,
    )
    return [record.event("result", result)]


def _system(record: VibeMessage, _fields: Fields) -> list[Event]:
    return [record.hidden("the instructions of the client", "system")]


def _meta(record: VibeMessage, fields: Fields) -> list[Event]:
    """Where and when the session is, what it is called, and what is counted of it."""
    record.record_id = "meta"
    config, before = fields_of(fields.get("config")), fields_of(fields.get("before"))
    stats, counted_before = fields_of(fields.get("stats")), fields_of(before.get("stats"))
    model = _model(config) or text_of(fields.get("model"))
    cost = _cost(stats, counted_before)
    facts = Facts(
        cwd=text_of(fields_of(fields.get("environment")).get("working_directory")),
        branch=text_of(fields.get("git_branch")),
        model=model,
        cost=cost,
    )
    began, ended = time_of(fields.get("start_time")), time_of(fields.get("end_time"))
    kept = Hidden("what is kept of the session", "meta")
    events = [record.event("meta", kept, replaces="meta", facts=facts, time=began)]
    made = fields.get("title_source") == "auto"
    # A title that the client made is the first prompt, after a compaction its own words.
    title = text_of(before.get("title") if made else fields.get("title"))
    if title is not None:
        body = Title(title, TitleSource.AI if made else TitleSource.CUSTOM)
        events.append(record.event("title", body, replaces="title"))
    given, output = (_own(stats, counted_before, key) for key in _COUNTS)
    if given is not None or output is not None:
        usage = Usage(given, output=output)
        counted = TokenUsage("session", usage, model, total=True, cost=cost)
        events.append(record.event("usage", counted, replaces="usage", time=ended))
    return events


def _model(config: Fields) -> str | None:
    """The name of the active model, which is known by an alias."""
    alias = text_of(config.get("active_model"))
    listed = map(fields_of, items_of(config.get("models")))
    named = (each.get("name") for each in listed if alias and each.get("alias") == alias)
    return text_of(next(named, None)) or alias


def _own(stats: Fields, before: Fields, key: str) -> int | None:
    """A count of this session alone: the client adds those of the ones before a compaction."""
    count = whole_of(stats.get(key))
    return None if count is None else max(0, count - (whole_of(before.get(key)) or 0))


def _cost(stats: Fields, before: Fields) -> float | None:
    """What this session alone cost; of a model without a known price the client counts nothing."""
    cost = real_of(stats.get("session_cost"))
    return (
        None
        if cost is None
        else max(0.0, cost - (real_of(before.get("session_cost")) or 0)) or None
    )


_COUNTS = ("session_prompt_tokens", "session_completion_tokens")
ROLES: Mapping[str, Callable[[VibeMessage, Fields], list[Event]]] = {
    "user": _user,
    "assistant": _assistant,
    "tool": _tool,
    "system": _system,
}
"""Makers of events by the roles of messages."""

LINES = RecordDecoder(
    VibeMessage,
    _record_events,
    re.compile(r'\{\s*"(?:role|session_id)"\s*:'),
    discovery_keys=("session_id", "parent_session_id", "agent_profile"),
)
