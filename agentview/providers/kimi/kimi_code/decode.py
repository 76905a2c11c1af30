"""What happened: the events of one record `{type, time, ...}` of a journal.

Source: recordings of 2.1.0 (protocol 1.5), older journals (1.4), and the public list of records
(`wire-manifest.d.ts`). A prompt, a response and a result are records of the context; the events of
the running client that stand between them say the same.
"""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Message,
    Reasoning,
    SlashCommand,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.normalize.output_text import text_of as text_in
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.kimi.kimi_code.state_records import MAKERS as STATE_MAKERS
from agentview.providers.kimi.shared.content import blocks_of
from agentview.providers.kimi.shared.printed import printed_events
from agentview.providers.kimi.shared.results import outcome_of
from agentview.providers.kimi.shared.tools import find_tool

_TYPED = frozenset({"user", "cron_job", "cron_missed"})
"""Origins of messages with which a turn begins."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    if "role" in fields and "time" not in fields:
        return printed_events(record)
    kind = text_of(fields.get("type")) or "(none)"
    record.time = time_of(fields.get("time"))
    if record.time is None:
        record.time = time_of(fields.get("created_at"))
    if fields.get("kind") == "event":
        return [record.hidden("an event of the running client, said elsewhere too", kind)]
    make = _MAKERS.get(kind) or STATE_MAKERS.get(kind)
    return make(record, fields) if make is not None else [record.unknown(kind)]


def _message(record: EventBuilder, fields: Fields) -> list[Event]:
    """A message that came into the context; its origin says who put it there."""
    message = fields_of(fields.get("message"))
    role = text_of(message.get("role")) or "(none)"
    make = _ROLES.get(role)
    return make(record, message) if make is not None else [record.unknown(f"message/{role}")]


def _user(record: EventBuilder, message: Fields) -> list[Event]:
    origin = fields_of(message.get("origin"))
    kind = text_of(origin.get("kind")) or "user"
    blocks = blocks_of(message.get("content"))
    said = text_in(blocks) or ""
    by_agent = kind == "system_trigger" and record.stream.kind is StreamKind.SUBAGENT
    if kind in _TYPED or (by_agent and origin.get("name") == "subagent"):
        rest = tuple(block for block in blocks if not isinstance(block, TextBlock))
        return [record.event("prompt", spoken(said, rest, None if kind == "user" else kind))]
    if kind in ("skill_activation", "plugin_command"):
        return _skill(record, origin, said)
    if kind == "task":
        return [record.hidden("the end of a task, which its own record says too", f"origin/{kind}")]
    if kind == "compaction_summary":
        return [record.hidden("the summary of a compaction", f"origin/{kind}")]
    name = text_of(origin.get("variant")) or text_of(origin.get("name")) or kind
    return [record.event("note", Attachment(name, "note", said))]


def _skill(record: EventBuilder, origin: Fields, said: str) -> list[Event]:
    """A skill or a command of a plug-in, with the text that it stands for."""
    name = text_of(origin.get("skillName")) or text_of(origin.get("commandName")) or "skill"
    args = text_of(origin.get("skillArgs")) or text_of(origin.get("commandArgs")) or ""
    return [
        record.event("command", SlashCommand(f"/{name}", args)),
        record.event("skill", Attachment(name, "skill", said, text_of(origin.get("skillPath")))),
    ]


def _assistant(record: EventBuilder, message: Fields) -> list[Event]:
    """A whole response: a conversation that was forked begins with such."""
    events = [
        _part(record, fields_of(item), f"part{index}")
        for index, item in enumerate(items_of(message.get("content")))
    ]
    for index, item in enumerate(items_of(message.get("toolCalls"))):
        call = fields_of(item)
        function = fields_of(call.get("function")) or call
        made = _call_event(record, call.get("id"), function, "arguments", f"call{index}")
        events.append(made)
    return events or [record.hidden("a response without words", "message/assistant")]


def _answer(record: EventBuilder, message: Fields) -> list[Event]:
    call_id = call_id_of(message.get("toolCallId"), None)
    if call_id is None:
        return [record.unknown("message/tool")]
    failed = message.get("isError")
    ok = not failed if isinstance(failed, bool) else None
    return [record.event("result", outcome_of(call_id, ok, message.get("content"), {}))]


def _system(record: EventBuilder, _message: Fields) -> list[Event]:
    return [record.hidden("instructions of the client", "message/system")]


_ROLES: Mapping[str, Callable[[EventBuilder, Fields], list[Event]]] = {
    "user": _user,
    "assistant": _assistant,
    "tool": _answer,
    "system": _system,
}


def _loop(record: EventBuilder, fields: Fields) -> list[Event]:
    """A piece of the agent's work: what the model said, what it asked for, what came back."""
    event = fields_of(fields.get("event"))
    kind = text_of(event.get("type")) or "(none)"
    record.record_id = text_of(event.get("uuid"))
    record.response_id = text_of(event.get("stepUuid"))
    if kind == "content.part":
        return [_part(record, fields_of(event.get("part")), "part0")]
    if kind == "tool.call":
        return [_call_event(record, event.get("toolCallId"), event, "args", "call")]
    if kind == "tool.result":
        return _result(record, event)
    if kind in ("step.begin", "step.end"):
        # Both have the id of the step.
        record.record_id = None
        return [record.hidden("a step begins or ends", kind)]
    return [record.unknown(f"loop/{kind}")]


def _part(record: EventBuilder, part: Fields, suffix: str) -> Event:
    kind = text_of(part.get("type")) or "(none)"
    if kind == "text":
        return record.event(suffix, Message(text_of(part.get("text")) or ""))
    if kind == "think":
        said = text_of(part.get("think")) or ""
        return record.event(suffix, Reasoning(said, withheld=not said))
    return record.event(suffix, Message("", blocks_of([part])))


def _call_event(
    record: EventBuilder, call_id: object, fields: Fields, key: str, suffix: str
) -> Event:
    """A call: its arguments are an object, in a whole message their text."""
    name = text_of(fields.get("name")) or "(none)"
    is_object = isinstance(fields.get(key), dict)
    args = fields_of(fields.get(key)) if is_object else mapping(as_text(fields.get(key)))
    call = tool_call(
        call_id=call_id_of(call_id, f"{record.name}:{suffix}"),
        name=name,
        arguments=args if is_object else as_text(fields.get(key)),
        raw=record.text_at("event", key) if is_object else None,
        spec=find_tool(name, args),
        title=text_of(fields.get("description")),
    )
    return record.event(suffix, call)


def _result(record: EventBuilder, event: Fields) -> list[Event]:
    call_id = call_id_of(event.get("toolCallId"), None)
    if call_id is None:
        return [record.unknown("loop/tool.result")]
    result = fields_of(event.get("result"))
    failed = result.get("isError")
    # It is written only where a call failed.
    ok = not failed if isinstance(failed, bool) else True if "output" in result else None
    structured = {key: result[key] for key in ("note", "truncated") if result.get(key)}
    return [record.event("result", outcome_of(call_id, ok, result.get("output"), structured))]


_MAKERS: Mapping[str, Callable[[EventBuilder, Fields], list[Event]]] = {
    "context.append_message": _message,
    "context.append_loop_event": _loop,
}

LINES = RecordDecoder(
    EventBuilder, _record_events, re.compile(r'\{\s*"(?:type|role)"\s*:\s*"[a-zA-Z_.]+"')
)
