"""Events of reports that the person is only told of, or asked for something by."""

from agentview.domain.events import Event, Facts, Level, Notification, Topic
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import fields_of, text_of
from agentview.providers._kit.limits import error_topic
from agentview.providers.codex.dedupe import TwinKeys
from agentview.providers.codex.event_builder import Frame


def error_events(frame: Frame) -> list[Event]:
    """A request, or a turn, that failed."""
    payload = frame.payload
    told = fields_of(payload.get("error"))
    said = text_of(payload.get("message")) or text(told, "message") or "The request failed"
    info = payload.get("codex_error_info")
    detail = text(payload, "additional_details") or text(payload, "codex_error_info")
    topic = error_topic(said, detail, text_of(info), text_of(told.get("kind")))
    return [frame.event("error", Notification(topic, said, Level.ERROR, detail))]


def _retry(frame: Frame) -> list[Event]:
    said = text_of(frame.payload.get("message")) or "The connection broke"
    return [frame.event("error", Notification(Topic.API_ERROR, said, Level.WARNING))]


def _warning(frame: Frame) -> list[Event]:
    said = text(frame.payload, "message", "summary") or "Warning"
    detail = text(frame.payload, "details")
    return [frame.event("warning", Notification(Topic.SYSTEM, said, Level.WARNING, detail))]


def _guardian(frame: Frame) -> list[Event]:
    """An automatic judgement of what a call may do."""
    status = text_of(frame.payload.get("status")) or "unknown"
    refused = status in ("denied", "failed", "timed_out")
    note = Notification(
        Topic.SYSTEM,
        f"Automatic review of a call: {status}",
        Level.WARNING if refused else Level.INFO,
        detail=text(frame.payload, "rationale"),
        call_id=text_of(frame.payload.get("target_item_id")),
    )
    return [frame.event("review", note)]


def _undone(frame: Frame) -> list[Event]:
    said = text_of(frame.payload.get("message")) or "Undo"
    level = Level.ERROR if frame.payload.get("success") is False else Level.INFO
    return [frame.event("undo", Notification(Topic.REWIND, said, level))]


def _asked(frame: Frame) -> list[Event]:
    """A person is asked for leave; the call itself is told of when it runs."""
    command = frame.payload.get("command")
    what = " ".join(str(word) for word in items(command)) or ", ".join(
        mapping(frame.payload.get("changes"))
    )
    note = Notification(
        Topic.SYSTEM,
        f"Asks for leave: {what}" if what else "Asks for leave",
        Level.WARNING,
        detail=text(frame.payload, "reason"),
    )
    return [frame.event("asked", note)]


def _elicited(frame: Frame) -> list[Event]:
    """A server, or the client, asks the person for something beside the conversation."""
    said = text(frame.payload, "message", "reason") or text(
        mapping(frame.payload.get("request")), "message"
    )
    return [frame.event("asked", Notification(Topic.SYSTEM, "Asks the person", detail=said))]


def _rerouted(frame: Frame) -> list[Event]:
    """Another model answers than the one that was asked."""
    model = text_of(frame.payload.get("to_model"))
    words = f"Another model answers: {model}" if model else "Another model answers"
    note = Notification(Topic.MODEL, words, Level.WARNING, text(frame.payload, "reason"))
    return [frame.event("model", note, facts=Facts(model=model) if model else None)]


def _hook_ended(frame: Frame) -> list[Event]:
    run = mapping(frame.payload.get("run")) or frame.payload
    parts = (text(run, "event_name"), text(run, "status"))
    words = ": ".join(part for part in ("Hook", *parts) if part)
    return [frame.event("hook", Notification(Topic.HOOK, words, detail=text(run, "message")))]


def _goal(frame: Frame) -> list[Event]:
    """The goal that was set, by the person or by a call, once for each state that it has."""
    goal = fields_of(frame.payload.get("goal"))
    aim, status = text(goal, "objective"), text(goal, "status")
    if aim is None:
        return frame.hidden("what a goal has taken so far", "thread_goal_updated")
    words = f"Goal {status}: {aim}" if status is not None else f"Goal: {aim}"
    return [frame.event("goal", Notification(Topic.MODE, words), keys=TwinKeys(f"goal:{words}"))]


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
