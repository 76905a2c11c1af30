"""Messages of the chat API: what both clients print, and what Kimi CLI keeps as `context.jsonl`.

Source: recordings of Kimi CLI 1.48 and Kimi Code 2.1. Kimi CLI puts what came of a call into a tag
in front of its output; Kimi Code prints records of its own with the role `meta`. A context, which
was the only log before there was a wire, has roles of its own too: they begin with an underscore.
"""

import re
from collections.abc import Sequence

from agentview.domain.content import TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Facts,
    Level,
    Notification,
    Reset,
    ToolResult,
)
from agentview.normalize.json_values import items_of, whole_of
from agentview.normalize.output_text import text_of as text_in
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, Records, hidden
from agentview.providers.kimi.shared.content import blocks_of
from agentview.providers.kimi.shared.event_builder import KimiRecord
from agentview.providers.kimi.shared.results import denial_of, outcome_of
from agentview.providers.kimi.shared.schema import Call, Part

_SAID = re.compile(r"<system>(ERROR: )?(.*?)</system>\n?", re.DOTALL)
_WRONG = re.compile(
    r'(?:Tool "[^"\n]{0,200}" not found|Invalid args for tool |Error executing tool )'
    r"|(?:.*\n)?Command failed with exit code: -?\d{1,10}\.?\s*\Z",
    re.DOTALL,
)
_SUMMARY = re.compile(r"<system>Previous context has been compacted\b[^<]*</system>\s*")

_CONTEXT = {"_checkpoint": "a place to go back to", "_usage": "how full the context is"}
CONTEXT_ROLES = frozenset({"_system_prompt", *_CONTEXT})
"""Roles of records of a context that are not messages."""

printed_events = Records[KimiRecord](hidden=_CONTEXT)
"""Events of a message, by its role."""


@printed_events.on("assistant")
def _assistant(record: KimiRecord) -> Sequence[LightEvent]:
    own = record.record
    record.response_id = record.name
    events: list[LightEvent] = []
    if isinstance(own.content, list):
        for at, part in enumerate(own.content):
            kind = part.type if isinstance(part, Part) else None
            suffix = {"text": "text", "think": "thought"}.get(kind or "", "block")
            events.append(record.said(f"{suffix}/{at}", part, "content", at))
    elif own.content:
        events.append(record.text_part("text/0", own.content))
    for at, asked in enumerate(own.tool_calls or ()):
        events.append(called(record, asked, f"call/{at}", ("tool_calls", at), f"/{at}"))
    return events or [hidden(record, "a response without words", "assistant")]


def called(
    record: KimiRecord,
    asked: Call | None,
    suffix: str,
    path: tuple[str | int, ...],
    ending: str,
) -> LightEvent:
    """A call of a message; one without an id has a name that ends so."""
    call = asked or Call()
    function = call.function
    what = call if function is None else function
    inside = () if function is None else ("function",)
    call_id = f"{record.name}{ending}" if call.id is None else call.id
    place = (*path, *inside, "arguments")
    return record.call(suffix, call_id, what.name or "(none)", what.arguments, place)


@printed_events.on("tool")
def _tool(record: KimiRecord) -> Sequence[LightEvent]:
    own = record.record.tool_call_id
    if own is None:
        return [record.unknown("tool without a call")]
    content = record.value_at("content")
    blocks = blocks_of(content)
    first = blocks[0].text if blocks and isinstance(blocks[0], TextBlock) else ""
    said = _SAID.match(first)
    if said is None:
        wrong = _WRONG.match(text_in(blocks) or "") is not None
        return [record.event("result", _plain(own, content, wrong=wrong))]
    rest = first[said.end() :]
    output: list[object] = [{"type": "text", "text": rest}] if rest else []
    output += items_of(content)[1:]
    result = outcome_of(own, said[1] is None, output, {"message": said[2]})
    return [record.event("result", result)]


def _plain(own: str, content: object, *, wrong: bool) -> ToolResult:
    """A result of which nothing says whether the call failed, unless its words do."""
    refused = denial_of(text_in(blocks_of(content)) or "") is not None
    return outcome_of(own, False if wrong or refused else None, content, {})


@printed_events.on("user")
def _user(record: KimiRecord) -> Sequence[LightEvent]:
    said, rest = record.words("content")
    compacted = _SUMMARY.match(said)
    if compacted is not None:
        body = Compaction(summary=said[compacted.end() :] or None)
        return [record.event("compaction", body, resets=Reset.COMPACTED)]
    return [record.event("prompt", spoken(said, rest))]


@printed_events.on("_system_prompt")
def _instructions(record: KimiRecord) -> Sequence[LightEvent]:
    said = text_in(blocks_of(record.value_at("content")))
    return [record.event("instructions", Attachment("system message", "instructions", said))]


@printed_events.on("meta")
def _meta(record: KimiRecord) -> Sequence[LightEvent]:
    """Facts of Kimi Code on itself."""
    own = record.record
    kind = own.type or "(none)"
    if kind == "system.version":
        facts = Facts(client_version=own.version or None)
        return [hidden(record, "the client and its version", kind, facts=facts)]
    if kind == "session.resume_hint":
        return [hidden(record, "how the session is resumed", kind)]
    if kind == "turn.step.retrying":
        said = own.error_message or "a request failed"
        topic = error_topic(said, status=whole_of(own.status_code))
        body = Notification(topic, said, Level.WARNING, own.error_name or None)
        return [record.event("retry", body)]
    return [record.unknown(f"meta/{kind}")]
