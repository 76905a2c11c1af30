"""Events of a message of the person, of the agents, or of the client."""

import re
from collections.abc import Sequence

from agentview.domain.content import JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import Level, Notification, ToolResult, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, number
from agentview.normalize.json_values import Fields, fields_of, time_of
from agentview.normalize.tools.specs import ToolSpec
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder, hidden
from agentview.providers.codebuff.schema import Block, Message, Question
from agentview.providers.codebuff.tools import AGENT, SPECS

_BEGIN = re.compile(r'\{\s*"(?:id|variant|content|blocks|timestamp)"\s*:')
_DEEPEST = 16
_DONE = frozenset({"complete", "completed", "success"})
_FAILED = frozenset({"failed", "error", "cancelled"})


class ChatRecord(TypedBuilder[Message], gc=False):
    """A message."""


def _message(message: Message, raw: bytes, source: SourceRef, session: SessionRef) -> ChatRecord:
    made = ChatRecord.of(message, raw, source, session, record_id=message.id or None)
    # One without a day, as older versions write it, is none.
    made.time = time_of(message.timestamp)
    return made


def _events(record: ChatRecord) -> Sequence[LightEvent]:
    own = record.record
    variant = own.variant or own.role or "(none)"
    if variant == "user":
        return _prompt(record)
    if variant == "error":
        words = own.content or "The request failed"
        return [record.event("failed", Notification(error_topic(words), words, Level.ERROR))]
    if variant not in ("ai", "agent", "assistant"):
        return [record.unknown(f"message/{variant}")]
    record.response_id = record.name
    events = _blocks(record, own.blocks or (), "", 0)
    if not events and own.content and own.content.strip():
        events = [record.text_part("said", own.content)]
    return events or [hidden(record, "a message without words", variant)]


FORM = TypedDocuments(
    Message,
    _message,
    _events,
    _BEGIN,
    around=lambda record: [hidden(record, "what is around the messages", "document")],
)


def _prompt(record: ChatRecord) -> Sequence[LightEvent]:
    own = record.record
    files = [each.filename for each in own.blocks or () if each and each.type == "image"]
    blocks = tuple(ResourceBlock(name=each) for each in files)
    if not (own.content or "").strip() and not blocks:
        return [hidden(record, "a message without words", "user")]
    return [record.event("prompt", spoken(own.content or "", blocks))]


def _blocks(
    record: ChatRecord, listed: Sequence[Block | None], place: str, depth: int
) -> list[LightEvent]:
    """Events of the parts of an answer, or of what an agent did."""
    events: list[LightEvent] = []
    for at, each in enumerate(listed):
        block, suffix = each or Block(), f"{place}{at}"
        said = block.content or ""
        if block.type == "text":
            if block.text_type == "reasoning":
                events.append(record.thought_part(f"thought/{suffix}", said, withheld=not said))
            elif said.strip():
                events.append(record.text_part(f"said/{suffix}", said))
        elif block.type == "tool":
            events += _call(record, block, suffix)
        elif block.type == "agent" and depth < _DEEPEST:
            events += _agent(record, block, suffix, depth)
        elif block.type == "ask-user":
            asked = (each or Question() for each in block.questions or ())
            words = "\n".join(filter(None, (each.question for each in asked)))
            events.append(
                record.event(f"asked/{suffix}", Notification(Topic.SYSTEM, words or "A question"))
            )
        elif block.type == "mode-divider":
            words = f"Mode: {block.mode or '–'}"
            events.append(record.event(f"mode/{suffix}", Notification(Topic.SYSTEM, words)))
        elif said.strip():
            events.append(record.text_part(f"said/{suffix}", said))
        else:
            events.append(record.unknown(f"block/{block.type}", f"unknown/{suffix}"))
    return events


def _call(record: ChatRecord, block: Block, suffix: str) -> Sequence[LightEvent]:
    """A call, with what it brought once it has ended."""
    name = block.tool_name or "(none)"
    call_id = f"{record.name}/{suffix}" if block.tool_call_id is None else block.tool_call_id
    spec: ToolSpec | None = SPECS.get(name)
    arguments = fields_of(record.value_of(block.input))
    call = tool_call(call_id=call_id, name=name, arguments=arguments, spec=spec)
    events: list[LightEvent] = [record.event(f"call/{suffix}", call)]
    output = record.value_of(block.output)
    if output is None:
        return events
    structured = mapping(output)
    code = number(structured, "exitCode", "exit_code")
    blocks = (TextBlock(output),) if isinstance(output, str) else (JsonBlock(output),)
    ok = None if code is None else code == 0
    result = ToolResult(call_id, ok, blocks, structured=structured or None)
    return [*events, record.event(f"result/{suffix}", result)]


def _agent(record: ChatRecord, block: Block, suffix: str, depth: int) -> Sequence[LightEvent]:
    """An agent that was started: what it did is in a stream of its own."""
    own = f"{record.name}/{suffix}" if block.agent_id is None else block.agent_id
    stream = Stream(StreamKind.SUBAGENT, own)
    arguments: Fields = {
        "agent_type": block.agent_type or block.agent_name,
        "prompt": block.initial_prompt,
        "params": record.value_of(block.params),
    }
    given = {key: value for key, value in arguments.items() if value is not None}
    call = tool_call(call_id=own, name=AGENT, arguments=given, spec=SPECS[AGENT])
    inner = record.copy()
    inner.stream = stream
    events: list[LightEvent] = [record.event(f"call/{suffix}", call, child=stream)]
    events += _blocks(inner, block.blocks or (), f"{suffix}.", depth + 1)
    if block.status in _DONE or block.status in _FAILED:
        said = (TextBlock(block.content),) if block.content else ()
        result = ToolResult(own, block.status in _DONE, said)
        events.append(record.event(f"result/{suffix}", result, child=stream))
    return events
