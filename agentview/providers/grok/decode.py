"""What happened: the events of one line `{type, content, …}`, in the order of the history."""

import re

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Message,
    Reasoning,
    Reset,
    ToolResult,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import Fields, call_id_of, fields_of, items_of, text_of
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.images import image_at
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.grok.tools import SPECS

_START = re.compile(r'\{\s*"(?:type|role)"\s*:')
_PERSON = frozenset({"human", "interjection"})
"""Reasons that the client states for a message that a person wrote all the same."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one line: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _record_events(record: EventBuilder) -> list[Event]:
    # Histories of the first form have roles, as the vendor's interface has them.
    kind = text_of(record.fields.get("type")) or text_of(record.fields.get("role")) or "(none)"
    make = _MAKERS.get(kind)
    return make(record) if make is not None else [record.unknown(kind)]


LINES = RecordDecoder(EventBuilder, _record_events, _START)


def _system(record: EventBuilder) -> list[Event]:
    return [record.hidden("the system prompt", "system")]


def _user(record: EventBuilder) -> list[Event]:
    """A prompt, or what the client put into the history, for which it states a reason."""
    blocks = _blocks(record.fields.get("content"))
    words = "\n".join(block.text for block in blocks if isinstance(block, TextBlock))
    others = tuple(block for block in blocks if not isinstance(block, TextBlock))
    reason = text_of(record.fields.get("synthetic_reason"))
    if reason is not None and reason.startswith("compaction"):
        body = Compaction(summary=words or None)
        return [record.event("compaction", body, resets=Reset.COMPACTED)]
    if reason is not None and reason not in _PERSON:
        return [record.event("note", Attachment(reason.replace("_", " "), reason, words))]
    if not words and not others:
        return [record.hidden("a message without contents", "user")]
    return [record.event("prompt", spoken(words, others))]


def _assistant(record: EventBuilder) -> list[Event]:
    fields = record.fields
    model = text_of(fields.get("model_id"))
    record.facts = Facts(model=model) if model is not None else None
    thought = text_of(fields.get("reasoning_content"))
    events = [record.event("thought", Reasoning(thought))] if thought else []
    words = "\n".join(b.text for b in _blocks(fields.get("content")) if isinstance(b, TextBlock))
    if words.strip():
        events.append(record.event("text", Message(words)))
    for at, each in enumerate(items_of(fields.get("tool_calls"))):
        call_id = call_id_of(fields_of(each).get("id"), f"{record.name}/{at}")
        asked = fields_of(fields_of(each).get("function")) or fields_of(each)
        name = text_of(asked.get("name")) or "(none)"
        given = asked.get("arguments")
        call = tool_call(
            call_id=call_id,
            name=name,
            arguments=given if isinstance(given, str) else fields_of(asked.get("arguments")),
            spec=SPECS.get(name),
        )
        events.append(record.event(f"call{at}", call))
    return whole_response(events) or [record.hidden("a response without words", "assistant")]


def _reasoning(record: EventBuilder) -> list[Event]:
    parts = [
        text_of(fields_of(each).get("text")) for each in items_of(record.fields.get("summary"))
    ]
    words = "\n".join(filter(None, parts))
    return [record.event("thought", Reasoning(words, withheld=not words))]


def _result(record: EventBuilder) -> list[Event]:
    """Return what came of a call; whether it succeeded is not recorded."""
    own = call_id_of(record.fields.get("tool_call_id"), None)
    if own is None:
        return [record.unknown("tool_result")]
    return [record.event("result", ToolResult(own, None, _blocks(record.fields.get("content"))))]


def _searched(record: EventBuilder) -> list[Event]:
    """A call that the service made itself: the record has its outcome too."""
    kind = fields_of(record.fields.get("kind"))
    own, name = text_of(kind.get("id")) or record.name, text_of(kind.get("tool_type")) or "(none)"
    action = fields_of(kind.get("action"))
    call = tool_call(
        call_id=own,
        name=name,
        arguments=action,
        raw=record.text_at("kind", "action"),
        spec=SPECS.get(name),
    )
    ok = {"completed": True, "failed": False}.get(text_of(kind.get("status")) or "")
    sources: Fields = {"results": items_of(action.get("sources"))}
    result = ToolResult(own, ok, structured=sources)
    return [record.event("call", call), record.event("result", result)]


def _blocks(content: object) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (TextBlock(content),) if content else ()
    return tuple(map(_block, items_of(content)))


def _block(item: object) -> Block:
    fields = fields_of(item)
    said = item if isinstance(item, str) else text_of(fields.get("text"))
    if said is not None:
        return TextBlock(said)
    if fields.get("type") == "text":
        return TextBlock(as_text(fields.get("text")) or "")
    uri = text_of(fields.get("url"))
    if fields.get("type") == "image":
        return image_at(uri) if uri is not None else ImageBlock()
    return JsonBlock(item)


_MAKERS = {
    "system": _system,
    "user": _user,
    "assistant": _assistant,
    "reasoning": _reasoning,
    "tool_result": _result,
    "tool": _result,
    "backend_tool_call": _searched,
}
