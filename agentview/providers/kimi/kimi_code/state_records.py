"""Events of the records next to the conversation: turns, tokens, tasks, agents, modes."""

from collections.abc import Callable, Mapping

from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Level,
    Notification,
    Reset,
    Rewind,
    TokenUsage,
    ToolProgress,
    Topic,
)
from agentview.domain.session import Stream, StreamKind
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    seconds_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import permission_request
from agentview.providers.kimi.shared.content import usage_of

Maker = Callable[[EventBuilder, Fields], list[Event]]

_BAD_ENDS = frozenset({"failed", "error", "killed", "timeout", "timed_out", "lost"})


def _notice(
    record: EventBuilder,
    topic: Topic,
    text: str,
    level: Level = Level.INFO,
    detail: str | None = None,
    facts: Facts | None = None,
) -> list[Event]:
    return [record.event("notice", Notification(topic, text, level, detail), facts=facts)]


def _once(record: EventBuilder, body: Notification, what: str, turn: object) -> list[Event]:
    """A notice that several records of a turn may give: the first counts."""
    number = whole_of(turn)
    key = None if number is None else f"{what}:{number}"
    return [record.event("notice", body, dedupe_key=key)]


def _usage(record: EventBuilder, fields: Fields) -> list[Event]:
    """Tokens of one request, that of a compaction too. The end of a step has them again."""
    usage = usage_of(fields_of(fields.get("usage")))
    if usage is None:
        return [record.hidden("a request without counts", "usage.record")]
    body = TokenUsage(record.name, usage, text_of(fields.get("model")))
    return [record.event("usage", body)]


def _request(record: EventBuilder, fields: Fields) -> list[Event]:
    facts = Facts(model=text_of(fields.get("model")))
    return [record.hidden("a request to the model", "llm.request", facts=facts)]


def _profile(record: EventBuilder, fields: Fields) -> list[Event]:
    """Return what the agent is: its instructions are not shown. The directory is the session's."""
    environment = fields_of(fields.get("environmentDisclosure"))
    cwd = text_of(environment.get("cwd")) or text_of(fields.get("cwd"))
    facts = Facts(cwd=cwd, model=text_of(fields.get("modelAlias")))
    kind = text_of(fields.get("type")) or "profile.bind"
    return [record.hidden("how the agent is set up", kind, facts=facts)]


def _mode(record: EventBuilder, fields: Fields) -> list[Event]:
    mode = text_of(fields.get("mode")) or "unknown"
    return _notice(record, Topic.MODE, f"Permissions: {mode}", facts=Facts(mode=mode))


def _plan_mode(record: EventBuilder, fields: Fields) -> list[Event]:
    entered = fields.get("type") == "plan_mode.enter"
    text = "Plan mode" if entered else "Plan mode is over"
    return _notice(record, Topic.MODE, text, facts=Facts(mode="plan" if entered else "default"))


def _cancelled(record: EventBuilder, fields: Fields) -> list[Event]:
    body = Notification(Topic.INTERRUPT, "Interrupted", Level.WARNING)
    return _once(record, body, "interrupted", fields.get("turnId"))


def _turn_ended(record: EventBuilder, fields: Fields) -> list[Event]:
    reason = text_of(fields.get("reason")) or ""
    if reason in ("cancelled", "aborted", "interrupted"):
        return _cancelled(record, fields)
    if reason != "failed":
        took = seconds_of(fields.get("durationMs"))
        return [record.event("end", Notification(Topic.TURN_END, "Turn complete", duration=took))]
    error = fields_of(fields.get("error"))
    words = text_of(error.get("message")) or text_of(fields.get("errorMessage"))
    return _failed(record, words, error, fields.get("turnId"))


def _failed(record: EventBuilder, words: str | None, error: Fields, turn: object) -> list[Event]:
    status = whole_of(fields_of(error.get("details")).get("statusCode"))
    topic = error_topic(words, text_of(error.get("code")), status=status)
    body = Notification(topic, words or "The request failed", Level.ERROR)
    return _once(record, body, "failed", turn)


def _step_interrupted(record: EventBuilder, fields: Fields) -> list[Event]:
    if fields.get("reason") == "error":
        return _failed(record, text_of(fields.get("message")), {}, fields.get("turnId"))
    return _cancelled(record, fields)


def _retrying(record: EventBuilder, fields: Fields) -> list[Event]:
    words = text_of(fields.get("errorMessage")) or "The request failed"
    topic = error_topic(words, status=whole_of(fields.get("statusCode")))
    attempt, most = whole_of(fields.get("nextAttempt")), whole_of(fields.get("maxAttempts"))
    detail = f"Trying again, {attempt} of {most}" if attempt and most else "Trying again"
    return _notice(record, topic, words, Level.WARNING, detail)


def _compacted(record: EventBuilder, fields: Fields) -> list[Event]:
    body = Compaction(
        trigger=text_of(fields.get("trigger")) or text_of(fields.get("source")),
        tokens_before=whole_of(fields.get("tokensBefore")),
        tokens_after=whole_of(fields.get("tokensAfter")),
        summary=text_of(fields.get("summary")) or text_of(fields.get("contextSummary")),
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _cleared(record: EventBuilder, fields: Fields) -> list[Event]:
    _ = fields
    body = Notification(Topic.SYSTEM, "The context was cleared")
    return [record.event("notice", body, resets=Reset.COMPACTED)]


def _undone(record: EventBuilder, fields: Fields) -> list[Event]:
    """The person took back so many prompts."""
    count = whole_of(fields.get("count")) or whole_of(fields.get("turns")) or 1
    body = Notification(Topic.REWIND, f"Went back by {count}" if count > 1 else "Went back")
    return [record.event("notice", body, rewinds=Rewind(turns=max(1, count)))]


def _spawned(record: EventBuilder, fields: Fields) -> list[Event]:
    agent, call_id = text_of(fields.get("subagentId")), text_of(fields.get("parentToolCallId"))
    if agent is None or call_id is None:
        return [record.hidden("an agent begins", "subagent.spawned")]
    name = text_of(fields.get("subagentName")) or ""
    child = Stream(StreamKind.SUBAGENT, agent)
    return [record.event("began", ToolProgress(call_id, name), child=child)]


def _agent_failed(record: EventBuilder, fields: Fields) -> list[Event]:
    name = text_of(fields.get("subagentId")) or "An agent"
    error = fields.get("error")
    words = error if isinstance(error, str) else text_of(fields_of(error).get("message"))
    return _notice(record, Topic.SYSTEM, f"{name} failed", Level.WARNING, words)


def _task_ended(record: EventBuilder, fields: Fields) -> list[Event]:
    """A command or an agent in the background has ended: its call said only that it began."""
    info = fields_of(fields.get("info"))
    status = text_of(info.get("status")) or "ended"
    code = whole_of(info.get("exitCode"))
    bad = status in _BAD_ENDS or code not in (None, 0)
    name = text_of(info.get("description")) or text_of(info.get("taskId")) or "A task"
    started, ended = time_of(info.get("startedAt")), time_of(info.get("endedAt"))
    said = f"{name}: {status}" + (f", exit code {code}" if code else "")
    body = Notification(
        Topic.BACKGROUND,
        said,
        Level.WARNING if bad else Level.INFO,
        text_of(fields.get("outputTail")),
        text_of(info.get("parentToolCallId")),
        ended - started if started is not None and ended is not None else None,
    )
    return [record.event("notice", body)]


def _decision(record: EventBuilder, fields: Fields) -> list[Event]:
    """Return what was decided on a call: the result of one that was refused says so too."""
    result = fields_of(fields.get("result"))
    decision = text_of(result.get("decision")) or "unknown"
    if decision == "approved":
        return [record.hidden("a call was approved", "permission.record_approval_result")]
    action = text_of(fields.get("action")) or text_of(fields.get("toolName")) or "A call"
    words = text_of(result.get("feedback"))
    return _notice(record, Topic.SYSTEM, f"{action}: {decision}", Level.WARNING, words)


def _asked(record: EventBuilder, fields: Fields) -> list[Event]:
    """The client waits for a person to approve a call; what it asks for has another kind."""
    payload = fields_of(fields.get("payload")) or fields
    own = text_of(fields.get("id")) or text_of(fields.get("interactionId"))
    if own is None or fields.get("kind") != "approval":
        return [record.hidden("a question, which its call has too", "interaction.request")]
    about = text_of(payload.get("action")) or text_of(payload.get("toolName")) or "Permission"
    asked_for = call_id_of(payload.get("toolCallId"), None)
    return [record.event("ask", permission_request(own, about, asked_for, payload))]


def _silent(reason: str, kind: str) -> Maker:
    def make(record: EventBuilder, fields: Fields) -> list[Event]:
        _ = fields
        return [record.hidden(reason, kind)]

    return make


_TOOLS = "which tools the model has"
_COUNT = "how full the context is"
_PROMPT = "a prompt, as its message says"
_SILENT = {
    "metadata": "the journal begins",
    "turn.prompt": _PROMPT,
    "turn.steer": _PROMPT,
    "prompt.accepted": _PROMPT,
    "prompt.steered": _PROMPT,
    "prompt.completed": "a turn ended",
    "prompt.aborted": "a turn ended",
    "forked": "the session is a copy of another one up to here",
    "full_compaction.begin": "a compaction begins",
    "full_compaction.complete": "a compaction ended",
    "full_compaction.cancel": "a compaction was given up",
    "micro_compaction.apply": "old results no longer reach the model",
    "graduated_compaction.apply": "old results no longer reach the model",
    "context.update_token_count": _COUNT,
    "context_size.measured": _COUNT,
    "token_counting.measured": _COUNT,
    "token_counting.rebased": _COUNT,
    "token_counting.truncated": _COUNT,
    "token_counting.turn_recorded": _COUNT,
    "usage.rate_limit": "how much of a limit is used",
    "llm.tools_snapshot": _TOOLS,
    "mcp.tools_discovered": _TOOLS,
    "tools.register_user_tool": _TOOLS,
    "tools.unregister_user_tool": _TOOLS,
    "tools.set_active_tools": _TOOLS,
    "tools.reset_active_tools": _TOOLS,
    "tools.update_store": "a list, as the call that set it says",
    "permission.rules.add": "what needs no question",
    "plan.revision": "the plan was written to its file",
    "swarm_mode.enter": "several agents work together",
    "swarm_mode.exit": "several agents work together",
    "tower_mode.enter": "several agents work together",
    "tower_mode.exit": "several agents work together",
    "coordinator_mode.enter": "several agents work together",
    "coordinator_mode.exit": "several agents work together",
    "task.started": "a task begins, as its call says",
    "task.waitDelivered": "the end of a task was waited for",
    "subagent.started": "an agent begins",
    "subagent.completed": "an agent ended, as the result of its call says",
    "interaction.resolved": "a question was answered",
    "interruptionReminder.recorded": "the model is reminded of an interruption",
    "cron.add": "what is planned for later",
    "cron.cursor": "what is planned for later",
    "cron.delete": "what is planned for later",
    "goal.create": "the state of a goal",
    "goal.update": "the state of a goal",
    "goal.clear": "the state of a goal",
    "file_history.tracked": "which files the client keeps copies of",
    "file_history.checkpoint": "which files the client keeps copies of",
    "plugin.session_start": "what plug-ins add",
    "runtime.set_binding": "where the agent runs",
    "skill.activate": "a skill, as its message says",
}
"""Types of records that are not shown, with the reason."""

MAKERS: Mapping[str, Maker] = {
    **{kind: _silent(reason, kind) for kind, reason in _SILENT.items()},
    "usage.record": _usage,
    "llm.request": _request,
    "profile.bind": _profile,
    "config.update": _profile,
    "permission.set_mode": _mode,
    "plan_mode.enter": _plan_mode,
    "plan_mode.exit": _plan_mode,
    "plan_mode.cancel": _plan_mode,
    "turn.cancel": _cancelled,
    "turn.ended": _turn_ended,
    "turn.step.interrupted": _step_interrupted,
    "turn.step.retrying": _retrying,
    "context.apply_compaction": _compacted,
    "context.clear": _cleared,
    "context.undo": _undone,
    "subagent.spawned": _spawned,
    "subagent.failed": _agent_failed,
    "subagent.cancelled": _agent_failed,
    "task.terminated": _task_ended,
    "permission.record_approval_result": _decision,
    "interaction.request": _asked,
}
"""Types of records about the session, with the makers of their events."""
