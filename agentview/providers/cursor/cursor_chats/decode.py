"""What happened: the events of one row of a chat, which is a line of JSON."""

import re

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
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import mapping, text
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    changed,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers.cursor.shared import tools
from agentview.providers.cursor.shared.content import (
    block_of,
    blocks_of,
    context_events,
    path_of,
    prompt_events,
    text_in,
)
from agentview.providers.cursor.shared.event_builder import CursorRecord
from agentview.providers.cursor.shared.tool_outcome import outcome_of

_START = re.compile(r'\{"table":"')
_UNTITLED = "New Agent"
"""The name of a chat that has none yet."""
_EXIT = re.compile(r"Exit code: (-?\d{1,10})(?:\n|$)")
"""How the text begins that the model got from a command; a code of 0 stands nowhere else."""
_ANSWERS = "tool-result"


class _Row(CursorRecord):
    """A row of a table; the client writes that of a message again while its calls run."""

    __slots__ = ("message", "options")

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.record_id = f"{text(fields, 'table')}:{text(fields, 'rowid')}"
        self.rewritten_id = self.record_id
        self.message = fields_of(fields.get("message"))
        self.options = _options(self.message)
        self.time = time_of(self.options.get("pendingToolCallStartedAtMs"))
        self.path = ("message",)


def _options(fields: Fields) -> Fields:
    """Return what the client adds to a message, or to a part of one."""
    return fields_of(fields_of(fields.get("providerOptions")).get("cursor"))


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one row: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _row_events(row: _Row) -> list[Event]:
    table = text(row.fields, "table")
    if table == "chat":
        return _chat(row)
    if table == "archive":
        return [_compacted(row, text(row.fields, "message"), text(row.fields, "summary"))]
    if table in ("message", "archived", "unlisted"):
        return _message(row)
    return [row.unknown(table or "(none)")]


LINES = RecordDecoder(_Row, _row_events, _START)


def _chat(row: _Row) -> list[Event]:
    fields = row.fields
    row.time = time_of(fields.get("created_at"))
    folders = [path_of(text_of(each)) for each in items_of(fields.get("folders"))]
    facts = Facts(
        cwd=text(fields, "folder") or next(filter(None, folders), None),
        branch=text(fields, "branch"),
        model=text(fields, "model"),
        mode=text(fields, "mode"),
    )
    events = [row.hidden("the chat itself", "chat", facts=facts)]
    name = text(fields, "name")
    if name and name != _UNTITLED:
        events.append(row.event("title", Title(name, TitleSource.AI)))
    return events


def _compacted(row: _Row, message: str | None, summary: str | None) -> Event:
    """What came before is summarized; the archive and the message of a summary say the same."""
    body = Compaction(summary=summary)
    key = f"summary:{message or row.name}"
    return row.event("compaction", body, replaces=key, resets=Reset.COMPACTED)


def _message(row: _Row) -> list[Event]:
    if not row.message:
        blob = text(row.fields, "id")
        if row.fields.get("message") is None and blob is not None:
            return [row.hidden("a message that the database does not have", "blob")]
        return [row.unknown("blob")]
    role = text(row.message, "role") or "(none)"
    row.response_id = text(row.message, "id") if role == "assistant" else None
    make = _ROLES.get(role)
    return make(row) if make is not None else [row.unknown(role)]


def _system(row: _Row) -> list[Event]:
    return [row.hidden("the system prompt", "system")]


def _user(row: _Row) -> list[Event]:
    content = row.message.get("content")
    if row.options.get("isSummary") is True or row.fields.get("summarizes") in (1, True):
        return [_compacted(row, text(row.fields, "id"), text_in(content))]
    if "loopReminder" in row.options:
        note = Attachment("a reminder of the client", "note", text_in(content))
        return [row.event("note", note)]
    return context_events(row, content) or prompt_events(row, content)


def _assistant(row: _Row) -> list[Event]:
    content = row.message.get("content")
    parts = items_of(content)
    if not parts:
        said = text_in(content)
        if said.strip():
            return [row.event("text", Message(said, ends_turn=True))]
        return [row.hidden("a message without words", "assistant")]
    models = [text(_options(fields_of(part)), "modelName") for part in parts]
    model = next(filter(None, models), None)
    if model is not None:
        row.facts = Facts(model=model)
    return whole_response([e for at, part in enumerate(parts) for e in _part(row, at, part)])


def _part(row: _Row, at: int, part: object) -> list[Event]:
    fields = fields_of(part)
    kind = part if isinstance(part, str) else text(fields, "type") or "(none)"
    if kind in ("text", part):
        said = text_in([part])
        empty = not said.strip()
        reason = "an empty text"
        return [
            row.hidden(reason, "text", suffix=f"text{at}")
            if empty
            else row.event(f"text{at}", Message(said))
        ]
    if kind in ("reasoning", "redacted-reasoning"):
        said = text(fields, "text") or ""
        return [row.event(f"thought{at}", Reasoning(said, withheld=not said.strip()))]
    if kind == "tool-call":
        return [_call(row, at, fields)]
    if kind in ("image", "file"):
        return [row.event(f"image{at}", Message("", (block_of(part),)))]
    return [row.unknown(f"part/{kind}", f"unknown{at}")]


def _call(row: _Row, at: int, fields: Fields) -> Event:
    name = text(fields, "toolName") or "(no name)"
    given = fields.get("args")
    arguments = tools.arguments_of(name, given)
    call = tool_call(
        call_id=call_id_of(fields.get("toolCallId"), f"{row.name}/{at}"),
        name=name,
        arguments=arguments,
        raw=None if isinstance(arguments, str) else row.text_at("content", at, "args"),
        spec=tools.find_tool(name, arguments),
    )
    return row.event(f"call{at}", call)


def _tool(row: _Row) -> list[Event]:
    """The outcomes of calls: what the model got, and what the client itself recorded."""
    parts = items_of(row.message.get("content"))
    made = [_result(row, at, fields_of(part)) for at, part in enumerate(parts)]
    return made or [row.hidden("a message without results", "tool")]


def _result(row: _Row, at: int, fields: Fields) -> Event:
    if text(fields, "type") != _ANSWERS:
        return row.unknown(f"part/{text(fields, 'type') or '(none)'}", f"unknown{at}")
    name = text(fields, "toolName") or ""
    own = text(row.message, "id") or f"{row.name}/{at}"
    call_id = call_id_of(fields.get("toolCallId"), own)
    known = fields_of(row.options.get("highLevelToolCallResult"))
    seen = blocks_of(fields.get("experimental_content")) or blocks_of(fields.get("result"))
    kind = (tools.find_tool(name, {}) or classify(name, {})).kind
    failed = known.get("isError") is True or fields.get("isError") is True
    recorded = _with_exit_code(kind, mapping(known.get("output")), seen)
    outcome = outcome_of(call_id, kind, recorded or None, failed=failed)
    ok = True if outcome.ok is None and known.get("isError") is False else outcome.ok
    errors = "\n".join(map(str, items_of(known.get("rawErrorMessages"))))
    said = text_in(fields.get("result")) or None
    error = outcome.error
    if ok is False and (error is None or error in recorded):
        # The name of a variant says less than the words that the model got.
        error = errors or said or error
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
