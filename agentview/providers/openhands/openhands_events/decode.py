"""Events of one action or one observation."""

import re
from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.content import Block, ImageBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Facts,
    Level,
    Message,
    Notification,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
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
    local_time_of,
    real_of,
    text_of,
    whole_of,
    without,
)
from agentview.normalize.tools.mcp import of_server
from agentview.providers._kit.chat_usage import usage_in
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, Records, TypedBuilder, hidden
from agentview.providers.openhands.openhands.decode import LINES
from agentview.providers.openhands.openhands_events.schema import (
    CallMetadata,
    Evaluation,
    Metrics,
    Model,
    Record,
    Task,
)
from agentview.providers.openhands.openhands_events.tools import MCP, find_tool
from agentview.providers.openhands.shared.usage import Tokens, usage_of

_BEGIN = re.compile(r'\{\s*"(?:id|timestamp|source|trajectory|history|task|kind)"\s*:')
_OF_CLIENT = frozenset({
    "thought", "blocking", "hidden", "confirmation_state", "security_risk", "impl_source",
    "is_static", "keep_prompt", "kernel_init_code", "include_extra", "translated_ipython_code",
    "wait_for_response", "task_completed",
})  # fmt: skip
"""Arguments of an action that the client adds to those of the model."""
_CALLS = (
    "run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", MCP, "think",
    "delegate", "task_tracking", "push", "send_pr",
)  # fmt: skip


class TrajectoryEvent(TypedBuilder[Record], gc=False):
    """An event, which has the time of the machine that it was written on."""

    @property
    def args(self) -> Fields:
        return fields_of(self.value_of(self.record.args))

    @property
    def metadata(self) -> CallMetadata:
        return self.record.tool_call_metadata or CallMetadata()


def _event(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> TrajectoryEvent:
    return TrajectoryEvent.of(
        record, raw, source, session, time=local_time_of(record.timestamp or "")
    )


def _record_events(record: TrajectoryEvent) -> Sequence[LightEvent]:
    own = record.record
    if own.action:
        return [*actions(record, own.action), *_counted(record, own.llm_metrics)]
    if own.observation:
        return [*observations(record, own.observation), *_counted(record, own.llm_metrics)]
    if own.task is not UNSET:
        return _task(record, own.task or Task())
    if own.kind:
        return LINES.light(record.raw, record.source, record.session)
    return [record.unknown("(none)")]


def _around(record: TrajectoryEvent) -> Sequence[LightEvent]:
    return [hidden(record, "what is around the events", "document")]


FORM = TypedDocuments(Record, _event, _record_events, _BEGIN, around=_around)

actions = Records[TrajectoryEvent](
    hidden={
        "recall": "the client looks for what it knows",
        "change_agent_state": "the state of the agent",
        "null": "nothing was done",
        "condensation_request": "the history is to be condensed",
        "loop_recovery": "a loop was left",
        "start": "the task begins",
        "pause": "the state of the agent",
        "resume": "the state of the agent",
        "stop": "the state of the agent",
    }
)
"""Decoders of actions, by their names."""
observations = Records[TrajectoryEvent](
    hidden={
        "agent_state_changed": "the state of the agent",
        "null": "nothing was observed",
        "condense": "the history was condensed",
        "llm_response": "facts of a response",
        "loop_detection": "a loop was found",
    }
)
"""Decoders of observations, by their names."""


@actions.on("system")
def _system(record: TrajectoryEvent) -> Sequence[LightEvent]:
    version = text_of(record.args.get("openhands_version"))
    facts = Facts(client_version=version) if version else None
    words = text_of(record.args.get("content")) or ""
    body = Attachment("system message", "instructions", words)
    return [record.event("system", body, facts=facts)]


@actions.on("message")
def _message(record: TrajectoryEvent) -> Sequence[LightEvent]:
    words = text_of(record.args.get("content")) or ""
    images = map(text_of, items_of(record.args.get("image_urls")))
    blocks: tuple[Block, ...] = tuple(ImageBlock(uri=uri) for uri in images if uri)
    if record.record.source == "user":
        return [record.event("prompt", User(words, blocks))]
    events = _asked_by(record)
    if words.strip() or blocks:
        events.append(record.event("said", Message(words, blocks, ends_turn=True)))
    return events or [hidden(record, "a message without words", "message")]


@actions.on("finish", "reject")
def _finish(record: TrajectoryEvent) -> Sequence[LightEvent]:
    """The last words of the agent, for which it has a tool."""
    args = record.args
    events = [*_asked_by(record), *_thought(record)]
    given = (args.get("final_thought"), fields_of(args.get("outputs")).get("content"))
    words = next(filter(None, map(text_of, given)), None)
    words = words or text_of(_asked(record).get("message"))
    if words is not None:
        events.append(record.event("said", Message(words, ends_turn=True)))
    return events or [hidden(record, "the agent is done", "finish")]


@actions.on("condensation")
def _condensed(record: TrajectoryEvent) -> Sequence[LightEvent]:
    body = Compaction(summary=text_of(record.args.get("summary")))
    return [record.event("compacted", body, resets=Reset.COMPACTED)]


@actions.on(*_CALLS)
def _call(record: TrajectoryEvent) -> Sequence[LightEvent]:
    """A call, with what the model said in front of it."""
    own, args = record.record, record.args
    asked = _asked(record)
    name = record.metadata.function_name or own.action or "(none)"
    given = asked or without(args, _OF_CLIENT)
    if own.action == MCP:
        name = text_of(args.get("name")) or name
        given = fields_of(args.get("arguments"))
    call = tool_call(
        call_id=_name(whole_of(own.id), record.name),
        name=name,
        arguments=given,
        spec=of_server(None, name, name=name) if own.action == MCP else find_tool(name, given),
    )
    return [*_asked_by(record), *_thought(record), record.event("call", call)]


def _thought(record: TrajectoryEvent) -> list[LightEvent]:
    words = text_of(record.args.get("thought")) if record.record.action != "think" else None
    return [record.text_part("thought", words)] if words and words.strip() else []


def _name(event: int | None, other: str) -> str:
    """The name of a call: the id of its action, which its observation has as its cause."""
    return other if event is None else str(event)


def _response(record: TrajectoryEvent) -> Fields:
    return fields_of(record.value_of(record.metadata.model_response))


def _asked(record: TrajectoryEvent) -> Fields:
    """The arguments that the model gave, as its response has them; empty where it does not."""
    for choice in map(fields_of, items_of(_response(record).get("choices"))):
        for call in map(fields_of, items_of(fields_of(choice.get("message")).get("tool_calls"))):
            if call.get("id") == record.metadata.tool_call_id:
                return mapping(fields_of(call.get("function")).get("arguments"))
    return {}


def _asked_by(record: TrajectoryEvent) -> list[LightEvent]:
    """The tokens of the response that asked for an action, once for all that it asked for."""
    response = _response(record)
    usage, own = usage_in(response), text_of(response.get("id"))
    if usage is None or own is None:
        return []
    record.response_id = own
    model = text_of(response.get("model"))
    record.facts = Facts(model=model) if model else None
    return [record.usage_part(TokenUsage(own, usage, model))]


def _task(record: TrajectoryEvent, task: Task) -> Sequence[LightEvent]:
    """The name, the model, the tokens and the error of a task of an evaluation."""
    evaluation = task.metadata or Evaluation()
    model = (evaluation.llm_config or evaluation.llm or Model()).model or None
    title = Title(as_text(task.instance_id) or "a task", TitleSource.SUMMARY)
    events: list[LightEvent] = [
        record.event("title", title, facts=Facts(model=model) if model else None)
    ]
    if (error := text_of(task.error)) is not None:
        head, _, rest = error.partition("\n")
        body = Notification(error_topic(error), head, Level.ERROR, rest or None)
        events.append(record.event("error", body))
    return [*events, *_counted(record, task.metrics, model)]


def _counted(
    record: TrajectoryEvent, metrics: Metrics | None, model: str | None = None
) -> Sequence[LightEvent]:
    """Tokens and cost of all requests until now."""
    metrics = metrics or Metrics()
    usage = usage_of(metrics.accumulated_token_usage or Tokens())
    cost = real_of(metrics.accumulated_cost)
    if not cost and (usage is None or not (usage.input_uncached or usage.input_cached)):
        return []
    usage = usage or Usage()
    body = TokenUsage("session", usage, model, total=True, cost=cost or None)
    made = record.copy()
    made.facts = Facts(cost=cost) if cost else None
    return [made.usage_part(body, replaces="usage", suffix="total")]


_DONE = frozenset({"read", "write", "edit", "think", "task_tracking", "success"})
"""Observations that are of an error where the action failed."""


@observations.on(
    "run", "run_ipython", "read", "write", "edit", "browse", "mcp", "think", "delegate",
    "task_tracking", "success", "error", "user_rejected", "download", "chat", "message", "recall",
)  # fmt: skip
def _observed(record: TrajectoryEvent) -> Sequence[LightEvent]:
    """The outcome of a call; without one, what the client reports."""
    own = record.record
    words = as_text(record.value_of(own.content)) or ""
    kind = own.observation or ""
    if kind == "recall":
        body = Attachment("recall", "context", words)
        return [record.event("recall", body)]
    cause = whole_of(own.cause)
    if cause is None or cause < 0:
        level = Level.WARNING if kind == "error" else Level.INFO
        return [record.event("note", Notification(Topic.SYSTEM, words or kind, level))]
    extras = fields_of(record.value_of(own.extras))
    if kind == "user_rejected":
        denial = Denial(DeniedBy.PERSON, words or None)
        return [record.event("result", ToolResult(str(cause), False, denial=denial))]
    failed = kind == "error" or extras.get("error") is True
    ok = False if failed else True if kind in _DONE else own.success
    return [
        record.event(
            "result",
            ToolResult(
                str(cause),
                ok,
                (TextBlock(words),) if words else (),
                structured=_structured(extras, words),
                error=words if failed else None,
            ),
        )
    ]


def _structured(extras: Fields, words: str) -> Fields | None:
    """Exit code and output of a command; None for anything else."""
    metadata = fields_of(extras.get("metadata"))
    code = whole_of(metadata.get("exit_code"))
    # The client writes -1 where a command is not over.
    return {"exit_code": code, "output": words} if code is not None and code >= 0 else None
