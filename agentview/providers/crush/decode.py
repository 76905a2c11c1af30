"""Events of one row of a session."""

import re
from collections.abc import Sequence

from msgspec import field

from agentview.domain.content import Block, ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    SlashCommand,
    Title,
    TitleSource,
    ToolResult,
    Topic,
)
from agentview.domain.index_entry import Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import Fields, real_of, time_of, whole_of
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.event_builder import model_facts, whole_response
from agentview.providers._kit.images import image_at
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.result_text import refusal
from agentview.providers._kit.typed_records import (
    MESSAGE,
    REASONING,
    LightEvent,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers.crush.results import COMMAND
from agentview.providers.crush.schema import Data, Part, Row
from agentview.providers.crush.tools import SPECS

_REFUSALS = (
    (
        r"(?i)\s*(?:error: )?(?:user denied permission\b|permission denied\.?\s*\Z)",
        DeniedBy.PERSON,
    ),
)
"""Refusals in the place of a result, with nothing behind them in newer versions."""
_CANCELLED = re.compile(
    r"\s*(?:error: )?(?:user cancelled|tool execution cancell?ed)", re.IGNORECASE
)
_IN_PROJECT = re.compile(r"(.*)/\.crush/crush\.db/[^/]+\Z", re.DOTALL)


_START = re.compile(r'\{\s*"(?:table|rowid)"\s*:')
_NO_PART, _NO_DATA = Part(), Data()
_PROMPT = ("text", "binary", "image_url")
"""Parts of a prompt."""
_SHELLS = ("bash", "job_output")
_FINE = (None, 0)


class CrushRow(TypedBuilder[Row], gc=False):
    """A row of a table, which the client may write again."""

    parts: Sequence[Part] = field(default_factory=list[Part])


def _row(record: Row, raw: bytes, source: SourceRef, session: SessionRef) -> CrushRow:
    own = f"{record.table}:{as_text(record.id)}" if record.id is not None else None
    answer = record.role == "assistant"
    return CrushRow.of(
        record, raw, source, session, time=time_of(record.created), record_id=own,
        rewritten_id=own, keeps_place=own is not None, response_id=own if answer else None,
        facts=model_facts(record.model) if record.model and answer else None,
        parts=[part or _NO_PART for part in record.parts or ()],
    )  # fmt: skip


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return LINES.events(record, source, session)


def _row_events(row: CrushRow) -> Sequence[LightEvent]:
    table = as_text(row.record.table)
    if table == "sessions":
        return _session(row)
    if table == "messages":
        return _message(row)
    return [row.unknown(table or "(none)")]


LINES = TypedLines(Row, _row, _row_events, _START)


def _session(row: CrushRow) -> Sequence[LightEvent]:
    """The row of a session. Its tokens are those of the last request alone, so it has no sum."""
    own, found = row.record, _IN_PROJECT.match(row.session.path)
    facts = Facts(cwd=found[1] if found is not None else None, cost=real_of(own.cost) or None)
    body = Hidden("the session itself", "sessions")
    events: list[LightEvent] = [row.event("session", body, facts=facts, time=time_of(own.updated))]
    title = as_text(own.title)
    if title:
        events.append(row.event("title", Title(title, TitleSource.AI)))
    return events


def _message(row: CrushRow) -> Sequence[LightEvent]:
    role = as_text(row.record.role) or "(none)"
    if whole_of(row.record.is_summary):
        return [_summary(row)]
    if role == "system":
        return [hidden(row, "the instructions of the client", role)]
    events = _prompt(row) if role == "user" else []
    for at, part in enumerate(row.parts):
        if role != "user" or part.type not in _PROMPT:
            events += _part(row, at, part.type or "(none)", part.data or _NO_DATA)
    if any(_is_complete(part) for part in row.parts):
        events = whole_response(events)
    return events or [hidden(row, "a message without words", role)]


def _summary(row: CrushRow) -> LightEvent:
    """The summary with which the model continues; it may still be written."""
    if not any(part.type == "finish" for part in row.parts):
        return row.event("summary", Hidden("a summary is being written", "summary"))
    said = (
        as_text(each.data.text) or "" for each in row.parts if each.type == "text" and each.data
    )
    body = Compaction(summary="".join(said) or None)
    return row.event("summary", body, resets=Reset.COMPACTED)


def _prompt(row: CrushRow) -> list[LightEvent]:
    """Return the words of the person, with their attachments."""
    words: list[str] = []
    blocks: list[Block] = []
    for part in row.parts:
        data = part.data or _NO_DATA
        if part.type == "text" and data.hidden is not True:
            words.append(as_text(data.text) or "")
        elif part.type in ("binary", "image_url"):
            blocks.append(_block(part.type, data))
    if not words and not blocks:
        return []
    return [row.event("prompt", spoken("\n".join(words), tuple(blocks)))]


def _block(kind: str, data: Data) -> Block:
    if kind == "image_url":
        return image_at(data.url) if data.url is not None else JsonBlock({})
    media, content, path = data.binary_type, as_text(data.binary_data), data.binary_path
    if media is not None and media.startswith("image/"):
        size = len(content) * 3 // 4 - content[-2:].count("=") if content is not None else None
        return ImageBlock(media, content, path, byte_size=size)
    return ResourceBlock(path, media_type=media)


def _part(row: CrushRow, at: int, kind: str, data: Data) -> Sequence[LightEvent]:
    """Events of a part of a message that is not what the person wrote."""
    if kind == "text" and data.hidden is True:
        return [row.event(f"hidden/{at}", Hidden("what the model alone is to see", "text"))]
    if kind == "text":
        said = (as_text(data.text) or "", ())
        return [row.part(f"text/{at}", MESSAGE, 0, Message, said, signal=Signal.PERSON)]
    if kind == "reasoning":
        made = (data,)
        return [row.part(f"thought/{at}", REASONING, 0, _thought, made, signal=Signal.AGENT)]
    if kind in ("binary", "image_url"):
        return [row.event(f"block/{at}", Message("", (_block(kind, data),)))]
    if kind == "tool_call":
        return [_call(row, at, data)]
    if kind == "tool_result":
        return [_result(row, at, data)]
    if kind == "shell_command":
        return [row.event(f"command/{at}", _shell_command(data))]
    if kind == "finish":
        return [row.event("finish", _finish(data), time=real_of(data.time) or None)]
    return [row.unknown(kind, f"unknown/{at}")]


def _thought(data: Data) -> Reasoning:
    said = as_text(data.thinking) or ""
    began, ended = real_of(data.started_at) or None, real_of(data.finished_at) or None
    took = ended - began if began is not None and ended is not None else None
    return Reasoning(said, withheld=not said, duration=took)


def _call(row: CrushRow, at: int, data: Data) -> LightEvent:
    given, name = as_text(data.id), as_text(data.name) or "(none)"
    call_id = f"{row.name}/{at}" if given is None else given
    made = (row, call_id, name, data)
    return row.call_event(f"call/{at}", call_id, _known(name), _whole_call, made)


_known = known_calls(SPECS.get)


def _whole_call(row: CrushRow, call_id: str, name: str, data: Data) -> ToolCall:
    streaming = data.finished is False
    return tool_call(
        call_id=call_id,
        name=name,
        # A call without arguments has an empty text.
        arguments=row.value_of(data.input) or None,
        spec=SPECS.get(name),
        state=ToolState.INPUT_STREAMING if streaming else ToolState.INPUT_AVAILABLE,
    )


def _result(row: CrushRow, at: int, data: Data) -> LightEvent:
    own, said = as_text(data.tool_call_id), as_text(data.content) or ""
    if own is None:
        return row.unknown("tool_result without a call", f"unknown/{at}")
    failed = data.is_error is True
    denial = refusal(said, _REFUSALS) if failed else None
    code = COMMAND.exit_code(said) if data.name in _SHELLS else None
    ok = not failed and code in _FINE
    metadata = mapping(row.value_of(data.metadata)) or None
    light = row.result_part(
        f"result/{at}", own, _whole_result, (own, ok, denial, data, metadata), failed=not ok
    )
    light.time = time_of((metadata or {}).get("end_time")) or row.time
    return light


def _whole_result(
    own: str, ok: bool, denial: Denial | None, data: Data, metadata: Fields | None
) -> ToolResult:
    said, media, content = as_text(data.content) or "", data.mime_type, data.data
    blocks: list[Block] = [TextBlock(said)] if said else []
    if content and media and media.startswith("image/"):
        blocks.append(ImageBlock(media, content, byte_size=len(content) * 3 // 4))
    elif content:
        blocks.append(ResourceBlock(media_type=media))
    failed = data.is_error is True
    return ToolResult(
        own,
        ok,
        tuple(blocks),
        structured=metadata,
        error=said if failed and denial is None else None,
        denial=denial,
        interrupted=failed and _CANCELLED.match(said) is not None,
    )


def _shell_command(data: Data) -> SlashCommand:
    """A command that the person ran through the client."""
    code = whole_of(data.exit_code)
    failed = f"exit code {code}" if code else None
    return SlashCommand(as_text(data.command) or "", "", as_text(data.output) or "", failed, True)


def _is_complete(part: Part) -> bool:
    """Return True if a part says that the response has ended as it should."""
    reason = part.data.reason if part.data is not None else None
    return part.type == "finish" and reason in ("end_turn", "tool_use")


def _finish(data: Data) -> Notification | Hidden:
    """How a response ended; most end with words or calls, and say no more."""
    reason, said, details = data.reason or "unknown", as_text(data.message), as_text(data.details)
    if reason == "canceled":
        return Notification(Topic.INTERRUPT, said or "stopped by the person", detail=details)
    if reason in ("error", "content_filter"):
        topic = error_topic(said, details)
        return Notification(topic, said or reason, Level.ERROR, details)
    if reason == "max_tokens":
        words = said or "The response was cut off at its limit of tokens"
        return Notification(Topic.SYSTEM, words, Level.WARNING, details)
    return Hidden("how a response ended", "finish")
