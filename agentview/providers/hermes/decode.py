"""Events of one row of a session, which is a line of JSON."""

import re
from collections.abc import Callable, Mapping, Sequence

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
from agentview.domain.index_entry import Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, items, mapping, number, real, text
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import whole_response
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    MESSAGE,
    REASONING,
    LightEvent,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.hermes.results import denial_in, error_in
from agentview.providers.hermes.schema import Call, Function, Row
from agentview.providers.hermes.tools import SPECS, find_tool

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


_ARGUED = ("process", "search_files", "todo")
"""Tools whose arguments say what a call does."""


class HermesRow(TypedBuilder[Row], gc=False):
    """A row of a table."""


def _row(record: Row, raw: bytes, source: SourceRef, session: SessionRef) -> HermesRow:
    table = as_text(record.table)
    times = (record.timestamp, record.updated_at, record.ended_at, record.started_at)
    name = as_text(record.delegation_id if record.id is None else record.id)
    if name is None and table == "session_end":
        # The end of a session is a part of its row, which has a place of its own.
        name = session.session_id
    own = f"{table}:{name}" if name is not None else None
    # A compaction adds what it keeps again: the first row counts.
    copied = f"row:{as_text(record.kept) or name}" if table == "messages" else None
    return HermesRow.of(
        record, raw, source, session,
        time=next((at for at in map(time_of, times) if at is not None), None), record_id=own,
        copied_id=copied, rewritten_id=own if copied is None else None,
    )  # fmt: skip


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _row_events(row: HermesRow) -> Sequence[LightEvent]:
    table = as_text(row.record.table)
    if table == "sessions":
        return _session(row)
    if table == "messages":
        return _message(row)
    if table == "async_delegations":
        return _delegation(row)
    if table == "session_end":
        return _ended(row)
    return [row.unknown(table or "(none)")]


LINES = TypedLines(Row, _row, _row_events, _START)


def _session(row: HermesRow) -> Sequence[LightEvent]:
    fields = row.fields
    cost = real(fields, "actual_cost_usd") or real(fields, "estimated_cost_usd") or None
    facts = Facts(
        cwd=text(fields, "cwd"),
        branch=text(fields, "git_branch"),
        model=text(fields, "model"),
        cost=cost,
    )
    events: list[LightEvent] = [hidden(row, "the session itself", "sessions", facts=facts)]
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


def _message(row: HermesRow) -> Sequence[LightEvent]:
    role = as_text(row.record.role) or "(none)"
    if row.record.undone in (1, True):
        return [hidden(row, "undone by the person", role)]
    content = as_text(row.record.content) or ""
    if role != "tool" and _COMPACTED.match(content):
        return [_compacted(row, content)]
    make = _ROLES.get(role)
    return make(row, content) if make is not None else [row.unknown(role)]


def _compacted(row: HermesRow, content: str) -> Event:
    """A summary in place of what was said; the older one of two that are kept counts less."""
    end = _SUMMARY_ENDS.search(content)
    said = content[: end.start()] if end is not None else content
    _, _, summary = said.rpartition(_AVOID)
    moment = f"compaction:{int((row.time or 0) * 1000)}"
    body = Compaction("auto", summary=summary.strip() or None)
    return row.event("compaction", body, replaces=moment, resets=Reset.COMPACTED)


def _user(row: HermesRow, content: str) -> Sequence[LightEvent]:
    words, blocks = _parts(content)
    if row.record.observed in (1, True):
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


def _assistant(row: HermesRow, content: str) -> Sequence[LightEvent]:
    row.response_id = row.copied_id
    events: list[LightEvent] = []
    thought = as_text(row.record.reasoning)
    if thought and thought.strip():
        made = (thought,)
        events.append(row.part("thought", REASONING, 0, Reasoning, made, signal=Signal.AGENT))
    words, blocks = _parts(content)
    if words.strip() or blocks:
        said = (words, blocks)
        events.append(row.part("text", MESSAGE, 0, Message, said, signal=Signal.PERSON))
    for at, call in enumerate(row.record.tool_calls or ()):
        events.append(_call(row, at, call or Call()))
    if row.record.finish_reason in _STOPS:
        events = whole_response(events)
    return events or [hidden(row, "a message without words", "assistant")]


def _call(row: HermesRow, at: int, call: Call) -> LightEvent:
    own = as_text(call.id if call.call_id is None else call.call_id)
    call_id = f"{row.name}/{at}" if own is None else own
    function = call.function or Function()
    name = as_text(function.name) or "(none)"
    made = (row, call_id, name, function, at)
    return row.call_event(f"call/{at}", call_id, _known(name), _whole_call, made)


_known = known_calls(lambda name: None if name in _ARGUED else SPECS.get(name))


def _whole_call(row: HermesRow, call_id: str, name: str, function: Function, at: int) -> ToolCall:
    given = row.value_of(function.arguments)
    exact = row.exact(function.arguments, "tool_calls", at, "function", "arguments")
    # A call of another form is kept as it is.
    raw = exact or row.text_at("tool_calls", at)
    return tool_call(
        call_id=call_id,
        name=name,
        arguments=given if isinstance(given, str) or given is None else fields_of(given),
        raw=None if isinstance(given, str) else raw,
        spec=find_tool(name, mapping(given)),
    )


def _tool(row: HermesRow, content: str) -> Sequence[LightEvent]:
    call_id = as_text(row.record.tool_call_id)
    if call_id is None:
        return [row.unknown("tool without an id")]
    words, blocks = _parts(content)
    answer = mapping(words)
    error = error_in(answer, words)
    begun = _begun(row, answer)
    ok = None if error is None and begun is not None else error is None
    denial = denial_in(answer, error)
    made = (call_id, ok, words, blocks, answer, error, denial)
    failed = ok is False or denial is not None
    light = row.result_part("result", call_id, _result, made, failed=failed)
    if ok is None and denial is None:
        light.signal |= Signal.OUTCOME_UNKNOWN
    light.path = runs(begun)
    return [light]


def _result(
    call_id: str, ok: bool | None, words: str, blocks: tuple[Block, ...], answer: Fields,
    error: str | None,
    denial: Denial | None,
) -> ToolResult:  # fmt: skip
    shown = text(answer, "output", "content", "diff", "matches_text") if answer else None
    said = words if shown is None else shown or error or ""
    return ToolResult(
        call_id,
        ok,
        output=(*((TextBlock(said),) if said else ()), *blocks),
        structured=answer or None,
        error=error,
        denial=denial,
        interrupted=_INTERRUPTED.search(said[-200:]) is not None,
    )


def _begun(row: HermesRow, answer: Fields) -> str | None:
    """The name of what began in the background, where a result says only that."""
    if row.record.tool_name == "terminal":
        return text(answer, "session_id")
    return text(answer, "delegation_id") if text(answer, "status") == "dispatched" else None


def _system(row: HermesRow, content: str) -> Sequence[LightEvent]:
    return [row.event("system", Attachment("system message", "instructions", content))]


def _hidden_meta(row: HermesRow, _content: str) -> Sequence[LightEvent]:
    return [hidden(row, "what the client notes about the session", "session_meta")]


_ROLES: Mapping[str, Callable[[HermesRow, str], Sequence[LightEvent]]] = {
    "user": _user,
    "assistant": _assistant,
    "tool": _tool,
    "system": _system,
    "session_meta": _hidden_meta,
}


def _delegation(row: HermesRow) -> Sequence[LightEvent]:
    """Work in the background: what came of it, once it has ended."""
    state = text(row.fields, "state") or "(none)"
    result = mapping(row.fields.get("result_json"))
    results = [mapping(each) for each in items(result.get("results"))]
    if not results and state in ("running", "dispatched", "pending"):
        return [hidden(row, "work in the background continues", "async_delegations")]
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


def _ended(row: HermesRow) -> Sequence[LightEvent]:
    reason = text(row.fields, "end_reason") or "ended"
    note = Notification(Topic.TURN_END, f"Session ended: {reason}")
    return [row.event("end", note, replaces="session_end", facts=Facts(ended=True))]
