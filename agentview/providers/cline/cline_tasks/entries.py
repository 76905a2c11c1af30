"""The entries of a task as the extension shows them, one by one; calls are in `turn.py`.

Source: the public source of Cline, Roo Code and Kilo Code, and public logs.
"""

from collections.abc import Callable, Mapping

from agentview.domain.content import Block, ImageBlock, ResourceBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    TokenUsage,
    Topic,
    User,
)
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import mapping, number, text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.limits import error_topic
from agentview.providers.cline.shared.labels import folder_in

_FIRST = 16
"""Bytes of a document within which its first entry begins."""
_CHANGES = "HAS_CHANGES"
"""What the client puts behind a text to offer a look at what has changed."""
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


def kind_of(fields: Fields) -> str:
    """Return what an entry is: the name of what is said or asked."""
    asked = fields.get("type") == "ask"
    return text_of(fields.get("ask" if asked else "say")) or "(none)"


def placed(record: EventBuilder) -> EventBuilder:
    """The record of an entry, with its time, its id and the model that answered."""
    fields = record.fields
    record.time = time_of(fields.get("ts"))
    stamp = whole_of(fields.get("ts"))
    record.record_id = f"{stamp}-{kind_of(fields)}" if stamp is not None else None
    model = text_of(fields_of(fields.get("modelInfo")).get("modelId"))
    record.facts = Facts(model=model) if model is not None else None
    return record


def images_of(fields: Fields) -> tuple[Block, ...]:
    """The pictures and files that came with an entry."""
    found: list[Block] = []
    for each in items_of(fields.get("images")):
        uri = text_of(each)
        if uri is None:
            continue
        head, _, data = uri.partition(";base64,")
        if data and head.startswith("data:"):
            found.append(ImageBlock(media_type=head[5:], data=data, byte_size=len(data) * 3 // 4))
        else:
            found.append(ImageBlock(uri=uri))
    names = (text_of(each) for each in items_of(fields.get("files")))
    return (*found, *(ResourceBlock(name=name) for name in names if name))


def entry_events(record: EventBuilder) -> list[Event]:
    """Events of an entry that is not a call."""
    kind = kind_of(record.fields)
    if kind in _BOOKKEEPING:
        return [record.hidden(_BOOKKEEPING[kind], kind)]
    make = _MAKERS.get(kind)
    if make is None:
        return [record.unknown(kind)]
    return make(record, text_of(record.fields.get("text")) or "")


def _said(record: EventBuilder, words: str) -> list[Event]:
    """A text: the first one of a task is what the person asked for."""
    first = record.fields.get("conversationHistoryIndex") == -1
    if first or record.source.offset < _FIRST:
        return _prompt(record, words)
    blocks = images_of(record.fields)
    if not words.strip() and not blocks:
        return [record.hidden("a text without words", "text")]
    return [*_thought(record), record.event("text", Message(words, blocks))]


def _thought(record: EventBuilder) -> list[Event]:
    said = text_of(record.fields.get("reasoning"))
    return [record.event("thought", Reasoning(said))] if said else []


def _prompt(record: EventBuilder, words: str) -> list[Event]:
    blocks = images_of(record.fields)
    if not words.strip() and not blocks:
        return [record.hidden("a prompt without words", "prompt")]
    return [record.event("prompt", User(words, blocks))]


def _reasoning(record: EventBuilder, words: str) -> list[Event]:
    return [
        record.event("thought", Reasoning(words or text_of(record.fields.get("reasoning")) or ""))
    ]


def _done(record: EventBuilder, words: str) -> list[Event]:
    """Return what the agent reports at the end, or the question whether that is all."""
    said = words.removesuffix(_CHANGES)
    events = [record.event("text", Message(said))] if said.strip() else []
    if record.fields.get("type") == "ask":
        events.append(record.event("end", Notification(Topic.TURN_END, "The task is done")))
    return events or [record.hidden("a report without words", "completion_result")]


def request_events(record: EventBuilder, words: str) -> list[Event]:
    """A request to the model: what it cost, and how it ended."""
    request = mapping(words)
    cwd = folder_in(text(request, "request") or "")
    model = text_of(fields_of(record.fields.get("modelInfo")).get("modelId"))
    facts = Facts(cwd=cwd, model=model) if cwd or model else None
    events = [record.hidden("a request to the model", "api_req_started", facts=facts)]
    usage = _usage(request)
    if usage is not None:
        cost = real_of(request.get("cost")) or None
        body = TokenUsage(record.name, usage, model, cost=cost)
        events.append(record.event("usage", body))
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


def _deleted(record: EventBuilder, words: str) -> list[Event]:
    """Requests that were taken back: what they cost in all."""
    request = mapping(words)
    usage = _usage(request)
    if usage is None:
        return [record.hidden("requests that were taken back", "deleted_api_reqs")]
    body = TokenUsage(record.name, usage, cost=real_of(request.get("cost")) or None)
    return [record.event("usage", body)]


def _condensed(record: EventBuilder, words: str) -> list[Event]:
    """The history was replaced by a summary."""
    if record.fields.get("partial") is True:
        return [record.hidden("a summary is being written", "condense_context")]
    made = fields_of(record.fields.get("contextCondense"))
    body = Compaction(
        tokens_before=number(made, "prevContextTokens"),
        tokens_after=number(made, "newContextTokens"),
        summary=text(made, "summary") or words or None,
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _truncated(record: EventBuilder, _words: str) -> list[Event]:
    made = fields_of(record.fields.get("contextTruncation"))
    body = Compaction("auto", number(made, "prevContextTokens"), number(made, "newContextTokens"))
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


_Maker = Callable[[EventBuilder, str], list[Event]]


def _noted(topic: Topic, level: Level = Level.INFO, default: str = "") -> _Maker:
    def make(record: EventBuilder, words: str) -> list[Event]:
        said = words or default or kind_of(record.fields).replace("_", " ")
        return [record.event("note", Notification(topic, said, level))]

    return make


def _failed(record: EventBuilder, words: str) -> list[Event]:
    """A request failed; the person is asked whether to try again."""
    said = words or "a request failed"
    return [record.event("failed", Notification(error_topic(said), said, Level.ERROR))]


def _retried(record: EventBuilder, words: str) -> list[Event]:
    said = words or "a request is tried again"
    return [record.event("retry", Notification(error_topic(said), said, Level.WARNING))]


def _attached(name: str, kind: str) -> _Maker:
    def make(record: EventBuilder, words: str) -> list[Event]:
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
