"""Events of the records next to the conversation: the session itself, limits, hooks, agents."""

import re
from collections.abc import Callable, Mapping

from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Notification,
    Reset,
    Title,
    TitleSource,
    TokenUsage,
    Topic,
)
from agentview.domain.session import StreamKind
from agentview.domain.usage import Usage
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, fields_of, seconds_of, text_of, whole_of
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.limits import error_topic

Maker = Callable[[EventBuilder, Fields], list[Event]]

_TAG = re.compile(r"</?system_notification>\n?")
_FAILED_ENDS = frozenset({"failed", "error", "cancelled"})


def _notice(
    record: EventBuilder,
    topic: Topic,
    text: str,
    level: Level = Level.INFO,
    detail: str | None = None,
    facts: Facts | None = None,
    call_id: str | None = None,
) -> list[Event]:
    body = Notification(topic, text, level, detail or None, call_id=call_id)
    return [record.event("notice", body, facts=facts)]


def _context(data: Fields, version: str | None = None) -> Facts:
    context = fields_of(data.get("context")) or data
    return Facts(
        cwd=text_of(context.get("cwd")),
        branch=text_of(context.get("branch")),
        model=text_of(data.get("selectedModel")),
        client_version=version,
    )


def _start(record: EventBuilder, data: Fields) -> list[Event]:
    facts = _context(data, text_of(data.get("copilotVersion")))
    return [record.hidden("the session begins", "session.start", facts=facts)]


def _resume(record: EventBuilder, data: Fields) -> list[Event]:
    return [record.hidden("the session continues", "session.resume", facts=_context(data))]


def _moved(record: EventBuilder, data: Fields) -> list[Event]:
    facts = _context(data)
    return [record.hidden("another directory or branch", "session.context_changed", facts=facts)]


def _shutdown(record: EventBuilder, data: Fields) -> list[Event]:
    """The client is gone. What it counted counts only where it kept no record of each request."""
    facts = Facts(model=text_of(data.get("currentModel")), ended=True)
    if text_of(data.get("shutdownType")) == "error":
        words = text_of(data.get("errorReason"))
        failed = "The client ended with an error"
        events = _notice(record, Topic.SYSTEM, failed, Level.WARNING, words, facts)
    else:
        events = [record.hidden("the client ended", "session.shutdown", facts=facts)]
    if "usageAccountingWatermarks" in data:
        return events
    counted = Usage()
    for number, (model, metrics) in enumerate(fields_of(data.get("modelMetrics")).items()):
        usage = _model_usage(fields_of(fields_of(metrics).get("usage")))
        if usage is not None:
            counted = counted.plus(usage)
            body = TokenUsage(record.name, counted, model, total=True)
            events.append(record.event(f"usage{number}", body))
    return events


def _model_usage(counts: Fields) -> Usage | None:
    given, output = whole_of(counts.get("inputTokens")), whole_of(counts.get("outputTokens"))
    if given is None and output is None:
        return None
    cached, written = (
        whole_of(counts.get("cacheReadTokens")),
        whole_of(counts.get("cacheWriteTokens")),
    )
    uncached = None if given is None else max(0, given - (cached or 0) - (written or 0))
    return Usage(uncached, cached, written, output)


def _model(record: EventBuilder, data: Fields) -> list[Event]:
    """The person chose another model; an agent begins with this record too."""
    new, old = text_of(data.get("newModel")), text_of(data.get("previousModel"))
    facts = Facts(model=new) if new is not None else None
    if new is None or old == new or record.stream.kind is not StreamKind.MAIN:
        return [record.hidden("the model of a session", "session.model_change", facts=facts)]
    return _notice(record, Topic.MODEL, f"{old} → {new}" if old else f"Model: {new}", facts=facts)


def _mode(record: EventBuilder, data: Fields) -> list[Event]:
    new, old = text_of(data.get("newMode")) or "unknown", text_of(data.get("previousMode"))
    text = f"{old} → {new}" if old else f"Mode: {new}"
    return _notice(record, Topic.MODE, text, facts=Facts(mode=new))


def _info(record: EventBuilder, data: Fields) -> list[Event]:
    return _notice(record, Topic.SYSTEM, text_of(data.get("message")) or "A note of the client")


def _warning(record: EventBuilder, data: Fields) -> list[Event]:
    text = text_of(data.get("message")) or "A warning of the client"
    return _notice(record, Topic.SYSTEM, text, Level.WARNING)


def _error(record: EventBuilder, data: Fields) -> list[Event]:
    words, kind = text_of(data.get("message")), text_of(data.get("errorType"))
    topic = error_topic(words, kind, status=whole_of(data.get("statusCode")))
    return _notice(record, topic, words or kind or "The request failed", Level.ERROR)


def _abort(record: EventBuilder, data: Fields) -> list[Event]:
    reason = text_of(data.get("reason"))
    return _notice(record, Topic.INTERRUPT, "Interrupted", Level.WARNING, reason)


def _compacted(record: EventBuilder, data: Fields) -> list[Event]:
    if data.get("success") is False:
        words = text_of(data.get("error"))
        return _notice(record, Topic.SYSTEM, "Compaction failed", Level.WARNING, words)
    body = Compaction(
        trigger=text_of(data.get("trigger")),
        tokens_before=whole_of(data.get("preCompactionTokens")),
        tokens_after=whole_of(data.get("postCompactionTokens")),
        summary=text_of(data.get("summaryContent")),
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _truncated(record: EventBuilder, data: Fields) -> list[Event]:
    count = whole_of(data.get("messagesRemovedDuringTruncation"))
    text = "The oldest messages no longer reach the model"
    detail = f"{count} messages" if count is not None else text_of(data.get("reason"))
    return _notice(record, Topic.SYSTEM, text, detail=detail)


def _title(record: EventBuilder, data: Fields) -> list[Event]:
    title = text_of(data.get("title"))
    if title is None:
        return [record.hidden("the title of the session", "session.title_changed")]
    return [record.event("title", Title(title, TitleSource.AI))]


def _done(record: EventBuilder, data: Fields) -> list[Event]:
    text = "The task is complete" if data.get("success") is not False else "The task failed"
    return _notice(record, Topic.TURN_END, text, detail=text_of(data.get("summary")))


def _handoff(record: EventBuilder, data: Fields) -> list[Event]:
    return _notice(record, Topic.SYSTEM, "Handed over", detail=text_of(data.get("summary")))


def _idle(record: EventBuilder, _data: Fields) -> list[Event]:
    return _notice(record, Topic.TURN_END, "Turn complete")


def _hook_end(record: EventBuilder, data: Fields) -> list[Event]:
    if data.get("success") is not False:
        return [record.hidden("a hook ended", "hook.end")]
    error = text_of(fields_of(data.get("error")).get("message"))
    text = f"The hook {text_of(data.get('hookType')) or ''} failed".replace("  ", " ")
    return _notice(record, Topic.HOOK, text, Level.WARNING, error)


def _call_failed(record: EventBuilder, data: Fields) -> list[Event]:
    """A request to the model failed; what comes of it is in records of their own."""
    status = whole_of(data.get("statusCode"))
    said = mapping(data.get("errorMessage"))
    words = text_of(said.get("message")) or text_of(data.get("errorMessage"))
    text = f"The request failed: {status}" if status is not None else "The request failed"
    return _notice(record, error_topic(words, status=status), text, Level.WARNING, words)


def _skill(record: EventBuilder, data: Fields) -> list[Event]:
    name, path = text_of(data.get("name")) or "skill", text_of(data.get("path"))
    return [record.event("skill", Attachment(name, "skill", text_of(data.get("content")), path))]


def _asset(record: EventBuilder, data: Fields) -> list[Event]:
    name = text_of(data.get("description")) or text_of(data.get("assetId")) or "image"
    return [record.event("asset", Attachment(name, text_of(data.get("type")) or "file"))]


def _reported(record: EventBuilder, data: Fields) -> list[Event]:
    """A command or an agent in the background has ended, or says something."""
    text = _TAG.sub("", text_of(data.get("content")) or "A note of the client").strip()
    kind = fields_of(data.get("kind"))
    failed = text_of(kind.get("status")) in _FAILED_ENDS or whole_of(kind.get("exitCode")) not in (
        None,
        0,
    )
    head, _, rest = text.partition("\n")
    return _notice(
        record, Topic.BACKGROUND, head, Level.WARNING if failed else Level.INFO, rest.strip()
    )


def _agent_ended(record: EventBuilder, data: Fields) -> list[Event]:
    _ = data
    return [record.hidden("an agent ended, as the result of its call says", "subagent.completed")]


def _agent_failed(record: EventBuilder, data: Fields) -> list[Event]:
    name = text_of(data.get("agentDisplayName")) or text_of(data.get("agentName")) or "An agent"
    body = Notification(
        Topic.BACKGROUND,
        f"{name} failed",
        Level.ERROR,
        text_of(data.get("error")),
        call_id=text_of(data.get("toolCallId")),
        duration=seconds_of(data.get("durationMs")),
    )
    return [record.event("notice", body)]


_SILENT: Mapping[str, str] = {
    "assistant.turn_start": "a request begins",
    "assistant.turn_end": "a request ended",
    "assistant.intent": "what the agent is at",
    "assistant.message_start": "a piece of what a whole record says",
    "assistant.message_delta": "a piece of what a whole record says",
    "assistant.reasoning_delta": "a piece of what a whole record says",
    "assistant.streaming_delta": "a piece of what a whole record says",
    "assistant.tool_call_delta": "a piece of what a whole record says",
    "assistant.turn_retry": "a request is made again",
    "tool.shell_output": "a piece of an output, which the result has whole",
    "model.call_start": "a request to the model begins",
    "model.call_finished": "a request to the model ended",
    "model.call_final_result": "a request to the model ended",
    "result": "the end of what the client printed",
    "system.message": "instructions of the client",
    "hook.start": "a hook begins",
    "hook.progress": "a hook is at work",
    "session.compaction_start": "a compaction begins",
    "session.usage_checkpoint": "premium requests so far",
    "session.usage_info": "how full the context is",
    "session.auto_mode_resolved": "which model was chosen",
    "session.plan_changed": "the plan was written to its file",
    "session.workspace_file_changed": "a file of the session's folder was written",
    "session.permissions_changed": "what needs no question",
    "session.idle": "the client waits",
    "session.background_tasks_changed": "what runs in the background",
    "session.skills_loaded": "what the client has loaded",
    "session.custom_agents_updated": "what the client has loaded",
    "session.mcp_servers_loaded": "what the client has loaded",
    "session.mcp_server_status_changed": "what the client has loaded",
    "session.extensions_loaded": "what the client has loaded",
    "session.tools_updated": "what the client has loaded",
    "session.mcp_server_tools_loaded": "what the client has loaded",
    "session.todos_changed": "the list of tasks, which its call shows",
    "session.remote_steerable_changed": "whether another device may steer",
    "session.snapshot_rewind": "the session went back; its records are gone",
    "subagent.configured": "how an agent is set up",
    "subagent.selected": "which agent works",
    "subagent.deselected": "which agent works",
    "pending_messages.modified": "what waits to be sent",
    "command.queued": "a command of the person",
    "command.execute": "a command of the person",
    "command.completed": "a command of the person",
    "commands.changed": "which commands there are",
    "capabilities.changed": "what the client can do",
    "user_input.requested": "a question, which its call asks too",
    "user_input.completed": "an answer, which the result of the call has too",
    "elicitation.requested": "a question of a server",
    "elicitation.completed": "an answer to a server",
    "exit_plan_mode.requested": "a plan, which its call has too",
    "exit_plan_mode.completed": "an answer, which the result of the call has too",
    "external_tool.requested": "a call that the host does",
    "external_tool.completed": "a call that the host does",
    "mcp.oauth_required": "signing in to a server",
    "mcp.oauth_completed": "signing in to a server",
    "sampling.requested": "a request of a server",
    "sampling.completed": "a request of a server",
}
"""Types of records that are not shown, with the reason."""


def _silent(kind: str, reason: str) -> Maker:
    def make(record: EventBuilder, data: Fields) -> list[Event]:
        _ = data
        return [record.hidden(reason, kind)]

    return make


MAKERS: Mapping[str, Maker] = {
    **{kind: _silent(kind, reason) for kind, reason in _SILENT.items()},
    "abort": _abort,
    "assistant.idle": _idle,
    "hook.end": _hook_end,
    "model.call_failure": _call_failed,
    "session.binary_asset": _asset,
    "session.compaction_complete": _compacted,
    "session.context_changed": _moved,
    "session.error": _error,
    "session.handoff": _handoff,
    "session.info": _info,
    "session.mode_changed": _mode,
    "session.model_change": _model,
    "session.resume": _resume,
    "session.shutdown": _shutdown,
    "session.start": _start,
    "session.task_complete": _done,
    "session.title_changed": _title,
    "session.truncation": _truncated,
    "session.warning": _warning,
    "skill.invoked": _skill,
    "subagent.completed": _agent_ended,
    "subagent.failed": _agent_failed,
    "system.notification": _reported,
}
"""Types of records about the session, with the makers of their events."""
