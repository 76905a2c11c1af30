"""Events of the records next to the conversation: turns, tokens, tasks, agents, modes."""

from collections.abc import Sequence
from typing import cast

from agentview.domain.events import (
    Compaction,
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
from agentview.normalize.json_values import seconds_of, time_of, whole_of
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.typed_records import LightEvent, Records, hidden
from agentview.providers.kimi.kimi_code.schema import (
    Details,
    Environment,
    Failure,
    Record,
    Request,
    Result,
    Task,
)
from agentview.providers.kimi.shared.content import usage_of
from agentview.providers.kimi.shared.event_builder import KimiRecord

_BAD_ENDS = frozenset({"failed", "error", "killed", "timeout", "timed_out", "lost"})
_STOPS = frozenset({"cancelled", "aborted", "interrupted"})
_TOOLS = "which tools the model has"
_COUNT = "how full the context is"
_PROMPT = "a prompt, as its message says"

records = Records[KimiRecord](
    hidden={
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
)


def _own(record: KimiRecord) -> Record:
    return cast("Record", record.record)


def _notice(record: KimiRecord, body: Notification) -> Sequence[LightEvent]:
    return [record.event("notice", body)]


def _once(record: KimiRecord, body: Notification, what: str) -> Sequence[LightEvent]:
    """A notice that several records of a turn may give: the first counts."""
    number = whole_of(_own(record).turn_id)
    key = None if number is None else f"{what}:{number}"
    return [record.event("notice", body, dedupe_key=key)]


@records.on("usage.record")
def _usage(record: KimiRecord) -> Sequence[LightEvent]:
    """Tokens of one request, that of a compaction too. The end of a step has them again."""
    usage = usage_of(_own(record).usage)
    if usage is None:
        return [hidden(record, "a request without counts", "usage.record")]
    return [record.usage_part(TokenUsage(record.name, usage, _own(record).model or None))]


@records.on("llm.request")
def _request(record: KimiRecord) -> Sequence[LightEvent]:
    facts = Facts(model=_own(record).model or None)
    return [hidden(record, "a request to the model", "llm.request", facts=facts)]


@records.on("profile.bind", "config.update")
def _profile(record: KimiRecord) -> Sequence[LightEvent]:
    """Profile of the agent: its instructions are not shown. The directory is the session's."""
    own = _own(record)
    environment = own.environment_disclosure or Environment()
    facts = Facts(cwd=environment.cwd or own.cwd or None, model=own.model_alias or None)
    return [hidden(record, "how the agent is set up", own.type or "", facts=facts)]


@records.on("permission.set_mode")
def _mode(record: KimiRecord) -> Sequence[LightEvent]:
    mode = _own(record).mode or "unknown"
    record.facts = Facts(mode=mode)
    return _notice(record, Notification(Topic.MODE, f"Permissions: {mode}"))


@records.on("plan_mode.enter", "plan_mode.exit", "plan_mode.cancel")
def _plan_mode(record: KimiRecord) -> Sequence[LightEvent]:
    entered = _own(record).type == "plan_mode.enter"
    record.facts = Facts(mode="plan" if entered else "default")
    text = "Plan mode" if entered else "Plan mode is over"
    return _notice(record, Notification(Topic.MODE, text))


@records.on("turn.cancel")
def _cancelled(record: KimiRecord) -> Sequence[LightEvent]:
    body = Notification(Topic.INTERRUPT, "Interrupted", Level.WARNING)
    return _once(record, body, "interrupted")


@records.on("turn.ended")
def _turn_ended(record: KimiRecord) -> Sequence[LightEvent]:
    own = _own(record)
    if own.reason in _STOPS:
        return _cancelled(record)
    if own.reason != "failed":
        took = seconds_of(own.duration_ms)
        return [record.event("end", Notification(Topic.TURN_END, "Turn complete", duration=took))]
    error = own.error if isinstance(own.error, Failure) else Failure()
    return _failed(record, error.message or own.words or None, error)


def _failed(record: KimiRecord, words: str | None, error: Failure) -> Sequence[LightEvent]:
    status = whole_of((error.details or Details()).status_code)
    topic = error_topic(words, error.code or None, status=status)
    body = Notification(topic, words or "The request failed", Level.ERROR)
    return _once(record, body, "failed")


@records.on("turn.step.interrupted")
def _step_interrupted(record: KimiRecord) -> Sequence[LightEvent]:
    own = _own(record)
    if own.reason != "error":
        return _cancelled(record)
    words = own.message if isinstance(own.message, str) else None
    return _failed(record, words or None, Failure())


@records.on("turn.step.retrying")
def _retrying(record: KimiRecord) -> Sequence[LightEvent]:
    own = _own(record)
    words = own.words or "The request failed"
    topic = error_topic(words, status=whole_of(own.http_status))
    attempt, most = whole_of(own.next_attempt), whole_of(own.max_attempts)
    detail = f"Trying again, {attempt} of {most}" if attempt and most else "Trying again"
    return _notice(record, Notification(topic, words, Level.WARNING, detail))


@records.on("context.apply_compaction")
def _compacted(record: KimiRecord) -> Sequence[LightEvent]:
    own = _own(record)
    body = Compaction(
        trigger=own.trigger or own.source or None,
        tokens_before=whole_of(own.tokens_before),
        tokens_after=whole_of(own.tokens_after),
        summary=own.summary or own.context_summary or None,
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


@records.on("context.clear")
def _cleared(record: KimiRecord) -> Sequence[LightEvent]:
    body = Notification(Topic.SYSTEM, "The context was cleared")
    return [record.event("notice", body, resets=Reset.COMPACTED)]


@records.on("context.undo")
def _undone(record: KimiRecord) -> Sequence[LightEvent]:
    """The person took back so many prompts."""
    count = whole_of(_own(record).count) or whole_of(_own(record).turns) or 1
    body = Notification(Topic.REWIND, f"Went back by {count}" if count > 1 else "Went back")
    return [record.event("notice", body, rewinds=Rewind(turns=max(1, count)))]


@records.on("subagent.spawned")
def _spawned(record: KimiRecord) -> Sequence[LightEvent]:
    own = _own(record)
    if not own.subagent_id or not own.parent_tool_call_id:
        return [hidden(record, "an agent begins", "subagent.spawned")]
    child = Stream(StreamKind.SUBAGENT, own.subagent_id)
    progress = ToolProgress(own.parent_tool_call_id, own.subagent_name or "")
    return [record.event("began", progress, child=child)]


@records.on("subagent.failed", "subagent.cancelled")
def _agent_failed(record: KimiRecord) -> Sequence[LightEvent]:
    own = _own(record)
    words = own.error.message if isinstance(own.error, Failure) else own.error
    text = f"{own.subagent_id or 'An agent'} failed"
    return _notice(record, Notification(Topic.SYSTEM, text, Level.WARNING, words))


@records.on("task.terminated")
def _task_ended(record: KimiRecord) -> Sequence[LightEvent]:
    """A command or an agent in the background has ended: its call said only that it began."""
    info, output = _own(record).info or Task(), _own(record).output_tail
    status, code = info.status or "ended", whole_of(info.exit_code)
    bad = status in _BAD_ENDS or code not in (None, 0)
    name = info.description or info.task_id or "A task"
    started, ended = time_of(info.started_at), time_of(info.ended_at)
    body = Notification(
        Topic.BACKGROUND,
        f"{name}: {status}" + (f", exit code {code}" if code else ""),
        Level.WARNING if bad else Level.INFO,
        output or None,
        info.parent_tool_call_id or None,
        ended - started if started is not None and ended is not None else None,
    )
    return _notice(record, body)


@records.on("permission.record_approval_result")
def _decision(record: KimiRecord) -> Sequence[LightEvent]:
    """Decision on a call: the result of one that was refused says so too."""
    own, result = _own(record), _own(record).result or Result()
    said = result.decision or "unknown"
    if said == "approved":
        return [hidden(record, "a call was approved", "permission.record_approval_result")]
    text = f"{own.action or own.tool_name or 'A call'}: {said}"
    return _notice(record, Notification(Topic.SYSTEM, text, Level.WARNING, result.feedback or None))


@records.on("interaction.request")
def _asked(record: KimiRecord) -> Sequence[LightEvent]:
    """The client waits for a person to approve a call; what it asks for has another kind."""
    own = _own(record)
    asked, about = own.id or own.interaction_id, own.request or own.payload or Request()
    if not asked or own.kind != "approval":
        return [hidden(record, "a question, which its call has too", "interaction.request")]
    text = about.action or about.tool_name or "Permission"
    given = record.values_at("request") or record.values_at("payload") or record.fields
    return [record.event("ask", permission_request(asked, text, about.tool_call_id, given))]


@records.on("interaction.resolved")
def _answered(record: KimiRecord) -> Sequence[LightEvent]:
    """The decision of a person on a call; questions are answered by the results of their calls."""
    own, response = _own(record), _own(record).response or Result()
    asked = own.id or own.interaction_id
    if not asked or response.decision is None:
        return [hidden(record, "a question was answered", "interaction.resolved")]
    # Who refused stands at the result of the call.
    return [record.event("answer", decision(asked, response.decision, response.feedback))]


STATES = frozenset(records.makers) | frozenset(records.hidden)
"""Types of records next to the conversation."""
