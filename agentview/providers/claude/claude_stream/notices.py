"""Events of the small records beside the conversation: progress, limits, sign-in, requests."""

from collections.abc import Callable
from datetime import UTC, datetime

from agentview.domain.events import Event, Level, ToolProgress, Topic
from agentview.normalize.json_values import Fields, fields_of, items_of, real_of, text_of, time_of
from agentview.providers.claude.claude_stream.system import notice
from agentview.providers.claude.shared.event_builder import Frame

BOOKKEEPING = {
    "active_goal": "the goal of the session",
    "control_cancel_request": "a request between client and host",
    "control_request": "a request between client and host",
    "control_response": "a request between client and host",
    "keep_alive": "the connection is alive",
    "prompt_suggestion": "what the client suggests to ask next",
}
"""Types of records that are not shown, with the reason."""

_LOST = frozenset({"cancelled", "discarded", "refused"})
"""Ends of a prompt that was sent and that no model answered."""
_LIMITS = {
    "allowed_warning": ("A rate limit is near", Level.WARNING),
    "rejected": ("A rate limit is reached", Level.ERROR),
}
_RESETS = {
    "clear": "The conversation was cleared",
    "plan_mode_exit": "The conversation began anew, to follow the plan",
}


def report_events(frame: Frame, name: str) -> list[Event] | None:
    """Events of a record of this type; None for a type that nothing knows."""
    make = MAKERS.get(name)
    if make is not None:
        return make(frame, frame.fields)
    return frame.hidden(BOOKKEEPING[name], name) if name in BOOKKEEPING else None


def _tool_progress(frame: Frame, fields: Fields) -> list[Event]:
    """How long a call has run; what it wrote is not told."""
    call_id = text_of(fields.get("tool_use_id"))
    elapsed = real_of(fields.get("elapsed_time_seconds"))
    if call_id is None:
        return frame.hidden("a call is at work", "tool_progress")
    return [frame.event("progress", ToolProgress(call_id, "", elapsed))]


def _tool_use_summary(frame: Frame, fields: Fields) -> list[Event]:
    return notice(frame, Topic.SYSTEM, text_of(fields.get("summary")) or "A summary of calls")


def _auth_status(frame: Frame, fields: Fields) -> list[Event]:
    lines = [line for item in items_of(fields.get("output")) if (line := text_of(item))]
    error = text_of(fields.get("error"))
    if error is not None:
        text = f"Sign-in failed: {error}"
        return notice(frame, Topic.SYSTEM, text, Level.ERROR, "\n".join(lines))
    if fields.get("isAuthenticating") is not True:
        return frame.hidden("the sign-in is done", "auth_status")
    return notice(frame, Topic.SYSTEM, "Signing in", detail="\n".join(lines))


def _rate_limit(frame: Frame, fields: Fields) -> list[Event]:
    info = fields_of(fields.get("rate_limit_info"))
    known = _LIMITS.get(text_of(info.get("status")) or "")
    if known is None:
        return frame.hidden("no rate limit is near", "rate_limit_event")
    used, kind = real_of(info.get("utilization")), text_of(info.get("rateLimitType"))
    details = (
        kind.replace("_", " ") if kind is not None else None,
        f"{used:.0%} used" if used is not None else None,
        _until(info.get("resetsAt")),
    )
    return notice(frame, Topic.LIMIT, *known, " · ".join(part for part in details if part))


def _until(seconds: object) -> str | None:
    moment = real_of(seconds)
    if moment is None or time_of(moment * 1000) is None:
        return None
    # In UTC: what is shown must not depend on where it is read.
    return f"until {datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"


def _conversation_reset(frame: Frame, fields: Fields) -> list[Event]:
    trigger = text_of(fields.get("trigger")) or ""
    return notice(frame, Topic.SYSTEM, _RESETS.get(trigger, "A new conversation began"))


def _command_lifecycle(frame: Frame, fields: Fields) -> list[Event]:
    """What became of a prompt that the host sent (2.1.2xx); one that was taken up says nothing."""
    state = text_of(fields.get("state"))
    if state not in _LOST:
        return frame.hidden("a prompt waits, or is answered", "command_lifecycle")
    return notice(frame, Topic.SYSTEM, f"A prompt was {state}", Level.WARNING)


def _error(frame: Frame, fields: Fields) -> list[Event]:
    """An error of the vendor's API, as it came."""
    error = fields_of(fields.get("error"))
    text = text_of(error.get("message")) or text_of(fields.get("error")) or "The request failed"
    return notice(frame, Topic.API_ERROR, text, Level.ERROR, text_of(error.get("type")))


MAKERS: dict[str, Callable[[Frame, Fields], list[Event]]] = {
    "auth_status": _auth_status,
    "command_lifecycle": _command_lifecycle,
    "conversation_reset": _conversation_reset,
    "error": _error,
    "rate_limit_event": _rate_limit,
    "tool_progress": _tool_progress,
    "tool_use_summary": _tool_use_summary,
}
"""Types of records that are shown, with what makes their events."""
