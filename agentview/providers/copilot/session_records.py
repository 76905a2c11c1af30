"""Events of the records next to the conversation: the session itself, limits, hooks, agents."""

import re
from collections.abc import Sequence

from agentview.domain.events import (
    Attachment,
    Compaction,
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
from agentview.normalize.json_fields import mapping, text
from agentview.normalize.json_values import Fields, seconds_of, text_of, whole_of
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, Records, hidden
from agentview.providers.copilot.event_builder import CopilotRecord, usage_of

_TAG = re.compile(r"</?system_notification>\n?")
_FAILED_ENDS = ("failed", "error", "cancelled")
_COUNTS = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens")

_HIDDEN = {
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
    "session.schedule_rearmed": "when a schedule runs next",
    "session.snapshot_rewind": "the session went back; its records are gone",
    "subagent.completed": "an agent ended, as the result of its call says",
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
    "exit_plan_mode.requested": "a plan, which its call has too",
    "exit_plan_mode.completed": "an answer, which the result of the call has too",
    "external_tool.requested": "a call that the host does",
    "external_tool.completed": "a call that the host does",
    "mcp.oauth_required": "signing in to a server",
    "mcp.oauth_completed": "signing in to a server",
    "sampling.requested": "a request of a server",
    "sampling.completed": "a request of a server",
}

_PLACES = {
    "session.start": "the session begins",
    "session.resume": "the session continues",
    "session.context_changed": "another directory or branch",
}
records = Records[CopilotRecord](hidden=_HIDDEN)
"""What makes the events of a record, by its type."""


def _notice(
    record: CopilotRecord,
    topic: Topic,
    said: str,
    level: Level = Level.INFO,
    detail: str | None = None,
    facts: Facts | None = None,
) -> Sequence[LightEvent]:
    return [record.event("notice", Notification(topic, said, level, detail or None), facts=facts)]


def _context(data: Fields) -> Facts:
    context = mapping(data.get("context")) or data
    return Facts(
        cwd=text_of(context.get("cwd")),
        branch=text_of(context.get("branch")),
        model=text_of(data.get("selectedModel")),
        client_version=text_of(data.get("copilotVersion")),
    )


@records.on(*_PLACES)
def _placed(record: CopilotRecord) -> Sequence[LightEvent]:
    kind = record.record.type or ""
    return [hidden(record, _PLACES[kind], kind, facts=_context(record.values))]


@records.on("session.shutdown")
def _shutdown(record: CopilotRecord) -> Sequence[LightEvent]:
    """The client is gone. What it counted counts only where it kept no record of each request."""
    data = record.values
    facts = Facts(model=text_of(data.get("currentModel")), ended=True)
    events: list[LightEvent]
    if data.get("shutdownType") == "error":
        words, failed = text(data, "errorReason"), "The client ended with an error"
        events = [*_notice(record, Topic.SYSTEM, failed, Level.WARNING, words, facts)]
    else:
        events = [hidden(record, "the client ended", "session.shutdown", facts=facts)]
    if "usageAccountingWatermarks" in data:
        return events
    counted = Usage()
    for number, (model, metrics) in enumerate(mapping(data.get("modelMetrics")).items()):
        counts = mapping(mapping(metrics).get("usage"))
        usage = usage_of(*map(counts.get, _COUNTS))
        if usage is not None:
            counted = counted.plus(usage)
            body = TokenUsage(record.name, counted, model, total=True)
            events.append(record.event(f"usage{number}", body))
    return events


@records.on("session.model_change")
def _model(record: CopilotRecord) -> Sequence[LightEvent]:
    """The person chose another model; an agent begins with this record too."""
    new, old = text(record.values, "newModel"), text(record.values, "previousModel")
    facts = Facts(model=new) if new else None
    if not new or old == new or record.stream.kind is not StreamKind.MAIN:
        return [hidden(record, "the model of a session", "session.model_change", facts=facts)]
    return _notice(record, Topic.MODEL, f"{old} → {new}" if old else f"Model: {new}", facts=facts)


@records.on("session.mode_changed")
def _mode(record: CopilotRecord) -> Sequence[LightEvent]:
    new, old = text(record.values, "newMode") or "unknown", text(record.values, "previousMode")
    said = f"{old} → {new}" if old else f"Mode: {new}"
    return _notice(record, Topic.MODE, said, facts=Facts(mode=new))


@records.on("session.info")
def _info(record: CopilotRecord) -> Sequence[LightEvent]:
    said = text(record.values, "message") or "A note of the client"
    return _notice(record, Topic.SYSTEM, said)


@records.on("session.warning")
def _warning(record: CopilotRecord) -> Sequence[LightEvent]:
    said = text(record.values, "message") or "A warning of the client"
    return _notice(record, Topic.SYSTEM, said, Level.WARNING)


@records.on("session.error")
def _error(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    words, kind = text(data, "message") or None, text(data, "errorType") or None
    topic = error_topic(words, kind, status=whole_of(data.get("statusCode")))
    return _notice(record, topic, words or kind or "The request failed", Level.ERROR)


@records.on("abort")
def _abort(record: CopilotRecord) -> Sequence[LightEvent]:
    reason = text(record.values, "reason")
    return _notice(record, Topic.INTERRUPT, "Interrupted", Level.WARNING, reason)


@records.on("session.compaction_complete")
def _compacted(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    if data.get("success") is False:
        words = text(data, "error")
        return _notice(record, Topic.SYSTEM, "Compaction failed", Level.WARNING, words)
    body = Compaction(
        trigger=text(data, "trigger") or None,
        tokens_before=whole_of(data.get("preCompactionTokens")),
        tokens_after=whole_of(data.get("postCompactionTokens")),
        summary=text(data, "summaryContent") or None,
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


@records.on("session.truncation")
def _truncated(record: CopilotRecord) -> Sequence[LightEvent]:
    count = whole_of(record.values.get("messagesRemovedDuringTruncation"))
    said = "The oldest messages no longer reach the model"
    detail = f"{count} messages" if count is not None else text(record.values, "reason")
    return _notice(record, Topic.SYSTEM, said, detail=detail)


@records.on("session.title_changed")
def _title(record: CopilotRecord) -> Sequence[LightEvent]:
    title = text(record.values, "title")
    if not title:
        return [hidden(record, "the title of the session", "session.title_changed")]
    return [record.event("title", Title(title, TitleSource.AI))]


@records.on("session.task_complete")
def _done(record: CopilotRecord) -> Sequence[LightEvent]:
    said = "The task failed" if record.data.success is False else "The task is complete"
    return _notice(record, Topic.TURN_END, said, detail=text(record.values, "summary"))


@records.on("session.schedule_created")
def _scheduled(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    every = seconds_of(data.get("intervalMs"))
    when = text(data, "cron", "at") or (f"every {every:g} s" if every is not None else None)
    said = f"Scheduled: {when}" if when else "Scheduled"
    return _notice(record, Topic.SYSTEM, said, detail=text(data, "displayPrompt", "prompt"))


@records.on("session.schedule_cancelled")
def _unscheduled(record: CopilotRecord) -> Sequence[LightEvent]:
    return _notice(record, Topic.SYSTEM, f"Schedule {text(record.values, 'id') or ''} cancelled")


@records.on("session.handoff")
def _handoff(record: CopilotRecord) -> Sequence[LightEvent]:
    return _notice(record, Topic.SYSTEM, "Handed over", detail=text(record.values, "summary"))


@records.on("assistant.idle")
def _idle(record: CopilotRecord) -> Sequence[LightEvent]:
    return _notice(record, Topic.TURN_END, "Turn complete")


@records.on("hook.end")
def _hook_end(record: CopilotRecord) -> Sequence[LightEvent]:
    if record.data.success is not False:
        return [hidden(record, "a hook ended", "hook.end")]
    named = text(record.values, "hookType")
    said = f"The hook {named} failed" if named else "The hook failed"
    return _notice(record, Topic.HOOK, said, Level.WARNING, record.data.failure.message)


@records.on("model.call_failure")
def _call_failed(record: CopilotRecord) -> Sequence[LightEvent]:
    """A request to the model failed; what comes of it is in records of their own."""
    data = record.values
    status = whole_of(data.get("statusCode"))
    words = text(mapping(data.get("errorMessage")), "message") or text(data, "errorMessage") or None
    said = f"The request failed: {status}" if status is not None else "The request failed"
    return _notice(record, error_topic(words, status=status), said, Level.WARNING, words)


@records.on("skill.invoked")
def _skill(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    name, path = text(data, "name") or "skill", text(data, "path") or None
    return [record.event("skill", Attachment(name, "skill", text(data, "content") or None, path))]


@records.on("session.binary_asset")
def _asset(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    name = text(data, "description") or text(data, "assetId") or "image"
    return [record.event("asset", Attachment(name, text(data, "type") or "file"))]


@records.on("system.notification")
def _reported(record: CopilotRecord) -> Sequence[LightEvent]:
    """A command or an agent in the background has ended, or says something."""
    said = _TAG.sub("", text(record.values, "content") or "A note of the client").strip()
    kind = mapping(record.values.get("kind"))
    code = whole_of(kind.get("exitCode"))
    failed = kind.get("status") in _FAILED_ENDS or code not in (None, 0)
    head, _, rest = said.partition("\n")
    level = Level.WARNING if failed else Level.INFO
    return _notice(record, Topic.BACKGROUND, head, level, rest.strip())


@records.on("subagent.failed")
def _agent_failed(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    name = text(data, "agentDisplayName") or text(data, "agentName") or "An agent"
    body = Notification(
        Topic.BACKGROUND,
        f"{name} failed",
        Level.ERROR,
        text(data, "error") or None,
        call_id=record.data.tool_call_id,
        duration=seconds_of(data.get("durationMs")),
    )
    return [record.event("notice", body)]
