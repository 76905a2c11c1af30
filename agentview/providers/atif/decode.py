"""What happened: the events of a step, of an embedded trajectory, or of what is around them."""

import re

from msgspec.structs import replace

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
    Event,
    Facts,
    Hidden,
    Message,
    Notification,
    Reasoning,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import to_json
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
from agentview.normalize.partial_json import begun
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_documents import document_events, name_surroundings
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers._kit.named_agent import known_call
from agentview.providers._kit.speakers import unwrapped
from agentview.providers.atif.discovery import EMBEDDED

_BEGIN = re.compile(r'\{\s*"(?:step_id|schema_version|source|timestamp)"\s*:')
_BETWEEN_LISTS = re.compile(rb'^\s*\].*"' + EMBEDDED.encode() + rb'"\s*:\s*\[\s*$', re.DOTALL)
_ENDS = b", \t\r\n]}"


class StepRecord(EventBuilder):
    """A step, in the stream of the agent that took it."""

    __slots__ = ("agent",)

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.agent = session.label
        """The agent whose tools the calls are."""
        self.time = time_of(fields.get("timestamp"))
        extra = fields_of(fields.get("extra"))
        agent_id = text_of(extra.get("agent_id"))
        if extra.get("is_sidechain") is True:
            kind = StreamKind.SIDECHAIN if agent_id is None else StreamKind.SUBAGENT
            self.stream = Stream(kind, agent_id or "sidechain")


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    if _BETWEEN_LISTS.match(record) is not None:
        members = begun("{" + record.decode("utf-8", "replace").lstrip(" \t\r\n],"))
        if members is not None:
            return _around(name_surroundings(StepRecord(members, record, source, session)))
    if record[:1] == b"]" and record.strip() and not record.strip(_ENDS):
        made = name_surroundings(StepRecord({}, record, source, session))
        return [made.hidden("the end of the document", "document")]
    return document_events(record, source, session, FORM, _around)


def _record_events(record: StepRecord) -> list[Event]:
    if "steps" in record.fields and "agent" in record.fields:
        return _embedded(record)
    if "source" in record.fields:
        return _step(record)
    if "schema_version" in record.fields:
        return _around(record)
    return [record.unknown("(none)")]


def _embedded(record: StepRecord) -> list[Event]:
    """A trajectory inside another one: all its steps, in a stream of its own."""
    fields = record.fields
    name = text_of(fields.get("trajectory_id")) or text_of(fields.get("session_id"))
    record.stream = Stream(StreamKind.SUBAGENT, name or record.name)
    record.agent = text_of(fields_of(fields.get("agent")).get("name")) or record.agent
    events = [replace(each, facts=None) for each in _around(record)[:1]]
    for at, item in enumerate(items_of(fields.get("steps"))):
        step = StepRecord(fields_of(item), record.raw, record.source, record.session)
        step.agent, step.stream, step.suffix_end = record.agent, record.stream, f"/{at}"
        step.path = ("steps", at)
        events += _step(step)
    return events


def _step(record: StepRecord) -> list[Event]:
    fields = record.fields
    source = text_of(fields.get("source"))
    words, others = _content(fields.get("message"))
    extra = fields_of(fields.get("extra"))
    model = text_of(fields.get("model_name"))
    cwd = text_of(extra.get("cwd"))
    if model is not None or cwd is not None:
        record.facts = Facts(model=model, cwd=cwd)
    body: Body | None = None
    if source == "user":
        body = User(unwrapped(words), others)
    elif source == "system":
        body = Attachment("system message", "instructions", words)
    elif source != "agent":
        return [record.unknown(f"step/{source}")]
    elif words.strip() or others:
        body = Message(words, others)
    if source == "agent":
        record.response_id = f"{record.name}{record.suffix_end}"
    events: list[Event] = []
    thought = text_of(fields.get("reasoning_content"))
    if thought is not None:
        events.append(record.event("thought", Reasoning(thought)))
    if body is not None:
        events.append(record.event("said", body))
    calls = _calls(record)
    events += [record.event(f"call/{at}", call) for at, call in enumerate(calls)]
    events += _results(record, calls)
    events += _usage(record)
    return events or [record.hidden("a step without words", "step")]


def _calls(record: StepRecord) -> list[ToolCall]:
    found: list[ToolCall] = []
    for at, item in enumerate(items_of(record.fields.get("tool_calls"))):
        fields = fields_of(item)
        name = text_of(fields.get("function_name"))
        if name is None:
            continue
        given = fields.get("arguments")
        arguments = given if isinstance(given, str) or given is None else fields_of(given)
        call = tool_call(
            call_id=call_id_of(
                fields.get("tool_call_id"), f"{record.name}{record.suffix_end}/{at}"
            ),
            name=name,
            arguments=arguments,
            raw=None if isinstance(given, str) else record.text_at("tool_calls", at, "arguments"),
            spec=None,
        )
        found.append(known_call(call, record.agent))
    return found


def _results(record: StepRecord, calls: list[ToolCall]) -> list[Event]:
    observation = fields_of(record.fields.get("observation"))
    listed = [fields_of(item) for item in items_of(observation.get("results"))]
    named = {text_of(item.get("source_call_id")) for item in listed}
    open_calls = [call.call_id for call in calls if call.call_id not in named]
    events: list[Event] = []
    for at, item in enumerate(listed):
        call_id = text_of(item.get("source_call_id"))
        if call_id is None and open_calls:
            # All that was done shows in one output: it is what the last one brought back.
            call_id = open_calls.pop()
        if call_id is None:
            words, _ = _content(item.get("content"))
            body = Attachment("observation", "output", words)
            events.append(record.event(f"observation/{at}", body))
            continue
        child = _child(item)
        event = record.event(f"result/{at}", _result(record, call_id, item), child=child)
        events.append(event)
    return events


def _result(record: StepRecord, call_id: str, item: Fields) -> ToolResult:
    extra = fields_of(item.get("extra"))
    meta = fields_of(extra.get("tool_result_metadata"))
    raw = fields_of(meta.get("raw_tool_result")).get("content")
    # What a converter adds to the words of a result is recorded by itself as well.
    words, others = _content(raw if isinstance(raw, str) else item.get("content"))
    failed = extra.get("tool_result_is_error", meta.get("is_error", extra.get("is_error")))
    ok = not failed if isinstance(failed, bool) else None
    own = meta.get("tool_use_result")
    return ToolResult(
        call_id,
        ok,
        (*((TextBlock(words),) if words else ()), *others),
        structured={"agent": record.agent, "own": own} if own is not None else None,
        error=words if ok is False else None,
    )


def _child(item: Fields) -> Stream | None:
    """The stream of the agent that a result is of."""
    given = item.get("subagent_trajectory_ref")
    for reference in map(fields_of, [*items_of(given), given]):
        name = text_of(reference.get("trajectory_id")) or text_of(reference.get("session_id"))
        if name is not None:
            return Stream(StreamKind.SUBAGENT, name)
    meta = fields_of(fields_of(item.get("extra")).get("tool_result_metadata"))
    agent = text_of(fields_of(meta.get("tool_use_result")).get("agentId"))
    return Stream(StreamKind.SUBAGENT, agent) if agent is not None else None


def _usage(record: StepRecord) -> list[Event]:
    metrics = fields_of(record.fields.get("metrics"))
    usage = _tokens(metrics, fields_of(metrics.get("extra")), "")
    if usage is None:
        return []
    if record.fields.get("is_copied_context") is True:
        body: Body = Hidden("tokens that another trajectory has counted", "metrics")
        return [record.event("usage", body)]
    name = record.response_id or record.name
    # Nothing is written where nothing is known of prices.
    cost = real_of(metrics.get("cost_usd")) or None
    model = text_of(record.fields.get("model_name"))
    return [record.event("usage", TokenUsage(name, usage, model, cost=cost))]


def _tokens(metrics: Fields, extra: Fields, prefix: str) -> Usage | None:
    """Tokens; those of a prompt are recorded with what a cache gave and took."""
    given = whole_of(metrics.get(f"{prefix}prompt_tokens"))
    output = whole_of(metrics.get(f"{prefix}completion_tokens"))
    cached = whole_of(metrics.get(f"{prefix}cached_tokens"))
    if given is None and output is None:
        return None
    keys = (f"{prefix}cache_creation_input_tokens", f"{prefix}cache_write_tokens")
    written = next((whole_of(extra[key]) for key in keys if key in extra), None)
    details = fields_of(extra.get("output_tokens_details"))
    return Usage(
        None if given is None else max(0, given - (cached or 0) - (written or 0)),
        cached,
        written,
        output,
        whole_of(details.get("thinking_tokens")),
    )


def _around(record: StepRecord) -> list[Event]:
    """Return what is in front of the steps, or behind them."""
    fields = record.fields
    agent = fields_of(fields.get("agent"))
    extra = fields_of(agent.get("extra"))
    final = fields_of(fields.get("final_metrics"))
    facts = Facts(
        cwd=_first_text(extra.get("cwds")),
        branch=_first_text(extra.get("git_branches")),
        model=text_of(agent.get("model_name")),
        client_version=text_of(agent.get("version")),
        agent=text_of(agent.get("name")),
        cost=real_of(final.get("total_cost_usd")) or None,
        # These are written at the end of a run.
        ended=True if final else None,
    )
    events = [record.hidden("what is around the steps", "document", facts=facts)]
    usage = _tokens(final, fields_of(final.get("extra")), "total_")
    if usage is not None:
        body = TokenUsage("session", usage, facts.model, total=True)
        events.append(record.event("usage", body, facts=Facts(ended=True)))
    notes = text_of(fields.get("notes"))
    if notes is not None:
        events.append(record.event("notes", Attachment("notes", "note", notes)))
    more = fields.get("continued_trajectory_ref")
    if more is not None:
        said = more if isinstance(more, str) else to_json(more)
        note = Notification(Topic.LINK, f"Continued in {said}")
        events.append(record.event("continued", note))
    return events


def _first_text(value: object) -> str | None:
    return next(filter(None, map(text_of, items_of(value))), None)


def _content(content: object) -> tuple[str, tuple[Block, ...]]:
    """The words of a content, and what is not words."""
    if content is None or isinstance(content, str):
        return content or "", ()
    parts = items_of(content) or [content]
    words: list[str] = []
    others: list[Block] = []
    for part in parts:
        fields = fields_of(part)
        said = part if isinstance(part, str) else text_of(fields.get("text"))
        source = fields_of(fields.get("source"))
        if said is not None:
            words.append(said)
        elif fields.get("type") == "image":
            uri, media = text_of(source.get("path")), text_of(source.get("media_type"))
            data = text_of(source.get("data"))
            others.append(ImageBlock(media_type=media, data=data, uri=uri))
        else:
            others.append(JsonBlock(part))
    return "\n".join(words), tuple(others)


FORM = RecordDecoder(StepRecord, _record_events, _BEGIN)
