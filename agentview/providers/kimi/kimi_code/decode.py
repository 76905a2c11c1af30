"""Events of one record `{type, time, ...}` of a journal.

Source: recordings of 2.1.0 (protocol 1.5), older journals (1.4), and the public list of records
(`wire-manifest.d.ts`). A prompt, a response and a result are records of the context; the events of
the running client that stand between them say the same.
"""

import re
from collections.abc import Sequence
from typing import cast

from msgspec import UNSET

from agentview.domain.events import Attachment, SlashCommand
from agentview.domain.session import StreamKind
from agentview.normalize.json_values import time_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, Records, TypedLines, hidden
from agentview.providers.kimi.kimi_code.schema import Message, Origin, Piece, Record
from agentview.providers.kimi.kimi_code.state_records import records
from agentview.providers.kimi.shared.event_builder import KimiRecord
from agentview.providers.kimi.shared.printed import called, printed_events

_TYPED = frozenset({"user", "cron_job", "cron_missed"})
"""Origins of messages with which a turn begins."""
_AT = ("message", "content")


def _record_events(record: KimiRecord) -> Sequence[LightEvent]:
    own = cast("Record", record.record)
    if own.role is not None and own.time is None:
        return printed_events(record, own.role)
    record.time = time_of(own.time)
    if record.time is None:
        record.time = time_of(own.created_at)
    if own.kind == "event":
        reason = "an event of the running client, said elsewhere too"
        return [hidden(record, reason, own.type or "(none)")]
    return records(record, own.type or None)


_messages = Records[KimiRecord](hidden={"message/system": "instructions of the client"})
"""Functions that make the events of a message in the context, by its role."""


@records.on("context.append_message")
def _message(record: KimiRecord) -> Sequence[LightEvent]:
    return _messages(record, f"message/{_message_of(record).role or '(none)'}")


def _message_of(record: KimiRecord) -> Message:
    message = cast("Record", record.record).message
    return message if isinstance(message, Message) else Message()


@_messages.on("message/user")
def _user(record: KimiRecord) -> Sequence[LightEvent]:
    """A message of the person, or in the person's place: its origin says who put it there."""
    origin = _message_of(record).origin or Origin()
    kind = origin.kind or "user"
    if kind == "task":
        reason = "the end of a task, which its own record says too"
        return [hidden(record, reason, f"origin/{kind}")]
    if kind == "compaction_summary":
        return [hidden(record, "the summary of a compaction", f"origin/{kind}")]
    said, rest = record.words(*_AT)
    by_agent = kind == "system_trigger" and record.stream.kind is StreamKind.SUBAGENT
    if kind in _TYPED or (by_agent and origin.name == "subagent"):
        return [record.event("prompt", spoken(said, rest, None if kind == "user" else kind))]
    if kind in ("skill_activation", "plugin_command"):
        return _skill(record, origin, said)
    name = origin.variant or origin.name or kind
    return [record.event("note", Attachment(name, "note", said))]


def _skill(record: KimiRecord, origin: Origin, said: str) -> Sequence[LightEvent]:
    """A skill or a command of a plug-in, with the text that it stands for."""
    name = origin.skill_name or origin.command_name or "skill"
    args = origin.skill_args or origin.command_args or ""
    return [
        record.event("command", SlashCommand(f"/{name}", args)),
        record.event("skill", Attachment(name, "skill", said, origin.skill_path or None)),
    ]


@_messages.on("message/assistant")
def _assistant(record: KimiRecord) -> Sequence[LightEvent]:
    """A whole response: a conversation that was forked begins with such."""
    own = _message_of(record)
    content = own.content if isinstance(own.content, list) else []
    events = [record.said(f"part{at}", part, *_AT, at) for at, part in enumerate(content)]
    for at, asked in enumerate(own.tool_calls or ()):
        path = ("message", "toolCalls", at)
        events.append(called(record, asked, f"call{at}", path, f":call{at}"))
    return events or [hidden(record, "a response without words", "message/assistant")]


@_messages.on("message/tool")
def _answer(record: KimiRecord) -> Sequence[LightEvent]:
    own = _message_of(record)
    if own.tool_call_id is None:
        return [record.unknown("message/tool")]
    ok = None if own.is_error is None else not own.is_error
    return [record.result(own.tool_call_id, ok, ("message",), "content")]


_pieces = Records[KimiRecord](hidden={})
"""Functions that make the events of a piece of the agent's work, by its type."""


@records.on("context.append_loop_event")
def _loop(record: KimiRecord) -> Sequence[LightEvent]:
    """A piece of the agent's work: what the model said, what it asked for, what came back."""
    event = _piece_of(record)
    record.record_id, record.response_id = event.uuid or None, event.step_uuid or None
    return _pieces(record, f"loop/{event.type or '(none)'}")


def _piece_of(record: KimiRecord) -> Piece:
    return cast("Record", record.record).event or Piece()


@_pieces.on("loop/content.part")
def _part(record: KimiRecord) -> Sequence[LightEvent]:
    return [record.said("part0", _piece_of(record).part, "event", "part")]


@_pieces.on("loop/tool.call")
def _call(record: KimiRecord) -> Sequence[LightEvent]:
    own = _piece_of(record)
    call_id = f"{record.name}:call" if own.tool_call_id is None else own.tool_call_id
    name, title = own.name or "(none)", own.description or None
    return [record.call("call", call_id, name, own.args, ("event", "args"), title)]


@_pieces.on("loop/tool.result")
def _result(record: KimiRecord) -> Sequence[LightEvent]:
    own = _piece_of(record)
    if own.tool_call_id is None:
        return [record.unknown("loop/tool.result")]
    ok = None
    if own.result is not None:
        # It is written only where a call failed.
        done = True if own.result.output is not UNSET else None
        ok = done if own.result.is_error is None else not own.result.is_error
    more = ("note", "truncated")
    return [record.result(own.tool_call_id, ok, ("event", "result"), "output", more)]


@_pieces.on("loop/step.begin", "loop/step.end")
def _step(record: KimiRecord) -> Sequence[LightEvent]:
    # Both have the id of the step.
    record.record_id = None
    return [hidden(record, "a step begins or ends", _piece_of(record).type or "")]


LINES = TypedLines(
    Record,
    KimiRecord.of,
    _record_events,
    re.compile(r'\{\s*"(?:type|role)"\s*:\s*"[a-zA-Z_.]+"'),
)
