"""Events of what `codex exec --json` printed up to 0.43: reports under `msg`, without any time.

A call is told of when it begins, and what came of it in a record of its own.
"""

from dataclasses import replace

from agentview.domain.events import (
    Event,
    Facts,
    Notification,
    ToolProgress,
    Topic,
)
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.codex.event_builder import Frame, path_of
from agentview.providers.codex.event_msg import call_id_of, report_events
from agentview.providers.codex.item_completed import done, mcp_call
from agentview.providers.codex.user_prompt import asked, in_front

_SETTINGS = frozenset({"workdir", "sandbox", "approval"})
_CALLS = frozenset({"command", "changes", "invocation"})
_ANSWER = "an answer to the program that runs the client"
_ANSWERS = ("_response", "conversation_path")
"""Ends of the names of types that nobody reads but the program that asked."""


def is_settings(fields: Fields) -> bool:
    """Whether a line is the first one, which tells how the client is set up."""
    return "model" in fields and len(_SETTINGS & fields.keys()) > 1 and "type" not in fields


def is_prompt(fields: Fields) -> bool:
    """Whether a line is the second one, which repeats the prompt."""
    return len(fields) == 1 and isinstance(fields.get("prompt"), str)


def message_in(fields: Fields) -> Fields | None:
    """What a line carries under `msg`; None for any other line."""
    carried = fields_of(fields.get("msg"))
    return carried if isinstance(carried.get("type"), str) else None


def settings_events(frame: Frame) -> list[Event]:
    """Events of the first line: directory, model and who is asked for leave."""
    facts = Facts(
        cwd=path_of(frame.fields.get("workdir")),
        model=text_of(frame.fields.get("model")),
        mode=text_of(frame.fields.get("approval")),
    )
    return frame.hidden("settings of the session", "(settings)", facts=facts)


def prompt_events(frame: Frame) -> list[Event]:
    """Events of the second line."""
    said = text_of(frame.fields.get("prompt")) or ""
    return [frame.event("prompt", spoken(asked(said), context=in_front(said)))]


def message_events(frame: Frame) -> list[Event]:
    """Events of a report, whose fields are the payload of the frame."""
    kind = text_of(frame.payload.get("type")) or "(none)"
    maker = _MAKERS.get(kind)
    if maker is not None:
        return maker(frame)
    told = kind.endswith(_ANSWERS) and "success" not in frame.payload
    return frame.hidden(_ANSWER, kind) if told else report_events(frame)


def _configured(frame: Frame) -> list[Event]:
    facts = Facts(cwd=path_of(frame.payload.get("cwd")), model=text_of(frame.payload.get("model")))
    return frame.hidden("settings of the session", "session_configured", facts=facts)


def _began(events: list[Event]) -> list[Event]:
    """The call alone, at its place: no later record has all of it."""
    return [replace(events[0], replaces=None)]


def _command(frame: Frame) -> list[Event]:
    args = {"command": frame.payload.get("command"), "workdir": path_of(frame.payload.get("cwd"))}
    return _began(done(frame, call_id_of(frame), "exec_command", args, None))


def _patch(frame: Frame) -> list[Event]:
    args = {"changes": frame.payload.get("changes")}
    return _began(done(frame, call_id_of(frame), "apply_patch", args, None))


def _mcp(frame: Frame) -> list[Event]:
    item = {**frame.payload, **fields_of(frame.payload.get("invocation"))}
    return _began(mcp_call(frame, call_id_of(frame), item, None))


def _outcome(frame: Frame) -> list[Event]:
    """What came of a call; the call too where the record has it, for a log that begins here."""
    events = [replace(event, replaces=None) for event in report_events(frame)]
    told = _CALLS & frame.payload.keys()
    return events if told else [event for event in events if event.suffix != "call"]


def _progress(frame: Frame) -> list[Event]:
    said = text_of(frame.payload.get("message")) or text_of(frame.payload.get("output")) or ""
    call_id = text_of(frame.payload.get("call_id"))
    if call_id is not None:
        return [frame.event("progress", ToolProgress(call_id, said))]
    return [frame.event("note", Notification(Topic.SYSTEM, said or "Working"))]


_MAKERS = {
    "session_configured": _configured,
    "exec_command_begin": _command,
    "exec_command_end": _outcome,
    "patch_apply_begin": _patch,
    "patch_apply_end": _outcome,
    "mcp_tool_call_begin": _mcp,
    "mcp_tool_call_end": _outcome,
    "background_event": _progress,
}
