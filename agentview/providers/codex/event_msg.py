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
from agentview.normalize.json_fields import as_text, items, mapping, text
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    items_of,
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
from agentview.providers.codex.session_meta import compaction_events, settings_facts
from agentview.providers.codex.usage import token_count_events

# Events of reports that only inform the person, or ask for something.


def error_events(record: CodexRecord) -> Sequence[LightEvent]:
    """A request, or a turn, that failed."""
    payload = record.values
    error = fields_of(payload.get("error"))
    said = text_of(payload.get("message")) or text(error, "message") or "The request failed"
    info = payload.get("codex_error_info")
    detail = text(payload, "additional_details") or text(payload, "codex_error_info")
    topic = error_topic(said, detail, text_of(info), text_of(error.get("kind")))
    return [record.event("error", Notification(topic, said, Level.ERROR, detail))]


def _retry(record: CodexRecord) -> Sequence[LightEvent]:
    said = text_of(record.values.get("message")) or "The connection broke"
    return [record.event("error", Notification(Topic.API_ERROR, said, Level.WARNING))]


def _warning(record: CodexRecord) -> Sequence[LightEvent]:
    said = text(record.values, "message", "summary") or "Warning"
    detail = text(record.values, "details")
    return [record.event("warning", Notification(Topic.SYSTEM, said, Level.WARNING, detail))]


def _guardian(record: CodexRecord) -> Sequence[LightEvent]:
    """An automatic judgement of what a call may do."""
    status = text_of(record.values.get("status")) or "unknown"
    refused = status in ("denied", "failed", "timed_out")
    note = Notification(
        Topic.SYSTEM,
        f"Automatic review of a call: {status}",
        Level.WARNING if refused else Level.INFO,
        detail=text(record.values, "rationale"),
        call_id=text_of(record.values.get("target_item_id")),
    )
    return [record.event("review", note)]


def _undone(record: CodexRecord) -> Sequence[LightEvent]:
    said = text_of(record.values.get("message")) or "Undo"
    level = Level.ERROR if record.values.get("success") is False else Level.INFO
    return [record.event("undo", Notification(Topic.REWIND, said, level))]


def _asked(record: CodexRecord) -> Sequence[LightEvent]:
    """A person is asked for leave; the call itself is recorded when it runs."""
    command = record.values.get("command")
    what = " ".join(str(word) for word in items(command)) or ", ".join(
        mapping(record.values.get("changes"))
    )
    note = Notification(
        Topic.SYSTEM,
        f"Asks for leave: {what}" if what else "Asks for leave",
        Level.WARNING,
        detail=text(record.values, "reason"),
    )
    return [record.event("asked", note)]


def _elicited(record: CodexRecord) -> Sequence[LightEvent]:
    """A server, or the client, asks the person for something next to the conversation."""
    said = text(record.values, "message", "reason") or text(
        mapping(record.values.get("request")), "message"
    )
    return [record.event("asked", Notification(Topic.SYSTEM, "Asks the person", detail=said))]


def _rerouted(record: CodexRecord) -> Sequence[LightEvent]:
    """Another model answers than the one that was asked."""
    model = text_of(record.values.get("to_model"))
    words = f"Another model answers: {model}" if model else "Another model answers"
    note = Notification(Topic.MODEL, words, Level.WARNING, text(record.values, "reason"))
    return [record.event("model", note, facts=Facts(model=model) if model else None)]


def _hook_ended(record: CodexRecord) -> Sequence[LightEvent]:
    run = mapping(record.values.get("run")) or record.values
    parts = (text(run, "event_name"), text(run, "status"))
    words = ": ".join(part for part in ("Hook", *parts) if part)
    return [record.event("hook", Notification(Topic.HOOK, words, detail=text(run, "message")))]


def _goal(record: CodexRecord) -> Sequence[LightEvent]:
    """The goal that was set, by the person or by a call, once for each state that it has."""
    goal = fields_of(record.values.get("goal"))
    aim, status = text(goal, "objective"), text(goal, "status")
    if aim is None:
        return [hidden(record, "what a goal has taken so far", "thread_goal_updated")]
    words = f"Goal {status}: {aim}" if status is not None else f"Goal: {aim}"
    return [record.event("goal", Notification(Topic.MODE, words), dedupe_key=f"goal:{words}")]


NOTICES = {
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
        return [hidden(record, reason, kind, facts=settings_facts(record.values))]
    if record.copied and kind != "item_completed":
        return [hidden(record, "history of the session that started this agent", kind)]
    return maker(record)


def call_id_of(record: CodexRecord) -> str:
    """Id of the call that a report belongs to."""
    found = as_text(record.payload.call_id)
    found = text(record.values, "callId") if found is None else found
    return record.name if found is None else found


def _started(record: CodexRecord) -> float | None:
    took = duration_of(record.payload.duration)
    return record.time - took if record.time is not None and took is not None else None


def _said(record: CodexRecord) -> str:
    """Text of a message; some writers of this format have it as content, as items have it."""
    said = text_of(record.value_of(record.payload.message))
    return said or text_in(record.value_of(record.payload.content))


def _user(record: CodexRecord) -> Sequence[LightEvent]:
    kind = text_of(record.values.get("kind"))
    message = _said(record)
    said = asked(message)
    if kind in _INJECTED:
        return [hidden(record, f"context that the client put in: {kind}", "user_message")]
    places = [
        *items_of(record.values.get("images")),
        *items_of(record.values.get("local_images")),
    ]
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
    args = {
        "command": record.values.get("command"),
        "workdir": path_of(record.values.get("cwd")),
    }
    return done(record, call_id_of(record), "exec_command", args, None)


def _command(record: CodexRecord) -> Sequence[LightEvent]:
    return command(record, call_id_of(record), record.payload, _started(record))


def _patch(record: CodexRecord) -> Sequence[LightEvent]:
    return file_change(record, call_id_of(record), record.values, _started(record))


def _mcp(record: CodexRecord) -> Sequence[LightEvent]:
    item = changed(record.values, fields_of(record.values.get("invocation")))
    return mcp_call(record, call_id_of(record), item, _started(record))


def _web_search(record: CodexRecord) -> Sequence[LightEvent]:
    action = fields_of(record.values.get("action"))
    query = text_of(record.values.get("query"))
    return web_events(record, action, query, record.values, first=True)


def _dynamic(record: CodexRecord) -> Sequence[LightEvent]:
    payload = record.values
    blocks = blocks_of(payload.get("content_items"))
    success = payload.get("success")
    error = text_of(payload.get("error"))
    outcome = ToolResult(
        call_id_of(record), success if isinstance(success, bool) else None, blocks, error=error
    )
    name = tools.full_name(text_of(payload.get("tool")) or "", text_of(payload.get("namespace")))
    args = fields_of(payload.get("arguments"))
    return done(record, call_id_of(record), name, args, outcome, started=_started(record))


def _collab(record: CodexRecord) -> Sequence[LightEvent]:
    payload = record.values
    receiver = payload.get("new_thread_id") or payload.get("receiver_thread_id")
    states = fields_of(payload.get("statuses"))
    for each in items(payload.get("agent_statuses")):
        agent = mapping(each)
        states = {**states, (text(agent, "thread_id") or ""): agent.get("status")}
    item: dict[str, object] = {"agents_states": states}
    if isinstance(receiver, str):
        item["receiver_thread_ids"] = [receiver]
    tool = _COLLAB_TOOLS[text_of(payload.get("type")) or ""]
    return collaboration(record, call_id_of(record), tool, changed(payload, item), receiver, None)


def _activity(record: CodexRecord) -> Sequence[LightEvent]:
    return agent_activity(record, changed(record.values, {"id": record.values.get("event_id")}))


def _view_image(record: CodexRecord) -> Sequence[LightEvent]:
    args = {"path": path_of(record.values.get("path"))}
    return done(record, call_id_of(record), "view_image", args, None)


def _tool_call(record: CodexRecord) -> Sequence[LightEvent]:
    """A call in an event, as some writers of this format have it."""
    name = text_of(record.values.get("name")) or ""
    return done(record, call_id_of(record), name, fields_of(record.values.get("input")), None)


def _turn_ended(record: CodexRecord) -> Sequence[LightEvent]:
    took = seconds_of(record.values.get("duration_ms"))
    end = record.event("end", Notification(Topic.TURN_END, "Turn complete", duration=took))
    error = record.values.get("error")
    return [*error_events(record), end] if error is not None else [end]


def _turn_aborted(record: CodexRecord) -> Sequence[LightEvent]:
    reason = text_of(record.values.get("reason")) or "interrupted"
    words = _ABORTS.get(reason, f"The turn was ended: {reason}")
    took = seconds_of(record.values.get("duration_ms"))
    return [record.event("end", Notification(Topic.INTERRUPT, words, Level.WARNING, duration=took))]


def _rolled_back(record: CodexRecord) -> Sequence[LightEvent]:
    turns = whole_of(record.values.get("num_turns"))
    last = "turn" if turns == 1 else f"{turns} turns" if turns else "turns"
    words = f"The last {last} before this {'was' if turns == 1 else 'were'} taken back"
    note = Notification(Topic.REWIND, words, Level.WARNING)
    rewinds = Rewind(turns=turns) if turns is not None and turns > 0 else None
    return [replace(record.event("rewind", note), rewinds=rewinds)]


def _compacted(record: CodexRecord) -> Sequence[LightEvent]:
    return compaction_events(record)


def _named(record: CodexRecord) -> Sequence[LightEvent]:
    name = text_of(record.values.get("thread_name"))
    if name is None:
        return [hidden(record, "a session without a name", "thread_name_updated")]
    return [record.event("title", Title(name, TitleSource.CUSTOM))]


def _review_began(record: CodexRecord) -> Sequence[LightEvent]:
    target = fields_of(record.values.get("target"))
    what = text(record.values, "user_facing_hint") or text(target, "type")
    words = f"Review began: {what}" if what else "Review began"
    return [record.event("review", Notification(Topic.MODE, words))]


def _review_ended(record: CodexRecord) -> Sequence[LightEvent]:
    output = fields_of(record.values.get("review_output"))
    findings = [_finding(mapping(item)) for item in items(output.get("findings"))]
    parts = [
        text(output, "overall_explanation"),
        text(output, "overall_correctness"),
        *findings,
    ]
    detail = "\n\n".join(part for part in parts if part) or None
    words = f"Review ended: {len(findings)} findings" if output else "Review ended"
    return [record.event("review", Notification(Topic.MODE, words, detail=detail))]


def _finding(finding: Fields) -> str:
    place = mapping(finding.get("code_location"))
    lines = mapping(place.get("line_range"))
    at = text(place, "absolute_file_path")
    if at is not None and "start" in lines:
        at = f"{at}:{text(lines, 'start')}"
    return "\n".join(part for part in (text(finding, "title"), at, text(finding, "body")) if part)


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
