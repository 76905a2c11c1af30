"""What a session is about and what it is doing, from the records at its two ends."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from agentview.domain.events import (
    Event,
    Hidden,
    Message,
    Notification,
    Reasoning,
    Title,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import LiveState, SessionInfo, SessionRef
from agentview.domain.source import SourceRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.partial import begun
from agentview.normalize.values import fields_of, items_of
from agentview.providers.gemini_cli.decode import decode
from agentview.providers.gemini_cli.documents import LISTS, is_document
from agentview.providers.gemini_cli.messages import TYPES

_TITLE_CHARS = 200
_STALE_AFTER = 1800.0
"""Seconds without a record after which a session that had something to do counts as stale."""
_ITEM = re.compile(r'\{\s*"(?:id|content)"\s*:')
_ITEMS_READ = 200


@dataclass(slots=True)
class _Overview:
    cwd: str | None = None
    model: str | None = None
    started: float | None = None
    last: float | None = None
    title: str | None = None
    prompt: str | None = None
    state: LiveState = LiveState.UNKNOWN


def overview(
    ref: SessionRef, head: bytes, tail: bytes, tail_start: int, root: str | None
) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    `root` is the directory of its project, where that is known from elsewhere. Times are of
    records, never of the file.
    """
    found = _Overview()
    whole = is_document(head)
    for event in _of_document(head, ref) if whole else _of_lines(head, 0, ref):
        _take(found, event)
    later = _of_items(tail, ref) if whole else _of_lines(tail.partition(b"\n")[2], tail_start, ref)
    for event in later:
        _take(found, event)
    silent = time.time() - found.last if found.last is not None else 0.0
    if found.state is LiveState.WORKING and silent > _STALE_AFTER:
        found.state = LiveState.STALE
    title = found.title or found.prompt or ref.label
    return SessionInfo(
        ref,
        title=" ".join(title.split())[:_TITLE_CHARS] if title else None,
        project=found.cwd or root,
        model=found.model,
        started=found.started,
        last_activity=found.last,
        state=found.state,
    )


def _of_lines(block: bytes, start: int, ref: SessionRef) -> Iterator[Event]:
    """Events of the whole lines of a block."""
    offset = start
    for line in block.split(b"\n"):
        if line.startswith(b"{") and line.rstrip(b"\r").endswith(b"}"):
            yield from decode(line, SourceRef(ref.path, offset, len(line)), ref)
        offset += len(line) + 1


def _of_document(head: bytes, ref: SessionRef) -> Iterator[Event]:
    """Events of what the beginning of a document holds, whole messages only."""
    text = head.decode("utf-8", "replace")
    members = dict(begun('{"messages":' + text if text.lstrip().startswith("[") else text) or {})
    listed = [item for key in LISTS for item in items_of(members.pop(key, None))]
    for value in (members, *listed):
        if fields_of(value):
            yield from _of_value(value, ref)


def _of_items(tail: bytes, ref: SessionRef) -> Iterator[Event]:
    """Events of the messages that stand whole in the tail of a document."""
    text = tail.decode("utf-8", "replace")
    decoder = json.JSONDecoder(strict=False)
    position = 0
    for _ in range(_ITEMS_READ):
        match = _ITEM.search(text, position)
        if match is None:
            return
        position = match.end()
        try:
            value, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if fields_of(value).get("type") in TYPES:
            position = end
            yield from _of_value(cast("object", value), ref)


def _of_value(value: object, ref: SessionRef) -> list[Event]:
    raw = json.dumps(value).encode()
    return decode(raw, SourceRef(ref.path, 0, len(raw)), ref)


def _take(found: _Overview, event: Event) -> None:
    if event.facts is not None:
        found.cwd = found.cwd or event.facts.cwd
        found.model = event.facts.model or found.model
    if event.time is not None:
        found.started = event.time if found.started is None else min(found.started, event.time)
        found.last = event.time if found.last is None else max(found.last, event.time)
    body = event.body
    if isinstance(body, User):
        found.prompt = found.prompt or body.text.strip() or None
    elif isinstance(body, Title):
        found.title = body.text
    if not isinstance(body, Hidden | Unparsed):
        found.state = _state(body) or found.state


def _state(body: object) -> LiveState | None:
    if isinstance(body, Notification):
        if body.topic is Topic.TURN_END:
            return LiveState.WAITING_INPUT
        return LiveState.INTERRUPTED if body.topic is Topic.INTERRUPT else None
    if isinstance(body, Message):
        return LiveState.WAITING_INPUT
    if isinstance(body, ToolCall) and body.kind is ToolKind.ASK:
        return LiveState.WAITING_INPUT
    working = isinstance(body, User | Reasoning | ToolCall | ToolResult)
    return LiveState.WORKING if working else None
