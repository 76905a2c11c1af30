"""Events of one line `{type, content, …}`, in the order of the history."""

import re
from collections.abc import Sequence

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import Attachment, Compaction, Event, Reset, ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.images import image_at
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.grok.schema import Asked, Function, Line, Search
from agentview.providers.grok.tools import SPECS

_PERSON = frozenset({"human", "interjection"})
"""Reasons that the client states for a message that a person wrote all the same."""


class Entry(TypedBuilder[Line], gc=False):
    """An entry of the history."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The parts of its content."""
        said = self.record.content
        if isinstance(said, list):
            return tuple(_block(self.value_of(each)) for each in said)
        return (TextBlock(said),) if said else ()


def _words(blocks: Sequence[Block]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, TextBlock))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


RECORDS = Records[Entry](hidden={"system": "the system prompt"})


def _record_events(record: Entry) -> Sequence[LightEvent]:
    # Histories of the first form have roles, as the vendor's interface has them.
    return RECORDS(record, record.record.type or record.record.role or None)


LINES = TypedLines(Line, Entry.of, _record_events, re.compile(r'\{\s*"(?:type|role)"\s*:'))


@RECORDS.on("user")
def _user(record: Entry) -> Sequence[LightEvent]:
    """A prompt, or what the client put into the history, for which it states a reason."""
    blocks, reason = record.blocks, record.record.synthetic_reason or None
    words = _words(blocks)
    others = tuple(block for block in blocks if not isinstance(block, TextBlock))
    if reason is not None and reason.startswith("compaction"):
        body = Compaction(summary=words or None)
        return [record.event("compaction", body, resets=Reset.COMPACTED)]
    if reason is not None and reason not in _PERSON:
        return [record.event("note", Attachment(reason.replace("_", " "), reason, words))]
    if not words and not others:
        return [hidden(record, "a message without contents", "user")]
    return [record.event("prompt", spoken(words, others))]


@RECORDS.on("assistant")
def _assistant(record: Entry) -> Sequence[LightEvent]:
    own, events = record.record, list[LightEvent]()
    record.facts = model_facts(own.model_id) if own.model_id else None
    if own.reasoning_content:
        events.append(record.thought_part("thought", own.reasoning_content))
    words = _words(record.blocks)
    if words.strip():
        events.append(record.text_part("text", words))
    for at, asked in enumerate(own.tool_calls or ()):
        events.append(_call(record, at, asked or Asked()))
    return whole_response(events) or [hidden(record, "a response without words", "assistant")]


def _call(record: Entry, at: int, asked: Asked) -> LightEvent:
    call_id = f"{record.name}/{at}" if asked.id is None else asked.id
    function = asked if asked.function is None else asked.function
    name = function.name or "(none)"
    made = (record, call_id, name, function)
    return record.call_event(f"call{at}", call_id, _known(name), _whole_call, made)


_known = known_calls(SPECS.get)


def _whole_call(record: Entry, call_id: str, name: str, function: Function) -> ToolCall:
    given = record.value_of(function.arguments)
    arguments = given if isinstance(given, str) else fields_of(given)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=SPECS.get(name))


@RECORDS.on("reasoning")
def _reasoning(record: Entry) -> Sequence[LightEvent]:
    parts = [each.text for each in record.record.summary or () if each is not None and each.text]
    return [record.thought_part("thought", "\n".join(parts), withheld=not parts)]


@RECORDS.on("tool_result", "tool")
def _result(record: Entry) -> Sequence[LightEvent]:
    """Return the result of a call; whether it succeeded is not recorded."""
    own = record.record.tool_call_id
    if own is None:
        return [record.unknown("tool_result")]
    return [record.result_part("result", own, _whole_result, (own, record), failed=None)]


def _whole_result(own: str, record: Entry) -> ToolResult:
    return ToolResult(own, None, record.blocks)


@RECORDS.on("backend_tool_call")
def _searched(record: Entry) -> Sequence[LightEvent]:
    """A call that the service made itself: the record has its outcome too."""
    kind = record.record.kind or Search()
    own, name = kind.id or record.name, kind.tool_type or "(none)"
    action = fields_of(record.value_of(kind.action))
    call = tool_call(
        call_id=own,
        name=name,
        arguments=action,
        raw=record.exact(kind.action, "kind", "action") or None,
        spec=SPECS.get(name),
    )
    ok = {"completed": True, "failed": False}.get(kind.status or "")
    sources: Fields = {"results": items_of(action.get("sources"))}
    result = ToolResult(own, ok, structured=sources)
    return [record.event("call", call), record.event("result", result)]


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
