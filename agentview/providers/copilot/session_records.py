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
from agentview.normalize.json_fields import as_text, mapping, text
from agentview.normalize.json_values import seconds_of, whole_of
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.typed_records import LightEvent, Records, hidden, read_as
from agentview.providers.copilot.event_builder import CopilotRecord, usage_of
from agentview.providers.copilot.schema import (
    Context,
    Counts,
    Data,
    Failed,
    Failure,
    ModelMetrics,
    Reported,
)

_TAG = re.compile(r"</?system_notification>\n?")
_FAILED_ENDS = ("failed", "error", "cancelled")

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
    "assistant.server_tool_progress": "a tool of the model's service is at work",
    "assistant.fusion_phase_started": "a model begins its part of a response",
    "assistant.fusion_phase_activity": "a model is at work on its part of a response",
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
    "session.completion_receipt": "how many calls of a turn failed, which their results say too",
    "session.mode_notice_delivered": "the mode, for the model",
    "session.session_limits_changed": "limits of what the session may use",
    "session.managed_settings_resolved": "settings of an organization",
    "session.mcp_server_needs_reconnect": "what the client has loaded",
    "session.mcp_server_removed": "what the client has loaded",
    "session.extensions.attachments_pushed": "what an extension attached to the next prompt",
    "session.auto_tier_recommendation": "which tier of models the client recommends",
    "session.fusion_route_started": "which models answer is being chosen",
    "session.canvas.opened": "a page of an extension",
    "session.canvas.closed": "a page of an extension",
    "session.canvas.recorded": "a page of an extension",
    "session.canvas.removed": "a page of an extension",
    "session.canvas.unavailable": "a page of an extension",
    "session.canvas.registry_changed": "which pages an extension has",
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
    "human_response.recorded": "an answer, which the result of the call has too",
    "exit_plan_mode.requested": "a plan, which its call has too",
    "exit_plan_mode.completed": "an answer, which the result of the call has too",
    "external_tool.completed": "a call that the host does",
    "mcp.oauth_required": "signing in to a server",
    "mcp.oauth_completed": "signing in to a server",
    "sampling.requested": "a request of a server",
    "sampling.completed": "a request of a server",
    "mcp.headers_refresh_required": "signing in to a server",
    "mcp.headers_refresh_completed": "signing in to a server",
    "mcp.tools.list_changed": "what a server offers",
    "mcp.prompts.list_changed": "what a server offers",
    "mcp.resources.list_changed": "what a server offers",
    "tool_search.activated": "which tools a search has made available, as its result says",
    "mcp_app.tool_call_complete": "a call by a page of a server, not by the agent",
    "factory.run_updated": "a factory is at work",
    "auto_mode_switch.completed": "an answer of the person to the client",
    "session_limits_exhausted.completed": "an answer of the person to the client",
    "ui.ephemeral_query": "a question that is not part of the conversation",
}

_PLACES = {
    "session.start": "the session begins",
    "session.resume": "the session continues",
    "session.context_changed": "another directory or branch",
}
records = Records[CopilotRecord](hidden=_HIDDEN)


def _notice(
    record: CopilotRecord,
    topic: Topic,
    said: str,
    level: Level = Level.INFO,
    detail: str | None = None,
    facts: Facts | None = None,
) -> Sequence[LightEvent]:
    return [record.event("notice", Notification(topic, said, level, detail or None), facts=facts)]


def _context(data: Data) -> Facts:
    context = mapping(data.context)
    place = read_as(context, Context) if context else data
    return Facts(
        cwd=place.cwd or None,
        branch=place.branch or None,
        model=data.selected_model or None,
        client_version=data.copilot_version or None,
    )


@records.on(*_PLACES)
def _placed(record: CopilotRecord) -> Sequence[LightEvent]:
    kind = record.record.type or ""
    return [hidden(record, _PLACES[kind], kind, facts=_context(record.data))]


@records.on("session.shutdown")
def _shutdown(record: CopilotRecord) -> Sequence[LightEvent]:
    """The client is gone. What it counted counts only where it kept no record of each request."""
    data = record.values
    facts = Facts(model=record.data.current_model or None, ended=True)
    events: list[LightEvent]
    if data.get("shutdownType") == "error":
        words, failed = text(data, "errorReason"), "The client ended with an error"
        events = [*_notice(record, Topic.SYSTEM, failed, Level.WARNING, words, facts)]
    else:
        events = [hidden(record, "the client ended", "session.shutdown", facts=facts)]
    if "usageAccountingWatermarks" in data:
        return events
    counted = Usage()
    for number, (model, metrics) in enumerate((record.data.model_metrics or {}).items()):
        counts = (metrics or ModelMetrics()).usage or Counts()
        usage = usage_of(
            counts.input_tokens, counts.cache_read_tokens, counts.cache_write_tokens,
            counts.output_tokens,
        )  # fmt: skip
        if usage is not None:
            counted = counted.plus(usage)
            body = TokenUsage(record.name, counted, model, total=True)
            events.append(record.event(f"usage{number}", body))
    return events


@records.on("session.context_cleared")
def _cleared(record: CopilotRecord) -> Sequence[LightEvent]:
    """The model no longer sees what came before."""
    count = whole_of(record.data.messages_cleared)
    detail = f"{count} messages" if count is not None else None
    note = Notification(Topic.SYSTEM, "Context cleared", detail=detail)
    return [record.event("notice", note, resets=Reset.COMPACTED)]


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
    topic = error_topic(words, kind, status=whole_of(record.data.status_code))
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
        tokens_before=whole_of(record.data.pre_compaction_tokens),
        tokens_after=whole_of(record.data.post_compaction_tokens),
        summary=text(data, "summaryContent") or None,
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


@records.on("session.truncation")
def _truncated(record: CopilotRecord) -> Sequence[LightEvent]:
    count = whole_of(record.data.messages_removed_during_truncation)
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
    every = seconds_of(record.data.interval_ms)
    when = text(data, "cron", "at") or (f"every {every:g} s" if every is not None else None)
    said = f"Scheduled: {when}" if when else "Scheduled"
    return _notice(record, Topic.SYSTEM, said, detail=text(data, "displayPrompt", "prompt"))


@records.on("session.schedule_cancelled")
def _unscheduled(record: CopilotRecord) -> Sequence[LightEvent]:
    return _notice(record, Topic.SYSTEM, f"Schedule {text(record.values, 'id') or ''} cancelled")


@records.on("session.autopilot_objective_changed")
def _objective(record: CopilotRecord) -> Sequence[LightEvent]:
    """The goal that the client works at by itself; what it is is in a file."""
    data = record.values
    state = "deleted" if data.get("operation") == "delete" else text(data, "status", "operation")
    words = state.replace("_", " ") if state else "changed"
    return _notice(record, Topic.MODE, f"Autopilot objective: {words}")


@records.on("auto_mode_switch.requested")
def _switch_asked(record: CopilotRecord) -> Sequence[LightEvent]:
    words = text(record.values, "errorCode") or None
    said = "Asks to switch to another model"
    return _notice(record, Topic.LIMIT, said, Level.WARNING, words)


@records.on("session_limits_exhausted.requested")
def _exhausted(record: CopilotRecord) -> Sequence[LightEvent]:
    return _notice(record, Topic.LIMIT, "The session reached its limit", Level.WARNING)


@records.on("session.auto_tier_switch_failed", "session.fusion_route_failed")
def _not_routed(record: CopilotRecord) -> Sequence[LightEvent]:
    """The client did not get the models that it asked for; another one answers."""
    data = record.values
    said, detail = text(data, "fallbackModel"), text(data, "errorMessage", "message", "reason")
    words = f"Another model answers: {said}" if said else "The models were not changed"
    return _notice(record, Topic.MODEL, words, Level.WARNING, detail)


@records.on("session.fusion_resolved")
def _routed(record: CopilotRecord) -> Sequence[LightEvent]:
    """The models that write one response together."""
    data = record.values
    models = (text(data, "primaryModel"), text(data, "secondaryModel"))
    named = ", ".join(each for each in models if each) or "unknown"
    return _notice(record, Topic.MODEL, f"Several models answer: {named}")


@records.on("session.fusion_completed")
def _joined(record: CopilotRecord) -> Sequence[LightEvent]:
    """A response of several models is there; each request to them has a record of its own."""
    degraded = text(record.values, "degradedReason")
    if not degraded:
        return [hidden(record, "several models have answered", "session.fusion_completed")]
    return _notice(record, Topic.MODEL, "Not all models answered", Level.WARNING, degraded)


@records.on("assistant.fusion_phase_completed")
def _phase(record: CopilotRecord) -> Sequence[LightEvent]:
    """Return the draft of one of several models; the response is a record of its own."""
    data = record.values
    kind, model = text(data, "phaseKind", "role") or "phase", text(data, "model")
    name = f"{kind} by {model}" if model else kind
    said = text(data, "verdict", "content") or None
    return [record.event("phase", Attachment(name, "draft", said))]


@records.on("assistant.fusion_phase_failed")
def _phase_failed(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    named, detail = text(data, "model"), text(data, "errorMessage", "reason")
    said = f"{named} did not answer" if named else "One of several models did not answer"
    return _notice(record, Topic.MODEL, said, Level.WARNING, detail)


@records.on("factory.run_started")
def _factory(record: CopilotRecord) -> Sequence[LightEvent]:
    name = text(record.values, "factoryName") or "unknown"
    return _notice(record, Topic.BACKGROUND, f"Factory started: {name}")


@records.on("factory.run_settled")
def _factory_ended(record: CopilotRecord) -> Sequence[LightEvent]:
    data = record.values
    status, failure = text(data, "status") or "unknown", text(data, "failureType") or None
    level = Level.WARNING if failure is not None or status in _FAILED_ENDS else Level.INFO
    return _notice(record, Topic.BACKGROUND, f"Factory ended: {status}", level, failure)


@records.on("session.custom_notification")
def _custom(record: CopilotRecord) -> Sequence[LightEvent]:
    """A note of an extension of the client."""
    data = record.values
    named = ": ".join(part for part in (text(data, "source"), text(data, "name")) if part)
    detail = as_text(data.get("payload"))
    return _notice(record, Topic.SYSTEM, named or "A note of an extension", detail=detail)


@records.on("session.managed_settings_enforced")
def _enforced(record: CopilotRecord) -> Sequence[LightEvent]:
    said = text(record.values, "message") or "A setting of an organization applies"
    return _notice(record, Topic.SYSTEM, said, Level.WARNING, text(record.values, "setting"))


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
    status = whole_of(record.data.status_code)
    given = read_as(record.values, Failed).error_message
    # It is a text, which may be JSON.
    words = read_as(mapping(given), Failure).message or as_text(given) or None
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
    kind = read_as(record.values.get("kind"), Reported)
    code = whole_of(kind.exit_code)
    failed = kind.status in _FAILED_ENDS or code not in (None, 0)
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
        duration=seconds_of(record.data.duration_ms),
    )
    return [record.event("notice", body)]
