"""Events of one line `{version, kind, data{message_id, content}}`."""

import re
from collections.abc import Sequence

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.normalize.build import tool_call
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    text_of,
    time_of,
)
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
from agentview.providers._kit.typed_values import read_as
from agentview.providers.kiro.kiro.schema import Called, Data, Line, Meta, Part, Picture, Piece
from agentview.providers.kiro.shared.tools import find_tool

_EXIT = re.compile(r"exit (?:status|code): (-?\d{1,10})")


class KiroLine(TypedBuilder[Line], gc=False):
    """A line with its message."""

    @property
    def data(self) -> Data:
        return self.record.data or Data()


def _line(line: Line, raw: bytes, source: SourceRef, session: SessionRef) -> KiroLine:
    data = line.data or Data()
    own = data.message_id or None
    time = time_of((data.meta or Meta()).timestamp)
    made = KiroLine.of(line, raw, source, session, time=time, record_id=own)
    if line.kind == "AssistantMessage":
        made.response_id = own
    return made


records = Records[KiroLine](hidden={"Clear": "the history was cleared"})
"""Makers of the events of a line, by its kind."""

LINES = TypedLines(
    Line,
    _line,
    lambda line: records(line, line.record.kind or None),
    re.compile(r'\{\s*"(?:version|kind)"\s*:'),
)


@records.on("Prompt", "AssistantMessage", "ToolResults")
def _message(line: KiroLine) -> Sequence[LightEvent]:
    asked = line.record.kind == "Prompt"

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> LightEvent:
        said = "\n\n".join(words)
        if asked:
            return line.event(suffix, spoken(said, blocks))
        return line.text_part(suffix, said, blocks)

    parts = enumerate(line.data.content or ())
    made = [event for at, part in parts for event in _part(line, at, part or Part())]
    events = in_order(made, say, merged=asked)
    if line.record.kind == "AssistantMessage":
        events = whole_response(events)
    return events or [hidden(line, "a message without words", line.record.kind or "message")]


def _part(line: KiroLine, at: int, part: Part) -> Sequence[LightEvent | Block | str]:
    """The event of a part, or what it adds to the words of its message."""
    data = line.value_of(part.data)
    fields = fields_of(data)
    if part.kind == "text":
        said = text_of(data) or text_of(fields.get("text"))
        return [said] if said is not None and said.strip() else []
    if part.kind in ("thinking", "reasoning"):
        said = text_of(data) or text_of(fields.get("text")) or ""
        return [line.thought_part(f"thought/{at}", said, withheld=not said)]
    if part.kind == "toolUse":
        return [_call(line, at, fields)]
    if part.kind == "toolResult":
        return [line.event(f"result/{at}", _result(f"{line.name}/{at}", fields))]
    if part.kind == "image":
        return [_image(fields)]
    return [JsonBlock(line.values_at("data", "content", at))]


def _call(line: KiroLine, at: int, fields: Fields) -> LightEvent:
    called = read_as(fields, Called)
    name, own, arguments = called.name or "(none)", called.tool_use_id, called.input or {}
    call = tool_call(
        call_id=own if own is not None else f"{line.name}/{at}",
        name=name,
        arguments=arguments,
        raw=line.text_at("data", "content", at, "data", "input"),
        spec=find_tool(name, arguments),
    )
    return line.event(f"call/{at}", call)


def _result(default: str, fields: Fields) -> ToolResult:
    """The outcome of a call; an exit code is in words, such as `exit status: 3`."""
    called = read_as(fields, Called)
    blocks: list[Block] = []
    structured: Fields = {}
    for each in called.content or ():
        piece = read_as(each, Piece)
        data = piece.data
        if isinstance(data, str):
            blocks.append(TextBlock(data))
        elif piece.kind == "image":
            blocks.append(_image(fields_of(data)))
        else:
            structured = structured or fields_of(data)
            blocks.append(JsonBlock(data))
    code = _EXIT.search(text_of(structured.get("exit_status")) or "")
    if code is not None:
        structured, blocks = changed(structured, {"exit_code": int(code[1])}), []
    ok = {"success": True, "error": False}.get(called.status or "")
    if code is not None and int(code[1]):
        ok = False
    words = "\n".join(block.text for block in blocks if isinstance(block, TextBlock)) or None
    return ToolResult(
        called.tool_use_id if called.tool_use_id is not None else default,
        ok,
        tuple(blocks),
        structured=structured or None,
        error=words if ok is False else None,
    )


def _image(fields: Fields) -> Block:
    """A picture, whose bytes are a text in base64; in another form it is JSON."""
    picture = read_as(fields, Picture)
    data = picture.source.data if picture.source is not None else None
    if not picture.format or data is None:
        return JsonBlock(fields)
    return ImageBlock(f"image/{picture.format.lower()}", data)
