"""Events of `event_msg` records: what the client reported to the screen."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.events import (
    Facts,
    Level,
    Notification,
    Rewind,
    Title,
    TitleSource,
    ToolResult,
    Topic,
)
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, items, mapping
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.codex import tools
from agentview.providers.codex.content import (
    asked,
    block_of,
    blocks_of,
    in_front,
    reported_prompt_keys,
    sender,
    text_in,
)
from agentview.providers.codex.event_builder import CodexRecord, duration_of, path_of
from agentview.providers.codex.item_completed import (
    agent_activity,
    collaboration,
    command,
    done,
    file_change,
    item_completed_events,
    mcp_call,
)
from agentview.providers.codex.response_item import image_events, said_event, thoughts, web_events
from agentview.providers.codex.schema import Failure, Finding, Location, Report
from agentview.providers.codex.session_meta import compaction_events, settings_facts
from agentview.providers.codex.usage import token_count_events

# Events of reports that only inform the person, or ask for something.


def error_events(record: CodexRecord) -> Sequence[LightEvent]:
    """A request, or a turn, that failed."""
    own = record.report
    error = own.error if isinstance(own.error, Failure) else Failure()
    said = own.message or error.message or "The request failed"
    detail = own.additional_details
    if detail is None:
        detail = as_text(own.codex_error_info)
    topic = error_topic(said, detail, text_of(own.codex_error_info), error.kind or None)
    return [record.event("error", Notification(topic, said, Level.ERROR, detail))]


def _retry(record: CodexRecord) -> Sequence[LightEvent]:
    said = record.report.message or "The connection broke"
    return [record.event("error", Notification(Topic.API_ERROR, said, Level.WARNING))]


def _warning(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    said = own.message or as_text(own.summary) or "Warning"
    return [record.event("warning", Notification(Topic.SYSTEM, said, Level.WARNING, own.details))]


def _guardian(record: CodexRecord) -> Sequence[LightEvent]:
    """An automatic judgement of what a call may do."""
    own = record.report
    refused = own.status in ("denied", "failed", "timed_out")
    note = Notification(
        Topic.SYSTEM,
        f"Automatic review of a call: {own.status or 'unknown'}",
        Level.WARNING if refused else Level.INFO,
        detail=own.rationale,
        call_id=own.target_item_id or None,
    )
    return [record.event("review", note)]


def _undone(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    level = Level.ERROR if own.success is False else Level.INFO
    return [record.event("undo", Notification(Topic.REWIND, own.message or "Undo", level))]


def _asked(record: CodexRecord) -> Sequence[LightEvent]:
    """A person is asked for leave; the call itself is recorded when it runs."""
    own = record.report
    what = " ".join(map(str, items(own.command))) or ", ".join(mapping(own.changes))
    words = f"Asks for leave: {what}" if what else "Asks for leave"
    note = Notification(Topic.SYSTEM, words, Level.WARNING, detail=own.reason)
    return [record.event("asked", note)]


def _elicited(record: CodexRecord) -> Sequence[LightEvent]:
    """A server, or the client, asks the person for something next to the conversation."""
    own = record.report
    said = own.message or own.reason or (own.request and own.request.message)
    return [record.event("asked", Notification(Topic.SYSTEM, "Asks the person", detail=said))]


def _rerouted(record: CodexRecord) -> Sequence[LightEvent]:
    """Another model answers than the one that was asked."""
    own = record.report
    words = f"Another model answers: {own.to_model}" if own.to_model else "Another model answers"
    note = Notification(Topic.MODEL, words, Level.WARNING, own.reason)
    facts = Facts(model=own.to_model) if own.to_model else None
    return [record.event("model", note, facts=facts)]


def _hook_ended(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    run = own.run or own
    words = ": ".join(filter(None, ("Hook", run.event_name, run.status)))
    return [record.event("hook", Notification(Topic.HOOK, words, detail=run.message))]


def _goal(record: CodexRecord) -> Sequence[LightEvent]:
    """The goal that was set, by the person or by a call, once for each state that it has."""
    goal = record.report.goal
    if goal is None or goal.objective is None:
        return [hidden(record, "what a goal has taken so far", "thread_goal_updated")]
    words = "Goal" if goal.status is None else f"Goal {goal.status}"
    words = f"{words}: {goal.objective}"
    return [record.event("goal", Notification(Topic.MODE, words), dedupe_key=f"goal:{words}")]


_SEVERE = {"warning": Level.WARNING, "error": Level.ERROR, "critical": Level.ERROR}


def _external(record: CodexRecord) -> Sequence[LightEvent]:
    """An event of another system that reaches the session, such as a failed run of checks."""
    event = record.report.event or Report()
    level = _SEVERE.get(event.severity or "", Level.INFO)
    title = event.title or event.type or "An event"
    note = Notification(Topic.SYSTEM, title, level, text_of(event.summary))
    return [record.event("external", note)]


NOTICES = {
    "external_event": _external,
    "thread_goal_updated": _goal,
    "error": error_events,
    "stream_error": _retry,
    "warning": _warning,
    "guardian_warning": _warning,
    "deprecation_notice": _warning,
    "guardian_assessment": _guardian,
    "undo_completed": _undone,
    "background_event": _warning,
    "exec_approval_request": _asked,
    "apply_patch_approval_request": _asked,
    "elicitation_request": _elicited,
    "request_permissions": _elicited,
    "model_reroute": _rerouted,
    "hook_completed": _hook_ended,
}
"""Makers of events by the type of the payload."""


_INJECTED = frozenset({"environment_context", "user_instructions"})
_COLLAB_TOOLS = {
    "collab_agent_spawn_end": "spawn_agent",
    "collab_agent_interaction_end": "send_input",
    "collab_waiting_end": "wait_agent",
    "collab_close_end": "close_agent",
    "collab_resume_end": "resume_agent",
}
_ABORTS = {
    "interrupted": "The person interrupted the turn",
    "replaced": "Another turn took the place of this one",
    "review_ended": "The review was ended",
    "budget_limited": "The turn reached its budget",
}
_PARTS = ("_delta", "_begin")
"""Ends of the names of types of which a later record has all."""
_BOOKKEEPING = {
    "task_started": "a turn began",
    "turn_started": "a turn began",
    "thread_settings_applied": "settings of the session",
    "dynamic_tool_call_request": "a call, reported by its response item",
    "session_configured": "settings of the session",
    "mcp_startup_complete": "servers started",
    "mcp_startup_update": "servers started",
    "item_started": "an item began, reported when it ends",
    "agent_reasoning_section_break": "a thought continues",
    "turn_diff": "changes so far, reported by the patches",
    "shutdown_complete": "the client ended",
    "undo_started": "files are put back, reported when it ends",
    "hook_started": "a hook began, reported when it ends",
    "request_user_input": "questions that a call asks",
    "terminal_interaction": "what a call wrote to a process",
    "patch_apply_updated": "a patch as it comes, which a call has whole",
    "model_verification": "how the vendor judges a request",
    "turn_moderation_metadata": "how the vendor judges a request",
    "safety_buffering": "how the vendor judges a request",
    "skills_update_available": "news of the client",
    "remote_skill_downloaded": "news of the client",
    "raw_response_item": "what the model sent, reported by other records",
    "raw_response_completed": "what the model sent, reported by other records",
    "auth_recovery_started": "signing in again",
    "auth_recovery_completed": "signing in again",
    "environment_connected": "a machine that the session uses",
    "environment_disconnected": "a machine that the session uses",
    "thread_queue_changed": "what waits to be sent",
    "elicitation_abandoned": "a question that nobody has to answer any more",
    "mcp_list_tools_response": "tools of servers",
}
"""Types that say nothing to a reader, with what they are."""


def report_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of one `event_msg`, by the type of its payload."""
    kind = record.payload.type or "(none)"
    maker = _MAKERS.get(kind)
    if maker is None and kind in _COLLAB_TOOLS:
        maker = _collab
    if maker is None:
        reason = _BOOKKEEPING.get(kind)
        if reason is None and kind.startswith("realtime_conversation"):
            reason = "a part of a spoken conversation"
        if reason is None and kind.endswith(_PARTS):
            reason = "a part of a later whole record"
        if reason is None:
            return [record.unknown(f"event_msg/{kind}")]
        return [hidden(record, reason, kind, facts=settings_facts(record.report))]
    if record.copied and kind != "item_completed":
        return [hidden(record, "history of the session that started this agent", kind)]
    return maker(record)


def call_id_of(record: CodexRecord) -> str:
    """Id of the call that a report belongs to."""
    found = as_text(record.payload.call_id)
    found = as_text(record.values.get("callId")) if found is None else found
    return record.name if found is None else found


def _started(record: CodexRecord) -> float | None:
    took = duration_of(record.payload.duration)
    return record.time - took if record.time is not None and took is not None else None


def _said(record: CodexRecord) -> str:
    """Text of a message; some writers of this format have it as content, as items have it."""
    said = text_of(record.value_of(record.payload.message))
    return said or text_in(record.value_of(record.payload.content))


def _user(record: CodexRecord) -> Sequence[LightEvent]:
    own, message = record.report, _said(record)
    said = asked(message)
    if own.kind in _INJECTED:
        return [hidden(record, f"context that the client put in: {own.kind}", "user_message")]
    places = (*(own.images or ()), *(own.local_images or ()))
    blocks = tuple(
        block_of({"type": "image", "image_url": place})
        if isinstance(place, str)
        else block_of(place)
        for place in places
    )
    keys = reported_prompt_keys(record, said, blocks)
    body = spoken(said, blocks, sender(message), context=in_front(message))
    return [record.event("prompt", body, **keys)]


def _message(record: CodexRecord) -> Sequence[LightEvent]:
    said = _said(record)
    if not said.strip():
        return [hidden(record, "a message without text", "agent_message")]
    return [said_event(record, said, (), None, first=True)]


def _reasoning(record: CodexRecord) -> Sequence[LightEvent]:
    said = text_of(record.value_of(record.payload.text)) or ""
    if not said.strip():
        return [hidden(record, "a thought without text", "agent_reasoning")]
    return thoughts(record, [said], first=True)


def _command_began(record: CodexRecord) -> Sequence[LightEvent]:
    return done(record, call_id_of(record), "exec_command", command_arguments(record), None)


def command_arguments(record: CodexRecord) -> Fields:
    """Arguments of a command in a report."""
    own = record.report
    return {"command": own.command, "workdir": path_of(own.cwd)}


def _command(record: CodexRecord) -> Sequence[LightEvent]:
    return command(record, call_id_of(record), record.payload, _started(record))


def _patch(record: CodexRecord) -> Sequence[LightEvent]:
    return file_change(record, call_id_of(record), record.values, _started(record))


def _mcp(record: CodexRecord) -> Sequence[LightEvent]:
    return mcp_call(record, call_id_of(record), invoked(record), _started(record))


def invoked(record: CodexRecord) -> Fields:
    """A report with what it says of the call that it is of."""
    return changed(record.values, fields_of(record.report.invocation))


def _web_search(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    action, query = fields_of(own.action), own.query or None
    return web_events(record, action, query, record.values, first=True)


def _dynamic(record: CodexRecord) -> Sequence[LightEvent]:
    own, call_id = record.report, call_id_of(record)
    blocks, error = blocks_of(own.content_items), text_of(own.error)
    outcome = ToolResult(call_id, own.success, blocks, error=error)
    name, args = tools.full_name(own.tool or "", own.namespace or None), fields_of(own.arguments)
    return done(record, call_id, name, args, outcome, started=_started(record))


def _collab(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    receiver = own.new_thread_id or own.receiver_thread_id
    states = fields_of(own.statuses)
    for each in filter(None, own.agent_statuses or ()):
        states = {**states, (each.thread_id or ""): each.status}
    known: dict[str, object] = {"agents_states": states}
    if isinstance(receiver, str):
        known["receiver_thread_ids"] = [receiver]
    tool, item = _COLLAB_TOOLS[own.type or ""], changed(record.values, known)
    return collaboration(record, call_id_of(record), tool, item, receiver, None)


def _activity(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    own.id = own.event_id
    return agent_activity(record, changed(record.values, {"id": own.event_id}), own)


def _view_image(record: CodexRecord) -> Sequence[LightEvent]:
    args = {"path": path_of(record.report.path)}
    return done(record, call_id_of(record), "view_image", args, None)


def _tool_call(record: CodexRecord) -> Sequence[LightEvent]:
    """A call in an event, as some writers of this format have it."""
    own = record.report
    return done(record, call_id_of(record), own.name or "", fields_of(own.input), None)


def _turn_ended(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    took = seconds_of(own.duration_ms)
    end = record.event("end", Notification(Topic.TURN_END, "Turn complete", duration=took))
    return [end] if own.error is None else [*error_events(record), end]


def _turn_aborted(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    reason, took = own.reason or "interrupted", seconds_of(own.duration_ms)
    words = _ABORTS.get(reason, f"The turn was ended: {reason}")
    return [record.event("end", Notification(Topic.INTERRUPT, words, Level.WARNING, duration=took))]


def _rolled_back(record: CodexRecord) -> Sequence[LightEvent]:
    turns = whole_of(record.report.num_turns)
    last = "turn" if turns == 1 else f"{turns} turns" if turns else "turns"
    words = f"The last {last} before this {'was' if turns == 1 else 'were'} taken back"
    note = Notification(Topic.REWIND, words, Level.WARNING)
    rewinds = Rewind(turns=turns) if turns is not None and turns > 0 else None
    return [replace(record.event("rewind", note), rewinds=rewinds)]


def _compacted(record: CodexRecord) -> Sequence[LightEvent]:
    return compaction_events(record)


def _named(record: CodexRecord) -> Sequence[LightEvent]:
    name = record.report.thread_name
    if not name:
        return [hidden(record, "a session without a name", "thread_name_updated")]
    return [record.event("title", Title(name, TitleSource.CUSTOM))]


def _review_began(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    what = own.user_facing_hint or (own.target and own.target.type)
    words = f"Review began: {what}" if what else "Review began"
    return [record.event("review", Notification(Topic.MODE, words))]


def _review_ended(record: CodexRecord) -> Sequence[LightEvent]:
    output = record.report.review_output
    if output is None:
        return [record.event("review", Notification(Topic.MODE, "Review ended"))]
    findings = [_finding(each or Finding()) for each in output.findings or ()]
    parts = (output.overall_explanation, output.overall_correctness, *findings)
    words, detail = f"Review ended: {len(findings)} findings", "\n\n".join(filter(None, parts))
    return [record.event("review", Notification(Topic.MODE, words, detail=detail or None))]


def _finding(finding: Finding) -> str:
    place = finding.code_location or Location()
    at, lines = place.absolute_file_path, place.line_range
    if at is not None and lines is not None and lines.start is not None:
        at = f"{at}:{lines.start}"
    return "\n".join(filter(None, (finding.title, at, finding.body)))


def _plan_update(record: CodexRecord) -> Sequence[LightEvent]:
    """A plan as an event of its own; the call that set it is among the response items."""
    call = tool_call(
        call_id=record.name,
        name="update_plan",
        arguments={key: record.values.get(key) for key in ("plan", "explanation")},
        spec=tools.SPECS["update_plan"],
    )
    return [record.event("call", call), record.event("result", ToolResult(call.call_id, ok=None))]


_MAKERS = {
    "user_message": _user,
    "agent_message": _message,
    "agent_reasoning": _reasoning,
    "agent_reasoning_raw_content": _reasoning,
    "token_count": token_count_events,
    "item_completed": item_completed_events,
    "exec_command_begin": _command_began,
    "exec_command_end": _command,
    "patch_apply_end": _patch,
    "mcp_tool_call_end": _mcp,
    "web_search_end": _web_search,
    "image_generation_end": image_events,
    "dynamic_tool_call_response": _dynamic,
    "sub_agent_activity": _activity,
    "view_image_tool_call": _view_image,
    "tool_call": _tool_call,
    "plan_update": _plan_update,
    "task_complete": _turn_ended,
    "turn_complete": _turn_ended,
    "turn_aborted": _turn_aborted,
    "thread_rolled_back": _rolled_back,
    "context_compacted": _compacted,
    "thread_name_updated": _named,
    "entered_review_mode": _review_began,
    "exited_review_mode": _review_ended,
    **NOTICES,
}
"""Makers of events by the type of the payload, from 0.40 to 0.169."""
