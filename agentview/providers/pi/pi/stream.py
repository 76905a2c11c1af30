"""Output of `pi --mode json` and its RPC mode: messages as they begin, grow and end.

Source: recordings of 0.87 and the public source (`agent-session.ts`). Messages have no ids here.
The pieces of a response do not say which response they are of: the whole one at its end is shown.
"""

from collections.abc import Sequence
from typing import cast

from agentview.domain.events import (
    REPEATED,
    Level,
    Notification,
    ToolProgress,
    Topic,
)
from agentview.domain.index_entry import Flag, Role
from agentview.normalize.json_values import whole_of
from agentview.providers._kit.typed_records import HIDDEN, LightEvent, Records, hidden, same
from agentview.providers.pi.shared.content import words_of
from agentview.providers.pi.shared.entries import entry_events, message_events, named
from agentview.providers.pi.shared.event_builder import PiRecord
from agentview.providers.pi.shared.messages import compacted, result_event
from agentview.providers.pi.shared.schema import Entry, Message, Printed

_PIECE = "a piece of what a whole message says"

printed = Records[PiRecord](
    hidden={
        "agent_start": "the agent begins",
        "agent_end": "the messages of the run, said again",
        "agent_settled": "the agent waits",
        "turn_start": "a request begins",
        "turn_end": "a response and its results, said again",
        "message_start": _PIECE,
        "message_update": _PIECE,
        "tool_execution_start": "a call begins, as its message says",
        "bash_execution_update": _PIECE,
        "queue_update": "what waits to be sent",
        "compaction_start": "a compaction begins",
        "auto_compaction_start": "a compaction begins",
        "auto_retry_end": "how trying again ended, as the next message says",
        "summarization_retry_attempt_start": "a summary is tried again",
        "summarization_retry_finished": "a summary was tried again",
        "thinking_level_changed": "how much the model thinks",
        "extension_ui_request": "what an extension asks of the host",
        "response": "an answer to a command of the host",
    }
)
"""Decoders of a printed record, by its type."""
printed.on("session_info_changed")(named)


def _line(record: PiRecord) -> Printed:
    return cast("Printed", record.record)


@printed.on("message_end")
def _message(record: PiRecord) -> Sequence[LightEvent]:
    """A message is whole. The result of a call was printed already when the call ended."""
    record.result_path = REPEATED
    return message_events(record)


@printed.on("tool_execution_update")
def _progress(record: PiRecord) -> Sequence[LightEvent]:
    own = _line(record)
    call_id, partial = own.tool_call_id, own.partial_result
    said = words_of(partial.content) if partial is not None else None
    if call_id is None or said is None:
        return [hidden(record, "a call is at work", "tool_execution_update")]
    made = (ToolProgress(call_id, said),)
    return [record.part("progress", HIDDEN, Flag.BOOKKEEPING, same, made, Role.PROGRESS, call_id)]


@printed.on("tool_execution_end")
def _ended(record: PiRecord) -> Sequence[LightEvent]:
    own = _line(record)
    if own.tool_call_id is None:
        return [record.unknown("tool_execution_end")]
    record.message, record.place = own.result or Message(), ("result",)
    return [result_event(record, own.tool_call_id, own.is_error)]


@printed.on("entry_appended")
def _appended(record: PiRecord) -> Sequence[LightEvent]:
    """The events of a new entry that is not a message, as the session has it."""
    entry = _line(record).entry or Entry()
    kind = entry.type or "(none)"
    if kind in ("message", "compaction"):
        return [hidden(record, "an entry that is printed in another form too", f"entry/{kind}")]
    record.outer, record.record, record.path = record.record, entry, ("entry",)
    return entry_events(record)


@printed.on("compaction_end", "auto_compaction_end")
def _compacted(record: PiRecord) -> Sequence[LightEvent]:
    own = _line(record)
    record.message = own.result or Message()
    if record.message.summary:
        return compacted(record, own.reason or None)
    body = Notification(Topic.SYSTEM, "Compaction failed", Level.WARNING, own.error_message or None)
    return [record.event("notice", body)]


@printed.on("auto_retry_start", "summarization_retry_scheduled")
def _retries(record: PiRecord) -> Sequence[LightEvent]:
    own = _line(record)
    attempt, most = whole_of(own.attempt), whole_of(own.max_attempts)
    tries = ("?" if number is None else str(number) for number in (attempt, most))
    text, words = f"Trying again, {' of '.join(tries)}", own.error_message or None
    return [record.event("notice", Notification(Topic.SYSTEM, text, Level.WARNING, words))]


@printed.on("extension_error")
def _extension_error(record: PiRecord) -> Sequence[LightEvent]:
    own = _line(record)
    words = own.error or "An extension failed"
    body = Notification(Topic.HOOK, words, Level.WARNING, own.event or None)
    return [record.event("notice", body)]


STREAM = printed.makers.keys() | printed.hidden.keys()
"""Types of printed records."""
