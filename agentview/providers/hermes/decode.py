"""What happened: the events of one row of a session, which is a line of JSON."""

import re
from collections.abc import Callable, Mapping

import orjson

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
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
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
    User,
    runs,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import items, mapping, number, real, text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.hermes.results import denial_in, error_in
from agentview.providers.hermes.tools import find_tool

_START = re.compile(r'\{"table":"')
_COMPACTED = re.compile(r"\s*\[CONTEXT COMPACTION\b[^\]\n]{0,80}\]")
_SUMMARY_ENDS = re.compile(r"\n-{3} END OF CONTEXT SUMMARY\b")
_AVOID = "avoid repeating it:"
"""The last words of the client in front of a summary."""
LISTED = "\x00json:"
"""Prefix of a content that is a list of parts."""
_INTERRUPTED = re.compile(
    r"\[?(?:Command|Operation|Tool execution) (?:was )?interrupted", re.IGNORECASE
)
_STOPS = frozenset({"stop", "tool_calls"})
"""Reasons for which a response ends that the client takes as it is."""
_TOKENS = ("input", "cache_read", "cache_write", "output", "reasoning")


class _Row(EventBuilder):
    """A row of a table."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        table = text(fields, "table")
        times = map(fields.get, ("timestamp", "updated_at", "ended_at", "started_at"))
        self.time = next((at for at in map(time_of, times) if at is not None), None)
        # The end of a session is a part of its row, which has a place of its own.
        name = text(fields, "id", "delegation_id") or (
            session.session_id if table == "session_end" else None
        )
        self.record_id = f"{table}:{name}" if name is not None else None
        if table != "messages":
            self.rewritten_id = self.record_id
        else:
            # A compaction adds what it keeps again: the first row counts.
            self.copied_id = f"row:{text(fields, 'kept') or name}"


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one row: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _row_events(row: _Row) -> list[Event]:
    table = text(row.fields, "table")
    if table == "sessions":
        return _session(row)
    if table == "messages":
        return _message(row)
    if table == "async_delegations":
        return _delegation(row)
    if table == "session_end":
        return _ended(row)
    return [row.unknown(table or "(none)")]


LINES = RecordDecoder(_Row, _row_events, _START)


def _session(row: _Row) -> list[Event]:
    fields = row.fields
    cost = real(fields, "actual_cost_usd") or real(fields, "estimated_cost_usd") or None
    facts = Facts(
        cwd=text(fields, "cwd"),
        branch=text(fields, "git_branch"),
        model=text(fields, "model"),
        cost=cost,
    )
    events = [row.hidden("the session itself", "sessions", facts=facts)]
    title = text(fields, "title")
    if title:
        events.append(row.event("title", Title(title, TitleSource.AI)))
    before = text(fields, "continues")
    if before is not None and text(fields, "parent_id") is None:
        note = Notification(Topic.LINK, f"Continues the session {before}")
        events.append(row.event("continues", note))
    usage = _usage(fields)
    if usage is not None:
        body = TokenUsage("session", usage, text(fields, "model"), total=True, cost=cost)
        events.append(row.event("usage", body))
    return events


def _usage(fields: Fields) -> Usage | None:
    """All tokens of the session, with those of titles where these are counted."""
    counts = [
        max(number(fields, f"{sort}{key}_tokens") or 0 for sort in ("", "all_")) for key in _TOKENS
    ]
    return Usage(*counts) if any(counts) else None


def _message(row: _Row) -> list[Event]:
    role = text(row.fields, "role") or "(none)"
    if row.fields.get("undone") in (1, True):
        return [row.hidden("undone by the person", role)]
    content = text(row.fields, "content") or ""
    if role != "tool" and _COMPACTED.match(content):
        return [_compacted(row, content)]
    make = _ROLES.get(role)
    return make(row, content) if make is not None else [row.unknown(role)]


def _compacted(row: _Row, content: str) -> Event:
    """A summary in place of what was said; the older one of two that are kept counts less."""
    end = _SUMMARY_ENDS.search(content)
    said = content[: end.start()] if end is not None else content
    _, _, summary = said.rpartition(_AVOID)
    moment = f"compaction:{int((row.time or 0) * 1000)}"
    body = Compaction("auto", summary=summary.strip() or None)
    return row.event("compaction", body, replaces=moment, resets=Reset.COMPACTED)


def _user(row: _Row, content: str) -> list[Event]:
    words, blocks = _parts(content)
    if row.fields.get("observed") in (1, True):
        return [row.event("observed", Attachment("said by others", "note", words))]
    made: User = spoken(words, blocks)
    return [row.event("prompt", made)]


def _parts(content: str) -> tuple[str, tuple[Block, ...]]:
    """The words of a content, and its pictures."""
    if not content.startswith(LISTED):
        return content, ()
    try:
        listed: object = orjson.loads(content.removeprefix(LISTED))
    except ValueError:
        return content, ()
    words: list[str] = []
    blocks: list[Block] = []
    for part in items_of(listed):
        fields = fields_of(part)
        link = fields.get("image_url")
        uri = text_of(fields_of(link).get("url")) or text_of(link)
        if (said := text_of(fields.get("text"))) is not None:
            words.append(said)
        elif uri is not None:
            head, _, data = uri.partition(";base64,")
            media = head.removeprefix("data:") if data else None
            blocks.append(ImageBlock(media, data or None, None if data else uri))
        else:
            blocks.append(JsonBlock(part))
    return "\n".join(words), tuple(blocks)


def _assistant(row: _Row, content: str) -> list[Event]:
    calls = [mapping(each) for each in items(row.fields.get("tool_calls"))]
    ids = [text(each, "call_id", "id") for each in calls]
    row.response_id = row.copied_id
    events: list[Event] = []
    thought = text(row.fields, "reasoning")
    if thought and thought.strip():
        events.append(row.event("thought", Reasoning(thought)))
    words, blocks = _parts(content)
    if words.strip() or blocks:
        events.append(row.event("text", Message(words, blocks)))
    events += [_call(row, at, call, ids[at]) for at, call in enumerate(calls)]
    if text(row.fields, "finish_reason") in _STOPS:
        events = whole_response(events)
    return events or [row.hidden("a message without words", "assistant")]


def _call(row: _Row, at: int, call: Fields, call_id: str | None) -> Event:
    function = mapping(call.get("function"))
    name = text(function, "name") or "(none)"
    given = function.get("arguments")
    arguments = given if isinstance(given, str) or given is None else fields_of(given)
    body = tool_call(
        call_id=f"{row.name}/{at}" if call_id is None else call_id,
        name=name,
        arguments=arguments,
        raw=None if isinstance(given, str) else row.text_at("tool_calls", at),
        spec=find_tool(name, mapping(given)),
    )
    return row.event(f"call/{at}", body)


def _tool(row: _Row, content: str) -> list[Event]:
    call_id = text(row.fields, "tool_call_id")
    if call_id is None:
        return [row.unknown("tool without an id")]
    words, blocks = _parts(content)
    answer = mapping(words)
    error = error_in(answer, words)
    shown = text(answer, "output", "content", "diff", "matches_text") if answer else None
    said = words if shown is None else shown or error or ""
    begun = _begun(row, answer)
    result = ToolResult(
        call_id,
        ok=None if error is None and begun is not None else error is None,
        output=(*((TextBlock(said),) if said else ()), *blocks),
        structured=answer or None,
        error=error,
        denial=denial_in(answer, error),
        interrupted=_INTERRUPTED.search(said[-200:]) is not None,
    )
    return [row.event("result", result, path=runs(begun))]


def _begun(row: _Row, answer: Fields) -> str | None:
    """The name of what began in the background, where a result says only that."""
    if text(row.fields, "tool_name") == "terminal":
        return text(answer, "session_id")
    return text(answer, "delegation_id") if text(answer, "status") == "dispatched" else None


def _system(row: _Row, content: str) -> list[Event]:
    return [row.event("system", Attachment("system message", "instructions", content))]


def _hidden_meta(row: _Row, _content: str) -> list[Event]:
    return [row.hidden("what the client notes about the session", "session_meta")]


_ROLES: Mapping[str, Callable[[_Row, str], list[Event]]] = {
    "user": _user,
    "assistant": _assistant,
    "tool": _tool,
    "system": _system,
    "session_meta": _hidden_meta,
}


def _delegation(row: _Row) -> list[Event]:
    """Work in the background: what came of it, once it has ended."""
    state = text(row.fields, "state") or "(none)"
    result = mapping(row.fields.get("result_json"))
    results = [mapping(each) for each in items(result.get("results"))]
    if not results and state in ("running", "dispatched", "pending"):
        return [row.hidden("work in the background continues", "async_delegations")]
    said = [found for each in results if (found := text(each, "summary", "error"))]
    failed = state not in ("completed", "delivered") or any(
        text(each, "status") not in (None, "completed") for each in results
    )
    note = Notification(
        Topic.BACKGROUND,
        f"An agent ended: {state}",
        Level.ERROR if failed else Level.INFO,
        "\n\n".join(said) or text(result, "error"),
        text(row.fields, "call"),
        real(result, "total_duration_seconds"),
    )
    return [row.event("ended", note, path=runs(text(row.fields, "delegation_id")))]


def _ended(row: _Row) -> list[Event]:
    reason = text(row.fields, "end_reason") or "ended"
    note = Notification(Topic.TURN_END, f"Session ended: {reason}")
    return [row.event("end", note, replaces="session_end", facts=Facts(ended=True))]
