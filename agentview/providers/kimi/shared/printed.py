"""Messages of the chat API: what both clients print, and what Kimi CLI keeps as `context.jsonl`.

Source: recordings of Kimi CLI 1.48 and Kimi Code 2.1. Kimi CLI puts what came of a call into a tag
in front of its output; Kimi Code prints records of its own with the role `meta`. A context, which
was the only log before there was a wire, has roles of its own too: they begin with an underscore.
"""

import re
from collections.abc import Callable, Mapping

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    ToolResult,
)
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    parts_of,
    text_of,
    whole_of,
)
from agentview.normalize.output_text import text_of as text_in
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.kimi.shared.content import blocks_of
from agentview.providers.kimi.shared.results import denial_of, outcome_of
from agentview.providers.kimi.shared.tools import find_tool

_SAID = re.compile(r"<system>(ERROR: )?(.*?)</system>\n?", re.DOTALL)
_WRONG = re.compile(
    r'(?:Tool "[^"\n]{0,200}" not found|Invalid args for tool |Error executing tool )'
    r"|(?:.*\n)?Command failed with exit code: -?\d{1,10}\.?\s*\Z",
    re.DOTALL,
)
_SUMMARY = re.compile(r"<system>Previous context has been compacted\b[^<]*</system>\s*")

CONTEXT_ROLES = frozenset({"_system_prompt", "_checkpoint", "_usage"})
"""Roles of records of a context that are not messages."""


def printed_events(record: EventBuilder) -> list[Event]:
    """Events of a message."""
    role = text_of(record.fields.get("role")) or "(none)"
    make = _ROLES.get(role)
    return [record.unknown(role)] if make is None else make(record, record.fields)


def _assistant(record: EventBuilder, fields: Fields) -> list[Event]:
    record.response_id = record.name
    content = fields.get("content")
    parts = parts_of(content)
    events = [_part(record, at, fields_of(part)) for at, part in enumerate(parts)]
    for at, asked in enumerate(map(fields_of, items_of(fields.get("tool_calls")))):
        function = fields_of(asked.get("function"))
        name = text_of(function.get("name")) or "(none)"
        given = as_text(function.get("arguments"))
        call = tool_call(
            call_id=call_id_of(asked.get("id"), f"{record.name}/{at}"),
            name=name,
            arguments=given,
            spec=find_tool(name, mapping(given)),
        )
        events.append(record.event(f"call/{at}", call))
    return events or [record.hidden("a response without words", "assistant")]


def _part(record: EventBuilder, at: int, part: Fields) -> Event:
    kind = text_of(part.get("type"))
    if kind == "text":
        return record.event(f"text/{at}", Message(text_of(part.get("text")) or ""))
    if kind == "think":
        said = text_of(part.get("think")) or ""
        return record.event(f"thought/{at}", Reasoning(said, withheld=not said))
    return record.event(f"block/{at}", Message("", blocks_of([part])))


def _tool(record: EventBuilder, fields: Fields) -> list[Event]:
    own = call_id_of(fields.get("tool_call_id"), None)
    if own is None:
        return [record.unknown("tool without a call")]
    blocks = blocks_of(fields.get("content"))
    first = blocks[0].text if blocks and isinstance(blocks[0], TextBlock) else ""
    said = _SAID.match(first)
    if said is None:
        wrong = _WRONG.match(text_in(blocks) or "") is not None
        return [record.event("result", _plain(own, fields.get("content"), wrong=wrong))]
    rest = first[said.end() :]
    output = [{"type": "text", "text": rest}] if rest else []
    output += [] if isinstance(fields.get("content"), str) else items_of(fields.get("content"))[1:]
    result = outcome_of(own, said[1] is None, output, {"message": said[2]})
    return [record.event("result", result)]


def _plain(own: str, content: object, *, wrong: bool) -> ToolResult:
    """A result of which nothing says whether the call failed, unless its words do."""
    refused = denial_of(text_in(blocks_of(content)) or "") is not None
    return outcome_of(own, False if wrong or refused else None, content, {})


def _user(record: EventBuilder, fields: Fields) -> list[Event]:
    blocks = blocks_of(fields.get("content"))
    rest = tuple(block for block in blocks if not isinstance(block, TextBlock))
    said = text_in(blocks) or ""
    compacted = _SUMMARY.match(said)
    if compacted is not None:
        body = Compaction(summary=said[compacted.end() :] or None)
        return [record.event("compaction", body, resets=Reset.COMPACTED)]
    return [record.event("prompt", spoken(said, rest))]


def _instructions(record: EventBuilder, fields: Fields) -> list[Event]:
    said = text_in(blocks_of(fields.get("content")))
    return [record.event("instructions", Attachment("system message", "instructions", said))]


def _checkpoint(record: EventBuilder, _fields: Fields) -> list[Event]:
    return [record.hidden("a place to go back to", "_checkpoint")]


def _fill(record: EventBuilder, _fields: Fields) -> list[Event]:
    return [record.hidden("how full the context is", "_usage")]


def _meta(record: EventBuilder, fields: Fields) -> list[Event]:
    """Return what Kimi Code says of itself."""
    kind = text_of(fields.get("type")) or "(none)"
    if kind == "system.version":
        facts = Facts(client_version=text_of(fields.get("version")))
        return [record.hidden("the client and its version", kind, facts=facts)]
    if kind == "session.resume_hint":
        return [record.hidden("how the session is resumed", kind)]
    if kind == "turn.step.retrying":
        said = text_of(fields.get("error_message")) or "a request failed"
        topic = error_topic(said, status=whole_of(fields.get("status_code")))
        body = Notification(topic, said, Level.WARNING, text_of(fields.get("error_name")))
        return [record.event("retry", body)]
    return [record.unknown(f"meta/{kind}")]


_ROLES: Mapping[str, Callable[[EventBuilder, Fields], list[Event]]] = {
    "user": _user,
    "assistant": _assistant,
    "tool": _tool,
    "meta": _meta,
    "_system_prompt": _instructions,
    "_checkpoint": _checkpoint,
    "_usage": _fill,
}
