"""The entries of a task as the extension shows them, one by one; calls are in `turn.py`.

Source: the public source of Cline, Roo Code and Kilo Code, and public logs.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from agentview.domain.content import Block, ResourceBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Facts,
    Level,
    Notification,
    Reset,
    TokenUsage,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import mapping, number, text
from agentview.normalize.json_values import Fields, real_of, time_of, whole_of
from agentview.providers._kit.event_builder import model_facts
from agentview.providers._kit.images import image_at
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, hidden
from agentview.providers.cline.shared.labels import folder_in
from agentview.providers.cline.shared.schema import Condensed, Entry, Model

_FIRST = 16
"""Bytes of a document within which its first entry begins."""
_CHANGES = "HAS_CHANGES"
"""Mark that the client puts behind a text to offer a look at the changes."""
_BOOKKEEPING = {
    "checkpoint_created": "a checkpoint of the files",
    "checkpoint_saved": "a checkpoint of the files",
    "mcp_server_request_started": "a request to a server began",
    "browser_session_status": "the state of the browser",
    "api_req_finished": "a request ended, which its beginning says too",
    "api_req_deleted": "a request was taken back",
    "api_req_rate_limited": "a countdown",
    "resume_completed_task": "a task that was done is open again",
    "task_progress_updated": "the list of what is to do",
    "subagent_usage": "the tokens of agents",
}
BOOKKEEPING = frozenset(_BOOKKEEPING)
"""Kinds of entries that say nothing of what the agent or the person did."""


class TaskRecord(TypedBuilder[Entry], gc=False):
    """An entry, or a message to the model."""

    @property
    def words(self) -> str:
        return self.record.text or ""

    @property
    def model(self) -> str | None:
        return (self.record.model_info or Model()).model_id or None


def task_record(record: Entry, raw: bytes, source: SourceRef, session: SessionRef) -> TaskRecord:
    """The record with its time; of an entry with its id and the model too."""
    made = TaskRecord.of(record, raw, source, session, time=time_of(record.ts))
    if is_entry(record) and not record.role:
        stamp = whole_of(record.ts)
        made.record_id = f"{stamp}-{kind_of(record)}" if stamp is not None else None
        made.facts = model_facts(made.model) if made.model is not None else None
    return made


def is_entry(entry: Entry) -> bool:
    return entry.say is not None or entry.ask is not None


def kind_of(entry: Entry) -> str:
    return (entry.ask if entry.type == "ask" else entry.say) or "(none)"


def _blocks_of(entry: Entry) -> tuple[Block, ...]:
    """The pictures and files that came with an entry."""
    images = map(image_at, filter(None, entry.images or ()))
    return (*images, *(ResourceBlock(name=name) for name in filter(None, entry.files or ())))


def entry_events(record: TaskRecord) -> Sequence[LightEvent]:
    """Events of an entry that is not a call."""
    kind = kind_of(record.record)
    if kind in _BOOKKEEPING:
        return [hidden(record, _BOOKKEEPING[kind], kind)]
    make = _MAKERS.get(kind)
    if make is None:
        return [record.unknown(kind)]
    return make(record, record.words)


def _said(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    """A text: the first one of a task is what the person asked for."""
    first = record.record.conversation_history_index == -1
    if first or record.source.offset < _FIRST:
        return _prompt(record, words)
    blocks, thought = _blocks_of(record.record), record.record.reasoning
    if not words.strip() and not blocks:
        return [hidden(record, "a text without words", "text")]
    thoughts = [record.thought_part("thought", thought)] if thought else []
    return [*thoughts, record.text_part("text", words, blocks)]


def _prompt(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    blocks = _blocks_of(record.record)
    if not words.strip() and not blocks:
        return [hidden(record, "a prompt without words", "prompt")]
    return [record.event("prompt", User(words, blocks))]


def _reasoning(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    return [record.thought_part("thought", words or record.record.reasoning or "")]


def _done(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    """Return the agent's report at the end, or the question whether that is all."""
    said = words.removesuffix(_CHANGES)
    events: list[LightEvent] = [record.text_part("text", said)] if said.strip() else []
    if record.record.type == "ask":
        events.append(record.event("end", Notification(Topic.TURN_END, "The task is done")))
    return events or [hidden(record, "a report without words", "completion_result")]


def request_events(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    """A request to the model: what it cost, and how it ended."""
    request = mapping(words)
    cwd, model = folder_in(text(request, "request") or ""), record.model
    facts = Facts(cwd=cwd, model=model) if cwd or model else None
    said = "a request to the model"
    events: list[LightEvent] = [hidden(record, said, "api_req_started", facts=facts)]
    usage = _usage(request)
    if usage is not None:
        cost = real_of(request.get("cost")) or None
        events.append(record.usage_part(TokenUsage(record.name, usage, model, cost=cost)))
    reason = text(request, "cancelReason")
    if reason == "user_cancelled":
        note = Notification(Topic.INTERRUPT, "The request was cancelled")
        events.append(record.event("cancelled", note))
    elif reason is not None:
        said = text(request, "streamingFailedMessage") or reason
        note = Notification(error_topic(said), said, Level.ERROR, reason)
        events.append(record.event("failed", note))
    return events


def _usage(request: Fields) -> Usage | None:
    """Tokens of a request; None before it was answered."""
    given, output = number(request, "tokensIn"), number(request, "tokensOut")
    written, cached = number(request, "cacheWrites"), number(request, "cacheReads")
    if not any((given, output, written, cached)):
        return None
    if request.get("apiProtocol") == "openai" and given is not None:
        # The services of that protocol count what a cache gave with the prompt.
        given = max(0, given - (cached or 0) - (written or 0))
    return Usage(given, cached, written, output)


def _deleted(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    """Requests that were taken back: what they cost in all."""
    request = mapping(words)
    usage = _usage(request)
    if usage is None:
        return [hidden(record, "requests that were taken back", "deleted_api_reqs")]
    cost = real_of(request.get("cost")) or None
    return [record.usage_part(TokenUsage(record.name, usage, cost=cost))]


def _condensed(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    """The history was replaced by a summary."""
    if record.record.partial is True:
        return [hidden(record, "a summary is being written", "condense_context")]
    body = _compaction(record.record.context_condense)
    body = replace(body, summary=body.summary or words or None)
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _truncated(record: TaskRecord, _words: str) -> Sequence[LightEvent]:
    body = _compaction(record.record.context_truncation, "auto")
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _compaction(made: Condensed | None, trigger: str | None = None) -> Compaction:
    made = made or Condensed()
    before, after = whole_of(made.prev_context_tokens), whole_of(made.new_context_tokens)
    return Compaction(trigger, before, after, made.summary or None)


_Maker = Callable[[TaskRecord, str], Sequence[LightEvent]]


def _noted(topic: Topic, level: Level = Level.INFO, default: str = "") -> _Maker:
    def make(record: TaskRecord, words: str) -> Sequence[LightEvent]:
        said = words or default or kind_of(record.record).replace("_", " ")
        return [record.event("note", Notification(topic, said, level))]

    return make


def _failed(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    """A request failed; the person is asked whether to try again."""
    said = words or "a request failed"
    return [record.event("failed", Notification(error_topic(said), said, Level.ERROR))]


def _retried(record: TaskRecord, words: str) -> Sequence[LightEvent]:
    said = words or "a request is tried again"
    return [record.event("retry", Notification(error_topic(said), said, Level.WARNING))]


def _attached(name: str, kind: str) -> _Maker:
    def make(record: TaskRecord, words: str) -> Sequence[LightEvent]:
        return [record.event("attached", Attachment(name, kind, words))]

    return make


_WARNING = _noted(Topic.SYSTEM, Level.WARNING)
_MAKERS: Mapping[str, _Maker] = {
    "task": _prompt,
    "text": _said,
    "image": _said,
    "act_mode_respond": _said,
    "new_task": _said,
    "user_feedback": _prompt,
    "reasoning": _reasoning,
    "completion_result": _done,
    "api_req_started": request_events,
    "deleted_api_reqs": _deleted,
    "api_req_failed": _failed,
    "api_req_retried": _retried,
    "api_req_retry_delayed": _retried,
    "error_retry": _retried,
    "condense_context": _condensed,
    "sliding_window_truncation": _truncated,
    "resume_task": _noted(Topic.INTERRUPT, default="The task was interrupted"),
    "error": _noted(Topic.SYSTEM, Level.ERROR),
    "diff_error": _WARNING,
    "clineignore_error": _WARNING,
    "rooignore_error": _WARNING,
    "condense_context_error": _WARNING,
    "command_permission_denied": _WARNING,
    "mistake_limit_reached": _WARNING,
    "auto_approval_max_req_reached": _WARNING,
    "shell_integration_warning": _WARNING,
    "shell_integration_warning_with_suggestion": _WARNING,
    "payment_required_prompt": _WARNING,
    "info": _noted(Topic.SYSTEM),
    "condense": _noted(Topic.SYSTEM),
    "summarize_task": _noted(Topic.SYSTEM),
    "report_bug": _noted(Topic.SYSTEM),
    "mcp_notification": _noted(Topic.SYSTEM),
    "generate_explanation": _noted(Topic.SYSTEM),
    "conditional_rules_applied": _noted(Topic.SYSTEM),
    "hook_status": _noted(Topic.HOOK),
    "hook_output": _noted(Topic.HOOK),
    "hook_output_stream": _noted(Topic.HOOK),
    "user_feedback_diff": _attached("what the person changed", "diff"),
    "user_edit_todos": _attached("the list as the person changed it", "todos"),
    "subtask_result": _attached("the result of a task", "agent-message"),
    "subagent": _attached("agents at work", "note"),
    "command_output": _attached("output of a command", "output"),
    "mcp_server_response": _attached("answer of a server", "output"),
    "browser_action_result": _attached("state of the browser", "output"),
    "codebase_search_result": _attached("what a search found", "output"),
}
"""Makers of events by the kind of an entry."""
