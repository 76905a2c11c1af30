"""Events of one line of a session log."""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from agentview.domain.events import (
    Event,
    Hidden,
    Notification,
    ToolProgress,
    Topic,
)
from agentview.domain.index_entry import Flag, Role
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.json_values import changed, real_of, seconds_of, text_of, whole_of
from agentview.providers._kit.typed_records import (
    HIDDEN,
    LightEvent,
    Records,
    TypedLines,
    hidden,
    same,
)
from agentview.providers._kit.typed_values import fitting
from agentview.providers.claude.claude_code import metadata_records
from agentview.providers.claude.claude_code.attachments import attachment_events
from agentview.providers.claude.claude_code.system import system_events
from agentview.providers.claude.shared.assistant_records import assistant_events
from agentview.providers.claude.shared.event_builder import (
    RECORD_START,
    ClaudeRecord,
    agent_stream,
    claude_record,
    is_record,
)
from agentview.providers.claude.shared.schema import Block, Message, Progress, Record
from agentview.providers.claude.shared.user_records import user_events

# Events of `progress` records (2.1.12 to 2.1.81): what a running call has done so far.


def progress_events(record: ClaudeRecord) -> Sequence[LightEvent]:
    """Events of a `progress` record; `parentToolUseID` names the call it belongs to."""
    own, data = record.record, record.record.data or Progress()
    kind = data.type or None
    call_id = own.parent_tool_use_id or own.tool_use_id or None
    if kind in ("bash_progress", "powershell_progress") and call_id is not None:
        elapsed, lines = real_of(data.elapsed_time_seconds), whole_of(data.total_lines)
        output = data.full_output or data.output or ""
        return [_progress(record, call_id, ToolProgress(call_id, output, elapsed, lines))]
    if kind in ("agent_progress", "skill_progress"):
        return _agent(record, data, call_id)
    if kind == "hook_progress":
        return [record.part("hidden", HIDDEN, Flag.BOOKKEEPING, _hook_body, (data,))]
    line = _line(kind, data)
    if line is not None and call_id is not None:
        elapsed = seconds_of(data.elapsed_time_ms)
        return [_progress(record, call_id, ToolProgress(call_id, line, elapsed))]
    if line is not None:
        return [record.event("progress", Notification(Topic.SYSTEM, line))]
    return [record.unknown(f"progress/{kind}")]


def _hook_body(data: Progress) -> Hidden:
    hook = data.hook_name or data.hook_event or "a hook"
    return Hidden(f"{hook} runs {data.command or ''}".strip(), "progress/hook_progress")


def _progress(record: ClaudeRecord, call_id: str, body: ToolProgress) -> LightEvent:
    return record.part("progress", HIDDEN, Flag.BOOKKEEPING, same, (body,), Role.PROGRESS, call_id)


def _line(kind: str | None, data: Progress) -> str | None:
    """One line that says how far a call has come, None for a kind that nothing knows."""
    if kind == "mcp_progress":
        status = data.progress_message or data.status or "running"
        return f"{data.server_name or 'server'} · {data.tool_name or 'tool'}: {status}"
    if kind == "query_update":
        return f"Searching: {data.query or ''}"
    if kind == "search_results_received":
        count = whole_of(data.result_count)
        found = f"{count} results" if count is not None else "Results"
        return f"{found} for {data.query or 'the search'}"
    if kind == "waiting_for_task":
        return f"Waiting for {data.task_description or 'a task'}"
    return None


def _agent(record: ClaudeRecord, data: Progress, call_id: str | None) -> Sequence[LightEvent]:
    """Return events of another agent's message in the log of the agent that started it.

    The agent's own file has the same records under the same ids, so they become twins; its usage
    counts there only.
    """
    stream = agent_stream(data.agent_id)
    # The message has no session of its own; it belongs to that of the record around it.
    owner = replace(record.session, session_id=record.session_id)
    inner = LINES.record_of(bytes(data.message), record.source, owner)
    kind = None if inner is None else inner.record.type
    if stream is None or inner is None or kind not in ("user", "assistant"):
        return [hidden(record, "another agent is at work", "progress/agent_progress")]
    record.inner = ((data.message, inner),)
    inner.value_of = record.value_of
    inner.stream = stream
    inner.time = inner.time or record.time
    if kind == "assistant":
        return assistant_events(inner, with_usage=False)
    events = list(user_events(inner))
    if call_id is not None and not _has_result(inner):
        started = ToolProgress(call_id, "")
        events.append(record.event("started", started, child=stream))
    return events


def _has_result(record: ClaudeRecord) -> bool:
    content = record.message.content if record.message is not None else None
    blocks = content if isinstance(content, list) else []
    return any(isinstance(each, Block) and each.type == "tool_result" for each in blocks)


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


records = Records[ClaudeRecord](hidden=metadata_records.BOOKKEEPING)
records.on("assistant")(assistant_events)
records.on("user")(user_events)
records.on("progress")(progress_events)
records.on("system")(system_events)
records.on("attachment")(attachment_events)
for _type, _make in metadata_records.MAKERS.items():
    records.on(_type)(partial(metadata_records.metadata_events, _make))


@records.on("tool_use", "tool_result")
def alone_events(record: ClaudeRecord) -> Sequence[LightEvent]:
    """Events of a call or a result that is a record of its own, as other tools write them.

    The block is in a message as usual, or it is the record itself: then its id is the record's, and
    what a tool brought back may be all that its message has.
    """
    message, kind = record.message, record.record.type
    content = message.content if message is not None else None
    if not isinstance(content, list) or all(
        not isinstance(each, Block) or each.type != kind for each in content
    ):
        fields = record.fields
        said = record.message_fields().get("content")
        if said is None:
            said = fields.get("content", fields.get("output"))
        own = {"id": fields.get("id") or record.record_id, "content": said}
        block, _ = fitting(changed(fields, own), Block)
        record = record.copy()
        record.message = Message(content=[block])
        record.record = replace(record.record, message=record.message)
    return assistant_events(record) if kind == "tool_use" else user_events(record)


def _decode_record(record: ClaudeRecord) -> Sequence[LightEvent]:
    name = record.record.type
    if name is None and "type" not in record.fields:
        # A message that lost its type still says whose it is.
        name = text_of(record.message_fields().get("role"))
    return records(record, name or None)


LINES = TypedLines(Record, claude_record, _decode_record, RECORD_START, is_record)
