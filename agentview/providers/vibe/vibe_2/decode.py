"""What happened: the events of one message, or of what is counted of the session."""

import re
from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Hidden,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, fields_of, real_of, text_of, time_of, whole_of
from agentview.providers._kit.result_text import refusal
from agentview.providers._kit.speakers import Form, divided, spoken_events
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.vibe.shared.content import content_of
from agentview.providers.vibe.shared.tools import find_tool, known_tool
from agentview.providers.vibe.vibe_2.results import TAGGED
from agentview.providers.vibe.vibe_2.schema import Asked, Config, Function, Line, Stats

_CONTINUED = "You are continuing a trajectory after a context compaction."
_SUMMARY = re.compile(r"<compaction_summary>\s*(.*?)\s*</compaction_summary>", re.DOTALL)
_NONE = "(no summary available)"
_WARNING = r"<vibe_warning>[^<]*</vibe_warning>"
_FORMS = (
    Form(
        "scratchpad",
        re.compile(r"Scratchpad directory: [^\n]*\n[^\n]*without permission prompts\.\n\n"),
        envelope=True,
    ),
    Form("warning", re.compile(rf"{_WARNING}\s*+")),
    Form("warning", re.compile(rf"(?<!\s)(?:\s*+{_WARNING})+\s*\Z"), envelope=True, behind=True),
)
"""The client's text in front of the prompt of an agent; its warnings on the context.

Source of the warnings: the client, which adds them to the last message up to 2.2, and later writes
them as messages that it marks.
"""
_REFUSALS = (
    (r"\s*Tool execution not permitted\.\s*\Z", DeniedBy.APPROVAL),
    (r"Tool '[^'\n]{1,200}' is permanently disabled\s*\Z", DeniedBy.RULE),
    (r"<user_cancellation>(?!Tool execution interrupted)", DeniedBy.PERSON),
)
"""Texts in the place of a result: nobody could be asked, a setting says so, the person said no."""
_STOPPED = "<user_cancellation>Tool execution interrupted"
_FAILED = "<tool_error>"


class VibeMessage(TypedBuilder[Line], gc=False):
    """A message, which has an id unless it is a result, or what is counted of the session."""

    def content(self) -> tuple[str, tuple[Block, ...]]:
        return content_of(self, self.record.content, _images)


def _message(record: Line, raw: bytes, source: SourceRef, session: SessionRef) -> VibeMessage:
    own = record.message_id or None
    answer = own if record.role == "assistant" else None
    return VibeMessage.of(record, raw, source, session, record_id=own, response_id=answer)


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


RECORDS = Records[VibeMessage](hidden={"system": "the instructions of the client"})
"""Makers of events by the roles of messages."""


def _record_events(record: VibeMessage) -> Sequence[LightEvent]:
    own = record.record
    if not own.role and own.session_id is not UNSET and own.environment is not UNSET:
        return _meta(record)
    return RECORDS(record, own.role or None)


LINES = TypedLines(Line, _message, _record_events, re.compile(r'\{\s*"(?:role|session_id)"\s*:'))


@RECORDS.on("user")
def _user(record: VibeMessage) -> Sequence[LightEvent]:
    words, others = record.content()
    if record.record.injected is not True:
        return spoken_events(record, divided(words, _FORMS), others)
    if not words.startswith(_CONTINUED):
        return [record.event("note", Attachment("note", "note", words))]
    # The summary with which a session continues.
    found = _SUMMARY.search(words)
    summary = found[1] if found is not None and found[1] != _NONE else None
    return [record.event("compacted", Compaction(summary=summary), resets=Reset.COMPACTED)]


def _images(part: Fields) -> list[str] | None:
    uri = text_of(fields_of(part.get("image_url")).get("url"))
    return [uri] if uri is not None else None


@RECORDS.on("assistant")
def _assistant(record: VibeMessage) -> Sequence[LightEvent]:
    own, events = record.record, list[LightEvent]()
    if own.reasoning_content:
        events.append(record.thought_part("thought", own.reasoning_content))
    words, others = record.content()
    if others or words.strip():
        events.append(record.text_part("said", words, others))
    for at, asked in enumerate(own.tool_calls or ()):
        events.append(_call(record, at, asked or Asked()))
    return events or [hidden(record, "a response without words", "assistant")]


def _call(record: VibeMessage, at: int, asked: Asked) -> LightEvent:
    function = asked.function or Function()
    name, call_id = function.name or "(none)", asked.id
    if call_id is None:
        call_id = f"{record.name}/{at}"
    made = (record, call_id, name, function, at)
    return record.call_event(f"call/{at}", call_id, known_tool(name), _whole_call, made)


def _whole_call(
    record: VibeMessage, call_id: str, name: str, function: Function, at: int
) -> ToolCall:
    given = record.value_of(function.arguments)
    written = isinstance(given, str)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=given if written else fields_of(given),
        raw=None
        if written
        else record.exact(function.arguments, "tool_calls", at, "function", "arguments") or None,
        spec=find_tool(name, mapping(given)),
    )


@RECORDS.on("tool")
def _tool(record: VibeMessage) -> Sequence[LightEvent]:
    own = record.record.tool_call_id
    if own is None:
        return [record.unknown("tool without a call")]
    words, others = record.content()
    denial, failed = refusal(words, _REFUSALS), words.startswith(_FAILED)
    ok = None if words.startswith(_STOPPED) else not failed and denial is None
    made = (own, ok, words, others, denial)
    return [record.result_part("result", own, _result, made, failed=None if ok is None else not ok)]


def _result(
    own: str,
    ok: bool | None,
    words: str,
    others: tuple[Block, ...],
    denial: Denial | None,
) -> ToolResult:
    tagged = TAGGED.match(words)
    said = tagged[2] if tagged is not None else words
    return ToolResult(
        own,
        ok,
        (*((TextBlock(said),) if said else ()), *others),
        error=said if ok is False and denial is None else None,
        denial=denial,
        interrupted=ok is None,
    )


def _meta(record: VibeMessage) -> Sequence[LightEvent]:
    """Where and when the session is, what it is called, and what is counted of it."""
    own, before = record.record, record.record.before
    record.record_id = "meta"
    stats, counted = own.stats or Stats(), (before.stats if before else None) or Stats()
    model = _model(own.config or Config()) or own.model or None
    cost = _cost(stats, counted)
    place = own.environment.working_directory if own.environment else None
    facts = Facts(cwd=place or None, branch=own.git_branch or None, model=model, cost=cost)
    kept = Hidden("what is kept of the session", "meta")
    began = time_of(own.start_time)
    events = [record.event("meta", kept, replaces="meta", facts=facts, time=began)]
    made = own.title_source == "auto"
    # A title that the client made is the first prompt, after a compaction its own words.
    if title := (before.title if before else None) if made else own.title:
        body = Title(title, TitleSource.AI if made else TitleSource.CUSTOM)
        events.append(record.event("title", body, replaces="title"))
    given = _less(stats.session_prompt_tokens, counted.session_prompt_tokens)
    output = _less(stats.session_completion_tokens, counted.session_completion_tokens)
    if given is not None or output is not None:
        usage = TokenUsage("session", Usage(given, output=output), model, total=True, cost=cost)
        ended = time_of(own.end_time)
        events.append(record.event("usage", usage, replaces="usage", time=ended))
    return events


def _model(config: Config) -> str | None:
    """The name of the active model, which is known by an alias."""
    alias = config.active_model or None
    listed = (each.name for each in config.models or () if each and alias and each.alias == alias)
    return next(listed, None) or alias


def _less(count: object, before: object) -> int | None:
    """A count of this session alone: the client adds those of the ones before a compaction."""
    own = whole_of(count)
    return None if own is None else max(0, own - (whole_of(before) or 0))


def _cost(stats: Stats, before: Stats) -> float | None:
    """Cost of this session alone, US dollars; None if the client knows no price of the model."""
    cost = real_of(stats.session_cost)
    if cost is None:
        return None
    return max(0.0, cost - (real_of(before.session_cost) or 0)) or None
