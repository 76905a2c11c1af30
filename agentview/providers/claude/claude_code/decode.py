"""What happened: the events of one line of a session log."""

from msgspec.structs import replace

from agentview.domain.events import Event, Notification, ToolProgress, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    items_of,
    real_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.claude.claude_code.attachments import attachment_events
from agentview.providers.claude.claude_code.metadata_records import state_events
from agentview.providers.claude.claude_code.system import system_events
from agentview.providers.claude.shared.assistant_records import assistant_events
from agentview.providers.claude.shared.event_builder import (
    RECORD_START,
    ClaudeRecord,
    agent_stream,
    is_record,
)
from agentview.providers.claude.shared.user_records import user_events

# Events of `progress` records (2.1.12 to 2.1.81): what a running call has done so far.


def progress_events(record: ClaudeRecord) -> list[Event]:
    """Events of a `progress` record; `parentToolUseID` names the call it belongs to."""
    data = fields_of(record.fields.get("data"))
    kind = text_of(data.get("type"))
    call_id = text_of(record.fields.get("parentToolUseID")) or text_of(
        record.fields.get("toolUseID")
    )
    if kind in ("bash_progress", "powershell_progress") and call_id is not None:
        return [_shell(record, data, call_id)]
    if kind in ("agent_progress", "skill_progress"):
        return _agent(record, data, call_id)
    if kind == "hook_progress":
        hook = text_of(data.get("hookName")) or text_of(data.get("hookEvent")) or "a hook"
        command = text_of(data.get("command")) or ""
        return [record.hidden(f"{hook} runs {command}".strip(), "progress/hook_progress")]
    line = _line(kind, data)
    if line is not None and call_id is not None:
        elapsed = seconds_of(data.get("elapsedTimeMs"))
        return [record.event("progress", ToolProgress(call_id, line, elapsed))]
    if line is not None:
        return [record.event("progress", Notification(Topic.SYSTEM, line))]
    return [record.unknown(f"progress/{kind}")]


def _shell(record: ClaudeRecord, data: Fields, call_id: str) -> Event:
    output = text_of(data.get("fullOutput")) or text_of(data.get("output")) or ""
    return record.event(
        "progress",
        ToolProgress(
            call_id,
            output,
            elapsed=real_of(data.get("elapsedTimeSeconds")),
            total_lines=whole_of(data.get("totalLines")),
        ),
    )


def _line(kind: str | None, data: Fields) -> str | None:
    """One line that says how far a call has come, None for a kind that nothing knows."""
    if kind == "mcp_progress":
        status = text_of(data.get("progressMessage")) or text_of(data.get("status")) or "running"
        return f"{data.get('serverName') or 'server'} · {data.get('toolName') or 'tool'}: {status}"
    if kind == "query_update":
        return f"Searching: {data.get('query') or ''}"
    if kind == "search_results_received":
        count = whole_of(data.get("resultCount"))
        found = f"{count} results" if count is not None else "Results"
        return f"{found} for {data.get('query') or 'the search'}"
    if kind == "waiting_for_task":
        return f"Waiting for {data.get('taskDescription') or 'a task'}"
    return None


def _agent(record: ClaudeRecord, data: Fields, call_id: str | None) -> list[Event]:
    """Return events of another agent's message in the log of the agent that started it.

    The agent's own file has the same records under the same ids, so they become twins; its usage
    counts there only.
    """
    message = fields_of(data.get("message"))
    stream = agent_stream(data.get("agentId"))
    kind = message.get("type")
    if stream is None or kind not in ("user", "assistant"):
        return [record.hidden("another agent is at work", "progress/agent_progress")]
    # The message has no session of its own; it belongs to that of the record around it.
    owner = replace(record.session, session_id=record.session_id)
    inner = ClaudeRecord(message, record.raw, record.source, owner)
    inner.stream, inner.path = stream, ("data", "message")
    inner.time = inner.time or record.time
    if kind == "assistant":
        return assistant_events(inner, with_usage=False)
    events = user_events(inner)
    if call_id is not None and not _has_result(message):
        started = ToolProgress(call_id, "")
        events.append(record.event("started", started, child=stream))
    return events


def _has_result(message: Fields) -> bool:
    content = fields_of(message.get("message")).get("content")
    return any(fields_of(item).get("type") == "tool_result" for item in items_of(content))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list.

    Two records on one line are both decoded; what cannot be read becomes `Unparsed`.
    """
    return line_events(record, source, session, LINES)


def _decode_record(record: ClaudeRecord) -> list[Event]:
    fields = record.fields
    record_type = fields.get("type")
    if "type" not in fields:
        # A message that lost its type still says whose it is.
        record_type = fields_of(fields.get("message")).get("role")
    if record_type == "assistant":
        return assistant_events(record)
    if record_type == "user":
        return user_events(record)
    if record_type == "progress":
        return progress_events(record)
    if record_type == "system":
        return system_events(record)
    if record_type == "attachment":
        return attachment_events(record)
    if record_type in ("tool_use", "tool_result"):
        return _alone(record)
    name = text_of(record_type)
    if name is None:
        return [record.unknown("(none)")]
    found = state_events(record, name)
    return found if found is not None else [record.unknown(name)]


def _alone(record: ClaudeRecord) -> list[Event]:
    """Events of a call or a result that is a record of its own, as other tools write them.

    The block is in a message as usual, or it is the record itself: then its id is the record's, and
    what a tool brought back may be all that its message has.
    """
    fields = record.fields
    kind = text_of(fields.get("type"))
    message = fields_of(fields.get("message"))
    content = message.get("content")
    if all(fields_of(item).get("type") != kind for item in items_of(content)):
        if content is None:
            content = fields.get("content", fields.get("output"))
        own = fields.get("id") or record.record_id
        block = changed(fields, {"id": own, "content": content})
        message = {"content": [block]}
    whole = ClaudeRecord(
        changed(fields, {"message": message}), record.raw, record.source, record.session
    )
    return assistant_events(whole) if kind == "tool_use" else user_events(whole)


LINES = RecordDecoder(ClaudeRecord, _decode_record, RECORD_START, is_record)
