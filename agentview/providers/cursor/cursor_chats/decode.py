"""Events of one row of a chat, which is a line of JSON."""

import re
from collections.abc import Sequence

from msgspec import UNSET, field

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Facts,
    Message,
    Reasoning,
    Reset,
    Title,
    TitleSource,
    ToolResult,
)
from agentview.domain.index_entry import Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import as_text, mapping, text
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.typed_records import (
    MESSAGE,
    REASONING,
    LightEvent,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.cursor.cursor_chats.schema import Message as Sent
from agentview.providers.cursor.cursor_chats.schema import Part, Row
from agentview.providers.cursor.shared import tools
from agentview.providers.cursor.shared.content import (
    block_of,
    blocks_of,
    context_events,
    path_of,
    prompt_events,
    text_in,
)
from agentview.providers.cursor.shared.tool_outcome import outcome_of

_START = re.compile(r'\{"table":"')
_UNTITLED = "New Agent"
"""The name of a chat that has none yet."""
_EXIT = re.compile(r"Exit code: (-?\d{1,10})(?:\n|$)")
"""How the text begins that the model got from a command; a code of 0 stands nowhere else."""
_ANSWERS = "tool-result"


class ChatRow(TypedBuilder[Row], gc=False):
    """A row of a table; the client writes that of a message again while its calls run."""

    message: Sent = field(default_factory=Sent)

    @property
    def content(self) -> object:
        return self.value_at("content")


def _row(record: Row, raw: bytes, source: SourceRef, session: SessionRef) -> ChatRow:
    own = f"{as_text(record.table)}:{as_text(record.rowid)}"
    message = record.message if isinstance(record.message, Sent) else Sent()
    return ChatRow.of(
        record, raw, source, session, time=time_of(message.own.started_at), record_id=own,
        rewritten_id=own, path=("message",), message=message,
    )  # fmt: skip


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _row_events(row: ChatRow) -> Sequence[LightEvent]:
    table = as_text(row.record.table)
    if table == "chat":
        return _chat(row)
    if table == "archive":
        return [_compacted(row, text(row.fields, "message"), text(row.fields, "summary"))]
    if table in ("message", "archived", "unlisted"):
        return _message(row)
    return [row.unknown(table or "(none)")]


LINES = TypedLines(Row, _row, _row_events, _START)


def _chat(row: ChatRow) -> Sequence[LightEvent]:
    fields = row.fields
    row.time = time_of(fields.get("created_at"))
    folders = [path_of(text_of(each)) for each in items_of(fields.get("folders"))]
    facts = Facts(
        cwd=text(fields, "folder") or next(filter(None, folders), None),
        branch=text(fields, "branch"),
        model=text(fields, "model"),
        mode=text(fields, "mode"),
    )
    events: list[LightEvent] = [hidden(row, "the chat itself", "chat", facts=facts)]
    name = text(fields, "name")
    if name and name != _UNTITLED:
        events.append(row.event("title", Title(name, TitleSource.AI)))
    return events


def _compacted(row: ChatRow, message: str | None, summary: str | None) -> Event:
    """A summary of the records before; the archive and the message of a summary say the same."""
    body = Compaction(summary=summary)
    key = f"summary:{message or row.name}"
    return row.event("compaction", body, replaces=key, resets=Reset.COMPACTED)


def _message(row: ChatRow) -> Sequence[LightEvent]:
    if not isinstance(row.record.message, Sent):
        if row.fields.get("message") is None and row.record.id is not None:
            return [hidden(row, "a message that the database does not have", "blob")]
        return [row.unknown("blob")]
    role = as_text(row.message.role) or "(none)"
    row.response_id = as_text(row.message.id) if role == "assistant" else None
    make = _ROLES.get(role)
    return make(row) if make is not None else [row.unknown(role)]


def _system(row: ChatRow) -> Sequence[LightEvent]:
    return [hidden(row, "the system prompt", "system")]


def _user(row: ChatRow) -> Sequence[LightEvent]:
    content, own = row.content, row.message.own
    if own.is_summary is True or row.record.summarizes in (1, True):
        return [_compacted(row, as_text(row.record.id), text_in(content))]
    if own.reminder is not UNSET:
        note = Attachment("a reminder of the client", "note", text_in(content))
        return [row.event("note", note)]
    return context_events(row, content) or prompt_events(row, content)


def _assistant(row: ChatRow) -> Sequence[LightEvent]:
    parts = row.message.content
    if not parts or isinstance(parts, str):
        said = parts if isinstance(parts, str) else ""
        if said.strip():
            return [row.event("text", Message(said, ends_turn=True))]
        return [hidden(row, "a message without words", "assistant")]
    models = (as_text(part.own.model_name) for part in parts if isinstance(part, Part))
    model = next(filter(None, models), None)
    if model is not None:
        row.facts = Facts(model=model)
    return whole_response([_part(row, at, part or Part()) for at, part in enumerate(parts)])


def _part(row: ChatRow, at: int, part: Part | str) -> LightEvent:
    if isinstance(part, str):
        part = Part(type="text", text=part)
    kind = as_text(part.type) or "(none)"
    if kind == "text":
        said = text_in([{"type": "text", "text": part.text}])
        if not said.strip():
            return hidden(row, "an empty text", "text", suffix=f"text{at}")
        return row.part(f"text{at}", MESSAGE, 0, Message, (said, ()), signal=Signal.PERSON)
    if kind in ("reasoning", "redacted-reasoning"):
        said = as_text(part.text) or ""
        made = (said, not said.strip())
        return row.part(f"thought{at}", REASONING, 0, Reasoning, made, signal=Signal.AGENT)
    if kind == "tool-call":
        return _call(row, at, part)
    if kind in ("image", "file"):
        shown = block_of(row.value_at("content", at))
        return row.event(f"image{at}", Message("", (shown,)))
    return row.unknown(f"part/{kind}", f"unknown{at}")


def _call(row: ChatRow, at: int, part: Part) -> LightEvent:
    call_id = f"{row.name}/{at}" if part.id is None else part.id
    name = as_text(part.tool_name) or "(no name)"
    made = (row, call_id, name, part, at)
    return row.call_event(f"call{at}", call_id, _known(name), _whole_call, made)


_known = known_calls(tools.named)


def _whole_call(row: ChatRow, call_id: str, name: str, part: Part, at: int) -> ToolCall:
    arguments = tools.arguments_of(name, row.value_of(part.args))
    exact = row.exact(part.args, "content", at, "args")
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=arguments,
        raw=None if isinstance(arguments, str) else exact or None,
        spec=tools.find_tool(name, arguments),
    )


def _tool(row: ChatRow) -> Sequence[LightEvent]:
    """The outcomes of calls: what the model got, and what the client itself recorded."""
    parts = row.message.content
    if not parts or isinstance(parts, str):
        return [hidden(row, "a message without results", "tool")]
    return [
        _result(row, at, part if isinstance(part, Part) else Part())
        for at, part in enumerate(parts)
    ]


def _result(row: ChatRow, at: int, part: Part) -> LightEvent:
    if part.type != _ANSWERS:
        return row.unknown(f"part/{as_text(part.type) or '(none)'}", f"unknown{at}")
    name = as_text(part.tool_name) or ""
    own = as_text(row.message.id) or f"{row.name}/{at}"
    call_id = own if part.id is None else part.id
    known = fields_of(row.value_of(row.message.own.outcome))
    given = row.value_of(part.result)
    seen = blocks_of(row.value_of(part.experimental_content)) or blocks_of(given)
    kind = (tools.find_tool(name, {}) or classify(name, {})).kind
    failed = known.get("isError") is True or part.is_error is True
    recorded = _with_exit_code(kind, mapping(known.get("output")), seen)
    outcome = outcome_of(call_id, kind, recorded or None, failed=failed)
    ok = True if outcome.ok is None and known.get("isError") is False else outcome.ok
    errors = "\n".join(map(str, items_of(known.get("rawErrorMessages"))))
    error = outcome.error
    if ok is False and (error is None or error in recorded):
        # The name of a variant says less than the words that the model got.
        error = errors or text_in(given) or error
    result = ToolResult(
        call_id,
        ok,
        seen or outcome.output,
        structured=outcome.structured,
        error=error if outcome.denial is None else None,
        denial=outcome.denial,
    )
    return row.event(f"result{at}", result)


def _with_exit_code(kind: ToolKind, output: Fields, seen: tuple[Block, ...]) -> Fields:
    """A result of a command with its exit code, which is left out where it is 0."""
    inner = fields_of(output.get("success"))
    first = seen[0].text if seen and isinstance(seen[0], TextBlock) else ""
    code = _EXIT.match(first)
    if kind is not ToolKind.SHELL or not inner or "exitCode" in inner or code is None:
        return output
    return changed(output, {"success": changed(inner, {"exitCode": int(code[1])})})


_ROLES = {"system": _system, "user": _user, "assistant": _assistant, "tool": _tool}
