"""Events of what `codex exec --json` prints: threads, turns and items, without any time."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.events import (
    REPEATED,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    ToolProgress,
    ToolResult,
    Topic,
    runs,
)
from agentview.domain.tool_inputs import TodosPayload
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.tools.todo import listed
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex import tools
from agentview.providers.codex.agents import STARTING, WAITING, ended_agents
from agentview.providers.codex.content import asked, in_front
from agentview.providers.codex.event_builder import CodexRecord, path_of
from agentview.providers.codex.event_msg import (
    call_id_of,
    command_arguments,
    invoked,
    report_events,
)
from agentview.providers.codex.item_completed import (
    collaboration,
    done,
    first_receiver,
    mcp_call,
)
from agentview.providers.codex.plan_and_command import proposed
from agentview.providers.codex.schema import Change, Failure, Report
from agentview.providers.codex.tools import web_spec
from agentview.providers.codex.usage import turn_usage

# Events of what `codex exec --json` printed up to 0.43: reports under `msg`, without any time.
#
# A call is recorded when it begins, and its outcome in a record of its own.

_SETTINGS = frozenset({"workdir", "sandbox", "approval"})
_OTHER_KEYS = frozenset({"type", "id", "msg"})
"""Keys of all other lines."""
_CALLS = frozenset({"command", "changes", "invocation"})
_ANSWER = "an answer to the program that runs the client"
_ANSWERS = ("_response", "conversation_path")
"""Ends of the names of types that nobody reads but the program that asked."""


def is_settings(fields: Fields) -> bool:
    """Return True if a line is the first one, which says how the client is set up."""
    return len(_SETTINGS & fields.keys()) > 1 and "type" not in fields


def is_prompt(fields: Fields) -> bool:
    """Return True if a line is the second one, which repeats the prompt."""
    return isinstance(fields.get("prompt"), str) and _OTHER_KEYS.isdisjoint(fields)


def has_report(record: CodexRecord) -> bool:
    """Return True if a line carries a report under `msg`, which the record then is about."""
    report = record.payload.msg
    if report is None or report.type is None:
        return False
    record.carry(report, "msg")
    return True


def settings_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of the first line: directory, model and who is asked for leave."""
    own = record.report
    facts = Facts(path_of(own.workdir), model=own.model or None, mode=own.approval or None)
    return [hidden(record, "settings of the session", "(settings)", facts=facts)]


def prompt_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of the second line."""
    said = record.report.prompt or ""
    return [record.event("prompt", spoken(asked(said), context=in_front(said)))]


def message_events(record: CodexRecord) -> Sequence[LightEvent]:
    """Events of a report, whose fields are the payload of the record."""
    kind = record.payload.type or "(none)"
    maker = _OLD_MAKERS.get(kind)
    if maker is not None:
        return maker(record)
    is_answer = kind.endswith(_ANSWERS) and "success" not in record.values
    return [hidden(record, _ANSWER, kind)] if is_answer else report_events(record)


def _configured(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    facts = Facts(path_of(own.cwd), model=own.model or None)
    return [hidden(record, "settings of the session", "session_configured", facts=facts)]


def _began(events: list[LightEvent]) -> Sequence[LightEvent]:
    return [replace(events[0], replaces=None, path="begin")]


def _old_command(record: CodexRecord) -> Sequence[LightEvent]:
    args = command_arguments(record)
    return _began(done(record, call_id_of(record), "exec_command", args, None))


def _patch(record: CodexRecord) -> Sequence[LightEvent]:
    args = {"changes": record.report.changes}
    return _began(done(record, call_id_of(record), "apply_patch", args, None))


def _old_mcp(record: CodexRecord) -> Sequence[LightEvent]:
    return _began(mcp_call(record, call_id_of(record), invoked(record), None))


def _outcome(record: CodexRecord) -> Sequence[LightEvent]:
    """Outcome of a call; the call too where the record has it, for a log that begins here."""
    events = [replace(event, replaces=None) for event in report_events(record)]
    has_call = _CALLS & record.values.keys()
    return events if has_call else [event for event in events if event.suffix != "call"]


def _progress(record: CodexRecord) -> Sequence[LightEvent]:
    own = record.report
    said = own.message or own.output or ""
    if own.call_id is not None:
        return [record.event("progress", ToolProgress(own.call_id, said))]
    return [record.event("note", Notification(Topic.SYSTEM, said or "Working"))]


_OLD_MAKERS = {
    "session_configured": _configured,
    "exec_command_begin": _old_command,
    "exec_command_end": _outcome,
    "patch_apply_begin": _patch,
    "patch_apply_end": _outcome,
    "mcp_tool_call_begin": _old_mcp,
    "mcp_tool_call_end": _outcome,
    "background_event": _progress,
}


_ITEMS = frozenset({"item.started", "item.updated", "item.completed"})
_RUNNING = "in_progress"


def is_printed(record_type: str) -> bool:
    return record_type in _MAKERS or record_type in _ITEMS


def stream_events(record: CodexRecord, record_type: str) -> Sequence[LightEvent]:
    """Events of one printed line."""
    if record_type not in _ITEMS:
        return _MAKERS[record_type](record)
    item = fields_of(record.fields.get("item"))
    own = read_as(item, Report)
    kind = own.type or own.item_type or "(none)"
    maker = _ITEM_MAKERS.get(kind)
    if maker is None:
        return [record.unknown(f"{record_type}/{kind}")]
    return maker(record, item, own, _name_of(record, own))


def _name_of(record: CodexRecord, own: Report) -> str:
    """An id that no other item of the log has: each run of the client counts from 0 again."""
    name, part = own.id or record.name, record.printed_by
    return f"{name}@{part[0]}" if part is not None and part[0] else name


def _finished(record: CodexRecord) -> bool:
    return record.record.type == "item.completed"


def _thread(record: CodexRecord) -> Sequence[LightEvent]:
    part = record.printed_by
    if part is not None and part[0]:
        return [record.event("thread", Notification(Topic.LINK, f"Session {part[1]}"))]
    return [hidden(record, "the session itself", "thread.started")]


def _turn_began(record: CodexRecord) -> Sequence[LightEvent]:
    return [hidden(record, "a turn began", "turn.started")]


def _turn_ended(record: CodexRecord) -> Sequence[LightEvent]:
    note = Notification(Topic.TURN_END, "Turn complete")
    return [record.event("end", note), *turn_usage(record)]


def _turn_failed(record: CodexRecord) -> Sequence[LightEvent]:
    error = record.report.error
    said = (error.message if isinstance(error, Failure) else error) or "The turn failed"
    note = Notification(error_topic(said), said, Level.ERROR)
    return [
        record.event("error", note, dedupe_key=_once(record, said)),
        record.event("end", Notification(Topic.TURN_END, "Turn failed")),
    ]


def _error(record: CodexRecord) -> Sequence[LightEvent]:
    said = record.report.message or "Error"
    level = Level.WARNING if said.startswith("Reconnecting") else Level.ERROR
    note = Notification(error_topic(said), said, level)
    return [record.event("error", note, dedupe_key=_once(record, said))]


def _once(record: CodexRecord, said: str) -> str:
    """Keys of an error, which the end of the turn repeats: a run has one turn."""
    return f"error:{record.printed_by[0] if record.printed_by is not None else 0}:{said}"


def _message(record: CodexRecord, _item: Fields, own: Report, name: str) -> Sequence[LightEvent]:
    return [record.event("message", Message(own.text or ""), replaces=f"text:{name}")]


def _reasoning(record: CodexRecord, _item: Fields, own: Report, name: str) -> Sequence[LightEvent]:
    said = own.text or ""
    body = Reasoning(said, withheld=not said.strip())
    return [record.event("0", body, replaces=f"text:{name}")]


def _command(record: CodexRecord, item: Fields, own: Report, call_id: str) -> Sequence[LightEvent]:
    """A command; what it has written so far is progress."""
    args, outcome = {"command": own.command}, None
    if _finished(record) or own.status not in (None, _RUNNING):
        code = own.exit_code
        ok = code == 0 if isinstance(code, int) else _went_well(own)
        # The client also says that of a command that it leaves behind when the turn ends.
        ok = None if ok and code is None else ok
        outcome = ToolResult(call_id, ok, structured=item)
    events = _first_counts(record, done(record, call_id, "exec_command", args, outcome))
    if outcome is None and own.aggregated_output:
        events.append(record.event("progress", ToolProgress(call_id, own.aggregated_output)))
    return events


def _went_well(own: Report) -> bool | None:
    """Return True if an item ended well; None where it does not say."""
    return own.status == "completed" if own.status is not None else None


def _first_counts(record: CodexRecord, events: list[LightEvent]) -> list[LightEvent]:
    """The call as its first record has it: its place is where it began."""
    path = "end" if _finished(record) else "begin"
    if record.record.type == "item.updated":
        path = REPEATED
    return [
        replace(event, replaces=None, path=path if event.suffix == "call" else "")
        for event in events
    ]


def _file_change(
    record: CodexRecord, item: Fields, own: Report, call_id: str
) -> Sequence[LightEvent]:
    """Files that were changed; the stream has no diffs."""
    listed = (read_as(change, Change) for change in items(own.changes))
    args = {"changes": {each.path or "": {"type": each.kind} for each in listed}}
    ended = _finished(record)
    outcome = ToolResult(call_id, _went_well(own), structured=item) if ended else None
    return _first_counts(record, done(record, call_id, "apply_patch", args, outcome))


def _mcp(record: CodexRecord, item: Fields, _own: Report, call_id: str) -> Sequence[LightEvent]:
    events = _first_counts(record, mcp_call(record, call_id, item, None))
    return events if _finished(record) else events[:1]


def _collab(record: CodexRecord, item: Fields, own: Report, call_id: str) -> Sequence[LightEvent]:
    tool, receiver = own.tool or "send_input", first_receiver(own)
    events = _first_counts(record, collaboration(record, call_id, tool, item, receiver, None))
    if not _finished(record):
        return events[:1]
    if tool in STARTING:
        return [events[0], replace(events[1], path=runs(text_of(receiver)))]
    if tool in WAITING:
        events += ended_agents(record, mapping(own.agents_states))
    return events


def _web_search(
    record: CodexRecord, item: Fields, own: Report, call_id: str
) -> Sequence[LightEvent]:
    """A search; what is searched for may be known only at its end: the last record counts."""
    action = fields_of(own.action)
    args = {**action, "query": own.query or action.get("query")}
    call = tool_call(call_id=call_id, name="web_search", arguments=args, spec=web_spec(action))
    events = [record.event("call", call, replaces=f"call:{call_id}")]
    if _finished(record):
        events.append(record.event("result", ToolResult(call_id, None, structured=item)))
    return events


def _todo_list(
    record: CodexRecord, item: Fields, _own: Report, call_id: str
) -> Sequence[LightEvent]:
    """The list as it is now; the newest state takes the place of the one before."""
    recorded = item.get("items")
    call = tool_call(
        call_id=call_id,
        name="update_plan",
        arguments={"items": recorded},
        spec=tools.SPECS["update_plan"],
    )
    events = [record.event("call", call, replaces=f"call:{call_id}")]
    if isinstance(call.payload, TodosPayload) and listed(recorded) is not None:
        outcome = ToolResult(call_id, True, structured={"newTodos": recorded})
        events.append(record.event("result", outcome, replaces=f"result:{call_id}"))
    return events


def _error_item(record: CodexRecord, _item: Fields, own: Report, name: str) -> Sequence[LightEvent]:
    note = Notification(Topic.SYSTEM, own.message or "Error", Level.WARNING)
    return [record.event("error", note, replaces=f"text:{name}")]


def _plan(record: CodexRecord, _item: Fields, own: Report, name: str) -> Sequence[LightEvent]:
    """Return the event of a plan when it is whole."""
    if not _finished(record):
        return [hidden(record, "an item began, reported when it ends", "plan")]
    return proposed(record, name, own.text or "")


def _part(record: CodexRecord) -> Sequence[LightEvent]:
    return [hidden(record, "a part of a later whole record", "item.plan.delta")]


def _questions(record: CodexRecord) -> Sequence[LightEvent]:
    """Questions to the person, which the program that runs the client passes on."""
    given = text(record.fields, "call_id")
    name = record.name if given is None else given
    args = {"questions": record.fields.get("questions")}
    return _first_counts(record, done(record, name, "request_user_input", args, None))


_MAKERS = {
    "thread.started": _thread,
    "turn.started": _turn_began,
    "turn.completed": _turn_ended,
    "turn.failed": _turn_failed,
    "error": _error,
    "item.plan.delta": _part,
    "request_user_input": _questions,
}
_ITEM_MAKERS = {
    "agent_message": _message,
    "assistant_message": _message,
    "reasoning": _reasoning,
    "command_execution": _command,
    "file_change": _file_change,
    "mcp_tool_call": _mcp,
    "collab_tool_call": _collab,
    "web_search": _web_search,
    "todo_list": _todo_list,
    "plan": _plan,
    "error": _error_item,
}
