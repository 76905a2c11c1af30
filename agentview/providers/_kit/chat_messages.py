"""Messages of requests and responses that a log repeats, and the events of what is new in them."""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha1

from agentview.domain.content import Block
from agentview.domain.events import (
    Attachment,
    Body,
    Event,
    Message,
    Reasoning,
    ToolResult,
    User,
)
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, number
from agentview.normalize.json_values import Fields, fields_of
from agentview.providers._kit.chat_parts import Part, result_blocks
from agentview.providers._kit.event_builder import EventBuilder


def part_events(
    record: EventBuilder, parts: Iterable[Part], scope: str, asked: float | None
) -> list[Event]:
    """Events of the parts of one request and its response, in their order.

    What other requests of the same `scope` say again has the same key in all of them, by its words
    and by how often they came before it. `asked` is the time of the request.
    """
    # Repeated texts of a conversation are distinguished by their count.
    said: Counter[str] = Counter()
    events: list[Event] = []
    for at, part in enumerate(parts):
        made = record.copy()
        if not part.output:
            made.response_id = None
            made.time = asked
        event = _part_event(made, f"part{at}", part, scope, said)
        if event is not None:
            events.append(event)
    return events


def _part_event(
    record: EventBuilder, suffix: str, part: Part, scope: str, said: Counter[str]
) -> Event | None:
    if part.kind in ("call", "result") and part.id is not None:
        name = f"{part.kind}:{part.id}"
        said[name] += 1
        name += f":{said[name]}" if said[name] > 1 else ""
    else:
        own = f"{part.role}:{part.kind}:{part.text}{part.name or ''}{as_text(part.value) or ''}"
        block = part.block
        own += repr(block) if block is not None else ""
        digest = sha1(own.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:20]
        said[digest] += 1
        name = f"{digest}:{said[digest]}"
    body = _body(record, suffix, part)
    if body is None:
        return None
    key = f"{scope}:{name}"
    return record.event(suffix, body, dedupe_key=key)


def _body(record: EventBuilder, suffix: str, part: Part) -> Body | None:
    if part.kind == "call":
        own = f"{record.name}{record.suffix_end}/{suffix}"
        name = own if part.id is None else part.id
        return chat_call(name, part.name or "(none)", part.value)
    if part.kind == "result":
        if part.id is None:
            return Attachment("result", "output", as_text(part.value))
        return chat_result(part.id, part.value, failed=None)
    if part.kind == "reasoning":
        return Reasoning(part.text, withheld=not part.text)
    blocks: tuple[Block, ...] = (part.block,) if part.block is not None else ()
    if part.role in ("system", "developer"):
        return Attachment("system message", "instructions", part.text or as_text(repr(part.block)))
    if part.role in ("assistant", "model"):
        return Message(part.text, blocks)
    return User(part.text, blocks)


def chat_call(call_id: str, name: str, given: object) -> ToolCall:
    """A call, whose arguments are an object or its JSON."""
    arguments: Fields | str | None = None
    if isinstance(given, str):
        arguments = given
    elif given is not None:
        arguments = fields_of(given) or as_text(given)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=None)


def ended_well(ok: bool | None, fields: Fields) -> bool | None:
    """Return how a call ended: a command by its exit code, unless it failed before that."""
    code = number(fields, "exit_code", "exitCode", "returncode")
    return ok if code is None or ok is False else code == 0


def chat_result(
    call_id: str, value: object, *, failed: bool | None, error: str | None = None
) -> ToolResult:
    """A result; a span says by its status whether the call failed, a command by its exit code."""
    structured = mapping(value)
    ok = ended_well(None if failed is None else not failed, structured)
    words = value if isinstance(value, str) else None
    return ToolResult(
        call_id,
        ok,
        result_blocks(value),
        structured=structured or None,
        error=(error or words) if failed else None,
    )
