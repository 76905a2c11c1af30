"""Events of a step, of an embedded trajectory, or of what is around them."""

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import UNSET, Struct, field

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Facts,
    Notification,
    Reset,
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
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import (
    fields_of,
    items_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.images import picture
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.named_agent import call_of_agent
from agentview.providers._kit.speakers import unwrapped
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, hidden
from agentview.providers.atif.schema import (
    Agent,
    AgentExtra,
    Counts,
    Extra,
    Metadata,
    Metrics,
    Observation,
    OutputDetails,
    RawResult,
    Record,
    Result,
    ResultExtra,
    ResultMetadata,
    Step,
)

_BEGIN = re.compile(r'\{\s*"(?:step_id|schema_version|source|timestamp)"\s*:')
_SUMMARY = re.compile(r"\s*This session is being continued from a previous conversation\b")
"""How Claude Code begins what it says of a history that it has replaced."""


class StepRecord(TypedBuilder[Record], gc=False):
    """A step in the stream of the agent that took it, or what is around the steps."""

    step: Step = field(default_factory=Step)
    agent: str | None = None
    """The agent whose tools the calls are."""

    @property
    def declared(self) -> tuple[tuple[str | int, ...], Struct | None]:
        return (), self.record


def _record(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> StepRecord:
    made = StepRecord.of(record, raw, source, session, step=record, agent=session.label)
    return _placed(made)


def _placed(record: StepRecord) -> StepRecord:
    """The record with the time and the stream of its step."""
    step = record.step
    metadata, extra = step.metadata or Metadata(), step.extra
    record.time = time_of(step.timestamp) or time_of(metadata.created_at)
    if metadata.is_user_input is True:
        step.source = "user"
    if extra is not None and extra.is_sidechain is True:
        agent_id = extra.agent_id or None
        kind = StreamKind.SIDECHAIN if agent_id is None else StreamKind.SUBAGENT
        record.stream = Stream(kind, agent_id or "sidechain")
    return record


def _record_events(record: StepRecord) -> Sequence[LightEvent]:
    own = record.record
    if not (own.steps is UNSET or own.agent is UNSET):
        return _embedded(record)
    if own.source is not UNSET:
        return _step(record)
    if own.schema_version is not UNSET:
        return _around(record)
    return [record.unknown("(none)")]


def _embedded(record: StepRecord) -> Sequence[LightEvent]:
    """A trajectory inside another one: all its steps, in a stream of its own."""
    own = record.record
    record.stream = Stream(StreamKind.SUBAGENT, own.trajectory_id or own.session_id or record.name)
    record.agent = (own.agent or Agent()).name or record.agent
    events: list[LightEvent] = [hidden(record, _AROUND, "document")]
    for at, step in enumerate(own.steps or ()):
        made = record.copy()
        made.step, made.suffix_end, made.path = step or Step(), f"/{at}", ("steps", at)
        stream = record.stream
        _placed(made).stream = stream
        events += _step(made)
    return events


def _step(record: StepRecord) -> Sequence[LightEvent]:
    step = record.step
    if step.source not in ("user", "system", "agent"):
        return [record.unknown(f"step/{step.source or None}")]
    model, cwd = _model(step), (step.extra or Extra()).cwd or None
    record.facts = _facts(model, cwd) if model is not None or cwd is not None else None
    if step.source == "agent":
        record.response_id = f"{record.name}{record.suffix_end}"
    events: list[LightEvent] = []
    if step.reasoning_content:
        events.append(record.thought_part("thought", step.reasoning_content))
    events += _said(record)
    calls = _calls(record)
    events += [record.event(f"call/{at}", call) for at, call in calls]
    events += _results(record, [call for _, call in calls])
    events += _usage(record)
    return events or [hidden(record, "a step without words", "step")]


def _model(step: Step) -> str | None:
    return step.model_name or (step.metadata or Metadata()).generation_model or None


@lru_cache(maxsize=64)
def _facts(model: str | None, cwd: str | None) -> Facts:
    return Facts(model=model, cwd=cwd)


def _said(record: StepRecord) -> Sequence[LightEvent]:
    source, (words, others) = record.step.source, _content(record.value_of(record.step.message))
    if source == "system":
        return [record.event("said", Attachment("system message", "instructions", words))]
    if source == "agent":
        said = bool(words.strip() or others)
        return [record.text_part("said", words, others)] if said else []
    if _SUMMARY.match(words) is not None:
        return [record.event("said", Compaction(summary=words), resets=Reset.COMPACTED)]
    return [record.event("said", User(unwrapped(words), others))]


def _calls(record: StepRecord) -> list[tuple[int, ToolCall]]:
    """The calls of a step, each with its place among them."""
    found: list[tuple[int, ToolCall]] = []
    for at, item in enumerate(record.step.tool_calls or ()):
        if item is None or not item.function_name:
            continue
        own = f"{record.name}{record.suffix_end}/{at}"
        given = record.value_of(item.arguments)
        exact = record.exact(item.arguments, "tool_calls", at, "arguments")
        call = tool_call(
            call_id=own if item.tool_call_id is None else item.tool_call_id,
            name=item.function_name,
            arguments=given if isinstance(given, str) or given is None else fields_of(given),
            raw=None if isinstance(given, str) else exact or None,
            spec=None,
        )
        found.append((at, call_of_agent(call, record.agent)))
    return found


def _results(record: StepRecord, calls: list[ToolCall]) -> Sequence[LightEvent]:
    listed = [each or Result() for each in (record.step.observation or Observation()).results or ()]
    named = {item.source_call_id or None for item in listed}
    open_calls = [call.call_id for call in calls if call.call_id not in named]
    events: list[LightEvent] = []
    for at, item in enumerate(listed):
        call_id = item.source_call_id or None
        if call_id is None and open_calls:
            # All that was done shows in one output: it is what the last one brought back.
            call_id = open_calls.pop()
        if call_id is None:
            words, _ = _content(record.value_of(item.content))
            body = Attachment("observation", "output", words)
            events.append(record.event(f"observation/{at}", body))
            continue
        meta = (item.extra or ResultExtra()).tool_result_metadata or ResultMetadata()
        own = record.value_of(meta.tool_use_result)
        result = _result(record, call_id, item, meta, own)
        child = _child(record.value_of(item.subagent_trajectory_ref), own)
        events.append(record.event(f"result/{at}", result, child=child))
    if None in named:
        # The others are over as well; how they ended is not recorded.
        ended = (ToolResult(call_id, None) for call_id in open_calls)
        events += [record.event(f"ended/{at}", result) for at, result in enumerate(ended)]
    return events


def _result(
    record: StepRecord, call_id: str, item: Result, meta: ResultMetadata, own: object
) -> ToolResult:
    extra, raw = item.extra or ResultExtra(), (meta.raw_tool_result or RawResult()).content
    # What a converter adds to the words of a result is recorded by itself as well.
    words, others = _content(raw if isinstance(raw, str) else record.value_of(item.content))
    marks = (extra.tool_result_is_error, meta.is_error, extra.is_error)
    failed = next((mark for mark in marks if isinstance(mark, bool)), None)
    ok = None if failed is None else not failed
    return ToolResult(
        call_id,
        ok,
        (*((TextBlock(words),) if words else ()), *others),
        structured={"agent": record.agent, "own": own} if own is not None else None,
        error=words if ok is False else None,
    )


def _child(given: object, own: object) -> Stream | None:
    """The stream of the agent that a result is of."""
    for reference in map(fields_of, [*items_of(given), given]):
        name = text_of(reference.get("trajectory_id")) or text_of(reference.get("session_id"))
        if name is not None:
            return Stream(StreamKind.SUBAGENT, name)
    agent = text_of(fields_of(own).get("agentId"))
    return Stream(StreamKind.SUBAGENT, agent) if agent is not None else None


def _usage(record: StepRecord) -> Sequence[LightEvent]:
    step, metrics = record.step, record.step.metrics or Metrics()
    counts = (metrics.prompt_tokens, metrics.completion_tokens, metrics.cached_tokens)
    extra = metrics.extra or Metrics()
    written = extra.cache_creation_input_tokens
    usage = _tokens(*counts, extra.cache_write_tokens if written is UNSET else written, extra)
    if usage is None:
        usage = _counted((step.metadata or Metadata()).metrics)
    if usage is None:
        return []
    if step.is_copied_context is True:
        said = "tokens that another trajectory has counted"
        return [hidden(record, said, "metrics", suffix="usage")]
    name = record.response_id or record.name
    # Nothing is written where nothing is known of prices.
    cost = real_of(metrics.cost_usd) or None
    return [record.usage_part(TokenUsage(name, usage, _model(step), cost=cost))]


def _counted(counts: Counts | None) -> Usage | None:
    """Tokens that are in the metadata of a step."""
    if counts is None or (counts.input_tokens is None and counts.output_tokens is None):
        return None
    return Usage(
        whole_of(counts.input_tokens), whole_of(counts.cache_read_tokens),
        whole_of(counts.cache_creation_tokens), whole_of(counts.output_tokens),
    )  # fmt: skip


def _tokens(
    prompt: object, completion: object, from_cache: object, to_cache: object, extra: Metrics
) -> Usage | None:
    """Tokens; those of a prompt are recorded with what a cache gave and took."""
    given, output = whole_of(prompt), whole_of(completion)
    cached, written = whole_of(from_cache), whole_of(to_cache)
    if given is None and output is None:
        return None
    return Usage(
        None if given is None else max(0, given - (cached or 0) - (written or 0)),
        cached,
        written,
        output,
        whole_of((extra.output_tokens_details or OutputDetails()).thinking_tokens),
    )


_AROUND = "what is around the steps"


def _around(record: StepRecord) -> Sequence[LightEvent]:
    """Return the parts before the steps, or behind them."""
    own = record.record
    agent = (None if own.agent is UNSET else own.agent) or Agent()
    more, final = agent.extra or AgentExtra(), own.final_metrics or Metrics()
    facts = Facts(
        cwd=next(filter(None, more.cwds or ()), None),
        branch=next(filter(None, more.git_branches or ()), None),
        model=agent.model_name or None,
        client_version=agent.version or None,
        agent=agent.name or None,
        cost=real_of(final.total_cost_usd) or None,
        # These are written at the end of a run.
        ended=True if own.final_metrics else None,
    )
    events: list[LightEvent] = [hidden(record, _AROUND, "document", facts=facts)]
    counts = (final.total_prompt_tokens, final.total_completion_tokens, final.total_cached_tokens)
    extra = final.extra or Metrics()
    written = extra.total_cache_creation_input_tokens
    usage = _tokens(*counts, extra.total_cache_write_tokens if written is UNSET else written, extra)
    if usage is not None:
        body = TokenUsage("session", usage, facts.model, total=True)
        events.append(record.event("usage", body, facts=Facts(ended=True)))
    if own.notes:
        events.append(record.event("notes", Attachment("notes", "note", own.notes)))
    said = as_text(record.value_of(own.continued))
    if said is not None:
        note = Notification(Topic.LINK, f"Continued in {said}")
        events.append(record.event("continued", note))
    return events


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
            others.append(picture(source))
        else:
            others.append(JsonBlock(part))
    return "\n".join(words), tuple(others)


FORM = TypedDocuments(Record, _record, _record_events, _BEGIN, around=_around)
