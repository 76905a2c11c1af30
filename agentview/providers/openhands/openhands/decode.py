"""Events of one event of a conversation, or of its state."""

import re
from collections.abc import Sequence

from msgspec import UNSET

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Facts,
    Hidden,
    Level,
    Notification,
    Reset,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.events import Message as AgentMessage
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tool_inputs import AskQuestion
from agentview.domain.tools import Denial, DeniedBy, ToolCall
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
)
from agentview.normalize.tools.mcp import of_server
from agentview.providers._kit.images import words_and_blocks
from agentview.providers._kit.permission_request import permission_request
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    fitting,
    hidden,
    read_as,
)
from agentview.providers.openhands.openhands.results import RUNNING, terminal_text
from agentview.providers.openhands.openhands.schema import (
    Agent,
    Call,
    Function,
    Message,
    Metrics,
    Model,
    Observation,
    Record,
    State,
    Stats,
    Terminal,
    Thought,
    Workspace,
)
from agentview.providers.openhands.openhands.tools import MCP_ACTION, find_tool, known
from agentview.providers.openhands.shared.usage import Tokens, usage_of

_THOUGHT = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_SESSION = "session"
_STATE = "state"
_AGENTS = "task:"
_WAITS = "waiting_for_confirmation"
_ASKED = AskQuestion("Whether the calls that have no result may be made", "Permission")
_QUIET = Hidden("the state of the conversation", _STATE)
_ENDED = ("completed", "failed", "cancelled")


class ConversationEvent(TypedBuilder[Record], gc=False):
    """An event, with its own id and the time of the machine that it was written on."""


def _event(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> ConversationEvent:
    return ConversationEvent.of(
        record, raw, source, session, time=local_time_of(record.timestamp),
        record_id=record.id if record.kind and record.id else None,
        response_id=record.llm_response_id or None,
    )  # fmt: skip


def _record_events(record: ConversationEvent) -> Sequence[LightEvent]:
    own = record.record
    if not own.kind and not (own.execution_status is UNSET or own.agent is UNSET):
        return _state(record, own)
    return events_of(record, own.kind or None)


events_of = Records[ConversationEvent](
    hidden={
        "SystemPromptEvent": "instructions and tools",
        "TokenEvent": "tokens of the model's words",
        "StreamingDeltaEvent": "a piece of a response that follows as a whole",
        "LLMCompletionLogEvent": "a copy of a request",
        "CondensationRequest": "the history is to be condensed",
        "CondensationSummaryEvent": "the summary of a condensation said again",
        "AskUserRequestEvent": "a question that its call has",
        "AskUserResponseEvent": "an answer that the result of its call has",
    }
)
"""Decoders of an event, by its kind."""


def _state(record: ConversationEvent, state: State) -> Sequence[LightEvent]:
    """The state of the conversation, which is written again after each step."""
    facts = Facts(
        cwd=(state.workspace or Workspace()).working_dir or None,
        model=((state.agent or Agent()).llm or Model()).model or None,
    )
    # It is one record that is written again: its events keep their ids.
    record.record_id = record.record_id or _STATE
    waits = state.execution_status == _WAITS
    body = permission_request("state", _ASKED, None, {}) if waits else _QUIET
    kept = record.event(_STATE, body, replaces=_STATE, facts=facts)
    return [kept, *_counted(record, state.stats)]


def _counted(record: ConversationEvent, stats: Stats | None) -> Sequence[LightEvent]:
    """Tokens of all that was done until now, by all models that the conversation uses."""
    usage: Usage | None = None
    cost, model = 0.0, None
    for name, metrics in ((stats or Stats()).usage_to_metrics or {}).items():
        part = usage_of((metrics or Metrics()).accumulated_token_usage or Tokens())
        # What an agent used is in its own state as well.
        if metrics is None or part is None or name.startswith(_AGENTS):
            continue
        usage = part if usage is None else usage.plus(part)
        model = model or metrics.model_name or None
        cost += real_of(metrics.accumulated_cost) or 0.0
    if usage is None:
        return []
    # Of a model without a known price the client counts nothing.
    body = TokenUsage(_SESSION, usage, model, total=True, cost=cost or None)
    made = record.copy()
    made.facts = Facts(cost=cost) if cost else None
    return [made.usage_part(body, replaces="usage")]


@events_of.on("MessageEvent")
def _message(record: ConversationEvent) -> Sequence[LightEvent]:
    own, message = record.record, record.record.llm_message or Message()
    words, others = _content(record.value_of(message.content))
    events = _thoughts(record, message)
    if message.role == "assistant" or own.source == "agent":
        words = _said(record, words, events)
        if words.strip() or others:
            events.append(record.event("said", AgentMessage(words, others, ends_turn=True)))
    elif message.role == "user" and own.source == "user":
        listed = (_content([record.value_of(item)])[0] for item in own.extended_content or ())
        context = tuple(filter(None, listed))
        events.append(record.event("prompt", User(words, others, context=context)))
    else:
        name = own.sender or own.source or message.role or "note"
        events.append(record.event("note", Attachment(name, "note", words)))
    return events or [hidden(record, "a message without words", "MessageEvent")]


def _thoughts(record: ConversationEvent, message: Message | Record) -> list[LightEvent]:
    """Thoughts that the model gave apart from its words."""
    if message.reasoning_content:
        return [record.thought_part("thought", message.reasoning_content)]
    blocks = (each or Thought() for each in message.thinking_blocks or ())
    words = (each.thinking or "" for each in blocks)
    return [
        record.thought_part(f"thought/{at}", said, withheld=not said)
        for at, said in enumerate(words)
    ]


def _said(record: ConversationEvent, words: str, events: list[LightEvent]) -> str:
    """Words without a thought in tags at their start, which may be recorded by itself as well."""
    found = _THOUGHT.match(words)
    if found is None:
        return words
    if not events and found[1].strip():
        events.append(record.thought_part("thought", found[1].strip()))
    return words[found.end() :]


@events_of.on("ActionEvent")
def _action(record: ConversationEvent) -> Sequence[LightEvent]:
    """A call, with what the model said and thought in front of it."""
    own = record.record
    events = _thoughts(record, own)
    words = _said(record, _content(record.value_of(own.thought))[0], events)
    if words.strip():
        events.append(record.text_part("said", words))
    asked = own.tool_call or Call()
    asked = asked.function or asked
    name = own.tool_name or asked.name or "(none)"
    call_id = record.name if own.tool_call_id is None else own.tool_call_id
    # A tool of a server may have the name of another one.
    served = MCP_ACTION.encode() in bytes(own.action)
    made = (record, call_id, name, asked)
    event = record.call_event("call", call_id, None if served else known(name), _call, made)
    return [*events, event]


def _call(record: ConversationEvent, call_id: str, name: str, asked: Function) -> ToolCall:
    own = record.record
    action = fields_of(record.value_of(own.action))
    written = asked.arguments
    arguments = written if isinstance(written, str) else action
    mcp = action.get("kind") == MCP_ACTION
    summary = own.summary or None
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        raw=None if isinstance(written, str) else record.exact(own.action, "action") or None,
        spec=of_server(None, name, name=name) if mcp else find_tool(name, mapping(arguments)),
        # The client makes one of name and arguments where the model gave none.
        title=None if summary is None or summary.startswith(f"{name}: {{") else summary,
    )


@events_of.on("ObservationEvent")
def _observation(record: ConversationEvent) -> Sequence[LightEvent]:
    recorded = record.value_of(record.record.observation)
    observation = read_as(recorded, Observation)
    words, others = _content(observation.content)
    words = words or observation.output or ""
    code = whole_of(observation.exit_code)
    if observation.exit_code is not UNSET:
        words = _printed(words, observation.metadata or Terminal(), code)
    failed = observation.is_error is True or observation.error is True
    ok = not failed and code in (None, 0, RUNNING)
    finish = observation.kind == "FinishObservation"
    output = (*((TextBlock(words),) if words and not finish else ()), *others)
    result = ToolResult(
        record.record.tool_call_id or "",
        ok,
        output,
        structured=fields_of(recorded),
        error=words if failed else None,
    )
    events = [record.event("result", result)]
    if finish and words.strip():
        events.append(record.event("said", AgentMessage(words, ends_turn=True)))
    return events


def _printed(words: str, metadata: Terminal, code: int | None) -> str:
    """Output of a command; the client's own words where they say more than the exit code."""
    text = terminal_text(words)
    if code != RUNNING:
        return text
    return f"{metadata.prefix or ''}{text}{metadata.suffix or ''}".strip("\n")


@events_of.on("AgentErrorEvent")
def _failed(record: ConversationEvent) -> Sequence[LightEvent]:
    """A call that was not run: the tool is unknown, or does not take these arguments."""
    said, call_id = as_text(record.record.error) or "", record.record.tool_call_id
    if call_id is None:
        return [record.event("error", Notification(Topic.SYSTEM, said, Level.WARNING))]
    return [record.event("result", ToolResult(call_id, False, (TextBlock(said),), error=said))]


@events_of.on("UserRejectObservation")
def _rejected(record: ConversationEvent) -> Sequence[LightEvent]:
    """A call that a person or a hook refused."""
    own = record.record
    by = DeniedBy.RULE if own.rejection_source == "hook" else DeniedBy.PERSON
    denial = Denial(by, own.rejection_reason or None)
    return [record.event("result", ToolResult(own.tool_call_id or "", False, denial=denial))]


@events_of.on("Condensation")
def _condensed(record: ConversationEvent) -> Sequence[LightEvent]:
    body = Compaction(summary=record.record.summary or None)
    return [record.event("compacted", body, resets=Reset.COMPACTED)]


@events_of.on("ConversationErrorEvent", "ServerErrorEvent")
def _failure(record: ConversationEvent) -> Sequence[LightEvent]:
    own = record.record
    topic = Topic.SYSTEM if own.kind == "ServerErrorEvent" else Topic.API_ERROR
    body = Notification(topic, own.code or "error", Level.ERROR, as_text(own.detail))
    return [record.event("error", body)]


@events_of.on("ConversationIterationLimitEvent")
def _limited(record: ConversationEvent) -> Sequence[LightEvent]:
    said = text_of(record.record.detail) or "The limit of steps was reached."
    return [record.event("limit", Notification(Topic.LIMIT, said, Level.ERROR))]


@events_of.on("PauseEvent", "InterruptEvent")
def _stopped(record: ConversationEvent) -> Sequence[LightEvent]:
    said = text_of(record.record.detail) or "stopped by the person"
    return [record.event("stop", Notification(Topic.INTERRUPT, said))]


@events_of.on("ConversationStateUpdateEvent")
def _updated(record: ConversationEvent) -> Sequence[LightEvent]:
    """One value of the state, as servers send it; of the whole state all that it counts."""
    key, value = record.record.key, record.record.value
    if key == "full_state":
        return _state(record, fitting(fields_of(record.value_of(value)), State)[0])
    stats = fitting(fields_of(record.value_of(value)), Stats)[0] if key == "stats" else None
    return _counted(record, stats) or [
        hidden(record, "a value of the state", "ConversationStateUpdateEvent")
    ]


@events_of.on("HookExecutionEvent")
def _hook(record: ConversationEvent) -> Sequence[LightEvent]:
    own = record.record
    failed = own.success is False or own.blocked is True
    words = (own.reason, own.error, own.stdout, own.stderr, own.additional_context)
    detail = "\n".join(filter(None, map(text_of, words))) or None
    said = f"{own.hook_event_type or 'hook'}: {own.hook_command or ''}".rstrip(": ")
    level = Level.WARNING if failed else Level.INFO
    return [record.event("hook", Notification(Topic.HOOK, said, level, detail))]


@events_of.on("ACPToolCallEvent")
def _agent_call(record: ConversationEvent) -> Sequence[LightEvent]:
    """A call of another agent that the conversation runs by protocol: its state at this moment."""
    own, call_id = record.record, record.record.tool_call_id
    if call_id is None:
        return [record.unknown("ACPToolCallEvent")]
    title, given = own.title or None, record.value_of(own.raw_input)
    call = tool_call(
        call_id=call_id,
        name=own.tool_kind or title or "(none)",
        arguments=given if isinstance(given, str) else fields_of(given),
        spec=None,
        title=title,
    )
    events = [record.event("call", call)]
    failed = own.is_error is True or own.status == "failed"
    if failed or own.status in _ENDED:
        output = as_text(record.value_of(own.raw_output))
        said = output or _content(record.value_of(own.content))[0]
        blocks = (TextBlock(said),) if said else ()
        result = ToolResult(call_id, not failed, blocks, error=said if failed else None)
        events.append(record.event("result", result))
    return events


def _content(content: object) -> tuple[str, tuple[Block, ...]]:
    return words_and_blocks(content, _images)


def _images(part: Fields) -> list[str] | None:
    pictures = items_of(part.get("image_urls"))
    return [uri for uri in map(text_of, pictures) if uri] if pictures else None


KINDS = frozenset(events_of.makers) | frozenset(events_of.hidden)
"""Which events there are."""

LINES = TypedLines(Record, _event, _record_events, re.compile(r'\{\s*"(?:id|timestamp|kind)"\s*:'))
