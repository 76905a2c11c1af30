"""Events of one line of a session."""

import re
from collections.abc import Sequence

from agentview.domain.content import Block, JsonBlock, TextBlock
from agentview.domain.events import Attachment, Facts, Notification, ToolResult, Topic
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import call_id_of, fields_of, items_of, time_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    LightEvent,
    Records,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.zencoder.schema import Line, Part
from agentview.providers.zencoder.tools import SPECS

_FOLDER = re.compile(r"^Working directory:\s+(\S.*?)\s*$", re.MULTILINE)
_AGENT = re.compile(r"<session-id>([^<\s]{1,200})</session-id>")
_BY_PERSON = (None, "", "user-input")
"""Tags of what the person wrote."""
_DONE = ("endTurn", "stop")


class ZenLine(TypedBuilder[Line], gc=False):
    """A line of a session."""

    @property
    def parts(self) -> Sequence[Part]:
        """The parts of the message."""
        content = self.record.content
        if isinstance(content, str):
            return [Part("text", content)]
        return [part or Part() for part in content or ()]


def _line(line: Line, raw: bytes, source: SourceRef, session: SessionRef) -> ZenLine:
    return ZenLine.of(line, raw, source, session, time=time_of(line.created_at))


records: Records[ZenLine] = Records(hidden={"permission": "the answer to a request"})


def _line_events(line: ZenLine) -> Sequence[LightEvent]:
    own = line.record
    if own.role is None and own.id is not None:
        facts = Facts(model=own.model_id or None)
        return [hidden(line, "the session begins", "session", facts=facts)]
    return records(line, own.role or None)


LINES = TypedLines(Line, _line, _line_events, re.compile(r'\{\s*"(?:role|id|createdAt)"\s*:'))


@records.on("system")
def _instructions(line: ZenLine) -> Sequence[LightEvent]:
    words = "\n".join(part.text or "" for part in line.parts)
    folder = _FOLDER.search(words)
    facts = Facts(cwd=folder[1]) if folder is not None else None
    note = Attachment("system message", "instructions", words)
    return [line.event("system", note, facts=facts)]


@records.on("user")
def _prompt(line: ZenLine) -> Sequence[LightEvent]:
    """The person's words, with the client's additions; without words only these."""
    words, context, blocks = list[str](), list[str](), list[Block]()
    for at, part in enumerate(line.parts):
        if part.type == "text" and part.tag in _BY_PERSON:
            words.append(part.text or "")
        elif part.type == "text":
            context.append(part.text or "")
        elif part.type == "skill":
            context.append(f"{part.name or 'skill'}\n{_texts(line, part)}")
        else:
            blocks.append(JsonBlock(line.value_at("content", at)))
    if any(words) or blocks:
        return [line.event("prompt", spoken("\n".join(words), tuple(blocks), context=(*context,)))]
    note = Attachment("note of the client", "instructions", "\n".join(context))
    return [line.event("note", note)] if context else [hidden(line, "no words", "user")]


@records.on("assistant")
def _response(line: ZenLine) -> Sequence[LightEvent]:
    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> LightEvent:
        return line.text_part(suffix, "\n".join(words), blocks)

    line.response_id = line.name
    made = (_part(line, at, part) for at, part in enumerate(line.parts))
    events = whole_response(in_order(made, say, merged=False))
    return events or [hidden(line, "a message without words", "assistant")]


def _part(line: ZenLine, at: int, part: Part) -> LightEvent | Block | str:
    if part.type == "text":
        return part.text or ""
    if part.type == "reasoning":
        return line.thought_part(f"thought/{at}", part.text or "", withheld=not part.text)
    if part.type == "tool-call":
        name = part.tool_name or "(none)"
        call_id = call_id_of(part.tool_call_id, f"{line.name}/{at}")
        made = (line, call_id, name, part)
        return line.call_event(f"call/{at}", call_id, _known(name), _call, made)
    return JsonBlock(line.value_at("content", at))


_known = known_calls(SPECS.get)


def _call(line: ZenLine, call_id: str, name: str, part: Part) -> ToolCall:
    given = line.value_of(part.input)
    arguments = given if isinstance(given, str) else fields_of(given)
    raw = None if isinstance(given, str) else bytes(part.input) or None
    return tool_call(call_id=call_id, name=name, arguments=arguments, raw=raw, spec=SPECS.get(name))


@records.on("tool")
def _results(line: ZenLine) -> Sequence[LightEvent]:
    events = [_result_event(line, at, part) for at, part in enumerate(line.parts)]
    return events or [hidden(line, "no results", "tool")]


def _result_event(line: ZenLine, at: int, part: Part) -> LightEvent:
    if part.type != "tool-result":
        return line.unknown(f"tool/{part.type or '(none)'}", f"unknown/{at}")
    call_id = call_id_of(part.tool_call_id, f"{line.name}/{at}")
    agent = _AGENT.search(_texts(line, part))
    child = Stream(StreamKind.SUBAGENT, agent[1]) if agent is not None else None
    made = (line, call_id, part)
    failed = part.is_error
    return line.result_part(f"result/{at}", call_id, _result, made, failed=failed, child=child)


def _result(line: ZenLine, call_id: str, part: Part) -> ToolResult:
    """Result of a call, without the texts that the client added for the model."""
    content = line.value_of(part.content)
    listed = items_of(content) or ([content] if content is not None else [])
    blocks = tuple(_block(each) for each in listed if text(fields_of(each), "tag") in _BY_PERSON)
    words = "\n".join(block.text for block in blocks if isinstance(block, TextBlock)) or None
    ok = None if part.is_error is None else not part.is_error
    return ToolResult(call_id, ok, blocks, error=words if ok is False else None)


def _block(content: object) -> Block:
    said = content if isinstance(content, str) else text(fields_of(content), "text")
    return JsonBlock(content) if said is None else TextBlock(said)


def _texts(line: ZenLine, part: Part) -> str:
    content = line.value_of(part.content)
    if isinstance(content, str):
        return content
    return "\n".join(filter(None, (text(fields_of(each), "text") for each in items_of(content))))


@records.on("finish")
def _finished(line: ZenLine) -> Sequence[LightEvent]:
    reason = line.record.reason
    if reason is None or reason in _DONE:
        return [hidden(line, "the turn is over", "finish")]
    return [line.event("note", Notification(Topic.SYSTEM, f"Turn finished: {reason}"))]
