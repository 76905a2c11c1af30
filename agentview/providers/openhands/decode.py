"""What happened: the events of one event of a conversation, or of its state."""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    local_time_of,
    real_of,
    text_of,
    whole_of,
)
from agentview.normalize.tools.mcp import of_server
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.images import words_and_blocks
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.openhands.results import RUNNING, terminal_text
from agentview.providers.openhands.tools import MCP_ACTION, find_tool

_THOUGHT = re.compile(r"\s*<think>(.*?)</think>\s*", re.DOTALL)
_SESSION = "session"
_STATE = "state"
_AGENTS = "task:"


class ConversationEvent(EventBuilder):
    """An event, with its own id and the time of the machine that it was written on."""

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.time = local_time_of(fields.get("timestamp"))
        if "kind" in fields:
            self.record_id = text_of(fields.get("id"))
        self.response_id = text_of(fields.get("llm_response_id"))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: ConversationEvent) -> list[Event]:
    fields = record.fields
    kind = text_of(fields.get("kind"))
    if kind is None and "execution_status" in fields and "agent" in fields:
        return _state(record, fields)
    make = _MAKERS.get(kind or "")
    if make is not None:
        return make(record)
    hidden = _HIDDEN.get(kind or "")
    if hidden is not None and kind is not None:
        return [record.hidden(hidden, kind)]
    return [record.unknown(kind or "(none)")]


def _state(record: ConversationEvent, state: Fields) -> list[Event]:
    """The state of the conversation, which is written again after each step."""
    llm = fields_of(fields_of(state.get("agent")).get("llm"))
    facts = Facts(
        cwd=text_of(fields_of(state.get("workspace")).get("working_dir")),
        model=text_of(llm.get("model")),
    )
    # It is one record that is written again: its events keep their ids.
    record.record_id = record.record_id or _STATE
    body = Hidden("the state of the conversation", "state")
    kept = record.event("state", body, replaces="state", facts=facts)
    return [kept, *_counted(record, fields_of(state.get("stats")))]


def _counted(record: ConversationEvent, stats: Fields) -> list[Event]:
    """Tokens of all that was done until now, by all models that the conversation uses."""
    events: list[Event] = []
    usage: Usage | None = None
    cost = 0.0
    model: str | None = None
    for name, metrics in fields_of(stats.get("usage_to_metrics")).items():
        if name.startswith(_AGENTS):
            # What an agent used is in its own state as well.
            continue
        fields = fields_of(metrics)
        tokens = fields_of(fields.get("accumulated_token_usage"))
        given = whole_of(tokens.get("prompt_tokens"))
        if given is None:
            continue
        cached = whole_of(tokens.get("cache_read_tokens"))
        written = whole_of(tokens.get("cache_write_tokens"))
        part = Usage(
            max(0, given - (cached or 0) - (written or 0)),
            cached,
            written,
            whole_of(tokens.get("completion_tokens")),
            whole_of(tokens.get("reasoning_tokens")),
        )
        usage = part if usage is None else usage.plus(part)
        model = model or text_of(fields.get("model_name"))
        cost += real_of(fields.get("accumulated_cost")) or 0.0
    if usage is not None:
        # Of a model without a known price the client counts nothing.
        body = TokenUsage(_SESSION, usage, model, total=True, cost=cost or None)
        events.append(record.event("usage", body, replaces="usage"))
    return events


def _message(record: ConversationEvent) -> list[Event]:
    message = fields_of(record.fields.get("llm_message"))
    words, others = _content(message.get("content"))
    role, source = text_of(message.get("role")), text_of(record.fields.get("source"))
    events = _thoughts(record, message)
    added = tuple(
        filter(
            None, (_content([item])[0] for item in items_of(record.fields.get("extended_content")))
        )
    )
    if role == "assistant" or source == "agent":
        words = _said(record, words, events)
        if words.strip() or others:
            events.append(record.event("said", Message(words, others, ends_turn=True)))
    elif role == "user" and source == "user":
        events.append(record.event("prompt", User(words, others, context=added)))
    else:
        name = text_of(record.fields.get("sender")) or source or role or "note"
        events.append(record.event("note", Attachment(name, "note", words)))
    return events or [record.hidden("a message without words", "MessageEvent")]


def _thoughts(record: ConversationEvent, message: Fields) -> list[Event]:
    """Thoughts that the model gave apart from its words."""
    thought = text_of(message.get("reasoning_content"))
    if thought is not None:
        return [record.event("thought", Reasoning(thought))]
    events: list[Event] = []
    for at, block in enumerate(map(fields_of, items_of(message.get("thinking_blocks")))):
        words = text_of(block.get("thinking"))
        body = Reasoning(words or "", withheld=words is None)
        events.append(record.event(f"thought/{at}", body))
    return events


def _said(record: ConversationEvent, words: str, events: list[Event]) -> str:
    """Words without a thought in tags at their start, which may be recorded by itself as well."""
    found = _THOUGHT.match(words)
    if found is None:
        return words
    if not events and found[1].strip():
        events.append(record.event("thought", Reasoning(found[1].strip())))
    return words[found.end() :]


def _action(record: ConversationEvent) -> list[Event]:
    """A call, with what the model said and thought in front of it."""
    fields = record.fields
    events = _thoughts(record, fields)
    words = _said(record, _content(fields.get("thought"))[0], events)
    if words.strip():
        events.append(record.event("said", Message(words)))
    events.append(record.event("call", _call(record)))
    return events


def _call(record: ConversationEvent) -> ToolCall:
    fields = record.fields
    asked = fields_of(fields.get("tool_call"))
    asked = fields_of(asked.get("function")) or asked
    name = text_of(fields.get("tool_name")) or text_of(asked.get("name")) or "(none)"
    action = fields_of(fields.get("action"))
    given = asked.get("arguments")
    arguments: Mapping[str, object] | str | None = action
    raw = record.text_at("action")
    if isinstance(given, str):
        arguments, raw = given, None
    args = mapping(arguments)
    mcp = text_of(action.get("kind")) == MCP_ACTION
    summary = text_of(fields.get("summary"))
    return tool_call(
        call_id=call_id_of(fields.get("tool_call_id"), record.name),
        name=name,
        arguments=arguments,
        raw=raw,
        spec=of_server(None, name, name=name) if mcp else find_tool(name, args),
        # The client makes one of name and arguments where the model gave none.
        title=None if summary is None or summary.startswith(f"{name}: {{") else summary,
    )


def _observation(record: ConversationEvent) -> list[Event]:
    fields = record.fields
    observation = fields_of(fields.get("observation"))
    words, others = _content(observation.get("content"))
    if not words:
        words = text_of(observation.get("output")) or ""
    code = whole_of(observation.get("exit_code"))
    if "exit_code" in observation:
        words = _printed(words, fields_of(observation.get("metadata")), code)
    failed = observation.get("is_error") is True or observation.get("error") is True
    ok = not failed and code in (None, 0, RUNNING)
    finish = observation.get("kind") == "FinishObservation"
    output = (*((TextBlock(words),) if words and not finish else ()), *others)
    result = ToolResult(
        text_of(fields.get("tool_call_id")) or "",
        ok,
        output,
        structured=observation,
        error=words if failed else None,
    )
    events = [record.event("result", result)]
    if finish and words.strip():
        events.append(record.event("said", Message(words, ends_turn=True)))
    return events


def _printed(words: str, metadata: Fields, code: int | None) -> str:
    """What a command printed; the client's own words where they say more than the exit code."""
    text = terminal_text(words)
    if code != RUNNING:
        return text
    before, after = text_of(metadata.get("prefix")) or "", text_of(metadata.get("suffix")) or ""
    return f"{before}{text}{after}".strip("\n")


def _failed(record: ConversationEvent) -> list[Event]:
    """A call that was not run: the tool is unknown, or does not take these arguments."""
    said = as_text(record.fields.get("error")) or ""
    call_id = call_id_of(record.fields.get("tool_call_id"), None)
    if call_id is None:
        return [record.event("error", Notification(Topic.SYSTEM, said, Level.WARNING))]
    return [record.event("result", ToolResult(call_id, False, (TextBlock(said),), error=said))]


def _rejected(record: ConversationEvent) -> list[Event]:
    """A call that a person or a hook refused."""
    words = text_of(record.fields.get("rejection_reason"))
    source = text_of(record.fields.get("rejection_source"))
    by = DeniedBy.RULE if source == "hook" else DeniedBy.PERSON
    call_id = text_of(record.fields.get("tool_call_id")) or ""
    return [record.event("result", ToolResult(call_id, False, denial=Denial(by, words)))]


def _condensed(record: ConversationEvent) -> list[Event]:
    body = Compaction(summary=text_of(record.fields.get("summary")))
    return [record.event("compacted", body, resets=Reset.COMPACTED)]


def _request_failed(record: ConversationEvent) -> list[Event]:
    code = text_of(record.fields.get("code")) or "error"
    detail = as_text(record.fields.get("detail"))
    return [record.event("error", Notification(Topic.API_ERROR, code, Level.ERROR, detail))]


def _server_failed(record: ConversationEvent) -> list[Event]:
    code = text_of(record.fields.get("code")) or "error"
    detail = as_text(record.fields.get("detail"))
    return [record.event("error", Notification(Topic.SYSTEM, code, Level.ERROR, detail))]


def _limited(record: ConversationEvent) -> list[Event]:
    said = text_of(record.fields.get("detail")) or "The limit of steps was reached."
    return [record.event("limit", Notification(Topic.LIMIT, said, Level.ERROR))]


def _stopped(record: ConversationEvent) -> list[Event]:
    detail = text_of(record.fields.get("detail"))
    return [record.event("stop", Notification(Topic.INTERRUPT, detail or "stopped by the person"))]


def _updated(record: ConversationEvent) -> list[Event]:
    """One value of the state, as servers send it; of the whole state all that it counts."""
    key, value = text_of(record.fields.get("key")), fields_of(record.fields.get("value"))
    if key == "full_state":
        return _state(record, value)
    found = _counted(record, value) if key == "stats" else []
    return found or [record.hidden("a value of the state", "ConversationStateUpdateEvent")]


def _hook(record: ConversationEvent) -> list[Event]:
    fields = record.fields
    failed = fields.get("success") is False or fields.get("blocked") is True
    name = text_of(fields.get("hook_event_type")) or "hook"
    said = text_of(fields.get("hook_command")) or ""
    detail = "\n".join(filter(None, (text_of(fields.get(key)) for key in _HOOK_WORDS))) or None
    level = Level.WARNING if failed else Level.INFO
    body = Notification(Topic.HOOK, f"{name}: {said}".rstrip(": "), level, detail)
    return [record.event("hook", body)]


_HOOK_WORDS = ("reason", "error", "stdout", "stderr", "additional_context")
_ENDED = ("completed", "failed", "cancelled")


def _agent_call(record: ConversationEvent) -> list[Event]:
    """A call of another agent that the conversation runs by protocol: its state at this moment."""
    fields = record.fields
    call_id = call_id_of(fields.get("tool_call_id"), None)
    if call_id is None:
        return [record.unknown("ACPToolCallEvent")]
    kind, title = text_of(fields.get("tool_kind")), text_of(fields.get("title"))
    given = fields.get("raw_input")
    call = tool_call(
        call_id=call_id,
        name=kind or title or "(none)",
        arguments=given if isinstance(given, str) else fields_of(given),
        spec=None,
        title=title,
    )
    events = [record.event("call", call)]
    failed = fields.get("is_error") is True or fields.get("status") == "failed"
    if failed or fields.get("status") in _ENDED:
        said = as_text(fields.get("raw_output")) or _content(fields.get("content"))[0]
        output = (TextBlock(said),) if said else ()
        result = ToolResult(call_id, not failed, output, error=said if failed else None)
        events.append(record.event("result", result))
    return events


def _content(content: object) -> tuple[str, tuple[Block, ...]]:
    """The words of a content, and what is not words."""
    return words_and_blocks(content, _images)


def _images(part: Fields) -> list[str] | None:
    pictures = items_of(part.get("image_urls"))
    return [uri for uri in map(text_of, pictures) if uri] if pictures else None


_MAKERS: Mapping[str, Callable[[ConversationEvent], list[Event]]] = {
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "AgentErrorEvent": _failed,
    "UserRejectObservation": _rejected,
    "Condensation": _condensed,
    "ConversationErrorEvent": _request_failed,
    "ServerErrorEvent": _server_failed,
    "ConversationIterationLimitEvent": _limited,
    "PauseEvent": _stopped,
    "InterruptEvent": _stopped,
    "ConversationStateUpdateEvent": _updated,
    "HookExecutionEvent": _hook,
    "ACPToolCallEvent": _agent_call,
}
_HIDDEN: Mapping[str, str] = {
    "SystemPromptEvent": "instructions and tools",
    "TokenEvent": "tokens of the model's words",
    "StreamingDeltaEvent": "a piece of a response that follows as a whole",
    "LLMCompletionLogEvent": "a copy of a request",
    "CondensationRequest": "the history is to be condensed",
    "CondensationSummaryEvent": "the summary of a condensation said again",
    "AskUserRequestEvent": "a question that its call has",
    "AskUserResponseEvent": "an answer that the result of its call has",
}
KINDS = frozenset(_MAKERS) | frozenset(_HIDDEN)
"""Which events there are."""

LINES = RecordDecoder(
    ConversationEvent,
    _record_events,
    re.compile(r'\{\s*"(?:id|timestamp|kind)"\s*:'),
    discovery_keys=("parent_id",),
)
