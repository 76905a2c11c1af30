"""Events of `progress` records (2.1.12 to 2.1.81): what a running call has done so far."""

from dataclasses import replace

from agentview.domain.events import Event, Notification, ToolProgress, Topic
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    real_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.providers.claude.shared.assistant_records import assistant_events
from agentview.providers.claude.shared.event_builder import Frame, agent_stream
from agentview.providers.claude.shared.user_records import user_events


def progress_events(frame: Frame, session: SessionRef) -> list[Event]:
    """Events of a `progress` record; `parentToolUseID` names the call it belongs to."""
    data = fields_of(frame.fields.get("data"))
    kind = text_of(data.get("type"))
    call_id = text_of(frame.fields.get("parentToolUseID")) or text_of(frame.fields.get("toolUseID"))
    if kind in ("bash_progress", "powershell_progress") and call_id is not None:
        return [_shell(frame, data, call_id)]
    if kind in ("agent_progress", "skill_progress"):
        return _agent(frame, data, call_id, session)
    if kind == "hook_progress":
        hook = text_of(data.get("hookName")) or text_of(data.get("hookEvent")) or "a hook"
        command = text_of(data.get("command")) or ""
        return frame.hidden(f"{hook} runs {command}".strip(), "progress/hook_progress")
    line = _line(kind, data)
    if line is not None and call_id is not None:
        elapsed = seconds_of(data.get("elapsedTimeMs"))
        return [frame.event("progress", ToolProgress(call_id, line, elapsed))]
    if line is not None:
        return [frame.event("progress", Notification(Topic.SYSTEM, line))]
    return [frame.unknown(f"progress/{kind}")]


def _shell(frame: Frame, data: Fields, call_id: str) -> Event:
    output = text_of(data.get("fullOutput")) or text_of(data.get("output")) or ""
    return frame.event(
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


def _agent(frame: Frame, data: Fields, call_id: str | None, session: SessionRef) -> list[Event]:
    """A message of another agent, told in the log of the one that started it.

    The agent's own file has the same records under the same ids, so they become twins; its usage
    counts there only.
    """
    message = fields_of(data.get("message"))
    stream = agent_stream(data.get("agentId"))
    kind = message.get("type")
    if stream is None or kind not in ("user", "assistant"):
        return frame.hidden("another agent is at work", "progress/agent_progress")
    # The message has no session of its own; it belongs to that of the record around it.
    owner = replace(session, session_id=frame.session_id)
    inner = Frame(message, frame.raw, frame.source, owner, stream, ("data", "message"))
    if inner.uuid is None:
        inner.record_id = f"{frame.record_id}/message"
    inner.time = inner.time or frame.time
    if kind == "assistant":
        return assistant_events(inner, with_usage=False)
    events = user_events(inner)
    if call_id is not None and not _has_result(message):
        started = ToolProgress(call_id, "")
        events.append(frame.event("started", started, child=stream))
    return events


def _has_result(message: Fields) -> bool:
    content = fields_of(message.get("message")).get("content")
    return any(fields_of(item).get("type") == "tool_result" for item in items_of(content))
