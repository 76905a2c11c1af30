"""What happened: the events of one row of a session."""

import re
from collections.abc import Callable, Mapping

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
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy, ToolState
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import items, mapping, number, real, text
from agentview.normalize.json_values import Fields, call_id_of, fields_of, text_of, time_of
from agentview.providers._kit.event_builder import EventBuilder, whole_response
from agentview.providers._kit.images import image_at
from agentview.providers._kit.json_line import RecordDecoder, line_events
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.crush.results import COMMAND
from agentview.providers.crush.tools import SPECS

_DENIED = re.compile(
    r"\s*(?:error: )?(?:user denied permission\b|permission denied\.?\s*\Z)", re.IGNORECASE
)
"""What a refusal says in the place of a result, and nothing behind it in newer versions."""
_CANCELLED = re.compile(
    r"\s*(?:error: )?(?:user cancelled|tool execution cancell?ed)", re.IGNORECASE
)
_IN_PROJECT = re.compile(r"(.*)/\.crush/crush\.db/[^/]+\Z", re.DOTALL)


class _Row(EventBuilder):
    """A row of a table, which the client may write again."""

    __slots__ = ()

    def __init__(self, fields: Fields, raw: bytes, source: SourceRef, session: SessionRef) -> None:
        super().__init__(fields, raw, source, session)
        self.time = time_of(fields.get("created"))
        name = text(fields, "id")
        if name is not None:
            self.record_id = self.rewritten_id = f"{text(fields, 'table')}:{name}"
            self.keeps_place = True
        if text(fields, "role") == "assistant":
            self.response_id = self.record_id


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return line_events(record, source, session, LINES)


def _row_events(row: _Row) -> list[Event]:
    table = text(row.fields, "table")
    if table == "sessions":
        return _session(row)
    if table == "messages":
        return _message(row)
    return [row.unknown(table or "(none)")]


LINES = RecordDecoder(_Row, _row_events, re.compile(r'\{\s*"(?:table|rowid)"\s*:'),
                      discovery_keys=("parent_id",))  # fmt: skip


def _session(row: _Row) -> list[Event]:
    """The row of a session. Its tokens are those of the last request alone, so it has no sum."""
    fields = row.fields
    cost = real(fields, "cost") or None
    found = _IN_PROJECT.match(row.session.path)
    facts = Facts(cwd=found[1] if found is not None else None, cost=cost)
    body = Hidden("the session itself", "sessions")
    events = [row.event("session", body, facts=facts, time=time_of(fields.get("updated")))]
    title = text(fields, "title")
    if title:
        events.append(row.event("title", Title(title, TitleSource.AI)))
    return events


def _message(row: _Row) -> list[Event]:
    fields = row.fields
    role = text(fields, "role") or "(none)"
    parts = [fields_of(part) for part in items(fields.get("parts"))]
    model = text(fields, "model")
    row.facts = Facts(model=model) if model and role == "assistant" else None
    if number(fields, "is_summary"):
        return _summary(row, parts)
    if role == "system":
        return [row.hidden("the instructions of the client", role)]
    events = _prompt(row, parts) if role == "user" else []
    for at, part in enumerate(parts):
        kind = text_of(part.get("type")) or "(none)"
        if role == "user" and kind in _SAID:
            continue
        make = _PARTS.get(kind)
        if make is None:
            events.append(row.unknown(kind, f"unknown/{at}"))
        else:
            events += make(row, at, mapping(part.get("data")))
    if any(_is_complete(part) for part in parts):
        events = whole_response(events)
    return events or [row.hidden("a message without words", role)]


def _summary(row: _Row, parts: list[Fields]) -> list[Event]:
    """The summary with which the model continues; it may still be written."""
    data = [mapping(part.get("data")) for part in parts if part.get("type") == "text"]
    words = "".join(text(each, "text") or "" for each in data)
    over = any(part.get("type") == "finish" for part in parts)
    if not over:
        return [row.event("summary", Hidden("a summary is being written", "summary"))]
    body = Compaction(summary=words or None)
    return [row.event("summary", body, resets=Reset.COMPACTED)]


def _prompt(row: _Row, parts: list[Fields]) -> list[Event]:
    """Return what the person wrote, with what came with it."""
    words: list[str] = []
    blocks: list[Block] = []
    for part in parts:
        data = mapping(part.get("data"))
        kind = part.get("type")
        if kind == "text" and data.get("hidden") is not True:
            words.append(text(data, "text") or "")
        elif kind in ("binary", "image_url"):
            blocks.append(_block(kind, data))
    if not words and not blocks:
        return []
    return [row.event("prompt", spoken("\n".join(words), tuple(blocks)))]


def _block(kind: object, data: Fields) -> Block:
    if kind == "image_url":
        uri = text(data, "url")
        return image_at(uri) if uri is not None else JsonBlock(data)
    media, content, path = text(data, "MIMEType"), text(data, "Data"), text(data, "Path")
    if media is not None and media.startswith("image/"):
        size = len(content) * 3 // 4 - content[-2:].count("=") if content is not None else None
        return ImageBlock(media, content, path, byte_size=size)
    return ResourceBlock(path, media_type=media)


def _text(row: _Row, at: int, data: Fields) -> list[Event]:
    if data.get("hidden") is True:
        return [row.event(f"hidden/{at}", Hidden("what the model alone is to see", "text"))]
    return [row.event(f"text/{at}", Message(text(data, "text") or ""))]


def _thought(row: _Row, at: int, data: Fields) -> list[Event]:
    said = text(data, "thinking") or ""
    began, ended = _seconds_at(data, "started_at"), _seconds_at(data, "finished_at")
    took = ended - began if began is not None and ended is not None else None
    return [row.event(f"thought/{at}", Reasoning(said, withheld=not said, duration=took))]


def _seconds_at(data: Fields, key: str) -> float | None:
    """A time, which is 0 as long as it is not known."""
    return real(data, key) or None


def _binary(row: _Row, at: int, data: Fields) -> list[Event]:
    return [row.event(f"block/{at}", Message("", (_block("binary", data),)))]


def _image(row: _Row, at: int, data: Fields) -> list[Event]:
    return [row.event(f"block/{at}", Message("", (_block("image_url", data),)))]


def _call(row: _Row, at: int, data: Fields) -> list[Event]:
    name = text(data, "name") or "(none)"
    given = data.get("input")
    streaming = data.get("finished") is False
    call = tool_call(
        call_id=call_id_of(data.get("id"), f"{row.name}/{at}"),
        name=name,
        # A call without arguments has an empty text.
        arguments=given or None,
        spec=SPECS.get(name),
        state=ToolState.INPUT_STREAMING if streaming else ToolState.INPUT_AVAILABLE,
    )
    return [row.event(f"call/{at}", call)]


def _result(row: _Row, at: int, data: Fields) -> list[Event]:
    own = text(data, "tool_call_id")
    if own is None:
        return [row.unknown("tool_result without a call", f"unknown/{at}")]
    said = text(data, "content") or ""
    media, content = text(data, "mime_type"), text(data, "data")
    blocks: list[Block] = [TextBlock(said)] if said else []
    if content and media and media.startswith("image/"):
        blocks.append(ImageBlock(media, content, byte_size=len(content) * 3 // 4))
    elif content:
        blocks.append(ResourceBlock(media_type=media))
    failed = data.get("is_error") is True
    denied = failed and _DENIED.match(said) is not None
    structured = mapping(data.get("metadata")) or None
    shell = text(data, "name") in ("bash", "job_output")
    code = COMMAND.exit_code(said) if shell else None
    result = ToolResult(
        own,
        not failed and code in (None, 0),
        tuple(blocks),
        structured=structured,
        error=said if failed and not denied else None,
        denial=Denial(DeniedBy.PERSON) if denied else None,
        interrupted=failed and _CANCELLED.match(said) is not None,
    )
    ended = time_of((structured or {}).get("end_time"))
    return [row.event(f"result/{at}", result, time=ended)]


def _shell_command(row: _Row, at: int, data: Fields) -> list[Event]:
    """A command that the person ran through the client."""
    code = number(data, "exit_code")
    failed = f"exit code {code}" if code else None
    body = SlashCommand(text(data, "command") or "", "", text(data, "output") or "", failed, True)
    return [row.event(f"command/{at}", body)]


def _is_complete(part: Fields) -> bool:
    """Return True if a part says that the response has ended as it should."""
    reason = text(mapping(part.get("data")), "reason")
    return part.get("type") == "finish" and reason in ("end_turn", "tool_use")


def _finish(row: _Row, _at: int, data: Fields) -> list[Event]:
    """How a response ended; most end with words or calls, and say no more."""
    reason = text(data, "reason") or "unknown"
    said, details = text(data, "message"), text(data, "details")
    ended = _seconds_at(data, "time")
    if reason == "canceled":
        body = Notification(Topic.INTERRUPT, said or "stopped by the person", detail=details)
    elif reason in ("error", "content_filter"):
        topic = error_topic(said, details)
        body = Notification(topic, said or reason, Level.ERROR, details)
    elif reason == "max_tokens":
        words = said or "The response was cut off at its limit of tokens"
        body = Notification(Topic.SYSTEM, words, Level.WARNING, details)
    else:
        body = Hidden("how a response ended", "finish")
    return [row.event("finish", body, time=ended)]


_SAID = ("text", "binary", "image_url")
_PARTS: Mapping[str, Callable[[_Row, int, Fields], list[Event]]] = {
    "text": _text,
    "reasoning": _thought,
    "binary": _binary,
    "image_url": _image,
    "tool_call": _call,
    "tool_result": _result,
    "shell_command": _shell_command,
    "finish": _finish,
}
"""Makers of events by the types of parts."""
