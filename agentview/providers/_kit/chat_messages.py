"""Messages of requests and responses that a log repeats, and the events of what is new in them."""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha1
from typing import Any

from agentview.domain.content import Block
from agentview.domain.events import Attachment, Body, ToolResult, User
from agentview.domain.index_entry import EventFact, LightEvent
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, number
from agentview.normalize.json_values import Fields, fields_of
from agentview.providers._kit.chat_parts import Part, result_blocks
from agentview.providers._kit.typed_records import TypedBuilder


def part_events(
    record: TypedBuilder[Any], parts: Iterable[Part], scope: str, asked: float | None
) -> list[LightEvent]:
    """Events of the parts of one request and its response, in their order.

    What other requests of the same `scope` say again has the same key in all of them, by its words
    and by how often they came before it. `asked` is the time of the request.
    """
    # Repeated texts of a conversation are distinguished by their count.
    said: Counter[str] = Counter()
    events: list[LightEvent] = []
    for at, part in enumerate(parts):
        made = record.copy()
        if not part.output:
            made.response_id = None
            made.time = asked
        events.append(_part_event(made, f"part{at}", part, scope, said))
    return events


def _part_event(
    record: TypedBuilder[Any], suffix: str, part: Part, scope: str, said: Counter[str]
) -> LightEvent:
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
    key = f"{scope}:{name}"
    light = _light(record, suffix, part)
    if light is None:
        return record.event(suffix, _body(record, suffix, part), dedupe_key=key)
    light.dedupe = key
    return light


def _light(record: TypedBuilder[Any], suffix: str, part: Part) -> EventFact | None:
    """The words or thoughts of the model; None for all else."""
    if part.kind == "reasoning":
        return record.thought_part(suffix, part.text, withheld=not part.text)
    if part.kind in ("text", "block") and part.role in ("assistant", "model"):
        return record.text_part(suffix, part.text, _blocks(part))
    return None


def _blocks(part: Part) -> tuple[Block, ...]:
    return (part.block,) if part.block is not None else ()


def _body(record: TypedBuilder[Any], suffix: str, part: Part) -> Body:
    if part.kind == "call":
        own = f"{record.name}{record.suffix_end}/{suffix}"
        name = own if part.id is None else part.id
        return chat_call(name, part.name or "(none)", part.value)
    if part.kind == "result":
        if part.id is None:
            return Attachment("result", "output", as_text(part.value))
        return chat_result(part.id, part.value, failed=None)
    if part.role in ("system", "developer"):
        return Attachment("system message", "instructions", part.text or as_text(repr(part.block)))
    return User(part.text, _blocks(part))


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
