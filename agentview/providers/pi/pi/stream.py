"""What `pi --mode json` and its RPC mode print: messages as they begin, grow and end.

Source: recordings of 0.87 and the public source (`agent-session.ts`). Messages have no ids here.
The pieces of a response do not say which response they are of: the whole one at its end is shown.
"""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from agentview.domain.events import (
    REPEATED,
    Compaction,
    Event,
    Level,
    Notification,
    Reset,
    Title,
    TitleSource,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.normalize.json_values import Fields, call_id_of, fields_of, text_of, whole_of
from agentview.normalize.output_text import text_of as text_in
from agentview.providers.pi.shared.content import blocks_of
from agentview.providers.pi.shared.entries import entry_events
from agentview.providers.pi.shared.event_builder import PiRecord
from agentview.providers.pi.shared.messages import message_events, result_of


def _message(record: PiRecord) -> list[Event]:
    """A message is whole. The result of a call was printed already when the call ended."""
    message = fields_of(record.fields.get("message"))
    events = message_events(record, message, ("message",))
    if message.get("role") != "toolResult":
        return events
    return [
        replace(event, path=REPEATED) if isinstance(event.body, ToolResult) else event
        for event in events
    ]


def _progress(record: PiRecord) -> list[Event]:
    call_id = call_id_of(record.fields.get("toolCallId"), None)
    partial = fields_of(record.fields.get("partialResult"))
    said = text_in(blocks_of(partial.get("content")))
    if call_id is None or said is None:
        return [record.hidden("a call is at work", "tool_execution_update")]
    return [record.event("progress", ToolProgress(call_id, said))]


def _ended(record: PiRecord) -> list[Event]:
    call_id = call_id_of(record.fields.get("toolCallId"), None)
    if call_id is None:
        return [record.unknown("tool_execution_end")]
    result = fields_of(record.fields.get("result"))
    outcome = result_of(call_id, result, record.fields.get("isError"))
    return [record.event("result", outcome)]


def _appended(record: PiRecord) -> list[Event]:
    """Return the events of a new entry that is not a message, as the session has it."""
    entry = fields_of(record.fields.get("entry"))
    kind = text_of(entry.get("type")) or "(none)"
    if kind in ("message", "compaction"):
        return [record.hidden("an entry that is printed in another form too", f"entry/{kind}")]
    inner = record.copy()
    inner.fields, inner.path = entry, ("entry",)
    events = entry_events(inner)
    record.time = inner.time
    return events


def _compacted(record: PiRecord) -> list[Event]:
    result = fields_of(record.fields.get("result"))
    summary = text_of(result.get("summary"))
    if summary is None:
        words = text_of(record.fields.get("errorMessage"))
        body = Notification(Topic.SYSTEM, "Compaction failed", Level.WARNING, words)
        return [record.event("notice", body)]
    body = Compaction(
        trigger=text_of(record.fields.get("reason")),
        tokens_before=whole_of(result.get("tokensBefore")),
        tokens_after=whole_of(result.get("estimatedTokensAfter")),
        summary=summary,
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _retries(record: PiRecord) -> list[Event]:
    fields = record.fields
    text = f"Trying again, {_count(fields, 'attempt')} of {_count(fields, 'maxAttempts')}"
    words = text_of(fields.get("errorMessage"))
    return [record.event("notice", Notification(Topic.SYSTEM, text, Level.WARNING, words))]


def _count(fields: Fields, key: str) -> str:
    number = whole_of(fields.get(key))
    return "?" if number is None else str(number)


def _extension_error(record: PiRecord) -> list[Event]:
    words = text_of(record.fields.get("error")) or "An extension failed"
    body = Notification(Topic.HOOK, words, Level.WARNING, text_of(record.fields.get("event")))
    return [record.event("notice", body)]


def _renamed(record: PiRecord) -> list[Event]:
    name = text_of(record.fields.get("name"))
    if name is None:
        return [record.hidden("a session without a name", "session_info_changed")]
    return [record.event("title", Title(name, TitleSource.CUSTOM))]


def _silent(reason: str) -> Callable[[PiRecord], list[Event]]:
    def make(record: PiRecord) -> list[Event]:
        return [record.hidden(reason, text_of(record.fields.get("type")) or "(none)")]

    return make


_PIECE = _silent("a piece of what a whole message says")

STREAM: Mapping[str, Callable[[PiRecord], list[Event]]] = {
    "agent_start": _silent("the agent begins"),
    "agent_end": _silent("the messages of the run, said again"),
    "agent_settled": _silent("the agent waits"),
    "turn_start": _silent("a request begins"),
    "turn_end": _silent("a response and its results, said again"),
    "message_start": _PIECE,
    "message_update": _PIECE,
    "message_end": _message,
    "tool_execution_start": _silent("a call begins, as its message says"),
    "tool_execution_update": _progress,
    "tool_execution_end": _ended,
    "bash_execution_update": _PIECE,
    "entry_appended": _appended,
    "queue_update": _silent("what waits to be sent"),
    "compaction_start": _silent("a compaction begins"),
    "auto_compaction_start": _silent("a compaction begins"),
    "compaction_end": _compacted,
    "auto_compaction_end": _compacted,
    "auto_retry_start": _retries,
    "auto_retry_end": _silent("how trying again ended, as the next message says"),
    "summarization_retry_scheduled": _retries,
    "summarization_retry_attempt_start": _silent("a summary is tried again"),
    "summarization_retry_finished": _silent("a summary was tried again"),
    "thinking_level_changed": _silent("how much the model thinks"),
    "session_info_changed": _renamed,
    "extension_error": _extension_error,
    "extension_ui_request": _silent("what an extension asks of the host"),
    "response": _silent("an answer to a command of the host"),
}
"""What makes the events of a printed record, by its type."""
